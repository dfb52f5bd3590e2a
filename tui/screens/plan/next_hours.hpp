// The next hours with a plan and without it, for the screens that say so in a line.
// Threads: the UI thread, which stands still while they are played: those of large clusters are asked of the
// planner's thread.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "engine/whatif/whatif.hpp"
#include "tui/update.hpp"

namespace tessera::tui {

// nullptr: the plan changes nothing, or there are more nodes or workloads than `most`.
std::shared_ptr<const whatif::Comparison> play_hours(const UiContext& ui, const plan::Plan& plan, int hours,
                                                     std::size_t most);

// The question for the planner's thread; nullopt: the plan changes nothing. wish: large_state.hpp.
std::optional<HoursQuestion> hours_question(const UiState& state, const UiContext& ui, const plan::Plan& plan,
                                            int hours, std::string wish = {});

// Those of the plan that is shown are not told yet.
bool hours_are_played(const PlanView& view);

// What the key for the hours goes through: behind the last comes the first.
inline constexpr std::array kHoursAhead{6, 12, 24, 48, 72};
int next_hours(int now);

}  // namespace tessera::tui
