#include "backends/kubernetes/objects/kueue_quota.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "backends/kubernetes/api.hpp"
#include "backends/kubernetes/objects/related.hpp"
#include "engine/number.hpp"
#include "engine/shell.hpp"
#include "engine/text.hpp"

namespace tessera::kubernetes {
namespace {

constexpr std::size_t kMostOfQueue = 600;

std::string_view word_at(std::string_view text, std::size_t at) {
  const std::size_t end = text.find_first_of(" ,;", at);
  return text.substr(at, end == text.npos ? text.npos : end - at);
}

// Where in a list that name is.
std::optional<std::size_t> place_of(const Json* list, std::string_view name) {
  if (!list) return std::nullopt;
  const auto found = std::find_if(list->items.begin(), list->items.end(),
                                  [&](const Json& one) { return text_at(one, {"name"}) == name; });
  if (found == list->items.end()) return std::nullopt;
  return static_cast<std::size_t>(found - list->items.begin());
}

const Json* entry_named(const Json* list, std::string_view name) {
  const auto place = place_of(list, name);
  return place ? &list->items[*place] : nullptr;
}

// The entry of that resource in that flavor, of a list of flavors.
const Json* entry_of(const Json* flavors, const QuotaNamed& of) {
  const Json* flavor = entry_named(flavors, of.flavor);
  return flavor ? entry_named(at(*flavor, {"resources"}), of.resource) : nullptr;
}

// Amounts are texts ("6", "1500m"), or numbers. Empty: not set.
std::string amount(const Json* entry, std::string_view key) {
  const Json* value = entry ? entry->find(key) : nullptr;
  if (!value) return {};
  return value->kind == Json::Kind::integer ? std::to_string(value->integer) : clean(value->text, 40);
}

const Json* quota_of(const Json& queue, const QuotaNamed& of) {
  const Json* groups = at(queue, {"spec", "resourceGroups"});
  if (!groups) return nullptr;
  for (const Json& group : groups->items)
    if (const Json* entry = entry_of(group.find("flavors"), of)) return entry;
  return nullptr;
}

// "nominalQuota 6 of nvidia.com/gpu in flavor h100, 6 reserved, borrowingLimit 2, lendingLimit not set"
std::string quota_text(const Json& queue, const QuotaNamed& of, bool in_cohort) {
  const Json* quota = quota_of(queue, of);
  if (!quota) return fmt::format("no quota of {} in flavor {}", of.resource, of.flavor);
  const std::string nominal = amount(quota, "nominalQuota");
  std::string text = fmt::format("nominalQuota {} of {} in flavor {}", nominal.empty() ? "n/a" : nominal,
                                 of.resource, of.flavor);
  const Json* held = entry_of(at(queue, {"status", "flavorsReservation"}), of);
  if (const std::string total = amount(held, "total"); !total.empty()) {
    text += fmt::format(", {} reserved", total);
    const std::string borrowed = amount(held, "borrowed");
    if (!borrowed.empty() && borrowed != "0") text += fmt::format(" ({} of it borrowed)", borrowed);
  }
  if (!in_cohort) return text;
  for (const char* limit : {"borrowingLimit", "lendingLimit"})
    if (const std::string told = amount(quota, limit); !told.empty())
      text += fmt::format(", {} {}", limit, told);
    else
      text += fmt::format(", {} not set", limit);
  return text;
}

// ", 2 more needed" behind the flavor.
std::optional<std::int64_t> more_in(std::string_view rest) {
  if (!rest.starts_with(", ")) return std::nullopt;
  rest.remove_prefix(2);
  const auto more = take_number<std::int64_t>(rest, 1'000'000'000);
  return rest.starts_with(" more needed") ? more : std::nullopt;
}

// Which of the queue's groups has a quota of that resource in that flavor; each belongs to one group alone.
std::optional<std::size_t> group_of(const Json& queue, const QuotaNamed& of) {
  const Json* groups = at(queue, {"spec", "resourceGroups"});
  for (std::size_t i = 0; groups && i < groups->items.size(); ++i)
    if (entry_of(groups->items[i].find("flavors"), of)) return i;
  return std::nullopt;
}

// The steps of a patch that raises the entry of that resource, where it is still the one that was read: a
// list has no names in a path. Empty: its numbers are not whole, or it is not there.
std::string steps_for(const Json& queue, std::size_t group, const QuotaNamed& of) {
  const Json* groups = at(queue, {"spec", "resourceGroups"});
  if (!groups || !of.more || !is_plain_word(of.resource) || !is_plain_word(of.flavor)) return {};
  const Json* flavors = groups->items[group].find("flavors");
  const auto flavor = place_of(flavors, of.flavor);
  const Json* resources = flavor ? at(flavors->items[*flavor], {"resources"}) : nullptr;
  const auto resource = place_of(resources, of.resource);
  if (!resource) return {};
  const Json* value = resources->items[*resource].find("nominalQuota");
  const auto now = whole_number<std::int64_t>(amount(&resources->items[*resource], "nominalQuota"));
  if (!now) return {};
  const std::string_view quote = value->kind == Json::Kind::integer ? "" : "\"";
  const std::string in_flavor = fmt::format("/spec/resourceGroups/{}/flavors/{}", group, *flavor);
  const std::string entry = fmt::format("{}/resources/{}", in_flavor, *resource);
  return fmt::format(R"({{"op":"test","path":"{}/name","value":"{}"}},)"
                     R"({{"op":"test","path":"{}/name","value":"{}"}},)"
                     R"({{"op":"test","path":"{}/nominalQuota","value":{}{}{}}},)"
                     R"({{"op":"replace","path":"{}/nominalQuota","value":{}{}{}}})",
                     in_flavor, of.flavor, entry, of.resource, entry, quote, *now, quote, entry, quote,
                     add_times(*now, *of.more, 1), quote);
}

// What gives all that is missing. The flavors of one group would each do alone, so that of each group the
// first that is named is raised; the resources of different groups are all needed. Where one of these numbers
// is not known, the editor.
std::string raise_command(const Json& queue, const std::string& name, const std::vector<QuotaNamed>& named) {
  if (!is_plain_word(name) || named.empty()) return {};
  std::map<std::size_t, std::string> chosen;  // flavor of each group
  std::string steps;
  for (const QuotaNamed& of : named) {
    const auto group = group_of(queue, of);
    if (group && chosen.try_emplace(*group, of.flavor).first->second != of.flavor) continue;
    const std::string one = group ? steps_for(queue, *group, of) : std::string();
    if (one.empty()) return "kubectl edit clusterqueues.kueue.x-k8s.io " + shell_word(name);
    steps += (steps.empty() ? "" : ",") + one;
  }
  return fmt::format("kubectl patch clusterqueues.kueue.x-k8s.io {} --type=json -p {}", shell_word(name),
                     shell_word("[" + steps + "]"));
}

bool is_same(const QuotaNamed& a, const QuotaNamed& b) {
  return a.resource == b.resource && a.flavor == b.flavor;
}

}  // namespace

std::vector<QuotaNamed> quotas_named(std::string_view message) {
  constexpr std::string_view kFlavor = " in flavor ", kFor = " for ";
  std::vector<QuotaNamed> all;
  for (std::size_t in = message.find(kFlavor); in != message.npos; in = message.find(kFlavor, in + 1)) {
    const std::size_t begin = message.rfind(kFor, in);
    if (begin == message.npos || all.size() == kMostLinks) continue;
    const std::string_view resource = word_at(message, begin + kFor.size());
    const std::string_view flavor = word_at(message, in + kFlavor.size());
    QuotaNamed one{clean(resource, 320), clean(flavor, 253),
                   more_in(message.substr(in + kFlavor.size() + flavor.size()))};
    if (begin + kFor.size() + resource.size() != in || one.resource.empty() || one.flavor.empty()) continue;
    const auto same =
        std::find_if(all.begin(), all.end(), [&](const QuotaNamed& other) { return is_same(one, other); });
    if (same == all.end())
      all.push_back(std::move(one));
    else if (!one.more || (same->more && *one.more > *same->more))  // of another pod set
      same->more = one.more;
  }
  return all;
}

Related related_queue(const Json& cluster_queue, const std::vector<QuotaNamed>& named) {
  Related one;
  one.source = Teller::admission;
  one.kind = "ClusterQueue";
  one.name = clean(text_at(cluster_queue, {"metadata", "name"}), 253);
  std::string cohort = text_at(cluster_queue, {"spec", "cohort"});
  if (cohort.empty()) cohort = text_at(cluster_queue, {"spec", "cohortName"});  // since v1beta2
  for (const QuotaNamed& of : named) {
    if (!one.text.empty()) one.text += "; ";
    one.text += quota_text(cluster_queue, of, !cohort.empty());
  }
  if (!cohort.empty()) one.text += "; cohort " + clean(cohort, 253);
  one.text = clean(one.text, kMostOfQueue);
  one.makes_room = raise_command(cluster_queue, one.name, named);
  return one;
}

}  // namespace tessera::kubernetes
