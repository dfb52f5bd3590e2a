// One call of `tessera fleet VERB`: what it was given, what it has read, and what each verb does with that.
//
// fleet.cpp has the verbs that look and the one plan of plan and apply, fleet_run.cpp what is due by the
// windows. Threads: one owner.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/fleet/edit.hpp"
#include "engine/fleet/no_room.hpp"
#include "engine/fleet/survey.hpp"
#include "engine/fleet/windows.hpp"
#include "tui/cli/change/change.hpp"
#include "tui/cli/change/planning.hpp"
#include "tui/cli/change/runs_at_rest.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/fleet/fleet.hpp"
#include "tui/cli/fleet/fleet_files.hpp"
#include "tui/cli/fleet/fleet_log.hpp"
#include "tui/cli/fleet/fleet_text.hpp"

namespace tessera::cli {

// The worse of two exit codes: a signal, wrong usage, a finding, unknown, done.
int worse(int a, int b);

class FleetCommand {
 public:
  FleetCommand(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
               const Streams& streams)
      : options_(options),
        catalogue_(catalogue),
        joins_(joins),
        streams_(streams),
        clusters_(options, catalogue, joins, streams) {}

  int run();

 private:
  std::optional<Error> take_words();
  // A flag that a verb would pass over changes what a person expects of it.
  std::optional<Error> flag_without_effect() const;
  Status read_file();
  // The clusters that were read, and the nodes that --node means.
  std::optional<Refusal> choose();
  // The file as it is to be now, by the cluster's clock.
  const fleet::Fleet& fleet_now(const Cluster& cluster);
  int calendar();
  fleet::Place place_of(const Cluster& cluster);
  int init();
  std::optional<Refusal> make_surveys();
  // Why the runs that are known here may not be all; nullopt: they are.
  std::optional<Refusal> list_known_runs();
  // The journals of the newest run of each node that the call is about, for what they left there.
  void read_newest_runs();
  // Runs of this file that have not ended and wait for a person, whatever stands on their nodes by now.
  // Precondition: the runs are listed, and judged where nothing has taken them up. It lets events in: before
  // the surveys.
  void find_left_runs();
  void tell_left_runs();
  // What fleet run would skip, and so has skipped as long as nothing has changed since (fleet_left.cpp).
  void note_passed_over();
  // beside: drift that a change of this very call mends is no finding.
  int code(bool beside = false) const;
  int show(const std::string& text) const;
  int explain() const;
  // The fleet file with other values for a pool: shown, and with --yes written (fleet_set.cpp).
  std::optional<Error> take_settings(std::vector<std::string> words);
  int set() const;
  // Who changed a node, as far as others than the journals tell: one fact a line (fleet_changed.cpp).
  std::vector<std::string> changed_lines(const Cluster& cluster, const Node& node) const;
  std::optional<std::string> recorded_line(const Cluster& cluster, const NodeName& node) const;
  // One plan is about one cluster.
  std::string nothing_words() const;  // why plan and apply change nothing
  int change();
  // The command of this verb, or another one, for each of these clusters.
  std::string one_by_one(const std::vector<plan::Intent>& intents, const std::string& verb) const;
  int change_each(std::vector<plan::Intent> intents);
  int change(plan::Intent intent);
  std::string words() const;
  std::string file_name() const;
  // windows_told: those that never hold are named elsewhere.
  std::string told_notes(bool windows_told = false) const;
  bool is_past() const;  // --at: the clusters are those of a recording
  void tell_moment() const;
  // Empty: it is not. That it cannot be found out counts as paused.
  std::string paused_text() const;
  // Whoever reads the file sees it: it lies beside the file.
  int pause() const;
  // Shows whose pause it removes; that of another user needs --yes.
  int unpause() const;
  // What fleet run has noted beside the runs (fleet_log.hpp).
  int log() const;

