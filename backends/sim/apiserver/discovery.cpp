#include "backends/sim/apiserver/discovery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "engine/text.hpp"

namespace tessera::sim::kube {
namespace {

// "kubernetes v1.32.2" → "v1.32.2".
std::string git_version(std::string_view version) {
  std::size_t v = version.rfind('v');
  std::string text = v == std::string_view::npos ? "v1.32.2" : clean(version.substr(v), 64);
  return text.find('.') == std::string::npos ? "v1.32.2" : text;
}

Json version_of(std::string_view told) {
  std::string version = git_version(told);
  std::size_t dot = version.find('.'), second = std::min(version.find('.', dot + 1), version.size());
  return object({{"major", text(version.substr(1, dot - 1))},
                 {"minor", text(version.substr(dot + 1, second - dot - 1))},
                 // As build metadata (semver.org 2.0.0), which kubectl and its like pass over.
                 {"gitVersion", text(version + "+tessera-sim")},
                 {"gitCommit", text("0000000000000000000000000000000000000000")},
                 {"gitTreeState", text("clean")},
                 {"buildDate", text("1970-01-01T00:00:00Z")},
                 {"goVersion", text("go1.23.6")},
                 {"compiler", text("gc")},
                 {"platform", text("linux/amd64")}});
}

Json names(std::initializer_list<const char*> list) {
  Json json = Json::list();
  for (const char* one : list) json.items.push_back(text(one));
  return json;
}

// What is served, by a server of which version.
struct Told {
  const Kinds& kinds;
  std::string_view version;
};

// Groups and their versions, in the order of the kinds.
std::vector<std::pair<std::string_view, std::vector<std::string_view>>> groups(const Told& told) {
  std::vector<std::pair<std::string_view, std::vector<std::string_view>>> all;
  for (const ResourceKind& kind : told.kinds.all()) {
    if (kind.group.empty() || !kind.is_served_by(told.version)) continue;
    auto group =
        std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.first == kind.group; });
    if (group == all.end()) group = all.insert(all.end(), {kind.group, {}});
    if (std::find(group->second.begin(), group->second.end(), kind.version) == group->second.end())
      group->second.push_back(kind.version);
  }
  return all;
}

Json described_group(std::string_view name, const std::vector<std::string_view>& versions, bool alone) {
  Json list = Json::list();
  for (std::string_view version : versions)
    list.items.push_back(object({{"groupVersion", text(fmt::format("{}/{}", name, version))},
                                 {"version", text(std::string(version))}}));
  Json group = Json::map();
  if (alone) {
    put(group, "kind", text("APIGroup"));
    put(group, "apiVersion", text("v1"));
  }
  put(group, "name", text(std::string(name)));
  Json preferred = list.items.front();
  put(group, "versions", std::move(list));
  put(group, "preferredVersion", std::move(preferred));
  return group;
}

void add_subresources(Json& list, const ResourceKind& kind, const Told& told) {
  auto add = [&](const char* name, const char* as, Json verbs) -> Json& {
    list.items.push_back(object({{"name", text(std::string(kind.resource) + "/" + name)},
                                 {"singularName", text("")},
                                 {"namespaced", flag(kind.namespaced)},
                                 {"kind", text(as)},
                                 {"verbs", std::move(verbs)}}));
    return list.items.back();
  };
  std::string own(kind.kind);
  if (kind.has("eviction")) {
    Json& one = add("eviction", "Eviction", names({"create"}));
    put(one, "group", text("policy"));
    put(one, "version", text(std::string(eviction_version(told.version))));
  }
  if (kind.has("log")) add("log", own.c_str(), names({"get"}));
  if (kind.has("proxy")) add("proxy", "PodProxyOptions", names({"get"}));
  if (kind.has("status")) add("status", own.c_str(), names({"get", "patch", "update"}));
}

std::optional<Json> resources_of(std::string_view group, std::string_view version, const Told& told) {
  Json list = Json::list();
  for (const ResourceKind& kind : told.kinds.all()) {
    if (kind.group != group || kind.version != version || !kind.is_served_by(told.version)) continue;
    Json verbs =
        kind.create_only
            ? names({"create"})
            : names({"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"});
    Json one = object({{"name", text(std::string(kind.resource))},
                       {"singularName", text(std::string(kind.singular))},
                       {"namespaced", flag(kind.namespaced)},
                       {"kind", text(std::string(kind.kind))},
                       {"verbs", std::move(verbs)}});
    if (!kind.short_name.empty()) put(one, "shortNames", list_of({text(std::string(kind.short_name))}));
    list.items.push_back(std::move(one));
    add_subresources(list, kind, told);
  }
  if (list.items.empty()) return std::nullopt;
  std::string gv = group.empty() ? std::string(version) : fmt::format("{}/{}", group, version);
  Json whole = object({{"kind", text("APIResourceList")}});
  if (!group.empty()) put(whole, "apiVersion", text("v1"));
  put(whole, "groupVersion", text(gv));
  put(whole, "resources", std::move(list));
  return whole;
}

