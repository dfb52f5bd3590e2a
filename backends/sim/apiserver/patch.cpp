#include "backends/sim/apiserver/patch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/number.hpp"
#include "engine/text.hpp"

namespace tessera::sim::kube {
namespace {

constexpr std::size_t kMostOperations = 1000;
constexpr std::size_t kMostBytes = 8U << 20U;  // what a patch may grow an object to

// The field by which the elements of a list are told apart; empty: the list is replaced as a whole.
std::string_view merge_key(std::string_view field) {
  constexpr std::pair<std::string_view, std::string_view> kKeys[] = {
      {"conditions", "type"},
      {"addresses", "type"},
      {"containers", "name"},
      {"initContainers", "name"},
      {"volumes", "name"},
      {"env", "name"},
      {"ports", "containerPort"},
      {"volumeMounts", "mountPath"},
      {"ownerReferences", "uid"},
      {"imagePullSecrets", "name"},
      {"topologySpreadConstraints", "topologyKey"}};
  for (const auto& [name, key] : kKeys)
    if (name == field) return key;
  return {};
}

bool is_set_of_texts(std::string_view field) { return field == "finalizers" || field == "podCIDRs"; }

std::optional<std::string_view> directive(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  return name.substr(prefix.size());
}

class Strategic {
 public:
  Json map(Json target, const Json& patch, int depth = 0) {
    if (target.kind != Json::Kind::map) target = Json::map();
    std::string_view how = view_at(patch, {"$patch"});
    if (how == "replace") return without_directives(patch);
    if (how == "delete") return Json::map();
    if (depth > 60) return target;
    if (const Json* keys = patch.find("$retainKeys"))
      std::erase_if(target.fields, [&](const auto& field) {
        return std::none_of(keys->items.begin(), keys->items.end(),
                            [&](const Json& key) { return key.text == field.first; });
      });
    for (const auto& [name, value] : patch.fields) {
      if (auto list = directive(name, "$deleteFromPrimitiveList/")) {
        if (Json* there = member(target, *list))
          std::erase_if(there->items, [&gone = value.items](const Json& item) {
            return std::find(gone.begin(), gone.end(), item) != gone.end();
          });
      }
      if (name.starts_with("$")) continue;
      field(target, name, value, depth);
    }
    for (const auto& [name, value] : patch.fields)
      if (auto list = directive(name, "$setElementOrder/")) order(target, *list, value);
    return target;
  }

  std::optional<Refusal> refusal;

 private:
  void field(Json& target, const std::string& name, const Json& value, int depth) {
    if (value.is_null()) {
      drop(target, name);
      return;
    }
    Json* there = member(target, name);
    if (value.kind == Json::Kind::map) {
      if (view_at(value, {"$patch"}) == "delete") {
        drop(target, name);
        return;
      }
      put(target, name, map(there ? std::move(*there) : Json::map(), value, depth + 1));
    } else if (value.kind == Json::Kind::list && there && there->kind == Json::Kind::list) {
      list(*there, name, value, depth);
    } else {
      put(target, name, without_directives(value));
    }
  }

  void list(Json& there, const std::string& name, const Json& patch, int depth) {
    std::string_view key = merge_key(name);
    if (is_set_of_texts(name)) {
      for (const Json& item : patch.items)
        if (std::find(there.items.begin(), there.items.end(), item) == there.items.end())
          there.items.push_back(item);
      return;
    }
    bool replaces = std::any_of(patch.items.begin(), patch.items.end(),
                                [](const Json& item) { return view_at(item, {"$patch"}) == "replace"; });
    if (key.empty() || replaces) {
      there = without_directives(patch);
      return;
    }
    for (const Json& item : patch.items) {
      const Json* id = item.find(key);
      if (!id) {
        refusal = bad_request(fmt::format("map: {} does not contain declared merge key: {}", name, key));
        return;
      }
      auto same = std::find_if(there.items.begin(), there.items.end(), [&](const Json& old) {
        const Json* other = old.find(key);
        return other && *other == *id;
      });
      if (view_at(item, {"$patch"}) == "delete") {
        if (same != there.items.end()) there.items.erase(same);
      } else if (same != there.items.end()) {
        *same = map(std::move(*same), item, depth + 1);
      } else {
        there.items.push_back(map(Json::map(), item, depth + 1));
      }
    }
  }

