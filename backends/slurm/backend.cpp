#include "backends/slurm/backend.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "backends/figures/node_exporters.hpp"
#include "backends/process.hpp"
#include "backends/slurm/change/actuator.hpp"
#include "backends/slurm/change/conf_files.hpp"
#include "backends/slurm/change/conf_lock.hpp"
#include "backends/slurm/change/node_files.hpp"
#include "backends/slurm/commands.hpp"
#include "backends/slurm/daemons.hpp"
#include "backends/slurm/details.hpp"
#include "backends/slurm/explain.hpp"
#include "backends/slurm/find_slurm.hpp"
#include "backends/slurm/pace.hpp"
#include "backends/slurm/parse/parse_cluster.hpp"
#include "backends/slurm/parse/parse_job.hpp"
#include "backends/slurm/parse/parse_node.hpp"
#include "backends/slurm/round.hpp"
#include "backends/worker.hpp"
#include "engine/hostlist.hpp"
#include "engine/text.hpp"

namespace tessera::slurm {
namespace {

using Steady = std::chrono::steady_clock;

constexpr auto kSeldom = std::chrono::minutes(5);
constexpr int kSeldomRounds = 10;
constexpr auto kLeastGap = std::chrono::seconds(2);  // between two rounds, however often a user asks

std::string note_of_busy(const std::vector<std::string>& nodes) {
  if (nodes.empty()) return {};
  return fmt::format("CPUs are allocated on {}, and no job is listed there", clean(fold_hosts(nodes), 400));
}

}  // namespace

struct SlurmBackend::State {
  explicit State(SlurmOptions wanted)
      : options(std::move(wanted)),
        conf(read_conf(options.conf.empty() ? find_slurm_conf().value_or("") : options.conf)),
        site{options.conf, options.bin, options.deadline},
        name(!options.cluster.empty()     ? options.cluster
             : !conf.cluster_name.empty() ? conf.cluster_name
                                          : "slurm"),
        pacer(options.interval, Steady::now()) {}

  void introduce();
  void begin();
  void step();
  void ask(Step step);
  void answered(Step step, Duration patience, Result<Outcome> result);
  std::optional<Error> take(Step step, const Outcome& outcome);
  std::optional<Error> take_config(const Outcome& outcome);
  void take_ping(const Result<Outcome>& result);
  void nobody_there(Error error);
  void ping_unanswered();
  void take_accounting(const Result<Outcome>& result);
  void show_daemons();
  void munge_fails(Error error);
  void look_at_files();
  void look_at_host_files();
  void tell_files(const Result<std::vector<slurmconf::File>>& found);
  void post_file_remarks();
  void hold_all_against();
  void end();
  void learn_boards();
  void ask_exporters();
  void pause();
  void wake_after(Duration delay);
  void set_pace(Pace pace);
  void refresh();
  void look_into(const WorkloadId& id, LookedInto told);
  void look_at_once();
  void take_census(const Census& told);
  bool was_given(Step step);

  template <class What>
  void post(What what) {
    sink->post({name, options.generation, options.clock(), std::move(what)});
  }
  void report(Source source, std::optional<Error> failure, Duration latency = {}, std::string note = {},
              bool incomplete = false) {
    post(SourceReport{source, std::move(failure), latency, std::move(note), incomplete});
  }
  Origin origin(Source source) const { return {source, options.clock()}; }

  const SlurmOptions options;
  const Conf conf;
  const SlurmClient site;
  const ClusterName name;
  EventSink* sink = nullptr;

