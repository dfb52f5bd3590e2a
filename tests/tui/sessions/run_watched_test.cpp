// A run as it is watched: the GPUs as they change, the time it takes, and who is called when it ends.
#include <gtest/gtest.h>

#include "tests/tui/screens/change_places.hpp"

namespace tessera::test {
namespace {

// What was written since, as a run that is driven here tells it.
RunTold written_since(const Diary& diary, std::size_t from) {
  return {diary.run, diary.lines.substr(from), false};
}

Session watching(const Diary& diary) {
  Session session = changing({120, 40});
  session.hear({RunsListed{{diary.head(RunState::running)}}});
  session.hear({diary.told()});
  session.press("J<enter>");
  return session;
}

TEST(RunWatched, ShowsTheGpusAsTheyAreBesideWhatIsWanted) {
  Session place = changing();
  Diary diary(plan_of(place, {"n0031"}, 0));
  diary.through(2);
  Session session = watching(diary);
  const std::string line = session.line_with("wanted");
  EXPECT_NE(line.find("GPU 0"), std::string::npos) << line;
  EXPECT_NE(line.find("○○○○○○○"), std::string::npos) << line;
  EXPECT_NE(line.find("④───③───"), std::string::npos) << line;
  session.line_with("usually about");
  // Once the cluster reports the new layout, both are the same.
  Gpu cut = gpu(0, Strategy::mig, {instance("4g.40gb", 0, 4, 0), instance("3g.40gb", 4, 4, 1)});
  cut.mig_mode = MigMode::enabled;
  session.tell(on("hpc", NodeSeen{node("n0031", {cut, sevenths(1, 7)})}));
  const std::string after = session.line_with("wanted");
  EXPECT_EQ(after.find("○○○○○○○"), std::string::npos) << after;
}

TEST(RunWatched, NamesItsClusterWhereThereAreSeveral) {
  Session place = changing();
  Diary diary(plan_of(place, {"n0031"}, 0));
  Session session = watching(diary);
  EXPECT_EQ(session.line_with("under way").find("hpc: n0031"), std::string::npos);
  session.tell(on("train-a", ClusterSeen{Scheduler::kubernetes, false, "v1.31.4", "admin"}));
  EXPECT_NE(session.line_with("under way").find("hpc: n0031"), std::string::npos) << session.screen();
}

TEST(RunWatched, ATitleOfAStepIsNeverCutAndGoesOnBelow) {
  Session place = changing();
  Diary diary(plan_of(place, {"n0031"}, 0));
  diary.through(2);
  for (const tui::Size size : {tui::Size{80, 40}, tui::Size{120, 40}, tui::Size{200, 60}}) {
    Session session = watching(diary);
    session.resize(size);
    const std::string screen = session.screen();
    const std::size_t at = screen.find("GPU 0: destroy");
    ASSERT_NE(at, std::string::npos) << screen;
    EXPECT_NE(screen.find("1g.10gb@6", at), std::string::npos) << size.columns << ":\n" << screen;
  }
}

TEST(RunWatched, RingsWhenItEndsAndNamesTheWindow) {
  Session place = changing();
  Diary diary(plan_of(place, {"n0031"}, 0));
  diary.through(1);
  Session session = watching(diary);
  const std::size_t asked = session.effects.size(), before = diary.lines.size();
  diary.through(diary.count());
  diary.add("n0031", plan::NodeFinished{plan::Outcome::wanted, "done"}, 60);
  diary.add("", plan::RunFinished{plan::Outcome::wanted, "1 of 1 node done"}, 61);
  session.hear({written_since(diary, before)});
  ASSERT_GT(session.effects.size(), asked) << session.screen();
  EXPECT_EQ(session.effects.back().ring, "tessera: n0031 done");
}

TEST(RunWatched, DoesNotRingForAJournalThatIsReadAgain) {
  Session place = changing();
  Diary diary(plan_of(place, {"n0031"}, 0));
  diary.through(diary.count());
  diary.add("n0031", plan::NodeFinished{plan::Outcome::wanted, "done"}, 60);
  diary.add("", plan::RunFinished{plan::Outcome::wanted, "1 of 1 node done"}, 61);
  Session session = watching(diary);
  for (const tui::Effects& one : session.effects) EXPECT_FALSE(one.ring);
}

}  // namespace
}  // namespace tessera::test
