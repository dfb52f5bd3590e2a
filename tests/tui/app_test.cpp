// The loop: keys in, canvases out, and a clock that the test turns.
#include "tui/app.hpp"

#include <gtest/gtest.h>

#include "tests/tui/app_fixture.hpp"

namespace tessera::tui {
namespace {

TEST_F(AppTest, TheFirstPictureComesBeforeAnyData) {
  app();
  EXPECT_EQ(terminal.frames, 1);
  EXPECT_FALSE(terminal.shown.empty());
}

TEST_F(AppTest, AClusterIsKnownByNameBeforeItHasSaidAnything) {
  ASSERT_EQ(app().model().clusters.size(), 1u);
  EXPECT_EQ(app().model().clusters[0].name, ClusterName("hpc"));
  EXPECT_NE(terminal.shown.find("hpc"), std::string::npos) << terminal.shown;
}

TEST_F(AppTest, TheFirstFullPictureDoesNotWaitForTheNextFrame) {
  app();
  events.post(seen("n0001"));
  turn();
  EXPECT_EQ(terminal.frames, 1);
  events.post(Event{ClusterName("hpc"), 1, TimePoint{} + wall, Loaded{}});
  turn();
  EXPECT_EQ(terminal.frames, 2);
}

TEST_F(AppTest, AKeyIsPaintedInTheSameTurn) {
  ASSERT_TRUE(press("2"));
  EXPECT_EQ(screen(), ScreenKind::nodes);
  EXPECT_EQ(terminal.frames, 2);
}

TEST_F(AppTest, ManyKeysAtOnceAreOnePicture) {
  ASSERT_TRUE(press("2345"));
  EXPECT_EQ(screen(), ScreenKind::workloads);
  EXPECT_EQ(terminal.frames, 2);
}

TEST_F(AppTest, NothingHappensMeansNoPicture) {
  app();
  for (int i = 0; i < 10; ++i) turn();
  EXPECT_EQ(terminal.frames, 1);
}

// Polling a cluster in which nothing happens: the same lists, sources that answer, and our own pace.
TEST_F(AppTest, AnIdleClusterDerivesSortsAndDrawsNothing) {
  const auto poll = [&](double calls) {
    Node one = std::get<NodeSeen>(seen("n0001").what).node, two = std::get<NodeSeen>(seen("n0002").what).node;
    one.origin = two.origin = {Source::slurm_nodes, TimePoint{} + wall};
    const auto post = [&](auto what) {
      events.post(Event{ClusterName("hpc"), 1, TimePoint{} + wall, std::move(what)});
    };
    post(NodesListed{{one, two}});
    post(WorkloadsListed{});
    post(SourceReport{Source::slurm_nodes, std::nullopt, Duration{40}, "", false});
    post(SourceReport{Source::slurm_jobs, std::nullopt, Duration{55}, "", false});
    post(PaceReport{calls, Duration{10'000}});
    post(Loaded{});
    turn();
  };
  app();
  events.post(Event{ClusterName("hpc"), 1, TimePoint{} + wall, ClusterSeen{}});
  poll(6);
  ASSERT_TRUE(press("2>"));
  pass(Duration{1000});
  turn();
  for (const char* screen : {"1", "2", "5", "6", "7"}) {
    ASSERT_TRUE(press(screen));
    pass(Duration{40});
    turn();
    const int frames = terminal.frames;
    const std::uint64_t revision = app().model().revision;
    const TimePoint derived = app().state().top().derived.at, summed = app().state().overview.at;
    for (int polls = 0; polls < 20; ++polls) {
      pass(Duration{40});  // more than a frame takes
      poll(6);
    }
    EXPECT_EQ(terminal.frames, frames) << "screen " << screen << ": pictures";
    EXPECT_EQ(app().model().revision, revision) << "screen " << screen;
    EXPECT_EQ(app().state().top().derived.at, derived) << "screen " << screen << ": filtered and sorted";
    EXPECT_EQ(app().state().overview.at, summed) << "screen " << screen << ": summed up";
  }
  // What the pace says again is one line, and still no row.
  ASSERT_TRUE(press("2"));
  pass(Duration{40});
  turn();
  const int frames = terminal.frames;
  const TimePoint derived = app().state().top().derived.at;
  const std::string before = terminal.shown;
  pass(Duration{40});
  poll(12);
  EXPECT_EQ(terminal.frames, frames + 1);
  EXPECT_NE(terminal.shown.find("12 calls/min"), std::string::npos) << terminal.shown;
  EXPECT_EQ(terminal.shown.substr(terminal.shown.find('\n')), before.substr(before.find('\n')));
  EXPECT_EQ(app().state().top().derived.at, derived);
}

// A page that lists sources tells of each answer.
TEST_F(AppTest, ASourceThatAnswersIsSeenWhereSourcesAreListed) {
  app();
  events.post(Event{ClusterName("hpc"), 1, TimePoint{} + wall, ClusterSeen{}});
  turn();
  press(":about\r");
  pass(Duration{1000});
  events.post(Event{ClusterName("hpc"), 1, TimePoint{} + wall,
                    SourceReport{Source::slurm_nodes, std::nullopt, Duration{40}, "", false}});
  turn();
  pass(Duration{5000});
  events.post(Event{ClusterName("hpc"), 1, TimePoint{} + wall,
                    SourceReport{Source::slurm_nodes, std::nullopt, Duration{40}, "", false}});
  const int frames = terminal.frames;
  turn();
  EXPECT_EQ(terminal.frames, frames + 1);
}

TEST_F(AppTest, AStormOfEventsIsDrawnThirtyTimesASecond) {
  app();
  pass(Duration{1000});
  const int before = terminal.frames;
  for (int millisecond = 0; millisecond < 1000; ++millisecond) {
    events.post(seen("n" + std::to_string(millisecond)));
    turn();
    pass(Duration{1});
  }
  EXPECT_LE(terminal.frames - before, 32);
  EXPECT_GE(terminal.frames - before, 25);
  EXPECT_EQ(app().model().clusters.at(0).nodes.size(), 1000u);
}

TEST_F(AppTest, AKeyInAStormDoesNotWaitForTheNextFrame) {
  app();
  pass(Duration{1000});
  events.post(seen("n1"));
  turn();
  events.post(seen("n2"));
  const int before = terminal.frames;
  press("2");
  EXPECT_EQ(terminal.frames, before + 1);
}

TEST_F(AppTest, AsTimeGoesByThePictureFollows) {
  press("j");
  const int before = terminal.frames;
  pass(Duration{30'000});
  turn();
  EXPECT_EQ(terminal.frames, before + 1) << "time went by, and the views were asked again";
  turn();
  EXPECT_EQ(terminal.frames, before + 1);
}

TEST_F(AppTest, AMessageFadesWhenItsTimeIsUp) {
  press("\x12");
  ASSERT_NE(terminal.shown.find("asked for fresh data"), std::string::npos);
  pass(Duration{5'000});
  turn();
  EXPECT_NE(terminal.shown.find("asked for fresh data"), std::string::npos);
  pass(Duration{1'001});
  turn();
  EXPECT_EQ(terminal.shown.find("asked for fresh data"), std::string::npos) << terminal.shown;
}

TEST_F(AppTest, QuittingLeavesTheLoop) {
  EXPECT_FALSE(press("q"));
  EXPECT_EQ(app().run(), 0);
}

TEST_F(AppTest, KeysAfterQuitAreNotObeyed) {
  EXPECT_FALSE(press("q2"));
  EXPECT_EQ(screen(), ScreenKind::overview);
}

TEST_F(AppTest, AVanishedTerminalEndsTheConsole) {
  app();
  terminal.hang_up();
  EXPECT_FALSE(turn());
}

TEST_F(AppTest, ASignalEndsItThroughTheLoop) {
  app();
  raise(SIGTERM);
  EXPECT_EQ(app().run(), 128 + SIGTERM);
}

TEST_F(AppTest, ALoneEscapeIsTakenWhenNothingFollows) {
  press("2");
  press("\x1b");
  EXPECT_EQ(screen(), ScreenKind::nodes);
  pass(Duration{30});
  turn();
  EXPECT_EQ(screen(), ScreenKind::overview);
}

TEST_F(AppTest, EscapeAndAKeyInOnePieceAreTwoKeys) {
  press("2");
  press(
      "\x1b"
      "5");
  EXPECT_EQ(screen(), ScreenKind::workloads);
}

TEST_F(AppTest, AltWithAnArrowIsNeitherEscapeNorTheArrow) {
  press("2");
  for (const char* keys : {"\x1b[1;3A", "\x1b[1;3B", "\x1b[1;3C", "\x1b[1;3D", "\x1b[5;3~", "\x1b\x04"})
    press(keys);
  EXPECT_EQ(screen(), ScreenKind::nodes);
}

TEST_F(AppTest, EscapeAndEnterInOnePieceAreTwoKeys) {
  press("2/idle");
  press("\x1b");
  pass(Duration{30});
  turn();
  press("\x1b\r");
  EXPECT_EQ(screen(), ScreenKind::nodes) << "back to the overview, and Enter opens its cluster";
  EXPECT_EQ(app().state().top().cluster, ClusterName("hpc"));
}

TEST_F(AppTest, APasteIsNeverKeys) {
  press("\x1b[200~2q\x1b[201~");
  EXPECT_EQ(screen(), ScreenKind::overview);
  EXPECT_NE(terminal.shown.find("a paste is not read as keys"), std::string::npos) << "and it says so";
}

// Each key that was typed into a paste without an end gave it five seconds more.
TEST_F(AppTest, TypingDoesNotKeepAPasteOpenWhoseEndGotLost) {
  press("\x1b[200~lost");
  for (int i = 0; i < 6; ++i) {
    pass(Duration{1000});
    press("x");
  }
  turn();
  press("2");
  EXPECT_EQ(screen(), ScreenKind::nodes);
}

TEST_F(AppTest, APasteIsTextWhereTextIsTyped) {
  press("2/");
  press("\x1b[200~state=idle\r\x1b[201~");
  EXPECT_EQ(app().state().input.kind, InputKind::filter);
  EXPECT_NE(app().state().input.text.find("state=idle"), std::string::npos);
}

TEST_F(AppTest, WhatIsTypedIsTextAndNotKeys) {
  press("2/");
  press("q5");
  EXPECT_EQ(screen(), ScreenKind::nodes);
  EXPECT_EQ(app().state().input.text, "q5");
}

TEST_F(AppTest, AResizeIsDrawnAtTheNewSize) {
  app();
  terminal.now = {60, 20};
  raise(SIGWINCH);
  turn();
  EXPECT_EQ(app().state().size, (Size{60, 20}));
  EXPECT_EQ(terminal.frames, 2);
}

TEST_F(AppTest, SuspendingPaintsAgainAtTheSizeOfTheDay) {
  app();
  terminal.now = {61, 21};
  ASSERT_TRUE(press("\x1a"));
  EXPECT_EQ(terminal.suspended, 1);
  EXPECT_EQ(app().state().size, (Size{61, 21}));
}

TEST_F(AppTest, RefreshAsksEveryBackend) {
  press("\x12");
  EXPECT_EQ(log.refreshed, 1);
}

TEST_F(AppTest, AfterTwoMinutesWithoutAKeyTheClustersAreLeftInPeace) {
  app();
  pass(Duration{119'000});
  turn();
  EXPECT_TRUE(log.paces.empty());
  pass(Duration{2'000});
  turn();
  EXPECT_EQ(log.paces, std::vector<Pace>{Pace::idle});
  press("j");
  EXPECT_EQ(log.paces, (std::vector<Pace>{Pace::idle, Pace::focused}));
  EXPECT_EQ(log.refreshed, 1);
}

TEST_F(AppTest, LookingAtTheWindowAgainCountsAsAKeyAndLookingAwayDoesNot) {
  app();
  pass(Duration{121'000});
  turn();
  press("\x1b[O");
  EXPECT_EQ(log.paces, std::vector<Pace>{Pace::idle});
  press("\x1b[I");
  EXPECT_EQ(log.paces, (std::vector<Pace>{Pace::idle, Pace::focused}));
}

TEST_F(AppTest, TheNextThemeIsShown) {
  press("T");
  ASSERT_EQ(terminal.themes.size(), 1u);
  EXPECT_EQ(terminal.themes[0], app().state().theme);
  EXPECT_NE(app().state().theme, "dark");
}

TEST_F(AppTest, AThemeThatCannotBeReadLeavesTheOldOneAndSaysSo) {
  press(":theme no-such\r");
  EXPECT_TRUE(terminal.themes.empty());
  EXPECT_EQ(app().state().theme, "dark");
  EXPECT_NE(terminal.shown.find("no-such"), std::string::npos);
}

TEST_F(AppTest, ThePageOfAGpuAsksForItsPastOnceAndDrawsIt) {
  terminal.now = Size{100, 90};
  Event listed = seen("n1");
  Gpu gpu;
  gpu.index = GpuIndex{0};
  gpu.memory = Mib{81559};
  Slice whole;
  whole.kind = SliceKind::whole_gpu;
  gpu.slices = {whole};
  std::get<NodeSeen>(listed.what).node.gpus = {gpu};
  events.post(std::move(listed));
  events.post(Event{ClusterName("hpc"), 1, TimePoint{} + wall, Loaded{}});
  turn();
  EXPECT_TRUE(log.looked_back.empty());
  press(":gpu n1 0\r");
  EXPECT_EQ(log.looked_back, std::vector<std::string>{"n1"});
  EXPECT_EQ(log.viewed, std::vector<std::string>{"n1"});
  pass(Duration{1000});
  press("j");
  EXPECT_EQ(log.looked_back.size(), 1u) << "once a page";
  history::KeptFigures kept{NodeName("n1"), {}};
  for (int minute = 40; minute > 10; --minute) {
    GpuFigures figures;
    figures.gpu = GpuIndex{0};
    figures.figures.use = Percent{73};
    const TimePoint at = TimePoint{} + wall - std::chrono::minutes(minute);
    kept.rounds.push_back({NodeName("n1"), Source::dcgm, at, {figures}});
  }
  log.kept = {kept};
  events.post(seen("n2"));
  pass(Duration{1000});
  turn();
  press("i");
  pass(Duration{1000});
  turn();
  EXPECT_NE(terminal.shown.find("73%, mean 73%, peak 73%"), std::string::npos) << terminal.shown;
  EXPECT_EQ(terminal.shown.find("now 73%"), std::string::npos) << "it ends ten minutes ago";
  press(":nodes\r");
  pass(Duration{1000});
  turn();
  EXPECT_TRUE(log.viewed.empty()) << "no node's page is on screen any more";
}

// A node is asked which processes have its GPUs open only while a person looks at one of them.
TEST_F(AppTest, TheNodeOfAGpuWhosePageIsShownIsAskedForProcesses) {
  Event listed = seen("n1");
  Gpu gpu;
  gpu.slices.emplace_back();
  std::get<NodeSeen>(listed.what).node.gpus = {gpu};
  events.post(std::move(listed));
  events.post(Event{ClusterName("hpc"), 1, TimePoint{} + wall, Loaded{}});
  turn();
  press(":nodes\r");
  pass(Duration{120'000});
  turn();
  EXPECT_TRUE(log.opened.empty());
  press(":gpu n1 0\r");
  turn();
  EXPECT_EQ(log.opened, std::vector<std::string>{"n1"});
  pass(Duration{10'000});
  press("j");
  turn();
  EXPECT_EQ(log.opened.size(), 1u) << "not with each key";
  pass(Duration{60'000});
  turn();
  EXPECT_EQ(log.opened.size(), 2u) << "a person still looks";
  press(":nodes\r");
  pass(Duration{120'000});
  turn();
  EXPECT_EQ(log.opened.size(), 2u);
}

// What limits it, its priority, a pod's events: that costs calls, and is asked for what a person looks at.
TEST_F(AppTest, TheWaitingJobWhosePageIsShownIsAskedAboutAlone) {
  Workload waits;
  waits.id = WorkloadId("7");
  waits.state = WorkloadState::pending;
  waits.reason = "QOSMaxGRESPerUser";
  Workload runs_now = waits;
  runs_now.id = WorkloadId("8");
  runs_now.state = WorkloadState::running;
  first.stack.push_back(Screen{});
  first.top().kind = ScreenKind::workload;
  first.top().cluster = ClusterName("hpc");
  first.top().subject = "8";
  app();
  events.post({ClusterName("hpc"), 1, TimePoint{} + wall, WorkloadsListed{{waits, runs_now}}});
  events.post({ClusterName("hpc"), 1, TimePoint{} + wall, Loaded{}});
  pass(Duration{1000});
  turn();
  EXPECT_TRUE(log.looked_into.empty()) << "it runs";
  press(":job 7\r");
  pass(Duration{1000});
  press("j");
  EXPECT_EQ(log.looked_into, std::vector<std::string>{"7"}) << "once a page";
  Details details;
  details.of = waits.id;
  details.at = TimePoint{} + wall;
  details.asked = {{Teller::limits, "scontrol show assoc_mgr", {}, {}},
                   {Teller::priority, "sprio -j 7", Error{"cannot ask", "timed out", ""}, {}}};
  log.told(details);
  events.post(seen("n2"));
  pass(Duration{1000});
  turn();
  EXPECT_NE(terminal.shown.find("ASKED FOR IT ALONE"), std::string::npos) << terminal.shown;
  EXPECT_NE(terminal.shown.find("scontrol show assoc_mgr"), std::string::npos) << terminal.shown;
  EXPECT_NE(terminal.shown.find("timed out"), std::string::npos) << terminal.shown;
  pass(Duration{61'000});
  events.post(seen("n3"));
  turn();
  EXPECT_EQ(log.looked_into.size(), 2u) << "it still waits, and a person still looks";
}

}  // namespace
}  // namespace tessera::tui
