#include "backends/sim/gpu_operator/filters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>

#include "backends/sim/apiserver/selector.hpp"
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

using There = Around::There;

bool host_ports_clash(const Json& a, const Json& b) {
  const auto number = number_at(a, {"hostPort"});
  const auto or_else = [](const Json& port, std::string_view key, std::string_view usual) {
    const std::string_view told = view_at(port, {key});
    return told.empty() ? usual : told;
  };
  const std::string_view any = "0.0.0.0";
  const std::string_view one = or_else(a, "hostIP", any), other = or_else(b, "hostIP", any);
  return number != 0 && number == number_at(b, {"hostPort"}) &&
         or_else(a, "protocol", "TCP") == or_else(b, "protocol", "TCP") &&
         (one == other || one == any || other == any);
}

std::vector<const Json*> host_ports_of(const Json& pod) {
  std::vector<const Json*> ports;
  for (const Json& container : items_at(pod, {"spec", "containers"}))
    for (const Json& port : items_at(container, {"ports"}))
      if (number_at(port, {"hostPort"}) != 0) ports.push_back(&port);
  return ports;
}

bool ports_are_free(const Json& pod, const There& there) {
  const std::vector<const Json*> wanted = host_ports_of(pod);
  if (wanted.empty()) return true;
  return std::none_of(there.pods.begin(), there.pods.end(), [&](const ObjectPtr& other) {
    const std::vector<const Json*> taken = host_ports_of(*other);
    return std::any_of(wanted.begin(), wanted.end(), [&](const Json* want) {
      return std::any_of(taken.begin(), taken.end(),
                         [&](const Json* has) { return host_ports_clash(*want, *has); });
    });
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

const std::vector<Json>& terms_about_pods(const Json& pod, std::string_view which) {
  return items_at(pod, {"spec", "affinity", which, "requiredDuringSchedulingIgnoredDuringExecution"});
}

// Whether a term (or a spread) of `owner` is about this pod: its namespace, and its labels.
bool is_meant(const Json& term, const Json& owner, const Json& pod) {
  const std::vector<Json>& spaces = items_at(term, {"namespaces"});
  const std::string_view space = view_at(pod, {"metadata", "namespace"});
  const bool here = spaces.empty() ? space == view_at(owner, {"metadata", "namespace"})
                                   : std::any_of(spaces.begin(), spaces.end(),
                                                 [&](const Json& one) { return one.text == space; });
  static const Json kNone = Json::map();
  const Json* labels = at(pod, {"metadata", "labels"});
  return here && label_selector_matches(at(term, {"labelSelector"}), labels ? *labels : kNone);
}

const Json* domain_label(const Json& node, std::string_view key) {
  return at(node, {"metadata", "labels", key});
}

bool is_same_domain(std::string_view key, const Json& a, const Json& b) {
  const Json *one = domain_label(a, key), *other = domain_label(b, key);
  return one && other && one->text == other->text;
}

// Of the pods that a term is about those on nodes of the same domain. only: on nodes that this lets the pod
// onto, and not those that are on their way out, as a spread counts them; nullptr: all.
int count_in_domain(const Json& term, const Json& pod, bool (*only)(const Json& pod, const Json& node),
                    const Json& node, const Around& around) {
  int count = 0;
  for (const auto& [name, there] : around.there) {
    const auto on = around.nodes.find(name);
    if (on == around.nodes.end() || !is_same_domain(view_at(term, {"topologyKey"}), node, *on->second))
      continue;
    if (only && !only(pod, *on->second)) continue;
    for (const ObjectPtr& other : there.pods)
      if (is_meant(term, pod, *other) && !(only && at(*other, {"metadata", "deletionTimestamp"}))) ++count;
  }
  return count;
}

// A pod that its affinity asks for stands in the node's domain; the first of a group may stand anywhere.
bool has_its_pod(const Json& term, const Json& pod, const Json& node, const Around& around) {
  if (!domain_label(node, view_at(term, {"topologyKey"}))) return false;
  if (count_in_domain(term, pod, nullptr, node, around) > 0) return true;
  const bool anywhere = std::any_of(around.there.begin(), around.there.end(), [&](const auto& entry) {
    return std::any_of(entry.second.pods.begin(), entry.second.pods.end(),
                       [&](const ObjectPtr& other) { return is_meant(term, pod, *other); });
  });
  return !anywhere && is_meant(term, pod, pod);
}

std::string why_spread(const Json& spread, const Json& pod, const Json& node, const Around& around) {
  if (view_at(spread, {"whenUnsatisfiable"}) == "ScheduleAnyway") return {};
  const std::string_view key = view_at(spread, {"topologyKey"});
  if (!domain_label(node, key))
    return "node(s) didn't match pod topology spread constraints (missing required label)";
  std::optional<int> fewest;
  for (const auto& [name, other] : around.nodes)
    if (domain_label(*other, key) && is_chosen(pod, *other)) {
      const int count = count_in_domain(spread, pod, is_chosen, *other, around);
      fewest = std::min(fewest.value_or(count), count);
    }
  const int here =
      count_in_domain(spread, pod, is_chosen, node, around) + (is_meant(spread, pod, pod) ? 1 : 0);
  if (here - fewest.value_or(0) <= number_at(spread, {"maxSkew"}, 1)) return {};
  return "node(s) didn't match pod topology spread constraints";
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
std::string why_filtered(const Json& pod, const Json& node, const There& there) {
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
  if (!ports_are_free(pod, there)) return "node(s) didn't have free ports for the requested pod ports";
  if (const Json* most = at(node, {"status", "allocatable", "pods"});
      most && static_cast<std::int64_t>(there.pods.size()) >= quantity(most, 1))
    return "Too many pods";
  const Requests asks = requests_of(pod);
  const auto lacks = [&](std::string_view name, double parts, std::int64_t asked, std::int64_t used) {
    return asked > 0 && asked > quantity(at(node, {"status", "allocatable", name}), parts) - used;
  };
  // A node that lacks both is counted for each of them; it is named for one here.
  if (lacks("cpu", 1000, asks.millis, there.taken.millis)) return "Insufficient cpu";
  if (lacks("memory", 1, asks.bytes, there.taken.bytes)) return "Insufficient memory";
  return {};
}

Around around_of(const ObjectStore& objects) {
  Around around;
  for (const ObjectPtr& node : objects.all("nodes"))
    around.nodes.emplace(text_at(*node, {"metadata", "name"}), node);
  for (const ObjectPtr& pod : objects.all("pods")) {
    const std::string_view phase = view_at(*pod, {"status", "phase"}),
                           node = view_at(*pod, {"spec", "nodeName"});
    if (node.empty() || phase == "Succeeded" || phase == "Failed") continue;
    There& there = around.there[std::string(node)];
    const Requests asks = requests_of(*pod);
    there.pods.push_back(pod);
    if (!terms_about_pods(*pod, "podAntiAffinity").empty()) around.wary.push_back(pod);
    there.taken.millis += asks.millis, there.taken.bytes += asks.bytes;
  }
  return around;
}

const There& Around::on(std::string_view node) const {
  static const There kNone;
  const auto found = there.find(node);
  return found == there.end() ? kNone : found->second;
}

// In the order of the default plugins, each of them whole before the next.
std::string why_kept_apart(const Json& pod, const Json& node, const Around& around) {
  for (const Json& one : items_at(pod, {"spec", "topologySpreadConstraints"}))
    if (std::string why = why_spread(one, pod, node, around); !why.empty()) return why;
  for (const Json& term : terms_about_pods(pod, "podAffinity"))
    if (!has_its_pod(term, pod, node, around)) return "node(s) didn't match pod affinity rules";
  for (const Json& term : terms_about_pods(pod, "podAntiAffinity"))
    if (count_in_domain(term, pod, nullptr, node, around) > 0)
      return "node(s) didn't match pod anti-affinity rules";
  for (const ObjectPtr& other : around.wary)
    for (const Json& term : terms_about_pods(*other, "podAntiAffinity"))
      if (const auto on = around.nodes.find(view_at(*other, {"spec", "nodeName"}));
          on != around.nodes.end() && is_meant(term, *other, pod) &&
          is_same_domain(view_at(term, {"topologyKey"}), node, *on->second))
        return "node(s) didn't satisfy existing pods anti-affinity rules";
  return {};
}

bool is_about_others(std::string_view why) {
  constexpr std::string_view kOfOthers[] = {"Insufficient",    "Too many pods", "free ports",
                                            "topology spread", "pod affinity",  "anti-affinity"};
  return std::any_of(std::begin(kOfOthers), std::end(kOfOthers),
                     [&](std::string_view one) { return why.find(one) != std::string_view::npos; });
}

bool heeds_others(const Json& pod) {
  const Requests asks = requests_of(pod);
  return asks.millis > 0 || asks.bytes > 0 || !host_ports_of(pod).empty() ||
         !terms_about_pods(pod, "podAffinity").empty() || !terms_about_pods(pod, "podAntiAffinity").empty() ||
         !items_at(pod, {"spec", "topologySpreadConstraints"}).empty();
}

}  // namespace tessera::sim::kube
