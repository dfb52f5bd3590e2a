#include "backends/kubernetes/objects/pod_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "backends/kubernetes/api.hpp"
#include "backends/kubernetes/objects/objects.hpp"
#include "engine/text.hpp"

namespace tessera::kubernetes {
namespace {

constexpr std::string_view kRequiredOfPods = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kAnyAddress = "0.0.0.0";
constexpr std::size_t kMostPorts = 256;
constexpr std::size_t kMostOfSelector = 64;

const std::vector<Json>& listed(const Json& root, std::initializer_list<std::string_view> path) {
  static const std::vector<Json> kNone;
  const Json* found = at(root, path);
  return found && found->kind == Json::Kind::list ? found->items : kNone;
}

bool is_there(const Json& map, std::string_view key) {
  const Json* found = map.find(key);
  return found && !found->is_null();
}

// As the API server takes labels; such words need no quotes in a selector.
bool is_label_word(std::string_view text) {
  return text.size() <= 317 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                  c == '_' || c == '.' || c == '/';
         });
}
bool is_label_key(std::string_view text) { return !text.empty() && is_label_word(text); }

std::vector<std::string> words_in(const Json& map, std::string_view key, bool& unread) {
  std::vector<std::string> words;
  const Json* found = map.find(key);
  if (!found || found->is_null()) return words;
  unread = unread || found->kind != Json::Kind::list || found->items.size() > kMostOfSelector;
  for (const Json& one : found->items) {
    unread = unread || one.kind != Json::Kind::text || !is_label_key(one.text);
    if (words.size() < kMostOfSelector) words.push_back(one.text);
  }
  return words;
}

LabelSelector selector_in(const Json& rule, bool& unread) {
  LabelSelector selector;
  const Json* told = rule.find("labelSelector");
  // One that is not there matches no pod; its rule is left to the scheduler.
  unread = unread || !told || told->kind != Json::Kind::map;
  if (unread) return selector;
  if (const Json* labels = told->find("matchLabels"); labels && !labels->is_null()) {
    unread = unread || labels->kind != Json::Kind::map || labels->fields.size() > kMostOfSelector;
    if (unread) return selector;
    for (const auto& [key, value] : labels->fields) {
      unread = unread || !is_label_key(key) || value.kind != Json::Kind::text || !is_label_word(value.text);
      selector.labels[key] = Text(value.text);
    }
  }
  const Json* demands = told->find("matchExpressions");
  if (!demands || demands->is_null()) return selector;
  unread = unread || demands->kind != Json::Kind::list || demands->items.size() > kMostOfSelector;
  if (unread) return selector;
  for (const Json& one : demands->items) {
    LabelSelector::Demand demand{text_at(one, {"key"}), text_at(one, {"operator"}),
                                 words_in(one, "values", unread)};
    const bool of_values = demand.is == "In" || demand.is == "NotIn";
    const bool known = of_values || demand.is == "Exists" || demand.is == "DoesNotExist";
    unread = unread || !known || !is_label_key(demand.key) || of_values == demand.values.empty();
    selector.demands.push_back(std::move(demand));
  }
  return selector;
}

// As kubectl and the API take it.
std::string text_of_selector(const LabelSelector& selector) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ",") + part; };
  for (const auto& [key, value] : selector.labels) add(key.str() + "=" + value.str());
  for (const LabelSelector::Demand& one : selector.demands) {
    if (one.is == "Exists") add(one.key);
    if (one.is == "DoesNotExist") add("!" + one.key);
    if (one.is == "In") add(fmt::format("{} in ({})", one.key, fmt::join(one.values, ",")));
    if (one.is == "NotIn") add(fmt::format("{} notin ({})", one.key, fmt::join(one.values, ",")));
  }
  return text;
}

Texts labels_of_pod(const Json& pod) {
  Texts labels;
  if (const Json* told = at(pod, {"metadata", "labels"}))
    for (const auto& [key, value] : told->fields) labels[key] = Text(value.text);
  return labels;
}

struct Rules {
  const Json& pod;
  const std::string space = clean(text_at(pod, {"metadata", "namespace"}), 253);
  const Texts labels = labels_of_pod(pod);
  PodRules all = {};

  void keep(PodRule rule, const LabelSelector& selector, bool unread) {
    unread = unread || !is_label_key(rule.topology) || all.rules.size() >= kMostRules ||
             rule.spaces.size() > kMostSpaces;
    all.unjudged = all.unjudged || unread;
    if (unread) return;
    rule.selector = text_of_selector(selector);
    const bool here = std::find(rule.spaces.begin(), rule.spaces.end(), space) != rule.spaces.end();
    rule.matches_itself = here && selector.matches(labels);
    all.rules.push_back(std::move(rule));
  }

  // The API server writes these keys into the term's selector when it takes the pod, with the pod's own
  // values; of those that the pod does not have it writes nothing. Where the selector lacks one, another rule
  // is meant.
  bool are_in(const LabelSelector& selector, const Json& term, std::string_view keys,
              std::string_view is) const {
    bool unread = false;
    for (const std::string& key : words_in(term, keys, unread)) {
      const auto own = labels.find(key);
      if (own == labels.end()) continue;
      const bool there = std::any_of(selector.demands.begin(), selector.demands.end(),
                                     [&](const LabelSelector::Demand& one) {
                                       return one.key == key && one.is == is &&
                                              one.values == std::vector<std::string>{own->second.str()};
                                     });
      unread = unread || !there;
    }
    return !unread;
  }

