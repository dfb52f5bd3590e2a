#include "backends/sim/apiserver/selector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/ascii.hpp"
#include "engine/text.hpp"

namespace tessera::sim::kube {
namespace {

constexpr std::size_t kMostRequirements = 256;
constexpr std::size_t kMostLabel = 63;
constexpr std::size_t kMostPrefix = 253;

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}
bool is_name_part(char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; }

// The part of a key behind the slash, or a value that is not empty.
bool is_qualified(std::string_view text) {
  return !text.empty() && text.size() <= kMostLabel && is_alphanumeric(text.front()) &&
         is_alphanumeric(text.back()) && std::all_of(text.begin(), text.end(), is_name_part);
}

bool is_subdomain(std::string_view text) {
  if (text.empty() || text.size() > kMostPrefix) return false;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] != '.') {
      char c = text[i];
      if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-')) return false;
      continue;
    }
    if (i == start || text[start] == '-' || text[i - 1] == '-') return false;
    start = i + 1;
  }
  return true;
}

bool is_key(std::string_view text) {
  std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return is_qualified(text);
  return is_subdomain(text.substr(0, slash)) && is_qualified(text.substr(slash + 1));
}

std::string_view without_blanks(std::string_view text) { return trimmed(text, " \t"); }

Refusal cannot_parse(std::string_view text, std::string_view why) {
  return bad_request(fmt::format("unable to parse requirement: {}: '{}'", why, clean(text, 256)));
}

// "a=b,c in (d,e)" → the parts between commas that are not in parentheses.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t from = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '(') ++depth;
    if (i < text.size() && text[i] == ')') --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    parts.push_back(without_blanks(text.substr(from, i - from)));
    from = i + 1;
  }
  return parts;
}

struct Split {
  std::string_view key, value;
  bool equal = true;
  bool found = false;
};
Split split_equality(std::string_view part) {
  for (std::string_view sign : {"!=", "==", "="}) {
    std::size_t at = part.find(sign);
    if (at == std::string_view::npos) continue;
    return {without_blanks(part.substr(0, at)), without_blanks(part.substr(at + sign.size())),
            sign != "!=", true};
  }
  return {};
}

std::variant<Requirement, Refusal> parse_set(std::string_view part) {
  std::size_t open = part.find('(');
  if (part.back() != ')') return cannot_parse(part, "found '', expected: ',' or ')'");
  std::string_view head = without_blanks(part.substr(0, open));
  std::size_t blank = head.rfind(' ');
  if (blank == std::string_view::npos) return cannot_parse(part, "expected: in, notin");
  std::string_view word = head.substr(blank + 1);
  Requirement one;
  one.key = std::string(without_blanks(head.substr(0, blank)));
  if (word == "notin")
    one.is = Requirement::Is::not_in;
  else if (word != "in")
    return cannot_parse(part, "expected: in, notin");
  for (std::string_view value : parts_of(part.substr(open + 1, part.size() - open - 2)))
    one.values.emplace_back(value);
  return one;
}

std::variant<Requirement, Refusal> parse_label(std::string_view part) {
  Requirement one;
  if (part.empty()) return cannot_parse(part, "found ',', expected: identifier");
  if (part.find('(') != std::string_view::npos) {
    auto set = parse_set(part);
    if (std::holds_alternative<Refusal>(set)) return set;
    one = std::get<Requirement>(std::move(set));
  } else if (Split split = split_equality(part); split.found) {
    one.key = std::string(split.key);
    one.is = split.equal ? Requirement::Is::in : Requirement::Is::not_in;
    one.values.emplace_back(split.value);
  } else {
    one.is = part.front() == '!' ? Requirement::Is::absent : Requirement::Is::exists;
    one.key = std::string(without_blanks(part.substr(part.front() == '!' ? 1 : 0)));
  }
  if (!is_key(one.key)) return cannot_parse(part, "invalid label key");
  for (const std::string& value : one.values)
    if (!value.empty() && !is_qualified(value)) return cannot_parse(part, "invalid label value");
  return one;
}

std::vector<std::string_view> known_fields(std::string_view resource) {
  std::vector<std::string_view> fields{"metadata.name", "metadata.namespace"};
  auto more = [&](std::initializer_list<std::string_view> names) {
    fields.insert(fields.end(), names.begin(), names.end());
  };
  if (resource == "pods")
    more({"spec.nodeName", "status.phase", "spec.restartPolicy", "spec.schedulerName",
          "spec.serviceAccountName", "status.podIP", "status.nominatedNodeName"});
  if (resource == "nodes") more({"spec.unschedulable"});
  if (resource == "namespaces") more({"status.phase"});
  if (resource == "resourceslices") more({"spec.nodeName", "spec.driver"});
  if (resource == "events")
    more({"involvedObject.kind", "involvedObject.namespace", "involvedObject.name", "involvedObject.uid",
          "involvedObject.apiVersion", "involvedObject.resourceVersion", "involvedObject.fieldPath", "reason",
          "reportingComponent", "source", "type"});
  return fields;
}

