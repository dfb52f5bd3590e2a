#include "engine/insight/acknowledged.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "engine/json.hpp"
#include "engine/time.hpp"

namespace tessera::insight {
namespace {

Error broken(std::string_view file, std::string reason) {
  return {"cannot read what was acknowledged", std::move(reason),
          fmt::format("remove {}: findings then call for attention again", file)};
}

Result<Acknowledgement> read_entry(std::string_view line, std::string_view file) {
  Result<Json> value = parse_json(line, file);
  if (!value) return broken(file, value.error().reason);
  const Json *cause = value->find("cause"), *until = value->find("until"), *whose = value->find("whose");
  const auto time = until && until->kind == Json::Kind::text ? parse_utc(until->text) : std::nullopt;
  if (!cause || cause->kind != Json::Kind::text || !time || !whose || whose->kind != Json::Kind::list)
    return broken(file, "an entry needs cause, until and whose");
  Acknowledgement one{cause->text, {}, *time};
  for (const Json& item : whose->items) {
    if (item.kind != Json::Kind::text) return broken(file, "whose is a list of names");
    one.whose.push_back(item.text);
  }
  return one;
}

}  // namespace

Result<std::vector<Acknowledgement>> parse_acknowledged(std::string_view text, std::string_view file) {
  std::vector<Acknowledgement> all;
  if (text.size() > kMostOfAcknowledged) return broken(file, "it is larger than 1 MiB");
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    if (all.size() >= kMostAcknowledged)
      return broken(file, fmt::format("it has more than {} lines", kMostAcknowledged));
    Result<Acknowledgement> one = read_entry(line, file);
    if (!one) return one.error();
    all.push_back(std::move(*one));
  }
  return all;
}

std::string acknowledged_text(std::span<const Acknowledgement> all, TimePoint wall) {
  std::string text;
  for (const Acknowledgement& one : all) {
    if (one.until <= wall) continue;
    Json entry = Json::map();
    entry.add("cause", Json::of(one.cause));
    entry.add("until", Json::of(utc_text(one.until)));
    Json whose = Json::list();
    for (const std::string& name : one.whose) whose.items.push_back(Json::of(name));
    entry.add("whose", std::move(whose));
    const std::string line = to_line(entry);
    if (text.size() + line.size() >= kMostOfAcknowledged) break;
    text += line + "\n";
  }
  return text;
}

std::vector<Acknowledgement> with(std::vector<Acknowledgement> all, Acknowledgement one, TimePoint wall) {
  std::erase_if(all, [&](const Acknowledgement& old) { return old.cause == one.cause || old.until <= wall; });
  if (one.until <= wall) return all;
  if (all.size() >= kMostAcknowledged) all.erase(all.begin());
  all.push_back(std::move(one));
  return all;
}

std::optional<TimePoint> acknowledged_until(const Cause& cause, std::span<const Acknowledgement> all,
                                            TimePoint wall) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Acknowledgement& one) { return one.cause == cause.id; });
  if (found == all.end() || found->until <= wall) return std::nullopt;
  const auto is_known = [&](const std::string& name) {
    return std::find(found->whose.begin(), found->whose.end(), name) != found->whose.end();
  };
  if (!std::all_of(cause.whose.begin(), cause.whose.end(), is_known)) return std::nullopt;
  return found->until;
}

}  // namespace tessera::insight
