// Reservations of Slurm against one job: which keep it off which nodes, now or because it would still run
// when they begin. Read once for all nodes. Threads: values; one owner.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/model/model.hpp"

namespace tessera::why {

// A node in a reservation that has begun, as work that is let in finds it: open. nullopt: it is in none.
std::optional<Node> as_let_in(const Node& node);

// The reservations that a job names: `--reservation` takes several, "r1,r2". The cluster lives longer.
class OwnReservations {
 public:
  OwnReservations() = default;  // of a job that names none
  OwnReservations(const Cluster& cluster, const Workload& workload);
  bool has(const std::string& reservation) const { return names_.contains(reservation); }
  // Whether it is one of these that the node is in now. Slurm 22.05 tells that a node is reserved, and not by
  // which reservation: then one of these that has begun and lists the node.
  bool hold(const Node& node) const;
  // Whether one of these, begun or not, lists the node.
  bool list(const Node& node) const;
  // Whether they bind the job to their nodes: FLEX lets it run beside them, and one that has no nodes, of
  // licences alone, keeps it off none.
  bool bind() const { return !names_.empty() && !elsewhere_; }
  // Whether they bind it to nodes that it can have none of yet: each of those listed begins later.
  bool all_begin_after(TimePoint now) const;
  // Whether all of them are listed, with nodes that can be read: else they may have any node.
  bool are_told() const { return told_; }

 private:
  struct Listed {
    const Reservation* what;
    std::optional<std::set<std::string>> nodes;  // nullopt: not looked at yet
  };
  static bool lists(Listed& one, const Node& node);

  std::set<std::string> names_;
  mutable std::vector<Listed> listed_;
  bool elsewhere_ = false, told_ = true;
};

// The reservations that have not begun, node by node: read once for all jobs. The cluster lives longer.
class ToCome {
 public:
  using List = std::vector<const Reservation*>;  // the first to begin first

  ToCome() = default;
  // now: by the cluster's own time; nullopt: it is not known. Then no time limit is known to be short enough.
  ToCome(const Cluster& cluster, std::optional<TimePoint> now);
  const List& all() const { return all_; }
  const List* on(const Node& node) const;  // nullptr: none

  // The first of these, not its own, in which a job that starts then would still run by its time limit;
  // nullptr: none. Without a limit it may run on for ever.
  static const Reservation* met(const List* list, const OwnReservations& own, TimePoint from,
                                std::optional<Duration> limit);
  // The same of a start now, with whether that is more than a guess.
  struct Met {
    const Reservation* what = nullptr;
    bool known = true;  // false: the job's time limit is not told, or what time it is
  };
  Met met_now(const Node& node, const OwnReservations& own, const Workload& workload) const;
  // Jobs of the same number, started now, meet the same of these wherever they start, but for their own.
  std::size_t reach_of(const Workload& workload) const;

 private:
  List all_;
  std::map<std::string, List> by_node_;
  std::optional<TimePoint> now_;
};

class Reserved {
 public:
  // cluster and workload live longer than this. wall: the cluster's own time.
  Reserved(const Cluster& cluster, const Workload& workload, TimePoint wall);
  // Of the same job, also where it is asked about with other requests.
  bool is_of(const Workload& workload) const { return workload.id == workload_.id; }

  // A node that is closed by a reservation of the job's own, as the job finds it. nullopt: it is none.
  std::optional<Node> as_its_own(const Node& node) const;

  struct Against {
    std::string text;
    bool known = true;               // false: what decides is not told
    std::optional<TimePoint> until;  // it may run there until then, were its time limit so short
    std::string by;                  // the reservation
  };
  // Why they keep it off that node, as it is listed; nullopt: none does, as far as is told. A reservation of
  // a part of a node's CPUs counts as one of the whole node: its cores are not told one by one.
  std::optional<Against> against(const Node& node) const;

 private:
  struct Coming {
    const Reservation* what;
    TimePoint start;
    std::set<std::string> nodes;
    bool unread = false;
  };
  std::optional<Against> not_in_own(const Node& node) const;

  const Workload& workload_;
  OwnReservations own_;
  TimePoint wall_;
  ToCome all_to_come_;
  std::vector<Coming> to_come_;  // of its own
  std::vector<Coming> begun_;    // of its own
};

}  // namespace tessera::why
