// Named layouts and ways of sharing, and the best layout for who waits.
#include <fmt/format.h>

#include <algorithm>

#include "engine/guide/proposals/proposals.hpp"
#include "engine/sharing/presets.hpp"
#include "engine/sharing/shares.hpp"
#include "engine/sharing/vgpu.hpp"
#include "tui/screens/layout/layout.hpp"

namespace tessera::tui {
namespace {

constexpr int kUsualReplicas = 4;
constexpr std::size_t kNamed = 3;  // workloads named in a sentence

class Choices {
 public:
  Choices(const LayoutView& view, const plan::Means& can, sharing::Platform platform)
      : view_(view), can_(can), platform_(platform) {}

  std::vector<PresetChoice> all() {
    add_whole();
    if (view_.cut) add_named();
    add_shared(Strategy::mps, "MPS", "clients");
    add_shared(Strategy::time_slicing, "time-slicing", "clients");
    add_shared(Strategy::shard, "shards", "shards");
    add_vgpu();
    return std::move(choices_);
  }

 private:
  void add_whole() {
    PresetChoice one;
    one.name = "whole GPU";
    bool has_mig = view_.product && view_.product->mig_capable;
    one.text = has_mig ? "one client at a time, MIG off" : "one client at a time";
    if (has_mig) one.from = "operator: all-disabled";
    one.want.words = "whole GPU";
    one.why_not = plan::why_not_offered(can_, Strategy::whole);
    choices_.push_back(std::move(one));
  }

  // The operator's names hold for every product; a managed platform's tables name some products only.
  void add_named() {
    const bool by_tables = platform_ == sharing::Platform::fpt;
    if (!by_tables)
      for (sharing::Preset& preset : sharing::operator_presets(*view_.product)) add(std::move(preset), {});
    Result<std::vector<sharing::PresetTable>> tables = sharing::built_in_presets();
    if (!tables) return;
    for (const sharing::PresetTable& table : *tables)
      for (sharing::Preset& preset : sharing::presets(*view_.product, table.platform, {&table, 1}))
        if (by_tables || !is_listed(preset))
          add(std::move(preset), std::string(sharing::word(table.platform)));
  }

  // A table of another platform adds what no name in the list makes: the whole GPU stands there already.
  bool is_listed(const sharing::Preset& preset) const {
    std::vector<int> profiles = preset.profiles;
    std::sort(profiles.begin(), profiles.end());
    return !preset.mig || std::find(made_.begin(), made_.end(), profiles) != made_.end();
  }

  void add(sharing::Preset preset, std::string from) {
    if (!preset.mig && from.empty()) return;  // all-disabled: the whole GPU stands there already
    PresetChoice one;
    one.name = preset.name;
    one.text = preset.text;
    one.from = from.empty() ? "operator" : std::move(from);
    if (preset.strategy) one.from += fmt::format(", {}", sharing::word(*preset.strategy));
    one.want.words = preset.name;
    one.want.note = preset.note;
    one.want.offers_nothing = preset.offers_nothing;
    if (preset.mig) {
      std::vector<int>& made = made_.emplace_back(preset.profiles);
      std::sort(made.begin(), made.end());
      one.want.strategy = Strategy::mig;
      one.why_not = plan::why_not_offered(can_, Strategy::mig);
      fit(one, preset);
    }
    choices_.push_back(std::move(one));
  }

  // On this GPU: what stands keeps its place where the preset has room for it.
  void fit(PresetChoice& one, const sharing::Preset& preset) {
    Result<Want> want = want_of(plan::wish_of(*view_.product, preset.profiles), *view_.gpu, view_.product);
    if (want)
      one.want.layout = std::move(want->layout);
    else if (one.why_not.empty())
      one.why_not = want.error().reason;
  }

  void add_shared(Strategy strategy, std::string_view name, std::string_view parts) {
    PresetChoice one;
    one.name = name;
    one.text = fmt::format("{} {}, more with + once taken", kUsualReplicas, parts);
    one.want.strategy = strategy;
    one.want.replicas = kUsualReplicas;
    if (auto fixed = fixed_shares(view_, strategy)) {
      // Its number is the planner's to say, but where it stands already.
      one.want.replicas = view_.gpu->strategy == strategy ? *fixed : 1;
      one.text = view_.cluster->scheduler == Scheduler::slurm ? "jobs ask for percent of a GPU: mps:25"
                                                              : "pods ask for GiB of a GPU's memory";
    }
    one.why_not = plan::why_not_offered(can_, strategy);
    choices_.push_back(std::move(one));
  }

