#include "engine/plan/condition.hpp"

#include <fmt/format.h>

#include <array>

#include "engine/plan/effect/observed.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/plan/node_reboot.hpp"
#include "engine/plan/words/slurm_words.hpp"

namespace tessera::plan {
namespace {

using Why = std::optional<std::string>;

class Judge {
 public:
  Judge(const NodeFacts& facts, std::string_view run) : facts_(facts), run_(run) {}

  Why operator()(const Answering&) const {
    if (!facts_.known) return "the cluster does not list this node any more";
    if (!facts_.answering) return "the node does not answer";
    return std::nullopt;
  }
  Why operator()(const MarkIsOurs&) const {
    if (ours(facts_.mark, run_)) return std::nullopt;
    return facts_.mark ? "marked by " + to_text(*facts_.mark) : "tessera's mark is not on the node";
  }
  Why operator()(const NoForeignMark&) const {
    if (!facts_.mark || ours(facts_.mark, run_)) return std::nullopt;
    return fmt::format("run {} by {} from {} is changing this node", facts_.mark->run, facts_.mark->who,
                       facts_.mark->from);
  }
  Why operator()(const NotMarkedByUs&) const {
    return ours(facts_.mark, run_) ? Why("the mark of this run is still on the node") : std::nullopt;
  }
  Why operator()(const NodeClosed&) const {
    return facts_.closed ? std::nullopt : Why("the node is open to new workloads");
  }
  Why operator()(const NotClosedByUs&) const {
    return facts_.closed && ours(facts_.closed_as, run_) ? Why("still closed by this run") : std::nullopt;
  }
  Why operator()(const ScopeEmpty& empty) const { return why_busy(facts_, empty.scope); }
  Why operator()(const WorkloadAway& away) const {
    for (const Workload& one : facts_.workloads)
      if (one.id == away.workload && one.state != WorkloadState::ended)
        return fmt::format("{} is still {}", one.id.text,
                           one.state == WorkloadState::completing ? "completing" : "running");
    return std::nullopt;
  }
  Why operator()(const InstancesStand& wanted) const {
    if (Why why = boards_untold()) return why;
    const Gpu* gpu = find_gpu(facts_.node, wanted.gpu);
    if (!gpu) return no_board(wanted.gpu);
    for (const InstanceAt& one : wanted.instances)
      if (!find_instance(*gpu, one))
        return fmt::format("GPU {}: {} is not there", wanted.gpu.value, to_text(one));
    return std::nullopt;
  }
  Why operator()(const InstancesGone& gone) const {
    if (Why why = boards_untold()) return why;
    const Gpu* gpu = find_gpu(facts_.node, gone.gpu);
    if (!gpu) return no_board(gone.gpu);
    for (const InstanceAt& one : gone.instances)
      if (find_instance(*gpu, one))
        return fmt::format("GPU {}: {} still exists", gone.gpu.value, to_text(one));
    return std::nullopt;
  }
  Why operator()(const LayoutIs& layout) const {
    if (Why why = boards_untold()) return why;
    const Gpu* gpu = find_gpu(facts_.node, layout.gpu);
    if (!gpu) return no_board(layout.gpu);
    std::vector<InstanceAt> now = instances_of(*gpu);
    if (same_layout(now, layout.instances, layout.placed)) return std::nullopt;
    return fmt::format("GPU {} has {}, not {}", layout.gpu.value, to_text(now), to_text(layout.instances));
  }
  Why operator()(const ModeIs& mode) const {
    if (Why why = boards_untold()) return why;
    for (GpuIndex index : mode.gpus) {
      const Gpu* gpu = find_gpu(facts_.node, index);
      if (!gpu) return no_board(index);
      if (Why why = wrong_mode(*gpu, mode)) return why;
    }
    return std::nullopt;
  }
  Why operator()(const SharingIs& sharing) const {
    for (GpuIndex index : sharing.gpus) {
      const Gpu* gpu = find_gpu(facts_.node, index);
      if (!gpu) return no_board(index);
      if (Why why = wrong_sharing(*gpu, sharing)) return why;
    }
    return std::nullopt;
  }
  Why operator()(const Advertises& wanted) const {
    for (const auto& [resource, count] : wanted.counts) {
      auto it = facts_.advertised.find(resource);
      std::int64_t now = it == facts_.advertised.end() ? 0 : it->second;
      if (now != count) return fmt::format("{} is {}, not {}", resource, now, count);
    }
    return std::nullopt;
  }
  Why operator()(const WordIs& wanted) const {
    if (facts_.left_out.contains(wanted.key)) return fmt::format("{} was not read", wanted.key);
    if (wanted.key == kClosedWord || wanted.key == kClosedForWord) return wrong_closing(wanted);
    if (wanted.key == kDownWord) return wrong_down(wanted);
    if (wanted.key == reboots::kWord) return wrong_reboot(wanted);
    if (auto reboot = parse_reboot_word(wanted.key)) return plan::unmet(*reboot, wanted.value, facts_, run_);
    auto it = facts_.words.find(wanted.key);
    if (it != facts_.words.end() && it->second == wanted.value) return std::nullopt;
    if (wanted.value.empty() && it == facts_.words.end()) return fmt::format("{} is not known", wanted.key);
    // A word that is to be empty says itself what is wrong; a label's value says nothing without its name.
    const bool label = wanted.key.find('.') != std::string::npos && wanted.key.find(' ') == std::string::npos;
    if (wanted.value.empty() && !label) return it->second;
    bool unset = it == facts_.words.end() || it->second.empty();
    return fmt::format("{} is {}, not {}", wanted.key, unset ? "not set" : it->second,
                       wanted.value.empty() ? "empty" : wanted.value);
  }

