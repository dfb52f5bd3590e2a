// Reservations of Slurm against one job: which keep it off which nodes, now or because it would still run
// when they begin. Read once for all nodes. Threads: values; one owner.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/model/model.hpp"

namespace tessera::why {

// Whether a job may run in that reservation: `--reservation` takes several, "r1,r2".
bool names_reservation(const Workload& workload, const std::string& reservation);

class Reserved {
 public:
  // cluster and workload live longer than this. wall: the cluster's own time.
  Reserved(const Cluster& cluster, const Workload& workload, TimePoint wall);

  // Of the same job, also where it is asked about with other requests.
  bool is_of(const Workload& workload) const { return workload.id == workload_.id; }

  struct Against {
    std::string text;
    bool known = true;               // false: what decides is not told
    std::optional<TimePoint> until;  // it may run there until then, were its time limit so short
    std::string by;                  // the reservation
  };
  // A node that is closed by a reservation of the job's own, as the job finds it: open. nullopt: it is none.
  std::optional<Node> as_its_own(const Node& node) const;

  // Why they keep it off that node; nullopt: none does, as far as is told. A reservation of a part of a
  // node's CPUs counts as one of the whole node: its cores are not told one by one.
  std::optional<Against> against(const Node& node) const;

 private:
  struct Coming {
    const Reservation* what;
    TimePoint start;
    std::set<std::string> nodes;
  };
  std::optional<Against> not_in_own(const Node& node) const;

  const Workload& workload_;
  TimePoint wall_;
  std::vector<Coming> coming_;  // that are not its own, the first to begin first
  std::vector<Coming> own_;     // that bind it to their nodes; start: zero where it has begun
  bool own_unread_ = false;     // one of its own is not listed, or binds it to no nodes
};

}  // namespace tessera::why
