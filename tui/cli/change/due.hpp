// Which runs a timer carries on: `tessera resume --due` and `tessera fleet run`.
// Threads: pure functions; texts are in the reader's language.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/model.hpp"
#include "engine/model/run_news.hpp"
#include "engine/plan/run/run.hpp"
#include "tui/cli/streams.hpp"

namespace tessera::cli {

// Why a parked run is not carried on, which is told.
struct NotCarriedOn {
  std::string why;
  // It was begun for what is over by now. Where it has done nothing but close nodes, these are opened again.
  bool over = false;
  bool finding = true;
};
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
// A run that was left, and where it stands.
struct LeftRun {
  const RunHead& head;
  const plan::Run* run;  // what its journal says; null: it cannot be read
  const Cluster& cluster;
  const plan::Means& means;
  const FailedNodes& failed;
};
using WhyNot = std::function<std::optional<NotCarriedOn>(const LeftRun&)>;
using TakesUp = std::function<bool(const RunHead&)>;

enum class Due : std::uint8_t {
  no_business,  // it is driven, it has ended, or it is nobody's who asks
  unarmed,
  left,      // NotCarriedOn says why
  opened,    // the same, and its nodes are opened again
  goes_on,   // now
  waits,     // as planned: for a time, or until a node is empty
  a_person,  // has to look at it: it was killed
};
struct Judged {
  Due due = Due::no_business;
  std::optional<NotCarriedOn> why;  // left, opened
  bool finding = false;
};
// The next fleet run takes it up, or it waits as planned: no person is needed.
bool takes_care_of_itself(Due due);
std::string_view word(Due due);  // "goes-on" "opened" "waits" "left" "unarmed" "a-person" "no-business"
// cluster: the run's; null: it is not here. kills: how often it was taken up after its tessera had gone, of a
// run that is then carried on, too; nullopt: it is none of these.
Judged judge(const RunHead& head, const plan::Run* run, const Cluster* cluster, TimePoint now,
             std::optional<std::size_t> kills, std::optional<NotCarriedOn> why_not);
// What is said of it; empty: nothing.
std::string judged_text(const RunHead& head, const Judged& judged, const Streams& streams);

// What a person types to have its nodes opened.
std::string way_back(const RunHead& head);
// opens: its nodes are opened again.
std::string not_on_text(const RunHead& head, const NotCarriedOn& why, bool opens, const Streams& streams);

}  // namespace tessera::cli
