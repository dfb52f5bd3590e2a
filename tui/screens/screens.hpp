// What each screen is, one row a screen: its word, keys, footer, body and what the actions of every screen
// mean on it. Whoever asks "and on this screen?" asks the row; no other file knows all screens.
//
// A new screen is a name in ScreenKind (tui/state.hpp), a row in screens.cpp and, where it has a key of its
// own, a row in tui/action_rows.hpp; the rest is a new file. docs/map.md goes through it.
// Threads: constant data; the functions follow the rules of draw() and update().
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "tui/action.hpp"
#include "tui/screens/table_kind.hpp"
#include "tui/update.hpp"
#include "tui/widgets/document.hpp"
#include "tui/widgets/panes.hpp"

namespace tessera::tui {

// How the body of a screen is drawn and walked through. Tables share one, so do pages of lines, and pages in
// panes. Functions that are null do nothing.
struct Body {
  // Draws, and returns what the rule below says about the place in it: "rows 1-19 of 132".
  std::string (*draw)(Canvas& canvas, Rect body, const UiContext& ui, const UiState& state);
  void (*move)(UiState& state, const UiContext& ui, Rect body, Action action);
  // Brings cursor and scroll back to something that exists and is in view.
  void (*settle)(UiState& state, const UiContext& ui, Rect body) = nullptr;
  // Puts the cursor on what is there; false: nothing is.
  bool (*click)(UiState& state, const UiContext& ui, Rect body, int x, int y) = nullptr;
};

enum class Crumb : std::uint8_t { word, subject, word_and_subject };
using CellTexts = std::map<std::pair<std::string, int>, std::string>;

struct ScreenRow {
  ScreenKind kind{};
  std::string_view word;  // "nodes": in the breadcrumbs, and of whom the help speaks
  Crumb crumb = Crumb::word;
  std::optional<Action> way;       // the action that goes there from everywhere
  std::span<const Scope> scopes;   // where its keys are looked up before the global ones
  std::span<const Scope> asks;     // of the questions that lie over it, for its help
  std::span<const Action> footer;  // most useful first
  std::span<const Action> hints;   // actions of everywhere that matter most here, for its help

  const Body* body = nullptr;
  const TableKind* table = nullptr;                                                  // kTableBody
  Document (*page)(const UiContext& ui, const UiState& state, int width) = nullptr;  // kPageBody
  std::string_view (*when_empty)(const Screen& screen) = nullptr;  // of a page; null: its subject is gone
  Panes (*panes)(const UiContext& ui, const UiState& state, int width) = nullptr;  // kPanesBody
  void (*rested)(UiState& state) = nullptr;  // the cursor of a page in panes came to rest on a stop

  // From 160 columns on, right of the list, the live page of what the cursor is on: a screen of its own, or
  // else lines. nullopt, empty: there is none now, and the list has the whole width.
  std::optional<Screen> (*page_beside)(const UiState& state, const UiContext& ui) = nullptr;
  Document (*lines_beside)(const UiContext& ui, const UiState& state, int width) = nullptr;
  // Whether these lines would be any, without making them: with every key it is asked how wide the list is.
  bool (*has_lines_beside)(const UiState& state, const UiContext& ui) = nullptr;

  bool filtered = false;        // `/` works, by the words of a page
  bool newest_first = false;    // a page that grows above: a reader of older lines stays there
  bool stands_alone = false;    // shown without any cluster, and while they load
  bool shows_failures = false;  // names failing sources itself: no banner
  bool shows_runs = false;      // names the run that is under way itself
  bool over_time = false;       // shows what recordings come to, which are read while it is on top
  bool shows_sources = false;   // lists sources: drawn again whenever one of them answers
  bool footer_fits = false;     // keys that do not work now are left out of the footer
  std::string_view parts;       // why Tab does nothing; empty: it goes from part to part
  std::string (*no_parts)(const UiState& state, const UiContext& ui) = nullptr;  // the same, asked

  // What the actions of every screen do here; null: there is nothing of the kind.
  Effects (*open)(UiState& state, const UiContext& ui) = nullptr;
  std::string (*why_no_open)(const UiState& state, const UiContext& ui) = nullptr;
  bool (*back)(UiState& state, const UiContext& ui) = nullptr;  // true: Esc was used up
  std::optional<Screen> (*facts)(const UiState& state, const UiContext& ui) = nullptr;
  std::string (*why_no_facts)(const UiState& state, const UiContext& ui) = nullptr;
  std::string (*copy)(const UiState& state, const UiContext& ui) = nullptr;
  std::string_view nothing_to_copy = "nothing to copy here";
  // Opens what no cursor can rest on; false: there is no such thing there.
  bool (*open_at)(UiState& state, const UiContext& ui, Rect body, int x, int y) = nullptr;

  // Works out what it draws; after every message, for the screen on top and the one below.
  void (*refresh)(UiState& state, Screen& screen, const UiContext& ui) = nullptr;
  // What the cells in view say, to mark what changes.
  CellTexts (*cells)(const UiState& state, const UiContext& ui) = nullptr;
  // When it changes by itself next.
  std::optional<TimePoint> (*next_change)(const UiState& state, const UiContext& ui) = nullptr;
  // What stands right of the page's lines where it is wide enough for both (side_column()); empty: nothing.
  // No cursor rests there.
  Document (*side)(const UiContext& ui, const UiState& state, int width) = nullptr;
};

std::span<const ScreenRow> screen_rows();  // in the order of the enum
const ScreenRow& row_of(ScreenKind kind);
const ScreenRow& row_of(const UiState& state);  // of the screen on top

// The page of lines on top, `width` cells wide; empty where the screen is no such page.
Document document_of(const UiContext& ui, const UiState& state, int width);
// The same for panes.
Panes panes_of(const UiContext& ui, const UiState& state, int width);

}  // namespace tessera::tui
