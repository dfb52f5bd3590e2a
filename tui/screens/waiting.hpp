// The waiting list, which is the table of workloads that are pending: what stands above its rows, and what an
// empty one says.
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/query/tables.hpp"
#include "tui/update.hpp"

namespace tessera::tui {

// The filter that `w` sets.
inline constexpr std::string_view kAllWaiting = "state=pending";
// That of `:free`, on the slices.
inline constexpr std::string_view kAllFree = "state=free";
bool is_waiting_list(const Screen& screen);
// One sentence: how much waits, how much of it would find room now or after a re-cut. In English; worked out
// with the rows (DerivedRows::head). Empty: the list shows only a part of what waits, or no GPU is waited
// for.
// unsure: a second one, of what may fit and may not, since it is not known which nodes it may use.
// then: when that was counted, in large clusters, and how many came since.
struct WaitingHead {
  std::string sentence, unsure = {}, then = {};
};
WaitingHead waiting_head(const UiState& state, const UiContext& ui, const Screen& screen);
// Another one behind it: whose work it does not count, as their cluster does not answer. Empty: all is
// counted.
std::string waiting_left_out(const UiContext& ui, const Screen& screen);
// The title and that sentence as lines of a list so wide; empty: there is no head.
std::vector<std::string> head_of(const UiState& state, int width);
// Why a job of that list waits, as people read it, in place of Slurm's code. Empty: there are no such words
// for it, and the scheduler's own stand there.
std::string plain_reason(const UiState& state, const query::WorkloadRow& row);
// Whether the list on top has room for these words.
bool tells_reasons_plainly(const UiState& state, const Screen& screen);
// Why nothing may be listed though something waits; empty: all clusters tell what waits.
std::string why_none_listed(const Model& model, const Screen& screen);

}  // namespace tessera::tui
