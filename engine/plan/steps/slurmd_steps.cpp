#include "engine/plan/steps/slurmd_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "engine/operators/operator_setup.hpp"
#include "engine/plan/steps/operator_builder.hpp"
#include "engine/sharing/platform.hpp"

namespace tessera::plan {
namespace {

using operators::SlurmdPod;
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

SlurmdPods simulated_slurmd(const Node& node) {
  const auto told = sharing::label(node, kSimulatedSlurmd);
  if (!told) return {};
  std::istringstream words{std::string(*told)};
  std::string pod, resource;
  std::int64_t count = 0;
  if (!(words >> pod)) return {};
  SlurmdPod one;
  one.slurm_node = one.node = node.name.text;
  one.node_set = pod.substr(pod.find('/') + 1);
  if (words >> resource >> count) one.requests[resource] = count;
  return {{pod, one}};
}

}  // namespace

SlurmdPods slurmd_pods_on(const NodeChange& change) {
  SlurmdPods here;
  if (!change.scope) return here;
  if (change.can.dialect == Dialect::direct) return simulated_slurmd(change.node);
  if (!change.can.gpu_operator) return here;
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
  const bool real = change.can.dialect != Dialect::direct;  // a simulated slurmd registers what it finds
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
    else if (real)
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
  if (!here.empty() && !left_alone && real)
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

std::string planned_on_its_machine(const HostPod& pod) {
  return fmt::format(
      "its slurmd runs in pod {} (Slinky): Kubernetes hands out its GPUs, and slurm-operator its Gres=. "
      "Plan on the Kubernetes node that has the pod: that plan drains both, waits for Slurm's jobs, and ends "
      "none (tessera nodes shows both names)",
      pod.workload().text);
}

// Without an end of its own: jobs may run for days.
Step await_slurm_step(const ChangeOptions& options, Conditions guarded) {
  Step step;
  step.action = LookOnly{};
  step.before = std::move(guarded);
  step.after = {WordIs{std::string(words::kSlurmWork), ""}};
  step.deadline = options.wait.value_or(Duration{0});
  step.look_every = seconds(5);
  step.not_before = options.at;
  return step;
}

std::vector<Step> stop_slurmd_steps(const SlurmdPods& pods, const Conditions& guarded) {
  std::vector<Step> steps;
  for (const auto& [id, pod] : pods) {
    Step& step = steps.emplace_back();
    step.action = Special{std::string(verbs::kStopSlurmd), {{"pod", id}, {"slurm_node", pod.slurm_node}}};
    step.before = guarded;
    step.before.push_back(WordIs{std::string(words::kSlurmWork), ""});
    step.after = {WorkloadAway{WorkloadId(id)}};
    step.deadline = minutes(10);
    step.look_every = seconds(2);
    step.retry = kFewRetry;
    step.undo = "its NodeSet starts it again once the node is open";
  }
  return steps;
}

bool starts_again(const SlurmdPods& pods) {
  return std::any_of(pods.begin(), pods.end(), [](const auto& one) { return one.second.stays; });
}

Step await_slurmd_step() {
  Step back;
  back.action = LookOnly{};
  back.before = {Answering{}, MarkIsOurs{}};
  back.after = {WordIs{std::string(words::kSlurmBack), ""}};
  back.deadline = minutes(10);
  back.look_every = seconds(2);
  back.retry = kFewRetry;
  return back;
}

bool is_closed_by_another(const NodeFacts& facts) {
  return facts.closed && (!facts.closed_as || !facts.mark || facts.closed_as->run != facts.mark->run);
}

void OperatorBuilder::await_slurm() {
  if (slurmd_.empty()) return;
  Step& step = steps_.emplace_back(await_slurm_step(change_.intent.options, guarded()));
  step.commands = {fmt::format(
      "kubectl get pods --all-namespaces --field-selector spec.nodeName={} --output yaml  # conditions "
      "SlurmNodeState...",
      node_)};
}

void OperatorBuilder::stop_slurmd() {
  for (Step& step : stop_slurmd_steps(slurmd_, guarded())) {
    step.commands =
        commands_for(step.action, change_.node.name, Dialect::gpu_operator, Scheduler::kubernetes, nullptr);
    steps_.push_back(std::move(step));
  }
}

std::vector<Step> OperatorBuilder::release() const {
  std::vector<Step> steps = operator_release(change_.node.name, proof());
  if (!starts_again(slurmd_)) return steps;
  Step back = await_slurmd_step();
  back.commands = {fmt::format("kubectl get pods --all-namespaces --field-selector spec.nodeName={}", node_)};
  steps.insert(steps.begin() + 1, std::move(back));
  return steps;
}

}  // namespace tessera::plan
