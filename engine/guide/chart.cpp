#include "engine/guide/chart.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "engine/guide/chart_layers.hpp"
#include "engine/text.hpp"

namespace tessera::guide {

namespace {

constexpr int kFramedWidth = 100;  // a terminal narrower than this gets one-line boxes
constexpr int kMark = 4;           // room for " yes"
constexpr int kMinBox = 14;        // wide enough for both ports and their labels
constexpr int kTitleFrame = 4;     // "( " and " )"

bool is_wide(char32_t c) {
  return (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) || (c >= 0xAC00 && c <= 0xD7A3) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
         (c >= 0xFFE0 && c <= 0xFFE6) || (c >= 0x1F300 && c <= 0x1FAFF) || (c >= 0x20000 && c <= 0x3FFFD);
}

int width_of(char32_t c) { return c >= 0x300 && c <= 0x36F ? 0 : is_wide(c) ? 2 : 1; }

std::string cut(std::string_view text, int width) {
  if (text_width(text) <= width) return std::string(text);
  std::string out;
  int used = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Decoded one = decode_utf8(text, at);
    if (used + width_of(one.code) > width - 1) break;
    used += width_of(one.code);
    out += text.substr(at, one.length);
    at += one.length;
  }
  if (width > 0) out += "…";
  return out;
}

// What is lit: the steps taken, and the place where the walk stands.
class Light {
 public:
  explicit Light(const Walk& walk) : walk_(walk) {}

  Glow box(const std::string& id) const {
    if (walk_.current() != nullptr && walk_.current()->id == id) return Glow::current;
    if (walk_.leaf() != nullptr && walk_.leaf()->id == id) return Glow::current;
    return step(id) != nullptr ? Glow::lit : Glow::dim;
  }
  Glow line(const std::string& from, bool yes) const {
    const Step* taken = step(from);
    return taken != nullptr && taken->yes == yes ? Glow::lit : Glow::dim;
  }
  std::string mark(const std::string& id) const {
    if (const Step* taken = step(id)) return taken->yes ? "yes" : "no";
    return walk_.current() != nullptr && walk_.current()->id == id ? "?" : "";
  }

