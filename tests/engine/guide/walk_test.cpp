#include "engine/guide/walk.hpp"

#include <gtest/gtest.h>

#include "tests/engine/guide/guide_build.hpp"

namespace tessera::guide {
namespace {

Answer sure(Reply reply, Confidence confidence) { return {reply, confidence, {{"because", {}}}}; }

std::vector<std::string> labels(const std::vector<const Question*>& all) {
  std::vector<std::string> found;
  for (const Question* one : all) found.push_back(one->label);
  return found;
}

TEST(Walk, PassesWhatIsCertainAndAsksTheRest) {
  Walk walk(test::flowchart(), {{"mig-capable", sure(Reply::yes, Confidence::certain)},
                                {"isolation", sure(Reply::yes, Confidence::likely)}});
  ASSERT_NE(walk.current(), nullptr);
  EXPECT_EQ(walk.current()->label, "Q2");
  EXPECT_EQ(walk.known("isolation").reply, Reply::yes);
  ASSERT_EQ(walk.path().size(), 1u);
  EXPECT_FALSE(walk.path()[0].by_admin);
  walk.answer(true);
  ASSERT_NE(walk.leaf(), nullptr);
  EXPECT_EQ(walk.leaf()->strategy, Strategy::mig);
  EXPECT_TRUE(walk.path()[1].by_admin);
}

TEST(Walk, ACommandLineTakesWhatIsLikely) {
  const Walk walk(test::flowchart(),
                  {{"mig-capable", sure(Reply::yes, Confidence::certain)},
                   {"isolation", sure(Reply::yes, Confidence::likely)}},
                  Confidence::likely);
  ASSERT_NE(walk.leaf(), nullptr);
}

TEST(Walk, TheAdminOverrulesFacts) {
  Walk walk(test::flowchart(), {{"mig-capable", sure(Reply::yes, Confidence::certain)}});
  EXPECT_TRUE(walk.answer("q1", false));
  EXPECT_EQ(walk.current()->label, "Q3");
  EXPECT_EQ(walk.path()[0].known.reply, Reply::yes) << "what was known is still told";
  EXPECT_FALSE(walk.answer("Q9", true));
}

TEST(Walk, UndoOpensTheLastStepWhoeverTookIt) {
  Walk walk(test::flowchart(), {{"mig-capable", sure(Reply::yes, Confidence::certain)}});
  walk.answer(false);
  EXPECT_EQ(walk.current()->label, "Q5");
  EXPECT_TRUE(walk.undo());
  EXPECT_EQ(walk.current()->label, "Q2");
  EXPECT_TRUE(walk.undo());
  EXPECT_EQ(walk.current()->label, "Q1") << "also what was passed by itself";
  EXPECT_FALSE(walk.undo());
  walk.answer(false);
  EXPECT_EQ(walk.current()->label, "Q3");
}

TEST(Walk, NothingHappensAtALeaf) {
  Walk walk = test::walk();
  walk.answer(true);
  walk.answer(true);
  ASSERT_NE(walk.leaf(), nullptr);
  walk.answer(false);
  EXPECT_EQ(walk.leaf()->strategy, Strategy::mig);
  EXPECT_EQ(walk.current(), nullptr);
  EXPECT_TRUE(walk.open().empty());
}

TEST(Walk, NewFactsKeepTheAdminsAnswers) {
  Walk walk = test::walk();
  walk.answer(false);
  walk.refresh({{"mig-capable", sure(Reply::yes, Confidence::certain)},
                {"virtualised", sure(Reply::no, Confidence::certain)}});
  EXPECT_EQ(walk.current()->label, "Q5");
}

TEST(Walk, OpenQuestionsAreThoseThatCanStillCome) {
  Walk walk = test::walk();
  EXPECT_EQ(labels(walk.open()).size(), 5u);
  walk.answer(true);
  EXPECT_EQ(labels(walk.open()), (std::vector<std::string>{"Q2", "Q5"}));
  walk.answer("Q5", true);
  EXPECT_EQ(labels(walk.open()), (std::vector<std::string>{"Q2"}));
}

}  // namespace
}  // namespace tessera::guide
