#include "backends/slurm/parse/gres.hpp"

#include <algorithm>
#include <charconv>

#include "backends/slurm/parse/record.hpp"
#include "engine/hostlist.hpp"
#include "engine/text.hpp"

namespace tessera::slurm {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Where the first entry ends: a comma outside of parentheses.
std::size_t end_of_entry(std::string_view list) {
  int depth = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '(') ++depth;
    if (list[i] == ')' && depth > 0) --depth;
    if (list[i] == ',' && depth == 0) return i;
  }
  return list.size();
}

// "75/100,0/100". From 26.05 on "-/100" is a GPU that is held as a whole: none of its shares can be had.
bool read_shares(std::string_view text, std::vector<Gres::Share>& shares) {
  while (true) {
    std::size_t comma = text.find(',');
    std::string_view part = text.substr(0, comma);
    std::size_t slash = part.find('/');
    if (slash == std::string_view::npos || shares.size() >= kMostDevices) return false;
    auto total = parse_count(part.substr(slash + 1));
    auto used = part.substr(0, slash) == "-" ? total : parse_count(part.substr(0, slash));
    constexpr std::int64_t kMost = 1'000'000'000;
    if (!used || !total || *used > kMost || *total > kMost) return false;
    shares.push_back({static_cast<int>(*used), static_cast<int>(*total)});
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
}

// What stands in one pair of parentheses behind the count.
bool read_detail(std::string_view detail, Gres& gres) {
  if (detail.starts_with("IDX:")) {
    detail.remove_prefix(4);
    gres.devices_told = true;
    if (detail == "N/A" || detail.empty()) return true;
    auto devices = expand_numbers(detail, kMostDevices);
    gres.devices_told = devices.has_value();
    if (devices) gres.devices = std::move(*devices);
    return devices.has_value();
  }
  if (detail.starts_with("S:") || detail.starts_with("CNT:")) return true;  // sockets; the count once more
  if (!detail.empty() && (is_digit(detail.front()) || detail.starts_with("-/"))) {
    gres.devices_told = read_shares(detail, gres.shares);
    if (!gres.devices_told) gres.shares.clear();
    return gres.devices_told;
  }
  return true;  // a later Slurm's news
}

// Takes "(…)" groups off the end of an entry. "(null)" as a type is not one of them: a count follows it.
bool read_details(std::string_view& entry, Gres& gres) {
  bool good = true;
  while (!entry.empty() && entry.back() == ')') {
    std::size_t open = entry.rfind('(');
    if (open == std::string_view::npos) return false;
    std::string_view detail = entry.substr(open + 1, entry.size() - open - 2);
    if (detail == "null") break;
    good = read_detail(detail, gres) && good;
    entry = entry.substr(0, open);
  }
  if (!good) {  // half a truth about devices is none
    gres.devices_told = false;
    gres.devices.clear();
    gres.shares.clear();
  }
  return good;
}

constexpr std::string_view kCountUnits = "KMGTP";

// No type has a colon. Where no count was told, a sign or digits are a count that cannot be read, as of
// "gpu:-5"; with one they are a type, as of "gpu:3090:8".
bool is_type(std::string_view type, bool counted) {
  if (type.find(':') != std::string_view::npos) return false;
  if (counted) return true;
  if (type.empty() || type.front() == '-' || type.front() == '+') return false;
  const std::string_view behind = type.substr(std::min(type.find_first_not_of("0123456789"), type.size()));
  if (behind.size() == type.size()) return true;
  return !(behind.empty() || behind == "k" ||
           (behind.size() == 1 && kCountUnits.find(behind[0]) != kCountUnits.npos));
}

// "gpu:h100:8", "gpu=2", "gpu"
bool read_words(std::string_view entry, Gres& gres) {
  std::optional<std::string_view> count;
  if (std::size_t equals = entry.rfind('='); equals != std::string_view::npos) {
    count = entry.substr(equals + 1);
    entry = entry.substr(0, equals);
  } else if (std::size_t colon = entry.rfind(':');
             colon != std::string_view::npos && parse_count(entry.substr(colon + 1))) {
    count = entry.substr(colon + 1);
    entry = entry.substr(0, colon);
  }
  std::size_t colon = entry.find(':');
  gres.name = entry.substr(0, colon);
  if (count) {
    auto number = parse_count(*count);
    if (!number) return false;
    gres.count = *number;
  }
  std::string_view type = colon == std::string_view::npos ? std::string_view{} : entry.substr(colon + 1);
  constexpr std::string_view kFlag = "no_consume";
  const bool typed = colon != std::string_view::npos && type != kFlag;
  if (type == kFlag)
    type = {};
  else if (type.ends_with(kFlag) && type[type.size() - kFlag.size() - 1] == ':')
    type.remove_suffix(kFlag.size() + 1);
  if (typed && !is_type(type, count.has_value())) return false;
  gres.type = told(type);
  auto plain = [](std::string_view word) { return word.find_first_of("() \n") == std::string_view::npos; };
  return !gres.name.empty() && gres.name.size() <= 64 && gres.type.size() <= 256 && plain(gres.name) &&
         plain(gres.type);
}

enum class Read { well, without_details, not_at_all };

Read read_entry(std::string_view entry, Gres& gres) {
  for (std::string_view prefix : {"gres:", "gres/"})
    if (entry.starts_with(prefix)) {
      entry.remove_prefix(prefix.size());
      break;
    }
  bool details = read_details(entry, gres);
  if (!read_words(entry, gres)) return Read::not_at_all;
  return details ? Read::well : Read::without_details;
}

}  // namespace

std::optional<Family> family_of(std::string_view name) {
  if (name == "gpu") return Family::gpu;
  if (name == "mps") return Family::mps;
  if (name == "shard") return Family::shard;
  return std::nullopt;
}
bool is_of_gpus(std::string_view name) { return family_of(name).has_value(); }

std::optional<std::int64_t> parse_count(std::string_view text) {
  std::int64_t value = 0;
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || text.empty() || !is_digit(text.front())) return std::nullopt;
  std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (suffix.empty()) return value;
  if (suffix.size() > 1) return std::nullopt;
  // Not "m" or "g": "gpu:1g" would be the start of a MIG type.
  std::size_t power = suffix.front() == 'k' ? 0 : kCountUnits.find(suffix.front());
  if (power == std::string_view::npos) return std::nullopt;
  std::int64_t factor = std::int64_t{1} << (10 * (power + 1));
  if (value > INT64_MAX / factor) return std::nullopt;
  return value * factor;
}

std::optional<std::string> parse_gres(std::string_view text, std::vector<Gres>& into,
                                      bool (*wanted)(std::string_view name)) {
  std::optional<std::string> problem;
  text = told(text);
  while (!text.empty()) {
    std::size_t end = end_of_entry(text);
    std::string_view entry = text.substr(0, end);
    text.remove_prefix(end < text.size() ? end + 1 : end);
    if (entry.empty()) continue;
    Gres gres;
    Read read = read_entry(entry, gres);
    if (wanted && !gres.name.empty() && !wanted(gres.name)) continue;
    if (read != Read::well && !problem) problem = "cannot read the resource \"" + clean(entry, 80) + "\"";
    if (read != Read::not_at_all) into.push_back(std::move(gres));
  }
  return problem;
}

}  // namespace tessera::slurm
