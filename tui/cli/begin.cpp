#include "tui/cli/begin.hpp"

#include <fmt/format.h>

#include "engine/text.hpp"
#include "tui/cli/arm.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/plan_text.hpp"
#include "tui/cli/planning.hpp"
#include "tui/cli/table_text.hpp"

namespace tessera::cli {
namespace {

class Beginner {
 public:
  Beginner(World& world, const Options& options, const Streams& streams, const Beginning& beginning)
      : world_(world), options_(options), streams_(streams), beginning_(beginning), plan_(beginning.plan) {}

  int run() {
    if (auto moved = refuse_if_moved(false)) return *moved;
    if (auto why = why_never()) return refuse(*why);
    if (plan_.no_steps.empty() && !plan_.changes_anything()) {
      report_no_run("nothing", "nothing is to be done: it is so already", options_, streams_);
      return kDone;
    }
    if (options_.dry_run) return show_only();
    if (auto why = why_not_armed(options_, streams_)) return refuse(*why);
    if (streams_.asks && !options_.yes) streams_.err << shown() << "\n";
    return arm_and_follow();
  }

 private:
  int refuse(const Error& error) {
    complain(streams_, error);
    report_no_run("refused", to_line(error), options_, streams_);
    return kFinding;
  }
  std::string shown() const { return options_.ascii ? in_ascii(preview(plan_)) : preview(plan_); }

  // again: the person took their time over it. Harmless changes are told once.
  std::optional<int> refuse_if_moved(bool again) {
    const Cluster* cluster = world_.model().find(plan_.intent.cluster);
    std::vector<plan::Moved> moved = cluster ? plan::what_moved(plan_, *cluster) : std::vector<plan::Moved>{};
    if (plan::may_apply(moved)) {
      if (!moved.empty() && !again) streams_.err << "Since the plan was made:\n" << moved_text(moved);
      return std::nullopt;
    }
    streams_.err << "Since the plan was made:\n" << moved_text(moved);
    return refuse({"the plan is refused", "what it relies on has moved", "make it anew with tessera plan"});
  }

  // Without what the steps were written from: they are there already, and a plan's file does not keep it.
  static plan::Capabilities bare(plan::Capabilities can) {
    can.slurm.reset();
    can.gpu_operator.reset();
    return can;
  }

  // What no arming helps against.
  std::optional<Error> why_never() const {
    const std::string what = "the plan is refused";
    if (!plan_.no_steps.empty()) return Error{what, plan_.no_steps, "it is for looking at"};
    const Cluster* cluster = world_.model().find(plan_.intent.cluster);
    Backend* backend = world_.backend(plan_.intent.cluster);
    if (!backend || !cluster || !backend->actuator())
      return Error{what, plan_.intent.cluster.text + " can only be looked at from here",
                   "apply it where tessera can change that cluster"};
    if (bare(plan_.capabilities) != bare(capabilities_of(world_, *cluster)))
      return Error{what,
                   "the backend is not as it was when the plan was made: other settings, or another tessera",
                   "make it anew with tessera plan"};
    if (!plan_.violations.empty())
      return Error{what, plan_.violations.front().rule + ": " + plan_.violations.front().text,
                   "choose another layout; tessera plan shows every rule that breaks"};
    return std::nullopt;
  }

  int show_only() {
    if (options_.output != OutputFormat::table) {
      streams_.out << plan_document(plan_, options_.output) << std::flush;
    } else {
      streams_.out << shown() << "Nothing has been changed: this is what would be done.\n" << std::flush;
    }
    return kDone;
  }

  int arm_and_follow() {
    std::vector<NodeName> nodes;
    for (const plan::NodePlan& node : plan_.nodes) nodes.push_back(node.node);
    Lines lines(streams_.asks ? streams_.in_fd : -1);
    world_.catch_signals();
    if (auto refused = arm(world_, options_, streams_, lines, arming_word(nodes), "make this change"))
      return *refused;
    world_.take_events();
    if (auto moved = refuse_if_moved(true)) return *moved;
    Follower follower(world_, options_, streams_, lines, "");
    world_.runs()->start(plan_, beginning_.undoes);
    Ended ended = follower.follow();
    plan::Outcome expected = beginning_.undoes.empty() ? plan::Outcome::wanted : plan::Outcome::recorded;
    return report(ended, follower.followed(), expected, options_, streams_);
  }

  World& world_;
  const Options& options_;
  const Streams& streams_;
  const Beginning& beginning_;
  const plan::Plan& plan_;
};

}  // namespace

int begin(World& world, const Options& options, const Streams& streams, const Beginning& beginning) {
  return Beginner(world, options, streams, beginning).run();
}

}  // namespace tessera::cli