 private:
  const Step* step(const std::string& id) const {
    const auto& path = walk_.path();
    const auto found =
        std::find_if(path.begin(), path.end(), [&](const Step& one) { return one.question == id; });
    return found == path.end() ? nullptr : &*found;
  }
  const Walk& walk_;
};

std::string text_of(const Question& question) { return question.label + " " + question.short_text; }

ChartBox box_for(const Flowchart& chart, int node, const Light& light) {
  ChartBox box;
  const auto questions = static_cast<int>(chart.questions().size());
  if (node < questions) {
    const Question& question = chart.questions()[static_cast<std::size_t>(node)];
    box.id = question.id;
    box.text = text_of(question);
    box.mark = light.mark(question.id);
  } else {
    const Leaf& leaf = chart.leaves()[static_cast<std::size_t>(node - questions)];
    box.id = leaf.id;
    box.leaf = true;
    box.text = leaf.title;
  }
  box.glow = light.box(box.id);
  return box;
}

// Columns of each node's box. A leaf needs no room for a mark and has no ports.
std::vector<int> widths(const Flowchart& chart, bool framed) {
  const int frame = framed ? 4 : 2;
  std::vector<int> all;
  for (const Question& question : chart.questions()) {
    all.push_back(std::max(kMinBox, text_width(text_of(question)) + kMark + frame));
  }
  for (const Leaf& leaf : chart.leaves()) all.push_back(text_width(leaf.title) + frame);
  return all;
}

// Rows: a box, then a channel. One-line boxes have their labels in the channel's first row; framed ones carry
// them in the frame.
std::vector<int> rows_of(const Layers& layers, bool framed) {
  std::vector<int> tops;
  int y = 1;  // the title stands above
  for (std::size_t i = 0; i < layers.rows.size(); ++i) {
    tops.push_back(y);
    y += framed ? 3 : 1;
    if (i < layers.tracks.size()) y += layers.tracks[i] + (framed ? 0 : 1);
  }
  return tops;
}

// "( GPU sharing is needed )" above the first question, as far as there is room.
void add_title(Chart& chart, const Flowchart& flow, int most) {
  const ChartBox* first = chart.box(flow.start());
  ChartBox title;
  title.text = cut(flow.title(), most - kTitleFrame);
  title.width = text_width(title.text) + kTitleFrame;
  title.glow = Glow::lit;
  const int middle = first->x + first->width / 2;
  title.x = std::clamp(middle - title.width / 2, 0, std::max(0, most - title.width));
  chart.width = std::max(chart.width, title.x + title.width);
  chart.boxes.push_back(std::move(title));
}

struct Drawing {
  Chart chart;
  std::map<int, std::vector<ChartPoint>> ways;  // by edge
};

void add_boxes(Drawing& drawing, const Layers& layers, const std::vector<int>& tops, const Flowchart& flow,
               const Light& light, bool framed) {
  for (std::size_t r = 0; r < layers.rows.size(); ++r) {
    for (const LayerItem& item : layers.rows[r]) {
      if (item.node < 0) continue;
      ChartBox box = box_for(flow, item.node, light);
      box.x = item.x;
      box.y = tops[r];
      box.width = item.width;
      box.height = framed ? 3 : 1;
      drawing.chart.boxes.push_back(std::move(box));
    }
  }
}

void add_ways(Drawing& drawing, const Layers& layers, const std::vector<int>& tops, bool framed) {
  for (std::size_t r = 0; r < layers.channels.size(); ++r) {
    // A line begins in the row under its box and ends in the row above the next; lanes pass the row between.
    const int first = tops[r] + (framed ? 3 : 1);
    const int tracks_from = first + (framed ? 0 : 1);
    const int last = tops[r + 1] - 1;
    for (const ChannelRun& run : layers.channels[r]) {
      std::vector<ChartPoint>& way = drawing.ways[run.edge];
      way.push_back({run.top, first});
      if (run.track >= 0) {
        way.push_back({run.top, tracks_from + run.track});
        way.push_back({run.bottom, tracks_from + run.track});
      }
      way.push_back({run.bottom, last});
    }
  }
}

// Corners only.
std::vector<ChartPoint> simplified(const std::vector<ChartPoint>& way) {
  std::vector<ChartPoint> out;
  for (const ChartPoint& point : way) {
    if (!out.empty() && out.back() == point) continue;
    if (out.size() > 1) {
      const ChartPoint a = out[out.size() - 2], b = out.back();
      if ((a.x == b.x && b.x == point.x) || (a.y == b.y && b.y == point.y)) out.pop_back();
    }
    out.push_back(point);
  }
  return out;
}

std::string node_id(const Flowchart& chart, int node) {
  const auto questions = static_cast<int>(chart.questions().size());
  return node < questions ? chart.questions()[static_cast<std::size_t>(node)].id
                          : chart.leaves()[static_cast<std::size_t>(node - questions)].id;
}

std::optional<Chart> draw_tree(const Walk& walk, const Flowchart& flow, int width, bool framed) {
  const auto layers = arrange(flow, widths(flow, framed), framed ? 3 : 2);
  if (!layers || layers->width > width) return std::nullopt;
  const Light light(walk);
  Drawing drawing;
  const std::vector<int> tops = rows_of(*layers, framed);
  add_boxes(drawing, *layers, tops, flow, light, framed);
  add_ways(drawing, *layers, tops, framed);
  for (auto& [edge, way] : drawing.ways) {
    const LayerEdge& it = layers->edges[static_cast<std::size_t>(edge)];
    ChartLine line;
    line.from = node_id(flow, it.from);
    line.to = node_id(flow, it.to);
    line.yes = it.yes;
    line.points = simplified(way);
    line.glow = light.line(line.from, it.yes);
    line.label = it.yes ? "yes" : "no";
    line.label_at = {way.front().x + 1, way.front().y - (framed ? 1 : 0)};
    drawing.chart.lines.push_back(std::move(line));
  }
  drawing.chart.style = framed ? ChartStyle::framed : ChartStyle::compact;
  drawing.chart.width = layers->width;
  drawing.chart.height = tops.back() + (framed ? 3 : 1);
  add_title(drawing.chart, flow, width);
  return std::move(drawing.chart);
}

// The list: each place once with what follows from it, later only named.
class Lister {
 public:
  Lister(const Walk& walk, const Flowchart& flow, int width) : flow_(flow), light_(walk), width_(width) {}