  // One choice for each type of the GPU. Where vGPUs are not offered, one that says why is enough.
  void add_vgpu() {
    PresetChoice one;
    one.name = "vGPU";
    one.text = "shares of memory for virtual machines";
    one.want.strategy = Strategy::vgpu;
    one.why_not = plan::why_not_offered(can_, Strategy::vgpu);
    std::vector<sharing::VgpuType> types;
    if (Result<std::vector<sharing::VgpuBoard>> table = sharing::built_in_vgpu_types();
        table && view_.product)
      types = sharing::vgpu_types(*table, view_.product->key, view_.gpu->model);
    if (one.why_not.empty() && types.empty())
      one.why_not =
          "the types of this GPU are not known here: nvidia-smi vgpu -s on the hypervisor lists them";
    if (!one.why_not.empty()) return choices_.push_back(std::move(one));
    for (const sharing::VgpuType& type : types) {
      one.name = "vGPU " + type.name.text;
      one.text = sharing::to_text(type);
      one.want.vgpu = type.name;
      one.want.replicas = type.per_board;
      one.want.words = one.name;
      choices_.push_back(one);
    }
  }

  const LayoutView& view_;
  const plan::Means& can_;
  sharing::Platform platform_;
  std::vector<PresetChoice> choices_;
  std::vector<std::vector<int>> made_;  // by the presets that are listed, sorted
};

guide::Scope scope_of(const UiContext& ui, const LayoutView& view, const LayoutState& edit) {
  if (edit.targets().size() == 1) return guide::scope_of(*view.cluster, *view.node, *view.gpu, ui.catalogue);
  std::vector<guide::Mark> marks;
  for (const BoardAt& one : edit.targets()) marks.push_back({one.node, one.gpu});
  std::vector<guide::Group> groups = guide::split(*view.cluster, marks, ui.catalogue);
  return groups.empty() ? guide::Scope{} : groups.front().scope;
}

std::string names_of(const std::vector<WorkloadId>& ids) {
  std::string text;
  for (std::size_t i = 0; i < ids.size() && i < kNamed; ++i) text += (i == 0 ? "" : ", ") + ids[i].text;
  if (ids.size() > kNamed) text += fmt::format(" and {} more", ids.size() - kNamed);
  return text;
}

}  // namespace

std::optional<int> fixed_shares(const LayoutView& view, Strategy strategy) {
  return sharing::fixed_shares(view.cluster->scheduler, *view.node, *view.gpu, strategy);
}

std::vector<PresetChoice> preset_choices(const LayoutView& view, const plan::Means& can,
                                         std::optional<sharing::Platform> told_by_site) {
  return Choices(view, can, sharing::platform_of(*view.cluster, told_by_site).platform).all();
}

Result<BestLayout> best_layout(const UiContext& ui, const LayoutView& view, const LayoutState& edit,
                               std::optional<sharing::Platform> told_by_site) {
  if (!view.cut) return Error{"this GPU cannot be cut", "", ""};
  guide::Scope scope = scope_of(ui, view, edit);
  const sharing::Platform here = sharing::platform_of(*view.cluster, told_by_site).platform;
  for (const guide::Proposal& proposal : guide::propose_layouts(scope, here)) {
    if (proposal.fit.empty()) break;  // best first: none of the others starts anything
    for (const guide::BoardProposal& board : proposal.boards) {
      bool shown = board.node == view.node->name && board.gpu && *board.gpu == view.gpu->index;
      if (!shown || !board.layout) continue;
      BestLayout best;
      best.want.strategy = Strategy::mig;
      best.want.layout = *board.layout;
      best.want.words = "best for the queue";
      best.why = fmt::format("{} would start", names_of(proposal.fit));
      if (!proposal.wait.empty()) best.why += fmt::format("; {} would still wait", proposal.wait.size());
      return best;
    }
  }
  return Error{"no layout of this GPU lets a waiting workload start", "", "w lists what waits, and for what"};
}

}  // namespace tessera::tui
