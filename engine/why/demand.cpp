#include "engine/why/demand.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

#include "engine/insight/available.hpp"
#include "engine/mig/geometry.hpp"
#include "engine/mig/product_of.hpp"
#include "engine/model/waits_longer.hpp"
#include "engine/number.hpp"
#include "engine/plan/effect/queue.hpp"
#include "engine/plan/effect/resources.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/sharing/slices_offered.hpp"
#include "engine/why/reserved.hpp"
#include "engine/why/why.hpp"

namespace tessera::why {
namespace {

// A GPU that may be cut again: what has to stay on it, and what of it can be had as it stands.
struct Idle {
  const mig::Product* product = nullptr;
  mig::Layout held;
  std::map<int, int> free;  // instances by profile
  bool cut = false;         // MIG is on
};

std::optional<Idle> idle_of(const insight::Sight& sight, const Gpu& gpu, const mig::Catalogue& catalogue) {
  Idle idle;
  idle.product = mig::product_of(gpu, catalogue);
  if (!idle.product || idle.product->profiles.empty()) return std::nullopt;
  idle.cut = gpu.mig_mode == MigMode::enabled;
  if (idle.cut && !mig::observed_layout(*idle.product, gpu)) return std::nullopt;
  for (const Slice& slice : gpu.slices) {
    const insight::Availability now = insight::availability(sight, slice);
    if (now == insight::Availability::unknown || now == insight::Availability::closed) return std::nullopt;
    const bool free = now == insight::Availability::free && slice.holders.empty();
    if (!idle.cut && (!free || slice.kind != SliceKind::whole_gpu)) return std::nullopt;
    if (!idle.cut) continue;
    const auto profile = idle.product->index_of(slice.profile.text);
    if (!profile || !slice.placement) return std::nullopt;
    if (free)
      ++idle.free[*profile];
    else
      idle.held.push_back({*profile, slice.placement->start});
  }
  std::sort(idle.held.begin(), idle.held.end());
  return idle;
}

// GPUs are cut alike by the hundred: each kind is worked out once.
class Most {
 public:
  // How many instances of a profile stand beside those that stay.
  int of(const Idle& gpu, int profile) {
    auto [place, fresh] = known_.try_emplace({gpu.product, gpu.held, profile}, 0);
    if (!fresh) return place->second;
    std::vector<int> wanted;
    do wanted.push_back(profile);
    while (mig::place(*gpu.product, wanted, gpu.held));
    return place->second = static_cast<int>(wanted.size()) - 1;
  }

 private:
  std::map<std::tuple<const mig::Product*, mig::Layout, int>, int> known_;
};

bool is_of_type(const mig::Product& product, const std::string& type, const mig::Catalogue& catalogue) {
  if (type.empty()) return true;
  const auto meant = catalogue.by_slurm_type(type, {});
  return std::find(meant.begin(), meant.end(), &product) != meant.end();
}

struct Place {
  plan::Room free;
  std::vector<Idle> gpus;
  bool reserved = false;     // to be had by the jobs alone that name its reservation
  bool no_profiles = false;  // the device plugin offers no slice by its profile, whatever is cut

  // Those slices that stand count as whole GPUs already.
  bool could_be_cut_for(const Idle& gpu, const sharing::ResourceName& name) const {
    if (!no_profiles || name.claimed) return true;
    return name.kind == sharing::ResourceKind::gpu && gpu.free.empty();
  }
};

class Sums {
 public:
  Sums(const Cluster& cluster, const mig::Catalogue& catalogue) : cluster_(cluster), catalogue_(catalogue) {
    known_ = insight::nodes_are_current(cluster) && insight::work_is_current(cluster);
    to_come_ = plan::reservations_to_come(cluster);
    for (const Node& node : cluster.nodes.all()) look_at_node(node);
    for (const Workload& workload : cluster.workloads.all())
      if (workload.state == WorkloadState::pending) waiting_.push_back(&workload);
    std::sort(waiting_.begin(), waiting_.end(), waits_longer);
  }