  Chart run() {
    ChartBox title;
    title.text = cut(flow_.title(), width_);
    title.width = std::max(1, text_width(title.text));
    title.glow = Glow::lit;
    title.y = row_++;
    chart_.boxes.push_back(std::move(title));
    add(flow_.start(), 0, "");
    chart_.style = ChartStyle::list;
    chart_.height = row_;
    for (const ChartBox& box : chart_.boxes) chart_.width = std::max(chart_.width, box.x + box.width);
    return std::move(chart_);
  }

 private:
  void add(const std::string& id, int depth, const std::string& prefix) {
    // Deep trees stay readable in a narrow window: the indentation stops growing.
    const int x = std::min(depth * 3, std::max(0, (width_ - 20) / 3 * 3));
    const Question* question = flow_.question(id);
    const Leaf* leaf = flow_.leaf(id);
    const bool again = !seen_.insert(id).second;
    ChartBox box;
    box.id = again ? "" : id;
    box.leaf = leaf != nullptr;
    box.x = x;
    box.y = row_++;
    const std::string text = question == nullptr ? leaf->title
                             : again             ? "go to " + question->label
                                                 : text_of(*question);
    if (!again && question != nullptr) box.mark = light_.mark(id);
    box.width = std::max(
        1, std::min(width_ - x, text_width(prefix + text) + (question != nullptr && !again ? kMark : 0)));
    box.text = cut(prefix + text, box.width - (box.mark.empty() ? 0 : kMark));
    box.glow = again ? Glow::dim : light_.box(id);
    chart_.boxes.push_back(box);
    if (again || question == nullptr) return;
    branch(*question, true, x, box.y, depth);
    branch(*question, false, x, box.y, depth);
  }

  void branch(const Question& question, bool yes, int x, int y, int depth) {
    const std::string& to = yes ? question.yes : question.no;
    const int below = row_;
    add(to, depth + 1, yes ? "yes  " : "no   ");
    const ChartBox* child = nullptr;
    for (const ChartBox& box : chart_.boxes) {
      if (box.y == below) child = &box;
    }
    // Where the indentation has stopped there is no room for a line.
    if (child == nullptr || child->x < x + 3) return;
    ChartLine line{
        question.id, to, yes, {{x + 1, y + 1}, {x + 1, below}, {x + 2, below}}, light_.line(question.id, yes),
        "",          {}};
    line.points = simplified(line.points);
    chart_.lines.push_back(std::move(line));
  }

  const Flowchart& flow_;
  Light light_;
  int width_;
  int row_ = 0;
  Chart chart_;
  std::set<std::string> seen_;
};

}  // namespace

const ChartBox* Chart::box(std::string_view id) const {
  const auto found =
      std::find_if(boxes.begin(), boxes.end(), [&](const ChartBox& box) { return box.id == id; });
  return found == boxes.end() ? nullptr : &*found;
}

Chart layout_chart(const Walk& walk, int width, ChartStyle style, const Flowchart* words) {
  const Flowchart& flow = words != nullptr ? *words : walk.chart();
  const bool framed =
      style == ChartStyle::framed || (style == ChartStyle::automatic && width >= kFramedWidth);
  if (framed) {
    if (auto chart = draw_tree(walk, flow, width, true)) return std::move(*chart);
  }
  if (style != ChartStyle::list) {
    if (auto chart = draw_tree(walk, flow, width, false)) return std::move(*chart);
  }
  return Lister(walk, flow, std::max(width, 1)).run();
}

int text_width(std::string_view text) {
  int width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Decoded one = decode_utf8(text, at);
    width += width_of(one.code);
    at += one.length;
  }
  return width;
}

}  // namespace tessera::guide
