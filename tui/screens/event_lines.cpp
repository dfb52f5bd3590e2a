#include "tui/screens/event_lines.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "engine/text.hpp"

namespace tessera::tui {
namespace {

constexpr std::array<std::string_view, 6> kParts{"cluster", "node", "user", "pool", "kind", "job"};
constexpr std::size_t kMostRuns = 50;
constexpr char kNameMark = '\x1f';  // stands for a name or a number

bool is_on(const LogEntry& entry, std::string_view node) {
  return entry.subject == node || std::any_of(entry.nodes.begin(), entry.nodes.end(),
                                              [&](const NodeName& one) { return one.view() == node; });
}

bool belongs(const LogEntry& entry, const Screen& screen) {
  if (!screen.cluster.empty() && entry.cluster != screen.cluster) return false;
  if (screen.subject.empty()) return true;
  return screen.about == ScreenKind::workload ? entry.work.text == screen.subject
                                              : is_on(entry, screen.subject);
}

LogEntry entry_of(const RunHead& head, TimePoint at, Severity severity, std::string text) {
  LogEntry entry{at, head.cluster, severity, "run " + head.run, std::move(text)};
  entry.kind = Happened::run;
  entry.user = head.who;
  entry.nodes = head.nodes;
  return entry;
}

std::string ending_of(const RunHead& head) {
  switch (head.state) {
    case RunState::finished: return "finished: " + head.progress;
    case RunState::parked: return "parked: " + head.why;
    case RunState::interrupted: return "interrupted: " + head.why;
    default: return {};
  }
}

// Those of one moment and subject are told apart, and stand in the order in which they came.
void number(std::deque<LogEntry>& entries) {
  std::map<std::pair<TimePoint, std::string>, std::uint64_t> alike;
  for (LogEntry& entry : entries) entry.number = alike[{entry.at, entry.subject}]++;
}

bool is_foreign(char c) { return static_cast<unsigned char>(c) >= 0x80; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_of_a_name(char c) { return is_digit(c) || (c >= 'a' && c <= 'z'); }  // of a folded text

// Its text without the names and numbers in it: "of bob started on n12: 2 × 1g.10gb" → "of · started on · · ×
// ·".
std::string without_names(const LogEntry& entry) {
  std::string key;
  key.reserve(entry.text.size());
  for (std::size_t at = 0; at < entry.text.size();) {
    const std::size_t end = std::min(entry.text.find(' ', at), entry.text.size());
    const std::string_view word = std::string_view(entry.text).substr(at, end - at);
    const std::string_view bare = word.substr(0, word.find_last_not_of(",:;") + 1);
    const bool name =
        std::any_of(word.begin(), word.end(), is_digit) || (!bare.empty() && bare == entry.user);
    if (name)
      key += kNameMark, key += word.substr(bare.size());
    else
      key += word;
    key += ' ';
    at = end + 1;
  }
  return key;
}

// "h100で" → h100
std::vector<std::string> names_in(const std::string& folded) {
  std::vector<std::string> names;
  bool goes_on = false;
  for (const char c : folded) {
    if (!is_of_a_name(c)) {
      goes_on = false;
      continue;
    }
    if (!std::exchange(goes_on, true)) names.emplace_back();
    names.back() += c;
  }
  return names;
}

bool newer(const LogEntry* a, const LogEntry* b) {
  return a->at != b->at ? a->at > b->at : a->number > b->number;
}

}  // namespace

namespace {

// What is kept stands for events of other names too: a name in the reader's own letters must not be found in
// theirs.
std::string without_owner(std::string told, const std::string& owner) {
  if (std::none_of(owner.begin(), owner.end(), is_foreign)) return told;
  for (std::size_t at = told.find(owner); at != std::string::npos; at = told.find(owner, at))
    told.replace(at, owner.size(), 1, kNameMark);
  return told;
}

}  // namespace

const std::string& ToldEvents::alike(const LogEntry& entry) {
  std::string key = without_names(entry);
  auto known = told_.find(key);
  if (known == told_.end())
    known = told_.emplace(std::move(key), without_owner(lower(own(entry)), lower(entry.user))).first;
  return known->second;
}

std::string ToldEvents::own(const LogEntry& entry) const { return told(state_, entry.text); }

EventFilter::EventFilter(std::string_view filter) {
  const std::string folded = lower(filter);
  for (std::size_t at = 0; at < folded.size();) {
    const std::size_t end = std::min(folded.find(' ', at), folded.size());
    Word word{true, {}, folded.substr(at, end - at)};
    at = end + 1;
    if (word.text.starts_with('!')) word.wanted = false, word.text.erase(0, 1);
    const std::size_t equals = word.text.find('=');
    if (equals != std::string::npos &&
        std::find(kParts.begin(), kParts.end(), std::string_view(word.text).substr(0, equals)) !=
            kParts.end())
      word.part = word.text.substr(0, equals), word.text.erase(0, equals + 1);
    word.foreign = std::any_of(word.text.begin(), word.text.end(), is_foreign);
    word.names = names_in(word.text);
    if (!word.text.empty()) words_.push_back(std::move(word));
  }
}

bool EventFilter::is_in(const Word& word, const LogEntry& entry, ToldEvents& told) {
  const auto is = [&](std::string_view text) { return lower(text) == word.text; };
  const auto any_node = [&](auto pass) {
    return std::any_of(entry.nodes.begin(), entry.nodes.end(),
                       [&](const NodeName& node) { return pass(node.view()); });
  };
  if (word.part == "cluster") return is(entry.cluster.text);
  if (word.part == "node") return is(entry.subject) || any_node(is);
  if (word.part == "user") return is(entry.user);
  if (word.part == "pool") return is(entry.pool);
  if (word.part == "kind") return is(tessera::word(entry.kind));
  if (word.part == "job") return is(entry.work.text);
  const auto has = [&](std::string_view text) { return contains_folded(text, word.text); };
  if (has(entry.text) || has(entry.subject) || has(entry.cluster.text) || has(entry.pool) ||
      has(tessera::word(entry.kind)) || any_node(has))
    return true;
  if (!word.foreign) return false;
  const std::string& alike = told.alike(entry);
  if (word.names.empty()) return alike.find(word.text) != std::string::npos;
  // Beside a name: only an event that has the name is worth a translation of its own.
  const auto there = [&](const std::string& name) {
    return contains_folded(entry.text, name) || alike.find(name) != std::string::npos;
  };
  return std::all_of(word.names.begin(), word.names.end(), there) && has(told.own(entry));
}

bool EventFilter::passes(const LogEntry& entry, ToldEvents& told) const {
  return std::all_of(words_.begin(), words_.end(),
                     [&](const Word& word) { return is_in(word, entry, told) == word.wanted; });
}

std::deque<LogEntry> own_events(const UiState& state, const UiContext& ui) {
  std::deque<LogEntry> own;
  std::size_t runs = 0;
  for (const RunHead& head : state.runs.heads) {
    const Cluster* cluster = ui.model.find(head.cluster);
    // In a recording only what was so at the moment shown.
    const auto is_past = [&](TimePoint at) { return !cluster || at <= cluster_now(*cluster, ui.wall); };
    if (++runs > kMostRuns) break;
    if (head.started != TimePoint{} && is_past(head.started))
      own.push_back(entry_of(head, head.started, Severity::info,
                             fmt::format("started by {}: {}", head.who, head.words)));
    if (const std::string how = ending_of(head); !how.empty() && is_past(head.last))
      own.push_back(entry_of(
          head, head.last,
          head.state == RunState::finished && head.outcome == "wanted" ? Severity::good : Severity::warning,
          how));
  }
  for (const LogEntry& entry : state.said) {
    own.push_back(entry);
    own.back().kind = Happened::console;
  }
  number(own);
  return own;
}

EventsFound find_events(const UiContext& ui, const UiState& state, const Screen& screen,
                        const std::deque<LogEntry>& own, std::size_t most) {
  const EventFilter filter(screen.filter_text);
  ToldEvents told(state);
  const auto passes = [&](const LogEntry& entry) { return filter.empty() || filter.passes(entry, told); };
  std::vector<const LogEntry*> all;
  for (const std::deque<LogEntry>* log : {&ui.model.log, &ui.model.work_log, &own})
    for (const LogEntry& entry : *log)
      if (belongs(entry, screen) && passes(entry)) all.push_back(&entry);
  EventsFound found{{}, all.size()};
  const std::size_t kept = std::min(most, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept), all.end(), newer);
  all.resize(kept);
  found.entries = std::move(all);
  return found;
}

std::vector<const LogEntry*> newest_on(const Model& model, const ClusterName& cluster, const NodeName& node,
                                       std::size_t most) {
  std::vector<const LogEntry*> found;
  for (const std::deque<LogEntry>* log : {&model.log, &model.work_log}) {
    std::size_t of_log = 0;
    for (auto entry = log->rbegin(); entry != log->rend() && of_log < most; ++entry)
      if (entry->cluster == cluster && is_on(*entry, node.view())) found.push_back(&*entry), ++of_log;
  }
  std::sort(found.begin(), found.end(), newer);
  if (found.size() > most) found.resize(most);
  return found;
}

}  // namespace tessera::tui