// The least of OpenAPI v3 by which kubectl learns that a server checks fields itself: no schemas.
Json openapi_of(std::string_view group, std::string_view version, const Told& told) {
  Json paths = Json::map();
  for (const ResourceKind& kind : told.kinds.all()) {
    if (kind.group != group || kind.version != version || kind.create_only) continue;
    std::string prefix =
        group.empty() ? fmt::format("/api/{}", version) : fmt::format("/apis/{}/{}", group, version);
    std::string path = prefix + (kind.namespaced ? "/namespaces/{namespace}/" : "/") +
                       std::string(kind.resource) + "/{name}";
    Json gvk = object({{"group", text(std::string(group))},
                       {"kind", text(std::string(kind.kind))},
                       {"version", text(std::string(version))}});
    auto parameter = [](const char* name) {
      return object({{"name", text(name)},
                     {"in", text("query")},
                     {"schema", object({{"type", text("string")}, {"uniqueItems", flag(true)}})}});
    };
    Json patch =
        object({{"parameters",
                 list_of({parameter("dryRun"), parameter("fieldManager"), parameter("fieldValidation")})},
                {"responses", object({{"200", object({{"description", text("OK")}})}})},
                {"x-kubernetes-action", text("patch")},
                {"x-kubernetes-group-version-kind", std::move(gvk)}});
    put(paths, path, object({{"patch", std::move(patch)}}));
  }
  return object({{"openapi", text("3.0.0")},
                 {"info", object({{"title", text("Kubernetes")}, {"version", text("simulated")}})},
                 {"paths", std::move(paths)},
                 {"components", object({{"schemas", Json::map()}})}});
}

Json openapi_index(const Told& told) {
  Json paths = object({{"api/v1", object({{"serverRelativeURL", text("/openapi/v3/api/v1?hash=1")}})}});
  for (const auto& [name, versions] : groups(told))
    for (std::string_view version : versions) {
      std::string path = fmt::format("apis/{}/{}", name, version);
      put(paths, path, object({{"serverRelativeURL", text("/openapi/v3/" + path + "?hash=1")}}));
    }
  return object({{"paths", std::move(paths)}});
}

Json api_versions() {
  Json address = object({{"clientCIDR", text("0.0.0.0/0")}, {"serverAddress", text("127.0.0.1")}});
  return object({{"kind", text("APIVersions")},
                 {"versions", names({"v1"})},
                 {"serverAddressByClientCIDRs", list_of({std::move(address)})}});
}

Json all_groups(const Told& told) {
  Json list = Json::list();
  for (const auto& [name, versions] : groups(told))
    list.items.push_back(described_group(name, versions, false));
  return object({{"kind", text("APIGroupList")}, {"apiVersion", text("v1")}, {"groups", std::move(list)}});
}

std::optional<Json> tree(const std::vector<std::string>& parts, const Told& told) {
  if (parts[0] == "api") {
    if (parts.size() == 1) return api_versions();
    if (parts.size() == 2) return resources_of("", parts[1], told);
    return std::nullopt;
  }
  if (parts.size() == 1) return all_groups(told);
  if (parts.size() == 3) return resources_of(parts[1], parts[2], told);
  for (const auto& [name, versions] : groups(told))
    if (parts.size() == 2 && name == parts[1]) return described_group(name, versions, true);
  return std::nullopt;
}

}  // namespace

std::optional<Document> discover_api(const Target& target, std::string_view version, const Kinds& kinds) {
  const Told told{kinds, version};
  const std::vector<std::string>& parts = target.parts;
  if (parts.empty()) return std::nullopt;
  auto json = [](const Json& value) { return Document{"application/json", to_line(value)}; };
  if (parts[0] == "version" && parts.size() == 1) return json(version_of(version));
  if (parts[0] == "healthz" || parts[0] == "livez" || parts[0] == "readyz")
    return Document{"text/plain; charset=utf-8", "ok"};
  if (parts[0] == "openapi" && parts.size() >= 2) {
    // An older kubectl wants protobuf: a document without fields is one without schemas.
    // kubectl 1.20 refuses a type with the '@' that it asked for itself.
    if (parts[1] == "v2") return Document{"application/octet-stream", ""};
    if (parts[1] == "v3" && parts.size() == 2) return json(openapi_index(told));
    if (parts[1] == "v3" && parts.size() == 4 && parts[2] == "api")
      return json(openapi_of("", parts[3], told));
    if (parts[1] == "v3" && parts.size() == 5 && parts[2] == "apis")
      return json(openapi_of(parts[3], parts[4], told));
    return std::nullopt;
  }
  if (parts[0] != "api" && parts[0] != "apis") return std::nullopt;
  auto found = tree(parts, told);
  return found ? std::optional(json(*found)) : std::nullopt;
}

}  // namespace tessera::sim::kube
