// The next hours with a plan and without it, for the screens that say so in a line.
// Threads: the UI thread, which stands still while they are played.
#pragma once

#include <memory>

#include "engine/whatif/whatif.hpp"
#include "tui/update.hpp"

namespace tessera::tui {

// nullptr: the plan changes nothing, or there are more nodes or workloads than `most`.
std::shared_ptr<const whatif::Comparison> play_hours(const UiContext& ui, const plan::Plan& plan,
                                                     std::size_t most);

}  // namespace tessera::tui
