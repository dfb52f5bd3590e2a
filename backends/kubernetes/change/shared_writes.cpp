#include "backends/kubernetes/change/shared_writes.hpp"

#include <fmt/format.h>

#include "backends/kubernetes/change/site_reader.hpp"
#include "engine/operators/fleet.hpp"
#include "engine/operators/labels.hpp"
#include "engine/operators/mig_parted.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/text.hpp"

namespace tessera::kubernetes {
namespace {

using operators::SharedWrite;

constexpr const char* kPlanAgain = "plan again from the current layout: tessera resume RUN --replan";

// Reads the site for this write alone. What was known before does not count.
void while_it_holds(const Place& place, const SharedWrite& shared, const Ended& ended,
                    std::function<void()> write) {
  read_site(place.api, nullptr, place.clock(),
            [catalogue = place.catalogue, shared, ended, write = std::move(write)](const SitePtr& now) {
              if (auto why = operators::why_not_shared(*now, shared, catalogue))
                return ended(Error{"cannot change what other nodes share", *why, kPlanAgain});
              write();
            });
}

// Journals of earlier versions do not tell what the plan found; without the namespace nothing can be named.
std::optional<Error> why_unprepared(const Place& place, const plan::Special& act) {
  const char* what = "cannot change what other nodes share";
  if (!place.site || place.site->ns.empty())
    return Error{what, "the GPU operator's namespace is not known", "try again"};
  if (!act.arguments.contains("found"))
    return Error{what, "the plan does not name the ConfigMap that was in use", kPlanAgain};
  return std::nullopt;
}

// Adds `key` to a ConfigMap as it is now. make: the key's new text from the one that stands; an equal text
// is left alone. whole: all of it, where there is none yet; null: it must be there.
using Make = std::function<Result<std::string>(const std::string& text)>;
void add_to_map(const Place& place, const std::string& map, const std::string& key, const Make& make,
                const Json& whole, const Ended& ended) {
  std::string ns = place.site->ns;
  place.api->get(map_target(ns, map), [api = place.api, ended, ns, map, key, make, whole](Answer told) {
    if (told.status == 404 && !whole.is_null())
      return api->post(map_target(ns, ""), whole, [ended](Answer made) { answer(ended, std::move(made)); });
    if (!told.ok()) return ended(told.error);
    std::string before = text_at(told.body, {"data", key});
    Result<std::string> after = make(before);
    if (!after) return ended(after.error());
    if (*after == before) return ended(Done{});
    Json patch = nested({"data", key}, Json::of(*after));
    patch.add("metadata",
              nested({"resourceVersion"}, Json::of(text_at(told.body, {"metadata", "resourceVersion"}))));
    api->patch(map_target(ns, map), patch, [ended](Answer written) { answer(ended, std::move(written)); });
  });
}

Json new_map(const std::string& ns, const std::string& name, const std::map<std::string, std::string>& data) {
  Json map = Json::map();
  map.add("apiVersion", Json::of(std::string("v1")));
  map.add("kind", Json::of(std::string("ConfigMap")));
  Json& meta = map.add("metadata", Json::map());
  meta.add("name", Json::of(name));
  meta.add("namespace", Json::of(ns));
  meta.add("labels", nested({"app.kubernetes.io/managed-by"}, Json::of(std::string("tessera"))));
  map.add("data", texts_or_null(data));
  return map;
}

std::string_view component(bool mig) { return mig ? "migManager" : "devicePlugin"; }

// On what was just read of the policy, so that another's change of it is not overwritten.
void point(const Place& place, const std::string& policy, const Json& patch, const SharedWrite& shared,
           const Ended& ended) {
  place.api->get(policy, [api = place.api, policy, patch, shared, ended](Answer told) {
    if (!told.ok()) return ended(told.error);
    std::string names = text_at(told.body, {"spec", component(shared.mig), "config", "name"});
    if (names == shared.map) return ended(Done{});
    if (names == kStaticMap) names.clear();
    if (names != shared.found)
      return ended(Error{"cannot let the operator read " + shared.map,
                         fmt::format("the ClusterPolicy names {} by now", clean(names, 253)), kPlanAgain});
    Json body = patch;
    child(body, "metadata")
        .add("resourceVersion", Json::of(text_at(told.body, {"metadata", "resourceVersion"})));
    api->patch(policy, body, [ended](Answer written) { answer(ended, std::move(written)); });
  });
}

}  // namespace

void write_mig_config(const Place& place, const std::string& node, const plan::Special& act, Ended ended) {
  if (auto why = why_unprepared(place, act)) return ended(*why);
  std::string map = plan::argument_of(act, "map"), text = plan::argument_of(act, "text"),
              key(operators::kMigKey);
  auto entry = operators::parse_mig_document(plan::argument_of(act, "entry"), "entry");
  if (!entry) return ended(entry.error());
  operators::MigConfig config = entry->configs.front();
  if (operators::name_of(config.rows) != config.name)
    return ended(
        Error{"cannot add " + clean(config.name, 64), "its name does not fit its content", kPlanAgain});
  SharedWrite shared{true, node, map, plan::argument_of(act, "found"), std::nullopt, {}};
  if (!text.empty()) {
    auto document = operators::parse_mig_document(text, map);
    if (!document) return ended(document.error());
    shared.document = std::move(*document);
  }
  Json whole = text.empty() ? Json() : new_map(place.site->ns, map, {{key, text}});
  Make make = [config, map](const std::string& now) { return operators::with_config(now, config, map); };
  while_it_holds(place, shared, ended,
                 [place, map, key, make, whole, ended] { add_to_map(place, map, key, make, whole, ended); });
}

void write_plugin_config(const Place& place, const std::string& node, const plan::Special& act, Ended ended) {
  if (auto why = why_unprepared(place, act)) return ended(*why);
  std::string map = plan::argument_of(act, "map"), name = plan::argument_of(act, "name"),
              text = plan::argument_of(act, "text");
  std::string base = plan::argument_of(act, "base");
  SharedWrite shared{false, node, map, plan::argument_of(act, "found"), std::nullopt, {"default", name}};
  Json whole = base.empty() ? Json() : new_map(place.site->ns, map, {{"default", base}, {name, text}});
  Make make = [name, text](const std::string& now) -> Result<std::string> {
    if (now.empty() || now == text) return text;
    return Error{"cannot add " + name, "it exists with different content",
                 "another admin has edited it: give that configuration a name of its own"};
  };
  while_it_holds(place, shared, ended, [place, map, name, make, whole, ended] {
    add_to_map(place, map, name, make, whole, ended);
  });
}

void patch_policy(const Place& place, const std::string& node, const plan::Special& act, Ended ended) {
  if (auto why = why_unprepared(place, act)) return ended(*why);
  auto patch = parse_json(plan::argument_of(act, "patch"), "patch");
  if (!patch) return ended(patch.error());
  SharedWrite shared{true, node, "", plan::argument_of(act, "found"), std::nullopt, {}};
  for (bool mig : {true, false}) {
    std::string map = text_at(*patch, {"spec", component(mig), "config", "name"});
    if (map.empty()) continue;
    shared.mig = mig;
    shared.map = map;
  }
  const Json* spec = patch->find("spec");
  if (shared.map.empty() || patch->fields.size() != 1 || spec->fields.size() != 1)
    return ended(Error{"cannot change the ClusterPolicy",
                       "the patch is about more than the ConfigMap that one component reads", kPlanAgain});
  std::string policy = "/apis/nvidia.com/v1/clusterpolicies/" + url_escape(plan::argument_of(act, "policy"));
  // What the map holds now is what the nodes will read.
  place.api->get(map_target(place.site->ns, shared.map), [place, policy, patch = *patch, shared,
                                                          ended](Answer told) mutable {
    if (!told.ok()) return ended(told.error);
    if (const Json* data = at(told.body, {"data"}))
      for (const auto& [key, text] : data->fields) shared.keys.push_back(key);
    auto document =
        operators::parse_mig_document(text_at(told.body, {"data", operators::kMigKey}), shared.map);
    if (document) shared.document = std::move(*document);
    while_it_holds(place, shared, ended,
                   [place, policy, patch, shared, ended] { point(place, policy, patch, shared, ended); });
  });
}

}  // namespace tessera::kubernetes
