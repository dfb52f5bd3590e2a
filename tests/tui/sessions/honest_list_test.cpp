// Screens that misled, continued: figures that must be one figure, and lines that said a thing twice.
#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <memory>
#include <ratio>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/session.hpp"
#include "tests/tui/cli/fake_runs.hpp"
#include "tests/tui/screens/change_places.hpp"
#include "tests/tui/screens/places.hpp"
#include "tui/cli/change/planning.hpp"

namespace tessera::test {
namespace {

using tui::ScreenKind;

// What `tessera plan` prints of the same wish for one node, about a cluster that stands as this one.
std::string printed_plan(const Session& session, const plan::Intent& intent) {
  const Cluster& cluster = *session.model.find(intent.cluster);
  cli::Options options;
  options.command = "plan";
  options.intent_file = "intent.yaml";  // it was read: what it says is in `wishes`
  options.nodes = intent.nodes.front().text;
  options.wishes = intent.boards;
  for (plan::BoardWish& one : options.wishes) one.node = intent.nodes.front();
  const auto open = [&](const cli::Options&, const mig::Catalogue&) {
    cli::Opening opening;
    const auto& nodes = cluster.nodes.all();
    const auto& work = cluster.workloads.all();
    opening.backends.push_back(std::make_unique<StandingBackend>(
        std::vector<Node>(nodes.begin(), nodes.end()), std::vector<Workload>(work.begin(), work.end())));
    return opening;
  };
  Box box;
  std::ostringstream out, err;
  const cli::Joins joins{box, box, open, {}, [] { return at(0); }, {}, false};
  EXPECT_EQ(cli::run_plan(options, session.catalogue, joins, cli::Streams{out, err, -1, -1, false}), 0)
      << err.str();
  return out.str();
}

// The guide promised starts that the plan denied, and the plan counted matches in place of capacity.
TEST(Honest, GuideEditorPlanAndCommandLineStartTheSameWork) {
  Session session = changing({120, 60});
  // Two wait for a 3g.40gb each; a third has the same wish and is held by an admin.
  Workload held = waiting("88142", "judy", "gpu:3g.40gb");
  held.reason = "JobHeldAdmin";
  session.tell(on("hpc", WorkloadSeen{held}));
  session.press(":node n0041<enter>Dy");
  ASSERT_EQ(session.state.top().kind, ScreenKind::guide) << session.screen();
  session.line_with("starts 2 of 3 waiting");
  session.press("<enter>");
  ASSERT_EQ(session.state.top().kind, ScreenKind::layout) << session.screen();
  EXPECT_NE(session.line_with("WILL RUN").find("2 waiting: 88140 judy"), std::string::npos)
      << session.screen();
  session.press("P");
  ASSERT_EQ(session.state.top().kind, ScreenKind::plan) << session.screen();
  const plan::Plan& plan = session.state.plan->plan;
  EXPECT_EQ(plan.will_run_count, 2);
  session.line_with("2 will be able to run");
  const std::string printed = printed_plan(session, plan.intent);
  EXPECT_NE(printed.find("waiting workloads that will be able to start: 2;"), std::string::npos) << printed;
}

// "NEEDS ATTENTION 5", of which one was a node that this very console was changing.
TEST(Honest, ANodeThatARunHasClosedIsListedAndNotCountedAmongWhatNeedsAttention) {
  Session session = changing();
  Node ours = *session.model.find(ClusterName("hpc"))->nodes.find(NodeName("n0041"));
  ours.health = Health::drained;
  ours.reason = "tessera 20261121-1403-n0041-mbn alice@login1: 4g.40gb,3g.40gb";
  session.tell(on("hpc", NodeSeen{ours}));
  session.line_with("Nothing needs attention");
  session.line_with("drained for run 20261121-1403-n0041-mbn of alice@login1");
  ours.reason = "Xid 79";
  session.tell(on("hpc", NodeSeen{ours}));
  EXPECT_NE(session.line_with("NEEDS ATTENTION").find(" 1"), std::string::npos) << session.screen();
}

// "progress 1 of 1 node done", and below it, in the colour of a warning, "why 1 of 1 node done".
TEST(Honest, ARunThatEndedWellGivesNoReason) {
  Session session = changing();
  RunHead head = Diary(plan_of(session, {"n0031"}, 0)).head(RunState::finished, false);
  head.outcome = "wanted";
  head.progress = head.why = "1 of 1 node done";
  session.hear({RunsListed{{head}}});
  session.press("J");
  session.line_with("progress");
  EXPECT_FALSE(session.shows(" why ")) << session.screen();
  EXPECT_FALSE(session.shows(" result ")) << session.screen();
  head.outcome = "partial";
  head.why = "1 of 2 nodes done, 1 went back";
  session.hear({RunsListed{{head}}});
  EXPECT_NE(session.line_with("went back").find("result"), std::string::npos);
}

// "nothing is run: this step looks until it is so", of the step that sets tessera's mark.
TEST(Honest, AStepThatChangesTheNodeIsNotCalledALook) {
  Session session = changing({120, 40});
  open(session, plan_of(session, {"n0041"}, 0));
  session.press("<tab>");
  session.line_with("step       mark n0041");
  session.line_with("no command to type: tessera does this by itself");
  session.press("jj");
  session.line_with("step       wait until");
  session.line_with("no command: this step changes nothing");
}

// The hours of a job on a seventh of a GPU were counted as if it held all of it.
TEST(Honest, HoursOnASliceAreThoseOfItsPartOfTheGpu) {
  const Session session = changing();
  const plan::Plan plan = plan_of(session, {"n0031"}, 1);
  ASSERT_EQ(plan.nodes.at(0).blast_radius.size(), 2u);
  for (const plan::Disturbed& one : plan.nodes[0].blast_radius) {
    ASSERT_TRUE(one.gpu_hours && one.running);
    const double hours = std::chrono::duration<double, std::ratio<3600>>(*one.running).count();
    EXPECT_NEAR(*one.gpu_hours, hours * (one.id == WorkloadId("88120") ? 2 : 1) / 7, 0.01) << one.id.text;
  }
}

// 01:33 in the title above events of 01:53.
TEST(Honest, TitleAndEventsFollowTheClusterOnItsOwnClock) {
  Session session(small_place());
  const TimePoint there = session.wall + std::chrono::minutes(20);
  session.tell(Event{ClusterName("hpc"), 0, there, ClockSet{session.wall}});
  const std::time_t seconds = std::chrono::system_clock::to_time_t(there);
  std::tm parts{};
  localtime_r(&seconds, &parts);
  char shown[8];
  std::strftime(shown, sizeof shown, "%H:%M", &parts);
  const std::string title = session.screen().substr(0, session.screen().find('\n'));
  EXPECT_NE(title.find(shown), std::string::npos) << title;
}

// "closed: not held, and its node takes no jobs or pods" ran into the keys of the next column.
TEST(Honest, ColumnsOfTheHelpNeverTouch) {
  Session session(small_place(), {200, 60});
  session.press("2?");
  EXPECT_FALSE(session.shows("takes no jobs or")) << session.screen();
  session.line_with("closed: not held, and its node takes no jobs  ");
}

TEST(Honest, HelpNamesTheScreenOnceAndTellsItsKeysAndShapes) {
  for (const char* key : {"2", "3", "J"}) {
    Session session(two_places(), {120, 200});
    session.press(key).press("?");
    const std::string text = session.screen();
    const std::size_t first = text.find("ON THIS SCREEN");
    ASSERT_NE(first, std::string::npos) << text;
    EXPECT_EQ(text.find("ON THIS SCREEN", first + 1), std::string::npos) << text;
    EXPECT_NE(text.find("free MIG slices"), std::string::npos) << text;
    if (std::string(key) == "J") continue;
    const std::string here = text.substr(first, text.find("SHAPES") - first);
    EXPECT_NE(here.find("\n  L "), std::string::npos) << here;
    EXPECT_NE(here.find("\n  D "), std::string::npos) << here;
  }
}

// "changes: slice by slice" above a reset that takes all eight GPUs along.
TEST(Honest, TheEditorSaysWhatAResetTakesAlong) {
  Model model = change_place();
  std::vector<Gpu> gpus;
  for (int i = 0; i < 2; ++i) {
    Gpu one = gpu(i, Strategy::whole, {whole(i)});
    one.model = "NVIDIA A100-SXM4-40GB";
    one.product = ProductKey("A100-40GB");
    one.mig_mode = MigMode::disabled;
    gpus.push_back(std::move(one));
  }
  reduce(model, on("hpc", NodeSeen{node("a100", std::move(gpus))}));
  Session session(std::move(model), {120, 40});
  session.state.abilities[ClusterName("hpc")] = plan::simulator_capabilities();
  session.press(":node a100<enter>L");
  session.line_with("changes: slice by slice");
  session.press("pjj<enter>");
  session.line_with("changes: the whole node is emptied");
}

// The two keys that make the product stood in no list's footer.
TEST(Honest, ListsOfferLayoutGuideAndWhatWaitsInTheirFooters) {
  for (const char* key : {"2", "3", "4"}) {
    Session session(small_place(), {80, 24});
    session.press(key);
    const std::string footer = session.line_with("q quit");
    for (const char* offered : {"L layout", "D guide", "w waiting", "7 findings"})
      EXPECT_NE(footer.find(offered), std::string::npos) << key << ": " << footer;
  }
  Session session(small_place(), {80, 24});
  session.press("5");
  EXPECT_EQ(session.line_with("q quit").find("L layout"), std::string::npos) << "work is not cut";
  session.resize({120, 40}).press("2");
  session.line_with("7 findings");
}

// The head of a node with eight GPUs was cut at 80 columns while lines below stood empty.
TEST(Honest, TheHeadOfANodeTakesASecondLineWhereItIsTooLong) {
  Model model = two_places();
  std::vector<Gpu> gpus;
  for (int i = 0; i < 8; ++i) gpus.push_back(gpu(i, Strategy::whole, {whole(i)}));
  Node with = node("h8", std::move(gpus));
  with.driver = "550.90.07";
  with.cpus = 128;
  with.agent = "24.11.5";
  reduce(model, on("hpc", NodeSeen{with}));
  Session session(std::move(model), {80, 24});
  session.press(":node h8<enter>");
  session.line_with("550.90.07");
  session.line_with("128 CPUs");
  session.line_with("GPU 7");
}

}  // namespace
}  // namespace tessera::test
