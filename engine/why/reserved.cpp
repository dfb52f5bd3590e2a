#include "engine/why/reserved.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "engine/hostlist.hpp"
#include "engine/insight/available.hpp"
#include "engine/query/value.hpp"
#include "engine/text.hpp"
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

// As scontrol writes it of a reservation that has begun.
bool is_active(const Reservation& one) { return one.state == "ACTIVE"; }

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
  for (const std::string_view name : parts_at_commas(workload.needs->reservation)) names_.emplace(name);
  for (const Reservation& one : cluster.reservations) {
    if (!names_.contains(one.name)) continue;
    listed_.push_back({&one, std::nullopt});
    elsewhere_ = elsewhere_ || has_flag(one, "FLEX") || (is_active(one) && one.nodes.empty());
    told_ = told_ && (one.nodes.empty() || expand_hosts(one.nodes));
  }
  told_ = told_ && listed_.size() == names_.size();
}

bool OwnReservations::lists(Listed& one, const Node& node) {
  if (!one.nodes) one.nodes = nodes_of(*one.what);
  return one.nodes->contains(node.name.text);
}

bool OwnReservations::hold(const Node& node) const {
  if (names_.empty() || !insight::is_reserved(node)) return false;
  if (!node.reservation.empty()) return names_.contains(node.reservation);
  return std::any_of(listed_.begin(), listed_.end(),
                     [&](Listed& one) { return is_active(*one.what) && lists(one, node); });
}

bool OwnReservations::list(const Node& node) const {
  return std::any_of(listed_.begin(), listed_.end(), [&](Listed& one) { return lists(one, node); });
}

bool OwnReservations::all_begin_after(TimePoint now) const {
  return bind() && !listed_.empty() && std::all_of(listed_.begin(), listed_.end(), [&](const Listed& one) {
           return one.what->start && *one.what->start > now;
         });
}

ToCome::ToCome(const Cluster& cluster, std::optional<TimePoint> now) : now_(now) {
  if (cluster.scheduler != Scheduler::slurm) return;
  for (const Reservation& one : cluster.reservations) {
    // What is over is listed until slurmctld has purged it; the node itself tells of one that has begun.
    const bool over = now && one.end && *one.end <= *now;
    const bool begun = now ? one.start && *one.start <= *now : is_active(one);
    if (one.start && !over && !begun) all_.push_back(&one);
  }
  std::sort(all_.begin(), all_.end(),
            [](const Reservation* a, const Reservation* b) { return *a->start < *b->start; });
  for (const Reservation* one : all_)
    for (const std::string& name : nodes_of(*one)) by_node_[name].push_back(one);
}

const ToCome::List* ToCome::on(const Node& node) const {
  const auto found = by_node_.find(node.name.text);
  return found == by_node_.end() ? nullptr : &found->second;
}

const Reservation* ToCome::met(const List* list, const OwnReservations& own, TimePoint from,
                               std::optional<Duration> limit) {
  if (list == nullptr) return nullptr;
  for (const Reservation* one : *list) {
    if (limit && from + *limit <= *one->start) return nullptr;  // and those behind it begin later
    if (!own.has(one->name) && !(one->end && *one->end <= from)) return one;
  }
  return nullptr;
}

ToCome::Met ToCome::met_now(const Node& node, const OwnReservations& own, const Workload& workload) const {
  const bool known = now_ && workload.limit;
  return {met(on(node), own, now_.value_or(TimePoint{}), known ? workload.limit : std::nullopt), known};
}

std::size_t ToCome::reach_of(const Workload& workload) const {
  if (all_.empty()) return 0;
  if (!now_ || !workload.limit) return all_.size() + 1;
  const TimePoint end = *now_ + *workload.limit;
  return static_cast<std::size_t>(
      std::count_if(all_.begin(), all_.end(), [&](const Reservation* one) { return *one->start < end; }));
}

Reserved::Reserved(const Cluster& cluster, const Workload& workload, TimePoint wall)
    : workload_(workload), own_(cluster, workload), wall_(wall), all_to_come_(cluster, wall) {
  if (cluster.scheduler != Scheduler::slurm) return;
  for (const Reservation& one : cluster.reservations) {
    if (!own_.has(one.name) || (one.end && *one.end <= wall)) continue;
    const bool begun = one.start && *one.start <= wall;
    Coming coming{&one, one.start.value_or(TimePoint{}), nodes_of(one), false};
    coming.unread = coming.nodes.empty() && !one.nodes.empty();
    (begun || !one.start ? begun_ : to_come_).push_back(std::move(coming));
  }
}

std::optional<Reserved::Against> Reserved::not_in_own(const Node& node) const {
  if (!own_.bind()) return std::nullopt;
  const std::string& names = workload_.needs->reservation;
  const auto has_node = [&](const Coming& one) { return one.nodes.contains(node.name.text); };
  // One without nodes is of licences alone.
  const auto may_be = [&](const Coming& one) { return has_node(one) || (one.nodes.empty() && !one.unread); };
  if (std::any_of(begun_.begin(), begun_.end(), may_be)) return std::nullopt;
  const Coming* first = nullptr;
  for (const Coming& one : to_come_)
    if (may_be(one) && (!first || one.start < first->start)) first = &one;
  if (first)
    return Against{fmt::format("its reservation, {}, begins at {}", first->what->name, time_of(first->start)),
                   true,
                   {},
                   first->what->name};
  if (!own_.are_told())
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
  const auto [met, known] = all_to_come_.met_now(node, own_, workload_);
  if (met == nullptr) return std::nullopt;
  const std::string at = time_of(*met->start);
  std::string text =
      known ? fmt::format(
                  "the reservation {} begins there at {}, and with its time limit, {}, it may "
                  "still run then",
                  met->name, at, minutes_text(*workload_.limit))
            : fmt::format("the reservation {} begins there at {}, and no time limit of the job is told",
                          met->name, at);
  return Against{std::move(text), known, met->start, met->name};
}

}  // namespace tessera::why
