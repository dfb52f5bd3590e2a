#include "tui/cli/change/change.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "engine/fleet/rests.hpp"
#include "engine/fleet/run_words.hpp"
#include "engine/plan/files/plan_file.hpp"
#include "engine/plan/permit.hpp"
#include "engine/plan/run/leaves_closed.hpp"
#include "engine/plan/run/onward.hpp"
#include "engine/plan/run/undo.hpp"
#include "engine/plan/words/as_run.hpp"
#include "engine/shell.hpp"
#include "engine/text.hpp"
#include "tui/cli/change/arm.hpp"
#include "tui/cli/change/begin.hpp"
#include "tui/cli/change/due.hpp"
#include "tui/cli/change/planning.hpp"
#include "tui/cli/change/runs_at_rest.hpp"
#include "tui/cli/change/runs_list.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/settings.hpp"

namespace tessera::cli {
namespace {

constexpr std::size_t kPlanLimit = 64u << 20;

// --- apply

Result<plan::Plan> read_plan(const std::string& name, const Streams& streams) {
  if (name == "-") {
    auto text = read_all(streams.in_fd, kPlanLimit);
    if (!text) return text.error();
    return plan::parse_plan(*text, "standard input");
  }
  auto files = read_files({name});
  if (!files) return files.error();
  if (files->empty())
    return Error{"cannot read the plan", "there is no file " + clean(name, 300),
                 "tessera plan … -o json > FILE makes one"};
  return plan::parse_plan(files->front().text, clean(name, 300));
}

// --- undo and resume

// Carries one run on, or several one after the other.
class Resumer {
 public:
  Resumer(const Options& options, const mig::Catalogue& catalogue, const Joins& joins, const Streams& streams,
          WhyNot why_not = {}, TakesUp takes_up = {}, KeptJournals* kept = nullptr, WhyRest why_rest = {})
      : options_(options),
        streams_(streams),
        why_not_(std::move(why_not)),
        takes_up_(std::move(takes_up)),
        kept_(kept ? *kept : own_),
        why_rest_(std::move(why_rest)),
        clusters_(options, catalogue, joins, streams),
        lines_(streams.asks ? streams.in_fd : -1) {}

  int run() {
    if (auto why = wrong_usage()) return refuse(streams_, *why, kUsage);
    if (auto failed = clusters_.open()) return *failed;
    // Marks are on the clusters: they are asked before anything is told of runs.
    if (auto failed = clusters_.start(options_.cluster)) return *failed;
    if (!clusters_.wait_until_loaded()) return 128 + clusters_.ended_by().value_or(0);
    auto runs = list_runs(clusters_, options_);
    if (auto* refusal = std::get_if<Refusal>(&runs)) return refuse(streams_, *refusal);
    if (options_.due) return resume_due(std::get<std::vector<RunHead>>(runs));
    auto head = find_run(std::get<std::vector<RunHead>>(runs), options_.words.front());
    if (auto* refusal = std::get_if<Refusal>(&head)) return refuse(streams_, *refusal);
    return resume_one(std::get<RunHead>(head));
  }

 private:
  std::optional<Error> wrong_usage() const {
    if (Status ok = check_output(options_); !ok) return ok.error();
    const std::string what = "cannot use these arguments";
    if (options_.due && !options_.words.empty())
      return Error{what, "--due is about every run, not about one", "omit one of them"};
    if (options_.due && (options_.replan || options_.back || options_.accept_harm))
      return Error{what, "--due carries runs on as they were armed",
                   "name the run that is to be planned again"};
    if (!options_.due && options_.words.empty())
      return Error{what, "which run?", "tessera journal lists them; --due resumes all whose time has come"};
    if (options_.replan && options_.back) return Error{what, "--replan and --back exclude each other", ""};
    if (options_.accept_harm && !options_.replan && !options_.back)
      return Error{what, "--accept-harm belongs to --replan or --back", ""};
    return std::nullopt;
  }

