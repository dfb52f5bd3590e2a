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

std::set<std::string> nodes_of(const Reservation& one) {
  const auto hosts = expand_hosts(one.nodes);
  return hosts ? std::set<std::string>(hosts->begin(), hosts->end()) : std::set<std::string>();
}

}  // namespace

std::optional<Node> as_let_in(const Node& node) {
  if (!insight::is_reserved(node)) return std::nullopt;
  Node open = node;
  open.reservation.clear();
  std::erase_if(open.state, [](const std::string& flag) {
    return flag == "RESERVED" || flag == "MAINT" || flag == "MAINTENANCE";
  });
  return open;
}

OwnReservations::OwnReservations(const Cluster& cluster, const Workload& workload) {
  if (cluster.scheduler != Scheduler::slurm || !workload.needs || workload.needs->reservation.empty()) return;
  std::string word;
  for (const char c : workload.needs->reservation + ',')
    if (c != ',')
      word += c;
    else if (!word.empty())
      names_.insert(std::exchange(word, {}));
  for (const Reservation& one : cluster.reservations) {
    if (!names_.contains(one.name)) continue;
    ++listed_;
    flexible_ = flexible_ || has_flag(one, "FLEX");
    nodes_.merge(nodes_of(one));
  }
}

bool OwnReservations::hold(const Node& node) const {
  if (!any() || !insight::is_reserved(node)) return false;
  return node.reservation.empty() ? nodes_.contains(node.name.text) : names_.contains(node.reservation);
}

Reserved::Reserved(const Cluster& cluster, const Workload& workload, TimePoint wall)
    : workload_(workload), own_(cluster, workload), wall_(wall) {
  if (cluster.scheduler != Scheduler::slurm) return;
  for (const Reservation& one : cluster.reservations) {
    const bool own = own_.has(one.name);
    // What is over is listed until slurmctld has purged it.
    if (one.end && *one.end <= wall) continue;
    const bool begun = one.start && *one.start <= wall;
    if (!own && (begun || !one.start)) continue;  // the node itself tells of one that has begun
    Coming coming{&one, one.start.value_or(TimePoint{}), nodes_of(one)};
    (!own ? coming_ : begun || !one.start ? begun_ : to_come_).push_back(std::move(coming));
  }
  std::sort(coming_.begin(), coming_.end(),
            [](const Coming& a, const Coming& b) { return a.start < b.start; });
}

std::optional<Reserved::Against> Reserved::not_in_own(const Node& node) const {
  if (!own_.bind()) return std::nullopt;
  const std::string& names = workload_.needs->reservation;
  const auto has_node = [&](const Coming& one) { return one.nodes.contains(node.name.text); };
  // A reservation of licences has no nodes, and binds to none.
  const auto is_free = [&](const Coming& one) { return has_node(one) || one.nodes.empty(); };
  if (std::any_of(begun_.begin(), begun_.end(), is_free)) return std::nullopt;
  const auto first =
      std::min_element(to_come_.begin(), to_come_.end(), [&](const Coming& a, const Coming& b) {
        return std::pair(!has_node(a), a.start) < std::pair(!has_node(b), b.start);
      });
  if (first != to_come_.end() && has_node(*first))
    return Against{fmt::format("its reservation, {}, begins at {}", first->what->name, time_of(first->start)),
                   true,
                   {},
                   first->what->name};
  if (!own_.are_all_listed())
    return Against{
        fmt::format("whether it is in its reservation, {}, is not known", names), false, {}, names};
  return Against{fmt::format("not in its reservation, {}", names), true, {}, names};
}

std::optional<Node> Reserved::as_its_own(const Node& node) const {
  return own_.hold(node) ? as_let_in(node) : std::nullopt;
}

std::optional<Reserved::Against> Reserved::against(const Node& node) const {
  const bool own = own_.hold(node);
  if (insight::is_reserved(node) && !own)
    return Against{insight::reserved_words(node), true, {}, node.reservation};
  if (!own)
    if (auto against = not_in_own(node)) return against;
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
