#include "engine/plan/effect/diff.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/plan/effect/creation.hpp"
#include "engine/sharing/shares.hpp"
#include "engine/sharing/vgpu.hpp"

namespace tessera::plan {
namespace {

constexpr std::size_t kReachableShown = 3;
constexpr int kMostReplicas = 1024;

Error cannot_become(GpuIndex gpu, std::string why, std::string hint) {
  return {fmt::format("cannot plan GPU {}", gpu.value), std::move(why), std::move(hint)};
}

InstanceAt instance_of(const mig::Product& product, mig::Placed one) {
  const mig::Profile& profile = product.profiles[static_cast<std::size_t>(one.profile)];
  return {profile.name, {one.start, profile.memory_slices}, std::nullopt};
}

std::vector<InstanceAt> instances_from(const mig::Product& product, const std::vector<mig::Placed>& list) {
  std::vector<InstanceAt> all;
  for (const mig::Placed& one : list) all.push_back(instance_of(product, one));
  return all;
}

// A GPU that the table does not know may have any type; its hypervisor will tell.
Status check_vgpu(const Gpu& gpu, const mig::Product& product, const Wish& wish) {
  Result<std::vector<sharing::VgpuBoard>> table = sharing::built_in_vgpu_types();
  if (!table) return table.error();
  std::vector<sharing::VgpuType> types = sharing::vgpu_types(*table, product.key, gpu.model);
  std::string names;
  for (const sharing::VgpuType& type : types) {
    if (type.name == wish.vgpu) return Done{};
    names += (names.empty() ? "" : ", ") + type.name.text;
  }
  if (types.empty()) return Done{};
  return cannot_become(gpu.index, fmt::format("{} has no vGPU type {}", product.key.text, wish.vgpu.text),
                       "it has " + names);
}

Status check_wish(const Gpu& gpu, const mig::Product* product, const Wish& wish, const Capabilities& can) {
  if (std::string why = why_not_offered(can, wish.strategy); !why.empty())
    return cannot_become(gpu.index, why, "tessera guide lists what is offered here");
  if (gpu.strategy == Strategy::unknown)
    return cannot_become(gpu.index, "how it is shared now is not known", "wait until the node has been read");
  if (wish.strategy == Strategy::mig && !product)
    return cannot_become(gpu.index, fmt::format("the catalogue does not know '{}'", gpu.model),
                         "add the product to the site's catalogue file");
  if (wish.replicas < 1 || (sharing::in_shares(wish.strategy) && wish.replicas < 2))
    return cannot_become(gpu.index, fmt::format("{} replicas are no sharing", wish.replicas),
                         "give 2 or more with --replicas");
  if (wish.replicas > kMostReplicas)
    return cannot_become(gpu.index,
                         fmt::format("{} clients on one GPU are more than any backend takes", wish.replicas),
                         fmt::format("give at most {} with --replicas", kMostReplicas));
  if (wish.strategy == Strategy::vgpu && wish.vgpu.empty())
    return cannot_become(gpu.index, "a vGPU needs a type", "give it with --vgpu, for example A10-4Q");
  if (wish.strategy == Strategy::vgpu && product) return check_vgpu(gpu, *product, wish);
  return Done{};
}

// What stands on a GPU, as the geometry sees it and as it was told. Both lists are parallel to the layout.
struct Standing {
  mig::Layout layout;
  std::vector<InstanceAt> instances;
  std::vector<const Slice*> slices;
  bool placed() const { return instances.empty() || instances.front().placed(); }
};

Standing as_told(const mig::Product& product, const Gpu& gpu, const mig::Layout& layout) {
  Standing all{layout, {}, {}};
  for (const mig::Placed& one : layout) {
    InstanceAt instance = instance_of(product, one);
    all.slices.push_back(find_instance(gpu, instance));
    if (all.slices.back()) instance.id = all.slices.back()->instance_id;
    all.instances.push_back(std::move(instance));
  }
  return all;
}

// Kubernetes reports how many instances of which profile there are, and no places. Where no one has a say in
// places either, any legal ones do for counting; nothing is said of them.
std::optional<Standing> without_places(const mig::Product& product, const Gpu& gpu) {
  std::vector<std::pair<int, const Slice*>> left;
  std::vector<int> profiles;
  for (const Slice& slice : gpu.slices) {
    auto profile = product.index_of(slice.profile.text);
    if (slice.kind != SliceKind::gpu_instance || !profile || slice.placement) return std::nullopt;
    left.emplace_back(*profile, &slice);
    profiles.push_back(*profile);
  }
  std::optional<mig::Layout> layout = mig::place(product, profiles);
  if (!layout) return std::nullopt;
  Standing all{*layout, {}, {}};
  for (const mig::Placed& one : *layout) {
    auto told =
        std::find_if(left.begin(), left.end(), [&](const auto& it) { return it.first == one.profile; });
    all.slices.push_back(told->second);
    all.instances.push_back({told->second->profile, {}, told->second->instance_id});
    left.erase(told);
  }
  return all;
}

// MIG off means nothing. An error where MIG is on but places are not reported and matter.
Result<Standing> standing(const Gpu& gpu, const mig::Product* product, bool mig, const Capabilities& can) {
  if (!mig) return Standing{};
  if (!product)
    return cannot_become(gpu.index, fmt::format("the catalogue does not know '{}'", gpu.model),
                         "add the product to the site's catalogue file");
  if (auto layout = mig::observed_layout(*product, gpu)) return as_told(*product, gpu, *layout);
  if (!can.chooses_placement && can.clears != Unit::slice)
    if (auto all = without_places(*product, gpu)) return std::move(*all);
  return cannot_become(gpu.index, "the starts of its instances are not known",
                       "a look at the node itself is needed: nvidia-smi mig -lgi");
}

std::vector<bool> held_of(const Standing& now) {
  std::vector<bool> held;
  for (const Slice* slice : now.slices) held.push_back(!slice || in_use(*slice));
  return held;
}

bool contains(const mig::Layout& layout, mig::Placed one) {
  return std::find(layout.begin(), layout.end(), one) != layout.end();
}

bool same_profiles(const mig::Layout& left, const mig::Layout& right) {
  auto profiles = [](const mig::Layout& layout) {
    std::vector<int> all;
    for (const mig::Placed& one : layout) all.push_back(one.profile);
    std::sort(all.begin(), all.end());
    return all;
  };
  return profiles(left) == profiles(right);
}

// What stays, goes and comes between two layouts of one GPU.
void split(BoardChange& change, const Standing& now, const mig::Layout& target, bool clear_all) {
  mig::Layout created;
  for (std::size_t i = 0; i < now.layout.size(); ++i)
    (!clear_all && contains(target, now.layout[i]) ? change.kept : change.destroyed)
        .push_back(now.instances[i]);
  for (const mig::Placed& one : target)
    if (clear_all || !contains(now.layout, one)) created.push_back(one);
  change.created = instances_from(*change.product, largest_first(*change.product, created));
  change.after.instances = instances_from(*change.product, target);
  if (target == now.layout && !clear_all && !now.placed()) change.after.instances = now.instances;
}

// Without a say in placement: the order that the driver turns into a layout, and the layout that comes of it.
Status let_driver_place(BoardChange& change, const mig::Layout& now, const mig::Layout& target) {
  mig::Layout staying, making;
  for (const mig::Placed& one : target) (contains(now, one) ? staying : making).push_back(one);
  auto made = driver_order(*change.product, staying, making);
  if (!made)
    return cannot_become(change.gpu,
                         "no order of creation leads there, since the driver chooses the placements",
                         "empty the GPU first, or choose a layout of which less exists");
  mig::Layout reached = staying;
  reached.insert(reached.end(), made->begin(), made->end());
  std::sort(reached.begin(), reached.end());
  if (reached != target)
    change.remarks.push_back(fmt::format("the driver chooses the placements here: expected is {}",
                                         mig::to_text(*change.product, reached)));
  change.created = instances_from(*change.product, *made);
  change.after.instances = instances_from(*change.product, reached);
  change.chosen = false;
  return Done{};
}

void note_held(BoardChange& change, const Wish& wish, const Standing& now, const std::vector<bool>& held) {
  mig::Layout standing_held;
  for (std::size_t i = 0; i < now.layout.size(); ++i) {
    if (!held[i]) continue;
    standing_held.push_back(now.layout[i]);
    const InstanceAt& instance = now.instances[i];
    bool goes = std::any_of(change.destroyed.begin(), change.destroyed.end(),
                            [&](const InstanceAt& one) { return one.same(instance); });
    if (!goes) continue;
    InTheWay way{instance, {}};
    if (now.slices[i])
      for (const Holder& holder : now.slices[i]->holders) way.holders.push_back(holder.workload);
    change.in_the_way.push_back(std::move(way));
  }
  if (change.in_the_way.empty() || wish.strategy != Strategy::mig || !now.placed()) return;
  for (const mig::Layout& layout : nearest_layouts(*change.product, wish, standing_held, kReachableShown))
    change.reachable.push_back(mig::to_text(*change.product, layout));
}

// Slices of the wanted profiles stay wherever they stand: a backend that clears a GPU whole chooses the
// starts.
void note_starts(BoardChange& change, const Wish& wish, const Standing& stands) {
  const bool differ =
      std::any_of(wish.instances.begin(), wish.instances.end(), [&](const WishedInstance& one) {
        const auto profile = change.product->index_of(one.profile.text);
        return one.start && profile && (!stands.placed() || !contains(stands.layout, {*profile, *one.start}));
      });
  if (!differ) return;
  change.remarks.push_back(
      stands.placed()
          ? fmt::format(
                "slices of these profiles are there at other starts and stay as they are: {}. No plan "
                "can choose starts here",
                mig::to_text(*change.product, stands.layout))
          : "slices of these profiles are there and stay as they are, wherever they start: starts are not "
            "reported here, and no plan can choose them");
}

Status plan_instances(BoardChange& change, const Wish& wish, const Capabilities& can,
                      const Standing& stands) {
  const mig::Layout& now = stands.layout;
  std::vector<bool> held = held_of(stands);
  mig::Layout target;
  if (wish.strategy == Strategy::mig) {
    // What is cleared whole has nothing to keep, so the places are chosen freely.
    bool all = can.clears != Unit::slice;
    Result<mig::Layout> found =
        all ? target_layout(*change.product, wish, {}, {}) : target_layout(*change.product, wish, now, held);
    if (!found) return found.error();
    target = std::move(*found);
  }
  bool clear_all = can.clears != Unit::slice && !same_profiles(now, target);
  if (can.clears != Unit::slice && same_profiles(now, target)) {
    note_starts(change, wish, stands);
    target = now;
  }
  split(change, stands, target, clear_all);
  note_held(change, wish, stands, held);
  if (can.chooses_placement || change.created.empty()) return Done{};
  return let_driver_place(change, clear_all ? mig::Layout{} : now, target);
}

}  // namespace

Result<BoardChange> diff_board(const Gpu& gpu, const mig::Product* product, const Wish& wish,
                               const Capabilities& can) {
  if (Status ok = check_wish(gpu, product, wish, can); !ok) return ok.error();
  BoardChange change;
  change.gpu = gpu.index;
  change.product = product;
  change.before = state_of(gpu);
  change.after = change.before;
  change.after.instances.clear();
  change.after.mig = wish.strategy == Strategy::mig;
  change.after.strategy = wish.strategy;
  change.after.replicas = wish.strategy == Strategy::whole ? 1 : wish.replicas;
  change.after.vgpu = wish.strategy == Strategy::vgpu ? wish.vgpu : ProfileName{};
  MigMode mode = mode_of(gpu);
  change.mode_changes = change.after.mig != change.before.mig || mode == MigMode::enable_pending ||
                        mode == MigMode::disable_pending;
  change.sharing_changes = (change.before.strategy != change.after.strategy && !change.mode_changes) ||
                           change.before.replicas != change.after.replicas ||
                           change.before.vgpu != change.after.vgpu ||
                           (change.mode_changes && change.after.strategy != Strategy::whole &&
                            change.after.strategy != Strategy::mig);
  Result<Standing> now = standing(gpu, product, change.before.mig, can);
  if (!now) return now.error();
  if (!product) return change;  // known to be without MIG on either side
  if (Status ok = plan_instances(change, wish, can, *now); !ok) return ok.error();
  return change;
}

void sweep(BoardChange& change, const Gpu& gpu, const Capabilities& can) {
  if (!change.product || change.kept.empty()) return;
  Result<Standing> now = standing(gpu, change.product, change.before.mig, can);
  mig::Layout target;
  for (const InstanceAt& one : change.after.instances)
    if (auto profile = change.product->index_of(one.profile.text)) target.push_back({*profile, one.at.start});
  std::sort(target.begin(), target.end());
  if (now && !now->placed()) target = now->layout;
  change.kept.clear();
  change.destroyed.clear();
  split(change, now ? *now : Standing{}, target, true);
  if (can.chooses_placement || let_driver_place(change, {}, target)) return;
  change.remarks.push_back("the driver may choose other placements than the current ones");
}

BoardChange drag_board(const Gpu& gpu, const mig::Product* product, const Capabilities& can) {
  BoardChange change;
  change.gpu = gpu.index;
  change.product = product;
  change.dragged = true;
  change.before = change.after = state_of(gpu);
  change.kept = change.before.instances;
  for (InstanceAt& one : change.after.instances) one.id.reset();
  sweep(change, gpu, can);
  return change;
}

}  // namespace tessera::plan
