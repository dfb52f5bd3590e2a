// Lines out of a long text, by the cells that it takes.
//
// Breaks at blanks, and beside wide characters (Japanese has no blanks), where no line may begin with what
// closes (、。」) or end with what opens (「).
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::tui {

// What is done with a word that is longer than a line: broken behind a comma or hard, or left as it is, for
// what is to be copied.
enum class LongWord : unsigned char { broken, kept };

// At least one line; each takes at most `width` cells, but for a word that is kept.
std::vector<std::string> wrap(std::string_view text, int width, LongWord longer = LongWord::broken);
// The first `most` of them, at least one: what has no room follows on the last line, whose end the screen
// cuts.
void keep_lines(std::vector<std::string>& lines, std::size_t most);
// Cells of the longest piece that cannot be broken.
int longest_word(std::string_view text);

}  // namespace tessera::tui
