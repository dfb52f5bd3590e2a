#include "engine/plan/run/journal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/plan/files/fields.hpp"
#include "engine/plan/files/plan_file.hpp"
#include "engine/plan/words/wording.hpp"

namespace tessera::plan {

std::string what_is_asked_about(const Asked& asked) {
  const char* question = asked.what == Ask::closed_by_other ? ". Go on" : ". Break that lock";
  return asked.text.substr(0, asked.text.rfind(question));
}

std::string_view word(Ask ask) { return ask == Ask::closed_by_other ? "closed-by-other" : "marked-by-other"; }
std::string_view word(Demand demand) {
  constexpr std::string_view kWords[] = {"pause", "cancel", "turn-back"};
  return kWords[static_cast<std::size_t>(demand)];
}
std::string_view word(Outcome outcome) {
  constexpr std::string_view kWords[] = {"wanted", "recorded", "partial"};
  return kWords[static_cast<std::size_t>(outcome)];
}
std::string_view word(Until until) {
  constexpr std::string_view kWords[] = {"someone", "empty", "time"};
  return kWords[static_cast<std::size_t>(until)];
}
template <>
constexpr int enum_count<Ask>() {
  return 2;
}
template <>
constexpr int enum_count<Demand>() {
  return 3;
}
template <>
constexpr int enum_count<Outcome>() {
  return 3;
}
template <>
constexpr int enum_count<Until>() {
  return 3;
}

template <>
inline constexpr bool kPassesOver<RunEvent> = true;
template <>
inline constexpr bool kPassesOver<Entry> = true;

Json json_of(const Plan& plan) { return plan_json(plan); }
bool from_json(const Json& json, Plan& plan, Trouble& trouble) {
  Result<Plan> read = plan_from(json, "plan");
  if (!read) return trouble.fail(read.error().reason);
  plan = std::move(*read);
  return true;
}

template <class V, Same<RunStarted> T>
void fields(V& v, T& x) {
  v("version", x.version), v("run", x.run), v("who", x.who), v("from", x.from), v("undoes", x.undoes);
  v("plan", x.plan);
}
template <class V, Same<Replanned> T>
void fields(V& v, T& x) {
  v("back", x.back), v("who", x.who), v("plan", x.plan);
}
template <class V, Same<Resumed> T>
void fields(V& v, T& x) {
  v("who", x.who), v("from", x.from);
}
template <class V, Same<StepBegun> T>
void fields(V& v, T& x) {
  v("step", x.step), v("attempt", x.attempt), v("action", x.action);
}
template <class V, Same<ActionReturned> T>
void fields(V& v, T& x) {
  v("step", x.step), v("error", x.error);
}
template <class V, Same<StepDone> T>
void fields(V& v, T& x) {
  v("step", x.step), v("already", x.already);
}
template <class V, class T>
requires(Same<T, StepFailed> || Same<T, Waiting>) void fields(V& v, T& x) {
  v("step", x.step), v("why", x.why);
}
template <class V, Same<WentBack> T>
void fields(V& v, T& x) {
  v("from", x.from), v("to", x.to), v("why", x.why);
}
template <class V, Same<Asked> T>
void fields(V& v, T& x) {
  v("what", x.what), v("text", x.text);
}
template <class V, Same<Answered> T>
void fields(V& v, T& x) {
  v("what", x.what), v("go_on", x.go_on), v("who", x.who);
}
template <class V, Same<Requested> T>
void fields(V& v, T& x) {
  v("what", x.what), v("who", x.who), v("why", x.why);
}
template <class V, Same<ClockJumped> T>
void fields(V& v, T& x) {
  v("back_s", x.back);
}
template <class V, Same<Parked> T>
void fields(V& v, T& x) {
  v("why", x.why), v("place", x.place), v("until", x.until);
}
template <class V, class T>
requires(Same<T, NodeFinished> || Same<T, RunFinished>) void fields(V& v, T& x) {
  v("outcome", x.outcome), v("text", x.text);
}

Json json_of(const RunEvent& event) { return tagged(word(event), event); }
bool from_json(const Json& json, RunEvent& event, Trouble& trouble) {
  return from_tagged(json, event, trouble);
}
template <class V, Same<Entry> T>
void fields(V& v, T& x) {
  v("seq", x.seq), v("at", x.at), v("node", x.node), v("event", x.what);
}

namespace {

// "destroy instances": the word of the files, for people.
std::string plain(const Action& action) {
  if (std::holds_alternative<LookOnly>(action)) return "looks";
  const auto* special = std::get_if<Special>(&action);
  std::string text(special ? std::string_view(special->verb) : word(action));
  std::replace(text.begin(), text.end(), '-', ' ');
  return text;
}

class Sentence {
 public:
  std::string operator()(const RunStarted& e) const {
    return fmt::format("run {} started by {} from {}", e.run, e.who, e.from);
  }
  std::string operator()(const Replanned& e) const {
    return e.back ? fmt::format("planned the way back ({})", e.who)
                  : fmt::format("planned again from the current layout ({})", e.who);
  }
  std::string operator()(const Resumed& e) const {
    return fmt::format("resumed by {} from {}", e.who, e.from);
  }
  std::string operator()(const StepBegun& e) const {
    return e.attempt == 1 ? fmt::format("step {}: {}", e.step, plain(e.action))
                          : fmt::format("step {}: {}, attempt {}", e.step, plain(e.action), e.attempt);
  }
  std::string operator()(const ActionReturned& e) const {
    return e.error.empty() ? fmt::format("step {}: command succeeded; verifying", e.step)
                           : fmt::format("step {}: {}", e.step, e.error);
  }
  std::string operator()(const StepDone& e) const {
    return fmt::format("step {}: {}", e.step, e.already ? "already done" : "done, verified");
  }
  std::string operator()(const StepFailed& e) const {
    return fmt::format("step {} failed: {}", e.step, e.why);
  }
  std::string operator()(const WentBack& e) const {
    return fmt::format("back from step {} to {}: {}", e.from, e.to, e.why);
  }
  std::string operator()(const Waiting& e) const { return fmt::format("step {} waits: {}", e.step, e.why); }
  std::string operator()(const Asked& e) const { return "asked: " + e.text; }
  std::string operator()(const Answered& e) const {
    return fmt::format("{} answered: {}", e.who, e.go_on ? "go on" : "stop here");
  }
  std::string operator()(const Requested& e) const {
    // With a reason it was not requested: a terminal went away, a question stayed without an answer.
    if (e.what == Demand::turn_back && !e.why.empty()) return fmt::format("going back: {}", e.why);
    return e.why.empty() ? fmt::format("{} asked to {}", e.who, word(e.what))
                         : fmt::format("{} at the edge of a step: {}", word(e.what), e.why);
  }
  std::string operator()(const ClockJumped& e) const {
    return fmt::format("the clock went back by {} s", e.back.count() / 1000);
  }
  std::string operator()(const Parked& e) const { return fmt::format("parked: {}; {}", e.why, e.place); }
  std::string operator()(const NodeFinished& e) const { return e.text; }
  std::string operator()(const RunFinished& e) const { return e.text; }
};

Error broken(std::string_view file, std::size_t line, std::string why) {
  return {"cannot read the journal", fmt::format("{}:{}: {}", file, line, why),
          "the file must stay as tessera wrote it; the cluster's own marks still show what the run did"};
}

Result<Entry> parse_entry(std::string_view text, std::string_view file, std::size_t line) {
  Result<Json> json = parse_json(text, file);
  if (!json) return broken(file, line, json.error().reason);
  Entry entry;
  Trouble trouble;
  if (!from_json(*json, entry, trouble)) return broken(file, line, trouble.why);
  return entry;
}

}  // namespace

std::string_view word(const RunEvent& event) {
  static constexpr std::array<std::string_view, std::variant_size_v<RunEvent>> kWords = {
      "run-started",  "replanned", "resumed",       "step-begun",  "action-returned", "step-done",
      "step-failed",  "went-back", "waiting",       "asked",       "answered",        "requested",
      "clock-jumped", "parked",    "node-finished", "run-finished"};
  return kWords[event.index()];
}

std::string to_sentence(const RunEvent& event) { return std::visit(Sentence{}, event); }

std::string to_line(const Entry& entry, Chain& chain) {
  return chain.tie(tessera::to_line(json_of(entry))) + "\n";
}

Result<Entry> parse_line(std::string_view text, std::string_view file, std::size_t number, Chain& chain) {
  const bool tied = Chain::is_tied(text);
  if (tied && !chain.holds(text))
    return broken(file, number, "this line, or one before it, is not as it was written");
  Result<Entry> entry = parse_entry(text, file, number);
  if (!entry) return entry;
  if (auto* begun = std::get_if<RunStarted>(&entry->what)) reword(begun->plan);
  if (auto* replanned = std::get_if<Replanned>(&entry->what)) reword(replanned->plan);
  const auto* started = std::get_if<RunStarted>(&entry->what);
  if ((number == 1) != (started != nullptr))
    return broken(file, number, "a journal starts with run-started, once");
  if (started && (started->version < 1 || started->version > kJournalVersion))
    return broken(file, number,
                  fmt::format("version {}, this tessera reads up to {}", started->version, kJournalVersion));
  if (!tied && (chain.must_be_tied() || (started && started->version > 1)))
    return broken(file, number, "it carries no digest of the lines before it");
  if (!tied) chain.pass(text);
  if (entry->seq != static_cast<std::int64_t>(number))
    return broken(file, number, fmt::format("entry {} stands where {} should", entry->seq, number));
  return entry;
}

Result<Journal> parse_journal(std::string_view text, std::string_view file) {
  Journal journal;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = text.find('\n', at);
    std::size_t line = journal.entries.size() + 1;
    if (end == std::string_view::npos) {  // never finished, so what it announced never began
      if (Chain::is_tied(text.substr(at, text.size() - at - 1)))
        return broken(file, line, "its end is not as it was written");
      journal.torn = true;
      break;
    }
    Result<Entry> entry = parse_line(text.substr(at, end - at), file, line, journal.chain);
    if (!entry) return entry.error();
    journal.entries.push_back(std::move(*entry));
    at = journal.good_bytes = end + 1;
  }
  if (journal.entries.empty())
    return broken(file, 1, journal.torn ? "cut off within its first line: nothing had begun" : "it is empty");
  return journal;
}

}  // namespace tessera::plan