std::string field_of(const Json& object, std::string_view path) {
  const Json* here = &object;
  while (!path.empty()) {
    std::size_t dot = std::min(path.find('.'), path.size());
    here = here->find(path.substr(0, dot));
    if (!here) return {};
    path.remove_prefix(std::min(path.size(), dot + 1));
  }
  if (here->kind == Json::Kind::boolean) return here->boolean ? "true" : "false";
  return here->text;
}

bool holds(const Requirement& one, const std::string* value) {
  bool among = value && std::find(one.values.begin(), one.values.end(), *value) != one.values.end();
  switch (one.is) {
    case Requirement::Is::in: return among;
    case Requirement::Is::not_in: return !among;
    case Requirement::Is::exists: return value != nullptr;
    case Requirement::Is::absent: return value == nullptr;
  }
  return false;
}

const std::string* label_of(const Json& labels, const std::string& key) {
  const Json* found = labels.find(key);
  return found && found->kind == Json::Kind::text ? &found->text : nullptr;
}

constexpr std::string_view kBadValue =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must "
    "start "
    "and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for "
    "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
constexpr std::string_view kBadKey =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

}  // namespace

bool Selector::matches(const Json& object) const {
  static const Json kNone = Json::map();
  const Json* labels_there = at(object, {"metadata", "labels"});
  const Json& labels_of = labels_there ? *labels_there : kNone;
  for (const Requirement& one : labels)
    if (!holds(one, label_of(labels_of, one.key))) return false;
  for (const Requirement& one : fields) {
    std::string value = field_of(object, one.key);
    // A node that was never cordoned has no such field, and is listed under "false".
    if (one.key == "spec.unschedulable" && value.empty()) value = "false";
    if (!holds(one, &value)) return false;
  }
  return true;
}

std::variant<Selector, Refusal> parse_selector(std::string_view labels, std::string_view fields,
                                               std::string_view resource) {
  Selector selector;
  if (!without_blanks(labels).empty())
    for (std::string_view part : parts_of(labels)) {
      auto one = parse_label(part);
      if (auto* refusal = std::get_if<Refusal>(&one)) return *refusal;
      selector.labels.push_back(std::get<Requirement>(std::move(one)));
      if (selector.labels.size() > kMostRequirements) return bad_request("too many requirements");
    }
  std::vector<std::string_view> known = known_fields(resource);
  for (std::string_view part : parts_of(fields)) {
    if (part.empty()) continue;
    Split split = split_equality(part);
    if (!split.found)
      return bad_request(fmt::format("invalid field selector '{}'; can't understand '{}'", clean(fields, 256),
                                     clean(part, 256)));
    if (std::find(known.begin(), known.end(), split.key) == known.end())
      return bad_request(fmt::format(
          "Unable to find \"{}\" that match label selector \"{}\", field selector \"{}\": field label "
          "not supported: {}",
          resource, clean(labels, 256), clean(fields, 256), clean(split.key, 256)));
    Requirement one;
    one.key = std::string(split.key);
    one.is = split.equal ? Requirement::Is::in : Requirement::Is::not_in;
    one.values.emplace_back(split.value);
    selector.fields.push_back(std::move(one));
    if (selector.fields.size() > kMostRequirements) return bad_request("too many requirements");
  }
  return selector;
}

bool label_selector_matches(const Json* selector, const Json& labels) {
  if (!selector) return false;
  if (const Json* equal = selector->find("matchLabels"))
    for (const auto& [key, value] : equal->fields) {
      const std::string* there = label_of(labels, key);
      if (!there || *there != value.text) return false;
    }
  if (const Json* expressions = selector->find("matchExpressions"))
    for (const Json& expression : expressions->items) {
      Requirement one;
      one.key = text_at(expression, {"key"});
      std::string word = text_at(expression, {"operator"});
      one.is = word == "In"       ? Requirement::Is::in
               : word == "NotIn"  ? Requirement::Is::not_in
               : word == "Exists" ? Requirement::Is::exists
                                  : Requirement::Is::absent;
      if (const Json* values = expression.find("values"))
        for (const Json& value : values->items) one.values.push_back(value.text);
      if (!holds(one, label_of(labels, one.key))) return false;
    }
  return true;
}

std::vector<Cause> bad_labels(const Json& labels) {
  std::vector<Cause> causes;
  auto add = [&](std::string_view shown, std::string_view why) {
    causes.push_back({"FieldValueInvalid",
                      fmt::format("Invalid value: {}: {}", to_line(text(clean(shown, 256))), why),
                      "metadata.labels"});
  };
  for (const auto& [key, value] : labels.fields) {
    std::size_t slash = key.find('/');
    std::string_view name =
        slash == std::string::npos ? std::string_view(key) : std::string_view(key).substr(slash + 1);
    if (!is_key(key)) {
      add(key, name.size() > kMostLabel ? "name part must be no more than 63 characters" : kBadKey);
    } else if (value.kind == Json::Kind::text && !value.text.empty() && !is_qualified(value.text)) {
      add(value.text, value.text.size() > kMostLabel ? "must be no more than 63 characters" : kBadValue);
    }
  }
  return causes;
}

}  // namespace tessera::sim::kube
