#include "engine/guide/proposals/ways.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/guide/questions.hpp"
#include "engine/sharing/ack.hpp"

namespace tessera::guide {

namespace {

using sharing::Platform;

constexpr std::array<std::string_view, 3> kOnward{"plan", "command", "elsewhere"};

// A limit that is broken, and the way around it.
struct Around {
  std::string_view limit;
  Onward onward;
  std::string_view text;
};
constexpr std::array<Around, 6> kAround{{
    {"mig-platform", Onward::elsewhere,
     "Answer Q2 with no: Q5 leads on to MPS or time-slicing, which Slurm offers here. HyperPod with EKS "
     "supports MIG."},
    {"mig-product", Onward::elsewhere, "Answer Q1 with no: Q3 and Q5 lead on to vGPU, MPS or time-slicing."},
    {"mig-driver", Onward::elsewhere,
     "Update the driver first, or answer Q2 with no: Q5 leads on to MPS or time-slicing."},
    {"vgpu-licence", Onward::elsewhere,
     "Answer Q4 with no: Q5 leads on to MPS or time-slicing, which need none."},
    {"mps-mig", Onward::plan,
     "The plan of a layout below switches MIG off first; time-slicing goes with MIG on: answer Q5 with no."},
    {"slice-driver", Onward::plan,
     "Leave the length of a turn as it is: time-slicing itself works with every driver."},
}};

constexpr std::string_view kAckNoMig =
    "ACK's own device plugin makes no MIG slices: plans are refused on its pools, unless the GPU operator "
    "manages the nodes. Answer Q2 with no and Q5 with yes: MPS divides and isolates the memory of a pool's "
    "GPUs.";
constexpr std::string_view kAckNoTurns =
    "ACK's own device plugin shares memory by MPS and offers no time-slicing: plans are refused on its "
    "pools, "
    "unless the GPU operator manages the nodes. Answer Q5 with yes: MPS divides the memory of a pool's GPUs.";
constexpr std::string_view kSlurmNoVgpu =
    "Slurm makes no vGPUs: whoever runs the hypervisor divides the GPUs, and the virtual machines join Slurm "
    "as nodes with ordinary GPUs. To share among Slurm's jobs on this node, answer Q4 with no: Q5 leads on "
    "to "
    "MPS or shards.";
constexpr std::string_view kNoVgpu =
    "This platform offers no vGPU: its nodes are its own virtual machines. Answer Q4 with no: Q5 leads on to "
    "MPS or time-slicing.";
constexpr std::string_view kWholeGpus =
    "The new pool shares whole GPUs: leave gpu-partition-size out. Time-sharing goes with MIG as well: "
    "answer "
    "Q5 with no.";
constexpr std::string_view kNotByVgpu = "Answer Q4 with no: Q5 leads on to MPS or time-slicing.";
constexpr std::string_view kServeKubernetes =
    "To try vGPUs without a cluster: tessera-sim serve --kubernetes plays the GPU operator and KubeVirt.";
constexpr std::string_view kNoLayout =
    "No MIG layout is known for this GPU on this platform. Answer Q2 with no: Q5 leads on to MPS or "
    "time-slicing.";
constexpr std::string_view kHandType =
    "Only the hypervisor knows which types of vGPU this GPU has: look them up with the command below, then "
    "give one to tessera plan --strategy vgpu --vgpu TYPE.";
constexpr std::string_view kPoolFixes =
    "The platform decides this when it makes a node pool: make another pool with the command below, and move "
    "the work there.";

// The tree has the questions that the texts name.
bool has_our_questions(const Flowchart& chart) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kOurs{{{"mig-capable", "Q1"},
                                                                                {"isolation", "Q2"},
                                                                                {"virtualised", "Q3"},
                                                                                {"licence", "Q4"},
                                                                                {"cooperative", "Q5"}}};
  return std::all_of(kOurs.begin(), kOurs.end(), [&](const auto& ours) {
    const Question* question = chart.question(ours.first);
    return question != nullptr && question->label == ours.second;
  });
}

// Whether ACK's own plugin hands out these GPUs. Nodes that are in no cluster: as ACK's are by default.
bool acks_own(const Scope& scope) {
  return scope.nodes.empty() || std::any_of(scope.nodes.begin(), scope.nodes.end(),
                                            [](const Node* node) { return sharing::ack::decides(*node); });
}

bool pool_fixes(Strategy leaf, Platform platform) {
  return platform == Platform::gke || (platform == Platform::aks && leaf == Strategy::mig);
}

// Why the backend would refuse a plan for vGPUs; empty: it would not.
std::string why_no_vgpu(const Scope& scope) {
  if (scope.cluster == nullptr) return {};
  return plan::why_not_offered(scope.can ? *scope.can : plan::presumed_capabilities(*scope.cluster),
                               Strategy::vgpu);
}

Ways vgpu_ways(Platform platform, const Scope& scope, const std::vector<Proposal>& proposals) {
  if (platform == Platform::slurm) return {Onward::command, {std::string(kSlurmNoVgpu)}};
  // Whoever runs the hypervisor of a managed platform takes no orders about it.
  if (platform != Platform::gpu_operator) return {Onward::elsewhere, {std::string(kNoVgpu)}};
  if (const std::string why = why_no_vgpu(scope); !why.empty()) {
    Ways ways{Onward::elsewhere, {fmt::format("No vGPUs are planned here: {}. {}", why, kNotByVgpu)}};
    if (scope.cluster->simulated) ways.texts.emplace_back(kServeKubernetes);
    return ways;
  }
  const bool planned = std::any_of(proposals.begin(), proposals.end(), [&](const Proposal& one) {
    return !plan_flags(one, scope, Scheduler::kubernetes).empty();
  });
  if (planned) return {};
  return {Onward::command, {std::string(kHandType)}};
}

Ways by_platform(Strategy leaf, Platform platform, const Scope& scope,
                 const std::vector<Proposal>& proposals) {
  if (leaf == Strategy::vgpu) return vgpu_ways(platform, scope, proposals);
  if (platform == Platform::ack && leaf != Strategy::mps && acks_own(scope))
    return {Onward::elsewhere, {std::string(leaf == Strategy::mig ? kAckNoMig : kAckNoTurns)}};
  if (pool_fixes(leaf, platform)) return {Onward::command, {std::string(kPoolFixes)}};
  if (leaf == Strategy::mig && proposals.empty()) return {Onward::elsewhere, {std::string(kNoLayout)}};
  return {};
}

// The sentences before the one that names answers.
std::string without_answers(std::string text) {
  for (std::string_view mark : {"Answer Q", ": answer Q", ", or answer Q", "Or answer Q"})
    if (const std::size_t at = text.find(mark); at != std::string::npos) text.resize(at);
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

}  // namespace

std::string_view word(Onward onward) { return kOnward[static_cast<std::size_t>(onward)]; }

Ways ways_on(Strategy leaf, Platform platform, const Scope& scope, const Flowchart& chart,
             const std::vector<sharing::Limit>& limits, const std::vector<Proposal>& proposals) {
  Ways ways = by_platform(leaf, platform, scope, proposals);
  for (const sharing::Limit& limit : limits) {
    if (limit.kind != sharing::LimitKind::broken) continue;
    const auto* around = std::find_if(kAround.begin(), kAround.end(),
                                      [&](const Around& one) { return one.limit == limit.id; });
    if (around == kAround.end()) continue;
    if (around->onward == Onward::elsewhere && ways.onward != Onward::elsewhere)
      ways = {Onward::elsewhere, {}};
    // No plan switches MIG off where a pool fixes it.
    const bool by_pool = ways.onward == Onward::command && limit.id == "mps-mig";
    ways.texts.emplace_back(by_pool ? kWholeGpus : around->text);
  }
  keep_to_questions(ways.texts, chart);
  return ways;
}

void keep_to_questions(std::vector<std::string>& texts, const Flowchart& chart) {
  if (has_our_questions(chart)) return;
  for (std::string& text : texts) text = without_answers(std::move(text));
  std::erase(texts, "");
}

}  // namespace tessera::guide
