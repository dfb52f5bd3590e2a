#include "engine/insight/causes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include "engine/insight/hardware.hpp"
#include "engine/insight/joined_commands.hpp"
#include "engine/mig/profile_name.hpp"

namespace tessera::insight {
namespace {

template <class T>
void add_once(std::vector<T>& to, const T& one) {
  if (std::find(to.begin(), to.end(), one) == to.end()) to.push_back(one);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Where "1g.10gb" or "1c.3g.40gb" ends that begins at this digit; the same place: there is none.
std::size_t end_of_profile(std::string_view text, std::size_t at) {
  constexpr std::string_view kUnit = "gb";
  const std::size_t unit = text.find(kUnit, at);
  if (unit == std::string_view::npos) return at;
  const std::size_t end = unit + kUnit.size();
  return mig::parse_profile(text.substr(at, end - at)) ? end : at;
}

// Counts, ages and the numbers of GPUs differ among those that have one cause; the number of an Xid and the
// name of a profile are a part of it.
std::string without_counts(const std::string& text) {
  std::string kept;
  std::optional<XidPlace> xid = next_xid(text, 0);
  for (std::size_t i = 0; i < text.size();) {
    if (xid && i == xid->begin) {
      kept.append(text, i, xid->end - i);
      i = xid->end;
      xid = next_xid(text, i);
    } else if (!is_digit(text[i])) {
      kept += text[i++];
    } else if (const std::size_t end = end_of_profile(text, i); end > i) {
      kept.append(text, i, end - i);
      i = end;
    } else {
      while (i < text.size() && is_digit(text[i])) ++i;
    }
  }
  return kept;
}

bool in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_';
}

// What one node's hint says for several: "scontrol update nodename=NODE state=resume".
std::string for_any(const std::string& hint, const std::string& name) {
  std::string text;
  std::size_t from = 0;
  for (std::size_t at = hint.find(name); !name.empty() && at != std::string::npos;
       at = hint.find(name, at + name.size())) {
    const std::size_t end = at + name.size();
    // A full stop behind a name ends the sentence.
    const bool goes_on = end < hint.size() && in_name(hint[end]) &&
                         !(hint[end] == '.' && (end + 1 == hint.size() || hint[end + 1] == ' '));
    if ((at > 0 && in_name(hint[at - 1])) || goes_on) continue;
    text.append(hint, from, at - from) += "NODE";
    from = end;
  }
  return text.append(hint, from);
}

void add(Cause& cause, const Finding& finding, bool first) {
  // The findings of one cause come in the order of their subjects, so that equal ones stand together.
  if (cause.whose.empty() || cause.whose.back() != finding.subject) cause.whose.push_back(finding.subject);
  if (finding.source != Source::none) add_once(cause.sources, finding.source);
  if (finding.since) cause.since = cause.since ? std::min(*cause.since, *finding.since) : *finding.since;
  if (finding.seen) cause.seen = cause.seen ? std::min(*cause.seen, *finding.seen) : *finding.seen;
  if (first) cause.follows = finding.follows;
  cause.follows_differ = cause.follows_differ || finding.follows != cause.follows;
  if (cause.hint.empty()) cause.hint = finding.hint;
}

// A cause may concern a thousand nodes: what is typed for them is a line or two.
void add_commands(std::vector<CommandFor>& all, const Finding& finding) {
  for (const std::string& command : finding.commands)
    all.push_back({finding.is_node ? finding.subject : std::string(), command});
}

}  // namespace

std::string cause_id(const Finding& finding) {
  const std::string& text = !finding.key.empty()     ? finding.key
                            : !finding.cause.empty() ? finding.cause
                                                     : finding.text;
  // What names no cause stands for itself: two sources that fail alike are two lines.
  const std::string whose = finding.cause.empty() ? finding.subject : std::string();
  return finding.cluster.text + '\x1f' + (finding.is_node ? "n" : "o") + '\x1f' + whose + '\x1f' +
         without_counts(text);
}

std::vector<Cause> causes_of(std::span<const Finding> findings) {
  std::vector<Cause> causes;
  std::vector<std::vector<CommandFor>> commands;  // of each
  std::map<std::string, std::size_t> places;
  std::vector<std::string> hint_names;  // by cause: the node whose hint it has
  for (const Finding& finding : findings) {
    const std::string& text = finding.cause.empty() ? finding.text : finding.cause;
    const std::string id = cause_id(finding);
    auto [place, fresh] = places.try_emplace(id, causes.size());
    if (fresh) {
      Cause& cause = causes.emplace_back();
      commands.emplace_back();
      cause.id = id;
      cause.severity = finding.severity;
      cause.cluster = finding.cluster;
      cause.text = text;
      cause.nodes = finding.is_node;
      cause.way_out = finding.way_out;
      cause.gpu = finding.gpu;
      hint_names.emplace_back();
    }
    Cause& cause = causes[place->second];
    if (cause.hint.empty() && finding.is_node) hint_names[place->second] = finding.subject;
    if (cause.way_out != finding.way_out) cause.way_out = WayOut::none;
    if (!fresh) cause.gpu.reset();
    cause.severity = std::max(cause.severity, finding.severity);
    add(cause, finding, fresh);
    add_commands(commands[place->second], finding);
  }
  for (std::size_t i = 0; i < causes.size(); ++i) {
    causes[i].commands = joined_commands(commands[i], kMostCommands);
    if (causes[i].whose.size() > 1) causes[i].hint = for_any(causes[i].hint, hint_names[i]);
    if (causes[i].follows_differ && !causes[i].follows.empty())
      causes[i].follows = fmt::format("of the first of them: {}", causes[i].follows);
  }
  std::stable_sort(causes.begin(), causes.end(), [](const Cause& a, const Cause& b) {
    return std::tuple(a.severity, a.whose.size()) > std::tuple(b.severity, b.whose.size());
  });
  return causes;
}

}  // namespace tessera::insight
