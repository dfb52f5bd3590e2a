// The roles that `tessera doctor --rbac` prints, held against what tessera asks an API server: all of it is
// allowed by them, and a user who has nothing else can look, and change.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "backends/kubernetes/rights.hpp"
#include "engine/yaml.hpp"
#include "tests/backends/kubernetes/kube_lab.hpp"
#include "tests/e2e/kube_change_lab.hpp"

namespace tessera::test {
namespace rbac_test {

struct Access {
  std::string verb, group, resource, name_space, name;  // resource: "pods/eviction"
};

struct Granted {
  std::vector<std::string> verbs, groups, resources, names;
  std::string name_space;  // empty: in all
};

bool has(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool allows(const std::vector<Granted>& rules, const Access& wanted) {
  return std::any_of(rules.begin(), rules.end(), [&](const Granted& rule) {
    return has(rule.verbs, wanted.verb) && has(rule.groups, wanted.group) &&
           has(rule.resources, wanted.resource) && (rule.names.empty() || has(rule.names, wanted.name)) &&
           (rule.name_space.empty() || rule.name_space == wanted.name_space);
  });
}

std::vector<std::string> words_of(const Yaml& rule, const char* key) {
  std::vector<std::string> words;
  if (const Yaml* list = rule.find(key))
    for (const Yaml& one : list->items) words.push_back(one.scalar);
  return words;
}

// Of all ClusterRoles and Roles of the text. Those that no binding gives to anyone do not count.
std::vector<Granted> rules_in(const std::string& text) {
  std::vector<Granted> rules;
  std::vector<std::string> bound;
  std::string one;
  std::istringstream lines(text + "---\n");
  std::vector<Yaml> documents;
  for (std::string line; std::getline(lines, line);) {
    if (line != "---") {
      one += line + "\n";
      continue;
    }
    auto parsed = parse_yaml(one, "roles");
    EXPECT_TRUE(parsed) << to_line(parsed.error());
    if (parsed) documents.push_back(std::move(*parsed));
    one.clear();
  }
  const auto text_of = [](const Yaml& yaml, const char* outer, const char* inner) {
    const Yaml* at = yaml.find(outer);
    const Yaml* found = at ? at->find(inner) : nullptr;
    return found ? found->scalar : std::string();
  };
  const auto key_of = [&](const std::string& kind, const std::string& name, const Yaml& document) {
    return kind + " " + name + " " + (kind == "Role" ? text_of(document, "metadata", "namespace") : "");
  };
  for (const Yaml& document : documents)
    if (document.find("roleRef"))
      bound.push_back(
          key_of(text_of(document, "roleRef", "kind"), text_of(document, "roleRef", "name"), document));
  for (const Yaml& document : documents) {
    const Yaml* list = document.find("rules");
    if (!list) continue;
    EXPECT_TRUE(
        has(bound, key_of(document.find("kind")->scalar, text_of(document, "metadata", "name"), document)))
        << "no binding for " << text_of(document, "metadata", "name");
    for (const Yaml& rule : list->items)
      rules.push_back({words_of(rule, "verbs"), words_of(rule, "apiGroups"), words_of(rule, "resources"),
                       words_of(rule, "resourceNames"), text_of(document, "metadata", "namespace")});
  }
  return rules;
}

std::vector<Granted> printed(std::vector<std::string> more) {
  more.insert(more.begin(), {"doctor", "--rbac"});
  const Ran ran = run_tessera(more);
  EXPECT_EQ(ran.code, 0) << ran.err;
  return rules_in(ran.out);
}

// nullopt: no resource's: what the server serves, and its version, everyone may read.
std::optional<Access> access_of(const std::string& method, const std::string& target) {
  const std::string path = target.substr(0, target.find('?'));
  std::vector<std::string> parts;
  std::istringstream stream(path);
  for (std::string part; std::getline(stream, part, '/');)
    if (!part.empty()) parts.push_back(part);
  if (parts.size() < 3) return std::nullopt;
  Access access;
  std::size_t at = 2;
  if (parts[0] == "apis") access.group = parts[1], at = 3;
  if (parts.size() <= at) return std::nullopt;
  if (parts[at] == "namespaces" && parts.size() > at + 2) access.name_space = parts[at + 1], at += 2;
  access.resource = parts[at];
  if (parts.size() > at + 1) access.name = parts[at + 1];
  if (parts.size() > at + 2) access.resource += "/" + parts[at + 2];
  const bool watch = target.find("watch=1") != std::string::npos;
  access.verb = method == "POST"      ? "create"
                : method == "PATCH"   ? "patch"
                : method == "DELETE"  ? "delete"
                : watch               ? "watch"
                : access.name.empty() ? "list"
                                      : "get";
  return access;
}

TEST(Roles, AllowEachCallThatLookingMakesAndPrometheusToo) {
  using namespace kubernetes;
  LabApi api;
  api.nodes = {{"a", gpu_node("a")}};
  api.pods = {{"p", gpu_pod("p", "a", 2)},
              {"q", R"({"metadata":{"namespace":"team","name":"q","resourceVersion":"1"},"spec":{)"
                    R"("volumes":[{"persistentVolumeClaim":{"claimName":"data"}}],"containers":[{)"
                    R"("resources":{"limits":{"nvidia.com/gpu":"1"}}}]},"status":{"phase":"Pending"}})"}};
  api.instead = [&](const std::string& path, const std::string&) -> std::optional<LabApi::Answer> {
    if (path == "/api/v1/namespaces/team/pods/q") return LabApi::Answer{200, api.pods.at("q"), {}};
    if (path == "/apis/nvidia.com/v1alpha1")
      return LabApi::Answer{200, R"({"resources":[{"name":"gpuclusters","kind":"GPUCluster"}]})", {}};
    return std::nullopt;
  };
  KubernetesOptions options = kubernetes::at(api.script().socket());
  options.prometheus = figures::ServicePlace{"monitoring", "prometheus", "web", true};
  KubeWatch watch(options);
  ASSERT_TRUE(watch.until(loaded));
  watch.backend().look_into(WorkloadId("team/q"), [](const Details&) {});
  ASSERT_TRUE(watch.until([&](const Cluster&) { return api.count("/persistentvolumeclaims/data") > 0; }));
  const auto with = printed({"--prometheus", "monitoring/https:prometheus:web,http://prometheus.site:9090"});
  const auto without = printed({});
  std::size_t asked = 0, proxied = 0;
  for (const HttpScript::Asked& one : api.script().asked()) {
    const auto access = access_of(one.method, one.target);
    if (!access) continue;
    ++asked;
    EXPECT_TRUE(allows(with, *access)) << one.method << " " << one.target;
    const bool proxy = access->resource == "services/proxy";
    proxied += proxy;
    EXPECT_EQ(allows(without, *access), !proxy) << one.target;
  }
  EXPECT_GT(asked, 15u);
  EXPECT_GT(proxied, 0u);
  EXPECT_FALSE(allows(with, {"get", "", "services/proxy", "monitoring", "grafana:80"}))
      << "of that one alone";
  EXPECT_FALSE(allows(with, {"get", "", "services/proxy", "default", "https:prometheus:web"}));
}

TEST(Roles, AllowWhatARunIsReviewedFor) {
  const auto look = printed({}), change = printed({"--write"});
  const auto driver = printed({"--write", "--operator-namespace", "dra-driver"});
  operators::OperatorSetup site;
  site.ns = "gpu-operator";
  site.dra_ns = "dra-driver";
  site.rules_api = "v1beta2";
  for (const kubernetes::Right& right : kubernetes::rights_to_change(site)) {
    const Access wanted{right.verb, right.group,
                        right.resource + (right.subresource.empty() ? "" : "/" + right.subresource),
                        right.name_space, ""};
    EXPECT_TRUE(allows(right.name_space == site.dra_ns ? driver : change, wanted)) << right.text();
    EXPECT_FALSE(allows(look, wanted) && right.verb != "get") << right.text();
  }
}

TEST(Roles, ASettingThatNamesNoServiceIsRefused) {
  for (const char* wrong : {"prometheus:9090", "monitoring/prometheus", "mon itoring/p:9090",
                            "a/b:1\nkind: x", "monitoring/p:9090]", "mon:itoring/p:1", "m/p:9090,n/q:9090"}) {
    const Ran ran = run_tessera({"doctor", "--rbac", "--prometheus", wrong});
    EXPECT_EQ(ran.code, 2) << wrong << "\n" << ran.out;
    EXPECT_EQ(ran.out, "") << wrong;
  }
  const Ran url = run_tessera({"doctor", "--rbac", "--prometheus", "http://prometheus.site:9090"});
  EXPECT_EQ(url.code, 0);
  EXPECT_EQ(url.out.find("services/proxy"), std::string::npos) << "a Slurm cluster's needs no right";
}

class RolesAtWork : public KubeChangeLab {
 protected:
  // "lab-viewer" and "lab-changer" have what is printed for them and nothing else.
  void serve_with_roles() {
    sim::kube::ServeOptions options = kube_lab(folder_, R"(
      - {name: late, namespace: training, want: "nvidia.com/gpu:2", runs: 9d, does: training}
)");
    options.users = {{"viewer", 0, sim_rules(printed({}))}, {"changer", 0, sim_rules(printed({"--write"}))}};
    serve(std::move(options));
  }
  static std::vector<sim::kube::Rule> sim_rules(const std::vector<Granted>& rules) {
    std::vector<sim::kube::Rule> all;
    for (const Granted& rule : rules) {
      sim::kube::Rule one;
      one.verbs = rule.verbs;
      one.ns = rule.name_space;
      for (const std::string& group : rule.groups)
        for (const std::string& resource : rule.resources) {
          const std::size_t slash = std::min(resource.find('/'), resource.size());
          one.resources.push_back(resource.substr(0, slash) + (group.empty() ? "" : "." + group) +
                                  resource.substr(slash));
        }
      all.push_back(std::move(one));
    }
    return all;
  }
};

TEST_F(RolesAtWork, AViewerSeesEverythingAndAChangerChangesAndGoesBack) {
  serve_with_roles();
  for (const char* who : {"lab-viewer", "lab-changer"}) {
    const Ran seen = run({"doctor", "--context", who});
    EXPECT_EQ((seen.out + seen.err).find("not allowed"), std::string::npos) << seen.out << seen.err;
    EXPECT_EQ((seen.out + seen.err).find("not reported"), std::string::npos) << seen.out;
  }
  const Ran why = run({"why", "training/late", "--context", "lab-viewer"});
  EXPECT_EQ((why.out + why.err).find("not allowed"), std::string::npos) << why.out << why.err;
  const Ran missing = run({"doctor", "--write", "--context", "lab-viewer"});
  EXPECT_NE(missing.out.find("create pods/eviction"), std::string::npos) << missing.out;
  const Ran complete = run({"doctor", "--write", "--context", "lab-changer"});
  EXPECT_EQ(complete.out.find("not allowed"), std::string::npos) << complete.out;
  const Ran cut =
      apply({"--node", "h1", "--preset", "all-1g.10gb", "--way", "cancel", "--context", "lab-changer"});
  ASSERT_EQ(cut.code, 0) << cut.out << cut.err;
  const Ran shared =
      apply({"--node", "t1", "--strategy", "time-slicing", "--replicas", "4", "--context", "lab-changer"});
  EXPECT_EQ(shared.code, 0) << shared.out << shared.err;
  const Ran restarted =
      run({"node", "restart-plugin", "t1", "--write", "--yes", "-o", "json", "--context", "lab-changer"});
  EXPECT_EQ(restarted.code, 0) << restarted.out << restarted.err;
  const Ran back = run({"undo", run_of(cut), "--write", "--yes", "-o", "json", "--context", "lab-changer"});
  EXPECT_EQ(back.code, 0) << back.out << back.err;
}

}  // namespace rbac_test
}  // namespace tessera::test
