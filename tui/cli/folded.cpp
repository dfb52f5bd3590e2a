#include "tui/cli/folded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "engine/hostlist.hpp"
#include "tui/terminal/canvas.hpp"

namespace tessera::cli {
namespace {

constexpr int kNameCells = 32;    // a column of names stays as narrow as to leave room for the others
constexpr int kNumberCells = 16;  // "0-3,7"

// "n[01-20]"; nullopt: it takes more cells than that.
std::optional<std::string> all_names(const std::vector<std::string>& names, int cells) {
  std::string text = fold_for_reading(names);
  if (tui::display_width(text) > cells) return std::nullopt;
  return text;
}

// "0-3,7": numbers fold as hosts do, without the name in front.
std::optional<std::string> all_numbers(const std::vector<std::string>& numbers) {
  std::optional<std::string> text = all_names(numbers, kNumberCells + 2);
  if (text && text->starts_with('[') && text->ends_with(']')) return text->substr(1, text->size() - 2);
  return text;
}

struct Alike {
  std::vector<std::string> cells;
  std::optional<std::string> all;  // nullopt: there is no room for all of them, and each keeps its row
};

// Which rows are alike but for `column`, by what else they tell.
template <class Text>
std::map<std::vector<std::string>, Alike> alike_rows(const Grid& grid, std::size_t column, Text text) {
  std::map<std::vector<std::string>, Alike> alike;
  for (std::vector<std::string> row : grid.rows) {
    std::string cell = std::exchange(row[column], {});
    std::vector<std::string>& cells = alike[std::move(row)].cells;
    if (cells.empty() || cells.back() != cell) cells.push_back(std::move(cell));
  }
  for (auto& [rest, one] : alike) one.all = text(one.cells);
  return alike;
}

template <class Text>
void fold(Grid& grid, std::size_t column, Text text) {
  const auto alike = alike_rows(grid, column, text);
  std::set<const Alike*> told;
  std::vector<std::vector<std::string>> rows;
  for (std::vector<std::string>& row : grid.rows) {
    std::string cell = std::exchange(row[column], {});
    const Alike& one = alike.at(row);
    if (one.all && !told.insert(&one).second) continue;
    row[column] = one.all ? *one.all : std::move(cell);
    rows.push_back(std::move(row));
  }
  grid.rows = std::move(rows);
}

std::size_t column_of(const Grid& grid, std::string_view key) {
  const auto found = std::find_if(grid.heads.begin(), grid.heads.end(),
                                  [&](const Grid::Head& head) { return head.key == key; });
  return static_cast<std::size_t>(found - grid.heads.begin());
}

}  // namespace

std::string names_text(std::vector<std::string> names, int cells) {
  std::vector<std::string> each;
  for (std::string& name : names)
    if (each.empty() || each.back() != name) each.push_back(std::move(name));
  if (each.empty()) return {};
  std::string text = fold_for_reading(each);
  if (each.size() == 1 || tui::display_width(text) <= cells) return text;
  return fmt::format("{} +{}", each.front(), each.size() - 1);
}

Grid folded(Grid grid, std::string_view names, const Paper& paper, std::string_view numbers) {
  if (paper.columns <= 0) return grid;
  if (const std::size_t column = column_of(grid, numbers); !numbers.empty() && column < grid.heads.size())
    fold(grid, column, all_numbers);
  if (const std::size_t column = column_of(grid, names); column < grid.heads.size())
    fold(grid, column, [](const std::vector<std::string>& all) { return all_names(all, kNameCells); });
  return grid;
}

}  // namespace tessera::cli
