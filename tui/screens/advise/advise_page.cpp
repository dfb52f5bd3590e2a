// What the advice screen shows: the answers as rows, the one under the cursor in full, and what is not
// served.
#include <fmt/core.h>

#include <algorithm>

#include "engine/pack/cluster.hpp"
#include "engine/pack/pack.hpp"
#include "engine/pack/unserved.hpp"
#include "engine/text.hpp"
#include "tui/screens/advise/advise.hpp"
#include "tui/screens/documents.hpp"
#include "tui/screens/folded_foot.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/pack/narrow.hpp"
#include "tui/screens/sentence.hpp"
#include "tui/screens/starts.hpp"
#include "tui/screens/usage_common.hpp"

namespace tessera::tui {
namespace {

constexpr int kWide = 160;  // from here on the answer stands beside the list
constexpr int kSplit = 78;  // cells of the list then
constexpr int kRoomy = 30;  // rows of a terminal in which what waits has lines above the answers

// Where each column ends, or begins for the last two.
constexpr int kSooner = 4, kHours = 11, kLater = 20, kNodes = 26, kGpus = 32, kFor = 38, kPlace = 51,
              kSure = 65;

class Page {
 public:
  Page(const UiContext& ui, const UiState& state, int width)
      : ui_(ui), state_(state), advise_(*state.advise), width_(width) {}

  Panes panes() {
    Panes panes;
    panes.foot_first = true;
    head(panes.main);
    if (!advise_.refused.empty()) {
      note(panes.main, advise_.refused, Role::warning, width_);
      return panes;
    }
    if (!advise_.answer) {
      waiting(panes.main);
      return panes;
    }
    list(panes);
    if (const auto here = place_of_answer(state_)) {
      const bool wide = width_ >= kWide;
      if (wide) panes.split = kSplit;
      panes.side = answer_lines(ui_, state_, *here, wide ? width_ - kSplit : width_);
      if (is_small()) add_queue_below(panes.side, *here);
    } else {
      nothing(panes.main);
    }
    put_foot(panes);
    return panes;
  }

 private:
  const advise::Advice& advice() const { return *advise_.answer->advice; }
  std::string told(const std::string& english) const { return tui::told(state_, english); }
  Scheduler scheduler() const {
    const Cluster* cluster = ui_.model.find(advise_.cluster);
    return cluster ? cluster->scheduler : Scheduler::slurm;
  }
  void note(Document& to, const std::string& english, Style style, int width) const {
    for (const std::string& line : wrap(told(english), width - 3)) to.push_back({{{line, style, 1}}, {}});
  }
  // Of the list; what is below it has all.
  int list_width() const { return width_ >= kWide ? kSplit : width_; }

  void head(Document& to) const {
    DocLine line;
    line.spans.push_back({advise_.cluster.text, Style(Role::text).with_bold(), 1});
    const auto add = [&](const std::string& english, Role role) {
      line.spans.push_back({"  " + told(english), role});
    };
    add(fmt::format("the next {} h", advise_.hours), Role::dim);
    if (advise_.only.any()) add(narrowed_text(advise_.only, scheduler()), Role::warning);
    if (const std::string past = past_text(); !past.empty()) add(past, Role::dim);
    const Cluster* cluster = ui_.model.find(advise_.cluster);
    if (advise_.answer && state_.past)
      add(moment_text(state_, *advise_.answer->question->then), Role::warning);
    else if (cluster && advise_.answer)
      add("as of " + ago_text(*cluster, advise_.answer->question->then->now, ui_.wall), Role::dim);
    to.push_back(std::move(line));
  }

  // From which time what was needed counts beside the queue.
  std::string past_text() const {
    const UsageState& usage = state_.usage;
    const bool then = state_.past;
    const std::string only = then ? "only what waited then" : "only what waits now";
    if (!why_no_past_counts(state_, ui_).empty() || !advice_reads_past(state_)) return only;
    if (usage.failure && !usage.part) return told(cannot_read(usage.source)) + ": " + told(only);
    if (usage.part) return reading_text(usage);
    if (advise_.answer && advise_.answer->question->past) return days_text(usage.since) + " count, too";
    if (is_read(usage, *source_wanted(usage, then)) && !usage.read->demand.contains(advise_.cluster))
      return told("what was held here is not known") + ": " + told(only);
    return only;
  }

