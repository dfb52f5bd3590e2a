#include "tui/remembered.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "engine/text.hpp"
#include "engine/yaml.hpp"
#include "tui/screens/rows.hpp"
#include "tui/screens/screens.hpp"
#include "tui/text_file.hpp"

namespace tessera::tui {
namespace {

constexpr std::string_view kReading = "cannot read the choices of the last console";

std::string yaml_word(std::string_view text) {
  std::string out = "\"";
  for (const char c : clean(text)) {
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string list_text(const std::vector<std::string>& items) {
  std::string out = "[";
  for (const std::string& item : items) out += (out.size() > 1 ? ", " : "") + yaml_word(item);
  return out + "]";
}

Result<std::vector<std::string>> read_list(const Yaml& at, std::string_view file) {
  std::vector<std::string> out;
  if (at.is_null()) return out;
  if (at.kind != Yaml::Kind::list) return yaml_error(kReading, file, at, "this is a list of texts");
  for (const Yaml& item : at.items) {
    if (item.kind != Yaml::Kind::scalar) return yaml_error(kReading, file, item, "this is a text");
    out.push_back(clean(item.scalar, 1000));
  }
  return out;
}

// A map of texts to whatever `read` makes of the value.
template <class Value, class Read>
Status read_map(const Yaml& at, std::string_view file, std::map<std::string, Value>& into, Read read) {
  if (at.is_null()) return Done{};
  if (at.kind != Yaml::Kind::map) return yaml_error(kReading, file, at, "this is a map");
  for (const auto& [key, value] : at.fields) {
    if (into.size() >= kMostViews) return yaml_error(kReading, file, value, "more than 100 entries");
    auto one = read(value);
    if (!one) return one.error();
    into[clean(key, 100)] = std::move(*one);
  }
  return Done{};
}

std::string sort_text(ScreenKind kind, const query::Sort& sort) {
  return (sort.descending ? "-" : "") +
         std::string(column_infos(kind)[static_cast<std::size_t>(sort.column)].key);
}

std::optional<ScreenKind> table_of(const std::string& word) {
  for (const ScreenRow& row : screen_rows())
    if (row.table && row.word == word) return row.kind;
  return std::nullopt;
}

}  // namespace

Result<Remembered> parse_remembered(std::string_view yaml, std::string_view file) {
  Remembered all;
  Result<Yaml> document = parse_yaml(yaml, file);
  if (!document) return document.error();
  if (document->is_null()) return all;
  if (document->kind != Yaml::Kind::map) return yaml_error(kReading, file, *document, "the file is a map");
  const auto text = [&](const Yaml& at) -> Result<std::string> {
    if (at.kind != Yaml::Kind::scalar) return yaml_error(kReading, file, at, "this is a text");
    return clean(at.scalar, 1000);
  };
  for (const auto& [key, value] : document->fields) {
    Status read = Done{};
    if (key == "theme") {
      Result<std::string> theme = text(value);
      if (!theme) return theme.error();
      all.theme = std::move(*theme);
    } else if (key == "history") {
      Result<std::vector<std::string>> history = read_list(value, file);
      if (!history) return history.error();
      all.history = std::move(*history);
    } else if (key == "sort") {
      read = read_map(value, file, all.sorts, text);
    } else if (key == "columns") {
      read = read_map(value, file, all.columns, text);
    } else if (key == "views") {
      read = read_map(value, file, all.views, [&](const Yaml& at) { return read_list(at, file); });
    }  // what a later version keeps there is left alone
    if (!read) return read.error();
  }
  return all;
}

std::string remembered_text(const Remembered& all) {
  std::string out = "# Choices of the console of tessera; it writes this file when it is left.\n";
  if (!all.theme.empty()) out += "theme: " + yaml_word(all.theme) + "\n";
  if (!all.history.empty()) out += "history: " + list_text(all.history) + "\n";
  const auto texts = [&](std::string_view name, const std::map<std::string, std::string>& map) {
    if (map.empty()) return;
    out += fmt::format("{}:\n", name);
    for (const auto& [key, value] : map) out += fmt::format("  {}: {}\n", yaml_word(key), yaml_word(value));
  };
  texts("sort", all.sorts);
  texts("columns", all.columns);
  if (all.views.empty()) return out;
  out += "views:\n";
  for (const auto& [name, commands] : all.views)
    out += fmt::format("  {}: {}\n", yaml_word(name), list_text(commands));
  return out;
}

Remembered remembered_of(const UiState& state) {
  Remembered all;
  all.theme = state.theme;
  all.history = state.history;
  for (const auto& [kind, sorts] : state.last_sorts)
    if (!sorts.empty()) all.sorts[std::string(word(kind))] = sort_text(kind, sorts.front());
  for (const auto& [kind, columns] : state.last_columns) {
    if (!columns) continue;
    std::string& text = all.columns[std::string(word(kind))];
    for (int column : *columns)
      text +=
          (text.empty() ? "" : ",") + std::string(column_infos(kind)[static_cast<std::size_t>(column)].key);
  }
  all.views = state.views;
  return all;
}

Remembered remembered_of(const UiState& state, const Remembered& before, std::string_view chosen_outside) {
  Remembered all = remembered_of(state);
  if (all.theme == chosen_outside) all.theme = before.theme;
  return all;
}

void apply(const Remembered& all, UiState& state) {
  if (std::find(state.themes.begin(), state.themes.end(), all.theme) != state.themes.end())
    state.theme = all.theme;
  state.history = all.history;
  if (state.history.size() > UiState::kHistory)
    state.history.erase(state.history.begin(), state.history.end() - UiState::kHistory);
  state.views = all.views;
  for (const auto& [name, text] : all.sorts)
    if (const auto kind = table_of(name))
      if (Result<query::Sort> sort = parse_screen_sort(*kind, text)) state.last_sorts[*kind] = {*sort};
  for (const auto& [name, text] : all.columns) {
    const auto kind = table_of(name);
    if (!kind) continue;
    std::vector<int> columns;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find(',', at), text.size());
      if (const auto column = column_index(*kind, text.substr(at, end - at))) columns.push_back(*column);
      at = end + 1;
    }
    if (!columns.empty()) state.last_columns[*kind] = columns;
  }
}

Result<Remembered> load_remembered(const std::string& path) {
  if (path.empty()) return Remembered{};
  auto text = read_text_file(path, kMostRemembered);
  if (!text) return Error{std::string(kReading), path + ": " + text.error().reason, "remove it"};
  return *text ? parse_remembered(**text, path) : Remembered{};
}

}  // namespace tessera::tui
