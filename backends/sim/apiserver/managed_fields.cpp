#include "backends/sim/apiserver/managed_fields.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::sim::kube {
namespace {

constexpr std::string_view kEntries = "managedFields";
constexpr std::string_view kNotedParts[] = {"labels", "annotations"};

// Keys of a map of texts that are another one in `fresh`, or not there any more.
struct Difference {
  std::vector<std::string> set, gone;
};
Difference difference_of(const Json& old, const Json& fresh, std::string_view part) {
  const Json none = Json::map();
  const Json* before = at(old, {"metadata", part});
  const Json* now = at(fresh, {"metadata", part});
  if (!before) before = &none;
  if (!now) now = &none;
  Difference all;
  for (const auto& [key, value] : now->fields) {
    const Json* was = before->find(key);
    if (!was || !(*was == value)) all.set.push_back(key);
  }
  for (const auto& [key, value] : before->fields)
    if (!now->find(key)) all.gone.push_back(key);
  return all;
}

void forget(Json& entries, std::string_view part, const std::vector<std::string>& keys) {
  for (Json& entry : entries.items) {
    Json* fields = member(entry, "fieldsV1");
    Json* metadata = fields ? member(*fields, "f:metadata") : nullptr;
    Json* written = metadata ? member(*metadata, "f:" + std::string(part)) : nullptr;
    if (!written) continue;
    for (const std::string& key : keys) drop(*written, "f:" + key);
    if (written->fields.empty()) drop(*metadata, "f:" + std::string(part));
    if (metadata->fields.empty()) drop(*fields, "f:metadata");
  }
}

bool says_nothing(const Json& entry) {
  const Json* fields = entry.find("fieldsV1");
  return fields && fields->kind == Json::Kind::map && fields->fields.empty();
}

}  // namespace

std::string manager_of(std::string_view field_manager, std::string_view user_agent) {
  constexpr std::size_t kLongest = 128;
  if (!field_manager.empty()) return clean(field_manager, kLongest);
  return clean(user_agent.substr(0, user_agent.find('/')), kLongest);
}

Json& entry_of(Json& object, std::string_view manager, TimePoint now) {
  Json& metadata = child(object, "metadata");
  if (!member(metadata, kEntries)) put(metadata, kEntries, Json::list());
  Json& entries = *member(metadata, kEntries);
  auto own = std::find_if(entries.items.begin(), entries.items.end(),
                          [&](const Json& entry) { return view_at(entry, {"manager"}) == manager; });
  if (own == entries.items.end())
    own = entries.items.insert(own, kube::object({{"manager", text(std::string(manager))},
                                                  {"operation", text("Update")},
                                                  {"apiVersion", text("v1")},
                                                  {"time", text("")},
                                                  {"fieldsType", text("FieldsV1")},
                                                  {"fieldsV1", Json::map()}}));
  put(*own, "time", text(utc_text(now)));
  return *own;
}

void note_write(const Json& old, Json& fresh, std::string_view manager, TimePoint now) {
  const Json* before = at(old, {"metadata", kEntries});
  const Json* given = at(fresh, {"metadata", kEntries});
  if (given && (!before || !(*given == *before))) return;
  if (before && !given) put(child(fresh, "metadata"), kEntries, *before);
  for (std::string_view part : kNotedParts) {
    const Difference changed = difference_of(old, fresh, part);
    if (Json* entries = member(child(fresh, "metadata"), kEntries))
      forget(*entries, part, changed.set), forget(*entries, part, changed.gone);
    if (changed.set.empty()) continue;
    Json& fields = child(child(entry_of(fresh, manager, now), "fieldsV1"), "f:metadata");
    for (const std::string& key : changed.set)
      put(child(fields, "f:" + std::string(part)), "f:" + key, Json::map());
  }
  Json* entries = member(child(fresh, "metadata"), kEntries);
  if (!entries) return;
  std::erase_if(entries->items, says_nothing);
  if (entries->items.empty()) drop(child(fresh, "metadata"), kEntries);
}

}  // namespace tessera::sim::kube
