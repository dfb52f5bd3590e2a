#include "backends/kubernetes/kubeconfig.hpp"

#include <algorithm>
#include <optional>

#include "backends/files.hpp"
#include "engine/text.hpp"
#include "engine/yaml.hpp"

namespace tessera::kubernetes {
namespace {

constexpr std::size_t kMostBytes = 8u << 20;
constexpr const char* kCannotRead = "cannot read the kubeconfig";

Error cannot_read(const std::string& file, std::string reason, std::string hint = "") {
  return {kCannotRead, file + ": " + std::move(reason), std::move(hint)};
}

std::string scalar(const Yaml* map, std::string_view key) {
  const Yaml* value = map ? map->find(key) : nullptr;
  return value && value->kind == Yaml::Kind::scalar ? clean(value->scalar, 512) : "";
}

// `list` holds {name, KIND: {...}}: the inner map of the entry with that name.
const Yaml* named(const Yaml& root, std::string_view list, std::string_view kind, std::string_view name) {
  const Yaml* entries = root.find(list);
  if (!entries) return nullptr;
  for (const Yaml& entry : entries->items)
    if (scalar(&entry, "name") == name) return entry.find(kind);
  return nullptr;
}

Status take(Kubeconfig& config, std::vector<Yaml>& roots, const std::string& file, const std::string& text) {
  auto root = parse_yaml(text, file);
  if (!root) return Error{kCannotRead, root.error().reason, root.error().hint};
  if (root->kind != Yaml::Kind::map && !root->is_null()) return cannot_read(file, "it is no kubeconfig");
  config.files.push_back(file);
  if (config.current.empty()) config.current = scalar(&*root, "current-context");
  roots.push_back(std::move(*root));
  return Done{};
}

void add_contexts(Kubeconfig& config, const std::vector<Yaml>& roots) {
  for (const Yaml& root : roots) {
    const Yaml* contexts = root.find("contexts");
    if (!contexts) continue;
    for (const Yaml& entry : contexts->items) {
      Context context{scalar(&entry, "name"), scalar(entry.find("context"), "cluster"), ""};
      if (context.name.empty() || config.find(context.name)) continue;
      for (const Yaml& other : roots) {
        if (!context.server.empty()) break;
        context.server = scalar(named(other, "clusters", "cluster", context.cluster), "server");
      }
      config.contexts.push_back(std::move(context));
    }
  }
}

std::vector<std::string> paths_in(std::string_view list) {
  std::vector<std::string> paths;
  while (!list.empty()) {
    std::size_t end = std::min(list.find(':'), list.size());
    if (end > 0) paths.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return paths;
}

std::string known(const Kubeconfig& config) {
  std::string text;
  for (const Context& context : config.contexts) {
    if (text.size() > 400) return text + ", …";
    text += (text.empty() ? "" : ", ") + context.name;
  }
  return text;
}

}  // namespace

const Context* Kubeconfig::find(std::string_view name) const {
  auto found = std::find_if(contexts.begin(), contexts.end(),
                            [&](const Context& context) { return context.name == name; });
  return found == contexts.end() ? nullptr : &*found;
}

Result<Kubeconfig> read_kubeconfig(const KubeconfigPlace& place) {
  std::vector<std::string> paths;
  if (!place.given.empty())
    paths = {place.given};
  else if (!place.variable.empty())
    paths = paths_in(place.variable);
  else if (!place.home.empty())
    paths = {place.home + "/.kube/config"};
  Kubeconfig config;
  std::vector<Yaml> roots;
  for (const std::string& path : paths) {
    auto file = read_whole_file(kCannotRead, path, kMostBytes);
    if (!file) return file.error();
    if (!*file) continue;
    if (auto taken = take(config, roots, path, (*file)->text); !taken) return taken.error();
  }
  add_contexts(config, roots);
  if (!config.files.empty()) return config;
  if (!place.given.empty()) return cannot_read(place.given, "no such file");
  if (place.service_account && place.variable.empty()) {
    config.in_cluster = true;
    config.current = "in-cluster";
    config.contexts.push_back({"in-cluster", "in-cluster", ""});
    return config;
  }
  std::string reason = "neither --kubeconfig nor KUBECONFIG nor HOME is set";
  if (!paths.empty())
    reason = (place.variable.empty() ? "none at " : "KUBECONFIG names no file: ") + paths.front();
  return Error{"no kubeconfig found", std::move(reason), "name one with --kubeconfig or KUBECONFIG"};
}

Result<std::vector<Context>> choose_contexts(const Kubeconfig& config,
                                             const std::vector<std::string>& wanted) {
  std::vector<Context> chosen;
  std::string file = config.files.empty() ? "the kubeconfig" : config.files.front();
  if (wanted.empty()) {
    const Context* current = config.find(config.current);
    if (current) return std::vector{*current};
    if (config.contexts.empty()) return Error{"no cluster in the kubeconfig", file + " names no context", ""};
    return Error{"which cluster?",
                 config.current.empty() ? file + " has no current-context"
                                        : "current-context \"" + config.current + "\" does not exist",
                 "choose with --context: " + known(config)};
  }
  for (const std::string& name : wanted) {
    const Context* context = config.find(name);
    if (!context)
      return Error{"no such context", "\"" + clean(name, 128) + "\" is not in " + file,
                   config.contexts.empty() ? "it names none" : "known: " + known(config)};
    bool twice =
        std::any_of(chosen.begin(), chosen.end(), [&](const Context& one) { return one.name == name; });
    if (!twice) chosen.push_back(*context);
  }
  return chosen;
}

std::string shown_name(const Context& context, const std::vector<std::string>& taken) {
  const std::string own = clean(context.name, 128);
  auto is_taken = [&](const std::string& name) {
    return std::find(taken.begin(), taken.end(), name) != taken.end();
  };
  std::string name = own;
  for (int count = 1; is_taken(name); ++count)
    name = own + (count == 1 ? " (kubernetes)" : " (kubernetes " + std::to_string(count) + ")");
  return name;
}

}  // namespace tessera::kubernetes
