#include "engine/guide/chart/chart.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "engine/text.hpp"

namespace tessera::guide {

namespace {

constexpr int kFramedWidth = 100;  // a terminal narrower than this gets one-line boxes
constexpr int kTitleFrame = 4;     // "( " and " )"

std::string cut(std::string_view text, int width) {
  if (text_width(text) <= width) return std::string(text);
  std::string out;
  int used = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Decoded one = decode_utf8(text, at);
    if (used + text_width(text.substr(at, one.length)) > width - 1) break;
    used += text_width(text.substr(at, one.length));
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
    const WalkStep* taken = step(from);
    return taken != nullptr && taken->yes == yes ? Glow::lit : Glow::dim;
  }
  std::string mark(const std::string& id) const {
    if (const WalkStep* taken = step(id)) return taken->yes ? "yes" : "no";
    return walk_.current() != nullptr && walk_.current()->id == id ? "?" : "";
  }

 private:
  const WalkStep* step(const std::string& id) const {
    const auto& path = walk_.path();
    const auto found =
        std::find_if(path.begin(), path.end(), [&](const WalkStep& one) { return one.question == id; });
    return found == path.end() ? nullptr : &*found;
  }
  const Walk& walk_;
};

// Whose text stands in a leaf's box is centred there: the box has room for every language.
ChartBox box_for(const Flowchart& flow, const Picture::Box& place, const Light& light, bool framed) {
  ChartBox box;
  box.id = place.id;
  box.x = place.x;
  box.width = place.width;
  box.height = framed ? 3 : 1;
  box.glow = light.box(place.id);
  if (const Question* question = flow.question(place.id)) {
    box.text = text_of(*question);
    box.mark = light.mark(place.id);
    return box;
  }
  box.leaf = true;
  box.text = flow.leaf(place.id)->title;
  const int width = text_width(box.text) + (framed ? kFrameWidth : kFrameWidth / 2);
  box.x += (place.width - width) / 2;
  box.width = width;
  return box;
}

// Where each row of the picture stands: a framed box is three rows high and carries the names of its ports,
// which take a row of their own below a box of one line.
std::vector<int> rows_of(const Picture& picture, bool framed) {
  std::vector<int> tops;
  int y = 1;  // the title stands above
  for (Picture::Row row : picture.rows) {
    tops.push_back(y);
    const int boxes = framed ? 3 : 1, ports = framed ? 0 : 1;
    y += row == Picture::Row::boxes ? boxes : row == Picture::Row::ports ? ports : 1;
  }
  tops.push_back(y);
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

ChartLine line_for(const Picture::Line& drawn, const std::vector<int>& tops, const Light& light,
                   bool framed) {
  ChartLine line;
  line.from = drawn.from, line.to = drawn.to, line.yes = drawn.yes;
  for (const ChartPoint& point : drawn.points) {
    const ChartPoint at{point.x, tops[static_cast<std::size_t>(point.y)]};
    if (line.points.empty() || line.points.back() != at) line.points.push_back(at);
  }
  line.glow = light.line(drawn.from, drawn.yes);
  line.label = drawn.yes ? "yes" : "no";
  line.label_at = {line.points.front().x + 1, line.points.front().y - (framed ? 1 : 0)};
  return line;
}

// nullopt: there is no picture, it is too wide, or a text is (a translation's, that no one has held against
// it).
std::optional<Chart> draw_picture(const Walk& walk, const Flowchart& flow, int width, bool framed) {
  const std::optional<Picture>& picture = walk.chart().picture();
  if (!picture || picture->width > width) return std::nullopt;
  const Light light(walk);
  const std::vector<int> tops = rows_of(*picture, framed);
  Chart chart;
  for (const Picture::Box& place : picture->boxes) {
    ChartBox box = box_for(flow, place, light, framed);
    const int mark = box.leaf ? 0 : kMarkWidth;
    if (box.x < place.x || text_width(box.text) + mark + kFrameWidth > place.width) return std::nullopt;
    box.y = tops[static_cast<std::size_t>(place.row)];
    chart.boxes.push_back(std::move(box));
  }
  for (const Picture::Line& drawn : picture->lines)
    chart.lines.push_back(line_for(drawn, tops, light, framed));
  chart.style = framed ? ChartStyle::framed : ChartStyle::compact;
  chart.width = picture->width;
  chart.height = tops.back();
  add_title(chart, flow, width);
  return chart;
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
    box.width = std::max(1, std::min(width_ - x, text_width(prefix + text) +
                                                     (question != nullptr && !again ? kMarkWidth : 0)));
    box.text = cut(prefix + text, box.width - (box.mark.empty() ? 0 : kMarkWidth));
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
    if (line.points[0] == line.points[1]) line.points.erase(line.points.begin());
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
    if (auto chart = draw_picture(walk, flow, width, true)) return std::move(*chart);
  }
  if (style != ChartStyle::list) {
    if (auto chart = draw_picture(walk, flow, width, false)) return std::move(*chart);
  }
  return Lister(walk, flow, std::max(width, 1)).run();
}

}  // namespace tessera::guide
