// Findings that are acknowledged for some hours, key by key.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/support/session.hpp"
#include "tests/tui/screens/places.hpp"
#include "tui/screens/documents.hpp"

namespace tessera::test {
namespace {

// How the line of a finding is drawn, at the first cell of its text.
bool is_dim(const Session& session, std::string_view text) {
  const tui::Canvas canvas = session.canvas();
  for (int y = 0; y < canvas.size().rows; ++y) {
    std::string row;
    std::vector<int> column;  // of each byte
    for (int x = 0; x < canvas.size().columns; ++x) {
      row += canvas.at(x, y).glyph;
      column.resize(row.size(), x);
    }
    const std::size_t at = row.find(text);
    if (at != std::string::npos) return canvas.at(column[at], y).style.role == tui::Role::dim;
  }
  ADD_FAILURE() << "no " << text << ":\n" << session.screen();
  return false;
}

TEST(Findings, OneThatIsAcknowledgedIsDimmedMovesDownAndCallsAgainAfterTheHours) {
  Session session(small_place());
  session.press("7");
  ASSERT_GE(session.state.overview.causes.size(), 2u);
  const std::string first = session.state.overview.causes.front().id;
  const std::string words = session.state.overview.causes.front().text.substr(0, 20);
  EXPECT_FALSE(is_dim(session, words));

  session.press("a");
  session.line_with("noted for 8 hours");
  EXPECT_EQ(session.state.overview.causes.back().id, first) << "it makes room for what calls for attention";
  EXPECT_TRUE(is_dim(session, words));
  session.line_with("until ");
  ASSERT_TRUE(session.effects.back().acknowledge);
  EXPECT_EQ(session.effects.back().acknowledge->until - session.wall, Duration(std::chrono::hours(8)));

  // A console that starts with what the first one kept shows it so, too.
  Session next(small_place());
  next.state.acknowledged = {*session.effects.back().acknowledge};
  next.press("7");
  EXPECT_TRUE(is_dim(next, words));

  session.pass(std::chrono::hours(8) - std::chrono::minutes(1));
  EXPECT_TRUE(is_dim(session, words));
  session.pass(std::chrono::minutes(1));
  EXPECT_FALSE(is_dim(session, words)) << session.screen();
}

// At 80 columns the list told of a node "gres/gpu count reported lower than confi…", with lines to spare.
TEST(Findings, OnANarrowTerminalTheirTextsGoOnWhereAllOfThemHaveRoom) {
  Session session(two_places(), {80, 24});
  session.press("7j");
  EXPECT_TRUE(session.shows("(4 < 7)")) << session.screen();
  session.resize({80, 15});
  EXPECT_FALSE(session.shows("(4 < 7)")) << "one line each\n" << session.screen();
}

// At 120 columns a reason ended in "RMA tick…" above twenty empty lines; and one text too many cut all of
// them.
TEST(Findings, TheWorstAreToldInFullAtEveryWidthAsFarAsLinesGo) {
  Model model = two_places();
  for (int i = 0; i < 6; ++i) {
    Node closed = node("closed-" + std::to_string(i), {});
    closed.health = Health::drained;
    closed.reason = fmt::format("fan {} failed twice, the part was ordered from the vendor on Monday, ",
                                static_cast<char>('A' + i)) +
                    "and everything about it stands in ticket 4711";
    reduce(model, on("hpc", NodeSeen{closed}));
  }
  Session session(std::move(model), {120, 40});
  session.press("7");
  EXPECT_TRUE(session.shows("stands in ticket 4711")) << session.screen();
  EXPECT_EQ(session.line_with("fan F failed twice").find("…"), std::string::npos) << session.screen();
  session.resize({80, 24});
  EXPECT_TRUE(session.shows("configured (4 < 7)")) << "the worst has the first spare line\n"
                                                   << session.screen();
  EXPECT_NE(session.line_with("fan F failed").find("…"), std::string::npos) << session.screen();
}

// The clock beside it is local, too.
TEST(Findings, AnAcknowledgementIsToldInTheTimeOfTheClockBesideIt) {
  Session session(small_place());
  session.press("7");
  session.press("a");
  const std::string until = tui::time_text(session.wall + std::chrono::hours(8));
  session.line_with("until " + until);
}

// The overview still counted it, in its place.
TEST(Findings, OneThatIsAcknowledgedNoLongerCallsFromTheOverview) {
  Session session(small_place());
  const std::size_t all = session.state.overview.causes.size();
  session.press("7");
  const std::string words = session.state.overview.causes.front().text.substr(0, 20);
  session.press("a");
  session.press("1");
  const std::string line = session.line_with("NEEDS ATTENTION");
  EXPECT_NE((line + " ").find(" " + std::to_string(all - 1) + " "), std::string::npos) << line;
  EXPECT_TRUE(is_dim(session, words)) << session.screen();
}

TEST(Findings, TheSameKeyWithdrawsAnAcknowledgement) {
  Session session(small_place());
  session.press("7");
  const std::string words = session.state.overview.causes.front().text.substr(0, 20);
  session.press("a");
  EXPECT_TRUE(is_dim(session, words));
  session.press("a");
  session.line_with("no longer acknowledged");
  EXPECT_FALSE(is_dim(session, words));
  ASSERT_TRUE(session.effects.back().acknowledge);
  EXPECT_LE(session.effects.back().acknowledge->until, session.wall) << "the file forgets it as well";
}

// A job that waits beside those of the small place.
Model small_place_with(Workload more) {
  Model model = small_place();
  std::vector<Workload> work = small_work();
  work.push_back(std::move(more));
  reduce(model, on("hpc", WorkloadsListed{work}));
  return model;
}
Workload waits_for(const std::string& id, const std::string& resource, std::int64_t count,
                   const std::string& reason) {
  Workload job = waiting(id, "erin", resource);
  job.requests.front().count = count, job.reason = reason;
  return job;
}
// The cursor on the finding about this subject.
bool go_to(Session& session, const std::string& subject) {
  for (const insight::Cause& cause : session.state.overview.causes)
    if (cause.whose == std::vector<std::string>{subject}) {
      session.state.top().cursor = cause.id;
      return true;
    }
  return false;
}

TEST(Findings, OneWhoseSourceTellsNoTimeHasForHowLongItWasSeenAtLeast) {
  const auto of_dcgm = [](int seconds) {
    Model model = small_place();
    const Remark rows{Remark::Grade::danger, "n0007", true, "remapping a row of its memory failed", ""};
    reduce(model, on("hpc", RemarksListed{Source::dcgm, {rows}}, seconds));
    Session session(std::move(model), {120, 40});
    session.press("7");
    EXPECT_TRUE(go_to(session, "n0007")) << session.screen();
    return session;
  };
  Session session = of_dcgm(-7500);
  EXPECT_NE(session.line_with("!! n0007").find("≥2 h 05 min"), std::string::npos) << session.screen();
  EXPECT_TRUE(session.shows("not reported; tessera has seen it for 2 h 05 min")) << session.screen();
  session.state.ascii = true;
  EXPECT_TRUE(session.shows(">=2 h 05 min")) << session.screen();
  session.resize({80, 24});
  EXPECT_TRUE(session.shows(">=2 h ")) << session.screen();
  EXPECT_FALSE(session.shows(">=2 h 05")) << session.screen();
  const Session fresh = of_dcgm(-4);
  EXPECT_FALSE(fresh.shows("≥")) << "that says nothing\n" << fresh.screen();
  EXPECT_FALSE(fresh.shows("tessera has seen it")) << fresh.screen();
}

// The list said "no plan leads out of this", and the job's own page had a cut that works.
TEST(Findings, TheWayOutOfAJobThatNoNodeCanServeIsWhatHelpsIt) {
  Session session(small_place_with(waits_for("88142", "gpu:7g.80gb", 1, "BadConstraints")));
  session.press("7");
  ASSERT_TRUE(go_to(session, "job 88142")) << session.screen();
  session.press("P");
  EXPECT_EQ(session.state.top().subject, "88142");
  session.line_with("WHAT WOULD HELP");
}

TEST(Findings, HabitsOfWorkAreListedInTheConsoleAsTheDoctorListsThem) {
  Session session(small_place_with(waits_for("88141", "gpu:1g.10gb", 2, "Resources")));
  session.press("7");
  ASSERT_TRUE(go_to(session, "job 88141")) << session.screen();
  session.line_with("asks for 2 MIG instances on one node");
}

// Of a cluster of 150 nodes the console left out habits and rules, which the doctor listed.
TEST(Findings, OfALargeClusterAreThoseThatTheDoctorLists) {
  Story story;
  std::vector<Node> nodes;
  for (int i = 0; i < 300; ++i)
    nodes.push_back(node("n" + std::to_string(i), {gpu(0, Strategy::whole, {whole(0)})}));
  story.tell(ClusterSeen{Scheduler::slurm, false, "", ""});
  story.tell(NodesListed{nodes});
  Workload two = waiting("88141", "alice", "gpu:1g.10gb");
  two.requests.front().count = 2;
  story.tell(WorkloadsListed{{two}});
  story.tell(Loaded{});
  Session session(story.model);
  session.press("7");
  EXPECT_TRUE(go_to(session, "job 88141")) << session.screen();
}

}  // namespace
}  // namespace tessera::test
