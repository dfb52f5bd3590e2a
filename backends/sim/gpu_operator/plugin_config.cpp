#include "backends/sim/gpu_operator/plugin_config.hpp"

#include <fmt/format.h>

#include "engine/text.hpp"
#include "engine/yaml.hpp"

namespace tessera::sim::kube {
namespace {

constexpr std::string_view kPrefix = "nvidia.com/";
constexpr std::size_t kMostResources = 64;
constexpr std::size_t kLongestName = 63;

class Reader {
 public:
  explicit Reader(std::string_view key) : key_(key) {}

  Result<PluginConfig> read(const Yaml& root) {
    PluginConfig config;
    const Yaml* version = root.find("version");
    if (version && version->scalar != "v1") return refuse(*version, "unknown version: " + version->scalar);
    if (const Yaml* flags = root.find("flags"))
      if (const Yaml* strategy = flags->find("migStrategy")) {
        config.strategy = sharing::parse_strategy(strategy->scalar);
        if (!config.strategy || *config.strategy == sharing::MigStrategy::none_with_operator)
          return refuse(*strategy, "unknown MIG strategy: " + strategy->scalar);
      }
    const Yaml* sharing = root.find("sharing");
    if (!sharing || sharing->is_null()) return config;
    // With both, MPS is what counts.
    for (auto [word, method] :
         {std::pair("timeSlicing", Strategy::time_slicing), std::pair("mps", Strategy::mps)})
      if (const Yaml* shared = sharing->find(word); shared && !shared->is_null())
        if (Status ok = read_shared(*shared, method, config); !ok) return ok.error();
    return config;
  }

 private:
  Error refuse(const Yaml& at, std::string_view why) const {
    return yaml_error("the device plugin cannot read its configuration", key_, at, clean(why, 300));
  }

  Status read_shared(const Yaml& shared, Strategy method, PluginConfig& config) {
    config.method = method;
    config.replicas.clear();
    const Yaml* rename = shared.find("renameByDefault");
    config.rename = rename && rename->as_bool().value_or(false);
    const Yaml* refuses = shared.find("failRequestsGreaterThanOne");
    config.refuses_several = (refuses ? refuses->as_bool() : std::nullopt).value_or(method == Strategy::mps);
    const Yaml* list = shared.find("resources");
    if (!list || list->kind != Yaml::Kind::list || list->items.empty())
      return refuse(list ? *list : shared, "no resources specified");
    if (list->items.size() > kMostResources) return refuse(*list, "too many resources");
    for (const Yaml& one : list->items)
      if (Status ok = read_resource(one, config); !ok) return ok;
    return Done{};
  }

  Status read_resource(const Yaml& one, PluginConfig& config) {
    const Yaml* name = one.find("name");
    const Yaml* replicas = one.find("replicas");
    if (!name || name->scalar.empty()) return refuse(one, "no resource name specified");
    if (!replicas || !replicas->as_int()) return refuse(one, "no replicas specified");
    if (*replicas->as_int() < 2) return refuse(*replicas, "number of replicas must be >= 2");
    if (*replicas->as_int() > 1'000'000) return refuse(*replicas, "number of replicas is out of range");
    std::string full = name->scalar;
    if (!full.starts_with(kPrefix)) full = std::string(kPrefix) + full;
    if (full.size() > kLongestName || !is_name(std::string_view(full).substr(kPrefix.size())))
      return refuse(*name, "incorrect format for resource name: " + full);
    for (const char* ignored : {"rename", "devices"})
      if (one.find(ignored))
        config.warnings.push_back(fmt::format(
            "Customizing the '{}' field in sharing.resources is not yet supported in the config. Ignoring...",
            ignored));
    config.replicas[full] = static_cast<int>(*replicas->as_int());
    return Done{};
  }

  static bool is_name(std::string_view text) {
    if (text.empty()) return false;
    for (char c : text) {
      bool good = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
      if (!good) return false;
    }
    return text.front() != '-' && text.front() != '.' && text.back() != '-' && text.back() != '.';
  }

  std::string_view key_;
};

}  // namespace

int PluginConfig::replicas_of(const std::string& resource) const {
  auto found = replicas.find(resource);
  return method == Strategy::whole || found == replicas.end() ? 1 : found->second;
}

Result<PluginConfig> parse_plugin_config(std::string_view yaml, std::string_view key) {
  Result<Yaml> root = parse_yaml(yaml, key);
  if (!root) return root.error();
  if (root->kind != Yaml::Kind::map)
    return yaml_error("the device plugin cannot read its configuration", key, *root, "a map is expected");
  return Reader(key).read(*root);
}

}  // namespace tessera::sim::kube
