#include "backends/sim/apiserver/rbac.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/text.hpp"

namespace tessera::sim::kube {
namespace {

constexpr std::string_view kVerbs[] = {"*",      "get",   "list",   "watch",           "create",
                                       "update", "patch", "delete", "deletecollection"};

std::vector<std::string> split(std::string_view text, char mark) {
  std::vector<std::string> parts;
  while (true) {
    std::size_t at = text.find(mark);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

bool has(const std::vector<std::string>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// "pods/eviction", "daemonsets.apps": how a rule would name it.
std::string rule_name(const Access& access) {
  std::string name = access.resource;
  if (!access.group.empty()) name += "." + access.group;
  if (!access.subresource.empty()) name += "/" + access.subresource;
  return name;
}

Error no_rule(std::string_view text) {
  return {"cannot read the rules of a user", fmt::format("\"{}\"", clean(text, 256)),
          "VERB,...:RESOURCE,...[@NAMESPACE] with ';' between rules, or all, view, none"};
}

Json texts(const std::vector<std::string>& list) {
  Json json = Json::list();
  for (const std::string& one : list) json.items.push_back(text(one));
  return json;
}

Access access_in(const Json& posted) {
  const Json* spec = at(posted, {"spec", "resourceAttributes"});
  if (!spec) return {};
  auto of = [&](std::string_view field) { return text_at(*spec, {field}); };
  Access access{of("verb"), of("group"), of("resource"), of("subresource"), of("namespace"), of("name")};
  return access;
}

Json reviewed(const Json& posted, std::string_view kind, Json status) {
  Json metadata = object({{"creationTimestamp", Json()}});
  const Json* spec = posted.find("spec");
  return object({{"kind", text(std::string(kind))},
                 {"apiVersion", text("authorization.k8s.io/v1")},
                 {"metadata", std::move(metadata)},
                 {"spec", spec ? *spec : Json::map()},
                 {"status", std::move(status)}});
}

}  // namespace

bool User::allows(const Access& access) const {
  std::string wanted = rule_name(access);
  return std::any_of(rules.begin(), rules.end(), [&](const Rule& rule) {
    bool place = rule.ns.empty() || rule.ns == access.ns;
    return place && (has(rule.verbs, "*") || has(rule.verbs, access.verb)) &&
           (has(rule.resources, "*") || has(rule.resources, wanted));
  });
}

Result<std::vector<Rule>> parse_rules(std::string_view text) {
  std::vector<Rule> rules;
  if (text == "all") return std::vector<Rule>{{{"*"}, {"*"}, ""}};
  if (text == "view") return std::vector<Rule>{{{"get", "list", "watch"}, {"*"}, ""}};
  if (text == "none" || text.empty()) return rules;
  if (text.size() > 16'384) return no_rule(text);
  for (const std::string& part : split(text, ';')) {
    std::size_t colon = part.find(':');
    if (colon == std::string::npos) return no_rule(part);
    Rule rule;
    rule.verbs = split(std::string_view(part).substr(0, colon), ',');
    std::string resources = part.substr(colon + 1);
    if (std::size_t mark = resources.find('@'); mark != std::string::npos) {
      rule.ns = resources.substr(mark + 1);
      resources.resize(mark);
      if (rule.ns.empty()) return no_rule(part);
    }
    rule.resources = split(resources, ',');
    for (const std::string& verb : rule.verbs)
      if (std::find(std::begin(kVerbs), std::end(kVerbs), verb) == std::end(kVerbs)) return no_rule(verb);
    for (const std::string& resource : rule.resources)
      if (resource.empty()) return no_rule(part);
    rules.push_back(std::move(rule));
  }
  return rules;
}

Access access_of(const Call& call) {
  return {
      call.verb, std::string(call.kind->group), std::string(call.kind->resource), call.subresource, call.ns,
      call.name};
}

Refusal forbidden(const User& user, const Access& access) {
  std::string resource = access.resource + (access.group.empty() ? "" : "." + access.group);
  std::string shown = access.resource + (access.subresource.empty() ? "" : "/" + access.subresource);
  std::string who = access.name.empty() ? resource : fmt::format("{} \"{}\"", resource, access.name);
  std::string where =
      access.ns.empty() ? "at the cluster scope" : fmt::format("in the namespace \"{}\"", access.ns);
  Refusal refusal{403, "Forbidden",
                  fmt::format("{} is forbidden: User \"{}\" cannot {} resource \"{}\" in API group \"{}\" {}",
                              who, user.name, access.verb, shown, access.group, where)};
  refusal.name = access.name;
  refusal.group = access.group;
  refusal.kind = access.resource;
  return refusal;
}

Json review_access(const User& user, const Json& posted) {
  Json status = object({{"allowed", flag(user.allows(access_in(posted)))}});
  return reviewed(posted, "SelfSubjectAccessReview", std::move(status));
}

Json review_rules(const User& user, const Json& posted) {
  std::string ns = text_at(posted, {"spec", "namespace"});
  Json rules = Json::list();
  for (const Rule& rule : user.rules) {
    if (!rule.ns.empty() && rule.ns != ns) continue;
    for (const std::string& resource : rule.resources) {
      std::string plain = resource, sub, group = resource == "*" ? "*" : "";
      if (std::size_t slash = plain.find('/'); slash != std::string::npos) {
        sub = plain.substr(slash);
        plain.resize(slash);
      }
      if (std::size_t dot = plain.find('.'); dot != std::string::npos) {
        group = plain.substr(dot + 1);
        plain.resize(dot);
      }
      rules.items.push_back(object({{"verbs", texts(rule.verbs)},
                                    {"apiGroups", texts({group})},
                                    {"resources", texts({plain + sub})}}));
    }
  }
  Json paths = list_of(
      {object({{"verbs", texts({"get"})}, {"nonResourceURLs", texts({"/api", "/apis", "/version"})}})});
  Json status = object({{"resourceRules", std::move(rules)},
                        {"nonResourceRules", std::move(paths)},
                        {"incomplete", flag(false)}});
  return reviewed(posted, "SelfSubjectRulesReview", std::move(status));
}

Json review_self(const User& user) {
  Json who = object({{"username", text(user.name)}, {"groups", texts({"system:authenticated"})}});
  return object({{"kind", text("SelfSubjectReview")},
                 {"apiVersion", text("authentication.k8s.io/v1")},
                 {"metadata", object({{"creationTimestamp", Json()}})},
                 {"status", object({{"userInfo", std::move(who)}})}});
}

}  // namespace tessera::sim::kube
