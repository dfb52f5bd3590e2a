#include "backends/slurm/backend.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "backends/slurm/backend_state.hpp"
#include "backends/slurm/change/conf_lock.hpp"
#include "backends/slurm/change/node_files.hpp"
#include "backends/slurm/explain.hpp"
#include "backends/slurm/parse/parse_cluster.hpp"
#include "backends/slurm/parse/parse_job.hpp"
#include "backends/slurm/parse/parse_node.hpp"
#include "engine/hostlist.hpp"
#include "engine/text.hpp"

namespace tessera::slurm {
namespace {

constexpr int kSeldomRounds = 10;
constexpr auto kLeastGap = std::chrono::seconds(2);  // between two rounds, however often a user asks

std::string note_of_busy(const std::vector<std::string>& nodes) {
  if (nodes.empty()) return {};
  return fmt::format("CPUs are allocated on {}, and no job is listed there",
                     clean(fold_for_reading(nodes), 400));
}

}  // namespace

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
  const GivenUp is_leaving = [this] { return leaving.load(std::memory_order_relaxed); };
  switch (step) {
    case Step::nodes:
      error = listed(parse_nodes(outcome.out, origin(source), options.catalogue, is_leaving),
                     [&](Parsed<Node>& parsed) {
                       forget_untracked_memory(parsed.values, facts.select);
                       last_nodes = parsed.values;
                       tell_listed();
                       shown.nodes = outcome.out;
                       gres = gres_stamp(outcome.out);
                       if (daemons.authenticated(facts.auth == "auth/munge")) show_daemons();
                       lay_boards(parsed.values);
                       post(NodesListed{std::move(parsed.values)});
                       ask_exporters();
                     });
      break;
    case Step::jobs:
      error = listed(parse_jobs(outcome.out, origin(source), is_leaving), [&](ParsedJobs& parsed) {
        std::string unlisted = note_of_busy(busy_without_jobs(last_nodes, parsed));
        incomplete = incomplete || !unlisted.empty();
        note += (note.empty() || unlisted.empty() ? "" : "; ") + unlisted;
        if (facts.private_data.find("jobs") != std::string::npos && ::geteuid() != 0)
          note += (note.empty() ? "" : "; ") + ("PrivateData=" + facts.private_data) +
                  ": other users' jobs may be hidden from you";
        const std::vector<Workload> before = std::exchange(last_jobs, parsed.values);
        add_endings(parsed.values, before, std::move(parsed.ended));
        job_numbers = std::move(parsed.by_number);
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
  // It ended well and named no controller: that is no word about one.
  if (!error && !believable) error = distrust("cannot ping the controllers", result->out);
  if (!error && !believable)
    error = Error{
        "cannot ping the controllers",
        fmt::format("scontrol's answer names no controller: \"{}\"",
                    clean(result->out.substr(0, std::min<std::size_t>(result->out.find('\n'), 80)), 80)),
        ""};
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

void SlurmBackend::State::nobody_there(Error error) {
  round.nobody_there();
  for (Source source : {Source::slurm_ping, Source::slurm_nodes, Source::slurm_jobs}) report(source, error);
}

void SlurmBackend::State::end() {
  hold_all_against();
  if (loaded || !options.needs_boards) {
    if (!loaded) tell_loaded();
    loaded = true;
    pause();
    return learn_boards();
  }
  learn_boards();
}

// A command prints what is known then: with what it has cost.
void SlurmBackend::State::tell_loaded() {
  tell_costs();
  post(Loaded{});
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
  SlurmActuator::Asking asking{options.most_asked, named || options.most_asked, std::nullopt};
  // By srun each look is jobs of Slurm's.
  const bool more = !loaded && options.most_told && options.said.reach != slurmconf::Reach::srun;
  if (!asking.told && more) asking.told = true, asking.most_told = options.most_told;
  actuator.learn_boards(wanted, asking, [this](bool any) {
    if (any) {
      std::vector<Node> nodes = last_nodes;
      lay_boards(nodes);
      post(NodesListed{std::move(nodes)});
    }
    post_board_remarks();
    if (loaded) return;
    tell_loaded();
    loaded = true;
    pause();
  });
}

void SlurmBackend::State::pause() {
  busy = false;
  pacer.round_ended(in_calls, round.had_failure());
  Duration interval = pacer.interval();
  tell_costs();
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

void SlurmBackend::State::set_pace(Pace pace) {
  pacer.set_pace(pace);
  figures::NodeExporterPace calm;
  calm.viewed = calm.others;
  if (exporters) exporters->set_pace(pace == Pace::focused ? figures::NodeExporterPace{} : calm);
  if (busy || rounds == 0 || round.had_failure()) return;
  auto spent = std::chrono::duration_cast<Duration>(Steady::now() - started);
  wake_after(std::max(pacer.interval() - spent, Duration(0)));
  tell_costs();
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
                 told(std::move(read));
                 tell_costs();
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
  state_->leaving = true;
  state_->actuator.close_connections();
  state_->worker.stop();
}

ClusterName SlurmBackend::name() const { return state_->name; }

void SlurmBackend::start(EventSink& sink) {
  state_->worker.post([state = state_.get(), &sink] {
    state->sink = &sink;
    state->actuator.on_measured(
        [state](Measured measured, const JobPids* pids) { state->take_measured(std::move(measured), pids); });
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
    state->viewed = nodes;
    if (state->exporters) state->exporters->set_viewed(nodes);
  });
}

void SlurmBackend::look_at_processes(const NodeName& node) {
  state_->worker.post([state = state_.get(), node] { state->look_at_processes(node); });
}

void SlurmBackend::refresh() {
  state_->worker.post([state = state_.get()] { state->refresh(); });
}

}  // namespace tessera::slurm
