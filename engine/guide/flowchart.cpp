#include "engine/guide/flowchart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "engine/guide/glossary.hpp"
#include "engine/sharing/read_yaml.hpp"
#include "engine/text.hpp"

namespace tessera::guide {

namespace {

constexpr std::size_t kMaxQuestions = 64;
constexpr std::size_t kMaxLeaves = 32;
constexpr std::size_t kMaxId = 64;
constexpr std::size_t kMaxLabel = 12;
constexpr std::size_t kMaxShort = 40;

constexpr std::array<Strategy, 5> kLeafStrategies{Strategy::mig, Strategy::vgpu, Strategy::mps,
                                                  Strategy::time_slicing, Strategy::whole};

std::optional<Strategy> parse_strategy(std::string_view text) {
  for (Strategy strategy : kLeafStrategies) {
    if (word(strategy) == text) return strategy;
  }
  return std::nullopt;
}

Question read_question(FieldReader& in, const Yaml& yaml) {
  Question question;
  question.line = yaml.line;
  if (!in.map(yaml, "question", {"id", "label", "short", "ask", "why", "yes", "no"})) return question;
  question.id = in.text(yaml, "id", kMaxId);
  question.label = in.text(yaml, "label", kMaxLabel);
  question.short_text = in.text(yaml, "short", kMaxShort);
  question.ask = in.text(yaml, "ask");
  question.why = in.text(yaml, "why");
  question.yes = in.text(yaml, "yes", kMaxId);
  question.no = in.text(yaml, "no", kMaxId);
  return question;
}

Leaf read_leaf(FieldReader& in, const Yaml& yaml) {
  Leaf leaf;
  leaf.line = yaml.line;
  if (!in.map(yaml, "leaf",
              {"id", "strategy", "title", "summary", "meaning", "fits", "memory", "errors", "latency",
               "price"})) {
    return leaf;
  }
  leaf.id = in.text(yaml, "id", kMaxId);
  const std::string strategy = in.text(yaml, "strategy", kMaxId);
  leaf.title = in.text(yaml, "title", kMaxShort);
  leaf.summary = in.text(yaml, "summary", 200);
  leaf.meaning = in.text(yaml, "meaning");
  leaf.fits = in.text(yaml, "fits");
  leaf.memory = in.text(yaml, "memory");
  leaf.errors = in.text(yaml, "errors");
  leaf.latency = in.text(yaml, "latency");
  leaf.price = in.optional_text(yaml, "price");
  if (in.failed()) return leaf;
  if (const auto parsed = parse_strategy(strategy)) {
    leaf.strategy = *parsed;
  } else {
    in.fail(yaml.find("strategy")->line, fmt::format("strategy: \"{}\" is not known", strategy),
            "known here: mig, vgpu, mps, time-slicing, whole");
  }
  return leaf;
}

void check_ids(FieldReader& in, const Flowchart& chart) {
  std::set<std::string> ids, labels;
  for (const Question& question : chart.questions()) {
    if (!ids.insert(question.id).second) {
      in.fail(question.line, fmt::format("id \"{}\" is listed twice", question.id));
    }
    if (!labels.insert(lower(question.label)).second) {
      in.fail(question.line, fmt::format("label \"{}\" is listed twice", question.label));
    }
  }
  for (const Leaf& leaf : chart.leaves()) {
    if (!ids.insert(leaf.id).second) in.fail(leaf.line, fmt::format("id \"{}\" is listed twice", leaf.id));
  }
}

void check_edges(FieldReader& in, const Flowchart& chart, int start_line) {
  const auto known = [&](const std::string& id) {
    return chart.question(id) != nullptr || chart.leaf(id) != nullptr;
  };
  if (chart.question(chart.start()) == nullptr) {
    in.fail(start_line, fmt::format("start: there is no question \"{}\"", chart.start()));
  }
  for (const Question& question : chart.questions()) {
    for (const std::string* target : {&question.yes, &question.no}) {
      if (known(*target)) continue;
      in.fail(question.line, fmt::format("\"{}\" leads to \"{}\", which is not there", question.id, *target));
    }
    if (question.yes == question.no) {
      in.fail(question.line, fmt::format("yes and no of \"{}\" lead to the same place", question.id));
    }
  }
}

// Depth first, so that the question which closes a cycle can be named. Bounded by kMaxQuestions.
class Wander {
 public:
  Wander(FieldReader& in, const Flowchart& chart) : in_(in), chart_(chart) {}

  void from(const std::string& id) {
    const Question* question = chart_.question(id);
    if (question == nullptr) {
      seen_.insert(id);
      return;
    }
    if (!seen_.insert(id).second) return;
    open_.insert(id);
    for (const std::string* target : {&question->yes, &question->no}) {
      if (open_.count(*target) > 0) {
        in_.fail(question->line, fmt::format("\"{}\" leads back to \"{}\": a cycle", id, *target));
      } else {
        from(*target);
      }
    }
    open_.erase(id);
  }
  bool seen(const std::string& id) const { return seen_.count(id) > 0; }