  int resume_one(const RunHead& head) {
    if (auto why = plan::why_not_resumed(head)) return say(*why);
    auto known = read_run(clusters_, options_, head.run);
    if (auto* refusal = std::get_if<Refusal>(&known)) return refuse(streams_, *refusal);
    if (auto why = why_not_armed(options_, streams_)) return say(*why);
    clusters_.catch_signals();
    // Whoever arms it sees what others did to the journal, also where nothing is typed.
    streams_.err << changed_text(head, streams_.reader);
    const plan::Run& run = *std::get<Followed>(known).run();
    if (streams_.asks && !options_.yes) {
      streams_.err << clean(told(streams_, fmt::format("run {} ({}) of {}: {}", head.run, head.words,
                                                       head.cluster.text, head.why)),
                            2000)
                   << "\n";
      if (!options_.back && !options_.replan)
        streams_.err << steps_left(run, std::get<Followed>(known).entries());
    }
    const char* what = options_.back ? "go back" : options_.replan ? "plan again and go on" : "go on";
    if (auto refused = arm(clusters_, options_, streams_, lines_, arming_word(head.nodes), what))
      return *refused;
    return follow(std::get<Followed>(known));
  }

  // What it will do, from what its steps do; whose work is sent away is the cluster's word.
  std::string steps_left(const plan::Run& run, const std::vector<plan::Entry>& journal) const {
    std::string text;
    const Cluster* cluster = clusters_.model().find(run.started.plan.intent.cluster);
    for (const plan::NodePlan& planned : run.started.plan.nodes) {
      const plan::Executor& executor = run.nodes.at(planned.node);
      const std::vector<plan::Step> steps = plan::steps_as_run(
          run.plans.at(planned.node), plan::run_leaves_closed(run.started.plan, journal, planned.node));
      for (std::size_t i = executor.finished() ? steps.size() : executor.step(); i < steps.size(); ++i) {
        const auto* evict = std::get_if<plan::Evict>(&steps[i].action);
        const Workload* work = evict && cluster ? cluster->workloads.find(evict->workload) : nullptr;
        const std::string whose = work    ? fmt::format(" of {} ({})", work->user, work->name)
                                  : evict ? " (it is not listed any more)"
                                          : "";
        text += clean(fmt::format("  {}: {}{}", steps[i].id, told(streams_, steps[i].title),
                                  told(streams_, whose)),
                      500) +
                "\n";
      }
    }
    return text.empty()
               ? ""
               : told(streams_, "What it still does") + ":\n" + text + renamed_text(run.started.plan.renamed);
  }

  // A controller that is being restarted, perhaps by this very run, tells a little later which cluster it is.
  bool await_identity(const plan::Plan& plan) {
    if (plan.cluster_id.empty() || !options_.cluster.empty()) return true;
    return clusters_.wait_until([&] {
      const Cluster* here = clusters_.model().find(plan.intent.cluster);
      return !here || !here->id.empty() ||
             std::none_of(here->sources.begin(), here->sources.end(),
                          [](const auto& source) { return source.second.failure.has_value(); });
    });
  }

  int follow(const Followed& known) { return follow(known, options_.back); }
  int follow(const Followed& known, bool goes_back) {
    if (!await_identity(known.run()->started.plan)) return 128 + clusters_.ended_by().value_or(0);
    const std::string run = known.run()->started.run;
    plan::Onward onward = goes_back         ? plan::Onward::back
                          : options_.replan ? plan::Onward::replan
                                            : plan::Onward::carry_on;
    Follower follower(clusters_, options_, streams_, lines_, run);
    follower.know(known);
    // Asked in every case, which is what keeps the mark of the runner new; going back is not stopped by it.
    if (why_rest_)
      follower.rest_when([this, goes_back] {
        std::string why = why_rest_();
        return goes_back ? std::string() : why;
      });
    // Naming the cluster says that it is the one, where it does not tell its identity.
    clusters_.runs()->resume(
        run, {onward, options_.accept_harm, !options_.cluster.empty(), options_.due, known.chain().last()});
    Ended ended = follower.follow();
    if (const auto& stands = follower.followed().run()) failed_.note(*stands);
    bool back = goes_back || !known.run()->started.undoes.empty();
    return report(ended, follower.followed(), back ? plan::Outcome::recorded : plan::Outcome::wanted,
                  options_, streams_);
  }