  // What follows belongs to the worker's thread.
  Pacer pacer;
  Round round;
  std::map<Step, Duration> usual;  // latency of the last good answer
  struct Given {
    Steady::time_point at;
    Duration took;
  };
  std::map<Step, Given> given;  // lists that looks of runs have brought since the last round
  Daemons daemons;
  ConfWatch files;
  std::uint64_t gres = 0, held_against = 0;     // as listed last; that against which the files were held last
  std::optional<Steady::time_point> host_read;  // when the files on a config host were looked at
  ClusterFacts facts;
  std::string client;  // "slurm-wlm 22.05.8", as scontrol calls itself
  bool busy = false;
  bool once_more = false;  // what is under way may already be old
  bool loaded = false;
  int rounds = 0;
  Steady::time_point started{};
  Duration in_calls{0};
  std::optional<Steady::time_point> last_seldom;
  std::uint64_t timer = 0;
  Steady::time_point wakes_at{};                        // when it fires
  std::vector<Node> last_nodes;                         // the last list, before GPUs were laid over it
  std::vector<Remark> board_remarks;                    // as posted last
  std::vector<Remark> file_remarks, unapplied_remarks;  // as posted last, together
  Shown shown;                                          // the last answers
  int config_round = 0, partitions_round = 0;           // in which they came
  std::vector<Workload> last_jobs;
  std::optional<Remark> stale_lock;  // beside slurm.conf, when it was last looked at