  void take_term(const Json& term, PodRule::Is is) {
    bool unread = is_there(term, "namespaceSelector");
    PodRule rule{is, text_at(term, {"topologyKey"}), words_in(term, "namespaces", unread), {}, false, 1};
    if (rule.spaces.empty()) rule.spaces.push_back(space);
    const LabelSelector selector = selector_in(term, unread);
    unread = unread || !are_in(selector, term, "matchLabelKeys", "In") ||
             !are_in(selector, term, "mismatchLabelKeys", "NotIn");
    keep(std::move(rule), selector, unread);
  }

  void take_terms(std::string_view which, PodRule::Is is) {
    const Json* told = at(pod, {"spec", "affinity", which, kRequiredOfPods});
    if (!told || told->is_null()) return;
    if (told->kind != Json::Kind::list) return (void)(all.unjudged = true);
    const auto before = static_cast<std::ptrdiff_t>(all.rules.size());
    for (const Json& term : told->items) take_term(term, is);
    if (is != PodRule::Is::beside || told->items.size() < 2) return;
    // Of several terms of an affinity a pod counts that meets them all: where one term has none there is
    // none, and where each has some it is not known. A pod that may meet all of them itself may be the first.
    all.unjudged = true;
    if (std::all_of(all.rules.begin() + before, all.rules.end(),
                    [](const PodRule& rule) { return rule.matches_itself; }))
      all.rules.erase(all.rules.begin() + before, all.rules.end());
  }

  void take_spread(const Json& told) {
    if (text_at(told, {"whenUnsatisfiable"}) == "ScheduleAnyway") return;
    all.spread_keys.push_back(text_at(told, {"topologyKey"}));
    const auto otherwise = [&](std::string_view key, std::string_view usual) {
      return is_there(told, key) && text_at(told, {key}) != usual;
    };
    const Json* skew = told.find("maxSkew");
    bool unread = is_there(told, "minDomains") || otherwise("nodeAffinityPolicy", "Honor") ||
                  otherwise("nodeTaintsPolicy", "Ignore") || !skew || skew->kind != Json::Kind::integer ||
                  skew->integer < 1;
    PodRule rule{PodRule::Is::spread,       text_at(told, {"topologyKey"}), {space}, {}, false,
                 unread ? 1 : skew->integer};
    LabelSelector selector = selector_in(told, unread);
    for (const std::string& key : words_in(told, "matchLabelKeys", unread))
      if (const auto own = labels.find(key); own != labels.end()) {
        unread = unread || !is_label_key(own->second.str());
        selector.demands.push_back({key, "In", {own->second.str()}});
      }
    keep(std::move(rule), selector, unread);
  }
};

void add_ports(const Json& container, std::vector<HostPort>& ports) {
  for (const Json& one : listed(container, {"ports"})) {
    const Json* port = one.find("hostPort");
    if (!port || port->kind != Json::Kind::integer || port->integer == 0 || ports.size() >= kMostPorts)
      continue;
    std::string protocol = clean(text_at(one, {"protocol"}), 16);
    std::string address = clean(text_at(one, {"hostIP"}), 64);
    ports.push_back({protocol.empty() ? "TCP" : std::move(protocol),
                     address.empty() ? std::string(kAnyAddress) : std::move(address), port->integer});
  }
}

// As the scheduler counts them: of the containers that run first the sidecars alone (1.28 and later).
std::vector<HostPort> ports_of(const Json& pod) {
  std::vector<HostPort> ports;
  for (const Json& one : listed(pod, {"spec", "containers"})) add_ports(one, ports);
  for (const Json& one : listed(pod, {"spec", "initContainers"}))
    if (text_at(one, {"restartPolicy"}) == "Always") add_ports(one, ports);
  return ports;
}

}  // namespace

std::string port_text(const HostPort& port) {
  const std::string address = port.address == kAnyAddress ? "" : port.address + ":";
  return fmt::format("{}{}/{}", address, port.port, port.protocol);
}

bool clash(const HostPort& a, const HostPort& b) {
  if (a.port != b.port || a.protocol != b.protocol) return false;
  return a.address == b.address || a.address == kAnyAddress || b.address == kAnyAddress;
}

PodRules pod_rules_of(const Json& pod) {
  Rules rules{pod};
  rules.take_terms("podAffinity", PodRule::Is::beside);
  rules.take_terms("podAntiAffinity", PodRule::Is::apart);
  const Json* spread = at(pod, {"spec", "topologySpreadConstraints"});
  if (spread && !spread->is_null() && spread->kind != Json::Kind::list) rules.all.unjudged = true;
  for (const Json& one : listed(pod, {"spec", "topologySpreadConstraints"})) rules.take_spread(one);
  rules.all.ports = ports_of(pod);
  return std::move(rules.all);
}

std::optional<PodThere> pod_there_of(const Json& pod) {
  const std::string phase = text_at(pod, {"status", "phase"});
  PodThere there{clean(text_at(pod, {"metadata", "namespace"}), 253) + "/" +
                     clean(text_at(pod, {"metadata", "name"}), 253),
                 clean(text_at(pod, {"spec", "nodeName"}), 253),
                 !text_at(pod, {"metadata", "deletionTimestamp"}).empty(), ports_of(pod)};
  if (there.node.empty() || phase == "Succeeded" || phase == "Failed") return std::nullopt;
  return there;
}

}  // namespace tessera::kubernetes
