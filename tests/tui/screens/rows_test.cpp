// The rows of screens and actions: what a new one may forget, and what then would not work.
#include <gtest/gtest.h>

#include <algorithm>
#include <clocale>
#include <set>
#include <string>

#include "tests/support/reckoned.hpp"
#include "tests/tui/screens/fleet_places.hpp"
#include "tui/screens/beside.hpp"
#include "tui/screens/body.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/plan/runs.hpp"
#include "tui/screens/screens.hpp"
#include "tui/terminal/painter.hpp"
#include "tui/update.hpp"

namespace tessera::test {
namespace {

using tui::Action;
using tui::Scope;
using tui::ScreenRow;

bool has(std::span<const Scope> scopes, Scope scope) {
  return std::find(scopes.begin(), scopes.end(), scope) != scopes.end();
}

bool has(std::span<const Action> actions, Action action) {
  return std::find(actions.begin(), actions.end(), action) != actions.end();
}

// A console at a place with many nodes, one of which needs attention. It is started once: the overview, with
// which each begins, would otherwise be worked out for every node of every screen at every size.
Session at_a_large_place() {
  static const Session kStarted = [] {
    Session session = changing();
    session.state.me = "alice";
    session.state.themes = {"dark", "light"};
    for (int i = 0; i < 30; ++i)
      reduce(session.model, on("hpc", NodeSeen{node("extra-" + std::to_string(i), {sevenths(0, 0)})}));
    Node closed = node("n0045", {sevenths(0, 0)});
    closed.health = Health::drained;
    session.tell(on("hpc", NodeSeen{closed}));
    return session;
  }();
  return kStarted;
}

// A console that shows the screen, with something on it.
Session showing(tui::ScreenKind kind, tui::Size size = {80, 24}) {
  Session session = at_a_large_place();
  session.resize(size);
  const auto open_plan = [&] { open(session, plan_of(session, {"n0031"}, 1)); };
  switch (kind) {
    case tui::ScreenKind::overview: session.press("1"); break;
    case tui::ScreenKind::nodes: session.press("2"); break;
    case tui::ScreenKind::gpus: session.press("3"); break;
    case tui::ScreenKind::slices: session.press("4"); break;
    case tui::ScreenKind::workloads: session.press("5"); break;
    case tui::ScreenKind::node: session.press(":node n0031<enter>"); break;
    case tui::ScreenKind::workload: session.press(":job 88120<enter>"); break;
    case tui::ScreenKind::layout: session.press(":node n0031<enter>L"); break;
    case tui::ScreenKind::facts: session.press(":node n0031<enter>i"); break;
    case tui::ScreenKind::log:
      for (int i = 0; i < 30; ++i) {  // more than a screen
        session.tell(on("hpc", SourceReport{Source::slurm_jobs, Error{"try " + std::to_string(i), "", ""}}));
        session.tell(on("hpc", SourceReport{Source::slurm_jobs, std::nullopt}));
      }
      session.press("6");
      break;
    case tui::ScreenKind::help: session.press("?"); break;
    case tui::ScreenKind::about: session.press(":about<enter>"); break;
    case tui::ScreenKind::plan: open_plan(); break;
    case tui::ScreenKind::messages:
      open_plan();
      session.act(Action::plan_messages);
      break;
    case tui::ScreenKind::run:
    case tui::ScreenKind::journal: {
      Diary diary(plan_of(session, {"n0031"}, 0));
      session.hear({RunsListed{{diary.head(RunState::parked, false)}}});
      session.hear({diary.told()});
      session.press(kind == tui::ScreenKind::run ? "J<enter>" : "J");
      break;
    }
    case tui::ScreenKind::guide: session.press(":guide H100-80GB-SXM5<enter>"); break;
    case tui::ScreenKind::doctor: session.press("7"); break;
    case tui::ScreenKind::users: session.press("8"); break;
    case tui::ScreenKind::gpu: session.press(":gpu n0031 0<enter>"); break;
    case tui::ScreenKind::usage:
    case tui::ScreenKind::waste:
      session.state.usage.read = reckoned();
      session.press(kind == tui::ScreenKind::usage ? ":usage<enter>" : ":waste<enter>j");
      break;
    case tui::ScreenKind::pack: session.press(":pack 3g.40gb=2<enter>").pack(); break;
    case tui::ScreenKind::fleet: test::open_fleet(session); break;
    case tui::ScreenKind::advise: session.press(":advise<enter>").advise(); break;
    case tui::ScreenKind::count_: break;
  }
  EXPECT_EQ(session.state.top().kind, kind) << session.screen();
  return session;
}

TEST(ScreenRows, AreWhole) {
  std::set<std::string_view> words;
  std::set<Action> ways;
  for (const ScreenRow& row : tui::screen_rows()) {
    SCOPED_TRACE(row.word);
    EXPECT_TRUE(words.insert(row.word).second && !row.word.empty()) << "another screen has this word";
    if (row.way) EXPECT_TRUE(ways.insert(*row.way).second) << "another screen is opened by this action";
    ASSERT_TRUE(row.body && row.body->draw && row.body->move);
    EXPECT_EQ(row.body == &tui::kTableBody, row.table != nullptr);
    EXPECT_EQ(row.body == &tui::kPanesBody, row.panes != nullptr);
    if (row.body == &tui::kPageBody || row.body == &tui::kGuideBody) EXPECT_TRUE(row.page);
    EXPECT_FALSE(row.footer.empty());
    EXPECT_TRUE(row.parts.empty() || !row.no_parts) << "two answers to what Tab does";
    EXPECT_TRUE(!row.why_no_open || row.open) << "a reason against what it cannot do anyway";
    EXPECT_TRUE(!row.why_no_facts || row.facts);
  }
}

// A key in the footer counts on that screen, and means something there.
TEST(ScreenRows, FootersOfferOnlyWhatTheScreenKnows) {
  for (const ScreenRow& row : tui::screen_rows()) {
    SCOPED_TRACE(row.word);
    for (Action action : row.footer) {
      const Scope scope = tui::info(action).scope;
      EXPECT_TRUE(scope == Scope::global || has(row.scopes, scope) || has(row.asks, scope))
          << tui::info(action).id << " does not count here";
    }
    EXPECT_EQ(has(row.footer, Action::open),
              row.open != nullptr && row.body != &tui::kLayoutBody && row.kind != tui::ScreenKind::plan)
        << "the footer and Enter disagree";
    EXPECT_TRUE(!has(row.footer, Action::facts) || row.facts);
    EXPECT_TRUE(!has(row.footer, Action::copy) || row.copy || row.kind == tui::ScreenKind::facts);
    EXPECT_TRUE(!has(row.footer, Action::filter) || row.table || row.filtered);
    for (Action action : row.hints) EXPECT_EQ(tui::info(action).scope, Scope::global);
  }
}

TEST(ScreenRows, EachDrawsAtEverySizeAndTellsWhereItIs) {
  for (const ScreenRow& row : tui::screen_rows())
    for (tui::Size size : {tui::Size{60, 15}, {80, 24}, {120, 40}, {200, 60}}) {
      SCOPED_TRACE(row.word);
      Session session = showing(row.kind, size);
      const std::string screen = session.screen(), title = screen.substr(0, screen.find('\n'));
      const std::string crumb(row.crumb == tui::Crumb::subject ? session.state.top().subject : row.word);
      EXPECT_NE(title.find(crumb), std::string::npos) << title;
      EXPECT_FALSE(tui::footer_keys(session.state, session.world(), size.columns).empty());
      const std::string body = screen.substr(screen.find('\n'));
      EXPECT_GT(std::count_if(body.begin(), body.end(), [](char c) { return c != ' ' && c != '\n'; }),
                size.columns * 2)
          << "next to nothing is drawn:\n"
          << screen;
    }
}

// Dim keys pushed out others at the end of a narrow footer.
TEST(ScreenRows, AKeyThatDoesNothingNowTakesNoRoomFromOneThatDoes) {
  for (const ScreenRow& row : tui::screen_rows()) {
    SCOPED_TRACE(row.word);
    Session session = showing(row.kind, {80, 24});
    const auto shown = tui::footer_keys(session.state, session.world(), 80);
    const auto is_shown = [&](Action action) {
      return std::any_of(shown.begin(), shown.end(), [&](const auto& key) { return key.action == action; });
    };
    int idle = 0;  // cells, but for the first three keys, which are what the screen is for
    for (std::size_t i = 3; i < shown.size(); ++i)
      if (!shown[i].usable) idle += shown[i].end - shown[i].x + 2;
    for (Action action : row.footer) {
      const std::string key = tui::first_key(session.state, action);
      if (key.empty() || is_shown(action)) continue;
      if (!tui::why_disabled(action, session.state, session.world()).empty()) continue;
      EXPECT_LT(idle, tui::display_width(key) + 1 + tui::display_width(tui::info(action).title))
          << tui::info(action).id << " is left out: " << session.line_with("q quit");
    }
  }
}

// With every key the lines beside a list were made only to see whether there are any.
TEST(ScreenRows, WhetherLinesStandBesideAListIsToldAsTheLinesAre) {
  for (const ScreenRow& row : tui::screen_rows()) {
    SCOPED_TRACE(row.word);
    Session session = showing(row.kind, {200, 60});
    const auto same = [&] {
      const bool lines = row.lines_beside && !row.lines_beside(session.world(), session.state, 72).empty();
      const bool told = row.has_lines_beside && row.has_lines_beside(session.state, session.world());
      EXPECT_EQ(told, lines) << session.screen();
    };
    for (int i = 0; i < 4; ++i) same(), session.press("j");
    session.tell(on("hpc", WorkloadsListed{}));
    session.tell(on("hpc", NodesListed{}));
    same();
  }
}

// Where what it shows has gone, it says so and takes every key.
TEST(ScreenRows, EachOutlivesItsSubject) {
  for (const ScreenRow& row : tui::screen_rows()) {
    SCOPED_TRACE(row.word);
    Session session = showing(row.kind);
    session.tell(on("hpc", WorkloadsListed{}));
    session.tell(on("hpc", NodesListed{}));
    for (const tui::ActionInfo& info : tui::actions()) {
      if (info.action == Action::quit || info.action == Action::back) continue;
      Session copy = session;
      copy.act(info.action);
      EXPECT_FALSE(copy.screen().empty());
    }
  }
}

// A screen that draws itself again for one figure would be felt over a slow line: the bound of
// docs/performance.md.
TEST(ScreenRows, OneFigureThatMovesCostsFewBytesOnEveryScreen) {
  constexpr std::size_t kMost = 600;
  constexpr tui::Size kWide{200, 60};
  const std::string before = std::setlocale(LC_CTYPE, nullptr);
  ASSERT_NE(std::setlocale(LC_CTYPE, "C.UTF-8"), nullptr);
  for (const ScreenRow& row : tui::screen_rows()) {
    SCOPED_TRACE(row.word);
    Session session = showing(row.kind, kWide);
    tui::PainterOptions options{"xterm-256color"};
    options.size = kWide;
    auto painter = tui::Painter::open(options, *tui::load_theme("dark", {}));
    ASSERT_TRUE(painter);
    std::size_t bytes = 0;
    for (const float use : {12.0F, 57.0F}) {
      GpuFigures figures;
      figures.gpu = GpuIndex{0};
      figures.figures.use = Percent{use};
      session.tell(on("hpc", Measured{NodeName("n0031"), Source::dcgm, at(-2), {figures}}, -2));
      bytes = (*painter)->paint(session.canvas()).size();
    }
    EXPECT_LE(bytes, kMost) << session.screen();
  }
  std::setlocale(LC_CTYPE, before.c_str());
}

TEST(ScreenRows, HelpTellsEveryKeyOfTheScreen) {
  for (const ScreenRow& row : tui::screen_rows()) {
    if (row.kind == tui::ScreenKind::help) continue;
    SCOPED_TRACE(row.word);
    Session session = showing(row.kind, {120, 400});
    session.act(Action::help);
    const std::string help = session.screen();
    for (const tui::ActionInfo& info : tui::actions()) {
      const bool told =
          info.scope == Scope::global || has(row.scopes, info.scope) || has(row.asks, info.scope);
      // A sentence is wrapped: its first words are enough.
      const std::string start(info.help.substr(0, info.help.find(' ', 12)));
      if (told) EXPECT_NE(help.find(start), std::string::npos) << info.id;
    }
  }
}

// What is offered and is not refused does something that can be seen, or leaves the screen to the loop.
TEST(ScreenRows, WhatTheFooterOffersHasAnEffectOrAReason) {
  for (const ScreenRow& row : tui::screen_rows()) {
    SCOPED_TRACE(row.word);
    Session session = showing(row.kind);
    if (row.newest_first) session.state.top().top = 1;  // follow goes back to the newest
    for (Action action : row.footer) {
      Session copy = session;
      const std::string why = tui::why_disabled(action, copy.state, copy.world());
      const std::string before = copy.screen();
      const std::size_t asked = copy.effects.size();
      copy.act(action);
      EXPECT_TRUE(copy.screen() != before || copy.effects.size() > asked)
          << tui::info(action).id << " does nothing" << (why.empty() ? "" : ", not even tell: " + why);
      if (!why.empty()) EXPECT_EQ(copy.state.message.text, why) << tui::info(action).id;
    }
  }
}

// By word and by key: every screen that is opened from everywhere is.
TEST(ScreenRows, EachIsReachedByItsWay) {
  for (const ScreenRow& row : tui::screen_rows()) {
    if (!row.way) continue;
    SCOPED_TRACE(row.word);
    Session session = changing();
    session.press("2");
    session.act(*row.way);
    EXPECT_EQ(session.state.top().kind, row.kind);
    session.press("1:" + std::string(tui::info(*row.way).id) + "<enter>");
    EXPECT_EQ(session.state.top().kind, row.kind);
  }
}

}  // namespace
}  // namespace tessera::test