  Worker worker;
  Processes processes{worker};
  std::optional<figures::NodeExporters> exporters;
  std::vector<Remark> exporter_remarks;  // as posted last
  Calls calls{processes, pacer};
  DetailsReader details{worker, calls, site};
  SlurmActuator actuator{worker,
                         processes,
                         calls,
                         options,
                         site,
                         [this] { look_at_once(); },
                         [this](const Census& told) { take_census(told); }};
};

// The cluster is shown at once, with what is known without asking the controller.
void SlurmBackend::State::introduce() {
  post(ClusterSeen{Scheduler::slurm, false, "", conf.file});
  if (conf_trouble(conf.file)) return begin();  // even --version would wait for the file
  processes.run(version(site), [this](Result<Outcome> result) {
    if (result && result->succeeded()) {
      std::size_t blank = result->out.find_last_of(' ');
      client = result->out.substr(blank + 1, result->out.find_last_not_of(" \r\n") - blank);
      post(ClusterSeen{Scheduler::slurm, false, "slurm " + client, conf.file});
    }
    begin();
  });
}

void SlurmBackend::State::begin() {
  busy = true;
  timer = 0;
  started = Steady::now();
  in_calls = Duration(0);
  bool seldom = !last_seldom || started - *last_seldom >= kSeldom || rounds % kSeldomRounds == 0;
  ++rounds;
  round.begin(seldom, seldom || facts.version.empty(), daemons.has_accounting());
  if (auto trouble = conf_trouble(conf.file)) nobody_there(std::move(*trouble));
  // Runs share their readings with the picture: what one has brought a moment ago is not asked again. The
  // seldom rounds are whole, since they hold the lists against each other.
  const bool nodes = !seldom && was_given(Step::nodes), jobs = !seldom && was_given(Step::jobs);
  given.clear();
  if (jobs) round.leave_out(Step::jobs);
  if (!nodes || round.had_failure()) return step();
  round.leave_out(Step::nodes);
  look_at_files();
}

bool SlurmBackend::State::was_given(Step step) {
  auto found = given.find(step);
  if (found == given.end() || started - found->second.at > pacer.interval() / 2) return false;
  in_calls += found->second.took;
  return true;
}

// Not while a round is under way: that one tells of a later moment.
void SlurmBackend::State::take_census(const Census& told) {
  if (!loaded || busy) return;
  auto keep = [this](Step step, const std::string& text, Duration took) {
    Outcome outcome;
    outcome.exit_code = 0;
    outcome.out = text;
    outcome.took = took;
    if (!take(step, outcome)) given[step] = {Steady::now(), took};
  };
  keep(Step::nodes, told.records, told.nodes_took);
  if (told.jobs) keep(Step::jobs, told.job_records, told.jobs_took);
}

void SlurmBackend::State::step() {
  if (auto next = round.next())
    ask(*next);
  else
    end();
}

void SlurmBackend::State::ask(Step step) {
  Command command;
  switch (step) {
    case Step::ping: command = ping(site); break;
    case Step::config: command = show_config(site); break;
    case Step::nodes: command = show_nodes(site); break;
    case Step::jobs: command = show_jobs(site); break;
    case Step::partitions: command = show_partitions(site); break;
    case Step::reservations: command = show_reservations(site); break;
    case Step::accounting: command = ask_accounting(site); break;
  }
  auto known = usual.find(step);
  command.deadline = round.patience(step, known == usual.end() ? std::nullopt : std::optional(known->second),
                                    command.deadline);
  if (!loaded && (step == Step::nodes || step == Step::jobs))
    post(Progress{step == Step::nodes ? "nodes" : "jobs", 0, std::nullopt});
  Duration patience = command.deadline;
  calls.run(std::move(command),
            [this, step, patience](Result<Outcome> result) { answered(step, patience, std::move(result)); });
}

void SlurmBackend::State::answered(Step step, Duration patience, Result<Outcome> result) {
  if (result) in_calls += result->took;
  if (step == Step::ping) return take_ping(result);
  if (step == Step::accounting) return take_accounting(result);
  if (!result) {
    nobody_there(result.error());
  } else if (result->succeeded()) {
    usual[step] = result->took;
    if (auto error = take(step, *result)) {
      round.failed(step);
      report(source_of(step), std::move(*error), result->took);
    } else {
      // Not when the round begins: one without an answer must not put the seldom lists off.
      if (step == Step::reservations) last_seldom = started;
      round.succeeded(step);
      if (step == Step::nodes) return look_at_files();
    }
  } else {
    std::optional<Error> error = explain(std::string(task(step)), *result, patience);
    // The first lateness is only a doubt: the ping that follows decides.
    bool doubt = result->timed_out && patience < site.deadline;
    if (doubt)
      round.timed_out(step);
    else
      round.failed(step);
    if (!doubt && step != Step::config) report(source_of(step), std::move(error), result->took);
  }
  this->step();
}

// An answer that is no list is a failure: the last list stays, with its age.
std::optional<Error> SlurmBackend::State::take(Step step, const Outcome& outcome) {
  std::string note;
  bool incomplete = false;
  Source source = source_of(step);
  auto listed = [&](auto parsed, auto list) -> std::optional<Error> {
    if (auto error = distrust(std::string(task(step)), outcome.out, parsed)) return error;
    note = note_of(parsed);
    incomplete = parsed.incomplete;
    list(parsed);
    return std::nullopt;
  };
  std::optional<Error> error;
  switch (step) {
    case Step::nodes:
      error = listed(parse_nodes(outcome.out, origin(source), options.catalogue), [&](Parsed<Node>& parsed) {
        last_nodes = parsed.values;
        shown.nodes = outcome.out;
        gres = gres_stamp(outcome.out);
        if (daemons.authenticated(facts.auth == "auth/munge")) show_daemons();
        actuator.lay_known_boards(parsed.values);
        post(NodesListed{std::move(parsed.values)});
        ask_exporters();
      });
      break;
    case Step::jobs:
      error = listed(parse_jobs(outcome.out, origin(source)), [&](ParsedJobs& parsed) {
        std::string unlisted = note_of_busy(busy_without_jobs(last_nodes, parsed));
        incomplete = incomplete || !unlisted.empty();
        note += (note.empty() || unlisted.empty() ? "" : "; ") + unlisted;
        if (facts.private_data.find("jobs") != std::string::npos && ::geteuid() != 0)
          note += (note.empty() ? "" : "; ") + ("PrivateData=" + facts.private_data) +
                  ": other users' jobs may be hidden from you";
        last_jobs = parsed.values;
        post(WorkloadsListed{std::move(parsed.values)});
      });
      break;
    case Step::partitions:
      shown.partitions = outcome.out;
      partitions_round = rounds;
      error = listed(parse_partitions(outcome.out),
                     [&](Parsed<Partition>& parsed) { post(PartitionsListed{std::move(parsed.values)}); });
      break;
    case Step::reservations:
      error = listed(parse_reservations(outcome.out), [&](Parsed<Reservation>& parsed) {
        post(ReservationsListed{std::move(parsed.values)});
      });
      break;
    case Step::config: return take_config(outcome);
    case Step::ping:
    case Step::accounting: return std::nullopt;
  }
  if (!error) report(source, std::nullopt, outcome.took, std::move(note), incomplete);
  return error;
}

std::optional<Error> SlurmBackend::State::take_config(const Outcome& outcome) {
  ClusterFacts told = parse_config(outcome.out);
  if (told.version.empty())
    return Error{std::string(task(Step::config)), "scontrol printed no SLURM_VERSION", ""};
  facts = std::move(told);
  shown.config = outcome.out;
  config_round = rounds;
  daemons.configured(facts);
  if (daemons.has_accounting()) round.add(Step::accounting);  // not known when the round began
  show_daemons();
  actuator.know_cluster(facts.id);
  post(ClusterSeen{Scheduler::slurm, false, "slurm " + facts.version,
                   facts.conf.empty() ? conf.file : facts.conf, facts.id});
  return std::nullopt;
}

void SlurmBackend::State::take_ping(const Result<Outcome>& result) {
  if (!result) {
    nobody_there(result.error());
    return step();
  }
  std::vector<Daemon> seen = parse_ping(result->out);
  bool up = std::any_of(seen.begin(), seen.end(), [](const Daemon& daemon) { return daemon.up; });
  // Where we cannot authenticate, "DOWN" says nothing about the controller; other noise does not touch it.
  bool believable = !seen.empty() && !speaks_of_authentication(result->err);
  if (up || believable) {
    daemons.pinged(std::move(seen));
    show_daemons();
  }
  if (up) {
    round.succeeded(Step::ping);
    report(Source::slurm_ping, std::nullopt, result->took);
    return step();
  }
  if (result->timed_out) return ping_unanswered();
  auto error = explain("cannot ping the controllers", *result, result->took);
  if (error && contains_folded(result->err, "munge")) {
    munge_fails(std::move(*error));
    return step();
  }
  if (believable) error.reset();
  if (!error) {
    const std::vector<Daemon>& known = daemons.controllers();
    std::string host = known.empty() ? "the controller" : known.front().host;
    error = Error{"slurmctld is down", fmt::format("scontrol ping: slurmctld at {} is DOWN", host),
                  "systemctl status slurmctld on " + host};
  }
  nobody_there(std::move(*error));
  step();
}

// Neither up nor down: munged is gone or hangs, or the controller does.
void SlurmBackend::State::ping_unanswered() {
  daemons.ping_unanswered();
  show_daemons();
  if (auto trouble = munge_trouble(conf)) {
    munge_fails(std::move(*trouble));
    return step();
  }
  processes.run(probe_munge(conf.munge_socket), [this](Result<Outcome> result) {
    if (result && result->timed_out)
      munge_fails(
          {"munged does not answer", "munge gave no credential within 1 s", "systemctl restart munge"});
    else
      nobody_there({"slurmctld does not answer", "no answer to scontrol ping within 3 s",
                    "it hangs or is overloaded: systemctl status slurmctld on the controller"});
    step();
  });
}

void SlurmBackend::State::munge_fails(Error error) {
  daemons.munge_fails(error);
  show_daemons();
  nobody_there(std::move(error));
}

void SlurmBackend::State::take_accounting(const Result<Outcome>& result) {
  daemons.accounting(result);
  show_daemons();
  step();
}

void SlurmBackend::State::show_daemons() {
  post(DaemonsSeen{daemons.all()});
  post(RemarksListed{Source::slurm_ping, daemons.not_asked()});
}

// Plans are written from the files, and people are told what is wrong with them; both only when that can have
// changed. Then the round goes on.
void SlurmBackend::State::look_at_files() {
  const std::string path = conf.file.empty() ? facts.conf : conf.file;
  if (path.empty() || facts.version.empty()) return step();
  if (options.said.writer == slurmconf::Writer::host) return look_at_host_files();
  bool changed = files.changed(path, allowed_devices_of(with_version(options.said, facts.version)));
  if (changed) actuator.know(facts.version, path, files.files());
  auto lock = lock_remark(path, options.clock());
  const bool moved = std::exchange(stale_lock, lock) != lock;
  if (changed || gres != held_against) {
    if (config_round != rounds) round.add(Step::config);
    if (partitions_round != rounds) round.add(Step::partitions);
  }
  if (changed || moved || gres != held_against) tell_files(files.files());
  step();
}

// Far away: with the seldom lists, and when a node's GRES has changed.
void SlurmBackend::State::look_at_host_files() {
  bool due = !host_read || started - *host_read >= kSeldom || gres != held_against;
  if (!due) return step();
  host_read = started;
  actuator.read_host_files(
      facts.version, facts.conf,
      [this](const Result<std::vector<slurmconf::File>>& found, std::optional<Remark> lock) {
        stale_lock = std::move(lock);
        tell_files(found);
        step();
      });
}

void SlurmBackend::State::tell_files(const Result<std::vector<slurmconf::File>>& found) {
  held_against = gres;
  bool all_seen = facts.private_data.find("nodes") == std::string::npos || ::geteuid() == 0;
  file_remarks =
      slurm::file_remarks(found, with_version(options.said, facts.version), all_seen ? &last_nodes : nullptr);
  if (stale_lock) file_remarks.insert(file_remarks.begin(), *stale_lock);
  post_file_remarks();
  if (all_seen) actuator.hold_against(last_nodes);
}

void SlurmBackend::State::post_file_remarks() {
  std::vector<Remark> remarks = unapplied_remarks;
  remarks.insert(remarks.end(), file_remarks.begin(), file_remarks.end());
  post(RemarksListed{Source::slurm_config, std::move(remarks)});
}

// With the seldom lists, and when files or GRES have changed: all of one round, since a file may be edited
// between two.
void SlurmBackend::State::hold_all_against() {
  if (config_round != rounds || partitions_round != rounds || round.had_failure()) return;
  const bool some_hidden = !facts.private_data.empty() && facts.private_data != "none" && ::geteuid() != 0;
  if (some_hidden) return;
  std::vector<Remark> fresh = actuator.unapplied_remarks(shown, last_nodes, last_jobs);
  if (std::exchange(unapplied_remarks, fresh) != fresh) post_file_remarks();
}

void SlurmBackend::State::nobody_there(Error error) {
  round.nobody_there();
  for (Source source : {Source::slurm_ping, Source::slurm_nodes, Source::slurm_jobs}) report(source, error);
}

void SlurmBackend::State::end() {
  hold_all_against();
  if (loaded || !options.needs_boards) {
    if (!loaded) post(Loaded{});
    loaded = true;
    pause();
    return learn_boards();
  }
  learn_boards();
}

// Whoever plans needs GPUs before anything else; whoever looks gets them when they are there.
void SlurmBackend::State::learn_boards() {
  const bool reached = options.said.reach != slurmconf::Reach::none;
  // A name that is none is a filter: then all of them.
  std::vector<Node> wanted = reached ? last_nodes : std::vector<Node>{};
  if (options.needs_boards && !options.needs_boards->empty())
    std::erase_if(wanted, [&](const Node& node) {
      return std::find(options.needs_boards->begin(), options.needs_boards->end(), node.name) ==
             options.needs_boards->end();
    });
  const bool named = options.needs_boards && !options.needs_boards->empty() && !wanted.empty();
  if (wanted.empty() && reached) wanted = last_nodes;
  actuator.learn_boards(wanted, {options.most_asked, named || options.most_asked}, [this](bool any) {
    if (any) {
      std::vector<Node> nodes = last_nodes;
      actuator.lay_known_boards(nodes);
      post(NodesListed{std::move(nodes)});
    }
    std::vector<Remark> unlike = actuator.board_remarks(last_nodes);
    if (std::exchange(board_remarks, unlike) != unlike)
      post(RemarksListed{Source::nvidia_smi, std::move(unlike)});
    if (loaded) return;
    post(Loaded{});
    loaded = true;
    pause();
  });
}

void SlurmBackend::State::pause() {
  busy = false;
  pacer.round_ended(in_calls, round.had_failure());
  Duration interval = pacer.interval();
  post(PaceReport{pacer.calls_per_minute(Steady::now()), interval});
  auto spent = std::chrono::duration_cast<Duration>(Steady::now() - started);
  if (std::exchange(once_more, false) && !round.had_failure()) return wake_after(Duration(0));
  // After a failure the wait counts from now: the round itself may have taken longer than the wait.
  wake_after(round.had_failure() ? interval : std::max(interval - spent, Duration(0)));
}

void SlurmBackend::State::wake_after(Duration delay) {
  if (timer != 0) worker.cancel(timer);
  wakes_at = Steady::now() + delay;
  timer = worker.after(delay, [this] { begin(); });
}

// Those that have GPUs, as they are listed last.
void SlurmBackend::State::ask_exporters() {
  if (!options.exporter) return;
  if (!exporters) {
    figures::NodeExporterCalls told;
    told.told = [this](const NodeName& node, const figures::DcgmReadings& readings) {
      post(figures::measured_of(node, readings, options.catalogue));
    };
    told.report = [this](SourceReport report, std::vector<Remark> remarks) {
      post(std::move(report));
      if (std::exchange(exporter_remarks, remarks) != remarks)
        post(RemarksListed{Source::dcgm, std::move(remarks)});
    };
    told.clock = options.clock;
    exporters.emplace(worker, processes, *options.exporter, std::move(told));
  }
  std::vector<NodeName> with_gpus;
  for (const Node& node : last_nodes)
    if (!node.gpus.empty() || !node.pool.empty()) with_gpus.push_back(node.name);
  exporters->set_nodes(with_gpus);
}

void SlurmBackend::State::set_pace(Pace pace) {
  pacer.set_pace(pace);
  figures::NodeExporterPace calm;
  calm.viewed = calm.others;
  if (exporters) exporters->set_pace(pace == Pace::focused ? figures::NodeExporterPace{} : calm);
  if (busy || rounds == 0 || round.had_failure()) return;
  auto spent = std::chrono::duration_cast<Duration>(Steady::now() - started);
  wake_after(std::max(pacer.interval() - spent, Duration(0)));
  post(PaceReport{pacer.calls_per_minute(Steady::now()), pacer.interval()});
}

void SlurmBackend::State::refresh() {
  if (busy || rounds == 0) return;  // a look is under way
  auto wake = std::max<Steady::time_point>(started + kLeastGap, Steady::now());
  if (timer != 0 && wakes_at <= wake) return;
  wake_after(std::chrono::ceil<Duration>(wake - Steady::now()));
}

void SlurmBackend::State::look_into(const WorkloadId& id, LookedInto told) {
  const auto job =
      std::find_if(last_jobs.begin(), last_jobs.end(), [&](const Workload& one) { return one.id == id; });
  if (job == last_jobs.end()) return;
  details.look({*job, facts, shown.partitions, round.had_failure()},
               [this, told = std::move(told)](Details read) {
                 read.at = options.clock();
                 told(std::move(read));
                 post(PaceReport{pacer.calls_per_minute(Steady::now()), pacer.interval()});
               });
}

// Seldom, and not by a key: without the gap between rounds. A round under way may have asked before.
void SlurmBackend::State::look_at_once() {
  host_read.reset();
  if (busy)
    once_more = true;
  else if (rounds > 0)
    wake_after(Duration(0));
}

SlurmBackend::SlurmBackend(SlurmOptions options) : state_(std::make_unique<State>(std::move(options))) {}

SlurmBackend::~SlurmBackend() {
  state_->actuator.close_connections();
  state_->worker.stop();
}

ClusterName SlurmBackend::name() const { return state_->name; }

void SlurmBackend::start(EventSink& sink) {
  state_->worker.post([state = state_.get(), &sink] {
    state->sink = &sink;
    state->introduce();
  });
}

void SlurmBackend::set_pace(Pace pace) {
  state_->worker.post([state = state_.get(), pace] { state->set_pace(pace); });
}

plan::Actuator* SlurmBackend::actuator() { return &state_->actuator; }

void SlurmBackend::look_into(const WorkloadId& id, LookedInto told) {
  state_->worker.post([state = state_.get(), id, told = std::move(told)]() mutable {
    state->look_into(id, std::move(told));
  });
}

void SlurmBackend::set_viewed(const std::vector<NodeName>& nodes) {
  state_->worker.post([state = state_.get(), nodes] {
    if (state->exporters) state->exporters->set_viewed(nodes);
  });
}

void SlurmBackend::refresh() {
  state_->worker.post([state = state_.get()] { state->refresh(); });
}

}  // namespace tessera::slurm
