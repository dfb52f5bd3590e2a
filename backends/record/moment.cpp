#include "backends/record/moment.hpp"

#include <string>
#include <utility>

namespace tessera::record {

void tell_moment(EventSink& sink, const ClusterName& name, const Cluster& then, TimePoint at) {
  const auto tell = [&](decltype(Event::what) what, TimePoint when) {
    sink.post({name, 0, when, std::move(what)});
  };
  tell(ClusterSeen{then.scheduler, then.simulated, then.version, then.endpoint, then.id}, at);
  tell(LicenceNamed{then.licence}, at);
  // One report a source: a mailbox keeps the newest only, and what it told before it failed still stands.
  for (const auto& [source, health] : then.sources) {
    std::string note = health.note;
    if (health.failure) note += (note.empty() ? "" : "; ") + to_line(*health.failure);
    if (health.last_ok)
      tell(SourceReport{source, {}, {}, std::move(note), health.incomplete}, *health.last_ok);
    else if (health.failure)
      tell(SourceReport{source, health.failure, {}, "", false}, at);
  }
  tell(NodesListed{then.nodes.all()}, at);
  tell(WorkloadsListed{then.workloads.all()}, at);
  tell(PartitionsListed{then.partitions}, at);
  tell(ReservationsListed{then.reservations}, at);
  tell(QuotasListed{then.quotas}, at);
  tell(DaemonsSeen{then.daemons}, at);
  for (const auto& [source, remarks] : then.remarks) tell(RemarksListed{source, remarks}, at);
  tell(Loaded{}, at);
}

}  // namespace tessera::record
