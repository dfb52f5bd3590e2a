#include "backends/kubernetes/objects/kueue_quota.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backends/kubernetes/api.hpp"
#include "backends/kubernetes/objects/related.hpp"
#include "engine/text.hpp"

namespace tessera::kubernetes {
namespace {

constexpr std::size_t kMostOfQueue = 600;

std::string_view word_at(std::string_view text, std::size_t at) {
  const std::size_t end = text.find_first_of(" ,;", at);
  return text.substr(at, end == text.npos ? text.npos : end - at);
}

const Json* entry_named(const Json* list, std::string_view name) {
  if (!list) return nullptr;
  const auto found = std::find_if(list->items.begin(), list->items.end(),
                                  [&](const Json& one) { return text_at(one, {"name"}) == name; });
  return found == list->items.end() ? nullptr : &*found;
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

}  // namespace

std::vector<QuotaNamed> quotas_named(std::string_view message) {
  constexpr std::string_view kFlavor = " in flavor ", kFor = " for ";
  std::vector<QuotaNamed> all;
  for (std::size_t in = message.find(kFlavor); in != message.npos; in = message.find(kFlavor, in + 1)) {
    const std::size_t begin = message.rfind(kFor, in);
    if (begin == message.npos || all.size() == kMostLinks) continue;
    const std::string_view resource = word_at(message, begin + kFor.size());
    QuotaNamed one{clean(resource, 320), clean(word_at(message, in + kFlavor.size()), 253)};
    if (begin + kFor.size() + resource.size() != in || one.resource.empty() || one.flavor.empty()) continue;
    if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(std::move(one));
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
  return one;
}

}  // namespace tessera::kubernetes
