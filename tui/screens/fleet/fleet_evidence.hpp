// Who was at the nodes that differ from the fleet file: what journals say that the newest run of each node
// left there, and what a recording says of when its layout changed.
//
// Both may take long, so what is read is kept for the next answer, and where reading was given up it goes on.
// Threads: one owner, the planner's thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/fleet/changed_by.hpp"
#include "engine/pack/problem.hpp"
#include "tui/fleet_state.hpp"
#include "tui/packer.hpp"

namespace tessera::tui {

class FleetEvidenceReader {
 public:
  explicit FleetEvidenceReader(FleetSources sources) : sources_(std::move(sources)) {}

  // The journal of a run, as it is kept or read now; nullopt: it cannot be read.
  std::optional<plan::Run> journal_of(const RunHead& head) const;
  // tell: the answer with what is known, before something is read for it.
  FleetSeen read(std::shared_ptr<const FleetAnswer> answer, const pack::Stop& stop, const Tell& tell);

 private:
  struct Journal {
    std::optional<TimePoint> last;  // of its lines, when it was read; nullopt: the run was under way
    std::optional<plan::Run> run;   // nullopt: it cannot be read
  };
  // Rounds of a recording, of nodes that are looked for together.
  struct Rounds {
    std::map<NodeName, fleet::LayoutWatch> watches;
    std::optional<TimePoint> to;   // that were read; nullopt: none
    std::optional<TimePoint> now;  // when they were read to their end; nullopt: they were not
    bool recorded = false;         // there is a recording of the cluster
    std::optional<Error> failure;
  };

  std::shared_ptr<const FleetEvidence> told(const FleetAnswer& answer) const;
  // Those whose journals tell something that the answer is about: runs that are parked, or were killed in a
  // window of the file, then the newest ones of its nodes, of those that drift first.
  static std::vector<const RunHead*> runs_to_read(const FleetAnswer& answer);
  // Of the parked runs of the file those that wait for a person, as far as their journals are read.
  std::map<std::string, std::string> parked_for_a_person(const FleetQuestion& asked) const;
  bool is_read(const RunHead& head) const;
  void read_journals(const std::vector<const RunHead*>& runs, const pack::Stop& stop);
  // Nodes that drift for the first time are looked for from the beginning; false: nothing is to be read.
  bool expect_rounds(const FleetAnswer& answer);
  void read_rounds(const FleetQuestion& asked, const pack::Stop& stop);
  static Status read_on(Rounds& rounds, record::Recording& recording, TimePoint clock,
                        const pack::Stop& stop);

  FleetSources sources_;
  std::map<std::string, Journal> journals_;
  std::map<ClusterName, std::vector<Rounds>> rounds_;
};

}  // namespace tessera::tui
