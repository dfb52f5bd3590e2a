#include "tests/support/json_check.hpp"

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>

#include "engine/yaml.hpp"
#include "tests/support/paths.hpp"

namespace tessera::test {
namespace {

using Json = nlohmann::json;

bool has_type(const Json& value, const std::string& type) {
  if (type == "null") return value.is_null();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "string") return value.is_string();
  if (type == "array") return value.is_array();
  return type == "object" && value.is_object();
}

class Checker {
 public:
  explicit Checker(const Json& root) : root_(root) {}

  void check(const Json& schema, const Json& value, const std::string& place) {
    if (schema.contains("$ref")) {
      std::string ref = schema["$ref"];
      check(root_.at(Json::json_pointer(ref.substr(1))), value, place);
      return;
    }
    for (const auto& [keyword, rule] : schema.items()) apply(keyword, rule, schema, value, place);
  }

  std::vector<std::string> found;

 private:
  void report(const std::string& place, const std::string& what) { found.push_back(place + ": " + what); }

  void apply(const std::string& keyword, const Json& rule, const Json& schema, const Json& value,
             const std::string& place) {
    static const std::vector<std::string> prose{"$schema", "$id",         "$defs",
                                                "title",   "description", "examples"};
    if (keyword == "type") {
      check_type(rule, value, place);
    } else if (keyword == "enum") {
      if (std::find(rule.begin(), rule.end(), value) == rule.end())
        report(place, value.dump() + " is not allowed");
    } else if (keyword == "required") {
      for (const Json& name : rule) {
        if (value.is_object() && !value.contains(name)) report(place, "lacks " + name.get<std::string>());
      }
    } else if (keyword == "properties") {
      check_properties(rule, schema, value, place);
    } else if (keyword == "additionalProperties") {
      check_others(rule, schema, value, place);
    } else if (keyword == "items") {
      for (std::size_t i = 0; value.is_array() && i < value.size(); ++i) {
        check(rule, value[i], place + "/" + std::to_string(i));
      }
    } else if (keyword == "minimum") {
      if (value.is_number() && value.get<double>() < rule.get<double>())
        report(place, "is below the minimum");
    } else if (keyword == "pattern") {
      if (value.is_string() &&
          !std::regex_search(value.get<std::string>(), std::regex(rule.get<std::string>()))) {
        report(place, value.dump() + " does not match " + rule.dump());
      }
    } else if (std::find(prose.begin(), prose.end(), keyword) == prose.end()) {
      report(place, "the schema uses a keyword that this check does not know: " + keyword);
    }
  }

  void check_type(const Json& rule, const Json& value, const std::string& place) {
    bool good = false;
    if (rule.is_array()) {
      for (const Json& type : rule) good |= has_type(value, type);
    } else {
      good = has_type(value, rule);
    }
    if (!good) report(place, value.dump().substr(0, 80) + " is not of type " + rule.dump());
  }

  void check_properties(const Json& rule, const Json&, const Json& value, const std::string& place) {
    if (!value.is_object()) return;
    for (const auto& [name, each] : rule.items()) {
      if (value.contains(name)) check(each, value[name], place + "/" + name);
    }
  }

  void check_others(const Json& rule, const Json& schema, const Json& value, const std::string& place) {
    if (!value.is_object()) return;
    for (const auto& [name, each] : value.items()) {
      if (schema.contains("properties") && schema["properties"].contains(name)) continue;
      if (rule == false) report(place, "has a field that the schema does not know: " + name);
      if (rule.is_object()) check(rule, each, place + "/" + name);
    }
  }

  const Json& root_;
};

Json to_json(const Yaml& yaml) {
  switch (yaml.kind) {
    case Yaml::Kind::null: return nullptr;
    case Yaml::Kind::scalar: break;
    case Yaml::Kind::list: {
      Json list = Json::array();
      for (const Yaml& item : yaml.items) list.push_back(to_json(item));
      return list;
    }
    case Yaml::Kind::map: {
      Json map = Json::object();
      for (const auto& [key, value] : yaml.fields) map[key] = to_json(value);
      return map;
    }
  }
  if (yaml.quoted) return yaml.scalar;
  if (auto number = yaml.as_int()) return *number;
  if (auto number = yaml.as_number()) return *number;
  if (auto truth = yaml.as_bool()) return *truth;
  return yaml.scalar;
}

}  // namespace

std::string schema_text(const std::string& name) {
  std::ifstream stream(source_dir() + "/docs/json/" + name + ".schema.json");
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::string> check_schema(std::string_view schema, std::string_view document) {
  Json rules = Json::parse(schema, nullptr, false), value = Json::parse(document, nullptr, false);
  if (rules.is_discarded()) return {"the schema is no JSON"};
  if (value.is_discarded()) return {"the document is no JSON: " + std::string(document.substr(0, 200))};
  Checker checker(rules);
  checker.check(rules, value, "");
  return checker.found;
}

std::string json_at(std::string_view document, const std::string& pointer) {
  Json value = Json::parse(document, nullptr, false);
  Json::json_pointer place(pointer);
  if (value.is_discarded() || !value.contains(place)) return "missing";
  return value.at(place).dump();
}

std::string text_at(std::string_view document, const std::string& pointer) {
  const std::string text = json_at(document, pointer);
  return text.size() > 1 && text.front() == '"' ? text.substr(1, text.size() - 2) : text;
}

std::size_t json_size(std::string_view document) {
  Json value = Json::parse(document, nullptr, false);
  return value.is_structured() ? value.size() : 0;
}

std::string difference(std::string_view json, std::string_view yaml) {
  Json expected = Json::parse(json, nullptr, false);
  if (expected.is_discarded()) return "no JSON";
  auto tree = parse_yaml(yaml, "output.yaml");
  if (!tree) return to_line(tree.error());
  Json patch = Json::diff(expected, to_json(*tree));
  return patch.empty() ? "" : patch.dump().substr(0, 500);
}

}  // namespace tessera::test