 private:
  FieldReader& in_;
  const Flowchart& chart_;
  std::set<std::string> seen_, open_;
};

void check_reach(FieldReader& in, const Flowchart& chart) {
  Wander wander(in, chart);
  wander.from(chart.start());
  for (const Question& question : chart.questions()) {
    if (!wander.seen(question.id)) {
      in.fail(question.line, fmt::format("question \"{}\" cannot be reached", question.id));
    }
  }
  for (const Leaf& leaf : chart.leaves()) {
    if (!wander.seen(leaf.id)) in.fail(leaf.line, fmt::format("leaf \"{}\" cannot be reached", leaf.id));
  }
}

// Columns of a box that a question's or leaf's text, frame and mark need; nullopt: there is no such id.
std::optional<int> needed_width(const Flowchart& chart, const std::string& id) {
  if (const Question* question = chart.question(id))
    return text_width(text_of(*question)) + kMarkWidth + kFrameWidth;
  if (const Leaf* leaf = chart.leaf(id)) return text_width(leaf->title) + kFrameWidth;
  return std::nullopt;
}

void check_boxes(FieldReader& in, const Flowchart& chart, const Picture& picture, int line) {
  std::set<std::string> drawn;
  for (const Picture::Box& box : picture.boxes) {
    const std::optional<int> needed = needed_width(chart, box.id);
    if (!needed) return in.fail(line, fmt::format("picture: there is no question or leaf \"{}\"", box.id));
    if (!drawn.insert(box.id).second)
      return in.fail(line, fmt::format("picture: \"{}\" stands twice", box.id));
    if (box.width < *needed)
      return in.fail(line, fmt::format("picture: the box of \"{}\" has {} columns, and its text needs {}",
                                       box.id, box.width, *needed));
  }
  if (drawn.size() != chart.questions().size() + chart.leaves().size())
    in.fail(line, "picture: not every question and leaf stands in it");
}

// Each line joins what the data joins, and no other is drawn.
void check_lines(FieldReader& in, const Flowchart& chart, const Picture& picture, int line) {
  std::set<std::pair<std::string, bool>> drawn;
  for (const Picture::Line& one : picture.lines) {
    const Question* from = chart.question(one.from);
    const char* way = one.yes ? "yes" : "no";
    if (from == nullptr || one.to != (one.yes ? from->yes : from->no))
      return in.fail(line, fmt::format("picture: {} of \"{}\" leads to \"{}\" there", way, one.from, one.to));
    if (!drawn.insert({one.from, one.yes}).second)
      return in.fail(line, fmt::format("picture: {} of \"{}\" is drawn twice", way, one.from));
  }
  if (drawn.size() != 2 * chart.questions().size())
    in.fail(line, "picture: yes or no of a question is not drawn");
}

std::optional<Picture> read_picture(FieldReader& in, const Flowchart& chart, const Yaml& yaml) {
  Result<Picture> picture = parse_picture(yaml.scalar);
  if (!picture) {
    in.fail(yaml.line, "picture: " + picture.error().reason);
    return std::nullopt;
  }
  check_boxes(in, chart, *picture, yaml.line);
  if (!in.failed()) check_lines(in, chart, *picture, yaml.line);
  return std::move(*picture);
}

}  // namespace

std::string text_of(const Question& question) { return question.label + " " + question.short_text; }

Result<Flowchart> Flowchart::parse(std::string_view text, std::string_view file) {
  Result<Yaml> root = parse_yaml(text, file);
  if (!root) return root.error();
  FieldReader in("cannot read the flowchart", file);
  Flowchart chart;
  if (in.map(*root, "flowchart", {"title", "start", "picture", "questions", "leaves"})) {
    chart.title_ = in.text(*root, "title", kMaxShort);
    chart.start_ = in.text(*root, "start", kMaxId);
    for (const Yaml& yaml : in.list(*root, "questions", kMaxQuestions)) {
      chart.questions_.push_back(read_question(in, yaml));
    }
    for (const Yaml& yaml : in.list(*root, "leaves", kMaxLeaves)) {
      chart.leaves_.push_back(read_leaf(in, yaml));
    }
  }
  if (!in.failed()) check_ids(in, chart);
  if (!in.failed()) check_edges(in, chart, root->find("start")->line);
  if (!in.failed()) check_reach(in, chart);
  const Yaml* picture = root->find("picture");
  if (!in.failed() && picture != nullptr) chart.picture_ = read_picture(in, chart, *picture);
  if (in.failed()) return *in.error();
  return chart;
}

Result<Flowchart> Flowchart::built_in(std::string_view language) {
  auto file = built_in_file("flowchart", language);
  return file ? parse(file->text, file->name) : Result<Flowchart>(file.error());
}

const Question* Flowchart::question(std::string_view id) const {
  const auto found = std::find_if(questions_.begin(), questions_.end(),
                                  [&](const Question& question) { return question.id == id; });
  return found == questions_.end() ? nullptr : &*found;
}

const Question* Flowchart::find_question(std::string_view text) const {
  const std::string folded = lower(text);
  const auto found = std::find_if(questions_.begin(), questions_.end(), [&](const Question& question) {
    return lower(question.id) == folded || lower(question.label) == folded;
  });
  return found == questions_.end() ? nullptr : &*found;
}

const Leaf* Flowchart::leaf(std::string_view id) const {
  const auto found =
      std::find_if(leaves_.begin(), leaves_.end(), [&](const Leaf& leaf) { return leaf.id == id; });
  return found == leaves_.end() ? nullptr : &*found;
}

std::vector<std::string> tradeoffs(const Leaf& leaf) {
  std::vector<std::string> all{"Memory: " + leaf.memory, "Errors: " + leaf.errors,
                               "Latency: " + leaf.latency};
  if (!leaf.price.empty()) all.push_back("Price: " + leaf.price);
  return all;
}

}  // namespace tessera::guide
