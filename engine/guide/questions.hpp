// Texts that name answers to go back to ("Answer Q2 with no") belong to the built-in questions.
// Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "engine/guide/flowchart.hpp"

namespace tessera::guide {

// Leaves out what names answers where the tree that is walked has not the built-in questions.
void keep_to_questions(std::vector<std::string>& texts, const Flowchart& chart);

}  // namespace tessera::guide