  // Elements that are named stand in that order; the others keep their places behind.
  static void order(Json& target, std::string_view name, const Json& wanted) {
    Json* there = member(target, name);
    if (!there || there->kind != Json::Kind::list) return;
    std::string_view key = merge_key(name);
    auto rank = [&](const Json& item) {
      const Json* id = key.empty() ? &item : item.find(key);
      for (std::size_t i = 0; i < wanted.items.size(); ++i) {
        const Json* other = key.empty() ? &wanted.items[i] : wanted.items[i].find(key);
        if (id && other && *id == *other) return i;
      }
      return wanted.items.size();
    };
    std::stable_sort(there->items.begin(), there->items.end(),
                     [&](const Json& a, const Json& b) { return rank(a) < rank(b); });
  }

  // A part of a patch that lands where nothing was: nulls and directives mean nothing there.
  static Json without_directives(const Json& value) {
    Json copy = value;
    std::erase_if(copy.fields,
                  [](const auto& field) { return field.first.starts_with("$") || field.second.is_null(); });
    for (auto& [name, part] : copy.fields) part = without_directives(part);
    std::erase_if(copy.items, [](const Json& item) {
      return !view_at(item, {"$patch"}).empty() && item.fields.size() <= 2;
    });
    for (Json& item : copy.items) item = without_directives(item);
    return copy;
  }
};

// One step of a JSON pointer, decoded.
std::optional<std::vector<std::string>> parse_pointer(std::string_view text) {
  std::vector<std::string> steps;
  if (text.empty()) return steps;
  if (text.front() != '/') return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '/') {
      steps.emplace_back();
    } else if (text[i] == '~') {
      if (i + 1 >= text.size() || (text[i + 1] != '0' && text[i + 1] != '1')) return std::nullopt;
      steps.back() += text[++i] == '0' ? '~' : '/';
    } else {
      steps.back() += text[i];
    }
  }
  return steps;
}

std::optional<std::size_t> below(const std::string& step, std::size_t size) {
  const auto index = whole_number<std::size_t>(step);
  return index && *index < size ? index : std::nullopt;
}

Json* walk(Json& root, const std::vector<std::string>& steps, std::size_t count) {
  Json* here = &root;
  for (std::size_t i = 0; i < count && here; ++i) {
    if (here->kind == Json::Kind::list) {
      auto index = below(steps[i], here->items.size());
      here = index ? &here->items[*index] : nullptr;
    } else {
      here = member(*here, steps[i]);
    }
  }
  return here;
}

bool add_at(Json& root, const std::vector<std::string>& steps, Json value) {
  if (steps.empty()) return root = std::move(value), true;
  Json* parent = walk(root, steps, steps.size() - 1);
  if (!parent) return false;
  if (parent->kind == Json::Kind::map) return put(*parent, steps.back(), std::move(value)), true;
  if (parent->kind != Json::Kind::list) return false;
  if (steps.back() == "-") return parent->items.push_back(std::move(value)), true;
  auto index = whole_number<std::size_t>(steps.back(), parent->items.size());
  if (!index) return false;
  parent->items.insert(parent->items.begin() + static_cast<std::ptrdiff_t>(*index), std::move(value));
  return true;
}

bool remove_at(Json& root, const std::vector<std::string>& steps) {
  if (steps.empty()) return false;
  Json* parent = walk(root, steps, steps.size() - 1);
  if (!parent) return false;
  if (parent->kind == Json::Kind::map) return drop(*parent, steps.back());
  auto index = below(steps.back(), parent->items.size());
  if (!index) return false;
  parent->items.erase(parent->items.begin() + static_cast<std::ptrdiff_t>(*index));
  return true;
}

