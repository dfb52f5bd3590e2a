// The palette and the menu of actions, the errors that stay, and the small keys of the lists.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/session.hpp"
#include "tests/tui/screens/change_places.hpp"
#include "tui/screens/control.hpp"
#include "tui/widgets/fuzzy.hpp"

namespace tessera::test {
namespace {

using tui::fuzzy_score;
using tui::ScreenKind;

TEST(Fuzzy, TheNameItselfComesFirstThenItsStartThenWordsThenLetters) {
  const int exact = *fuzzy_score("nodes", "nodes"), start = *fuzzy_score("nod", "nodes"),
            word = *fuzzy_score("bal", "all-balanced"), inside = *fuzzy_score("lanc", "all-balanced"),
            letters = *fuzzy_score("h13", "h100-03");
  EXPECT_GT(exact, start);
  EXPECT_GT(start, word);
  EXPECT_GT(word, inside);
  EXPECT_GT(inside, letters);
  EXPECT_FALSE(fuzzy_score("zz", "h100-03"));
  EXPECT_FALSE(fuzzy_score("30", "h100-03") && !fuzzy_score("03", "h100-03")) << "letters keep their order";
  EXPECT_EQ(fuzzy_score("", "anything"), 0);
  EXPECT_FALSE(fuzzy_score("longer", "long"));
}

TEST(Palette, ANodeIsOpenedBySomeOfItsLetters) {
  Session session(two_places());
  session.press(":n31");
  EXPECT_NE(session.line_with("n0031").find("open this node"), std::string::npos) << session.screen();
  session.press("<enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::node);
  EXPECT_EQ(session.state.top().subject, "n0031");
}

// "no" opens the nodes, and no row was marked: a name in the list looked as good.
TEST(Palette, AnAliasMarksTheRowOfWhatItDoes) {
  Session session(two_places());
  session.press(":no");
  EXPECT_EQ(session.line_with("All nodes with GPUs").find("▌nodes"), 0U) << session.screen();
  session.press("<enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::nodes);
}

// The line stood there alone, as if it still looked for something.
TEST(Palette, WhereNothingMatchesItSaysSo) {
  Session session(two_places());
  session.press(":qqq");
  EXPECT_NE(session.line_with(":qqq").find(" 0 of "), std::string::npos) << session.screen();
  session.press("<esc>:waiting user=zed");
  EXPECT_EQ(session.line_with(":waiting").find(" 0 of "), std::string::npos) << "a command as it stands";
}

// At 200x60 it hid the page beside the list, whose name stayed in the rule above it.
TEST(Palette, AMenuAsTallAsTheScreenLeavesNoNameOfAPageBehindIt) {
  Session session(two_places(), {200, 60});
  session.press("2");
  const auto rule = [&] {
    const std::string screen = session.screen();
    const std::size_t second = screen.find('\n') + 1;
    return screen.substr(second, screen.find('\n', second) - second);
  };
  ASSERT_NE(rule().find("n0"), std::string::npos) << session.screen();
  session.press(".");
  EXPECT_EQ(rule().find("n0"), std::string::npos) << session.screen();
}

// `tessera why NAME` had no word in the console.
TEST(Palette, WhyWithANameOpensThePageOfWhatWaitsAndOffersOnlyThat) {
  Session session(change_place());
  session.press(":why 881");
  EXPECT_NE(session.line_with("why 88140").find("why 88140"), std::string::npos);
  EXPECT_FALSE(session.shows("why 88120")) << "it runs\n" << session.screen();
  session.press("40<enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::workload) << session.screen();
  EXPECT_EQ(session.state.top().subject, "88140");
  session.line_with("WHY IT WAITS");
  session.press(":why 88120<enter>");
  EXPECT_EQ(session.state.top().subject, "88120");
  session.line_with("88120 does not wait: it is running");
  session.press(":why 4711<enter>");
  session.line_with("no job or pod is called 4711");
  session.press(":why<enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::workloads) << "without a name it is the list of what waits";
}

// It opened that of the first cluster, whichever was meant.
TEST(Palette, AJobThatTwoClustersHaveIsOpenedInTheOneWhoseRowsAreShown) {
  Session session(change_place());
  session.tell(on("lab", WorkloadsListed{{waiting("88140", "ann", "gpu:1g.10gb"),
                                          waiting("9_[3-6]", "ann", "gpu:1g.10gb")}}));
  session.press(":job 88140<enter>");
  session.line_with("2 jobs or pods are called 88140");
  session.press("<esc>:cluster lab<enter>:job 88140<enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::workload) << session.screen();
  EXPECT_EQ(session.state.top().cluster.text, "lab");
  session.press(":why 9_4<enter>");
  EXPECT_EQ(session.state.top().subject, "9_[3-6]") << "a task of an array, by its own number";
}

// Of 46 commands a terminal of 60 lines showed ten.
TEST(Palette, ATallTerminalShowsMoreOfWhatThereIs) {
  const auto lines_at = [](tui::Size size) {
    Session session(change_place(), size);
    session.press(":");
    const std::string screen = session.screen();
    int lines = 0;
    for (const tui::Offer& offer : session.state.input.offers)
      lines += screen.find("\n " + offer.name + "  ") != std::string::npos ? 1 : 0;
    return lines;
  };
  EXPECT_EQ(lines_at({80, 24}), 10);
  EXPECT_GE(lines_at({200, 60}), 20);
}

TEST(Palette, AJobIsFoundByItsNameAndAUserByTheirs) {
  Session session(two_places());
  session.press(":llama<enter>");
  EXPECT_EQ(session.state.top().subject, "88123");
  session.press(":judy<enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::workloads);
  EXPECT_EQ(session.state.top().filter_text, "user=judy");
}

TEST(Palette, WhatWasTypedLastComesFirst) {
  Session session(two_places());
  session.press(":nodes<enter>:gpus<enter>:");
  const std::string screen = session.screen();
  ASSERT_NE(screen.find("again:"), std::string::npos) << screen;
  EXPECT_LT(screen.find("gpus"), screen.find("about")) << screen;
  session.press("<down><enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::gpus);
}

TEST(Palette, APresetOpensTheEditorWithItTaken) {
  Session session = changing({120, 40});
  session.press(":n41<enter>:all-bal<enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::layout) << session.screen();
  EXPECT_TRUE(session.state.top().layout->differs());
  session.press("P");
  EXPECT_EQ(session.state.top().kind, ScreenKind::plan) << session.screen();
}

TEST(Palette, WhatIsWholeIsTakenAsItIsTyped) {
  Session session(two_places());
  session.press(":node n9<enter>");
  session.line_with("no node is called n9");
  EXPECT_EQ(session.state.top().kind, ScreenKind::overview) << "a name that is wrong opens no other node";
}

TEST(Palette, FindsAmongManyWithoutBuildingAllOfThem) {
  Model model = small_place();
  std::vector<Workload> work;
  for (int i = 0; i < 3000; ++i)
    work.push_back(waiting(std::to_string(100000 + i).c_str(), "kim", "gpu:h100"));
  reduce(model, on("hpc", WorkloadsListed{std::move(work)}));
  Session session(std::move(model));
  session.press(":10299");
  EXPECT_TRUE(session.shows("102999")) << session.screen();
  EXPECT_LE(session.state.input.offers.size(), 50u);
  EXPECT_GT(session.state.input.offered_of, 3000u);
}

TEST(Menu, ListsWhatCanBeDoneHereWithItsKeyOrTheReasonWhyNot) {
  Session session(two_places(), {120, 60});
  session.press("2.");
  EXPECT_NE(session.line_with("Edit the layout").find("L"), std::string::npos) << session.screen();
  EXPECT_TRUE(session.shows("nothing is marked")) << session.screen();
  session.press("details<enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::facts);
}

TEST(Menu, AKeyNamesItsAction) {
  Session session(two_places());
  session.press("2.L<enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::layout) << session.screen();
}

TEST(Menu, AnActionThatCannotBeUsedSaysWhyAndTheMenuStays) {
  Session session(two_places());
  session.press("2.unmark<enter>");
  EXPECT_EQ(session.state.input.kind, tui::InputKind::menu);
  session.line_with("nothing is marked");
  session.press("<esc>");
  EXPECT_EQ(session.state.input.kind, tui::InputKind::none);
}

// At 80 columns half of every sentence was cut, and nothing showed the rest.
TEST(Menu, SaysAllOfWhatItsLineDoesWhereThatIsCut) {
  Session session(two_places(), {80, 24});
  session.press("2.");
  const auto times = [](const Session& shown, std::string_view text) {
    const std::string screen = shown.screen();
    int count = 0;
    for (std::size_t at = 0; (at = screen.find(text, at)) != std::string::npos; ++at) ++count;
    return count;
  };
  const std::string first(tui::info(tui::Action::open).help);
  EXPECT_EQ(times(session, first), 2) << "in its line, and below the list\n" << session.screen();
  session.press("<down><down><down>");
  const std::string cut(tui::info(*tui::action_of(session.state.input.offers[3].text)).help);
  EXPECT_EQ(times(session, cut.substr(cut.size() - 10)), 1) << session.screen();
  Session wide(two_places(), {200, 60});
  EXPECT_EQ(times(wide.press("2."), first), 1) << wide.screen();
}

// ":users alice" opened the users and dropped the name.
TEST(Commands, AWordBehindACommandOpensWhatItNamesOrIsRefused) {
  Session session(two_places(), {120, 40});
  session.press(":about 88140<enter>");
  EXPECT_TRUE(session.shows("about takes nothing behind it: 88140")) << session.screen();
  EXPECT_NE(session.state.top().kind, ScreenKind::about);
  session.press("<esc>:events n0012<enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::log);
  EXPECT_EQ(session.state.top().filter_text, "n0012");
  session.press(":journal 2026<enter>");
  EXPECT_TRUE(session.shows("the runs are not listed yet")) << session.screen();
}

// ":waiting user=judy" listed what runs, too.
TEST(Commands, ConditionsBehindAListKeepWhatMakesItThatList) {
  Session session(two_places(), {120, 40});
  session.press(":waiting user=judy<enter>");
  EXPECT_EQ(session.state.top().filter_text, "state=pending user=judy");
  session.press(":waiting user=judy | user=alice<enter>");
  EXPECT_EQ(session.state.top().filter_text, "state=pending user=judy | state=pending  user=alice");
  EXPECT_TRUE(session.shows("88140") && session.shows("88141")) << session.screen();
  EXPECT_FALSE(session.shows("88120")) << session.screen();
}

// Every screen has one, and what it offers is what the keymap would do there.
TEST(Menu, OffersNothingThatTheScreenDoesNotKnow) {
  for (const char* keys :
       {"1", "2", "3", "4", "5", "6", "7", "8", "w", "J", ":node n0007<enter>", ":about<enter>"}) {
    Session session(two_places());
    session.press(keys).press("<f9>");
    ASSERT_EQ(session.state.input.kind, tui::InputKind::menu) << keys;
    EXPECT_GT(session.state.input.offers.size(), 10u) << keys;
    const std::vector<tui::Scope> scopes = tui::screen_scopes(session.state);
    for (const tui::Offer& offer : session.state.input.offers) {
      const tui::Scope scope = tui::info(*tui::action_of(offer.text)).scope;
      EXPECT_NE(std::find(scopes.begin(), scopes.end(), scope), scopes.end()) << offer.text;
    }
  }
}

TEST(Errors, ALongOneGoesOnBelowItselfAndNotBelowItsSign) {
  Session session(two_places(), {80, 24});
  std::string text;
  for (int i = 0; i < 40; ++i) text += "words ";
  tui::say(session.state, session.world(), Severity::danger, text);
  EXPECT_TRUE(session.shows("\n  !! words")) << session.screen();
  EXPECT_TRUE(session.shows("\n     words")) << session.screen();
  EXPECT_FALSE(session.shows("\n  words")) << session.screen();
}

TEST(Errors, ALongOneStaysInItsBoxUntilEscAndIsKeptInTheLog) {
  Session session(two_places(), {80, 24});
  const std::string end = "lastword";
  tui::say(session.state, session.world(), Severity::danger, std::string(150, 'x') + " " + end);
  EXPECT_TRUE(session.shows(end)) << session.screen();
  EXPECT_TRUE(session.shows("Esc closes this")) << session.screen();
  session.press("2jj").pass(Duration(60000));
  EXPECT_TRUE(session.shows(end)) << "other keys do their work below it\n" << session.screen();
  EXPECT_EQ(session.state.top().kind, ScreenKind::nodes);
  session.press("<esc>");
  EXPECT_FALSE(session.shows(end));
  EXPECT_EQ(session.state.top().kind, ScreenKind::nodes) << "the first Esc closes the box alone";
  session.press("6");
  EXPECT_TRUE(session.shows(end)) << session.screen();
}

TEST(LastView, GoesBackToWhatWasLeftByANumberAndThereAgain) {
  Session session(two_places());
  session.press("-");
  session.line_with("no other screen has been left yet");
  session.press("2/n0007<enter><enter>5-");
  EXPECT_EQ(session.state.top().subject, "n0007");
  EXPECT_EQ(session.state.stack.size(), 3u) << "with the way back from there";
  session.press("-");
  EXPECT_EQ(session.state.top().kind, ScreenKind::workloads);
}

TEST(Ranges, AreMarkedFromTheirStartToTheCursor) {
  Session session(small_place());
  session.press("5jvjj");
  session.line_with("range: v marks it");
  session.press("v");
  EXPECT_EQ(session.state.top().marks.size(), 3u);
  session.press("Uvj<esc>");
  EXPECT_TRUE(session.state.top().marks.empty()) << "Esc forgets where it began";
  EXPECT_EQ(session.state.top().kind, ScreenKind::workloads);
  session.press("Gvggv");
  EXPECT_EQ(session.state.top().marks.size(), 13u) << "upwards, too";
}

TEST(Ranges, SoManyRowsAreMarkedByNumber) {
  Session session(small_place());
  session.press("5:mark 4<enter>");
  EXPECT_EQ(session.state.top().marks.size(), 4u);
  session.press(":mark 99<enter>");
  EXPECT_EQ(session.state.top().marks.size(), 13u) << "at most those that there are";
  session.press(":mark x<enter>");
  session.line_with("x is not a number of rows");
}

// "0 of 64": the action is called close node, and its help says drain and cordon.
TEST(Menu, FindsAnActionByAWordOfItsHelp) {
  Session session(small_place());
  session.press("2.cordon");
  EXPECT_TRUE(session.shows("close node")) << session.screen();
}

// The last line of the screen with that text, where a list stands above the prompt.
int line_of(const Session& session, std::string_view text) {
  const std::string screen = session.screen();
  const std::size_t at = screen.rfind(text);
  EXPECT_NE(at, std::string::npos) << text << '\n' << screen;
  const std::string_view above = std::string_view(screen).substr(0, std::min(at, screen.size()));
  return static_cast<int>(std::count(above.begin(), above.end(), '\n'));
}
using Click = tui::Mouse::Kind;

// With the mouse on, it did nothing in the palette.
TEST(Palette, AClickPutsThePointerOnALineAndASecondOneTakesIt) {
  Session session(change_place(), {120, 40});
  session.press(":n00");
  const int y = line_of(session, "n0043 ");
  session.mouse(Click::press, 5, y);
  ASSERT_GE(session.state.input.chosen, 0) << session.screen();
  EXPECT_EQ(session.state.input.offers[static_cast<std::size_t>(session.state.input.chosen)].name, "n0043");
  EXPECT_EQ(session.state.top().kind, ScreenKind::overview) << "one click opens nothing";
  session.mouse(Click::double_press, 5, y);
  EXPECT_EQ(session.state.top().kind, ScreenKind::node) << session.screen();
  EXPECT_EQ(session.state.top().subject, "n0043");
}

// Were the list to scroll at the first click, the second would take a line that was not meant.
TEST(Palette, AClickDoesNotMoveTheListUnderTheMouse) {
  Session session(change_place(), {120, 40});
  session.press(":");
  for (int i = 0; i < 8; ++i) session.mouse(Click::wheel_down, 5, 30);
  const int chosen = session.state.input.chosen;
  ASSERT_GE(chosen, 20) << "the wheel goes along the list";
  const int y = line_of(session, "▌") - 3;
  for (int i = 0; i < 2; ++i) {
    session.mouse(Click::press, 5, y);
    EXPECT_EQ(session.state.input.chosen, chosen - 3) << session.screen();
    EXPECT_EQ(line_of(session, "▌"), y) << session.screen();
  }
  session.mouse(Click::wheel_up, 5, 30);
  EXPECT_EQ(session.state.input.chosen, chosen - 6);
}

TEST(Palette, AClickTakesACompletionIntoTheLineAndASecondOneRunsIt) {
  Session session(change_place(), {120, 40});
  session.press(":theme <tab>");
  ASSERT_EQ(session.state.input.text, "theme dark");
  const int y = line_of(session, "theme light");
  session.mouse(Click::press, 5, y);
  EXPECT_EQ(session.state.input.text, "theme light");
  EXPECT_EQ(session.state.input.kind, tui::InputKind::command) << "it is not run yet";
  session.mouse(Click::double_press, 5, y);
  ASSERT_FALSE(session.effects.empty());
  EXPECT_EQ(session.effects.back().theme, "light");
}

TEST(Palette, AClickBesideTheListClosesItOnlyWhereNothingWasTyped) {
  Session session(change_place(), {120, 40});
  session.press(":");
  session.mouse(Click::press, 5, 38);
  EXPECT_EQ(session.state.input.kind, tui::InputKind::command) << "the line itself";
  session.mouse(Click::press, 5, 5);
  EXPECT_EQ(session.state.input.kind, tui::InputKind::none);
  EXPECT_EQ(session.state.top().kind, ScreenKind::overview);
  session.press(":n00");
  session.mouse(Click::press, 5, 5);
  session.mouse(Click::double_press, 5, 0);
  EXPECT_EQ(session.state.input.kind, tui::InputKind::command);
  EXPECT_EQ(session.state.input.text, "n00");
}

TEST(Menu, IsUsedWithTheMouseAsWithTheKeys) {
  Session session(small_place(), {120, 40});
  session.press("2.");
  const int y = line_of(session, "Choose which columns are shown.");
  session.mouse(Click::press, 5, y);
  EXPECT_EQ(session.state.input.kind, tui::InputKind::menu);
  EXPECT_EQ(session.state.choice.kind, tui::ChoiceKind::none);
  session.mouse(Click::double_press, 5, y);
  EXPECT_EQ(session.state.choice.kind, tui::ChoiceKind::columns) << session.screen();
  session.press("<esc>.");
  session.mouse(Click::press, 1, 0);
  EXPECT_EQ(session.state.input.kind, tui::InputKind::none);
  EXPECT_EQ(session.state.top().kind, ScreenKind::nodes) << "the click that closes it goes nowhere else";
}

}  // namespace
}  // namespace tessera::test
