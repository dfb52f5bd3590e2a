#include "tui/screens/usage_common.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "engine/query/local_time.hpp"
#include "tui/gap_words.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/roles.hpp"
#include "tui/screens/sentence.hpp"
#include "tui/screens/usage.hpp"
#include "tui/source_words.hpp"

namespace tessera::tui {
namespace {

using usage::PastSource;

// "2026-03-02 09:05", as the console tells all times; in the night in which an hour comes twice with its
// zone.
std::string minutes_text(TimePoint at) {
  constexpr std::size_t kToMinutes = 16, kZone = 19;
  const std::string text = query::local_text(at);
  return text.substr(0, kToMinutes) + text.substr(kZone);
}

// Which time that is, and who tells of it.
std::string span_text(const usage::Reckoning& read) {
  const std::string from = minutes_text(read.from), to = minutes_text(read.to);
  switch (usage::source_of(read)) {
    case PastSource::recording: return fmt::format("{} to {}, {:.1f} h recorded", from, to, read.hours);
    case PastSource::prometheus: return fmt::format("{} to {}, {:.1f} h by Prometheus", from, to, read.hours);
    case PastSource::accounting: break;
  }
  return fmt::format("{} to {}, from Slurm's accounting", from, to);
}

bool any_real(const UiContext& ui, Scheduler scheduler) {
  return std::any_of(ui.model.clusters.begin(), ui.model.clusters.end(), [&](const Cluster& cluster) {
    return cluster.loaded && !cluster.simulated && cluster.scheduler == scheduler;
  });
}

bool has(const std::vector<PastSource>& sources, PastSource source) {
  return std::find(sources.begin(), sources.end(), source) != sources.end();
}

// How the days before would be known.
void add_ways_to_know(FactPage& page, const UiContext& ui, const UiState& state) {
  page.blank();
  if (has(sources_here(state, ui), PastSource::accounting)) {
    page.fact(first_key(state, Action::usage_source),
              "ask slurmdbd, which knows the jobs of the days before without a recording");
    page.blank();
  }
  add_sentence(page, "tessera record --folder DIR", Role::input);
  add_sentence(page,
               "writes one from now on; tessera config record-unit prints a service that does so for good",
               Role::dim);
  page.blank();
  add_sentence(page, "tessera --recording DIR", Role::input);
  add_sentence(page, "opens the console with it; so does `recording: DIR` in config.yaml", Role::dim);
  if (!any_real(ui, Scheduler::slurm) && !any_real(ui, Scheduler::kubernetes)) return;
  page.blank();
  add_sentence(page, "tessera --prometheus PLACE", Role::input);
  add_sentence(page, "shows here what Prometheus kept; so does `prometheus: PLACE` in config.yaml",
               Role::dim);
}

}  // namespace

std::string reading_text(const UsageState& usage) {
  const double percent = usage.part.value_or(0) * 100;
  switch (usage.source) {
    case PastSource::recording: return fmt::format("reading the recording: {:.0f} %", percent);
    case PastSource::prometheus: return fmt::format("asking Prometheus: {:.0f} %", percent);
    case PastSource::accounting: break;
  }
  return "asking slurmdbd, a day at a time";
}

std::string days_text(Duration since) {
  const auto days = std::chrono::duration_cast<std::chrono::hours>(since).count() / 24;
  return days == 1 ? "the last day" : fmt::format("the last {} days", days);
}

Document span_lines(const UiState& state) {
  const UsageState& usage = state.usage;
  DocLine line;
  if (usage.read) {
    const usage::Reckoning& read = *usage.read;
    line.spans.push_back({told(state, days_text(read.asked.since)), Style(Role::text).with_bold(), 1});
  }
  // Before the time that was read: at 80 columns that leaves no room behind it.
  if (usage.part) line.spans.push_back({"  " + told(state, reading_text(usage)), Role::changing});
  if (usage.read) line.spans.push_back({"  " + told(state, span_text(*usage.read)), Role::dim});
  Document lines{std::move(line)};
  if (usage.failure && !usage.part)
    lines.push_back(
        {{{told(state, "could not be read again: " + usage.failure->reason), Role::danger, 1}}, {}});
  return lines;
}

std::string gaps_text(const UiState& state) {
  if (!state.usage.read || usage::source_of(*state.usage.read) != PastSource::recording) return "";
  // In the past every recording is old.
  const TimePoint now = state.past ? TimePoint{} : state.usage.read_at;
  return gap_words(state.words, state.usage.read->gaps, minutes_text, now);
}

std::vector<std::string> source_notes(const UiState& state) {
  std::vector<std::string> all;
  if (!state.usage.read) return all;
  for (const std::string& one : source_words(*state.usage.read)) all.push_back(told(state, one));
  return all;
}

std::vector<PastSource> sources_here(const UiState& state, const UiContext& ui) {
  std::vector<PastSource> all = state.usage.sources;
  if (!any_real(ui, Scheduler::slurm)) std::erase(all, PastSource::accounting);
  return all;
}

void add_other_source(FactPage& page, const UiState& state, const UiContext& ui) {
  if (sources_here(state, ui).size() > 1 && why_no_source(Action::usage_source, state, ui).empty())
    page.fact(first_key(state, Action::usage_source), "look at another source");
}

Document no_sums(const UiContext& ui, const UiState& state, int width) {
  FactPage page(state, width);
  const UsageState& usage = state.usage;
  const bool sums_nothing = usage.read && usage.read->from != TimePoint{} && !usage.part && !usage.failure;
  if (!sums_nothing) page.blank();
  if (usage.part) {
    add_sentence(page, reading_text(usage), Style(Role::text).with_bold());
    if (usage.source == PastSource::recording)
      add_sentence(page, "the clusters are not asked for anything", Role::dim);
    page.fact(first_key(state, Action::back), "give up and go back");
    return page.take();
  }
  if (usage.failure) {
    add_sentence(page, usage.failure->what + ": " + usage.failure->reason, Role::danger);
    if (!usage.failure->hint.empty()) add_sentence(page, usage.failure->hint);
    page.fact(first_key(state, Action::refresh), "read it again");
    add_other_source(page, state, ui);
    return page.take();
  }
  if (sums_nothing) {
    for (DocLine& line : span_lines(state)) page.add(std::move(line));
    page.blank();
    add_sentence(page, "no GPU was held in that time", Style(Role::text).with_bold());
    page.fact(first_key(state, Action::usage_days), "look at more days");
    add_other_source(page, state, ui);
    return page.take();
  }
  if (usage.read) {
    add_sentence(page, "nothing was recorded in that time", Style(Role::text).with_bold());
    page.fact(first_key(state, Action::usage_days), "look at more days");
    add_other_source(page, state, ui);
    return page.take();
  }
  if (state.past && has_recording(usage)) {
    add_sentence(page, "no moment of the recording is shown yet", Style(Role::text).with_bold());
    page.fact(first_key(state, Action::time_at), "go to a time");
    return page.take();
  }
  add_sentence(page, "Nothing is known of the days before: no recording is opened.",
               Style(Role::text).with_bold());
  add_ways_to_know(page, ui, state);
  return page.take();
}

}  // namespace tessera::tui
