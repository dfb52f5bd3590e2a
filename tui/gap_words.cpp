#include "tui/gap_words.hpp"

#include <fmt/format.h>

#include <chrono>

#include "engine/hours.hpp"
#include "engine/record/step.hpp"

namespace tessera::tui {

std::string gap_words(const WordsPtr& words, const usage::Gaps& gaps, std::string (*time)(TimePoint)) {
  std::string places;  // that the stretch which is told is not about
  const bool tells_damage = gaps.count == 1 && gaps.stop == record::Stop::damaged && gaps.damaged == 1;
  if (gaps.damaged > 0 && !tells_damage)
    places += "; " + told(words, fmt::format("places of it that are damaged: {} (tessera record list names "
                                             "the files)",
                                             gaps.damaged));
  const bool tells_clock = gaps.count == 1 && gaps.stop == record::Stop::set_back;
  if (gaps.set_back > 0 && !tells_clock)
    places +=
        "; " + told(words, fmt::format("times that the recorder's clock was set back: {}", gaps.set_back));
  if (gaps.count == 0) return places.empty() ? "" : places.substr(2);
  const double hours = hours_of(gaps.all);
  const std::string from = time(gaps.from), to = time(gaps.to);
  std::string text =
      gaps.count == 1
          ? told(words, fmt::format("nothing is recorded from {} to {}, {:.1f} h", from, to, hours))
          : told(words, fmt::format(
                            "nothing is recorded of {} stretches, {:.1f} h in all, the longest from {} to {}",
                            gaps.count, hours, from, to));
  const std::string because(record::because(gaps.stop));
  return text + (because.empty() ? "" : ": " + told(words, because)) + places;
}

}  // namespace tessera::tui
