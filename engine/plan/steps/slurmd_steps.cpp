#include "engine/plan/steps/slurmd_steps.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/operators/operator_setup.hpp"
#include "engine/plan/steps/operator_builder.hpp"
#include "engine/sharing/platform.hpp"

namespace tessera::plan {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

// What the node offers afterwards of each resource that the pod asks for is less than that.
std::string not_offered(const operators::SlurmdPod& pod, const Offered& after) {
  std::string text;
  for (const auto& [resource, count] : pod.requests) {
    auto offered = after.kubernetes.find(resource);
    const std::int64_t there = offered == after.kubernetes.end() ? 0 : offered->second;
    if (there < count) text += fmt::format("{}{} of {} {}", text.empty() ? "" : ", ", there, count, resource);
  }
  return text;
}

}  // namespace

SlurmdPods slurmd_pods_on(const NodeChange& change) {
  SlurmdPods here;
  if (!change.can.gpu_operator || !change.scope) return here;
  for (const auto& [id, pod] : change.can.gpu_operator->slurmd_pods)
    if (pod.node == change.node.name.text) here.emplace(id, pod);
  return here;
}

std::vector<Notice> slurmd_notices(const NodeChange& change) {
  std::vector<Notice> notices;
  const NodeName& node = change.node.name;
  const auto say = [&](Severity severity, const char* rule, std::string text) {
    notices.push_back({severity, rule, node, std::move(text)});
  };
  const SlurmdPods here = slurmd_pods_on(change);
  for (const auto& [id, pod] : here) {
    say(Severity::info, "slinky",
        fmt::format(
            "pod {} runs slurmd of Slurm node {}: slurm-operator drains it in Slurm when this node is "
            "cordoned, and opens it again. The run waits until no job is there, whatever it does about "
            "pods: it ends none",
            id, pod.slurm_node));
    if (std::string lacks = not_offered(pod, change.after); !lacks.empty())
      say(Severity::warning, "slinky-request",
          fmt::format(
              "pod {} would not start again: the node would offer {}. Let the NodeSet {} ask for what "
              "this layout offers, with Gres= in its extraConf, once the GPUs are cut",
              id, lacks, pod.node_set));
    else
      say(Severity::info, "slinky-gres",
          fmt::format("Slurm hands out what Gres= in the extraConf of NodeSet {} names, whatever the layout: "
                      "let it name what {} has afterwards",
                      pod.node_set, pod.slurm_node));
    if (!pod.stays)
      say(Severity::info, "slinky-placement",
          fmt::format(
              "pod {} may start on another node meanwhile (scalingMode StatefulSet): the run does not "
              "wait until slurmd is back",
              id));
  }
  const bool left_alone = sharing::label(change.node, operators::kSentinelManaged) == "false";
  if (!here.empty() && !left_alone)
    say(Severity::warning, "nvsentinel",
        fmt::format("where NVSentinel watches this cluster, it may take the drain for a failure, evict and "
                    "reboot: label the node first, {}=false, and remove the label afterwards",
                    operators::kSentinelManaged));
  return notices;
}

void OperatorBuilder::tell_slurm() {
  if (slurmd_.empty()) return;
  const std::string& words = change_.intent.words;
  Step& step = add(special(verbs::kTellSlurm, {{"words", words.empty() ? "GPU layout change" : words}}));
  step.before = {Answering{}, MarkIsOurs{}};
  step.after = {says(words::kSlurmReason, "")};
}

// Without an end of its own: jobs may run for days.
void OperatorBuilder::await_slurm() {
  if (slurmd_.empty()) return;
  Step& step = add(LookOnly{}, {fmt::format("kubectl get pods --all-namespaces --field-selector "
                                            "spec.nodeName={} --output yaml  # conditions SlurmNodeState...",
                                            node_)});
  step.before = guarded();
  step.after = {says(words::kSlurmWork, "")};
  step.deadline = change_.intent.options.wait.value_or(Duration{0});
  step.look_every = seconds(5);
  step.not_before = change_.intent.options.at;
  step.retry = {};
}

void OperatorBuilder::stop_slurmd() {
  for (const auto& [id, pod] : slurmd_) {
    Step& step = add(special(verbs::kStopSlurmd, {{"pod", id}, {"slurm_node", pod.slurm_node}}));
    step.before = guarded();
    step.before.push_back(says(words::kSlurmWork, ""));
    step.after = {WorkloadAway{WorkloadId(id)}};
    step.deadline = minutes(10);
    step.look_every = seconds(2);
    step.undo = "its NodeSet starts it again once the node is open";
  }
}

std::vector<Step> OperatorBuilder::release() const {
  std::vector<Step> steps = operator_release(change_.node.name, proof());
  const bool waits =
      std::any_of(slurmd_.begin(), slurmd_.end(), [](const auto& one) { return one.second.stays; });
  if (!waits) return steps;
  Step back = operator_step(LookOnly{}, {fmt::format("kubectl get pods --all-namespaces --field-selector "
                                                     "spec.nodeName={}",
                                                     node_)});
  back.before = {Answering{}, MarkIsOurs{}};
  back.after = {says(words::kSlurmBack, "")};
  back.deadline = minutes(10);
  back.look_every = seconds(2);
  steps.insert(steps.begin() + 1, std::move(back));
  return steps;
}

}  // namespace tessera::plan
