// A plan as an admin reads it before arming: what stays, goes and is made, who is disturbed, what each step
// does. At most 80 columns wide, but for commands, which are left whole to be copied.
// Threads: pure functions.
#pragma once

#include <string>

#include "engine/plan/effect/moved.hpp"
#include "engine/plan/plan.hpp"
#include "tui/language/words.hpp"

namespace tessera::cli {

// Details of the first `in_full` nodes; of the others a line each. Nodes of which the same is planned are
// told once. Ends with a newline.
inline constexpr std::size_t kInFull = 3;
// words: the reader's language; null: English.
std::string preview(const plan::Plan& plan, std::size_t in_full = kInFull, const tui::WordsPtr& words = {});

// One line a fact that has changed, the harmless ones said to be so.
std::string moved_text(const std::vector<plan::Moved>& moved, const tui::WordsPtr& words);

// The texts for the owners of disturbed work, with a line to tell them apart.
std::string messages_text(const plan::Plan& plan);

}  // namespace tessera::cli
