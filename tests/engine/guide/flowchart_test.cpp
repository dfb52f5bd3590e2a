#include "engine/guide/flowchart.hpp"

#include <gtest/gtest.h>

#include <bitset>

#include "engine/guide/glossary.hpp"
#include "tests/engine/guide/guide_build.hpp"

namespace tessera::guide {
namespace {

// The decision as the user gave it, written out once more as plain code.
Strategy expected(bool q1, bool q2, bool q3, bool q4, bool q5) {
  const Strategy shared = q5 ? Strategy::mps : Strategy::time_slicing;
  if (q1) return q2 ? Strategy::mig : shared;
  return q3 && q4 ? Strategy::vgpu : shared;
}

TEST(Flowchart, EveryCombinationOfAnswersLeadsWhereItShould) {
  for (unsigned bits = 0; bits < 32; ++bits) {
    const std::bitset<5> q(bits);
    Walk walk = test::walk();
    const char* labels[] = {"Q1", "Q2", "Q3", "Q4", "Q5"};
    for (std::size_t i = 0; i < 5; ++i) EXPECT_TRUE(walk.answer(labels[i], q[i]));
    ASSERT_NE(walk.leaf(), nullptr) << q;
    EXPECT_EQ(walk.leaf()->strategy, expected(q[0], q[1], q[2], q[3], q[4])) << q;
  }
}

TEST(Flowchart, HasTheEdgesOfTheUsersDrawing) {
  const auto chart = test::flowchart();
  const auto edge = [&](const char* label, bool yes) {
    const Question* question = chart->find_question(label);
    const std::string& to = yes ? question->yes : question->no;
    const Question* next = chart->question(to);
    return next != nullptr ? next->label : chart->leaf(to)->title;
  };
  EXPECT_EQ(chart->question(chart->start())->label, "Q1");
  EXPECT_EQ(edge("Q1", true), "Q2");
  EXPECT_EQ(edge("Q1", false), "Q3");
  EXPECT_EQ(edge("Q2", true), "MIG");
  EXPECT_EQ(edge("Q2", false), "Q5");
  EXPECT_EQ(edge("Q3", true), "Q4");
  EXPECT_EQ(edge("Q3", false), "Q5");
  EXPECT_EQ(edge("Q4", true), "vGPU");
  EXPECT_EQ(edge("Q4", false), "Q5");
  EXPECT_EQ(edge("Q5", true), "MPS");
  EXPECT_EQ(edge("Q5", false), "Time-slicing");
}

TEST(Flowchart, EveryMarkedTermIsExplained) {
  const auto glossary = Glossary::built_in();
  ASSERT_TRUE(glossary.ok()) << to_line(glossary.error());
  std::string all;
  for (const Question& one : test::flowchart()->questions()) all += one.ask + one.why;
  for (const Leaf& one : test::flowchart()->leaves()) {
    all += one.summary + one.meaning + one.fits + one.memory + one.errors + one.latency + one.price;
  }
  const auto terms = terms_in(all);
  EXPECT_GT(terms.size(), 8u);
  for (const std::string& term : terms) EXPECT_NE(glossary->find(term), nullptr) << term;
  EXPECT_EQ(plain(all).find('{'), std::string::npos);
}

TEST(Flowchart, EveryLeafSaysWhatMustBeAccepted) {
  for (const Leaf& leaf : test::flowchart()->leaves()) EXPECT_EQ(tradeoffs(leaf).size(), 4u) << leaf.id;
}

// A small tree, one line for each thing, so that a broken line has a number.
std::string tree(const std::string& questions, const std::string& leaves, const std::string& start = "a") {
  return "title: t\nstart: " + start + "\nquestions:\n" + questions + "leaves:\n" + leaves;
}
std::string q(const std::string& id, const std::string& yes, const std::string& no) {
  return "  - {id: " + id + ", label: L" + id + ", short: s, ask: a, why: w, yes: " + yes + ", no: " + no +
         "}\n";
}
std::string leaf(const std::string& id, const std::string& strategy) {
  return "  - {id: " + id + ", strategy: " + strategy +
         ", title: t, summary: s, meaning: m, fits: f, memory: m, errors: e, latency: l}\n";
}
std::string verdict(const std::string& text) {
  const auto read = Flowchart::parse(text, "site.yaml");
  return read.ok() ? "accepted" : read.error().reason;
}

TEST(BrokenTrees, AreRefusedWithTheirLine) {
  const std::string leaves = leaf("x", "mig") + leaf("y", "mps");
  EXPECT_EQ(verdict(tree(q("a", "x", "y"), leaves)), "accepted");
  const auto refused = [](const std::string& text, const std::string& place, const std::string& why) {
    const std::string reason = verdict(text);
    EXPECT_EQ(reason.find("site.yaml:" + place + ":"), 0u) << reason;
    EXPECT_NE(reason.find(why), std::string::npos) << reason;
  };
  refused(tree(q("a", "x", "nowhere"), leaves), "4", "\"nowhere\", which is not there");
  refused(tree(q("a", "x", "y"), leaves, "b"), "2", "no question \"b\"");
  refused(tree(q("a", "x", "y") + q("b", "x", "y"), leaves), "5", "cannot be reached");
  refused(tree(q("a", "x", "x"), leaves), "4", "same place");
  refused(tree(q("a", "x", "a"), leaves), "4", "a cycle");
  refused(tree(q("a", "b", "y") + q("b", "x", "a"), leaves), "5", "a cycle");
  refused(tree(q("a", "x", "y"), leaves + leaf("z", "mps")), "8", "leaf \"z\" cannot be reached");
  refused(tree(q("a", "x", "y"), leaf("x", "luck") + leaf("y", "mps")), "6", "\"luck\" is not known");
  refused(tree(q("a", "x", "y"), leaf("x", "mig") + leaf("x", "mps")), "7", "twice");
  refused(tree(q("a", "b", "y") + q("b", "x", "y") + q("b", "x", "y"), leaves), "6", "twice");
  refused(tree("  - {id: a}\n", leaves), "4", "\"label\" is missing");
  refused(tree(q("a", "x", "y"), leaves) + "colour: red\n", "8", "unknown key");
  refused(tree("", leaves), "3", "questions");
}

TEST(BrokenTrees, OddTextsAreRefused) {
  EXPECT_NE(verdict(""), "accepted");
  EXPECT_NE(verdict("[]"), "accepted");
  EXPECT_NE(verdict(tree("  - {id: \"a\\e[31m\", label: L, short: s, ask: a, why: w, yes: x, no: y}\n",
                         leaf("x", "mig") + leaf("y", "mps"))),
            "accepted");
  std::string many;
  for (int i = 0; i < 70; ++i) many += q("q" + std::to_string(i), "x", "y");
  EXPECT_NE(verdict(tree(many, leaf("x", "mig") + leaf("y", "mps"), "q0")).find("more than 64"),
            std::string::npos);
}

TEST(Glossary, MarksAreTakenApart) {
  EXPECT_EQ(plain("an {instance}s { } {} {open"), "an instances   {} {open");
  EXPECT_EQ(terms_in("{a} {b} {a}"), (std::vector<std::string>{"a", "b"}));
}

TEST(Tables, AreThereAndEven) {
  const auto tables = Tables::built_in();
  ASSERT_TRUE(tables.ok()) << to_line(tables.error());
  for (const char* id : {"technologies", "architectures", "schedulers", "containers", "orchestrators"}) {
    ASSERT_NE(tables->find(id), nullptr) << id;
    EXPECT_FALSE(tables->find(id)->rows.empty());
  }
  EXPECT_EQ(tables->find("schedulers")->rows.size(), 16u);
  EXPECT_EQ(tables->find("containers")->rows.size(), 6u);
  EXPECT_EQ(tables->find("orchestrators")->columns.size(), 5u);
  const auto odd = Tables::parse(
      "tables:\n  - {id: a, title: b, columns: [c, d], rows: [[e]]}\nadvice: [{id: a, text: b}]\n",
      "site.yaml");
  ASSERT_FALSE(odd.ok());
  EXPECT_EQ(odd.error().reason.find("site.yaml:2:"), 0u);
}

}  // namespace
}  // namespace tessera::guide
