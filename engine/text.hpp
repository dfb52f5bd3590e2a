// Hostile text made safe: the only door through which a cluster's words reach a screen or a terminal.
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

// Valid UTF-8 without control characters and at most `limit` bytes long. Invalid bytes become U+FFFD (one for
// each broken sequence), controls become U+00B7, a cut ends in U+2026. Controls are C0, DEL, C1, the marks
// and overrides that turn the direction of text, line and paragraph separators, and invisible tags and
// fillers; the joiners U+200C and U+200D stay, since names in several scripts need them.
std::string clean(std::string_view text, std::size_t limit = 4096);
// The same for a text of lines, whose ends and tabs stay; a line is cut at 1 MiB.
std::string clean_lines(std::string_view text);

// The code point that starts at `at` (precondition: at < text.size()). Strict: overlong forms, surrogates and
// values beyond U+10FFFF are invalid; then code is U+FFFD and length is what one replacement stands for.
struct Decoded {
  char32_t code = 0xFFFD;
  std::size_t length = 1;
  bool valid = false;
};
Decoded decode_utf8(std::string_view text, std::size_t at);
void append_utf8(std::string& text, char32_t code);

// Whether clean() would replace it.
bool is_control(char32_t code);

// ASCII case folding only: names of nodes, users and resources are ASCII.
std::string lower(std::string_view text);
// "n1, n2 and 3 more": the first `most` of them, each made safe and cut at 64 bytes.
std::string some_of(const std::set<std::string>& names, std::size_t most);
// Its lines without their ends; those that are empty are left out. They look into the text.
std::vector<std::string_view> lines_in(std::string_view text);
// "a,b": what stands between commas; what is empty is left out. They look into the text.
std::vector<std::string_view> parts_at_commas(std::string_view text);
bool contains_folded(std::string_view text, std::string_view folded_needle);

}  // namespace tessera
