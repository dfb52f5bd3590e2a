#include "backends/kubernetes/rights.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <ranges>

#include "backends/kubernetes/api.hpp"
#include "engine/json.hpp"

namespace tessera::kubernetes {
namespace {

constexpr const char* kHint = "tessera doctor --rbac --write prints the role that changing nodes needs";

struct Reviews {
  std::size_t open = 0;
  std::map<std::size_t, std::string> missing;  // by place in the question: answers come in any order
  std::string unknown;                         // why the first that failed could not be asked
  RightsTold told;
};

HttpCall question(const Right& right) {
  Json attributes = Json::map();
  auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) attributes.add(key, Json::of(value));
  };
  add("verb", right.verb);
  add("group", right.group);
  add("resource", right.resource);
  add("subresource", right.subresource);
  add("namespace", right.name_space);
  Json body = nested({"spec", "resourceAttributes"}, std::move(attributes));
  body.add("apiVersion", Json::of(std::string("authorization.k8s.io/v1")));
  body.add("kind", Json::of(std::string("SelfSubjectAccessReview")));
  HttpCall call;
  call.method = "POST";
  call.target = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  call.headers = {{"Content-Type", "application/json"}};
  call.body = to_line(body);
  return call;
}

// nullopt: the answer does not tell.
std::optional<bool> is_allowed(const Result<HttpResponse>& answer) {
  if (!answer || (answer->status != 200 && answer->status != 201)) return std::nullopt;
  auto body = parse_json(answer->body, "the answer");
  const Json* allowed = body ? at(*body, {"status", "allowed"}) : nullptr;
  if (!allowed || allowed->kind != Json::Kind::boolean) return std::nullopt;
  return allowed->boolean;
}

std::optional<Remark> verdict(const Reviews& reviews) {
  if (!reviews.missing.empty())
    return Remark{Remark::Grade::warning, "", false,
                  fmt::format("not allowed to {}: a run would stop before it changes anything",
                              fmt::join(std::views::values(reviews.missing), ", ")),
                  kHint};
  if (!reviews.unknown.empty())
    return Remark{Remark::Grade::warning, "", false,
                  "it is not known whether nodes may be changed: " + reviews.unknown, kHint};
  return std::nullopt;
}

}  // namespace

std::string Right::text() const {
  std::string what = resource + (subresource.empty() ? "" : "/" + subresource);
  return verb + " " + what + (name_space.empty() ? "" : " in " + name_space);
}

std::vector<Right> rights_to_change(const operators::OperatorSetup& site) {
  std::vector<Right> all = {{"patch", "", "nodes", "", ""},
                            {"create", "", "pods", "eviction", ""},
                            {"patch", "nvidia.com", "clusterpolicies", "", ""}};
  if (!site.dra_ns.empty() && site.dra_ns != site.ns) all.push_back({"delete", "", "pods", "", site.dra_ns});
  if (!site.dra_ns.empty() && !site.rules_api.empty())
    for (const char* verb : {"create", "get", "delete"})
      all.push_back({verb, "resource.k8s.io", "devicetaintrules", "", ""});
  if (site.ns.empty()) return all;
  for (const char* verb : {"create", "patch"}) all.push_back({verb, "", "configmaps", "", site.ns});
  all.push_back({"delete", "", "pods", "", site.ns});
  all.push_back({"get", "", "pods", "log", site.ns});
  return all;
}

void review_rights(HttpClient& client, std::vector<Right> rights, RightsTold told) {
  auto reviews = std::make_shared<Reviews>();
  reviews->open = rights.size();
  reviews->told = std::move(told);
  std::size_t place = 0;
  for (Right& right : rights)
    client.request(question(right), [reviews, right, place = place++](Result<HttpResponse> answer) {
      const auto allowed = is_allowed(answer);
      if (!allowed && reviews->unknown.empty())
        reviews->unknown = answer ? fmt::format("HTTP {}", answer->status) : to_line(answer.error());
      if (allowed == false) reviews->missing.emplace(place, right.text());
      if (--reviews->open == 0) reviews->told(verdict(*reviews));
    });
}

}  // namespace tessera::kubernetes
