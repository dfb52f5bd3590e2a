// Who holds and waits for how much: a line each, and below it what exactly the one under the cursor holds.
// Threads: the UI thread; what draws only reads.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tui/screens/screens.hpp"

namespace tessera::tui {

// Where nothing is listed: of_all, or of_some where a cluster is silent or nothing is recorded of it at that
// time. "not known" where that is so of every cluster.
std::string_view none_text(const UiContext& ui, std::string_view of_all, std::string_view of_some);

// "5 min old", of a cluster that does not answer: what its users hold is not told as if it were so now.
// Empty: its list of jobs or pods is current and whole.
std::string why_not_now(const UiContext& ui, const UiState& state, const ClusterName& name);

// "12.4"; "≥12.4" where of some it is not known how much; "?": of none.
std::string gpus_text(const insight::UserSum& sum, bool ascii);

Panes users_panes(const UiContext& ui, const UiState& state, int width);
void refresh_users(UiState& state, Screen& screen, const UiContext& ui);
std::optional<TimePoint> users_next_change(const UiState& state, const UiContext& ui);
// The sums of accounts, or again those of users.
Effects sum_up_users(UiState& state, const UiContext& ui, Action action);
std::string why_no_accounts(Action action, const UiState& state, const UiContext& ui);
// Enter: the workloads of that user or account.
Effects open_on_users(UiState& state, const UiContext& ui);
std::string why_no_open_on_users(const UiState& state, const UiContext& ui);
std::string copy_on_users(const UiState& state, const UiContext& ui);

}  // namespace tessera::tui
