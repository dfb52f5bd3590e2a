// Of which times nothing is recorded, in words that the console and the command line share.
// Threads: pure function.
#pragma once

#include <string>
#include <vector>

#include "engine/usage/reckoning.hpp"
#include "tui/language/words.hpp"

namespace tessera::tui {

// "nothing is recorded of 3 stretches, 5.2 h in all, the longest from … to …: the recorder was ended there";
// empty: there is none. time: a point in time as the rest of that page or line has it: local in the console,
// UTC with its Z beside the command line's other times. now: of which recordings it is told that nothing was
// added to them for long.
std::string gap_words(const WordsPtr& words, const usage::Gaps& gaps, std::string (*time)(TimePoint),
                      TimePoint now);
// The same for lists of lines: in English, each of them translated by whoever shows it.
std::vector<std::string> gap_sentences(const usage::Gaps& gaps, std::string (*time)(TimePoint),
                                       TimePoint now);

}  // namespace tessera::tui
