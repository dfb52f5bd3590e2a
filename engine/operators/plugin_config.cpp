#include "engine/operators/plugin_config.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/digest.hpp"
#include "engine/operators/labels.hpp"
#include "engine/sharing/limits.hpp"
#include "engine/sharing/rules.hpp"
#include "engine/text.hpp"
#include "engine/yaml.hpp"

namespace tessera::operators {
namespace {

constexpr std::string_view kReadingPlugin = "cannot read the device plugin's configuration";
constexpr std::string_view kWritingPlugin = "cannot make a device plugin configuration";
constexpr int kMostReplicas = 100'000;

Error wrong(std::string_view file, const Yaml& at, std::string why) {
  return yaml_error(kReadingPlugin, file, at, std::move(why));
}

// One of timeSlicing and mps; nullopt: nothing is replicated by it.
Result<std::optional<PluginSharing>> read_method(const Yaml& part, Strategy method, std::string_view file) {
  if (part.is_null()) return std::optional<PluginSharing>();
  if (part.kind != Yaml::Kind::map) return wrong(file, part, "a map is expected");
  PluginSharing sharing;
  sharing.method = method;
  for (const auto& [key, value] : part.fields) {
    if (key != "renameByDefault" && key != "failRequestsGreaterThanOne") continue;
    if (value.is_null()) continue;
    std::optional<bool> is = value.as_bool();
    if (!is) return wrong(file, value, key + " must be true or false");
    if (key == "renameByDefault")
      sharing.rename = *is;
    else
      sharing.fail_multiple = is;
  }
  const Yaml* resources = part.find("resources");
  if (!resources || resources->kind != Yaml::Kind::list || resources->items.empty())
    return wrong(file, part, "no resources specified");
  for (const Yaml& item : resources->items) {
    const Yaml* name = item.find("name");
    const Yaml* replicas = item.find("replicas");
    const std::int64_t count = replicas ? replicas->as_int().value_or(0) : 0;
    if (!name || name->kind != Yaml::Kind::scalar || name->scalar.empty())
      return wrong(file, item, "a resource needs a name");
    if (count < 2 || count > kMostReplicas) return wrong(file, item, "number of replicas must be >= 2");
    std::string resource = name->scalar;
    if (resource.find('/') == std::string::npos) resource = "nvidia.com/" + resource;
    if (resource.size() > 63) return wrong(file, *name, "a resource name has at most 63 characters");
    sharing.replicas[resource] = static_cast<int>(count);
  }
  return std::optional(std::move(sharing));
}

std::string sharing_text(const PluginSharing& sharing) {
  if (sharing.method == Strategy::whole || sharing.replicas.empty()) return "";
  std::string text =
      fmt::format("sharing:\n  {}:\n", sharing.method == Strategy::mps ? "mps" : "timeSlicing");
  if (sharing.rename) text += "    renameByDefault: true\n";
  if (sharing.fail_multiple)
    text += fmt::format("    failRequestsGreaterThanOne: {}\n", *sharing.fail_multiple);
  text += "    resources:\n";
  for (const auto& [resource, replicas] : sharing.replicas)
    text += fmt::format("      - name: {}\n        replicas: {}\n", resource, replicas);
  return text;
}

// From the line of `sharing:` up to the next key, or to the end.
std::string without_sharing(std::string_view text, const Yaml& root) {
  const Yaml* sharing = root.find("sharing");
  if (!sharing) return std::string(text);
  int from = sharing->key_line, to = 0;
  for (const auto& field : root.fields)
    if (field.second.key_line > from && (to == 0 || field.second.key_line < to)) to = field.second.key_line;
  std::string left;
  int line = 1;
  for (std::size_t at = 0; at < text.size(); ++line) {
    std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    if (line < from || (to != 0 && line >= to)) left += text.substr(at, end - at);
    at = end;
  }
  return left;
}

// Everything but the sharing, for comparing.
bool same_flags(const Yaml& left, const Yaml& right, bool top = true) {
  if (left.kind != right.kind || left.scalar != right.scalar || left.items.size() != right.items.size())
    return false;
  for (std::size_t i = 0; i < left.items.size(); ++i)
    if (!same_flags(left.items[i], right.items[i], false)) return false;
  auto fields = [&](const Yaml& value) {
    std::vector<const Yaml::Field*> all;
    for (const auto& field : value.fields)
      if (!top || field.first != "sharing") all.push_back(&field);
    return all;
  };
  auto ours = fields(left), theirs = fields(right);
  return std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end(),
                    [](const Yaml::Field* a, const Yaml::Field* b) {
                      return a->first == b->first && same_flags(a->second, b->second, false);
                    });
}

}  // namespace

