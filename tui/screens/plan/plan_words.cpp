#include "tui/screens/plan/plan_words.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <utility>

#include "engine/plan/effect/observed.hpp"
#include "engine/plan/effect/usual.hpp"
#include "engine/plan/node_reboot.hpp"
#include "engine/plan/notices.hpp"
#include "engine/plan/steps/steps.hpp"
#include "engine/query/tables.hpp"
#include "engine/query/value.hpp"
#include "tui/plan_phrases.hpp"
#include "tui/screens/column_ranks.hpp"
#include "tui/terminal/canvas.hpp"

namespace tessera::tui {
namespace {

using namespace plan;

std::string gpus_text(const std::vector<GpuIndex>& gpus) {
  std::string text = "GPU ";
  for (std::size_t i = 0; i < gpus.size(); ++i) text += (i > 0 ? "," : "") + std::to_string(gpus[i].value);
  return text;
}

std::string sharing_text(Strategy strategy, int replicas, const ProfileName& vgpu) {
  std::string text(word(strategy));
  if (replicas > 1) text += fmt::format(" × {}", replicas);
  return vgpu.empty() ? text : text + " " + vgpu.text;
}

// "2 × 1g.10gb, 3g.40gb": where no one can choose the places.
std::string counted(const std::vector<InstanceAt>& instances) {
  std::map<ProfileName, int> counts;
  for (const InstanceAt& one : instances) ++counts[one.profile];
  std::string text;
  for (const auto& [profile, count] : counts)
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", count > 1 ? fmt::format("{} × ", count) : "",
                        profile.text);
  return text.empty() ? "nothing" : text;
}

struct Seen {
  std::string operator()(Answering) const { return "the node answers"; }
  std::string operator()(MarkIsOurs) const { return "the mark of this run is on the node"; }
  std::string operator()(NoForeignMark) const { return "no other run's mark"; }
  std::string operator()(NotMarkedByUs) const { return "tessera's mark is removed"; }
  std::string operator()(NodeClosed) const { return "closed to new workloads"; }
  std::string operator()(NotClosedByUs) const { return "no longer closed by this run"; }
  std::string operator()(const ScopeEmpty& c) const {
    return c.scope.boards.empty() ? "no workload on the node" : "no workload in the way";
  }
  std::string operator()(const WorkloadAway& c) const { return c.workload.text + " is away"; }
  std::string operator()(const InstancesStand& c) const {
    return fmt::format("GPU {}: {} there", c.gpu.value, to_text(c.instances));
  }
  std::string operator()(const InstancesGone& c) const {
    return fmt::format("GPU {}: {} gone", c.gpu.value, to_text(c.instances));
  }
  std::string operator()(const LayoutIs& c) const {
    if (!c.placed) return fmt::format("GPU {}: {}, wherever they are", c.gpu.value, counted(c.instances));
    return fmt::format("GPU {}: exactly {}", c.gpu.value, to_text(c.instances));
  }
  std::string operator()(const ModeIs& c) const {
    return fmt::format("{}: MIG {}{}", gpus_text(c.gpus), c.mig ? "on" : "off",
                       c.pending ? ", may wait for a reset" : "");
  }
  std::string operator()(const SharingIs& c) const {
    return gpus_text(c.gpus) + ": " + sharing_text(c.strategy, c.replicas, c.vgpu);
  }
  std::string operator()(const Advertises& c) const {
    std::string text = "offered:";
    for (const auto& [resource, count] : c.counts) text += fmt::format(" {} {}", resource, count);
    return text;
  }
  // A word is empty where nothing is wrong, a label where it is not there.
  std::string operator()(const WordIs& c) const {
    if (const auto reboot = parse_reboot_word(c.key)) return to_text(*reboot);
    bool label = c.key.find('/') != std::string::npos;
    return c.key + ": " + (!c.value.empty() ? c.value : label ? "not set" : "all well");
  }
};

// Of a condition about one GPU.
std::optional<GpuIndex> gpu_of(const Condition& condition) {
  if (const auto* layout = std::get_if<LayoutIs>(&condition)) return layout->gpu;
  if (const auto* mode = std::get_if<ModeIs>(&condition); mode && mode->gpus.size() == 1)
    return mode->gpus.front();
  return std::nullopt;
}
// ": MIG on" of "GPU 3: MIG on"; empty: it is not about one GPU.
std::string after_gpu(const Condition& condition) {
  if (!gpu_of(condition)) return "";
  std::string text = std::visit(Seen{}, condition);
  return text.substr(std::min(text.find(':'), text.size()));
}

}  // namespace

std::string seen_text(const Condition& condition) { return std::visit(Seen{}, condition); }

