// The guide: the flowchart as a chart with the walked path lit, the question that waits, and at a leaf what
// follows from it, down to layouts and texts to hand out.
//
// Changes nothing; it ends in the layout editor or in a plan. What it says is worked out by refresh_guide()
// and kept in the state, so that drawing only reads.
// Threads: the UI thread; what draws only reads.
#pragma once

#include <string>
#include <vector>

#include "engine/guide/chart/chart.hpp"
#include "tui/update.hpp"
#include "tui/widgets/document.hpp"

namespace tessera::tui {

// Opening (guide_open.cpp).
// For what the cursor is on, or what is marked.
void open_guide_here(UiState& state, const UiContext& ui);
// ":guide H100-80GB-SXM5" or ":guide n0007". Errors: neither a product nor a node is called that.
std::optional<Error> open_guide_named(UiState& state, const UiContext& ui, const std::string& name);
std::string why_no_guide(Action action, const UiState& state, const UiContext& ui);
// Looks the GPUs up again and works out what follows, when the walk or the model has moved.
// Only of the guide on top.
void refresh_guide(UiState& state, Screen& screen, const UiContext& ui);

// Keys (guide_keys.cpp).
std::string why_no_guide_action(Action action, const UiState& state, const UiContext& ui);
Effects act_on_guide(UiState& state, const UiContext& ui, Action action);
void next_guide_group(UiState& state, int step);
// True: Esc was used up, the guide stays.
bool back_in_guide(UiState& state, const UiContext& ui);
// Enter on a proposal.
Effects open_in_guide(UiState& state, const UiContext& ui);
std::string why_no_open_in_guide(const UiState& state, const UiContext& ui);
// Why Tab shows no other product.
std::string one_guide_group(const UiState& state, const UiContext& ui);
// What `y` copies: the layout or the text under the cursor.
std::string copy_in_guide(const UiState& state, const UiContext& ui);
// A question waits, so that y and n are answers.
bool guide_asks(const Screen& screen);

// The page of lines (guide_page.cpp, guide_leaf.cpp, guide_tables.cpp).
Document guide_document(const UiContext& ui, const UiState& state, int width);
void add_guide_leaf(Document& page, const UiContext& ui, const UiState& state, int width);
// At a question: what each answer leads to, with what is known of the questions that follow
// (guide_ahead.cpp).
void add_guide_ahead(Document& page, const UiContext& ui, const UiState& state, int width);
// "For parallel work ….": for what a way of sharing is good.
std::string guide_fits_text(const UiState& state, const std::string& fits);
// What is known about a question, each fact with its source and age; the reply stands left of the first.
void add_guide_known(Document& page, const guide::Answer& answer, const UiContext& ui, const UiState& state,
                     int indent, int width);
// The texts to hand out for the proposal that is chosen.
std::vector<guide::Advice> guide_advice(const GuideState& guide);
void add_guide_panel(Document& page, const UiContext& ui, const UiState& state, int width);
inline constexpr std::string_view kGuideLayout = "layout:", kGuideAdvice = "advice:", kGuideNote = "note:";
// "the catalogue knows …" or "your answer": why a step of the walk went its way, without the answer itself.
std::string guide_reason(const guide::ResultStep& step);
// Why the question matters is shown: asked for, or there is room anyway.
// The same question or leaf in the reader's language.
const guide::Question& guide_question(const UiState& state, const guide::Question& english);
const guide::Leaf& guide_leaf(const UiState& state, const guide::Leaf& english);
bool guide_shows_why(const UiState& state);
// The number behind one of those, where the cursor is on such a line.
std::optional<std::size_t> guide_stop(const Screen& screen, std::string_view kind);

// The screen (guide_draw.cpp).
// Columns of a screen on which chart and page stand side by side.
inline constexpr int kGuideBesideFrom = 160;
struct GuideAreas {
  int head_y = 0;
  Rect chart;  // height 0: not shown
  Rect page;
  guide::ChartStyle style = guide::ChartStyle::automatic;
};
GuideAreas guide_areas(const UiContext& ui, const UiState& state, Rect body);
// Returns what the rule below says about the place in the page.
std::string draw_guide(Canvas& canvas, Rect body, const UiContext& ui, const UiState& state);

}  // namespace tessera::tui
