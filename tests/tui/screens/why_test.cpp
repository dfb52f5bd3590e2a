// What waits, and why: `w`, the page's answer, Enter on what helps, y on its command.
#include "engine/why/why.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/session.hpp"
#include "tests/tui/screens/places.hpp"
#include "tui/screens/pages/why.hpp"

namespace tessera::test {
namespace {

TEST(WhyScreen, WOnAWaitingRowOpensItsPage) {
  Session session(small_place(), {120, 40});
  session.press("w");
  EXPECT_TRUE(session.shows("waiting")) << session.screen();
  session.press("w");
  EXPECT_EQ(session.state.top().kind, tui::ScreenKind::workload) << session.screen();
  EXPECT_TRUE(session.shows("WHY IT WAITS")) << session.screen();
  EXPECT_TRUE(session.shows("it waits for resources: what it asks for is not free")) << session.screen();
}

TEST(WhyScreen, WOnRunningWorkListsWhatWaits) {
  Session session(small_place(), {120, 40});
  session.press("5/88123<enter>w");
  EXPECT_EQ(session.state.top().kind, tui::ScreenKind::workloads) << session.screen();
  EXPECT_TRUE(session.shows("88140")) << session.screen();
}

TEST(WhyScreen, HeldWorkIsReleasedByACommandThatYCopies) {
  Model model = small_place();
  for (Cluster& cluster : model.clusters)
    if (Workload* work = cluster.workloads.change(WorkloadId("88140"))) work->reason = "JobHeldUser";
  Session session(std::move(model), {120, 40});
  session.press(":job 88140<enter>");
  EXPECT_TRUE(session.shows("its owner holds it (certain")) << session.screen();
  EXPECT_TRUE(session.shows("scontrol release 88140")) << session.screen();
  session.press("y");
  ASSERT_FALSE(session.effects.empty());
  EXPECT_EQ(session.effects.back().copy, "scontrol release 88140");
  session.press("<enter>");
  EXPECT_TRUE(session.shows("press y to copy the command")) << session.screen();
}

TEST(WhyScreen, EnterOnARecutOpensItsPlan) {
  Story story;
  Gpu cut = gpu(0, Strategy::mig, {instance("1g.10gb", 0, 1, 0), instance("1g.10gb", 4, 1, 1)});
  cut.mig_mode = MigMode::enabled;
  story.tell(NodesListed{{node("n1", {cut})}});
  story.tell(WorkloadsListed{{waiting("7", "alice", "gpu:3g.40gb")}});
  story.tell(Loaded{});
  Session session(std::move(story.model), {120, 40});
  session.press(":job 7<enter>");
  ASSERT_TRUE(session.shows("that disturbs no job or pod")) << session.screen();
  session.press("<enter>");
  EXPECT_EQ(session.state.top().kind, tui::ScreenKind::plan) << session.screen();
  EXPECT_TRUE(session.shows("3g.40gb")) << session.screen();
}

// The names of ten thousand nodes were folded for each picture.
TEST(WhyScreen, NamesOfNodesAreFoldedOnceAndAgainWhereOneIsAdded) {
  Story story;
  const auto uncut = [] { return gpu(0, Strategy::mig, {instance("1g.10gb", 0, 1, 0)}); };
  story.tell(NodesListed{{node("alpha", {uncut()}), node("beta", {uncut()})}});
  story.tell(WorkloadsListed{{waiting("7", "alice", "gpu:7g.80gb")}});
  story.tell(Loaded{});
  Session session(std::move(story.model), {120, 60});
  session.press(":job 7<enter>");
  ASSERT_FALSE(session.state.top().why.groups.empty()) << session.screen();
  EXPECT_TRUE(session.shows(session.state.top().why.groups.front())) << session.screen();
  session.tell(on("hpc", NodeSeen{node("gamma", {uncut()})}));
  const std::string screen = session.screen();
  EXPECT_NE(screen.find("gamma"), std::string::npos) << screen;
  session.state.top().why = {};
  EXPECT_EQ(session.screen(), screen) << "what is kept is what would be worked out";
}

// `tessera why train` told the quota, and `:why train` said that no job or pod is called so.
TEST(WhyScreen, WorkWhosePodsAQuotaRefusesIsFoundByItsNameAmongTheFindings) {
  const auto refused = [](const char* whose) {
    Remark one{
        Remark::Grade::warning, whose, false,
        "the API server refuses its pods: quota gpus allows 8 nvidia.com/gpu, 6 are used, and a pod asks "
        "for 4",
        "raise the quota, or wait until some of it ends"};
    one.kind = Remark::Kind::refused;
    one.commands = {"kubectl -n ml describe resourcequota"};
    return one;
  };
  Model model = two_places();
  reduce(model, on("train-a", RemarksListed{Source::kubernetes_pods, {refused("Job ml/train")}}));
  for (const std::string name : {"train", "ml/train", "Job ml/train"}) {
    Session session(model, {120, 40});
    session.press(":why " + name + "<enter>");
    EXPECT_EQ(session.state.top().kind, tui::ScreenKind::doctor) << session.screen();
    EXPECT_TRUE(session.shows("quota gpus allows 8 nvidia.com/gpu, 6 are used")) << session.screen();
    session.press("y");
    ASSERT_FALSE(session.effects.empty());
    const std::string copied = session.effects.back().copy.value_or("");
    EXPECT_TRUE(copied.starts_with("kubectl -n ml describe resourcequota")) << copied;
  }
  reduce(model, on("train-a", RemarksListed{Source::kubernetes_pods,
                                            {refused("Job ml/train"), refused("Job bio/train")}}));
  Session session(model, {120, 40});
  session.press(":why train<enter>");
  EXPECT_TRUE(session.shows("2 jobs or pods are called train")) << session.screen();
}

// The page said "and 4 more" behind eight groups of nodes, and no key led to those four.
TEST(WhyScreen, EveryGroupOfNodesCanBeReachedOnThePageAtEveryWidth) {
  Story story;
  std::vector<Node> all;
  for (int i = 1; i <= 12; ++i) {
    Node closed = node("n" + std::to_string(i), {gpu(0, Strategy::mig, {instance("1g.10gb", 0, 1, 0)})});
    closed.health = Health::drained, closed.state = {"IDLE", "DRAIN"};
    closed.reason = "ticket " + std::to_string(4700 + i);
    all.push_back(std::move(closed));
  }
  story.tell(NodesListed{std::move(all)});
  story.tell(WorkloadsListed{{waiting("7", "alice", "gpu:1g.10gb")}});
  story.tell(Loaded{});
  for (const tui::Size size : {tui::Size{80, 24}, tui::Size{120, 24}, tui::Size{200, 24}}) {
    Session session(story.model, size);
    session.press(":job 7<enter>");
    std::string seen = session.screen();
    for (int i = 0; i < 120; ++i) seen += session.press("j").screen();
    EXPECT_NE(seen.find("and 4 more: at the end of its page"), std::string::npos) << seen;
    for (int i = 1; i <= 12; ++i)
      EXPECT_NE(seen.find("ticket " + std::to_string(4700 + i)), std::string::npos)
          << i << " at " << size.columns;
    EXPECT_NE(seen.find("MORE NODES"), std::string::npos) << size.columns;
  }
}

Session waiting_on_a_cluster_of(int nodes) {
  Story story;
  std::vector<Node> all;
  for (int i = 0; i < nodes; ++i)
    all.push_back(
        node("n" + std::to_string(10000 + i), {gpu(0, Strategy::mig, {instance("1g.10gb", 0, 1, 0)})}));
  story.tell(NodesListed{std::move(all)});
  story.tell(WorkloadsListed{{waiting("7", "alice", "gpu:7g.80gb"), waiting("8", "bob", "gpu:3g.40gb")}});
  story.tell(Loaded{});
  Session session(std::move(story.model), {200, 60});
  session.press("w");
  return session;
}

// Beside the waiting list of more than 100 nodes stood what the job asks for, and not why it waits.
TEST(WhyScreen, BesideTheWaitingListItIsToldInAClusterOfMoreThanAHundredNodesToo) {
  Session session = waiting_on_a_cluster_of(150);
  EXPECT_TRUE(session.shows("WHY IT WAITS")) << session.screen();
  EXPECT_TRUE(session.shows("opens its page, which looks for what would help, too")) << session.screen();
  const auto kept = session.state.why_beside.answer;
  ASSERT_TRUE(kept);
  EXPECT_FALSE(kept->nodes.empty()) << "its nodes were looked at";
  session.press("k");
  EXPECT_EQ(session.state.why_beside.answer, kept) << "worked out once for the row, and not for each picture";
  session.press("j");
  EXPECT_NE(session.state.why_beside.answer, kept) << "another row";
  EXPECT_EQ(session.state.why_beside.subject, "8");
}

// Of a large cluster nothing that would help was ever told beside the list.
TEST(WhyScreen, BesideTheListOfALargeClusterThePlannersThreadFindsWhatWouldHelp) {
  Session session = waiting_on_a_cluster_of(1001);
  ASSERT_FALSE(session.shows("WHAT WOULD HELP")) << session.screen();
  session.work_out();
  EXPECT_TRUE(session.shows("WHAT WOULD HELP")) << session.screen();
  EXPECT_FALSE(session.shows("opens its page")) << session.screen();
  ASSERT_TRUE(session.state.why_beside.at) << "it says when";
  const auto of_seven = session.state.large.why->question;
  session.press("j");
  EXPECT_FALSE(session.shows("WHAT WOULD HELP")) << "another job is not answered with that of the first";
  EXPECT_NE(session.state.large.why->question, of_seven);
  session.work_out();
  EXPECT_TRUE(session.shows("WHAT WOULD HELP")) << session.screen();
  EXPECT_EQ(session.state.large.why->answer->question->id.text, "8");
}

// The cluster moved with every look, and the answer was gone with it.
TEST(WhyScreen, BesideTheListOfALargeClusterAnAnswerStaysUntilTheNext) {
  Session session = waiting_on_a_cluster_of(1001);
  session.work_out();
  const auto first = session.state.large.why->question;
  session.tell(on("hpc", NodeSeen{node("late", {})}));
  EXPECT_TRUE(session.shows("WHAT WOULD HELP")) << session.screen();
  EXPECT_EQ(session.state.large.why->question, first) << "not at each change";
  session.pass(Duration{15'000});
  EXPECT_NE(session.state.large.why->question, first);
  EXPECT_TRUE(session.shows("WHAT WOULD HELP")) << session.screen();
}

TEST(WhyScreen, BesideTheListOfAHugeClusterTheReasonIsToldAndTheKeyThatLooksAtTheNodes) {
  Session session = waiting_on_a_cluster_of(1001);
  EXPECT_TRUE(session.shows("WHY IT WAITS")) << session.screen();
  EXPECT_TRUE(session.shows("opens its page, which looks at each node")) << session.screen();
  EXPECT_FALSE(session.shows("nothing that tessera knows of")) << "help was not looked for";
  session.press("<enter>");
  EXPECT_EQ(session.state.top().kind, tui::ScreenKind::workload);
  EXPECT_FALSE(session.shows("opens its page, which looks at each node")) << session.screen();
  session.work_out();
  EXPECT_TRUE(session.shows("WHAT WOULD HELP")) << session.screen();
}

// The page looked at each node before it was drawn, and at each change again: the keys waited for it.
TEST(WhyScreen, ThePageOfALargeClusterIsFoundByThePlannersThread) {
  Session session = waiting_on_a_cluster_of(1001);
  session.press(":job 7<enter>");
  ASSERT_EQ(session.state.top().kind, tui::ScreenKind::workload);
  EXPECT_TRUE(session.shows("WHY IT WAITS")) << session.screen();
  EXPECT_TRUE(session.shows("its nodes and what would help are being looked at")) << session.screen();
  EXPECT_FALSE(session.shows("WHAT WOULD HELP")) << "help was not looked for yet";
  session.work_out();
  EXPECT_TRUE(session.shows("WHAT WOULD HELP")) << session.screen();
  EXPECT_FALSE(session.shows("its nodes and what would help are being looked at")) << session.screen();
  ASSERT_TRUE(session.state.top().why.at) << "it says when";
  const auto found = session.state.top().why.answer;
  session.tell(on("hpc", NodeSeen{node("late", {})}));
  EXPECT_EQ(session.state.top().why.answer, found) << "it stays until the next";
  session.pass(Duration{15'000});
  EXPECT_TRUE(session.state.large.why->working());
  EXPECT_EQ(session.state.top().why.answer, found);
}

// With what was asked for the job alone it is found once more, and what was found stays until then.
TEST(WhyScreen, OnThePageOfALargeClusterWhatWasAskedForTheJobAloneIsFoundToo) {
  Session session = waiting_on_a_cluster_of(1001);
  session.press(":job 7<enter>");
  session.work_out();
  tui::WorkDetails told;
  told.cluster = ClusterName("hpc");
  told.details.of = WorkloadId("7");
  tui::take_details(session.state, {told});
  session.press("j");
  EXPECT_TRUE(session.shows("WHAT WOULD HELP")) << session.screen();
  ASSERT_TRUE(session.state.large.why->working());
  EXPECT_TRUE(session.state.large.why->question->details);
  session.work_out();
  EXPECT_EQ(session.state.top().why.answer, session.state.large.why->answer->answer);
}

}  // namespace
}  // namespace tessera::test