  std::vector<Demand> rows(const std::function<bool()>& stop) {
    std::map<std::string, Demand> by_name;
    for (const Workload* workload : waiting_)
      for (const Request& request : workload->requests) {
        if (request.count <= 0 || !sharing::parse_resource(request.resource, cluster_.scheduler)) continue;
        Demand& row = by_name[request.resource];
        row.wanted = add_times(row.wanted, request.count, workload->tasks);
        ++row.workloads;
      }
    for (const auto& [name, count] : free_)
      if (count > 0) by_name[name];
    std::vector<Demand> rows;
    for (auto& [name, row] : by_name) {
      if (stop && stop()) break;
      row.resource = name;
      fill(row);
      rows.push_back(std::move(row));
    }
    std::stable_sort(rows.begin(), rows.end(), [](const Demand& a, const Demand& b) {
      return std::tuple(-a.wanted, -a.free.value_or(0)) < std::tuple(-b.wanted, -b.free.value_or(0));
    });
    return rows;
  }

 private:
  void look_at_node(const Node& listed) {
    const std::optional<Node> let_in = as_let_in(listed);
    const Node& node = let_in ? *let_in : listed;
    const insight::Sight sight = insight::sight_of(cluster_, node);
    if (sight.access != insight::Access::open) return;
    Place place{stock_now(cluster_, node, catalogue_).free};
    place.no_profiles = sharing::offers_no_profiles(node).has_value();
    place.reserved = let_in.has_value();
    for (const auto& [name, count] : place.free.units) free_[name] += place.reserved ? 0 : count;
    for (const Gpu& gpu : node.gpus)
      if (auto idle = idle_of(sight, gpu, catalogue_)) place.gpus.push_back(std::move(*idle));
    places_.push_back(std::move(place));
  }

  std::int64_t more(const Idle& gpu, const sharing::ResourceName& name) {
    if (name.kind == sharing::ResourceKind::gpu)
      return gpu.cut && gpu.held.empty() && is_of_type(*gpu.product, name.type, catalogue_) ? 1 : 0;
    if (name.kind != sharing::ResourceKind::instance || !name.profile) return 0;
    const auto profile = gpu.product->index_of(name.profile->text);
    if (!profile) return 0;
    const auto free = gpu.free.find(*profile);
    return std::max(0, most_.of(gpu, *profile) - (free == gpu.free.end() ? 0 : free->second));
  }

  void fill(Demand& row) {
    const auto name = sharing::parse_resource(row.resource, cluster_.scheduler);
    if (known_) row.free = 0;
    std::vector<plan::Room> now, cut;
    for (const Place& place : places_) {
      for (const auto& [offered, count] : place.free.units)
        if (row.free && !place.reserved && plan::answers(row.resource, offered, cluster_.scheduler))
          *row.free += count;
      std::int64_t could = 0;
      if (name)
        for (const Idle& gpu : place.gpus)
          if (place.could_be_cut_for(gpu, *name)) could += more(gpu, *name);
      row.could += place.reserved ? 0 : could;
      now.push_back(place.free);
      cut.push_back(place.free);
      cut.back().units[row.resource] += could;
    }
    plan::Queue queue{cluster_.scheduler, {}, {}, to_come_};
    for (const Workload* workload : waiting_)
      if (plan::waits_for_room(*workload, cluster_.scheduler) && asks_for(*workload, row.resource))
        queue.waiting.push_back(workload);
    row.for_room = static_cast<int>(queue.waiting.size());
    if (!known_ || queue.waiting.empty()) return;
    const plan::Fitting fits_now = plan::fitting(cluster_, queue, now);
    const plan::Fitting fits_cut = plan::fitting(cluster_, queue, cut);
    row.fit_now = fits_now.sure;
    row.fit_cut = std::max(fits_now.sure, fits_cut.sure);
    row.unsure = std::min(std::max(fits_now.perhaps, fits_cut.perhaps), row.for_room - row.fit_cut);
  }

  static bool asks_for(const Workload& workload, const std::string& resource) {
    return std::any_of(workload.requests.begin(), workload.requests.end(),
                       [&](const Request& one) { return one.count > 0 && one.resource == resource; });
  }

  const Cluster& cluster_;
  const mig::Catalogue& catalogue_;
  bool known_ = false;
  std::shared_ptr<const ToCome> to_come_;
  std::vector<Place> places_;
  std::map<std::string, std::int64_t> free_;
  std::vector<const Workload*> waiting_;
  Most most_;
};

}  // namespace

std::vector<Demand> demand(const Cluster& cluster, const mig::Catalogue& catalogue,
                           const std::function<bool()>& stop) {
  return Sums(cluster, catalogue).rows(stop);
}

}  // namespace tessera::why
