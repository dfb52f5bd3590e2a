#include "backends/sim/trap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/number.hpp"
#include "engine/plan/action.hpp"
#include "engine/text.hpp"

namespace tessera::sim {
namespace {

constexpr int kMost = 1'000'000;

struct Row {
  std::string_view word;
  std::string_view verbs;  // separated by blanks; empty: every one
  std::string_view what;
};

// In the order of TrapKind.
constexpr std::array kRows = {
    Row{"create-stops", "create-instances reconfigure",
        "Insufficient Resources after half of the list is made"},
    Row{"in-use", "destroy-instances set-mode reset-gpus configure reconfigure",
        "the driver says: In use by another client"},
    Row{"mode-pends", "set-mode reconfigure", "a changed MIG mode waits for a reset"},
    Row{"no-device", "", "success is reported, and nothing was done"},
    Row{"answer-lost", "", "the action is done, and its answer is an error"},
    Row{"job-lands", "close-node", "a job lands on the node just as it is closed"},
    Row{"drained-by-other", "", "someone else drains the node before the action"},
    Row{"opened-by-other", "", "someone opens the node before the action"},
    Row{"reboots", "", "the node reboots before the action, and its instances are gone"},
    Row{"mark-taken", "", "another run takes the mark before the action"},
    Row{"dies-before", "", "the process that acts is killed before the action"},
    Row{"dies-after", "", "the process that acts is killed after the action"},
    Row{"wedges", "reconfigure",
        "a GPU client does not leave the node, and the MIG manager gives up silently"},
    Row{"fails", "reconfigure", "the MIG manager reports failed"},
    Row{"slow", "reconfigure", "all that the MIG manager does takes ten times as long"},
    Row{"manager-down", "reconfigure", "the MIG manager's pod ends as it is to act, and starts again"},
    Row{"reset-in-vain", "reset-gpus", "GPUs are reset, and still ask for a reset"},
    Row{"vanishes", "", "the cluster does not list the node; counts looks"},
    Row{"silent", "", "the node does not answer; counts looks"},
    Row{"unreadable", "", "the cluster cannot be read; counts looks"},
};

static_assert(kRows.size() == static_cast<std::size_t>(TrapKind::unreadable) + 1);

const Row& row(TrapKind kind) { return kRows[static_cast<std::size_t>(kind)]; }

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return words;
}

bool is_verb(std::string_view word) {
  static constexpr std::array<std::string_view, 11> kVerbs = {
      "set-mark",         "clear-mark", "close-node", "open-node", "evict",      "destroy-instances",
      "create-instances", "set-mode",   "reset-gpus", "configure", "reconfigure"};
  return std::find(kVerbs.begin(), kVerbs.end(), word) != kVerbs.end();
}

bool may_have(const Row& row, std::string_view verb) {
  std::vector<std::string_view> verbs = words_of(row.verbs);
  return verbs.empty() || std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

std::optional<int> number(std::string_view text) {
  const auto value = whole_number(text, kMost);
  return value && *value > 0 ? value : std::nullopt;
}

Error refuse(std::string reason) {
  std::string kinds;
  for (const Row& one : kRows) kinds += (kinds.empty() ? "" : ", ") + std::string(one.word);
  return {"cannot read the fault", clean(reason, 400),
          "KIND [node=NAME] [verb=WORD] [nth=N] [times=N|always]; kinds: " + kinds};
}

// Empty: fine.
std::string set(Trap& trap, std::string_view key, std::string_view value) {
  if (value.empty()) return fmt::format("'{}=' has no value", key);
  if (key == "node") {
    trap.node = value;
  } else if (key == "verb") {
    if (counts_looks(trap.kind)) return fmt::format("{} counts looks: it has no verb", row(trap.kind).word);
    if (!is_verb(value)) return fmt::format("'{}' is no verb of a plan", value);
    if (!may_have(row(trap.kind), value))
      return fmt::format("{} is about {}", row(trap.kind).word, row(trap.kind).verbs);
    trap.verb = value;
  } else if (key == "nth") {
    std::optional<int> nth = number(value);
    if (!nth) return fmt::format("nth: a number from 1 to {} is expected", kMost);
    trap.nth = *nth;
  } else if (key == "times") {
    trap.times = number(value);
    if (!trap.times && value != "always") return "times: a number or 'always' is expected";
  } else {
    return fmt::format("'{}' is not known here", key);
  }
  return "";
}

}  // namespace

std::string to_text(const Trap& trap) {
  std::string text(row(trap.kind).word);
  if (!trap.node.empty()) text += " node=" + trap.node;
  if (!trap.verb.empty()) text += " verb=" + trap.verb;
  if (trap.nth != 1) text += fmt::format(" nth={}", trap.nth);
  if (!trap.times) text += " times=always";
  if (trap.times.value_or(1) != 1) text += fmt::format(" times={}", *trap.times);
  return text;
}

Result<Trap> parse_trap(std::string_view text) {
  std::vector<std::string_view> words = words_of(text);
  if (words.empty()) return refuse("it is empty");
  auto kind = std::find_if(kRows.begin(), kRows.end(), [&](const Row& one) { return one.word == words[0]; });
  if (kind == kRows.end()) return refuse(fmt::format("'{}' is no kind of fault", words[0]));
  Trap trap;
  trap.kind = static_cast<TrapKind>(kind - kRows.begin());
  std::vector<std::string_view> given;
  for (std::size_t i = 1; i < words.size(); ++i) {
    std::size_t equals = words[i].find('=');
    if (equals == std::string_view::npos) return refuse(fmt::format("'{}': KEY=VALUE is expected", words[i]));
    std::string_view key = words[i].substr(0, equals);
    if (std::find(given.begin(), given.end(), key) != given.end())
      return refuse(fmt::format("'{}' is there twice", key));
    given.push_back(key);
    if (std::string why = set(trap, key, words[i].substr(equals + 1)); !why.empty()) return refuse(why);
  }
  return trap;
}

std::vector<TrapHelp> trap_help() {
  std::vector<TrapHelp> help;
  for (const Row& one : kRows) help.push_back({one.word, one.what});
  return help;
}

bool counts_looks(TrapKind kind) { return kind >= TrapKind::vanishes; }

bool concerns(const Trap& trap, std::string_view node, std::string_view verb) {
  if (!trap.node.empty() && trap.node != node) return false;
  return counts_looks(trap.kind)
             ? verb.empty()
             : !verb.empty() && (trap.verb.empty() ? may_have(row(trap.kind), verb) : trap.verb == verb);
}

bool due(const ArmedTrap& armed) { return armed.seen + 1 >= armed.trap.nth && !spent(armed); }

bool spent(const ArmedTrap& armed) {
  return armed.trap.times && armed.seen >= armed.trap.nth - 1 + *armed.trap.times;
}

}  // namespace tessera::sim
