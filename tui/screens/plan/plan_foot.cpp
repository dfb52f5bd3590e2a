#include <fmt/core.h>

#include <charconv>

#include "engine/plan/words/as_run.hpp"
#include "tui/plan_phrases.hpp"
#include "tui/screens/column_ranks.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/plan/plan.hpp"
#include "tui/screens/plan/plan_stops.hpp"
#include "tui/screens/plan/plan_words.hpp"

namespace tessera::tui {
namespace {

constexpr std::size_t kMostCommands = 6;
constexpr std::size_t kMostOfCommand = 3;  // lines

class Foot {
 public:
  Foot(const UiState& state, int width) : state_(state), width_(width) {}
  void add(std::string_view label, std::string_view text, Style style = {}) {
    bool first = true;
    for (std::string& line : wrap(told(state_, text), width_ - 13)) {
      lines.push_back({{{first ? told(state_, label) : "", Role::dim, 1}, {std::move(line), style, 12}}, {}});
      first = false;
    }
  }
  Document lines;

 private:
  const UiState& state_;
  int width_;
};

Document step_foot(const StepGroup& group, std::size_t count, int width, const UiState& state) {
  const plan::Step& step = group.all;
  Foot foot(state, width);
  std::string facts = fmt::format("{}/{}", numbers_text(group), count);  // the same in every language
  facts += step.deadline.count() > 0 ? ", deadline " + deadline_text(step.deadline) : ", as long as it takes";
  if (step.retry.times > 0) facts += fmt::format(", up to {} attempts", step.retry.times + 1);
  if (step.disturbs) facts += ", workloads end or restart by it";
  foot.add("step", told(state, step.title) + "  (" + told(state, facts) + ")", Style(Role::text).with_bold());
  const std::size_t all_typed = typed_lines(step);
  for (std::size_t i = 0; i < step.commands.size() && i < kMostCommands; ++i) {
    const bool typed = i < all_typed;
    // What is written into a file stands as it does there.
    std::vector<std::string> lines =
        typed ? wrap(step.commands[i], width - 15) : std::vector<std::string>{step.commands[i]};
    keep_lines(lines, kMostOfCommand);
    for (std::size_t k = 0; k < lines.size(); ++k)
      foot.lines.push_back(
          {{{i + k == 0 ? told(state, fmt::format("{} copies", first_key(state, Action::copy))) : "",
             Role::dim, 1},
            {typed && k == 0 ? "$ " : "  ", Role::dim, 12},
            {std::move(lines[k]), typed ? Role::accent : Role::text}},
           {}});
  }
  if (step.commands.size() > kMostCommands)
    foot.lines.push_back(
        {{{told(state, fmt::format("and {} more", step.commands.size() - kMostCommands)), Role::dim, 12}},
         {}});
  if (step.commands.empty())
    foot.add("",
             std::holds_alternative<plan::LookOnly>(step.action)
                 ? "no command: this step changes nothing and waits until its condition holds"
                 : "no command to type: tessera does this by itself",
             Role::dim);
  foot.add("seen after", seen_text(step.after));
  if (!step.undo.empty()) foot.add("undo", step.undo, Role::dim);
  return std::move(foot.lines);
}

Document work_foot(const plan::Disturbed& one, const plan::NodePlan& node, plan::Way way, int width,
                   const UiState& state) {
  Foot foot(state, width);
  std::string text = name_text(one);
  if (!one.name.empty() && !repeats_id(one.id.text, one.name)) text += " " + one.name;
  if (!one.user.empty()) text += " of " + one.user;
  foot.add("workload", text + ", on " + node.node.text, Style(Role::text).with_bold());
  std::string holds;
  for (const std::string& slice : one.slices) holds += (holds.empty() ? "" : ", ") + slice;
  if (holds.empty()) holds = "no slice here";
  if (one.hit == plan::Hit::in_the_way) holds += "; none of it changes, but it cannot be spared";
  if (one.hit == plan::Hit::unasked)
    holds += one.unasked.empty() ? "; what it asked for is not reported"
                                 : "; it never asked for a GPU and reaches them: " + one.unasked;
  foot.add("holds", holds);
  std::string extent = one.nodes > 1   ? fmt::format("{} GPUs or slices on {} nodes", one.gpus, one.nodes)
                       : one.gpus == 1 ? "1 GPU or slice on this node alone"
                                       : fmt::format("{} GPUs or slices on this node alone", one.gpus);
  if (one.gpu_hours) extent += fmt::format(", {:.1f} GPU-hours so far", *one.gpu_hours);
  foot.add("in total", extent);
  std::string fate = "the run waits until it ends by itself";
  if (one.hit != plan::Hit::unknown && way == plan::Way::cancel) fate = "it is ended";
  if (one.hit != plan::Hit::unknown && way == plan::Way::requeue && one.restartable != false)
    fate = one.restartable ? "it is stopped and restarts" : "it is stopped; whether it restarts is not known";
  if (one.restartable == false && way == plan::Way::requeue) fate = "it cannot start again, so " + fate;
  if (one.stays)
    fate = one.unasked.empty() ? "it would be started there again at once: the run waits until its "
                                 "controller keeps it off the node"
                               : "it would be started there again at once: it is left alone";
  foot.add("what then", fate);
  return std::move(foot.lines);
}

}  // namespace

std::string id_of(char kind, const std::string& rest) { return std::string(1, kind) + '\x1f' + rest; }

// The number in an id of that kind; nullopt: it is of another.
std::optional<std::size_t> index_in(char kind, const std::string& id) {
  if (id.size() < 3 || id[0] != kind || id[1] != '\x1f') return std::nullopt;
  std::size_t value = 0;
  if (std::from_chars(id.data() + 2, id.data() + id.size(), value).ec != std::errc{}) return std::nullopt;
  return value;
}

const plan::NodePlan* shown_node(const PlanView& view) {
  return view.node < view.plan.nodes.size() ? &view.plan.nodes[view.node] : nullptr;
}

std::optional<plan::Step> step_under(const PlanView& view, const std::string& stop) {
  const plan::NodePlan* node = shown_node(view);
  const auto index = index_in('s', stop);
  if (!node || !index) return std::nullopt;
  for (StepGroup& group : folded(plan::steps_as_run(view.plan, *node)))
    if (*index >= group.first && *index < group.first + group.count) return std::move(group.all);
  return std::nullopt;
}

std::optional<std::size_t> node_under(const std::string& stop) { return index_in('d', stop); }

Document plan_foot(const UiState& state, const std::string& stop, int width) {
  const PlanView& view = *state.plan;
  const plan::NodePlan* shown = shown_node(view);
  if (auto index = index_in('s', stop); index && shown)
    for (const StepGroup& group : folded(plan::steps_as_run(view.plan, *shown)))
      if (*index >= group.first && *index < group.first + group.count)
        return step_foot(group, shown->steps.size(), width, state);
  if (!stop.starts_with("w\x1f")) return {};
  for (const plan::NodePlan& node : view.plan.nodes)
    for (const plan::Disturbed& one : node.blast_radius)
      if (!one.id.empty() && stop == id_of('w', one.id.text + '\x1f' + node.node.text))
        return work_foot(one, node, view.plan.intent.options.way, width, state);
  return {};
}

}  // namespace tessera::tui
