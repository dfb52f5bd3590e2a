#include "backends/sim/apiserver/schema.hpp"

#include <algorithm>
#include <span>
#include <string_view>

#include "engine/text.hpp"

namespace tessera::sim::kube {
namespace {

constexpr std::string_view kKnownMetaFields =
    "name generateName namespace selfLink uid generation labels creationTimestamp finalizers "
    "deletionGracePeriodSeconds annotations managedFields resourceVersion ownerReferences deletionTimestamp "
    "clusterName";
constexpr KnownFields kMetaFields{"metadata", kKnownMetaFields};
constexpr KnownFields kEvictionParts[] = {
    {"", "apiVersion kind metadata deleteOptions"},
    {"deleteOptions",
     "apiVersion kind gracePeriodSeconds preconditions orphanDependents propagationPolicy dryRun"},
    {"deleteOptions preconditions", "uid resourceVersion"},
};

bool lists(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    std::size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(words.size(), end + 1));
  }
  return false;
}

// The map at that path; nullptr: there is none.
template <class Value>
Value* part_at(Value& object, std::string_view path) {
  Value* at = &object;
  while (at && !path.empty()) {
    std::size_t end = std::min(path.find(' '), path.size());
    auto field = std::find_if(at->fields.begin(), at->fields.end(),
                              [&](const auto& one) { return one.first == path.substr(0, end); });
    at = field == at->fields.end() ? nullptr : &field->second;
    path.remove_prefix(std::min(path.size(), end + 1));
  }
  return at && at->kind == Json::Kind::map ? at : nullptr;
}

void find_unknown(const Json& object, const KnownFields& part, std::vector<std::string>& unknown) {
  const Json* map = part_at(object, part.path);
  if (!map) return;
  std::string prefix(part.path);
  std::replace(prefix.begin(), prefix.end(), ' ', '.');
  if (!prefix.empty()) prefix += '.';
  for (const auto& [name, value] : map->fields)
    if (!lists(part.fields, name)) unknown.push_back(prefix + clean(name, 253));
}

}  // namespace

std::vector<std::string> unknown_fields(const ResourceKind& kind, const Json& object) {
  std::vector<std::string> unknown;
  for (const KnownFields& part : kind.known) find_unknown(object, part, unknown);
  find_unknown(object, kMetaFields, unknown);
  return unknown;
}

std::vector<std::string> unknown_in_eviction(const Json& eviction) {
  std::vector<std::string> unknown;
  for (const KnownFields& part : kEvictionParts) find_unknown(eviction, part, unknown);
  find_unknown(eviction, kMetaFields, unknown);
  return unknown;
}

void prune(const ResourceKind& kind, Json& object) {
  for (const KnownFields& part : kind.known) {
    if (Json* map = part_at(object, part.path))
      std::erase_if(map->fields, [&](const auto& one) { return !lists(part.fields, one.first); });
  }
}

}  // namespace tessera::sim::kube