  static std::string cannot_read(usage::PastSource source) {
    switch (source) {
      case usage::PastSource::recording: return "the recording cannot be read";
      case usage::PastSource::prometheus: return "Prometheus cannot be asked";
      case usage::PastSource::accounting: break;
    }
    return "Slurm's accounting cannot be asked";
  }

  std::string progress_text() const {
    const advise::Progress& now = advise_.progress;
    switch (now.stage) {
      case advise::Progress::Stage::looking: return "looking at what stands and what waits";
      case advise::Progress::Stage::planning: return fmt::format("making plans: {} so far", now.done);
      case advise::Progress::Stage::playing: break;
    }
    return fmt::format("playing the hours to come: plan {} of {}", std::min(now.done + 1, now.of), now.of);
  }

  void waiting(Document& to) const {
    to.push_back({});
    FactPage page(state_, width_);
    if (advise_.stopped) {
      add_sentence(page, "stopped: nothing was worked out", Style(Role::text).with_bold());
      page.fact(first_key(state_, Action::advise_again), "work it out");
    } else {
      add_sentence(page, progress_text(), Style(Role::text).with_bold());
      add_sentence(page,
                   "Which nodes to re-cut, so that what waits starts sooner: plans are made for the slices "
                   "and whole GPUs that waiting jobs and pods ask for, and each is played by the scheduler's "
                   "rules. Nothing is "
                   "changed.",
                   Role::dim);
      page.fact(first_key(state_, Action::back), "stop");
    }
    for (DocLine& line : page.take()) to.push_back(std::move(line));
  }

  // The rows of the answers and the one in full share a screen on which each line counts.
  bool is_small() const { return width_ < kWide && state_.size.rows < kRoomy; }

  // What the cursor holds on to below an answer: it belongs to that answer.
  std::string line_id(std::size_t place, std::string_view what) const {
    return fmt::format("{}\x1f{}", advise_.answer->ids[place], what);
  }

  void add_queue(Document& to) const {
    const pack::QueueDemand& queue = advice().queue;
    note(to,
         fmt::format("{} jobs or pods wait for MIG slices or whole GPUs, {} for shares or other GPUs, {} for "
                     "something else than room",
                     queue.workloads, queue.other, queue.kept),
         Role::text, list_width());
    for (const std::string& line : pack::unserved_text(queue)) note(to, line, Role::warning, list_width());
  }
  void add_queue_below(Document& side, std::size_t place) const {
    Document lines;
    add_queue(lines);
    side.push_back({});
    for (std::size_t i = 0; i < lines.size(); ++i) {
      lines[i].id = line_id(place, fmt::format("queue{}", i));
      side.push_back(std::move(lines[i]));
    }
  }

  void list(Panes& panes) const {
    if (!is_small() || advice().answers.empty()) add_queue(panes.main);
    const std::size_t starts = advice().left.starts.size();
    note(panes.main,
         fmt::format("as it is, {} of {} that wait for room start", starts,
                     starts + advice().left.waiting.size()),
         Role::text, list_width());
    if (advice().answers.empty()) return;
    DocLine heads;
    put_right(heads, "SOONER", kSooner, 7, Role::heading);
    put_right(heads, "HOURS", kHours, 8, Role::heading);
    put_right(heads, "LATER", kLater, 6, Role::heading);
    put_right(heads, "NODES", kNodes, 6, Role::heading);
    put_right(heads, "GPUS", kGpus, 6, Role::heading);
    put_right(heads, "WAITS FOR", kFor, 11, Role::heading);
    heads.spans.push_back({"IN PLACE", Role::heading, kPlace});
    heads.spans.push_back({"SURE", Role::heading, kSure});
    panes.main.push_back(std::move(heads));
    for (std::size_t i = 0; i < advice().answers.size(); ++i) panes.main.push_back(row(i));
    panes.start = advise_.answer->ids.front();
  }

