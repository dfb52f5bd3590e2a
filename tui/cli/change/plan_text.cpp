#include "tui/cli/change/plan_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/hostlist.hpp"
#include "engine/plan/notices.hpp"
#include "engine/plan/run/run.hpp"
#include "engine/plan/steps/steps.hpp"
#include "engine/plan/words/as_run.hpp"
#include "engine/query/value.hpp"
#include "engine/text.hpp"
#include "engine/text_bounds.hpp"
#include "engine/time.hpp"
#include "tui/cli/change/alike.hpp"
#include "tui/cli/help/help.hpp"
#include "tui/cli/table_text.hpp"
#include "tui/plan_phrases.hpp"
#include "tui/terminal/canvas.hpp"

namespace tessera::cli {
namespace {

using plan::Disturbed;
using plan::Plan;

constexpr int kNameWidth = 16;

std::string short_text(std::string_view text, int width = kNameWidth) {
  return tui::shorten(clean(text, 200), width);
}

// Wrapped at 80 columns behind a label: "  stays     GPU 0  …".
std::string labelled(std::string_view label, std::string_view text) {
  constexpr std::size_t kIndent = 12;
  std::string lines = wrapped(text, kIndent);
  if (lines.empty()) return "";
  std::string lead = fmt::format("  {:<9} ", label);
  return lead + lines.substr(std::min(lead.size(), kIndent));
}

std::string slice_name(const plan::SlicePlan& slice, const std::map<WorkloadId, std::string>& users) {
  std::string text = tui::slice_text(slice, "×");
  if (!slice.held) return text;
  std::string who;
  for (const WorkloadId& id : slice.holders) {
    auto user = users.find(id);
    std::string name = user == users.end() ? id.text : user->second;
    if (who.find(name) == std::string::npos) who += (who.empty() ? "" : ",") + name;
  }
  return text + "(" + (who.empty() ? "held" : short_text(who)) + ")";
}

// GPUs that read the same share a line: "GPU 0-3  1g.10gb@0(alice) 2g.20gb@2".
std::string slice_lines(std::string_view label, const std::vector<plan::SlicePlan>& slices,
                        const std::map<WorkloadId, std::string>& users) {
  std::map<GpuIndex, std::string> boards;
  for (const plan::SlicePlan& slice : slices) boards[slice.gpu] += " " + slice_name(slice, users);
  std::string lines;
  for (const auto& [gpus, text] : plan::boards_alike({boards.begin(), boards.end()}))
    lines += labelled(lines.empty() ? label : "", gpus + ":" + text);
  return lines;
}

std::map<WorkloadId, std::string> users_of(const plan::NodePlan& node) {
  std::map<WorkloadId, std::string> users;
  for (const Disturbed& one : node.blast_radius)
    if (!one.user.empty()) users[one.id] = one.user;
  return users;
}

// What is ordered there, where something carries that out by itself.
std::string order_lines(const plan::NodePlan& node) {
  std::string text;
  for (const auto& [key, value] : node.ordered_after) {
    auto found = node.ordered_before.find(key);
    const std::string before = found == node.ordered_before.end() ? "" : found->second;
    if (before == value) continue;
    auto shown = [](const std::string& one) { return one.empty() ? "none" : clean(one, 64); };
    text += labelled("orders", fmt::format("{}: {} → {}", key, shown(before), shown(value)));
  }
  return text;
}

std::string slices_part(const plan::Plan& plan, const plan::NodePlan& node, const tui::WordsPtr& words) {
  std::map<WorkloadId, std::string> users = users_of(node);
  std::string text;
  text += slice_lines("stays", node.kept, users);
  text += slice_lines("goes", node.destroyed, users);
  text += slice_lines("is made", tui::made_slices(plan, node), users);
  text += order_lines(node);
  if (node.steps.empty() && plan.no_steps.empty())
    text += labelled("changes", tui::told(words, "nothing: already in that state"));
  return text + labelled("needs",
                         tui::told(words, tui::needs_list(node.needs, "closing the node to new workloads")));
}

// Whether it starts again by itself once it has ended.
std::string restart_text(const Disturbed& one) {
  if (one.hit == plan::Hit::unknown || !one.restartable) return "?";
  return *one.restartable ? "yes" : "no";
}

// What a job loses elsewhere with what it holds here.
std::string extents_part(const Plan& plan, const tui::WordsPtr& words) {
  std::set<WorkloadId> told;
  std::string text;
  for (const plan::NodePlan& node : plan.nodes)
    for (const Disturbed& one : node.blast_radius) {
      if (one.nodes < 2 || !told.insert(one.id).second) continue;
      std::string line =
          fmt::format("{} holds {} GPUs or slices on {} nodes", tui::name_text(one), one.gpus, one.nodes);
      if (one.gpu_hours) line += fmt::format(", {:.1f} GPU-hours so far", *one.gpu_hours);
      text += wrapped(tui::told(words, clean(line, kWholeText)), 0);
    }
  return text;
}

std::string disturbed_part(const Plan& plan, const tui::WordsPtr& words) {
  Grid grid;
  grid.heads = {{"", "WORK", {}},    {"", "USER", {}},     {"", "NAME", {}}, {"", "RUNNING", {}},
                {"", "HAPPENS", {}}, {"", "RESTARTS", {}}, {"", "WHERE", {}}};
  for (const plan::NodePlan& node : plan.nodes) {
    for (const Disturbed& one : node.blast_radius) {
      std::string where = one.slices.empty() ? one.unasked : one.slices.front();
      if (one.slices.size() > 1) where += fmt::format(" +{}", one.slices.size() - 1);
      if (plan.nodes.size() > 1) where = node.node.text + " " + where;
      std::string running = "?";
      if (one.running) running = query::duration_text(one.running->count() / 1000);
      grid.rows.push_back({short_text(tui::name_text(one), 22), short_text(one.user, 10),
                           short_text(one.name, 12), running,
                           tui::told(words, tui::fate_text(one, plan.intent.options.way)), restart_text(one),
                           short_text(where, 22)});
    }
  }
  if (grid.rows.empty()) return tui::told(words, "No workload is disturbed.") + "\n";
  return wrapped(tui::told(words, "WILL BE DISTURBED: " + tui::disturbs_text(plan)), 0) +
         to_table(grid, true) + extents_part(plan, words);
}

// A plan that can only be reviewed offers nothing else afterwards.
std::string resources_part(const Plan& plan) {
  if (!plan.no_steps.empty()) return "";
  Grid grid;
  grid.heads = {
      {"", "RESOURCES", {}}, {"", "BEFORE", query::Align::right}, {"", "AFTER", query::Align::right}};
  const plan::Counts& after = plan.offered_after.by(plan.scheduler);
  for (const auto& [resource, count] : plan.offered_before.by(plan.scheduler)) {
    auto then = after.find(resource);
    grid.rows.push_back({clean(resource, 200), std::to_string(count),
                         then == after.end() ? "0" : std::to_string(then->second)});
  }
  for (const tui::SwitchLine& one : tui::switch_lines(plan))
    grid.rows.push_back({one.name, one.before, one.after});
  return grid.rows.empty() ? "" : to_table(grid, true) + "\n";
}

std::string pending_line(const std::string& what, int count, const std::vector<plan::PendingEffect>& some,
                         const tui::WordsPtr& words) {
  if (count == 0) return "";
  std::string text = fmt::format("{}: {}", tui::told(words, what), count);
  for (std::size_t i = 0; i < some.size() && i < 3; ++i)
    text += fmt::format("{} {} {} ({})", i == 0 ? ";" : ",", some[i].id.text, some[i].user,
                        some[i].remark.empty() ? some[i].request : tui::told(words, some[i].remark));
  return wrapped(clean(text, kWholeText), 0);
}

// That another has closed a node, before all that the plan would do to it.
std::string closed_part(const Plan& plan, const tui::WordsPtr& words) {
  std::string text;
  for (const auto& [notice, nodes] : tui::told_once(plan.notices, plan.nodes.size() > 1)) {
    if (!plan::is_about_closing(*notice)) continue;
    const std::string& where = nodes.empty() ? notice->node.text : nodes;
    text += wrapped(clean(fmt::format("!! {}: {}", where, tui::told(words, notice->text)), kWholeText), 0);
  }
  return text;
}

// One line a rule and text; nodes of which the same is said share it.
std::string notice_lines(const std::vector<plan::Notice>& notices, bool broken, bool name_nodes,
                         const tui::WordsPtr& words) {
  std::string text;
  for (const auto& [notice, nodes] : tui::told_once(notices, name_nodes)) {
    if (plan::is_about_closing(*notice)) continue;
    bool warns = notice->severity == Severity::warning || notice->severity == Severity::danger;
    const char* lead = broken ? "RULE BROKEN" : warns ? "warning" : "note";
    std::string where = nodes.empty() ? "" : nodes + ": ";
    text +=
        wrapped(clean(fmt::format("{} {}: {}{}", lead, notice->rule, where, tui::told(words, notice->text)),
                      kWholeText),
                0);
  }
  return text;
}

std::string notices_part(const Plan& plan, const tui::WordsPtr& words) {
  bool several = plan.nodes.size() > 1;
  std::string text = notice_lines(plan.violations, true, several, words);
  text += notice_lines(plan.notices, false, several, words);
  if (!plan.no_steps.empty()) return text.empty() ? "" : text + "\n";
  text += pending_line("waiting workloads that would never start", plan.never_again_count, plan.never_again,
                       words);
  text +=
      pending_line("waiting workloads that will be able to start", plan.will_run_count, plan.will_run, words);
  return text.empty() ? "" : text + "\n";
}

std::string deadline_text(Duration deadline) {
  return deadline.count() == 0 ? "as long as it takes" : query::duration_text(deadline.count() / 1000);
}

// Equal steps on several GPUs are one line, as in the console, with the commands of each below it.
std::string steps_part(const Plan& plan, const plan::NodePlan& node, const tui::WordsPtr& words) {
  const std::vector<plan::Step> steps = plan::steps_as_run(plan, node);
  const std::vector<tui::StepGroup> groups = tui::folded(steps);
  int numbers = 3;  // cells
  for (const tui::StepGroup& group : groups)
    numbers = std::max(numbers, tui::display_width(tui::numbers_text(group)));
  std::string text;
  for (const tui::StepGroup& group : groups) {
    std::string when = tui::told(words, deadline_text(group.all.deadline));
    const int room = 75 - numbers - tui::display_width(when);
    std::string title = tui::shorten(clean(tui::told(words, group.all.title), 300), room);
    std::string blanks(static_cast<std::size_t>(std::max(2, room + 2 - tui::display_width(title))), ' ');
    text += fmt::format("{:>{}}{} {}{}{}\n", tui::numbers_text(group), numbers,
                        group.all.disturbs ? "!" : " ", title, blanks, when);
    for (std::size_t i = group.first; i < group.first + group.count; ++i) {
      const std::size_t typed = tui::typed_lines(steps[i]);
      for (std::size_t line = 0; line < steps[i].commands.size(); ++line)
        text += (line < typed ? "     $ " : "       ") + clean(steps[i].commands[line], kWholeText) + "\n";
    }
  }
  return text;
}

// Nodes of which the same is planned, wrapped: "n[01-20] (20 nodes)".
std::string names_of(const AlikeNodes& group, const tui::WordsPtr& words) {
  const std::string names = clean(fold_for_reading(group.names), 2000);
  if (group.names.size() == 1) return names;
  return tui::told(words, fmt::format("{} ({} nodes)", names, group.names.size()));
}

std::string node_line(const AlikeNodes& group, const tui::WordsPtr& words) {
  const plan::NodePlan& node = *group.first;
  const std::string names = fold_for_reading(group.names);
  const std::size_t kept = node.kept.size(), destroyed = node.destroyed.size(), made = node.created.size(),
                    disturbed = node.blast_radius.size(), steps = node.steps.size();
  const std::string text =
      group.names.size() == 1
          ? fmt::format("{}: {} slices stay, {} go, {} are made; {} disturbed; {} steps", names, kept,
                        destroyed, made, disturbed, steps)
          : fmt::format("{} ({} nodes), each: {} slices stay, {} go, {} are made; {} disturbed; {} steps",
                        names, group.names.size(), kept, destroyed, made, disturbed, steps);
  return wrapped(clean(tui::told(words, text), 2000), 0);
}

// Of the first node of a group, whose commands name it.
std::string steps_heading(const Plan& plan, const AlikeNodes& group, const tui::WordsPtr& words) {
  if (plan.nodes.size() == 1) return "STEPS\n";
  const std::string first = clean(group.first->node.text, 200);
  if (group.names.size() == 1) return tui::told(words, "STEPS on " + first) + "\n";
  return wrapped(tui::told(words, fmt::format("STEPS on {}, and in the same way on all of {}", first,
                                              clean(fold_for_reading(group.names), 2000))),
                 0);
}

std::string head_line(const Plan& plan, const tui::WordsPtr& words) {
  const std::string text =
      fmt::format("plan {} of {}: {}, for {} node{}", plan.id, plan.intent.cluster.text, plan.intent.words,
                  plan.nodes.size(), plan.nodes.size() == 1 ? "" : "s");
  return wrapped(tui::told(words, clean(text, 1000)), 0);
}

// First: what follows would be, and is not going to.
std::string refused_part(const Plan& plan, const tui::WordsPtr& words) {
  if (plan.no_steps.empty()) return "";
  return tui::told(words, "This plan can only be reviewed") + ":\n" +
         wrapped(clean(tui::told(words, plan.no_steps), kWholeText) + ".", 0);
}

// When it acts, where that is not at once.
std::string patience_part(const Plan& plan, const tui::WordsPtr& words) {
  const plan::ChangeOptions& options = plan.intent.options;
  std::string text;
  if (options.at) text += fmt::format("Starts no earlier than {}. ", utc_text(*options.at));
  if (options.when_empty) text += "Starts once no job or pod uses what changes. ";
  if (options.at || options.when_empty)
    text += "Until then the node is closed and the run is parked: tessera resume --due resumes it.";
  return wrapped(tui::told(words, text), 0);
}

}  // namespace

std::string preview(const Plan& plan, std::size_t in_full, const tui::WordsPtr& words) {
  const auto shown = [&](const plan::NodePlan& node) { return slices_part(plan, node, words); };
  const std::vector<AlikeNodes> groups = alike(plan, shown);
  std::string text = head_line(plan, words) + refused_part(plan, words) + closed_part(plan, words) + "\n";
  for (std::size_t i = 0; i < groups.size(); ++i)
    text += i < in_full ? wrapped(names_of(groups[i], words), 0) + shown(*groups[i].first) + "\n"
                        : node_line(groups[i], words);
  if (groups.size() > in_full) text += "\n";
  text += disturbed_part(plan, words) + "\n" + resources_part(plan) + notices_part(plan, words);
  for (std::size_t i = 0; i < groups.size() && i < in_full; ++i) {
    if (groups[i].first->steps.empty()) continue;
    text += i > 0 ? "\n" : "";
    text += steps_heading(plan, groups[i], words) + steps_part(plan, *groups[i].first, words);
  }
  if (groups.size() > in_full)
    text += "\n" + tui::told(words, "The steps of the other nodes are in the plan as JSON.") + "\n";
  if (std::string patience = patience_part(plan, words); !patience.empty()) text += "\n" + patience;
  return text;
}

std::string moved_text(const std::vector<plan::Moved>& moved, const tui::WordsPtr& words) {
  std::string text = tui::told(words, "Since the plan was made") + ":\n";
  for (const plan::Moved& one : moved) {
    const char* harmless = one.harmless ? " (no reason to refuse)" : "";
    text += wrapped(clean(one.node.text + ": " + tui::told(words, one.text + harmless), kWholeText), 2);
  }
  return text;
}

std::string messages_text(const Plan& plan) {
  std::string text;
  for (const plan::Message& message : plan::messages(plan)) {
    text += (text.empty() ? "" : "\n") + fmt::format("--- to {}\n", clean(message.user, 200));
    // The text is several lines: only what is inside each of them could be hostile.
    for (std::string_view rest = message.text; !rest.empty();) {
      std::size_t end = std::min(rest.find('\n'), rest.size());
      text += clean(rest.substr(0, end)) + "\n";
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return text.empty() ? "No workload is disturbed: there is no message to send.\n" : text;
}

}  // namespace tessera::cli
