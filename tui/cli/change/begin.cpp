#include "tui/cli/change/begin.hpp"

#include <fmt/format.h>

#include "engine/plan/notices.hpp"
#include "engine/plan/permit.hpp"
#include "engine/plan/run/undo.hpp"
#include "engine/text.hpp"
#include "tui/cli/change/arm.hpp"
#include "tui/cli/change/plan_text.hpp"
#include "tui/cli/change/planning.hpp"
#include "tui/cli/change/runs_list.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/table_text.hpp"

namespace tessera::cli {
namespace {

class Beginner {
 public:
  Beginner(OpenClusters& clusters, const Options& options, const mig::Catalogue& catalogue,
           const Streams& streams, const Beginning& beginning)
      : clusters_(clusters),
        options_(options),
        catalogue_(catalogue),
        streams_(streams),
        beginning_(beginning),
        plan_(beginning.plan) {}

  int run() {
    if (auto why = why_not_this_cluster()) return refuse(*why);
    if (auto moved = refuse_if_moved(false)) return *moved;
    if (auto why = make_again()) return refuse(*why);
    if (plan_.no_steps.empty() && !plan_.changes_anything()) {
      tell_closed_already();
      report_no_run("nothing",
                    plan::only_starts_differ(plan_)
                        ? "nothing to do: the slices are there, and no plan can choose their starts here"
                        : "nothing to do: already in that state",
                    options_, streams_);
      return kDone;
    }
    if (options_.dry_run) return show_only();
    if (auto why = why_not_armed(options_, streams_)) return refuse(*why);
    if (streams_.asks && !options_.yes)
      streams_.err << shown() << "\n";
    else
      tell_closed_already();
    return arm_and_follow();
  }

 private:
  int refuse(const Error& error) {
    complain(streams_, error);
    report_no_run("refused", to_line(error), options_, streams_);
    return kFinding;
  }
  std::string shown() const {
    const std::string text = preview(plan_, kInFull, options_.reader);
    return options_.ascii ? in_ascii(text) : text;
  }

  // Where no preview is shown: a node that is left as it is may be closed for another reason than the one
  // given.
  void tell_closed_already() const {
    for (const plan::Notice& notice : plan_.notices)
      if (notice.rule == plan::kClosedAlready)
        streams_.err << notice.node.text << ": " << clean(told(streams_, notice.text), 1024) << "\n"
                     << std::flush;
  }

  // again: the person took their time over it. Harmless changes are told once.
  std::optional<int> refuse_if_moved(bool again) {
    std::vector<plan::Moved> moved =
        cluster() ? plan::what_moved(plan_, *cluster()) : std::vector<plan::Moved>{};
    if (plan::may_apply(moved)) {
      if (!moved.empty() && !again) streams_.err << moved_text(moved, streams_.reader);
      return std::nullopt;
    }
    streams_.err << moved_text(moved, streams_.reader);
    return refuse(
        {"the plan is refused", "what it relies on has changed", "create a new plan with tessera plan"});
  }

  const Cluster* cluster() const { return clusters_.model().find(plan_.intent.cluster); }

  std::optional<Error> why_not_this_cluster() const {
    const std::string what = "the plan is refused";
    Backend* backend = clusters_.backend(plan_.intent.cluster);
    if (!backend || !cluster() || !backend->actuator())
      return Error{what, plan_.intent.cluster.text + " cannot be changed from here",
                   "apply it where tessera can change that cluster"};
    if (!beginning_.made_earlier) return std::nullopt;
    return plan::why_not_here(what, plan_.intent.cluster, plan_.cluster_id, cluster()->id,
                              beginning_.same_cluster);
  }

  // What stands in a file may have been edited: what is begun is made here.
  std::optional<Error> make_again() {
    const Cluster& here = *cluster();
    const plan::Means can = capabilities_of(clusters_, here);
    if (beginning_.made_earlier) {
      plan_.cluster_id = here.id;  // the same, or a person says so
      if (auto why = why_not_begun(can)) return why;
      auto made = made_here(here, can);
      if (!made) return Error{"the plan is refused", to_line(made.error()), ""};
      if (auto why = plan::why_not_as_made(plan_, *made)) return why;
      plan_ = std::move(*made);
    }
    return why_not_begun(can);
  }
  // A plan that says that it undoes a run is made from that run's journal: the file's word alone would have a
  // failure parked that is to be undone.
  Result<plan::Plan> made_here(const Cluster& here, const plan::Means& can) {
    const TimePoint now = cluster_now(here, clusters_.wall());
    if (plan_.undoes.empty())
      return plan::make_plan(here, catalogue_, plan_.intent, can, options_.rules, now);
    auto known = read_run(clusters_, options_, plan_.undoes);
    if (auto* refusal = std::get_if<Refusal>(&known)) return refusal->error;
    return plan::plan_undo(*std::get<Followed>(known).run(), here, catalogue_, can, options_.rules, now,
                           &plan_.intent.options);
  }
  // That nothing is to be done is no refusal here.
  std::optional<Error> why_not_begun(const plan::Means& can) const {
    if (plan_.no_steps.empty() && !plan_.changes_anything()) return std::nullopt;
    return plan::why_not_begun(plan_, cluster()->id, can);
  }

  int show_only() {
    if (options_.output != OutputFormat::table) {
      streams_.out << plan_document(plan_, options_.output) << std::flush;
    } else {
      streams_.out << shown() << told(streams_, "Nothing has been changed: this is what would be done.")
                   << "\n"
                   << std::flush;
    }
    return kDone;
  }

  int arm_and_follow() {
    std::vector<NodeName> nodes;
    for (const plan::NodePlan& node : plan_.nodes) nodes.push_back(node.node);
    Lines lines(streams_.asks ? streams_.in_fd : -1);
    clusters_.catch_signals();
    if (auto refused = arm(clusters_, options_, streams_, lines, arming_word(nodes), "make this change"))
      return *refused;
    clusters_.take_events();
    if (auto moved = refuse_if_moved(true)) return *moved;
    Follower follower(clusters_, options_, streams_, lines, "");
    follower.rest_when(beginning_.why_rest);
    clusters_.runs()->start(plan_, plan_.undoes);
    Ended ended = follower.follow();
    plan::Outcome expected = plan_.undoes.empty() ? plan::Outcome::wanted : plan::Outcome::recorded;
    return report(ended, follower.followed(), expected, options_, streams_);
  }

  OpenClusters& clusters_;
  const Options& options_;
  const mig::Catalogue& catalogue_;
  const Streams& streams_;
  const Beginning& beginning_;
  plan::Plan plan_;
};

}  // namespace

int begin(OpenClusters& clusters, const Options& options, const mig::Catalogue& catalogue,
          const Streams& streams, const Beginning& beginning) {
  return Beginner(clusters, options, catalogue, streams, beginning).run();
}

}  // namespace tessera::cli
