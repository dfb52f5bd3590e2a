#include "backends/record/moment.hpp"

#include <string>
#include <utility>

#include "engine/record/measured_by.hpp"

namespace tessera::record {

void Moments::tell(EventSink& sink, const ClusterName& name, const Cluster& then, TimePoint at) {
  const auto tell = [&](decltype(Event::what) what, TimePoint when) {
    sink.post({name, 0, when, std::move(what)});
  };
  for (Source source : std::exchange(remarked_, {}))
    if (!then.remarks.contains(source)) tell(RemarksListed{source, {}}, at);
  for (const auto& [source, remarks] : then.remarks) remarked_.insert(source);
  // A list of nodes takes no figure away, and what was measured later was not known at this time.
  std::map<NodeName, std::set<Source>> now;
  for (const Node& node : then.nodes.all()) now.emplace(node.name, told_by(node));
  for (const auto& [node, sources] : measured_)
    for (Source source : sources)
      if (const auto there = now.find(node); there != now.end() && !there->second.contains(source))
        tell(Measured{node, source, at, {}}, at);
  measured_ = std::move(now);
  tell(ClusterSeen{then.scheduler, then.simulated, then.version, then.endpoint, then.id}, at);
  tell(LicenceNamed{then.licence}, at);
  // One report a source: a mailbox keeps the newest only, and what it told before it failed still stands.
  for (const auto& [source, health] : then.sources) {
    std::string note = health.note;
    if (health.failure) note += (note.empty() ? "" : "; ") + to_line(*health.failure);
    if (health.last_ok)
      tell(SourceReport{source, {}, {}, std::move(note), health.incomplete, health.cost}, *health.last_ok);
    else if (health.failure)
      tell(SourceReport{source, health.failure, {}, "", false, health.cost}, at);
  }
  tell(NodesListed{then.nodes.copies()}, at);
  tell(WorkloadsListed{then.workloads.copies()}, at);
  tell(PartitionsListed{then.partitions}, at);
  tell(ReservationsListed{then.reservations}, at);
  tell(QuotasListed{then.quotas}, at);
  tell(DaemonsSeen{then.daemons}, at);
  for (const auto& [source, remarks] : then.remarks) tell(RemarksListed{source, remarks}, at);
}

}  // namespace tessera::record
