// Follows one run that is driven here until it is at rest: reports what happens, asks what it asks, parks it
// when a signal comes.
// Threads: the calling thread; the run is driven by the room's own.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/plan/run/run.hpp"
#include "engine/plan/run/teller.hpp"
#include "tui/cli/open_clusters.hpp"

namespace tessera::cli {

// A run as its journal tells it, line by line as they come.
class Followed {
 public:
  // Takes the news in and returns the entries that are new. Errors: those of the journal's parser.
  Result<std::vector<plan::Entry>> take(const RunTold& told);
  const std::optional<plan::Run>& run() const { return run_; }
  const std::vector<plan::Entry>& entries() const { return entries_; }
  const plan::Chain& chain() const { return chain_; }  // after the last of them

 private:
  std::optional<plan::Run> run_;
  std::vector<plan::Entry> entries_;
  plan::Chain chain_;
};

enum class Ending : std::uint8_t {
  finished,
  parked,       // a person has to decide
  waiting,      // parked as planned, until a time or until nodes are empty
  interrupted,  // left in the middle: a second signal came, or its journal can no longer be written
  refused,
};
struct Ended {
  std::string run;
  Ending how = Ending::refused;
  std::optional<Error> refused;
  std::optional<int> signal;
};

// Why a run that is followed is to rest in a safe place; empty: it goes on. Asked every few seconds.
using WhyRest = std::function<std::string()>;

// Whether the second signal says no more than the first: timeout(1) signals its child and then the whole
// group, a shell and the kernel tell both that a terminal is gone. Keys count each time.
bool is_one_wish(int first, int second, Duration apart);

class Follower {
 public:
  // run: its id; empty for one that start() is about to name. All others outlive it.
  Follower(OpenClusters& clusters, const Options& options, const Streams& streams, Lines& lines,
           std::string run);
  ~Follower();
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  // What the journal says already is not reported again.
  void know(const Followed& known) { told_ = known.entries().size(); }
  void rest_when(WhyRest why) { why_rest_ = std::move(why); }
  // Returns when the run is at rest. Precondition: Runs::start() or resume() was called.
  Ended follow();
  const Followed& followed() const { return followed_; }

 private:
  void take(const Event& event);
  void tell(const plan::Entry& entry, const std::string& sentence);
  void tell_still_clock();
  void ask_next();
  void answer(const NodeName& node, plan::Ask what, bool go_on);
  bool knows_answer(plan::Ask what) const;
  void park(int signal);
  void rest_where_wanted();
  bool stands_still() const;
  bool at_rest();
  bool has_acted() const;
  Ended ending() const;

  OpenClusters& clusters_;
  const Options& options_;
  const Streams& streams_;
  Lines& lines_;
  std::string run_;
  Followed followed_;
  plan::Teller teller_;
  std::size_t told_ = 0;
  bool moved_ = false;  // something was written since we follow
  bool asked_to_rest_ = false;
  bool rest_told_ = false;  // nothing is driven here any more
  bool told_still_ = false;
  WhyRest why_rest_;
  std::optional<Error> refused_;
  std::map<NodeName, plan::Asked> questions_;  // not yet answered
  std::optional<NodeName> asking_;             // stands on the terminal
  std::optional<int> signal_;
  // When it came. Not by the wall clock: set back in between, it would take a later signal for the same one.
  std::chrono::steady_clock::time_point asked_to_end_{};
  bool left_ = false;  // a second signal: it is left as it is
};

// How it ended, on standard output in the form that was asked for; what to do next on the other stream.
// expected: the outcome that was wanted. Returns the exit code.
int report(const Ended& ended, const Followed& followed, plan::Outcome expected, const Options& options,
           const Streams& streams);
// The same for what never became a run: "refused", "nothing", "dry-run".
void report_no_run(std::string_view outcome, const std::string& text, const Options& options,
                   const Streams& streams);

}  // namespace tessera::cli