std::optional<bool> may_take_several_of_mps(std::string_view version) {
  const std::size_t dot = version.find('.');
  const auto digit_at = [&](std::size_t at) {
    return at < version.size() && version[at] >= '0' && version[at] <= '9';
  };
  if (dot == std::string_view::npos || dot == 0 || !digit_at(dot - 1) || !digit_at(dot + 1))
    return std::nullopt;
  auto order = sharing::compare_versions(version, "0.20");
  return order ? std::optional(*order >= 0) : std::nullopt;
}

bool refuses_several(const PluginSharing& sharing) {
  return sharing.fail_multiple.value_or(sharing.method == Strategy::mps);
}

Result<PluginConfig> parse_plugin_config(std::string_view text, std::string_view file) {
  Result<Yaml> root = parse_yaml(text, file);
  if (!root) {
    Error error = root.error();
    error.what = kReadingPlugin;
    return error;
  }
  const Yaml* version = root->find("version");
  if (!version || version->scalar != "v1") return wrong(file, *root, "'version' must be v1");
  PluginConfig config;
  const Yaml* flags = root->find("flags");
  if (const Yaml* strategy = flags ? flags->find("migStrategy") : nullptr) {
    config.strategy = sharing::parse_strategy(strategy->scalar);
    if (!config.strategy) return wrong(file, *strategy, "migStrategy must be none, single or mixed");
  }
  const Yaml* shared = root->find("sharing");
  if (!shared || shared->is_null()) return config;
  // With both, the plugin takes MPS.
  for (auto [key, method] :
       {std::pair("timeSlicing", Strategy::time_slicing), std::pair("mps", Strategy::mps)}) {
    const Yaml* part = shared->find(key);
    if (!part) continue;
    Result<std::optional<PluginSharing>> read = read_method(*part, method, file);
    if (!read) return read.error();
    if (*read) config.sharing = std::move(**read);
  }
  return config;
}

Result<std::string> with_sharing(std::string_view base, const PluginSharing& sharing, std::string_view file) {
  std::string text = base.empty() ? "version: v1\n" : std::string(base);
  Result<PluginConfig> before = parse_plugin_config(text, file);
  if (!before) return before.error();
  Result<Yaml> root = parse_yaml(text, file);
  if (!root) return root.error();
  std::string edited = without_sharing(text, *root);
  if (!edited.empty() && !edited.ends_with('\n')) edited += '\n';
  edited += sharing_text(sharing);
  Result<PluginConfig> after = parse_plugin_config(edited, file);
  Result<Yaml> again = parse_yaml(edited, file);
  PluginConfig wanted{before->strategy, sharing};
  if (sharing_text(sharing).empty()) wanted.sharing = {};
  if (!after || !again || !(*after == wanted) || !same_flags(*root, *again))
    return Error{std::string(kWritingPlugin), fmt::format("{} cannot be edited as a text", clean(file, 200)),
                 "write it as a block, one key below the other"};
  return edited;
}

bool differ_in_sharing_only(std::string_view one, std::string_view other) {
  Result<Yaml> left = parse_yaml(one, ""), right = parse_yaml(other, "");
  return left && right && same_flags(*left, *right);
}

std::string plugin_config_name(const PluginSharing& sharing, std::string_view text) {
  std::string how = "whole";
  if (sharing.method != Strategy::whole && !sharing.replicas.empty())
    how =
        fmt::format("{}{}", sharing.method == Strategy::mps ? "mps" : "ts", sharing.replicas.begin()->second);
  return fmt::format("{}{}-{}", kOurs, how, short_digest(text));
}

std::optional<std::string> why_not_shared(const PluginSharing& sharing, bool any_mig,
                                          std::string_view compute_capability) {
  if (sharing.method != Strategy::mps && sharing.method != Strategy::time_slicing) return std::nullopt;
  bool mps = sharing.method == Strategy::mps;
  if (mps && any_mig) return "the device plugin refuses MPS on a node where MIG is on";
  int most = mps ? (compute_capability.empty() ? sharing::kMaxClients
                                               : sharing::mps_plugin_clients(compute_capability))
                 : kMostReplicas;
  for (const auto& [resource, replicas] : sharing.replicas) {
    if (replicas < sharing::kMinClients)
      return fmt::format("{}: the number of replicas must be 2 or more", resource);
    if (replicas > most)
      return fmt::format("{}: the device plugin allows {} MPS clients a GPU{}, not {}", resource, most,
                         most < sharing::kMaxClients ? " below compute capability 7.5" : "", replicas);
  }
  return std::nullopt;
}

}  // namespace tessera::operators
