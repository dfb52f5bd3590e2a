// Which runs a timer carries on: `tessera resume --due` and `tessera fleet run`.
// Threads: pure functions; texts are in the reader's language.
#pragma once

#include <functional>
#include <optional>
#include <string>

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
// A run that was left, and where it stands.
struct LeftRun {
  const RunHead& head;
  const plan::Run* run;  // what its journal says; null: it cannot be read
  const Cluster& cluster;
  const plan::Means& means;
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
std::string_view word(Due due);  // "goes-on" "opened" "waits" "left" "unarmed" "a-person" "no-business"
// cluster: the run's; null: it is not here. killed: runs whose tessera is gone are carried on, too.
Judged judge(const RunHead& head, const plan::Run* run, const Cluster* cluster, TimePoint now, bool killed,
             std::optional<NotCarriedOn> why_not);
// What is said of it; empty: nothing.
std::string judged_text(const RunHead& head, const Judged& judged, const Streams& streams);

// Nothing of it has failed, and it waits for a time or until nodes are empty.
bool waits_as_planned(const plan::Run& run);

// What a person types to have its nodes opened.
std::string way_back(const RunHead& head);
// opens: its nodes are opened again.
std::string not_on_text(const RunHead& head, const NotCarriedOn& why, bool opens, const Streams& streams);

// A run of a fleet file is called "as FILE says", one for a window of it "as FILE says from TIME". FILE is
// its whole path; in runs of earlier versions, and of a console that was given no whole path, its name alone.
std::string words_of(const std::string& file);
std::optional<std::string> file_of(const RunHead& head);
struct OfWindow {
  std::string file;
  TimePoint from{};
};
std::string words_of(const OfWindow& window);
std::optional<OfWindow> window_of(const RunHead& head);

}  // namespace tessera::cli
