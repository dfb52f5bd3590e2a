#include "tui/keymap.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/yaml.hpp"

namespace tessera::tui {
namespace {

constexpr std::string_view kReadingKeys = "cannot read the keymap";
// What actions were called in files of earlier versions.
constexpr std::pair<std::string_view, std::string_view> kEarlierNames[] = {{"resume-anew", "resume-replan"}};
// Without these there would be no way on, or no way out.
constexpr std::array kNeeded{Action::quit,         Action::help,          Action::palette,
                             Action::open,         Action::back,          Action::input_accept,
                             Action::input_cancel, Action::choice_toggle, Action::arm_cancel,
                             Action::leave_stay};

std::string scope_words() {
  std::string words;
  for (std::size_t i = 0; i < static_cast<std::size_t>(Scope::count_); ++i)
    words += (i > 0 ? ", " : "") + std::string(word(static_cast<Scope>(i)));
  return words;
}

std::size_t index(Action action) { return static_cast<std::size_t>(action); }

std::vector<Key> default_keys(std::string_view text) {
  std::vector<Key> out;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (const auto key = parse_key(word)) out.push_back(*key);
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return out;
}

// One key of one action, as written in the file.
Result<Key> read_key(const Yaml& at, std::string_view file) {
  if (at.kind != Yaml::Kind::scalar)
    return yaml_error(kReadingKeys, file, at, "a key is a word such as Ctrl-d");
  const auto key = parse_key(at.scalar);
  if (!key) {
    Error error = yaml_error(kReadingKeys, file, at, "'" + at.scalar + "' is no key");
    error.hint = "keys are written like j, G, Ctrl-d, Alt-x, Enter, Space, PgDn, F5";
    return error;
  }
  return *key;
}

Result<std::vector<Key>> read_keys(const Yaml& at, std::string_view file) {
  std::vector<Key> out;
  if (at.kind != Yaml::Kind::list) {
    auto key = read_key(at, file);
    if (!key) return key.error();
    out.push_back(*key);
    return out;
  }
  for (const Yaml& item : at.items) {
    auto key = read_key(item, file);
    if (!key) return key.error();
    if (std::find(out.begin(), out.end(), *key) != out.end())
      return yaml_error(kReadingKeys, file, item, to_text(*key) + " is there twice");
    out.push_back(*key);
  }
  return out;
}

Result<const ActionInfo*> read_action(std::string_view id, Scope scope, const Yaml& at,
                                      std::string_view file) {
  auto action = action_of(id);
  for (const auto& [earlier, now] : kEarlierNames)
    if (id == earlier) action = action_of(now);
  if (!action) {
    Error error = yaml_error(kReadingKeys, file, at, "there is no action '" + std::string(id) + "'");
    error.hint = "themes/keys-default.yaml and docs/keys.md list all of them";
    return error;
  }
  const ActionInfo& row = info(*action);
  if (row.scope != scope)
    return yaml_error(kReadingKeys, file, at,
                      "'" + std::string(id) + "' belongs under '" + std::string(word(row.scope)) + "'");
  return &row;
}

}  // namespace

Keymap::Keymap() {
  for (const ActionInfo& row : actions()) keys_[index(row.action)] = default_keys(row.keys);
}

Result<Keymap> Keymap::parse(std::string_view yaml, std::string_view file) {
  auto document = parse_yaml(yaml, file);
  if (!document) return document.error();
  Keymap keymap;
  if (document->is_null()) return keymap;
  if (document->kind != Yaml::Kind::map)
    return yaml_error(kReadingKeys, file, *document, "a keymap is a map of scopes");

  std::map<Action, const Yaml*> places;  // of what the file names, for messages
  for (const auto& [scope_word, rows] : document->fields) {
    const auto scope = scope_of(scope_word);
    if (!scope) {
      Error error = yaml_error(kReadingKeys, file, rows, "there is no scope '" + scope_word + "'");
      error.hint = "scopes are " + scope_words();
      return error;
    }
    if (rows.is_null()) continue;
    if (rows.kind != Yaml::Kind::map)
      return yaml_error(kReadingKeys, file, rows, "'" + scope_word + "' is a map of actions to keys");
    for (const auto& [id, keys] : rows.fields) {
      auto row = read_action(id, *scope, keys, file);
      if (!row) return row.error();
      auto read = read_keys(keys, file);
      if (!read) return read.error();
      keymap.keys_[index((*row)->action)] = std::move(*read);
      places[(*row)->action] = &keys;
    }
  }

  for (const Action action : kNeeded)
    if (keymap.keys_[index(action)].empty())
      return yaml_error(kReadingKeys, file, *places.at(action),
                        "'" + std::string(info(action).id) + "' needs a key");
  // The key that starts a change is pressed on purpose: it opens nothing, arms nothing and is not Enter.
  for (const Key& key : keymap.keys_for(Action::arm_confirm)) {
    const auto armed = keymap.keys_for(Action::plan_arm);
    if (key.named != Named::enter && std::find(armed.begin(), armed.end(), key) == armed.end()) continue;
    const auto at = places.find(Action::arm_confirm);
    return yaml_error(kReadingKeys, file, at != places.end() ? *at->second : *places.at(Action::plan_arm),
                      to_text(key) + " cannot be the key of 'arm-confirm': it is Enter, or it arms");
  }
  for (const auto& [action, at] : places) {
    for (const Key& key : keymap.keys_[index(action)]) {
      const auto other = keymap.other_user(action, key);
      if (!other) continue;
      Error error = yaml_error(kReadingKeys, file, *at,
                               to_text(key) + " is also the key of '" + std::string(info(*other).id) + "'");
      error.hint = "give '" + std::string(info(*other).id) + "' other keys in the same file, or [] for none";
      return error;
    }
  }
  return keymap;
}

std::optional<Action> Keymap::other_user(Action action, const Key& key) const {
  for (const ActionInfo& row : actions()) {
    if (row.action == action || row.scope != info(action).scope) continue;
    const auto& keys = keys_[index(row.action)];
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) return row.action;
  }
  return std::nullopt;
}

std::optional<Action> Keymap::lookup(std::span<const Scope> scopes, const Key& key) const {
  for (const Scope scope : scopes) {
    for (const ActionInfo& row : actions()) {
      if (row.scope != scope) continue;
      const auto& keys = keys_[index(row.action)];
      if (std::find(keys.begin(), keys.end(), key) != keys.end()) return row.action;
    }
  }
  return std::nullopt;
}

std::span<const Key> Keymap::keys_for(Action action) const { return keys_[index(action)]; }

std::string Keymap::shown(Action action) const {
  const auto keys = keys_for(action);
  return keys.empty() ? std::string() : to_text(keys.front());
}

std::string Keymap::all_shown(Action action) const {
  std::string out;
  for (const Key& key : keys_for(action)) {
    if (!out.empty()) out += ", ";
    out += to_text(key);
  }
  return out;
}

}  // namespace tessera::tui
