#include "tui/gap_words.hpp"

#include <fmt/format.h>

#include <chrono>

#include "engine/hours.hpp"
#include "engine/query/value.hpp"
#include "engine/record/step.hpp"

namespace tessera::tui {
namespace {

// In English, each in one piece of the catalogue.
struct GapsTold {
  std::string stretch;              // empty: there is none
  std::string because;              // ... of the longest one; empty: not known
  std::vector<std::string> places;  // that the stretch which is told is not about
};

// What a recording is old for, and what in it is: no gap, for rounds were written.
void tell_old(GapsTold& all, const usage::Gaps& gaps, TimePoint now) {
  if (gaps.untold > Duration{0})
    all.places.push_back(
        fmt::format("the scheduler did not tell who holds what for {:.1f} h of it, which do not count",
                    hours_of(gaps.untold)));
  for (const auto& [cluster, age] : usage::ended(gaps, now))
    all.places.push_back(fmt::format("{}: its newest round is {} old", cluster.text,
                                     query::duration_text(age / std::chrono::seconds(1))));
}

GapsTold told_of(const usage::Gaps& gaps, std::string (*time)(TimePoint), TimePoint now) {
  GapsTold all;
  tell_old(all, gaps, now);
  const bool tells_damage = gaps.count == 1 && gaps.stop == record::Stop::damaged && gaps.damaged == 1;
  if (gaps.damaged > 0 && !tells_damage)
    all.places.push_back(
        fmt::format("places of it that are damaged: {} (tessera record list names the files)", gaps.damaged));
  const bool tells_clock = gaps.count == 1 && gaps.stop == record::Stop::set_back;
  if (gaps.set_back > 0 && !tells_clock)
    all.places.push_back(fmt::format("times that the recorder's clock was set back: {}", gaps.set_back));
  if (gaps.count == 0) return all;
  const double hours = hours_of(gaps.all);
  const std::string from = time(gaps.from), to = time(gaps.to);
  all.stretch =
      gaps.count == 1
          ? fmt::format("nothing is recorded from {} to {}, {:.1f} h", from, to, hours)
          : fmt::format("nothing is recorded of {} stretches, {:.1f} h in all, the longest from {} to {}",
                        gaps.count, hours, from, to);
  all.because = record::because(gaps.stop);
  return all;
}

}  // namespace

std::string gap_words(const WordsPtr& words, const usage::Gaps& gaps, std::string (*time)(TimePoint),
                      TimePoint now) {
  const GapsTold all = told_of(gaps, time, now);
  std::string text = told(words, all.stretch);
  if (!all.because.empty()) text += ": " + told(words, all.because);
  for (const std::string& place : all.places) text += (text.empty() ? "" : "; ") + told(words, place);
  return text;
}

std::vector<std::string> gap_sentences(const usage::Gaps& gaps, std::string (*time)(TimePoint),
                                       TimePoint now) {
  const GapsTold all = told_of(gaps, time, now);
  std::vector<std::string> sentences;
  for (const std::string* one : {&all.stretch, &all.because})
    if (!one->empty()) sentences.push_back(*one);
  sentences.insert(sentences.end(), all.places.begin(), all.places.end());
  return sentences;
}

}  // namespace tessera::tui