std::string seen_text(const Conditions& conditions) {
  std::string text;
  auto add = [&](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
  for (std::size_t i = 0; i < conditions.size();) {
    // GPUs in a row of which the same is expected share their words: all but the number.
    const std::string rest = after_gpu(conditions[i]);
    std::vector<GpuIndex> gpus;
    for (; !rest.empty() && i < conditions.size() && after_gpu(conditions[i]) == rest; ++i)
      gpus.push_back(*gpu_of(conditions[i]));
    add(rest.empty() ? seen_text(conditions[i++]) : boards_text(gpus) + rest);
  }
  return text.empty() ? "nothing has to be verified" : text;
}

std::string needs_text(const Needs& needs) {
  std::string text = needs_list(needs, "closing the node");
  return text.empty() ? "nothing but the change itself" : text;
}

std::vector<std::string> slices_text(const std::vector<SlicePlan>& slices) {
  std::map<GpuIndex, std::string> boards;
  for (const SlicePlan& slice : slices) boards[slice.gpu] += " " + slice_text(slice, " × ");
  std::vector<std::string> lines;
  for (const auto& [gpus, text] : boards_alike({boards.begin(), boards.end()}))
    lines.push_back(gpus + " " + text);
  return lines;
}

namespace {

// A plan tells who holds a slice and not how many of its shares.
std::vector<Holder> holders_of(const SlicePlan& slice) {
  constexpr int kUntold = 0;
  std::vector<Holder> holders;
  for (const WorkloadId& id : slice.holders) holders.push_back({id, kUntold});
  if (holders.empty()) holders.push_back({WorkloadId(), kUntold});  // whom nobody can name
  return holders;
}

Gpu as_gpu(const BoardState& state, const std::vector<const std::vector<SlicePlan>*>& lists) {
  Gpu gpu;
  gpu.index = state.gpu;
  if (!state.product.empty()) gpu.product = state.product;
  gpu.strategy = state.strategy;
  for (const std::vector<SlicePlan>* list : lists)
    for (const SlicePlan& one : *list) {
      if (one.gpu != state.gpu) continue;
      Slice slice;
      slice.kind = one.kind;
      slice.profile = one.profile;
      slice.placement = one.at;
      slice.capacity = one.capacity;
      slice.holding = one.held ? Holding::held : Holding::free;
      if (one.held && one.capacity > 1) slice.holders = holders_of(one);
      gpu.slices.push_back(std::move(slice));
    }
  std::sort(gpu.slices.begin(), gpu.slices.end(), [](const Slice& a, const Slice& b) {
    return (a.placement ? a.placement->start : 99) < (b.placement ? b.placement->start : 99);
  });
  return gpu;
}

const Gpu* live_gpu(const Node* live, GpuIndex index) { return live ? find_gpu(*live, index) : nullptr; }

bool may_be_same(const Slice& planned, const Slice& now) {
  if (planned.kind != now.kind || planned.profile != now.profile || planned.capacity != now.capacity)
    return false;
  return !planned.placement || !now.placement || *planned.placement == *now.placement;
}

// A plan tells that a slice is held and not how much of it: the shares of one that stays are those of now.
// Which of several alike it is must be told by their places: else, and on a node that is not listed, they
// stay unknown.
Gpu with_shares(Gpu gpu, const Gpu* live) {
  if (!live) return gpu;
  for (Slice& slice : gpu.slices) {
    if (slice.capacity <= 1 || slice.holding != Holding::held) continue;
    const Slice* found = nullptr;
    int alike = 0;
    for (const Slice& now : live->slices)
      if (may_be_same(slice, now)) found = &now, ++alike;
    if (alike == 1 && found->holding != Holding::free)
      slice.holding = found->holding, slice.holders = found->holders;
  }
  return gpu;
}

// " shard × 6" behind a strip: more or fewer shares of a GPU of which none is held look alike.
std::string sharing_behind(const BoardState& state, const BoardState& other) {
  if (state.strategy == other.strategy && state.replicas == other.replicas && state.vgpu == other.vgpu)
    return "";
  return " " + sharing_text(state.strategy, state.replicas, state.vgpu);
}

struct Now {
  Gpu gpu;
  BoardState state;
};

template <class NowOf>
std::vector<StripChange> changes_by(const NodePlan& node, const Node* live, const mig::Catalogue& catalogue,
                                    bool ascii, NowOf now) {
  std::vector<std::pair<std::pair<std::string, std::string>, std::vector<GpuIndex>>> alike;
  for (const BoardState& will : node.after) {
    const std::optional<Now> was = now(will.gpu);
    if (!was) continue;
    const Gpu then = with_shares(as_gpu(will, {&node.kept, &node.created}), live_gpu(live, will.gpu));
    std::pair<std::string, std::string> strips{
        query::strip(was->gpu, &catalogue, ascii, {}) + sharing_behind(was->state, will),
        query::strip(then, &catalogue, ascii, {}) + sharing_behind(will, was->state)};
    auto same =
        std::find_if(alike.begin(), alike.end(), [&](const auto& one) { return one.first == strips; });
    if (same == alike.end()) same = alike.insert(alike.end(), {std::move(strips), {}});
    same->second.push_back(will.gpu);
  }
  std::vector<StripChange> changes;
  for (const auto& [strips, gpus] : alike)
    changes.push_back({boards_text(gpus), strips.first, strips.second});
  return changes;
}

}  // namespace

std::vector<StripChange> strip_changes(const NodePlan& node, const Node* live,
                                       const mig::Catalogue& catalogue, bool ascii) {
  return changes_by(node, live, catalogue, ascii, [&](GpuIndex gpu) -> std::optional<Now> {
    for (const BoardState& was : node.before)
      if (was.gpu == gpu)
        return Now{with_shares(as_gpu(was, {&node.kept, &node.destroyed}), live_gpu(live, gpu)), was};
    return std::nullopt;
  });
}

std::vector<StripChange> live_strips(const NodePlan& node, const Node& live, const mig::Catalogue& catalogue,
                                     bool ascii) {
  return changes_by(node, &live, catalogue, ascii, [&](GpuIndex index) -> std::optional<Now> {
    const Gpu* gpu = find_gpu(live, index);
    return gpu ? std::optional(Now{*gpu, state_of(*gpu)}) : std::nullopt;
  });
}

DisturbedCells disturbed_cells(const Plan& plan, int width) {
  if (width < 76) return {13, 17, 0, 26, 38, 64};
  constexpr int kBoth = 27;   // cells of an id and a name
  constexpr int kUntil = 12;  // of until when a workload is waited for
  constexpr int kFull = 104;  // columns that all parts have in their places
  bool repeated = false, others = false, waits = false;
  int longest = 0;
  for (const NodePlan& node : plan.nodes)
    for (const Disturbed& one : node.blast_radius) {
      const bool repeats = !one.name.empty() && repeats_id(one.id.text, one.name);
      repeated = repeated || repeats, others = others || !(repeats || one.name.empty());
      waits = waits || fate_text(one, plan.intent.options.way) == "waited for";
      longest = std::max(longest, display_width(name_text(one)));
    }
  if (others || !repeated) return {};
  const int free = waits ? 0 : kUntil, spare = std::max(0, width - kFull);
  const int more = std::clamp(longest - kBoth, 0, free + spare);
  return {kBoth + more, 31 + more, 0, 42 + more, 54 + more, 80 + std::max(0, more - free)};
}

Risk risk_of(const Plan& plan) {
  Risk risk = Risk::low;
  for (const NodePlan& node : plan.nodes) {
    if (node.needs.reset) risk = std::max(risk, Risk::medium);
    for (const Disturbed& one : node.blast_radius) {
      const std::string fate = fate_text(one, plan.intent.options.way);
      risk = std::max(risk, fate == "WILL END" || one.hit == Hit::unknown ? Risk::high
                            : fate == "waited for"                        ? Risk::low
                                                                          : Risk::medium);
    }
  }
  for (const plan::Notice& notice : plan.notices)
    if (is_about_closing(notice)) risk = Risk::high;
  return risk;
}

bool tells_owners(const Plan& plan) {
  return std::any_of(plan.nodes.begin(), plan.nodes.end(), [](const NodePlan& node) {
    return std::any_of(node.blast_radius.begin(), node.blast_radius.end(),
                       [](const Disturbed& one) { return !one.id.empty() && !one.user.empty(); });
  });
}

std::string_view word(Risk risk) {
  return risk == Risk::low ? "low" : risk == Risk::medium ? "medium" : "high";
}

std::string usual_text(const Plan& plan) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(usual(plan)).count();
  const std::string time = query::duration_text(std::max<std::int64_t>(1, seconds));
  if (!waits_for_work(plan)) return fmt::format("about {}", time);
  return plan.scheduler == Scheduler::slurm ? fmt::format("about {}, and the wait for jobs", time)
                                            : fmt::format("about {}, and the wait for pods", time);
}

std::string deadline_text(Duration deadline) {
  if (deadline.count() == 0) return "-";
  return query::duration_text(std::chrono::duration_cast<std::chrono::seconds>(deadline).count());
}

std::string_view way_text(Way way, Scheduler scheduler) {
  switch (way) {
    case Way::wait: return "wait until it ends";
    case Way::requeue: return scheduler == Scheduler::slurm ? "requeue it" : "evict it";
    case Way::cancel: return "END it";
  }
  return "";
}

}  // namespace tessera::tui
