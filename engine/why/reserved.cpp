#include "engine/why/reserved.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/hostlist.hpp"
#include "engine/insight/available.hpp"
#include "engine/query/value.hpp"
#include "engine/why/details.hpp"

namespace tessera::why {
namespace {

bool has_flag(const Reservation& one, std::string_view flag) {
  return ("," + one.flags + ",").find("," + std::string(flag) + ",") != std::string::npos;
}

std::string minutes_text(Duration time) {
  return query::duration_text(std::chrono::duration_cast<std::chrono::seconds>(time).count());
}

}  // namespace

bool names_reservation(const Workload& workload, const std::string& reservation) {
  if (!workload.needs || reservation.empty()) return false;
  return ("," + workload.needs->reservation + ",").find("," + reservation + ",") != std::string::npos;
}

Reserved::Reserved(const Cluster& cluster, const Workload& workload, TimePoint wall)
    : workload_(workload), wall_(wall) {
  if (cluster.scheduler != Scheduler::slurm) return;
  std::size_t named = 0;
  for (const Reservation& one : cluster.reservations) {
    const bool own = names_reservation(workload, one.name);
    named += own;
    // What is over is listed until slurmctld has purged it.
    if (one.end && *one.end <= wall) continue;
    const bool begun = one.start && *one.start <= wall;
    if (!own && (begun || !one.start)) continue;  // the node itself tells of one that has begun
    Coming coming{&one, begun ? TimePoint{} : one.start.value_or(TimePoint{}), {}};
    if (auto hosts = expand_hosts(one.nodes)) coming.nodes.insert(hosts->begin(), hosts->end());
    // FLEX lets its jobs begin before it, and on other nodes.
    if (own && (coming.nodes.empty() || has_flag(one, "FLEX"))) own_unread_ = true;
    (own ? own_ : coming_).push_back(std::move(coming));
  }
  const auto wanted =
      workload.needs
          ? std::count(workload.needs->reservation.begin(), workload.needs->reservation.end(), ',') + 1
          : 0;
  if (named < static_cast<std::size_t>(wanted)) own_unread_ = true;
  std::sort(coming_.begin(), coming_.end(),
            [](const Coming& a, const Coming& b) { return a.start < b.start; });
}

std::optional<Reserved::Against> Reserved::not_in_own(const Node& node) const {
  if (!workload_.needs || workload_.needs->reservation.empty() || own_unread_) return std::nullopt;
  const Coming* first = nullptr;
  for (const Coming& one : own_)
    if (one.nodes.contains(node.name.text) && (!first || one.start < first->start)) first = &one;
  const std::string& names = workload_.needs->reservation;
  if (!first) return Against{fmt::format("not in its reservation, {}", names), true, {}, names};
  if (first->start == TimePoint{}) return std::nullopt;
  return Against{fmt::format("its reservation, {}, begins at {}", first->what->name, time_of(first->start)),
                 true,
                 {},
                 first->what->name};
}

// Slurm 22.05 tells that a node is reserved, and not by which reservation.
std::optional<Node> Reserved::as_its_own(const Node& node) const {
  if (!insight::is_reserved(node)) return std::nullopt;
  const bool begun = std::any_of(own_.begin(), own_.end(), [&](const Coming& one) {
    return one.start == TimePoint{} && one.nodes.contains(node.name.text);
  });
  const bool own = node.reservation.empty() ? begun : names_reservation(workload_, node.reservation);
  if (!own) return std::nullopt;
  Node open = node;
  open.reservation.clear();
  std::erase(open.state, "RESERVED");
  return open;
}

std::optional<Reserved::Against> Reserved::against(const Node& node) const {
  if (insight::is_reserved(node) && !as_its_own(node))
    return Against{insight::reserved_words(node), true, {}, node.reservation};
  if (auto own = not_in_own(node)) return own;
  for (const Coming& one : coming_) {
    if (!one.nodes.contains(node.name.text)) continue;
    const std::string begins =
        fmt::format("the reservation {} begins there at {}", one.what->name, time_of(one.start));
    if (!workload_.limit)
      return Against{begins + ", and no time limit of the job is told", false, one.start, one.what->name};
    if (wall_ + *workload_.limit <= one.start) return std::nullopt;
    return Against{fmt::format("{}, and with its time limit, {}, it may still run then", begins,
                               minutes_text(*workload_.limit)),
                   true, one.start, one.what->name};
  }
  return std::nullopt;
}

}  // namespace tessera::why
