// The screens of usage and waste: what recordings came to, how a reading fares, and what there is without
// one.
#include "tui/screens/usage.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "tests/support/golden.hpp"
#include "tests/support/reckoned.hpp"
#include "tests/support/session.hpp"
#include "tests/support/zone.hpp"
#include "tests/tui/screens/places.hpp"

namespace tessera::test {
namespace {

Session looking(const char* keys, tui::Size size = {120, 40}) {
  Session session(two_places(), size);
  session.state.usage.read = reckoned();
  return std::move(session.press(keys));
}

TEST(UsageScreens, GoldenAtThreeSizes) {
  for (const tui::Size size : {tui::Size{80, 24}, {120, 40}, {200, 60}}) {
    const std::string end = "-" + std::to_string(size.columns);
    expect_golden("usage" + end, looking(":usage<enter>j", size).canvas());
    expect_golden("waste" + end, looking(":waste<enter>j", size).canvas());
  }
}

TEST(UsageScreens, WithoutARecordingTheyTeachHowToMakeOne) {
  for (const char* keys : {":usage<enter>", ":waste<enter>"}) {
    Session session(two_places());
    session.press(keys);
    EXPECT_TRUE(session.shows("tessera record --folder DIR")) << session.screen();
    EXPECT_EQ(tui::why_disabled(tui::Action::usage_days, session.state, session.world()),
              "no recording is opened");
  }
}

TEST(UsageScreens, ByNodeAndProfileItIsNotKnownHowLongWasWaited) {
  Session session = looking(":usage<enter>");
  for (int i = 0; i < 6; ++i) {
    const bool known =
        session.state.usage.by != usage::By::node && session.state.usage.by != usage::By::profile;
    EXPECT_EQ(session.line_with("▌").find("n/a") == std::string::npos, known) << session.screen();
    session.press("b");
  }
}

// Where no recorder ever ran they said that nothing is known, though slurmdbd and Prometheus know.
TEST(UsageScreens, WithoutARecordingTheyNameWhatElseKnowsThePast) {
  for (const std::string name : {"usage", "waste"}) {
    Session session(two_places());
    session.state.usage.sources = {usage::PastSource::accounting};
    session.press(":" + name + "<enter>");
    EXPECT_TRUE(session.shows("ask slurmdbd, which knows the jobs")) << session.screen();
    EXPECT_TRUE(session.shows("tessera --prometheus PLACE")) << session.screen();
    EXPECT_EQ(tui::why_disabled(tui::Action::usage_source, session.state, session.world()), "");
    for (Cluster& cluster : session.model.clusters) cluster.simulated = true;
    EXPECT_FALSE(session.shows("slurmdbd")) << "a simulated Slurm has none\n" << session.screen();
    EXPECT_FALSE(session.shows("--prometheus")) << session.screen();
    EXPECT_NE(tui::why_disabled(tui::Action::usage_source, session.state, session.world()), "");
  }
}

// As Prometheus tells it: of pods, and neither of users nor of what waited.
std::shared_ptr<const usage::Reckoning> kept(bool names_work) {
  usage::Reckoning all = *reckoned();
  all.kept.emplace();
  all.kept->names_work = names_work, all.kept->unnamed = 4.5;
  all.kept->cost.commands = 12, all.kept->cost.bytes = 2048;
  if (!names_work) {
    all.kept->nameless.insert(ClusterName("hpc"));
    all.waste.clear(), all.left_out.clear();
    for (const char* kind : {"idle", "parked", "too-big"})
      all.not_known.push_back({ClusterName("hpc"), kind, "no series names a pod or a job"});
  }
  return std::make_shared<const usage::Reckoning>(std::move(all));
}

TEST(UsageScreens, WhatPrometheusDoesNotTellIsNotKnown) {
  Session session(two_places(), {120, 40});
  session.press(":usage<enter>");
  record::Archive::AddingUp told;
  told.sums = kept(true);
  tui::take_usage(session.state, session.world(), tui::UsageTold{told});
  EXPECT_TRUE(session.shows("JOB, POD")) << "it knows no users\n" << session.screen();
  EXPECT_TRUE(session.shows("47.5 h by Prometheus")) << session.screen();
  EXPECT_TRUE(session.shows("for 4.5 h of GPUs and slices no pod or job is named")) << session.screen();
  EXPECT_TRUE(session.shows("Prometheus was asked by 12 requests")) << session.screen();
  EXPECT_NE(session.line_with("▌").find("0.0       n/a  68.4 GiB"), std::string::npos) << "what waited\n"
                                                                                       << session.screen();
  for (int i = 0; i < 8; ++i) {
    session.press("b");
    EXPECT_NE(session.state.usage.by, usage::By::user);
    EXPECT_NE(session.state.usage.by, usage::By::account);
  }
  session.state.usage.read = kept(false);
  EXPECT_EQ(session.screen().find("48.0"), std::string::npos) << "nor who held anything\n"
                                                              << session.screen();
  EXPECT_TRUE(session.shows("its series name no pod or job: what was held is not known")) << session.screen();
  session.resize({200, 60});
  EXPECT_TRUE(session.shows("not known")) << "beside the list\n" << session.screen();
  session.press(":waste<enter>");
  EXPECT_TRUE(session.shows("47.5 h by Prometheus")) << session.screen();
  EXPECT_TRUE(session.shows("What was wasted is not known.")) << session.screen();
  EXPECT_FALSE(session.shows("Nothing was wasted")) << session.screen();
}

// What one cluster's series do not tell is known of the other.
TEST(UsageScreens, OfTheClusterWhoseSeriesNameNobodyAloneItIsNotKnownWhatWasHeld) {
  usage::Reckoning all = *kept(true);
  all.waste.clear();
  all.kept->nameless.insert(ClusterName("k8s"));
  all.not_known.push_back({ClusterName("k8s"), "idle", "no series names a pod or a job"});
  all.sums[usage::By::node] = {{ClusterName("hpc"), "gone1", 40, 320, 40, 71.0F, {}, {}, 10, 0},
                               {ClusterName("k8s"), "gone2", 60, 480, 60, 33.0F, {}, {}, 20, 0}};
  Session session(two_places(), {200, 60});
  session.state.usage.by = usage::By::node;
  session.state.usage.read = std::make_shared<const usage::Reckoning>(std::move(all));
  session.press(":usage<enter>");
  const std::string known = session.line_with("gone1"), unknown = session.line_with("gone2");
  EXPECT_NE(known.find("40.0"), std::string::npos) << session.screen();
  EXPECT_EQ(unknown.find("60.0"), std::string::npos) << session.screen();
  EXPECT_NE(unknown.find("33%"), std::string::npos) << "what was used is\n" << session.screen();
  EXPECT_TRUE(session.shows("the series of k8s name no pod or job")) << session.screen();
  EXPECT_TRUE(session.shows("100 % of all")) << "of all that is known\n" << session.screen();
  EXPECT_TRUE(session.shows("nothing, as far as there are figures")) << session.screen();
  session.press("<down>");
  EXPECT_TRUE(session.shows("not known")) << session.screen();
  EXPECT_FALSE(session.shows("nothing, as far as")) << session.screen();
}

// The filter is about waste, and who held what is known all the same.
TEST(UsageScreens, AFilterThatPrometheusCannotTellRefusesWasteAlone) {
  usage::Reckoning all = *kept(true);
  all.waste.clear();
  all.waste_refused =
      Error{"cannot tell what is left out", "waste-except (user=ci) names users", "a recording"};
  Session session(two_places(), {120, 40});
  session.state.usage.read = std::make_shared<const usage::Reckoning>(std::move(all));
  session.press(":usage<enter>");
  EXPECT_TRUE(session.shows("88123")) << session.screen();
  session.press(":waste<enter>");
  EXPECT_TRUE(session.shows("waste-except (user=ci) names users")) << session.screen();
  EXPECT_FALSE(session.shows("Nothing was wasted")) << session.screen();
}

// Slurm's own samples tell that a whole GPU was never used, and no figure: that is known.
TEST(UsageScreens, HoursThatWereNeverUsedAreIdleWithoutAFigure) {
  usage::Reckoning all = *reckoned();
  all.accounting.emplace();
  all.sums[usage::By::user] = {{ClusterName("hpc"), "carol", 40, 320, 0, {}, {}, {}, 31.5, 0}};
  Session session(two_places(), {120, 40});
  session.state.usage.read = std::make_shared<const usage::Reckoning>(std::move(all));
  session.press(":usage<enter>");
  EXPECT_NE(session.line_with("▌").find("31.5"), std::string::npos) << session.screen();
  EXPECT_TRUE(session.shows("31.5 GPU-hours")) << session.screen();
}

TEST(UsageScreens, WhatTheAccountingTellsIsCalledSo) {
  usage::Reckoning all = *reckoned();
  all.accounting.emplace();
  all.accounting->unread = 3;
  all.figures_by = {"slurm"};
  all.gaps.add(all.from, all.to, record::Stop::cut);
  Session session(two_places(), {120, 40});
  session.state.usage.read = std::make_shared<const usage::Reckoning>(std::move(all));
  session.press(":usage<enter>j");
  EXPECT_TRUE(session.shows("from Slurm's accounting")) << session.screen();
  EXPECT_TRUE(session.shows("Slurm itself tells which whole GPUs were never used")) << session.screen();
  EXPECT_TRUE(session.shows("3 of its lines could not be read")) << session.screen();
  EXPECT_FALSE(session.shows("recorded")) << session.screen();
}

TEST(UsageScreens, OGoesFromOneSourceToTheNext) {
  using usage::PastSource;
  Session session = looking(":usage<enter>");
  session.state.usage.sources = {PastSource::recording, PastSource::prometheus, PastSource::accounting};
  for (const PastSource next : {PastSource::prometheus, PastSource::accounting, PastSource::recording}) {
    session.press("o");
    EXPECT_EQ(session.state.usage.chosen, next);
  }
  session.state.past = true;
  EXPECT_EQ(tui::why_disabled(tui::Action::usage_source, session.state, session.world()),
            "in the past the recording alone counts");
}

TEST(UsageScreens, AReadingTellsHowFarItIsAndAFailureWhatToDo) {
  Session session(two_places());
  session.press(":waste<enter>");
  session.state.usage.part = 0.43;
  EXPECT_TRUE(session.shows("reading the recording: 43 %")) << session.screen();
  session.state.usage.part.reset();
  session.state.usage.failure =
      Error{"cannot go back", "nothing is recorded of hpc", "tessera record --folder F"};
  EXPECT_TRUE(session.shows("nothing is recorded of hpc")) << session.screen();
  EXPECT_TRUE(session.shows("tessera record --folder F"));
  // What was read before stays, with what became of the second reading.
  session.state.usage.read = reckoned();
  EXPECT_TRUE(session.shows("could not be read again: nothing is recorded of hpc")) << session.screen();
  EXPECT_TRUE(session.shows("parked"));
}

TEST(UsageScreens, RecordedTimeInWhichNoGpuWasHeldIsNoTimeWithoutARecording) {
  Session session(two_places());
  usage::Reckoning idle;
  idle.from = idle.to = *parse_utc("2026-11-21T08:05:00Z");
  for (const usage::By by : {usage::By::user, usage::By::node}) idle.sums[by] = {};
  session.state.usage.read = std::make_shared<const usage::Reckoning>(std::move(idle));
  session.press(":usage<enter>");
  EXPECT_TRUE(session.shows("no GPU was held in that time")) << session.screen();
  session.press(":waste<enter>");
  EXPECT_TRUE(session.shows("Nothing was wasted in that time")) << session.screen();
}

// Two minutes of a recording in which no use was measured were "nothing was wasted", in green.
TEST(UsageScreens, WhereNoUseWasMeasuredWhatWasWastedIsNotKnown) {
  usage::Reckoning untold;
  untold.from = untold.to = *parse_utc("2026-11-21T08:05:00Z");
  for (const usage::By by : {usage::By::user, usage::By::node}) untold.sums[by] = {};
  for (const char* kind : {"idle", "parked", "too-big"})
    untold.not_known.push_back({ClusterName("hpc"), kind, "no use of what was held was measured"});
  Session session(two_places(), {80, 24});
  session.state.usage.read = std::make_shared<const usage::Reckoning>(std::move(untold));
  session.press(":waste<enter>");
  EXPECT_TRUE(session.shows("What was wasted is not known.")) << session.screen();
  EXPECT_FALSE(session.shows("Nothing was wasted")) << session.screen();
  EXPECT_TRUE(session.shows("idle, parked and too-big are n/a in hpc: no use of what was held was"))
      << "said once, and in full\n"
      << session.screen();
}

// The command says that nothing is missing of a cluster of which waste-except leaves out all, and these did
// not.
TEST(UsageScreens, OfAClusterOfWhichAllIsLeftOutNothingIsMissing) {
  const ClusterName hpc("hpc");
  usage::Reckoning all = *reckoned();
  all.waste.clear();
  all.not_known = {{hpc, "idle", "no use of what was held was measured"}};
  Session session(two_places(), {200, 60});
  const auto read = [&](bool left_out) {
    all.use_told[hpc] = {left_out ? 100.0 : 0.0, usage::UseTold::Missing::figures, left_out};
    session.state.usage.read = std::make_shared<const usage::Reckoning>(all);
  };
  read(true);
  session.press(":waste<enter>");
  EXPECT_FALSE(session.shows("What was wasted is not known.")) << session.screen();
  read(false);
  EXPECT_TRUE(session.shows("What was wasted is not known.")) << session.screen();
  session.press(":usage<enter>");
  EXPECT_FALSE(session.shows("nothing, as far as")) << session.screen();
  read(true);
  EXPECT_TRUE(session.shows("nothing, as far as there are figures")) << session.screen();
}

TEST(UsageScreens, TimesOfWhichNothingIsRecordedAreSaid) {
  usage::Reckoning gappy = *reckoned();
  gappy.gaps.add(*parse_utc("2026-11-20T08:00:00Z"), *parse_utc("2026-11-20T11:00:00Z"), record::Stop::cut);
  for (const char* keys : {":usage<enter>j", ":waste<enter>j"}) {
    Session session(two_places(), {120, 40});
    session.state.usage.read = std::make_shared<const usage::Reckoning>(gappy);
    session.press(keys);
    EXPECT_TRUE(session.shows("nothing is recorded from 2026-11-20 08:00 to 2026-11-20 11:00, 3.0 h"))
        << session.screen();
  }
}

// The head said UTC and the gaps "Z", beside a clock and events in the reader's own time.
TEST(UsageScreens, TimesAreThoseOfTheClocksHereAsOnEveryOtherScreen) {
  usage::Reckoning gappy = *reckoned();
  gappy.gaps.add(*parse_utc("2026-11-20T08:00:00Z"), *parse_utc("2026-11-20T11:00:00Z"), record::Stop::cut);
  for (const char* keys : {":usage<enter>j", ":waste<enter>j"}) {
    Session session(two_places(), {120, 40});
    const InZone there("EST5EDT,M3.2.0,M11.1.0");  // a session begins in UTC
    session.state.usage.read = std::make_shared<const usage::Reckoning>(gappy);
    session.press(keys);
    EXPECT_TRUE(session.shows("2026-11-19 03:05 to 2026-11-21 03:05, 47.5 h recorded")) << session.screen();
    EXPECT_TRUE(session.shows("nothing is recorded from 2026-11-20 03:00 to 2026-11-20 06:00, 3.0 h"))
        << session.screen();
    EXPECT_FALSE(session.shows("UTC")) << session.screen();
  }
}

TEST(UsageScreens, BSumsUpBySomethingElseAndEnterOpensIt) {
  Session session = looking(":usage<enter>");
  EXPECT_TRUE(session.shows("alice"));
  for (const char* head : {"ACCOUNT", "PARTITION, NAMESPACE", "PROFILE", "NODE"}) {
    session.press("b");
    EXPECT_TRUE(session.shows(head)) << head << session.screen();
  }
  session.press("<enter>");
  EXPECT_EQ(session.state.top().kind, tui::ScreenKind::node);
  EXPECT_EQ(session.state.top().subject, "n0007");
  session.press("<esc>b<enter>");
  EXPECT_EQ(session.state.top().kind, tui::ScreenKind::workload);
  EXPECT_EQ(session.state.top().subject, "88123");
  session.press("<esc>j<enter>");
  EXPECT_EQ(session.state.top().kind, tui::ScreenKind::usage) << "that one has ended";
  EXPECT_TRUE(session.shows("it has ended")) << session.screen();
  session.press("b<enter>");
  EXPECT_EQ(session.state.top().kind, tui::ScreenKind::workloads);
  EXPECT_EQ(session.state.top().filter_text, "user=alice");
}

TEST(UsageScreens, AWastersPageOrNodeIsOpenedAndTheLetterIsForTheOwner) {
  Session session = looking(":waste<enter>");
  session.press("Y");
  EXPECT_TRUE(session.effects.empty() || !session.effects.back().copy) << "what is free has no owner";
  session.press("jY");
  ASSERT_FALSE(session.effects.empty());
  ASSERT_TRUE(session.effects.back().copy);
  EXPECT_NE(session.effects.back().copy->find("80001 3g.40gb on n0007 of hpc: 44.0 slice-hours parked"),
            std::string::npos)
      << *session.effects.back().copy;
  EXPECT_NE(session.effects.back().copy->find("80002 shard on n0099 of hpc: 2.0 h idle"), std::string::npos)
      << "not in slices where the product has none";
  session.press("<enter>");
  EXPECT_EQ(session.state.top().kind, tui::ScreenKind::node) << "the job has ended; its node is there";
  session.press("<esc>j<enter>");
  EXPECT_EQ(session.state.top().kind, tui::ScreenKind::workload);
  EXPECT_EQ(session.state.top().subject, "88123");
}

// An L40S has no slices: its hours were left out as 0.0 slice-hours, and told nowhere.
TEST(UsageScreens, HoursThatAreLeftOutAndNotCountedInSlicesAreSaid) {
  Session session = looking(":waste<enter>");
  EXPECT_TRUE(session.shows("rows left out by waste-except: 1, 12.0 slice-hours  user=ci"))
      << session.screen();
  usage::Reckoning read = *reckoned();
  read.left_out.push_back(read.left_out.front());
  read.left_out.back().slice_hours.reset();
  read.left_out.back().hours = 7.5;
  session.state.usage.read = std::make_shared<const usage::Reckoning>(std::move(read));
  EXPECT_TRUE(session.shows("waste-except: 2, 12.0 slice-hours; 7.5 h not counted in slices  user=ci"))
      << session.screen();
}

// The kinds stood in one line, whose end was cut off.
TEST(UsageScreens, WhatCountsAsIdleAndTheTimeOfALetterAreThoseOfTheReading) {
  Session session = looking(":waste<enter>");
  usage::Reckoning strict = *reckoned();
  strict.asked.limits.idle_below = 5, strict.asked.limits.idle_after = std::chrono::hours(1);
  session.state.usage.read = std::make_shared<const usage::Reckoning>(std::move(strict));
  session.press("jjY");
  EXPECT_TRUE(session.shows("held, and used less than 5 % for at least 1 h 00 min")) << session.screen();
  ASSERT_TRUE(session.effects.back().copy);
  EXPECT_TRUE(session.effects.back().copy->ends_with("  (2026-11-19T08:05:00Z/2026-11-21T08:05:00Z)\n"))
      << *session.effects.back().copy;
}

TEST(UsageScreens, EveryKindOfWasteIsInTheTotalAtEveryWidth) {
  auto read = std::make_shared<usage::Reckoning>(*reckoned());
  read->waste.clear();
  for (const char* kind : {"idle", "parked", "rogue", "stranded", "too-big", "unasked"}) {
    usage::Waste one;
    one.kind = kind, one.slice_hours = 123'456.7;
    read->waste.push_back(std::move(one));
  }
  usage::Waste uncounted;
  uncounted.kind = "idle", uncounted.hours = 7;
  read->waste.push_back(std::move(uncounted));
  for (const int columns : {80, 120, 200}) {
    Session session(two_places(), {columns, 40});
    session.state.usage.read = read;
    session.press(":waste<enter>");
    for (const char* part :
         {"740740.2 slice-hours", "idle 123456.7", "parked 123456.7", "rogue 123456.7", "stranded 123456.7",
          "too-big 123456.7", "unasked 123456.7", "7.0 h not counted in slices"})
      EXPECT_TRUE(session.shows(part)) << columns << ": " << part << "\n" << session.screen();
  }
}

// For each picture of five thousand rows all their ids were put together and all widths looked at.
TEST(UsageScreens, WhatIsKeptOfALongListIsMadeOnceAndIsThatOfTheReading) {
  auto read = std::make_shared<usage::Reckoning>(*reckoned());
  for (int i = 0; i < 500; ++i) {
    usage::Waste one = read->waste.front();
    one.workload = std::to_string(1'000'000 + i);
    read->waste.push_back(std::move(one));
  }
  for (const tui::Size size : {tui::Size{80, 24}, tui::Size{120, 40}}) {
    Session session(two_places(), size);
    session.state.usage.read = read;
    session.press(":waste<enter>");
    const auto kept = session.state.usage.waste;
    ASSERT_TRUE(kept);
    session.press("G");
    EXPECT_NE(session.line_with("▌").find("1000499"), std::string::npos) << session.screen();
    session.press("k");
    EXPECT_NE(session.line_with("▌").find("1000498"), std::string::npos) << session.screen();
    EXPECT_EQ(session.state.usage.waste, kept);
    const auto is_of_now = [&](const char* after) {
      session.press("k");
      const std::string screen = session.screen();
      session.state.usage.waste.reset();
      EXPECT_EQ(screen, session.screen()) << "stale after " << after;
    };
    session.resize({110, 30});
    is_of_now("another size");
    ASSERT_TRUE(tui::set_language(session.state, tui::Language::ja));
    is_of_now("another language");
    session.state.usage.read = reckoned();
    is_of_now("another reading");
    EXPECT_FALSE(session.shows("1000498")) << session.screen();
  }
}

TEST(UsageScreens, AWideTerminalHasWhatTheUserHoldsNowAndWastedThenBesideTheSums) {
  Session session = looking(":usage<enter>", {200, 60});
  EXPECT_TRUE(session.shows("HELD AND WANTED NOW")) << session.screen();
  EXPECT_TRUE(session.shows("88140")) << "what alice waits for\n" << session.screen();
  EXPECT_NE(session.line_with("too-big").find("88124"), std::string::npos) << session.screen();
  EXPECT_FALSE(session.shows("parked")) << "that is bob's\n" << session.screen();
  session.press("bbbb");
  EXPECT_TRUE(session.shows("llama-sft")) << "the page of the node\n" << session.screen();
  session.press("b");
  EXPECT_TRUE(session.shows("88123")) << session.screen();
  session.press("j");
  EXPECT_NE(session.line_with("parked").find("44.0"), std::string::npos)
      << "80001 has ended: what it wasted is known still\n"
      << session.screen();
}

// Beside a title that says PAST it was told as what is held now.
TEST(UsageScreens, InARecordingWhatIsHeldIsThatOfItsMoment) {
  for (const auto& [keys, head] : {std::pair(":usage<enter>", "HELD AND WANTED THEN"),
                                   std::pair(":waste<enter>", "FREE AND WANTED THEN")}) {
    Session session = looking(keys, {200, 60});
    session.state.past = true;
    EXPECT_TRUE(session.shows(head)) << session.screen();
    EXPECT_FALSE(session.shows("WANTED NOW")) << session.screen();
  }
}

// Three of fourteen lines were rows: what is not known of each cluster took the rest of a small screen.
TEST(UsageScreens, WhatIsNotKnownStandsBelowTheWastedWhereItIsLong) {
  usage::Reckoning all = *reckoned();
  for (const char* cluster : {"hpc", "ml-platform"})
    all.not_known.push_back({ClusterName(cluster), "idle",
                             "GPUs were measured as shared by up to 6 jobs or pods: what each used by itself "
                             "is not told",
                             true});
  Session session(two_places(), {80, 24});
  session.state.usage.read = std::make_shared<const usage::Reckoning>(all);
  session.press(":waste<enter>");
  for (const char* row : {"unasked  ", "parked  ", "too-big  ", "rogue  "})
    EXPECT_TRUE(session.shows(row)) << row << "\n" << session.screen();
  EXPECT_TRUE(session.shows("what is left out or not known stands below the list")) << session.screen();
  session.press("G");
  session.press("<pgdn>");
  EXPECT_TRUE(session.shows("known of a part only in ml-platform")) << session.screen();
}

// "data-scie…" and "notebooks/nb-lee-k…" stood beside "no use" and forty blanks.
TEST(UsageScreens, NamesOfTheWastedAreWholeWhereThereIsRoom) {
  usage::Reckoning all = *reckoned();
  all.waste.push_back({ClusterName("ml-platform"), "idle", "data-science", "notebooks/nb-lee-klppw", "ts-01",
                       "time-slice", std::nullopt, 6.2, "no use"});
  for (const int columns : {80, 120, 200}) {
    Session session(two_places(), {columns, 40});
    session.state.usage.read = std::make_shared<const usage::Reckoning>(all);
    session.press(":waste<enter>");
    EXPECT_TRUE(session.shows("data-science")) << session.screen();
    EXPECT_EQ(session.shows("notebooks/nb-lee-klppw  time-slice"), columns > 80) << session.screen();
    const std::string row = session.line_with("data-science");
    EXPECT_EQ(row.find("ml-platform") != std::string::npos, columns > 80) << row;
    EXPECT_NE(row.find("no use"), std::string::npos) << row;
  }
}

// Two pods were "notebooks/nb-lee-k…", and of what to do the end was missing.
TEST(UsageScreens, NamesAndAdviceBesideTheSumsAreToldToTheirEnds) {
  usage::Reckoning all = *reckoned();
  const std::string advice = "use at percentile 95 was 12 % and 9.1 GiB of memory: 1g.10gb would do";
  for (const char* pod : {"notebooks/nb-lee-klppw", "notebooks/nb-lee-kqfpj"})
    all.waste.push_back({ClusterName("hpc"), "too-big", "alice", pod, "n0007", "3g.40gb", 3.1, 6.2, advice});
  Session session(two_places(), {200, 60});
  session.state.usage.read = std::make_shared<const usage::Reckoning>(all);
  session.press(":usage<enter>");
  EXPECT_TRUE(session.shows("notebooks/nb-lee-klppw ")) << session.screen();
  EXPECT_TRUE(session.shows("notebooks/nb-lee-kqfpj ")) << session.screen();
  EXPECT_TRUE(session.shows("would do")) << session.screen();
}

// "nothing" stood there, as if the user had left.
TEST(UsageScreens, WhatAUserHoldsIsNotKnownBeforeTheJobsAreRead) {
  Model model;
  reduce(model, on("hpc", ClusterSeen{Scheduler::slurm, false, "slurm 22.05.8", "/etc/slurm/slurm.conf"}));
  reduce(model, on("hpc", NodesListed{{node("n0007", {})}}));
  reduce(model, on("hpc", SourceReport{Source::slurm_nodes, std::nullopt, Duration(40)}));
  Session session(model, {200, 60});
  session.state.usage.read = reckoned();
  session.press(":usage<enter>");
  ASSERT_TRUE(session.shows("HELD AND WANTED NOW")) << session.screen();
  EXPECT_TRUE(session.shows("│ not known")) << session.screen();
}

TEST(UsageScreens, AWideTerminalHasTheNodeOrTheTextToTheOwnerBesideWaste) {
  Session session = looking(":waste<enter>", {200, 60});
  EXPECT_TRUE(session.shows("FREE AND WANTED NOW")) << "what is free has no owner\n" << session.screen();
  EXPECT_NE(session.line_with("gpu:3g.40gb").find("none of 2 fits"), std::string::npos) << session.screen();
  session.press("j");
  EXPECT_TRUE(session.shows("llama-sft")) << "the node of a job that has ended\n" << session.screen();
  session.press("G");
  EXPECT_TRUE(session.shows("TEXT TO THIS OWNER")) << session.screen();
  EXPECT_TRUE(session.shows("80002 shard on n0099 of hpc: 2.0 h idle")) << session.screen();
}

TEST(UsageScreens, ANarrowerTerminalOrAListWithoutRowsHasThatAlone) {
  for (const char* keys : {":usage<enter>", ":waste<enter>"}) {
    EXPECT_FALSE(looking(keys, {159, 40}).shows("│"));
    Session session(two_places(), {200, 60});
    session.press(keys);
    EXPECT_FALSE(session.shows("│")) << "nothing was read\n" << session.screen();
  }
}

TEST(UsageScreens, DLooksAtMoreDays) {
  Session session = looking(":waste<enter>");
  const auto days = [&] { return session.state.usage.since / std::chrono::hours(24); };
  EXPECT_EQ(days(), 7);
  session.press("d");
  EXPECT_EQ(days(), 30);
  session.press("d");
  EXPECT_EQ(days(), 1);
  session.press("d");
  EXPECT_EQ(days(), 7);
}

constexpr int kManyRows = 3000, kHeight = 40;

std::shared_ptr<const usage::Reckoning> reckoned_much() {
  usage::Reckoning all = *reckoned();
  for (auto& [by, sums] : all.sums)
    for (int i = 0; i < kManyRows; ++i) {
      sums.push_back(sums.front());
      sums.back().name = "user" + std::to_string(i);
    }
  for (int i = 0; i < kManyRows; ++i) {
    all.waste.push_back(all.waste[1]);
    all.waste.back().workload = std::to_string(1'000'000 + i);
  }
  return std::make_shared<const usage::Reckoning>(std::move(all));
}

using UsagePage = tui::Panes (*)(const tui::UiContext& ui, const tui::UiState& state, int width);

// A picture of 5,000 rows of waste took 13 ms, of which all but 60 lines were never drawn.
TEST(UsageScreens, OnlyWhatIsSeenOfALongListIsPutIntoWordsAndAllOfThatIs) {
  const Model model = two_places();
  for (const UsagePage page : {UsagePage(tui::usage_panes), UsagePage(tui::waste_panes)}) {
    Session session(model, {120, kHeight});
    session.state.usage.read = reckoned_much();
    const int all = static_cast<int>(page(session.world(), session.state, 120).main.size());
    ASSERT_GT(all, kManyRows);
    for (const int top : {0, 17, kManyRows / 2, all - kHeight, all - 1, all + 500}) {
      session.state.top().top = top;
      const tui::Panes panes = page(session.world(), session.state, 120);
      int worded = 0;
      for (const tui::DocLine& line : panes.main) worded += line.id.empty() || line.spans.empty() ? 0 : 1;
      EXPECT_LE(worded, 2 * kHeight) << top;
      const int first = std::min(top, all - kHeight);
      for (int line = first; line < first + kHeight; ++line) {
        const tui::DocLine& one = panes.main[static_cast<std::size_t>(line)];
        EXPECT_TRUE(one.id.empty() || !one.spans.empty()) << "line " << line << " from " << top;
      }
    }
  }
}

TEST(UsageScreens, TheCursorWalksToTheEndOfALongListAndIsFoundThere) {
  Session session(two_places(), {120, kHeight});
  session.state.usage.read = reckoned_much();
  session.act(tui::Action::show_usage);
  session.press("G");
  EXPECT_TRUE(session.shows("user" + std::to_string(kManyRows - 1))) << session.screen();
  session.press("kkk");
  EXPECT_EQ(tui::copy_on_usage(session.state, session.world()), "user" + std::to_string(kManyRows - 4));
  session.press("g");
  EXPECT_EQ(tui::copy_on_usage(session.state, session.world()), "alice");
}

}  // namespace
}  // namespace tessera::test