  DocLine row(std::size_t place) const {
    const advise::Answer& answer = advice().answers[place];
    DocLine line;
    line.id = advise_.answer->ids[place];
    const bool old = is_old();
    const Style plain = old ? Role::dim : Role::text;
    // What is told in full, also while the cursor is in it.
    const bool here = place_of_answer(state_) == place;
    line.spans.push_back({std::to_string(place + 1), here ? Role::accent : Role::dim, 1});
    if (here) line.spans.push_back({std::string(glyphs(state_.ascii).crumb), Role::accent});
    put_right(line, std::to_string(answer.forecast.sooner.size()), kSooner, 7, old ? Role::dim : Role::good);
    put_right(line, fmt::format("{:.1f}", answer.hours_sooner), kHours, 8, plain);
    const std::size_t later = answer.forecast.later.size();
    put_right(line, std::to_string(later), kLater, 6, later > 0 && !old ? Role::warning : Role::dim);
    put_right(line, std::to_string(answer.costs.size()), kNodes, 6, plain);
    put_right(line, std::to_string(answer.packed.gpus_touched), kGpus, 6, plain);
    put_right(line, std::to_string(answer.disturbed), kFor, 11,
              answer.disturbed > 0 && !old ? Role::warning : Role::dim);
    line.spans.push_back({told(in_place(answer)), plain, kPlace});
    line.spans.push_back({told(sure(answer)), answer.disturbed == 0 && !old ? Role::good : Role::dim, kSure});
    return line;
  }

  static std::string in_place(const advise::Answer& answer) {
    return when_text(answer.forecast, answer.forecast.changed.changed);
  }
  // What waits for running work comes as its time limits have it, at the latest.
  static std::string sure(const advise::Answer& answer) {
    return answer.disturbed == 0 ? "yes" : "by limits";
  }

  bool is_old() const { return advise_.stopped || advise_.working(); }

  void nothing(Document& to) const {
    to.push_back({});
    FactPage page(state_, width_);
    add_sentence(page, "No re-cut helps.", Style(Role::text).with_bold());
    for (const std::string& reason : advice().reasons) add_sentence(page, reason);
    page.blank();
    page.fact(first_key(state_, Action::show_waiting), "why each of them waits");
    page.fact(":pack", "ask for slices by hand");
    if (why_no_past_counts(state_, ui_).empty())
      page.fact(first_key(state_, Action::advise_days), "count other days of the past");
    if (advise_.only.any()) page.fact(first_key(state_, Action::advise_only), "plan other nodes, or all");
    for (DocLine& line : page.take()) to.push_back(std::move(line));
  }

  // The answers keep most of the screen: what is too much for the foot stands below the one under the cursor,
  // or else below the reasons why there is none.
  void put_foot(Panes& panes) const {
    foot(panes.foot);
    const auto here = place_of_answer(state_);
    const std::size_t most = most_foot_lines(state_, here && panes.split == 0 ? Lists::two : Lists::one);
    if (panes.foot.size() <= most) return;
    panes.foot.clear();
    const int width = panes.split > 0 ? width_ - panes.split : width_;
    Page(ui_, state_, width).foot(panes.foot);
    fold_foot(panes.foot, most, here ? panes.side : panes.main, width, state_,
              here ? line_id(*here, "foot") : "");
  }

  void foot(Document& to) const {
    if (advise_.stopped)
      note(to, "stopped: what is shown is the advice before", Role::warning, width_);
    else if (advise_.working())
      note(to, told(progress_text()) + "; " + told("what is shown is the advice before (Esc stops)"),
           Role::warning, width_);
    if (!advice().answers.empty())
      for (const std::string& reason : advice().reasons)
        note(to, "not served: " + reason, Role::warning, width_);
    for (const auto& [why, count] : advice().left_out)
      note(to, pack::left_out_text(count, why), Role::dim, width_);
    if (!advice().unasked.empty()) note(to, advice().unasked, Role::dim, width_);
  }

  const UiContext& ui_;
  const UiState& state_;
  const AdviseState& advise_;
  int width_;
};

}  // namespace

Panes advise_panes(const UiContext& ui, const UiState& state, int width) {
  return state.advise ? Page(ui, state, width).panes() : Panes();
}

}  // namespace tessera::tui
