#include "tui/cli/folded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/hostlist.hpp"
#include "tui/terminal/canvas.hpp"

namespace tessera::cli {
namespace {

constexpr int kNameCells = 32;    // a column of names stays as narrow as to leave room for the others
constexpr int kNumberCells = 16;  // "0-3,7"

// "0-3,7": numbers fold as hosts do, without the name in front.
std::string numbers_text(const std::vector<std::string>& numbers, int cells) {
  std::string text = names_text(numbers, cells + 2);
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  return text;
}

template <class Text>
void fold(Grid& grid, std::size_t column, Text text) {
  std::map<std::vector<std::string>, std::size_t> places;
  std::vector<std::vector<std::string>> rows, cells;
  for (std::vector<std::string>& row : grid.rows) {
    std::vector<std::string> rest = row;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(column));
    const auto [place, fresh] = places.try_emplace(std::move(rest), rows.size());
    if (fresh) cells.emplace_back();
    cells[place->second].push_back(row[column]);
    if (fresh) rows.push_back(std::move(row));
  }
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (cells[i].size() > 1) rows[i][column] = text(std::move(cells[i]));
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
  std::string text = fold_hosts(each);
  if (each.size() == 1 || tui::display_width(text) <= cells) return text;
  return fmt::format("{} +{}", each.front(), each.size() - 1);
}

Grid folded(Grid grid, std::string_view names, const Paper& paper, std::string_view numbers) {
  if (paper.columns <= 0) return grid;
  if (const std::size_t column = column_of(grid, numbers); !numbers.empty() && column < grid.heads.size())
    fold(grid, column, [](const std::vector<std::string>& all) { return numbers_text(all, kNumberCells); });
  if (const std::size_t column = column_of(grid, names); column < grid.heads.size())
    fold(grid, column, [](std::vector<std::string> all) { return names_text(std::move(all), kNameCells); });
  return grid;
}

}  // namespace tessera::cli