Refusal cannot_apply(std::string message) { return {422, "Invalid", std::move(message)}; }

// Errors as evanphx/json-patch words them, which the server uses.
std::optional<Refusal> apply_one(Json& root, const Json& operation) {
  std::string_view op = view_at(operation, {"op"});
  std::string_view place = view_at(operation, {"path"});
  auto steps = parse_pointer(place);
  const Json* value = operation.find("value");
  if (op.empty() || !operation.find("path") || !steps)
    return bad_request("json: cannot unmarshal JSON patch operation");
  auto missing = [&](std::string_view what) {
    return cannot_apply(fmt::format("{} operation does not apply: doc is missing path: \"{}\": missing value",
                                    what, clean(place, 512)));
  };
  if (op == "add" || op == "replace" || op == "test") {
    if (!value && op != "test") return bad_request("json: JSON patch operation has no value");
    if (op == "add") return add_at(root, *steps, *value) ? std::nullopt : std::optional(missing("add"));
    Json* there = walk(root, *steps, steps->size());
    if (op == "replace") {
      if (!there) return missing("replace");
      *there = *value;
      return std::nullopt;
    }
    bool same = there ? value && *there == *value : !value || value->is_null();
    if (!same)
      return cannot_apply(
          fmt::format("the server rejected our request due to an error in our request: testing "
                      "value {} failed",
                      clean(place, 512)));
    return std::nullopt;
  }
  if (op == "remove") return remove_at(root, *steps) ? std::nullopt : std::optional(missing("remove"));
  if (op == "move" || op == "copy") {
    auto from = parse_pointer(view_at(operation, {"from"}));
    Json* there = from ? walk(root, *from, from->size()) : nullptr;
    if (!there) return missing(op);
    Json copy = *there;
    if (op == "move" && !remove_at(root, *from)) return missing(op);
    return add_at(root, *steps, std::move(copy)) ? std::nullopt : std::optional(missing(op));
  }
  return bad_request(fmt::format("Unexpected kind: {}", clean(op, 64)));
}

}  // namespace

Json merge_patch(Json target, const Json& patch) {
  if (patch.kind != Json::Kind::map) return patch;
  if (target.kind != Json::Kind::map) target = Json::map();
  for (const auto& [name, value] : patch.fields) {
    if (value.is_null()) {
      drop(target, name);
      continue;
    }
    Json* there = member(target, name);
    Json merged = merge_patch(there ? std::move(*there) : Json(), value);
    put(target, name, std::move(merged));
  }
  return target;
}

std::variant<Json, Refusal> strategic_patch(const Json& target, const Json& patch) {
  if (patch.kind != Json::Kind::map) return bad_request("cannot unmarshal the patch into an object");
  Strategic strategic;
  Json merged = strategic.map(target, patch);
  if (strategic.refusal) return *strategic.refusal;
  return merged;
}

std::variant<Json, Refusal> json_patch(Json target, const Json& patch) {
  if (patch.kind != Json::Kind::list)
    return bad_request("json: cannot unmarshal object into Go value of type jsonpatch.Patch");
  if (patch.items.size() > kMostOperations)
    return Refusal{413, "RequestEntityTooLarge",
                   fmt::format("The allowed maximum operations in a JSON patch is {}, got {}",
                               kMostOperations, patch.items.size())};
  for (const Json& operation : patch.items) {
    if (auto refusal = apply_one(target, operation)) return *refusal;
    // "copy" can double a document with every operation.
    if (view_at(operation, {"op"}) == "copy" && to_line(target).size() > kMostBytes)
      return Refusal{413, "RequestEntityTooLarge", "the patched object is too large"};
  }
  return target;
}

}  // namespace tessera::sim::kube
