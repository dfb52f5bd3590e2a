// The advice screen: the planner answers beside, the answer under the cursor is told in full, and Enter leads
// to its plan.
#include "tui/screens/advise/advise.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include "engine/time.hpp"
#include "engine/usage/demand.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/reckoned.hpp"
#include "tests/tui/screens/advise_places.hpp"
#include "tests/tui/screens/past_moment.hpp"
#include "tui/advise_state.hpp"
#include "tui/packer.hpp"
#include "tui/screens/documents.hpp"

namespace tessera::test {
namespace {

using tui::ScreenKind;

const advise::Advice& advice_of(const Session& session) { return *session.state.advise->answer->advice; }

// Forty minutes in which eight were waited for.
std::shared_ptr<const usage::Reckoning> recorded(const Session& session, Duration since) {
  usage::Reckoning read;
  read.asked.since = since;
  read.from = at(-2400), read.to = at(0), read.hours = 2.0 / 3;
  Cluster cluster = *session.model.find(ClusterName("hpc"));
  for (int second = -2400; second <= 0; second += 600) read.demand[cluster.name].see(cluster, at(second));
  return std::make_shared<const usage::Reckoning>(std::move(read));
}

// Slurm's word read like that of the drivers.
TEST(AdviseScreen, NodesOfWhichSlurmAloneTellsWhatIsMadeAreNamed) {
  Session session = advising({200, 60});
  Node told = *session.model.find(ClusterName("hpc"))->nodes.find(NodeName("n3"));
  for (Gpu& one : told.gpus) one.origin.source = Source::slurm_nodes;
  session.tell(on("hpc", NodeSeen{told}));
  session.press(":advise<enter>").advise();
  EXPECT_EQ(advice_of(session).unasked,
            "hpc: what is made on n3 is known from Slurm only: its driver was not asked");
  EXPECT_TRUE(session.shows(advice_of(session).unasked)) << session.screen();
}

TEST(AdviseScreen, AnswersAreRowsAndTheOneUnderTheCursorIsToldInFull) {
  Session session = advised({200, 60});
  ASSERT_GE(advice_of(session).answers.size(), 2u) << session.screen();
  EXPECT_TRUE(session.shows("6 jobs or pods wait for MIG slices")) << session.screen();
  EXPECT_TRUE(session.shows("as it is, 0 of 6 that wait for room start")) << session.screen();
  EXPECT_TRUE(session.shows("waits for no running job or pod")) << session.screen();
  EXPECT_TRUE(session.shows("100 (bob, 1 × gpu:3g.40gb): in 5 min, without the plan no start"))
      << session.screen();
  EXPECT_FALSE(session.shows("n1 is closed until"));
  session.press("G").press("g");
  for (std::size_t i = 1; i < advice_of(session).answers.size(); ++i) session.press("j");
  EXPECT_TRUE(session.shows("n1 is closed until")) << session.screen();
  EXPECT_TRUE(session.shows("for jobs or pods of: carol")) << session.screen();
  EXPECT_TRUE(session.shows("waits for the end of running jobs or pods: 2")) << session.screen();
}

TEST(AdviseScreen, SaysHowFarItHasComeUntilThereAreAnswers) {
  Session session = advising();
  session.press(":advise<enter>");
  EXPECT_TRUE(session.shows("looking at what stands and what waits")) << session.screen();
  const auto question = session.state.advise->question;
  const auto tell = [&](advise::Progress now) {
    tui::update(
        session.state, session.world(),
        tui::AdviseTold{std::make_shared<const tui::AdviseNews>(tui::AdviseNews{question, now, {}, {}})});
  };
  tell({advise::Progress::Stage::planning, 7, 0});
  EXPECT_TRUE(session.shows("making plans: 7 so far")) << session.screen();
  tell({advise::Progress::Stage::playing, 1, 4});
  EXPECT_TRUE(session.shows("plan 2 of 4")) << session.screen();
  EXPECT_EQ(tui::why_disabled(tui::Action::open, session.state, session.world()), "it is being worked out");
  session.advise();
  EXPECT_TRUE(session.shows("SOONER")) << session.screen();
}

TEST(AdviseScreen, IsReachedByAKeyFromTheOverviewAndFromPack) {
  for (const char* from : {"1", ":pack<enter>"}) {
    Session session = advising();
    session.press(from).press("R");
    EXPECT_EQ(session.state.top().kind, ScreenKind::advise) << from;
    EXPECT_EQ(session.state.top().cluster.text, "hpc");
  }
}

// On 24 rows the reasons below the answers left room for none of them.
TEST(AdviseScreen, ManyReasonsLeaveTheAnswersMostOfASmallScreenAndAreReadAtItsEnd) {
  Session session = advised({80, 24});
  tui::AdviseNews news = *session.state.advise->answer;
  for (int i = 0; i < 12; ++i)
    news.advice->reasons.push_back("reason " + std::to_string(i) + " why that many pods are not served");
  tui::change_advise(session.state, [&](tui::AdviseState& advise) {
    advise.answer = std::make_shared<const tui::AdviseNews>(news);
  });
  const std::size_t answers = news.advice->answers.size();
  ASSERT_GE(answers, 3u);
  for (std::size_t i = 1; i < answers; ++i)
    EXPECT_TRUE(session.shows("\n " + std::to_string(i + 1) + "  ")) << session.screen();
  EXPECT_TRUE(session.shows("more lines stand at the end of the list")) << session.screen();
  EXPECT_TRUE(session.shows("not served: reason 0")) << session.screen();
  EXPECT_FALSE(session.shows("reason 11")) << session.screen();
  session.press("G");
  EXPECT_TRUE(session.shows("reason 11")) << session.screen();
  EXPECT_TRUE(tui::place_of_answer(session.state) == std::size_t{0}) << "it belongs to that answer";
}

// "… as the others are in use, left out, or" stood above another sentence.
TEST(AdviseScreen, AReasonThatGoesOnBelowTheListIsCutWithAMarkAndAWholeOneIsNot) {
  const auto told_by = [](const std::string& reason) {
    Session session = advised({80, 24});
    tui::AdviseNews news = *session.state.advise->answer;
    news.advice->reasons.assign(12, reason);
    tui::change_advise(session.state, [&](tui::AdviseState& advise) {
      advise.answer = std::make_shared<const tui::AdviseNews>(news);
    });
    return session;
  };
  std::string words = "reason";
  for (int i = 0; i < 40; ++i) words += " word" + std::to_string(i);
  const Session cut = told_by(words), whole = told_by("a short reason");
  const auto before_more = [](const Session& session) {
    const std::string screen = session.screen();
    return screen.substr(0, screen.find("more lines stand at the end")).rfind("…");
  };
  const std::string screen = cut.screen();
  const std::size_t more = screen.find("more lines stand at the end");
  ASSERT_NE(before_more(cut), std::string::npos) << screen;
  EXPECT_LT(more - before_more(cut), 15u) << screen;
  EXPECT_EQ(whole.line_with("a short reason").find("…"), std::string::npos) << whole.screen();
}

// Nothing told that the answer below the list went on.
TEST(AdviseScreen, AnAnswerThatIsLongerThanItsPaneSaysWhichOfItsLinesAreShown) {
  Session session = advised({80, 24});
  EXPECT_TRUE(session.shows(" lines 1-")) << session.screen();
  session.press("<tab>G");
  EXPECT_FALSE(session.shows(" lines 1-")) << session.screen();
  EXPECT_TRUE(session.shows(" lines ")) << session.screen();
  EXPECT_FALSE(advised({120, 60}).shows(" lines ")) << "all of it is shown";
}

TEST(AdviseScreen, EnterOpensThePlanOfTheAnswerUnderTheCursorAndArmsNothing) {
  Session session = advised();
  const auto& answers = advice_of(session).answers;
  ASSERT_GE(answers.size(), 2u);
  const advise::Answer last = answers.back();
  for (std::size_t i = 1; i < answers.size(); ++i) session.press("j");
  session.press("<enter>");
  ASSERT_EQ(session.state.top().kind, ScreenKind::plan) << session.screen();
  const plan::Plan& plan = session.state.plan->plan;
  EXPECT_EQ(plan.fingerprint, last.plan.fingerprint);
  EXPECT_EQ(plan.intent.words, "packed for a demand");
  EXPECT_EQ(plan.intent.options.way, plan::Way::wait);
  EXPECT_FALSE(session.state.arming);
  session.press("<esc>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::advise);
}

TEST(AdviseScreen, ALineOfTheAnswerBelongsToItsAnswer) {
  Session session = advised();
  session.press("j<tab>jj");
  const std::string command = advise::pack_command(advice_of(session).answers[1]);
  session.press("y");
  ASSERT_FALSE(session.effects.empty());
  EXPECT_EQ(*session.effects.back().copy, command + " --cluster hpc --plan");
  session.press("<tab>");
  EXPECT_EQ(session.state.top().cursor.find('\x1f'), std::string::npos) << "Tab leads back to the list";
}

TEST(AdviseScreen, CopiesTheCommandThatMakesTheSamePlan) {
  Session session = advised();
  session.press("y");
  ASSERT_TRUE(session.effects.back().copy);
  EXPECT_EQ(*session.effects.back().copy, "tessera pack 3g.40gb=2 --node n2 --cluster hpc --plan");
}

// An answer is about GPUs as they stood.
TEST(AdviseScreen, WhatStartedSinceIsNotPlannedOver) {
  Session session = advised();
  const std::string node = advice_of(session).answers.front().nodes.front().text;
  session.tell(on("hpc", WorkloadSeen{running("99", "eve", {holds(node.c_str(), {{0, 1}})})}));
  session.press("<enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::advise) << session.screen();
  EXPECT_EQ(session.state.message.text, "the cluster has changed: the advice is being worked out again");
  EXPECT_TRUE(session.state.advise->working());
  session.advise();
  for (const advise::Answer& answer : advice_of(session).answers)
    if (answer.disturbed == 0) EXPECT_NE(answer.nodes.front().text, node);
}

TEST(AdviseScreen, WhatMovesElsewhereDoesNotKeepFromPlanning) {
  Session session = advised();
  ASSERT_EQ(advice_of(session).answers.front().nodes, std::vector<NodeName>{NodeName("n2")});
  session.tell(on("hpc", WorkloadSeen{running("99", "eve", {holds("n3", {{0, 1}})})}));
  session.press("<enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::plan) << session.screen();
}

TEST(AdviseScreen, ABusyClusterIsLookedAtAgainAfterAPauseAndNotWithEveryEvent) {
  Session session = advised();
  session.tell(on("hpc", WorkloadSeen{running("99", "eve", {holds("n3", {{0, 1}})})}));
  EXPECT_FALSE(session.state.advise->working());
  EXPECT_EQ(tui::next_tick(session.state, session.world()),
            session.wall + Duration(10'000) - session.wall.time_since_epoch() % 10'000);
  session.pass(Duration(16'000));
  EXPECT_TRUE(session.state.advise->working());
  EXPECT_TRUE(session.shows("the advice before")) << session.screen();
  EXPECT_TRUE(session.shows("SOONER")) << "the answers before stay";
}

TEST(AdviseScreen, EscStopsAndRAsksAgain) {
  Session session = advising();
  session.press(":advise<enter><esc>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::advise);
  EXPECT_FALSE(session.state.advise->question) << "the planner is still asked";
  EXPECT_TRUE(session.shows("stopped")) << session.screen();
  session.press("r").advise();
  EXPECT_TRUE(session.shows("SOONER")) << session.screen();
  session.press("<esc>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::overview) << "with its answers Esc leaves";
}

TEST(AdviseScreen, TheAnswerToAnotherQuestionAndOneThatWasGivenUpAreDropped) {
  Session session = advising();
  session.press(":advise<enter>");
  const auto before = session.state.advise->question;
  session.press("t");
  ASSERT_NE(session.state.advise->question, before);
  tui::update(session.state, session.world(), tui::AdviseTold{tui::answer_of(before)});
  EXPECT_FALSE(session.state.advise->answer);
  const auto given_up = tui::answer_of(session.state.advise->question, [] { return true; });
  EXPECT_TRUE(given_up->advice->given_up);
  tui::update(session.state, session.world(), tui::AdviseTold{given_up});
  EXPECT_FALSE(session.state.advise->answer);
}

TEST(AdviseScreen, LooksAsManyHoursAheadAsAreChosen) {
  Session session = advised();
  EXPECT_TRUE(session.shows("the next 24 h")) << session.screen();
  session.press("t").advise();
  EXPECT_TRUE(session.shows("the next 48 h")) << session.screen();
  EXPECT_EQ(session.state.advise->answer->question->hours, 48);
  session.press("tt").advise();
  EXPECT_TRUE(session.shows("the next 6 h")) << session.screen();
}

TEST(AdviseScreen, NodesAndAPartitionNarrowWhatMayBeChanged) {
  Session session = advised({120, 40});
  session.press(":on n3<enter>").advise();
  for (const advise::Answer& answer : advice_of(session).answers)
    EXPECT_EQ(answer.nodes, std::vector<NodeName>{NodeName("n3")});
  EXPECT_FALSE(advice_of(session).answers.empty());
  EXPECT_TRUE(session.shows("only the node n3")) << session.screen();
  session.press(":on partition=short<enter>").advise();
  EXPECT_TRUE(session.shows("only partition short")) << session.screen();
  EXPECT_TRUE(session.shows("No re-cut helps.")) << "none of those that wait is in it:\n" << session.screen();
  session.press("o").press("<bs>").press("<esc>");
  session.press(":on all<enter>").advise();
  EXPECT_GE(advice_of(session).answers.size(), 2u);
}

TEST(AdviseScreen, ANodeOrAPartitionThatIsNotThereIsNamedAndNothingIsAskedAgain) {
  for (const auto& [typed, why] : std::vector<std::pair<std::string, std::string>>{
           {"n9", "hpc has no node n9"},
           {"partition=none", "no node is in partition \"none\""},
           {"partition=", "no node is in partition"},
           {"gpus>99", "no node matches"},
           {"n[", ""}}) {
    Session session = advised({200, 40});
    const auto before = session.state.advise->question;
    session.press(":on ");
    session.paste(typed).press("<enter>");
    EXPECT_NE(session.screen().find(why), std::string::npos) << typed << "\n" << session.screen();
    EXPECT_EQ(session.state.advise->question, before) << typed;
    EXPECT_FALSE(session.state.advise->only.any());
  }
}

TEST(AdviseScreen, TheAnswerBeforeIsNotPlannedOnceOtherNodesAreAskedAbout) {
  Session session = advised();
  session.press(":on n3<enter><enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::advise) << "n2 was planned";
  EXPECT_EQ(session.state.message.text, "it is being worked out");
  session.advise().press("<enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::plan);
}

TEST(AdviseScreen, ARecordingThatCannotBeReadIsToldAndNotTakenForNone) {
  Session session = advising();
  session.state.no_past.clear();
  session.state.usage.sources = {usage::PastSource::recording};
  session.state.usage.failure = Error{"cannot read the recording", "it is cut off", ""};
  session.press(":advise<enter>").advise();
  EXPECT_TRUE(session.shows("the recording cannot be read")) << session.screen();
}

TEST(AdviseScreen, APastMomentIsAdvisedOnByItsOwnTimeAndNothingIsArmedThere) {
  Session session = advised({200, 60});
  ASSERT_TRUE(session.state.advise->answer);
  show_past(session, 30);
  EXPECT_FALSE(session.state.advise->answer) << "the answer of now is not one of then";
  session.advise();
  EXPECT_EQ(session.state.advise->answer->question->then->now, at(-1800));
  EXPECT_TRUE(session.shows("as of " + tui::time_text(at(-1800)))) << session.screen();
  EXPECT_TRUE(session.shows("SOONER")) << session.screen();
  session.press("y");
  EXPECT_EQ(*session.effects.back().copy,
            "tessera advise --at " + utc_text(at(-1800)) + " --cluster hpc --hours 24");
  session.press("<enter>");
  ASSERT_EQ(session.state.top().kind, ScreenKind::plan) << session.screen();
  session.press("A");
  EXPECT_FALSE(session.state.arming);
  tui::update(session.state, session.world(), tui::OtherWorld{false});
  session.press("A");
  EXPECT_FALSE(session.state.arming) << "the plan was made of the past";
  EXPECT_FALSE(session.state.advise->answer) << "the answer of then is not one of now";
}

TEST(AdviseScreen, AnotherMomentIsAdvisedOnAtOnceAndTheAnswerOfTheOneBeforeIsMarkedAsOld) {
  Session session = advising({200, 60});
  show_past(session, 30);
  session.press(":advise<enter>").advise();
  show_past(session, 60);
  EXPECT_TRUE(session.state.advise->working()) << "no pause between two moments that stand";
  EXPECT_TRUE(session.shows("the advice before")) << session.screen();
  EXPECT_TRUE(session.shows("as of " + tui::time_text(at(-1800)))) << "whose answer it is";
  session.advise();
  EXPECT_TRUE(session.shows("as of " + tui::time_text(at(-3600)))) << session.screen();
}

TEST(AdviseScreen, WhatPlaysIsNotAdvisedOnWithEveryRound) {
  Session session = advising({200, 60});
  show_past(session, 30);
  session.press(":advise<enter>").advise();
  session.state.playing = 60;
  show_past(session, 29);
  EXPECT_FALSE(session.state.advise->working());
}

TEST(AdviseScreen, NothingIsAdvisedOnWithoutAMomentOfTheRecording) {
  Session session = advising({120, 40});
  session.state.past = true;
  session.press(":advise<enter>");
  EXPECT_TRUE(session.shows("nothing is recorded of this cluster")) << session.screen();
  EXPECT_FALSE(session.state.advise->question);
  show_past(session, 30);
  EXPECT_TRUE(session.state.advise->question);
  const Error torn{"cannot read the recording", "it is damaged", ""};
  session.tell(on("hpc", SourceReport{Source::none, torn, Duration(0)}));
  EXPECT_FALSE(session.state.advise->question) << "the nodes are those of the moment before";
}

TEST(AdviseScreen, WhatCameAfterAPastMomentIsNoHistoryOfIt) {
  Session session = advising({200, 60});
  session.state.no_past.clear();
  session.state.usage.sources = {usage::PastSource::recording};
  session.state.usage.read = recorded(session, session.state.usage.since);  // until now
  show_past(session, 30);
  session.press(":advise<enter>").advise();
  EXPECT_FALSE(session.state.advise->answer->question->past);
  show_past(session, 0);
  EXPECT_TRUE(session.state.advise->question->past);
  session.state.usage.part = 0.5;  // of a reading that ends elsewhere
  session.pass(Duration(0));
  EXPECT_FALSE(session.state.advise->question->past);
}

TEST(AdviseScreen, NothingIsAdvisedOnAClusterThatDoesNotAnswer) {
  Session session = advised();
  session.wall += Duration(180000);
  const Error down{"squeue failed", "connection refused", ""};
  session.tell(on("hpc", SourceReport{Source::slurm_jobs, down, Duration(0)}, 60));
  EXPECT_TRUE(session.shows("the list of jobs or pods is old")) << session.screen();
  EXPECT_FALSE(session.shows("SOONER")) << session.screen();
  session.press("<enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::advise);
}

TEST(AdviseScreen, WhereNoRecutHelpsItSaysWhyAndWhatElseCanBeDone) {
  Session session = advising();
  session.tell(on("hpc", WorkloadsListed{}));
  session.press(":advise<enter>").advise();
  EXPECT_TRUE(session.shows("No re-cut helps.")) << session.screen();
  EXPECT_TRUE(session.shows("no job or pod waits for a MIG slice")) << session.screen();
  EXPECT_TRUE(session.shows("why each of them waits")) << session.screen();
  session.press("<enter>");
  EXPECT_EQ(session.state.message.text, "no re-cut helps: there is no plan to open");
  session.press("y");
  EXPECT_EQ(session.state.message.text, "no answer: there is no command to copy");
}

TEST(AdviseScreen, WhatWasNeededCountsOnceTheRecordingIsRead) {
  Session session = advising({200, 60});
  session.state.no_past.clear();
  session.state.usage.sources = {usage::PastSource::recording};
  session.press(":advise<enter>").advise();
  EXPECT_TRUE(session.shows("only what waits now")) << session.screen();
  session.state.usage.read = recorded(session, session.state.usage.since);
  session.pass(Duration(0));
  EXPECT_TRUE(session.state.advise->working()) << "the recording was read meanwhile";
  session.advise();
  EXPECT_TRUE(session.shows("the last 7 days count, too")) << session.screen();
  EXPECT_TRUE(session.shows("GPU-hours more would have fitted")) << session.screen();
  EXPECT_TRUE(session.shows("0.7 h of that time are recorded")) << session.screen();
  // Thirty days are not read yet: those of before must not stand for them.
  session.press("d").advise();
  EXPECT_FALSE(session.state.advise->answer->question->past);
  session.press("d").advise();
  EXPECT_FALSE(session.state.advise->with_past);
  EXPECT_TRUE(session.shows("only what waits now")) << session.screen();
}

TEST(AdviseScreen, WithoutARecordingTheKeySaysWhy) {
  Session session = advised();
  session.press("d");
  EXPECT_EQ(session.state.message.text, "no recording is opened");
}

TEST(AdviseScreen, TheCursorStaysOnItsAnswerWhenOthersAppear) {
  Session session = advised();
  session.press("j");
  const std::string cursor = session.state.top().cursor;
  session.press("r").advise();
  EXPECT_EQ(session.state.top().cursor, cursor);
}

TEST(Packer, TellsHowAdviceGetsOnAndComesToRestWhenItIsNoLongerAskedFor) {
  Session session = advising();
  session.press(":advise<enter>");
  tui::Packer packer;
  packer.ask(session.state.advise->question);
  bool answered = false;
  while (!answered) {
    pollfd waiting{packer.wake_fd(), POLLIN, 0};
    ASSERT_EQ(poll(&waiting, 1, 60'000), 1) << "no answer came";
    if (auto one = packer.take()) answered = std::get<tui::AdviseTold>(*one).what->advice.has_value();
  }
  EXPECT_FALSE(packer.busy());
  for (int i = 0; i < 20; ++i) {
    packer.ask(session.state.advise->question);
    packer.ask(std::shared_ptr<const tui::AdviseQuestion>());
  }
  while (packer.busy()) packer.take();
  packer.follow(session.state);
  EXPECT_TRUE(packer.busy()) << "the screen is shown, and waits for its answer";
}

TEST(AdviseScreen, WhoGivesUpWhileItIsWorkedOutIsToldNothingElse) {
  Session session = advising();
  session.press(":advise<enter>");
  int told = 0;
  bool stop = false;
  const auto news = tui::answer_of(
      session.state.advise->question, [&] { return stop; }, [&](const tui::Message&) { stop = ++told == 3; });
  EXPECT_EQ(told, 3);
  EXPECT_TRUE(news->advice->given_up);
  EXPECT_TRUE(news->ids.empty());
}

TEST(AdviseGolden, AtThreeSizes) {
  for (tui::Size size : {tui::Size{80, 24}, {120, 40}, {200, 60}})
    expect_golden("advise-" + std::to_string(size.columns), advised(size).canvas());
}

TEST(AdviseGolden, BeforeAnAnswerWithoutOneInAsciiAndInJapanese) {
  Session waiting = advising();
  waiting.press(":advise<enter>");
  expect_golden("advise-working-80", waiting.canvas());
  Session none = advising();
  none.tell(on("hpc", WorkloadsListed{}));
  none.press(":advise<enter>").advise();
  expect_golden("advise-none-80", none.canvas());
  Session session = advised();
  session.press("jj");
  session.state.ascii = true;
  expect_golden("advise-ascii-80", session.canvas());
  session.state.ascii = false;
  session.resize({200, 60});
  ASSERT_TRUE(set_language(session.state, tui::Language::ja));
  expect_golden("advise-ja-200", session.canvas());
}

}  // namespace
}  // namespace tessera::test
