#include "tui/gap_words.hpp"

#include <fmt/format.h>

#include <chrono>

#include "engine/record/step.hpp"
#include "engine/time.hpp"

namespace tessera::tui {

std::string gap_words(const WordsPtr& words, const usage::Gaps& gaps) {
  if (gaps.count == 0) return "";
  const double hours = std::chrono::duration<double, std::ratio<3600>>(gaps.all).count();
  const std::string from = utc_text(gaps.from), to = utc_text(gaps.to);
  std::string text =
      gaps.count == 1
          ? told(words, fmt::format("nothing is recorded from {} to {}, {:.1f} h", from, to, hours))
          : told(words, fmt::format(
                            "nothing is recorded of {} stretches, {:.1f} h in all, the longest from {} to {}",
                            gaps.count, hours, from, to));
  const std::string because(record::because(gaps.stop));
  return text + (because.empty() ? "" : ": " + told(words, because));
}

}  // namespace tessera::tui