  int say(const Error& error) {
    complain(streams_, error);
    report_no_run("refused", to_line(error), options_, streams_);
    return kFinding;
  }

  struct DueRun {
    RunHead head;
    std::shared_ptr<const Followed> known;
    Judged judged;  // it goes on, or its nodes are opened again
  };

  int resume_due(const std::vector<RunHead>& runs) {
    std::vector<DueRun> due;
    int left = kDone;
    for (RunAtRest& one : runs_at_rest(clusters_, options_, runs, takes_up_, failed_, kept_)) {
      Judged judged = judge(one, clusters_, why_not_carried_on(one.head, one.run()));
      if (judged.finding) left = kFinding;
      if (judged.due == Due::goes_on || judged.due == Due::opened)
        due.push_back({one.head, std::move(one.known), std::move(judged)});
      else if (judged.due != Due::waits)
        tell(one.head, judged);
    }
    if (due.empty()) {
      report_no_run("nothing", "no parked run is due", options_, streams_);
      return left;
    }
    if (auto why = why_not_armed(options_, streams_)) return say(*why);
    clusters_.catch_signals();
    for (const DueRun& one : due) tell(one.head, one.judged);
    if (auto refused = arm(clusters_, options_, streams_, lines_, std::to_string(due.size()), "take them up"))
      return *refused;
    int code = left;
    for (const DueRun& one : due) {
      // The runs before it took their time: a pause may have been set meanwhile, or its window be over.
      const bool opens = one.judged.due == Due::opened;
      const auto not_on = why_not_carried_on(one.head, &*one.known->run());
      if (not_on ? !not_on->over || !opens : opens) {
        if (not_on) tell(one.head, {Due::left, not_on, true});
        code = std::max(code, static_cast<int>(kFinding));
        continue;
      }
      kept_.forget(one.head.run);
      int ended = follow(*one.known, opens);
      if (ended > 128) return ended;
      code = std::max(code, ended);
    }
    return code;
  }

  std::optional<NotCarriedOn> why_not_carried_on(const RunHead& head, const plan::Run* run) const {
    if (!why_not_) return why_not_without_file(head, run);
    if (const Cluster* cluster = clusters_.model().find(head.cluster))
      return why_not_({head, run, *cluster, capabilities_of(clusters_, *cluster), failed_});
    return NotCarriedOn{"cluster " + clean(head.cluster.text, 100) + " is not listed now"};
  }
  // Whether its window still holds is known to who reads the fleet file.
  static std::optional<NotCarriedOn> why_not_without_file(const RunHead& head, const plan::Run* run) {
    if (!head.undoes.empty()) return std::nullopt;
    const auto of = [](const char* english, const std::string& file) {
      return NotCarriedOn{fmt::format(fmt::runtime(english), shell_word(clean(file, 300))), false, false};
    };
    if (const auto window = fleet::window_of(head))
      return of(
          "it is for a window of a fleet file, and no fleet file is read here; tessera fleet run {} goes on "
          "with it",
          window->file);
    // Whether it is paused still is known to who reads the fleet file, too.
    if (const auto file = fleet::file_of(head); file && run && fleet::rests_by_pause(*run))
      return of("its fleet file was paused while it was under way; tessera fleet run {} goes on with it",
                *file);
    return std::nullopt;
  }
  void tell(const RunHead& head, const Judged& judged) const {
    if (const std::string text = judged_text(head, judged, streams_); !text.empty())
      streams_.err << text << "\n";
  }

