// Which runs a timer carries on: `tessera resume --due` and `tessera fleet run`.
// Threads: pure functions; texts are in the reader's language.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/fleet/carried_on.hpp"
#include "engine/model/model.hpp"
#include "engine/model/run_news.hpp"
#include "engine/plan/run/run.hpp"
#include "tui/cli/streams.hpp"

namespace tessera::cli {

using fleet::FailedNodes;
using fleet::NotCarriedOn;

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

// opens: its nodes are opened again.
std::string not_on_text(const RunHead& head, const NotCarriedOn& why, bool opens, const Streams& streams);

}  // namespace tessera::cli
