// What moves by itself: marks on changed cells, messages, ages, and hostile words from a cluster.
#include <gtest/gtest.h>

#include "tests/support/session.hpp"
#include "tests/tui/screens/places.hpp"

namespace tessera::test {
namespace {

TEST(Live, ACellThatChangedIsMarkedForAMoment) {
  Session session(small_place());
  session.press("2");
  EXPECT_EQ(session.canvas().roles().find('*'), std::string::npos);
  Node changed = drained_node();
  changed.health = Health::ok;
  session.tell(on("hpc", NodeSeen{changed}, 1));
  EXPECT_NE(session.canvas().roles().find('*'), std::string::npos);
  auto next = tui::next_tick(session.state, session.world());
  ASSERT_TRUE(next);
  EXPECT_LE(*next - session.wall, tui::kChangedFor) << "the loop wakes to take the mark away";
  session.pass(tui::kChangedFor);
  EXPECT_EQ(session.canvas().roles().find('*'), std::string::npos);
}

TEST(Live, ANewRowOrAnotherScreenIsNoChange) {
  Session session(small_place());
  session.press("2").tell(on("hpc", NodeSeen{node("n0002", {})}, 1));
  EXPECT_EQ(session.canvas().roles().find('*'), std::string::npos);
  session.press("3");
  EXPECT_EQ(session.canvas().roles().find('*'), std::string::npos);
}

TEST(Live, NothingHappensAndTheScreenStaysTheSame) {
  Session session(small_place());
  session.press("4");
  std::string before = session.screen();
  session.pass(Duration(4000));
  EXPECT_EQ(session.screen(), before) << "ages move on in steps, the clock by the minute";
}

TEST(Live, DataGrowsOldAndSaysSo) {
  Session session(small_place());
  session.line_with("≤10 s old");
  session.pass(Duration(60000));
  session.line_with("1 min old");
}

TEST(Live, MessagesFadeAndErrorsStayUntilTheNextKey) {
  Session session(small_place());
  session.press("<esc>");
  session.line_with("this is the first screen");
  session.pass(Duration(7000));
  EXPECT_FALSE(session.shows("this is the first screen"));
  session.press(":nodez<enter>").pass(Duration(60000));
  session.line_with("there is no command nodez");
  session.pass(Duration(1)).press("j");
  EXPECT_FALSE(session.shows("there is no command nodez"));
}

// Sixty nodes with a thousand slices each.
Model huge_place() {
  std::vector<Node> nodes;
  for (int i = 0; i < 60; ++i) {
    nodes.push_back(node("n" + std::to_string(100 + i), {}));
    for (int device = 0; device < 1000; ++device)
      nodes.back().pool.push_back(shared(SliceKind::shard, 1, device));
  }
  Model model;
  reduce(model, on("hpc", ClusterSeen{}));
  reduce(model, on("hpc", NodesListed{std::move(nodes)}));
  reduce(model, on("hpc", Loaded{}));
  return model;
}

TEST(Live, AHugeTableIsSortedTheLessOftenTheLongerItIs) {
  Session session(huge_place());
  session.press("4");
  ASSERT_EQ(session.state.top().derived.rows.size(), 60000u);
  const auto shown = session.state.top().derived.revision;
  session.tell(on("hpc", NodeSeen{node("n500", {})}, 1)).pass(Duration(1400));
  EXPECT_EQ(session.state.top().derived.revision, shown);
  auto next = tui::next_tick(session.state, session.world());
  ASSERT_TRUE(next);
  EXPECT_LE(*next - session.wall, Duration(100)) << "the loop wakes when it is time";
  session.pass(Duration(100));
  EXPECT_GT(session.state.top().derived.revision, shown);
}

TEST(Live, AHugeTableBelowThePageWaitsUntilItIsSeenAgain) {
  Session session(huge_place());
  session.press("4<enter>");
  const auto shown = session.state.stack[1].derived.revision;
  session.tell(on("hpc", NodeSeen{node("n500", {})}, 1)).pass(Duration(9000));
  EXPECT_EQ(session.state.stack[1].derived.revision, shown);
  session.press("<esc>");
  EXPECT_EQ(session.state.top().derived.revision, session.model.revision);
}

TEST(Live, DrawingIsPure) {
  Session session(two_places());
  for (const char* keys : {"", "2", "3", "4", "5", "6", ":node n0007<enter>", "?"}) {
    session.press(keys);
    EXPECT_EQ(session.screen(), session.screen()) << keys;
  }
}

// Every line of the screen takes exactly the screen's cells, whatever the words are.
void expect_straight(const Session& session, const std::string& where) {
  tui::Canvas canvas = session.canvas();
  std::string text = canvas.text();
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    EXPECT_LE(tui::display_width(text.substr(at, end - at)), canvas.size().columns) << where;
    for (std::size_t i = at; i < end; ++i)
      EXPECT_GE(static_cast<unsigned char>(text[i]), 0x20u) << where << ": a control character got through";
    at = end + 1;
  }
}

TEST(Live, HostileNamesNeverBreakALine) {
  Model model = small_place();
  const std::string nasty[] = {"日本語のジョブ名前がとても長い",
                               "e\u0301\u0301\u0301\u0301clair",
                               "\x1b[2J\x1b]0;x\x07",
                               std::string(5000, 'W'),
                               "\xff\xfe broken",
                               "a\tb\nc",
                               "👩‍👩‍👧‍👦 family"};
  int id = 0;
  for (const std::string& name : nasty) {
    Workload work = named(running(name, name, {holds("n0012", {{0}})}), name, -60 - id++);
    work.comment = work.reason = work.group = name;
    reduce(model, on("hpc", WorkloadSeen{work}));
    Node node = drained_node();
    node.name = NodeName(name);
    node.reason = node.driver = node.model = name;
    node.gpus[0].model = name;
    reduce(model, on("hpc", NodeSeen{node}));
  }
  for (tui::Size size : {tui::Size{60, 15}, {80, 24}, {133, 41}}) {
    for (const char* keys :
         {"1", "2", "3", "4", "5", "6", "w", "5G<enter>", "2G<enter>", "5Gi", "2Gi", "5C"}) {
      Session session(model, size);
      session.press(keys);
      expect_straight(session, keys);
    }
  }
}

TEST(Live, EverySizeDrawsSomething) {
  Session session(two_places());
  session.press(":node n0007<enter>");
  for (int columns : {1, 2, 20, 59, 60, 61, 79, 300})
    for (int rows : {1, 2, 14, 15, 16, 100}) {
      session.resize({columns, rows});
      EXPECT_EQ(session.canvas().size(), (tui::Size{columns, rows}));
    }
}

}  // namespace
}  // namespace tessera::test
