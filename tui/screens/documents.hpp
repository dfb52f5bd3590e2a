// The screens that are pages of lines: one workload, the facts behind a figure, help, about.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tui/update.hpp"
#include "tui/widgets/document.hpp"

namespace tessera::tui {

// From 150 columns on a page has two columns of lines: where the second begins, else the width. Below, they
// would cut what they say.
inline constexpr int kTwoColumnsFrom = 150;
inline int side_column(int width) { return width < kTwoColumnsFrom ? width : width / 2; }

Document workload_document(const UiContext& ui, const UiState& state, int width);
Document workload_side_document(const UiContext& ui, const UiState& state, int width);
Document facts_document(const UiContext& ui, const UiState& state, int width);
Document facts_side_document(const UiContext& ui, const UiState& state, int width);
Document help_document(const UiContext& ui, const UiState& state, int width);
Document about_document(const UiContext& ui, const UiState& state, int width);

// What Enter and `i` do on a workload's page.
Effects open_on_workload(UiState& state, const UiContext& ui);
std::string copy_on_workload(const UiState& state, const UiContext& ui);
std::optional<Screen> facts_of_workload(const UiState& state, const UiContext& ui);

// Puts a page of facts together in the reader's language. What mirrors commands (names, states, keys of
// columns, what a program printed) goes in as data and stays as it is.
class FactPage {
 public:
  FactPage(const UiState& state, int width) : state_(state), width_(width) {}
  std::string told(std::string_view english) const { return tui::told(state_, english); }
  bool ascii() const { return state_.ascii; }
  int width() const { return width_; }
  void blank() { lines_.push_back({}); }
  void heading(std::string_view text, std::string_view aside = {});
  // A heading that is a name.
  void group(std::string name, std::string_view aside);
  void fact(std::string_view label, std::string_view value, Style style = {});
  void data(std::string_view label, std::string_view value, Style style = {});
  // The lines of a text that starts in that column.
  std::vector<std::string> wrapped(std::string_view text, int column) const {
    return wrap(text, width_ - column - 1);
  }
  void add(DocLine line) { lines_.push_back(std::move(line)); }
  std::size_t size() const { return lines_.size(); }
  Document take() { return std::move(lines_); }

 private:
  const UiState& state_;
  int width_;
  Document lines_;
};

// A time as the cluster's people read it: "2026-11-21 14:03:22".
std::string time_text(TimePoint at);
// How long ago, by the cluster's own clock: "3 min ago", "in 2 h 10 min".
std::string ago_text(const Cluster& cluster, TimePoint at, TimePoint wall);
std::string ago_text(TimePoint at, TimePoint now);  // of the same clock
// "scontrol show node, 12 s ago": who said so, and how long ago.
std::string origin_text(const Cluster& cluster, const Origin& origin, TimePoint wall);
// "answered 4 s ago", with why it fails now where it does, as the reader reads it; latency: ", in 12 ms".
std::string answered_text(const FactPage& page, const Cluster& cluster, const SourceHealth& health,
                          TimePoint wall, const std::string& latency = {});

}  // namespace tessera::tui