  // fleet run.
  // Why nothing more is begun: it is paused, or the file says something else than when this call read it.
  std::optional<std::string> why_no_more() const;
  // Why a run that is under way rests: the file was paused meanwhile. Empty: it goes on.
  std::string why_rest() const;
  // In English, in the log of the file; what keeps it from being noted is told once and stops nothing.
  void note(const std::string& english);
  void note_left(const LeftRun& left, const NotCarriedOn& why);
  FleetPlace place() const;
  std::string person() const;
  // Nothing is begun beside another runner or while paused; earlier runs are carried on first.
  std::optional<int> before_run();
  // What a run of this file was to make may be something else by now, or it is too late for it.
  std::optional<NotCarriedOn> why_not_carried_on(const LeftRun& left) const;
  // What becomes of those that are parked or were killed with the next fleet run, into judged_, too: whoever
  // only looks goes by what a runner does. It lets events in: before the surveys.
  std::vector<std::pair<RunHead, Judged>> judge_runs();
  void tell_parked();
  // What is due now, pool by pool, each with its own patience and budget.
  int run_due();
  // The same for whoever looks: a calendar, and what would be begun; as a document it is one.
  int run_dry();
  bool as_document() const { return options_.dry_run && options_.output != OutputFormat::table; }
  void show_document(const Json& json) const;
  // What is begun for one pool: once, or as long as more of its nodes are to be begun. false: nothing more is
  // begun at all.
  bool in_turns(const std::function<int()>& turn);
  // Nodes of runs that have not ended: these are the runs' business, or a person's. Of a parked run of a pool
  // that goes on, those that are done are not.
  std::set<NodeName> busy_nodes(const ClusterName& cluster, const fleet::Pool& pool);
  void read_parked_runs();
  // A finding where busy nodes keep a pool from being changed, unless their runs wait as planned.
  int code_of_busy(const fleet::Survey& survey, const fleet::Pool& pool, const std::set<NodeName>& busy,
                   const std::set<NodeName>& without) const;
  // named: as the run's words name it.
  bool is_this_file(const std::string& named) const;
  bool is_of_this_file(const RunHead& head) const;
  // Begun by fleet run on this very file, for one of its windows.
  bool is_for_a_window(const RunHead& head) const;
  // Nodes that a run has made, or was to make, as a window wants them that opens later: until then nothing of
  // the phase before is made there again.
  std::set<NodeName> early_nodes(const ClusterName& cluster, TimePoint now) const;
  // The opening of the window for which a run of this file was begun; nullopt: for none.
  std::optional<TimePoint> opening_of(const RunHead& head) const;
  // What such a run is called; `fleet apply` by a person has no date.
  std::string words_from(TimePoint from) const;
  std::string whole_path() const;
  // A finding: why a pool is passed over this time.
  int skip(const std::string& pool, const std::string& why, int code = kFinding);
  // In the process it waits for nobody: a node that is held is closed and parked, and the next call goes on.
  plan::ChangeOptions patience_of(const fleet::Pool& pool) const;
  // On the clusters as they are now, and the file as it is to be now.
  int run_pool(const ClusterName& name, const std::string& pool_name);
  // Nodes whose work may run until the next window of the pool opens are closed for it now.
  int run_early(const ClusterName& name, const std::string& pool_name);
  // Nodes of a plan: those whose time for the window has come, with work on them or without, and the others.
  struct EarlyNodes {
    std::set<NodeName> held, free, later;
  };
  EarlyNodes early_turn(const Cluster& cluster, const fleet::Pool& pool, const plan::Plan& plan,
                        TimePoint opening);
  // called: the run. without: nodes that are left out beside those of runs that have not ended. closes: each
  // of its nodes is held, and closed at once.
  int begin_pool(const Cluster& cluster, const fleet::Pool& pool, const fleet::Survey& survey,
                 const std::string& called, std::set<NodeName> without, bool closes = false);
  // How many nodes the budget of the pool leaves beside those of runs that have not ended. Returns the code
  // of a pool that is passed over, since there are none.
  std::optional<int> take_room(const fleet::Pool& pool, const fleet::Survey& survey,
                               const std::set<NodeName>& busy, int held_up, std::size_t& room);
  // Its run has no more nodes under way than that: of a pool that stops by its batches, of one that goes on
  // when a node fails by its nodes; the rest of these gets runs of its own.
  std::optional<int> take_turn(const ClusterName& cluster, const fleet::Pool& pool,
                               const fleet::Survey& survey, plan::Intent& intent,
                               const std::set<NodeName>& busy, int held_up);
  void tell(const std::string& english) const;
  // nullptr: it does not answer as a whole now.
  const Cluster* answering(const ClusterName& name);
  // Names the nodes of a pool that drift and that another keeps closed, once, and adds them to `without`.
  void leave_closed(const fleet::Survey& survey, const fleet::Pool& pool, const std::set<NodeName>& busy,
                    std::set<NodeName>& without);
  // Nodes that a plan closes and that are not empty in time for its phase. from: when that begins.
  void tell_late(const fleet::Pool& pool, const plan::Plan& plan, const Cluster& cluster, TimePoint from);

  const Options& options_;
  const mig::Catalogue& catalogue_;
  const Joins& joins_;
  const Streams& streams_;
  OpenClusters clusters_;
  std::string verb_, node_, path_;
  std::string pool_;                      // set
  std::vector<fleet::Setting> settings_;  // set
  fleet::Fleet fleet_;
  fleet::Zone zone_;
  std::deque<fleet::Fleet> now_;   // one for each cluster: surveys point into them
  std::vector<ClusterName> read_;  // the model moves clusters when one comes in late
  std::vector<NodeName> only_;
  std::map<ClusterName, plan::Means> means_;
  FleetPage page_;
  std::string stamp_;                                // of the file as it was read
  std::optional<std::string> noted_by_;              // run: once it is asked for
  bool untold_log_ = true;                           // run: no failure of the log is told yet
  std::optional<FleetLock> lock_;                    // run
  std::set<std::string> told_busy_, told_early_;     // run
  fleet::OpenRuns open_;                             // run: of parked runs
  std::map<ClusterName, std::set<NodeName>> tried_;  // run: by this call, of pools that go on
  std::set<std::string> waiting_;                    // run: runs that are parked as planned
  FailedNodes failed_;                               // run: of parked runs
  std::map<std::string, Judged> judged_;             // what becomes of runs at rest, where it is known
  KeptJournals journals_;                            // of runs at rest
  std::set<NodeName> left_parked_, waits_;           // run: by runs of this file, of busy_nodes()
  Json due_list_ = Json::list(), early_list_ = Json::list(), run_list_ = Json::list(),
       skipped_list_ = Json::list();  // of run --dry-run -o json
  Json due_json_;                     // the same as a whole
  bool more_ = false;                 // run: of the pool that is being begun
  int worst_ = kDone;                 // run: so far
};

}  // namespace tessera::cli