  const Options& options_;
  const Streams& streams_;
  WhyNot why_not_;    // empty: every run that is due
  TakesUp takes_up_;  // empty: none
  KeptJournals own_;
  KeptJournals& kept_;
  WhyRest why_rest_;
  FailedNodes failed_;
  OpenClusters clusters_;
  Lines lines_;
};

}  // namespace

int run_apply(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
              const Streams& streams) {
  if (Status ok = check_output(options); !ok) return refuse(streams, ok.error(), kUsage);
  if (options.words.empty())
    if (Status ok = check_wish(options); !ok) return refuse(streams, ok.error(), kUsage);
  Beginning beginning;
  // A plan that comes in on standard input leaves nothing to type on.
  Streams own = streams;
  std::string cluster = options.cluster;
  if (!options.words.empty()) {
    auto plan = read_plan(options.words.front(), streams);
    if (!plan) return refuse(streams, plan.error(), kUsage);
    own.asks = streams.asks && options.words.front() != "-";
    beginning = {std::move(*plan), true, !cluster.empty()};
    if (!cluster.empty() && cluster != beginning.plan.intent.cluster.text)
      return refuse(
          streams,
          {"cannot apply the plan", "it is about " + beginning.plan.intent.cluster.text, "omit --cluster"},
          kUsage);
    cluster = beginning.plan.intent.cluster.text;
  }
  OpenClusters clusters(options, catalogue, joins, own);
  if (auto failed = clusters.open()) return *failed;
  if (auto failed = look_afresh(clusters, options, own, cluster)) return *failed;
  if (!beginning.made_earlier) {
    Or<plan::Plan> made = make_wished(clusters, options, catalogue);
    if (auto* refusal = std::get_if<Refusal>(&made)) return refuse(streams, *refusal);
    beginning.plan = std::move(std::get<plan::Plan>(made));
  }
  return begin(clusters, options, catalogue, own, beginning);
}

int run_undo(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
             const Streams& streams) {
  if (Status ok = check_output(options); !ok) return refuse(streams, ok.error(), kUsage);
  if (options.words.empty())
    return refuse(streams, {"cannot use these arguments", "which run?", "tessera journal lists them"},
                  kUsage);
  OpenClusters clusters(options, catalogue, joins, streams);
  if (auto failed = clusters.open()) return *failed;
  if (auto failed = look_afresh(clusters, options, streams, options.cluster)) return *failed;
  auto runs = list_runs(clusters, options);
  if (auto* refusal = std::get_if<Refusal>(&runs)) return refuse(streams, *refusal);
  auto head = find_run(std::get<std::vector<RunHead>>(runs), options.words.front());
  if (auto* refusal = std::get_if<Refusal>(&head)) return refuse(streams, *refusal);
  if (auto why = plan::why_not_undone(std::get<RunHead>(head))) return refuse(streams, *why, kFinding);
  auto known = read_run(clusters, options, std::get<RunHead>(head).run);
  if (auto* refusal = std::get_if<Refusal>(&known)) return refuse(streams, *refusal);
  const plan::Run& run = *std::get<Followed>(known).run();
  const Cluster* cluster = clusters.model().find(run.started.plan.intent.cluster);
  if (!cluster)
    return refuse(streams,
                  {"cannot undo " + run.started.run,
                   "its cluster " + run.started.plan.intent.cluster.text + " is not here", ""},
                  kUsage);
  if (auto why = plan::why_not_here("cannot undo " + run.started.run, cluster->name,
                                    run.started.plan.cluster_id, cluster->id, !options.cluster.empty()))
    return refuse(streams, *why, kFinding);
  plan::ChangeOptions own = plan::way_back(run.started.plan.intent.options);
  own.canary = options.canary.value_or(own.canary);
  own.batch = options.batch.value_or(own.batch);
  auto plan = plan::plan_undo(run, *cluster, catalogue, capabilities_of(clusters, *cluster), options.rules,
                              cluster_now(*cluster, clusters.wall()), &own);
  if (!plan) return refuse(streams, plan.error(), kFinding);
  return begin(clusters, options, catalogue, streams, {std::move(*plan), false, false});
}

int run_resume(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
               const Streams& streams) {
  return Resumer(options, catalogue, joins, streams).run();
}

int run_resume_due(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
                   const Streams& streams, const WhyNot& why_not, const TakesUp& takes_up, KeptJournals& kept,
                   const WhyRest& why_rest) {
  return Resumer(options, catalogue, joins, streams, why_not, takes_up, &kept, why_rest).run();
}

}  // namespace tessera::cli
