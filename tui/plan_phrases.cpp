#include "tui/plan_phrases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "engine/hostlist.hpp"
#include "engine/plan/steps/steps.hpp"
#include "tui/language/words.hpp"

namespace tessera::tui {
namespace {

using namespace plan;

std::string number_text(int count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

// Few are named, since they are who will be asked.
std::string owners_text(const std::set<std::string>& owners) {
  constexpr std::size_t kOwnersNamed = 3;
  if (owners.empty()) return "unknown owners";
  if (owners.size() > kOwnersNamed) return fmt::format("{} owners", owners.size());
  return fmt::format("{}", fmt::join(owners, ", "));
}

}  // namespace

std::string fate_text(const Disturbed& one, Way way) {
  if (one.stays && !one.unasked.empty()) return "left alone";
  if (one.stays || one.hit == Hit::unknown || way == Way::wait) return "waited for";
  if (way == Way::cancel) return std::string(N_("WILL END"));
  const std::string sent_away(one.kind == WorkloadKind::pod ? N_("evicted") : N_("requeues"));
  if (!one.restartable) return sent_away + " ?";
  return *one.restartable ? sent_away : "waited for";
}

std::string name_text(const Disturbed& one) {
  if (one.id.empty()) return "unknown client";
  return std::string(word(one.kind)) + " " + one.id.text;
}

std::string disturbs_text(const Plan& plan) {
  std::set<std::string> owners;
  // One workload may be hit on several nodes.
  std::map<std::string_view, std::pair<int, std::optional<double>>> extents;
  int unknown = 0;
  for (const NodePlan& node : plan.nodes)
    for (const Disturbed& one : node.blast_radius) {
      if (one.id.empty()) {
        ++unknown;
        continue;
      }
      if (!one.user.empty()) owners.insert(one.user);
      extents[one.id.text] = {one.gpus, one.gpu_hours};
    }
  if (extents.empty() && unknown == 0) return "no workload";
  int gpus = 0;
  double hours = 0;
  bool known = true;
  for (const auto& [id, extent] : extents) {
    gpus += extent.first, hours += extent.second.value_or(0);
    known = known && extent.second;
  }
  std::string text;
  if (!extents.empty()) {
    text = number_text(static_cast<int>(extents.size()), plan.scheduler == Scheduler::slurm ? "job" : "pod",
                       plan.scheduler == Scheduler::slurm ? "jobs" : "pods");
    text += " of " + owners_text(owners);
    text += ", " + number_text(gpus, "GPU or slice", "GPUs or slices");
    if (known && hours >= 1) text += fmt::format(", {:.0f} GPU-hours so far", std::floor(hours));
  }
  if (unknown > 0)
    text += (text.empty() ? "" : ", and ") + number_text(unknown, "unknown client", "unknown clients");
  return text;
}

std::string needs_list(const Needs& needs, std::string_view closing) {
  std::string text;
  auto add = [&](bool needed, std::string_view what) {
    if (needed) text += (text.empty() ? "" : ", ") + std::string(what);
  };
  add(needs.drain, closing);
  add(needs.mode_change, "a MIG mode change");
  add(needs.reset, "a GPU reset");
  return text;
}

std::vector<SlicePlan> made_slices(const Plan& plan, const NodePlan& node) {
  std::vector<SlicePlan> made = node.created;
  if (!plan.capabilities.chooses_placement)
    for (SlicePlan& slice : made) slice.at.reset();
  return made;
}

std::string slice_text(const SlicePlan& slice, std::string_view times) {
  std::string text(slice.profile.empty() ? word(slice.kind) : std::string_view(slice.profile.text));
  if (slice.at) text += fmt::format("@{}", slice.at->start);
  if (slice.capacity > 1) text += fmt::format("{}{}", times, slice.capacity);
  return text;
}

std::size_t typed_lines(const plan::Step& step) {
  if (!step.commands.empty() && step.commands.front().starts_with("--- ")) return 0;
  std::size_t typed = 0;
  while (typed < step.commands.size() && !step.commands[typed++].ends_with("<<'END'")) {
  }
  return typed;
}

namespace {

// "true", "false", "mixed", or "-" where nothing is handed out in shares.
template <class Member>
std::string switch_word(const plan::Plan& plan, std::optional<plan::Switches> plan::NodePlan::*when,
                        Member is_on) {
  std::string text;
  for (const plan::NodePlan& node : plan.nodes) {
    const std::optional<plan::Switches>& switches = node.*when;
    if (!switches) continue;
    const std::string own = *switches.*is_on ? "true" : "false";
    if (!text.empty() && text != own) return "mixed";
    text = own;
  }
  return text.empty() ? "-" : text;
}

}  // namespace

std::vector<SwitchLine> switch_lines(const plan::Plan& plan) {
  std::vector<SwitchLine> lines;
  for (auto [name, is_on] : {std::pair("renameByDefault", &plan::Switches::rename),
                             std::pair("failRequestsGreaterThanOne", &plan::Switches::refuse_several)}) {
    SwitchLine line{name, switch_word(plan, &plan::NodePlan::switches_before, is_on),
                    switch_word(plan, &plan::NodePlan::switches_after, is_on)};
    if (line.before != "-" || line.after != "-") lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<NoticeLine> told_once(const std::vector<plan::Notice>& notices, bool several_nodes) {
  std::vector<NoticeLine> lines;
  std::vector<std::vector<std::string>> nodes;
  std::unordered_map<std::string_view, std::vector<std::size_t>>
      by_text;  // into lines: notices of many nodes
  for (const plan::Notice& one : notices) {
    std::vector<std::size_t>& alike = by_text[one.text];
    auto same = std::find_if(alike.begin(), alike.end(), [&](std::size_t at) {
      return lines[at].notice->rule == one.rule && lines[at].notice->node.empty() == one.node.empty();
    });
    if (same == alike.end()) {
      same = alike.insert(alike.end(), lines.size());
      lines.push_back({&one, ""});
      nodes.emplace_back();
    }
    nodes[*same].push_back(one.node.text);
  }
  for (std::size_t i = 0; several_nodes && i < lines.size(); ++i) lines[i].nodes = fold_for_reading(nodes[i]);
  return lines;
}

namespace {

// "create 3g.40gb@4" of "GPU 3: create 3g.40gb@4", with the GPU's number; nullopt: it is about something
// else.
std::optional<std::pair<GpuIndex, std::string>> of_one_gpu(const std::string& title) {
  constexpr std::string_view kStart = "GPU ";
  const std::size_t colon = title.find(": ");
  if (!title.starts_with(kStart) || colon == std::string::npos) return std::nullopt;
  int index = 0;
  const char *from = title.data() + kStart.size(), *to = title.data() + colon;
  if (auto read = std::from_chars(from, to, index); read.ec != std::errc{} || read.ptr != to)
    return std::nullopt;
  return std::pair(GpuIndex{index}, title.substr(colon));
}

void join_step(StepGroup& group, const plan::Step& more) {
  ++group.count;
  plan::Step& all = group.all;
  all.commands.insert(all.commands.end(), more.commands.begin(), more.commands.end());
  all.after.insert(all.after.end(), more.after.begin(), more.after.end());
  if (!more.undo.empty() && more.undo != all.undo) all.undo += "; " + more.undo;
  all.disturbs = all.disturbs || more.disturbs;
}

}  // namespace

std::vector<StepGroup> folded(const std::vector<plan::Step>& steps) {
  std::vector<StepGroup> groups;
  std::vector<GpuIndex> gpus;
  std::string rest;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    auto one = of_one_gpu(steps[i].title);
    if (one && !groups.empty() && !rest.empty() && one->second == rest) {
      join_step(groups.back(), steps[i]);
      gpus.push_back(one->first);
      groups.back().all.title = boards_text(gpus) + rest;
      continue;
    }
    groups.push_back({i, 1, steps[i]});
    gpus.clear();
    rest.clear();
    if (one) gpus.push_back(one->first), rest = one->second;
  }
  return groups;
}

std::string numbers_text(const StepGroup& group) {
  const std::size_t first = group.first + 1;
  return group.count == 1 ? std::to_string(first) : fmt::format("{}-{}", first, group.first + group.count);
}

}  // namespace tessera::tui
