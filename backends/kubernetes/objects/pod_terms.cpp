#include "backends/kubernetes/objects/pod_terms.hpp"

#include <algorithm>
#include <charconv>

#include "backends/kubernetes/api.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/text.hpp"

namespace tessera::kubernetes {
namespace {

// No API server takes an object with more than a few thousand of them.
constexpr std::size_t kMostTerms = 256;
constexpr std::size_t kMostDemands = 256;  // of a term
constexpr std::size_t kMostValues = 4096;  // of a demand
constexpr std::size_t kMostTolerations = 1024;

const Json* list_or_none(const Json& root, std::initializer_list<std::string_view> path, bool& unread) {
  const Json* found = at(root, path);
  if (!found || found->is_null()) return nullptr;
  if (found->kind == Json::Kind::list) return found;
  unread = true;
  return nullptr;
}

// A text, or nothing; anything else cannot be read.
std::string text_or_none(const Json& map, std::string_view key, bool& unread) {
  const Json* found = map.find(key);
  if (!found || found->is_null()) return {};
  if (found->kind != Json::Kind::text) {
    unread = true;
    return {};
  }
  return clean(found->text, 317);
}

bool is_number(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size();
}

std::optional<NodeDemand::Is> operator_named(std::string_view word) {
  using Is = NodeDemand::Is;
  constexpr std::pair<std::string_view, Is> kWords[] = {{"In", Is::in},         {"NotIn", Is::not_in},
                                                        {"Exists", Is::exists}, {"DoesNotExist", Is::absent},
                                                        {"Gt", Is::above},      {"Lt", Is::below}};
  for (const auto& [name, is] : kWords)
    if (word == name) return is;
  return std::nullopt;
}

// Whether the API server takes so many values, and such.
bool has_values_for(const NodeDemand& demand) {
  switch (demand.is) {
    case NodeDemand::Is::in:
    case NodeDemand::Is::not_in: return !demand.values.empty();
    case NodeDemand::Is::exists:
    case NodeDemand::Is::absent: return demand.values.empty();
    case NodeDemand::Is::above:
    case NodeDemand::Is::below: break;
  }
  return demand.values.size() == 1 && is_number(demand.values.front());
}

std::vector<NodeDemand> demands_of(const Json& term, std::string_view which, bool& unread) {
  std::vector<NodeDemand> all;
  const Json* list = list_or_none(term, {which}, unread);
  if (!list) return all;
  unread = unread || list->items.size() > kMostDemands;
  for (const Json& one : list->items) {
    if (all.size() >= kMostDemands) break;
    NodeDemand demand;
    demand.key = text_or_none(one, "key", unread);
    const auto is = operator_named(text_or_none(one, "operator", unread));
    if (const Json* values = list_or_none(one, {"values"}, unread)) {
      unread = unread || values->items.size() > kMostValues;
      for (const Json& value : values->items) {
        unread = unread || value.kind != Json::Kind::text;
        if (demand.values.size() < kMostValues) demand.values.push_back(clean(value.text, 317));
      }
    }
    demand.is = is.value_or(NodeDemand::Is::exists);
    // Of fields the API server takes the node's name alone.
    const bool known = which != "matchFields" || demand.key == "metadata.name";
    unread = unread || !is || !known || demand.key.empty() || !has_values_for(demand);
    all.push_back(std::move(demand));
  }
  return all;
}

void read_affinity(const Json& pod, PodTerms& terms) {
  constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
  bool& unread = terms.affinity_unread;
  const Json* required = at(pod, {"spec", "affinity", "nodeAffinity", kRequired});
  if (!required || required->is_null()) return;
  unread = unread || required->kind != Json::Kind::map;
  terms.affinity.emplace();
  const Json* list = list_or_none(*required, {"nodeSelectorTerms"}, unread);
  if (!list) return;
  unread = unread || list->items.size() > kMostTerms;
  for (const Json& one : list->items) {
    if (terms.affinity->size() >= kMostTerms) break;
    unread = unread || one.kind != Json::Kind::map;
    terms.affinity->push_back(
        {demands_of(one, "matchExpressions", unread), demands_of(one, "matchFields", unread)});
  }
}

void read_selector(const Json& pod, PodTerms& terms) {
  const Json* selector = at(pod, {"spec", "nodeSelector"});
  if (!selector || selector->is_null()) return;
  terms.selector_unread = selector->kind != Json::Kind::map || selector->fields.size() > kMostDemands;
  for (const auto& [key, value] : selector->fields) {
    terms.selector_unread = terms.selector_unread || value.kind != Json::Kind::text;
    if (terms.selector.size() < kMostDemands)
      terms.selector.emplace_back(clean(key, 317), clean(value.text, 317));
  }
}

// Equal and Exists; what else newer versions have (Gt, Lt) is not judged.
void read_tolerations(const Json& pod, PodTerms& terms) {
  bool& unread = terms.tolerations_unread;
  const Json* list = list_or_none(pod, {"spec", "tolerations"}, unread);
  if (!list) return;
  unread = unread || list->items.size() > kMostTolerations;
  for (const Json& one : list->items) {
    if (terms.tolerations.size() >= kMostTolerations) break;
    const std::string is = text_or_none(one, "operator", unread);
    unread = unread || one.kind != Json::Kind::map || (!is.empty() && is != "Equal" && is != "Exists");
    terms.tolerations.push_back({text_or_none(one, "key", unread), is == "Exists",
                                 text_or_none(one, "value", unread), text_or_none(one, "effect", unread)});
  }
}

std::string message_of_scheduler(const Json& pod) {
  if (const Json* conditions = at(pod, {"status", "conditions"}))
    for (const Json& one : conditions->items)
      if (text_at(one, {"type"}) == "PodScheduled" && text_at(one, {"status"}) == "False")
        return clean(text_at(one, {"message"}), 16384);
  return {};
}

void add_others(const Json* list, std::set<std::string>& others) {
  if (list == nullptr) return;
  for (const auto& [key, amount] : list->fields) {
    const bool none = amount.text == "0" || (amount.kind == Json::Kind::integer && amount.integer == 0);
    if (none || key == "cpu" || key == "memory" || sharing::parse_resource(key, Scheduler::kubernetes))
      continue;
    if (others.size() < kMostDemands) others.insert(clean(key, 317));
  }
}

std::set<std::string> others_of(const Json& pod) {
  std::set<std::string> others;
  for (const auto which : {"requests", "limits"}) {
    for (const auto some : {"initContainers", "containers"})
      if (const Json* containers = at(pod, {"spec", some}))
        for (const Json& one : containers->items) add_others(at(one, {"resources", which}), others);
    add_others(at(pod, {"spec", "resources", which}), others);
  }
  add_others(at(pod, {"spec", "overhead"}), others);
  return others;
}

}  // namespace

PodTerms pod_terms_of(const Json& pod) {
  PodTerms terms;
  terms.node = clean(text_at(pod, {"spec", "nodeName"}), 253);
  read_selector(pod, terms);
  read_affinity(pod, terms);
  read_tolerations(pod, terms);
  terms.rules = pod_rules_of(pod);
  terms.others = others_of(pod);
  terms.priority_class = clean(text_at(pod, {"spec", "priorityClassName"}), 253);
  if (const Json* priority = at(pod, {"spec", "priority"}); priority && priority->kind == Json::Kind::integer)
    terms.priority = priority->integer;
  terms.preempts_never = text_at(pod, {"spec", "preemptionPolicy"}) == "Never";
  terms.waits_for = message_of_scheduler(pod);
  return terms;
}

}  // namespace tessera::kubernetes
