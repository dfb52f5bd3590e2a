#include "backends/record/stood_still.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "backends/record/each_line.hpp"
#include "backends/record/line_times.hpp"
#include "backends/record/reader.hpp"

namespace tessera::record {
namespace {

bool tells_no_event(std::string_view line) {
  const std::string_view kind = Reader::kind_of(line);
  return kind == "figures" || kind == "own" || kind == "processes" || kind == "idle";
}

// As much of it as the entry of a job or pod there has.
Node in_short(const Node& node) {
  Node few;
  few.name = node.name, few.model = node.model;
  if (node.gpus.empty()) return few;
  Gpu& first = few.gpus.emplace_back();
  first.index = node.gpus.front().index;
  first.model = node.gpus.front().model, first.product = node.gpus.front().product;
  return few;
}

}  // namespace

// nullopt: the line is about no job, pod or node, or about one that is always wanted: tasks of an array
// ("19_[5-6]") stand for each other, and a line that another hand wrote may say anything.
std::optional<StoodStill::About> StoodStill::about(std::string_view line) {
  struct Form {
    std::string_view begin;
    bool is_node, gone;
  };
  constexpr Form kForms[] = {{R"("kind":"workload","workload":{"id":")", false, false},
                             {R"("kind":"node","node":{"name":")", true, false},
                             {R"("kind":"gone","workload":")", false, true},
                             {R"("kind":"gone","node":")", true, true}};
  constexpr std::string_view kAt = "{\"at\":\"";
  const std::size_t end = line.starts_with(kAt) ? line.find('"', kAt.size()) : std::string_view::npos;
  if (end == std::string_view::npos || end + 2 > line.size()) return std::nullopt;
  const std::string_view untimed = line.substr(end + 2);
  const auto* form = std::find_if(std::begin(kForms), std::end(kForms),
                                  [&](const Form& one) { return untimed.starts_with(one.begin); });
  if (form == std::end(kForms)) return std::nullopt;
  const std::string_view behind = untimed.substr(form->begin.size());
  const std::size_t quote = behind.find('"');
  if (quote == std::string_view::npos) return std::nullopt;
  const std::string_view id = behind.substr(0, quote);
  if (id.find_first_of(form->is_node ? "\\" : "\\_") != std::string_view::npos) return std::nullopt;
  return About{id, untimed, form->is_node, form->gone};
}

StoodStill::StoodStill(std::string_view before, std::string_view next, TimePoint until, const Nodes& then) {
  constexpr std::size_t kUsualLine = 512;
  of_work_.reserve(before.size() / kUsualLine);
  const std::vector<Seen> of_before = look_at(before), of_next = look_at(next, until);
  if (!backwards_) find_nodes(then);
  for (const auto& [seen, wanted] : {std::pair(&of_before, &before_), std::pair(&of_next, &next_)})
    for (const Seen& one : *seen)
      if (backwards_ || !one.told || !one.told->stands()) wanted->push_back(one.line);
}

std::vector<StoodStill::Seen> StoodStill::look_at(std::string_view before) {
  std::vector<Seen> seen;
  LineTimes times;
  std::optional<TimePoint> round;
  const auto begin = Reader::time_of(before);
  each_line(before, [&](std::string_view line) {
    const auto at = times.of(line);
    const bool back = at && round && *at < *round;
    if (at && !back) round = at;
    // Whoever reads it stops there.
    backwards_ = backwards_ || back;
    if (!back && tells_no_event(line)) return true;
    const auto one = about(line);
    Told* told = one ? &told_of(*one) : nullptr;
    if (told) told->before += one->gone || at != begin ? 2 : 1, told->line = one->line;
    seen.push_back({line, told});
    return true;
  });
  return seen;
}

std::vector<StoodStill::Seen> StoodStill::look_at(std::string_view next, TimePoint until) {
  std::vector<Seen> seen;
  LineTimes times;
  each_line(next, [&](std::string_view line) {
    const auto at = times.of(line);
    const bool later = at && *at > until;
    const auto one = about(line);
    Told* told = one ? &told_of(*one) : nullptr;
    if (later) {
      // From there on a moment may have another node than the key frame told.
      if (told && one->is_node) told->next += 2;
      return true;
    }
    if (told) told->next += told->line == one->line ? 1 : 2;
    if (told || !tells_no_event(line)) seen.push_back({line, told});
    return true;
  });
  return seen;
}

void StoodStill::find_nodes(const Nodes& then) {
  for (auto& [id, told] : of_nodes_) {
    if (!told.stands()) continue;
    if (const Node* node = then.find(NodeName(std::string(id))))
      nodes_.push_back(in_short(*node));
    else
      ++told.next;
  }
  std::sort(nodes_.begin(), nodes_.end(), [](const Node& a, const Node& b) { return a.name < b.name; });
}

}  // namespace tessera::record
