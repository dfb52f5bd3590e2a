#include "engine/shell.hpp"

#include <algorithm>

namespace tessera {
namespace {

constexpr std::string_view kPlain =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-";

std::string in_single_quotes(std::string_view text) {
  std::string word = "'";
  for (char c : text) {
    if (c == '\'')
      word += "'\\''";
    else
      word += c;
  }
  return word + "'";
}

}  // namespace

bool is_plain_word(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos;
}

std::string shell_word(std::string_view text) {
  return is_plain_word(text) ? std::string(text) : in_single_quotes(text);
}

std::string shell_quoted(std::string_view text) {
  // In double quotes a shell reads these; an interactive one reads ! there, too.
  if (text.find_first_of("\"$`\\!") != std::string_view::npos) return in_single_quotes(text);
  return '"' + std::string(text) + '"';
}

}  // namespace tessera
