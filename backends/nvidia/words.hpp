// The plumbing of the readers of nvidia-smi's texts: lines with their numbers, words, boxed rows, numbers.
//
// Columns move between driver generations, so everything goes by words. Threads: pure functions; views point
// into the text.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"

namespace tessera::nvidia {

using Words = std::vector<std::string_view>;

// Longest text that is read at all, in bytes; and the most GPUs of a node that are believed.
inline constexpr std::size_t kMostText = 16u << 20;
inline constexpr int kMostGpus = 1024;

// Gives out lines without their ends and the blanks around them; blank lines too.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}
  bool next();
  std::string_view line() const { return line_; }
  int number() const { return number_; }

 private:
  std::string_view rest_, line_;
  int number_ = 0;
};

std::string_view trimmed(std::string_view text);
Words words_of(std::string_view line);
// 0 to `most`, decimal digits only.
std::optional<int> number(std::string_view word, int most = 1'000'000);
// "9.75"
std::optional<double> decimal(std::string_view word);
// The number behind these words: {"GPU", "instance", "ID"} in "… GPU instance ID  2 on …".
std::optional<int> number_after(const Words& words, std::span<const std::string_view> these);
// "0:4"
struct StartSize {
  int start = 0, size = 0;
};
std::optional<StartSize> start_size(std::string_view word);

// An Error at a line of what `command` printed, with that line's words.
Error unreadable(std::string_view command, int line, std::string_view why, std::string_view text);
// An Error for words that are no listing at all: permissions, a broken driver, no answer.
Error refused(std::string_view command, std::string_view words);
// Too long, or empty: an empty answer must not be taken for "there is nothing".
std::optional<Error> no_answer(std::string_view command, std::string_view text);

}  // namespace tessera::nvidia
