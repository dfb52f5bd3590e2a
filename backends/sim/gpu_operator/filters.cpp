#include "backends/sim/gpu_operator/filters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "backends/sim/apiserver/value.hpp"

namespace tessera::sim::kube {
namespace {

constexpr std::string_view kNotChosen = "node(s) didn't match Pod's node affinity/selector";

const std::vector<Json>& items_at(const Json& value, Path path) {
  static const std::vector<Json> kNone;
  const Json* found = at(value, path);
  return found ? found->items : kNone;
}

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// "1500m", "2", "64Gi" in `parts` of a unit; 0: it is no quantity.
std::int64_t quantity(const Json* value, double parts) {
  if (!value) return 0;
  if (value->kind == Json::Kind::integer)
    return static_cast<std::int64_t>(static_cast<double>(value->integer) * parts);
  double number = 0;
  const char* last = value->text.data() + value->text.size();
  const auto [end, code] = std::from_chars(value->text.data(), last, number);
  if (code != std::errc()) return 0;
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"", 1},     {"m", 1e-3},    {"k", 1e3},     {"M", 1e6},     {"G", 1e9},
      {"T", 1e12}, {"Ki", 0x1p10}, {"Mi", 0x1p20}, {"Gi", 0x1p30}, {"Ti", 0x1p40}};
  for (const auto& [unit, factor] : kUnits)
    if (unit == std::string_view(end, static_cast<std::size_t>(last - end)))
      return static_cast<std::int64_t>(std::llround(std::clamp(number * factor * parts, -9e18, 9e18)));
  return 0;
}

Requests of_container(const Json& container) {
  const auto asked = [&](std::string_view name) {
    const Json* request = at(container, {"resources", "requests", name});
    return request ? request : at(container, {"resources", "limits", name});
  };
  return {quantity(asked("cpu"), 1000), quantity(asked("memory"), 1)};
}

bool is_tolerated(const Json& pod, const Json& taint) {
  const std::vector<Json>& all = items_at(pod, {"spec", "tolerations"});
  return std::any_of(all.begin(), all.end(), [&](const Json& one) {
    const std::string_view effect = view_at(one, {"effect"}), key = view_at(one, {"key"});
    if (!effect.empty() && effect != view_at(taint, {"effect"})) return false;
    const bool exists = view_at(one, {"operator"}) == "Exists";
    if (key.empty()) return exists;
    return key == view_at(taint, {"key"}) && (exists || view_at(one, {"value"}) == view_at(taint, {"value"}));
  });
}

bool requirement_holds(const Json& one, const Json* value) {
  const std::string_view is = view_at(one, {"operator"});
  const std::vector<Json>& values = items_at(one, {"values"});
  const bool among = value && std::any_of(values.begin(), values.end(),
                                          [&](const Json& listed) { return listed.text == value->text; });
  if (is == "In") return among;
  if (is == "NotIn") return !among;
  if (is == "Exists") return value != nullptr;
  if (is == "DoesNotExist") return value == nullptr;
  const auto has = value ? whole(value->text) : std::nullopt;
  const auto bound = values.size() == 1 ? whole(values.front().text) : std::nullopt;
  if (!has || !bound) return false;
  return is == "Gt" ? *has > *bound : is == "Lt" && *has < *bound;
}

bool term_holds(const Json& term, const Json& node) {
  const std::vector<Json>&labels = items_at(term, {"matchExpressions"}),
        &fields = items_at(term, {"matchFields"});
  if (labels.empty() && fields.empty()) return false;
  return std::all_of(labels.begin(), labels.end(),
                     [&](const Json& one) {
                       return requirement_holds(one, at(node, {"metadata", "labels", view_at(one, {"key"})}));
                     }) &&
         std::all_of(fields.begin(), fields.end(), [&](const Json& one) {
           return view_at(one, {"key"}) == "metadata.name" &&
                  requirement_holds(one, at(node, {"metadata", "name"}));
         });
}

bool is_chosen(const Json& pod, const Json& node) {
  if (const Json* selector = at(pod, {"spec", "nodeSelector"}))
    for (const auto& [key, value] : selector->fields) {
      const Json* label = at(node, {"metadata", "labels", key});
      if (!label || label->text != value.text) return false;
    }
  const Json* required =
      at(pod, {"spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"});
  if (!required) return true;
  const std::vector<Json>& terms = items_at(*required, {"nodeSelectorTerms"});
  return std::any_of(terms.begin(), terms.end(), [&](const Json& one) { return term_holds(one, node); });
}

}  // namespace

Requests requests_of(const Json& pod) {
  Requests sum, first;
  for (const Json& one : items_at(pod, {"spec", "containers"})) {
    const Requests asks = of_container(one);
    sum.millis += asks.millis, sum.bytes += asks.bytes;
  }
  for (const Json& one : items_at(pod, {"spec", "initContainers"})) {
    const Requests asks = of_container(one);
    first.millis = std::max(first.millis, asks.millis), first.bytes = std::max(first.bytes, asks.bytes);
  }
  return {std::max(sum.millis, first.millis), std::max(sum.bytes, first.bytes)};
}

// In the order of its default plugins. A cordon is the world's affair.
std::string why_filtered(const Json& pod, const Json& node, const Requests& taken) {
  const std::string fixed = text_at(pod, {"spec", "nodeName"});
  if (!fixed.empty() && fixed != view_at(node, {"metadata", "name"}))
    return "node(s) didn't match the requested node name";
  for (const Json& taint : items_at(node, {"spec", "taints"})) {
    const std::string_view effect = view_at(taint, {"effect"}), key = view_at(taint, {"key"});
    if (effect == "PreferNoSchedule" || key.starts_with("node.kubernetes.io/un")) continue;
    if (!is_tolerated(pod, taint))
      return fmt::format("node(s) had untolerated taint {{{}: {}}}", key, view_at(taint, {"value"}));
  }
  if (!is_chosen(pod, node)) return std::string(kNotChosen);
  const Requests asks = requests_of(pod);
  const auto lacks = [&](std::string_view name, double parts, std::int64_t asked, std::int64_t used) {
    return asked > 0 && asked > quantity(at(node, {"status", "allocatable", name}), parts) - used;
  };
  // A node that lacks both is counted for each of them; it is named for one here.
  if (lacks("cpu", 1000, asks.millis, taken.millis)) return "Insufficient cpu";
  if (lacks("memory", 1, asks.bytes, taken.bytes)) return "Insufficient memory";
  return {};
}

}  // namespace tessera::sim::kube
