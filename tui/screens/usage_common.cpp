#include "tui/screens/usage_common.hpp"

#include <fmt/core.h>

#include <chrono>

#include "engine/query/local_time.hpp"
#include "tui/gap_words.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/roles.hpp"
#include "tui/screens/sentence.hpp"

namespace tessera::tui {
namespace {

// "2026-03-02 09:05", as the console tells all times; in the night in which an hour comes twice with its
// zone.
std::string minutes_text(TimePoint at) {
  constexpr std::size_t kToMinutes = 16, kZone = 19;
  const std::string text = query::local_text(at);
  return text.substr(0, kToMinutes) + text.substr(kZone);
}

std::string reading_text(double part) { return fmt::format("reading the recording: {:.0f} %", part * 100); }

// What else knows the past: this screen reads recordings alone, commands ask others, too.
void add_commands_without(FactPage& page, const UiContext& ui, const UiState& state) {
  bool slurm = false, real = false;
  for (const Cluster& cluster : ui.model.clusters) {
    if (cluster.simulated) continue;
    real = true;
    slurm = slurm || cluster.scheduler == Scheduler::slurm;
  }
  const bool waste = state.top().kind == ScreenKind::waste;
  const std::string command = waste ? "tessera waste --since 7d" : "tessera usage --since 7d";
  if (slurm) {
    page.blank();
    add_sentence(page, command + " --accounting", Role::input);
    add_sentence(page, "asks slurmdbd, which knows the jobs of the days before without a recording",
                 Role::dim);
  }
  if (!real) return;
  page.blank();
  add_sentence(page, command + (waste ? " --source prometheus" : " --source prometheus --by node"),
               Role::input);
  add_sentence(page, "asks Prometheus for what it kept, where `prometheus` is set in config.yaml", Role::dim);
}

}  // namespace

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
    line.spans.push_back(
        {"  " + told(state, fmt::format("{} to {}, {:.1f} h recorded", minutes_text(read.from),
                                        minutes_text(read.to), read.hours)),
         Role::dim});
  }
  if (usage.part) line.spans.push_back({"  " + told(state, reading_text(*usage.part)), Role::changing});
  Document lines{std::move(line)};
  if (usage.failure && !usage.part)
    lines.push_back(
        {{{told(state, "could not be read again: " + usage.failure->reason), Role::danger, 1}}, {}});
  return lines;
}

std::string gaps_text(const UiState& state) {
  if (!state.usage.read) return "";
  // In the past every recording is old.
  const TimePoint now = state.past ? TimePoint{} : state.usage.read_at;
  return gap_words(state.words, state.usage.read->gaps, minutes_text, now);
}

Document no_sums(const UiContext& ui, const UiState& state, int width) {
  FactPage page(state, width);
  const UsageState& usage = state.usage;
  const bool sums_nothing = usage.read && usage.read->from != TimePoint{} && !usage.part && !usage.failure;
  if (!sums_nothing) page.blank();
  if (usage.part) {
    add_sentence(page, reading_text(*usage.part), Style(Role::text).with_bold());
    add_sentence(page, "the clusters are not asked for anything", Role::dim);
    page.fact(first_key(state, Action::back), "give up and go back");
    return page.take();
  }
  if (usage.failure) {
    add_sentence(page, usage.failure->what + ": " + usage.failure->reason, Role::danger);
    if (!usage.failure->hint.empty()) add_sentence(page, usage.failure->hint);
    page.fact(first_key(state, Action::refresh), "read it again");
    return page.take();
  }
  if (sums_nothing) {
    for (DocLine& line : span_lines(state)) page.add(std::move(line));
    page.blank();
    add_sentence(page, "no GPU was held in that time", Style(Role::text).with_bold());
    page.fact(first_key(state, Action::usage_days), "look at more days");
    return page.take();
  }
  if (usage.read) {
    add_sentence(page, "nothing was recorded in that time", Style(Role::text).with_bold());
    page.fact(first_key(state, Action::usage_days), "look at more days");
    return page.take();
  }
  add_sentence(page, "Nothing is known of the days before: no recording is opened.",
               Style(Role::text).with_bold());
  page.blank();
  add_sentence(page, "tessera record --folder DIR", Role::input);
  add_sentence(page,
               "writes one from now on; tessera config record-unit prints a service that does so for good",
               Role::dim);
  page.blank();
  add_sentence(page, "tessera --recording DIR", Role::input);
  add_sentence(page, "opens the console with it; so does `recording: DIR` in config.yaml", Role::dim);
  add_commands_without(page, ui, state);
  return page.take();
}

}  // namespace tessera::tui
