// Whether a fleet file lets fleet run go on with a run that was left: whether it still wants what the run
// makes, whether its window is over, and whether another run for that window has failed.
// Threads: pure functions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/fleet/survey.hpp"
#include "engine/fleet/zone.hpp"
#include "engine/model/run_news.hpp"
#include "engine/plan/run/run.hpp"

namespace tessera::fleet {

// Why a run that was left is not carried on, which is told.
struct NotCarriedOn {
  std::string why;
  // It was begun for what is over by now. Where it has done nothing but close nodes, these are opened again.
  bool over = false;
  bool finding = true;
};
// Whether the next fleet run opens its nodes again. run: null: its journal cannot be read.
bool opens_again(const NotCarriedOn& why, const plan::Run* run);
// What a person types to have its nodes opened.
std::string way_back(const RunHead& head);
// Why it is left, with the way back where it is left for being over.
std::string left_text(const RunHead& head, const NotCarriedOn& why);

// Nodes that have failed, or wait for a person, in runs that have not ended: of what is closed for one window
// in several calls each call has made a run, and all of them bear the same words.
class FailedNodes {
 public:
  struct One {
    std::string run;
    NodeName node;
  };
  void note(const plan::Run& run);  // as it stands now
  // Those of other runs of these words.
  std::vector<One> beside(const ClusterName& cluster, const std::string& words, const std::string& run) const;

 private:
  std::map<std::pair<ClusterName, std::string>, std::map<std::string, std::vector<NodeName>>> all_;
};
// Why nothing more of the pools of these nodes is changed for a window: a node has failed in another run for
// it. words: of the runs for it. run: the one that is asked about; empty: none yet.
std::optional<std::string> why_others_wait(const Fleet& file, const mig::Catalogue& catalogue,
                                           const FailedNodes& failed, const Cluster& cluster,
                                           const std::string& words, const std::vector<NodeName>& nodes,
                                           const std::string& run);

// A run of the file that is parked or was killed, and its cluster as it is now.
struct AtRest {
  const RunHead& head;
  const plan::Run* run = nullptr;  // what its journal says; null: it cannot be read
  const Cluster& cluster;
  Place place;
  TimePoint wall{};  // this machine's clock
};
struct FileSays {
  std::optional<NotCarriedOn> not_on;  // nullopt: it goes on
  // By its rules it cannot be told whether it still wants what the run makes: by when it was written then.
  bool untold = false;
};
FileSays says_of(const Fleet& file, const Zone& zone, const AtRest& left);
NotCarriedOn changed_since_begun(const RunHead& head);

// Of one that waits as planned: why no fleet run goes on with it, with the ways out; empty: one does, or
// opens its nodes again.
std::string why_left(const Fleet& file, const Zone& zone, const AtRest& left, const FailedNodes& failed);

}  // namespace tessera::fleet