 private:
  Why wrong_closing(const WordIs& wanted) const {
    auto now = facts_.words.find(wanted.key);
    const std::string& node = facts_.node.name.text;
    if (now == facts_.words.end()) return fmt::format("whether {} is closed is not known", node);
    if (now->second == wanted.value) return std::nullopt;
    const std::string reason = closed_reason(facts_);
    if (reason.empty()) return fmt::format("{} is open to new workloads", node);
    const std::string by = facts_.closed_by.empty() ? "another user" : facts_.closed_by;
    return fmt::format("{} is closed by {}: {}", node, by, reason);
  }
  Why wrong_down(const WordIs& wanted) const {
    auto now = facts_.words.find(wanted.key);
    const std::string& node = facts_.node.name.text;
    if (now == facts_.words.end()) return fmt::format("whether {} is DOWN is not known", node);
    if (now->second == wanted.value) return std::nullopt;
    if (now->second.empty()) return fmt::format("{} is no longer DOWN, or does not answer", node);
    return fmt::format("{} is DOWN: {}", node, now->second);
  }
  Why wrong_reboot(const WordIs& wanted) const {
    auto now = facts_.words.find(wanted.key);
    const std::string& node = facts_.node.name.text;
    if (now == facts_.words.end()) return fmt::format("whether {} is to reboot is not known", node);
    if (now->second == wanted.value) return std::nullopt;
    if (now->second.empty()) return fmt::format("no reboot of {} is noted any more", node);
    return now->second == "issued" ? fmt::format("the reboot of {} has begun", node)
                                   : fmt::format("a reboot of {} is noted", node);
  }
  // The scheduler lists GPUs without their instances: none there would pass for none left.
  Why boards_untold() const {
    auto told = facts_.words.find(std::string(slurm::key::kDriver));
    if (told == facts_.words.end() || told->second.empty()) return std::nullopt;
    return told->second;
  }
  static Why no_board(GpuIndex gpu) { return fmt::format("GPU {} is not listed", gpu.value); }

  static Why wrong_mode(const Gpu& gpu, const ModeIs& mode) {
    MigMode now = mode_of(gpu);
    MigMode pending = mode.mig ? MigMode::enable_pending : MigMode::disable_pending;
    if (now == (mode.mig ? MigMode::enabled : MigMode::disabled)) return std::nullopt;
    if (mode.pending && now == pending) return std::nullopt;
    return fmt::format("GPU {}: MIG is {}", gpu.index.value, word(now));
  }
  static Why wrong_sharing(const Gpu& gpu, const SharingIs& wanted) {
    if (gpu.strategy != wanted.strategy)
      return fmt::format("GPU {} is {}, not {}", gpu.index.value, word(gpu.strategy), word(wanted.strategy));
    int replicas = replicas_of(gpu);
    if (wanted.strategy != Strategy::whole && replicas != wanted.replicas)
      return fmt::format("GPU {} offers {}, not {}", gpu.index.value, replicas, wanted.replicas);
    if (wanted.strategy == Strategy::vgpu && vgpu_of(gpu) != wanted.vgpu)
      return fmt::format("GPU {} offers {}, not {}", gpu.index.value, vgpu_of(gpu).text, wanted.vgpu.text);
    return std::nullopt;
  }

  const NodeFacts& facts_;
  std::string_view run_;
};

}  // namespace

std::string_view word(const Condition& condition) {
  static constexpr std::array<std::string_view, std::variant_size_v<Condition>> kWords = {
      "answering",        "mark-is-ours", "no-foreign-mark", "not-marked-by-us", "node-closed",
      "not-closed-by-us", "scope-empty",  "workload-away",   "instances-stand",  "instances-gone",
      "layout-is",        "mode-is",      "sharing-is",      "advertises",       "word-is"};
  return kWords[condition.index()];
}

std::optional<std::string> unmet(const Condition& condition, const NodeFacts& facts, std::string_view run) {
  return std::visit(Judge(facts, run), condition);
}

std::optional<Unmet> first_unmet(const Conditions& conditions, const NodeFacts& facts, std::string_view run) {
  for (std::size_t i = 0; i < conditions.size(); ++i)
    if (auto why = unmet(conditions[i], facts, run)) return Unmet{i, std::move(*why)};
  return std::nullopt;
}

bool may_pass(const Condition& condition) {
  if (const auto* said = std::get_if<WordIs>(&condition)) return said->passes;
  return std::holds_alternative<Answering>(condition) || std::holds_alternative<ScopeEmpty>(condition) ||
         std::holds_alternative<WorkloadAway>(condition) || std::holds_alternative<Advertises>(condition);
}

}  // namespace tessera::plan
