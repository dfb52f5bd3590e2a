#include "tui/widgets/text_table.hpp"

#include <algorithm>

#include "tui/language/wrap.hpp"
#include "tui/terminal/canvas.hpp"

namespace tessera::tui {
namespace {

constexpr int kCellGap = 2;
constexpr int kNarrowestCell = 8;

// The names take what they need up to a sixth, or what the others leave; what others need less than their
// part goes to the rest.
std::vector<int> widths_of(const std::vector<std::string>& columns,
                           const std::vector<std::vector<std::string>>& rows, int width) {
  std::vector<int> wish(columns.size(), 1);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    wish[i] = display_width(columns[i]);
    for (const auto& row : rows) wish[i] = std::max(wish[i], display_width(row[i]));
  }
  int names = longest_word(columns.front());
  for (const auto& row : rows) names = std::max(names, longest_word(row.front()));
  // A heading may wrap where its cells are short.
  int left_over = width;
  for (std::size_t i = 1; i < wish.size(); ++i) {
    int need = std::max(kNarrowestCell, longest_word(columns[i]));
    for (const auto& row : rows) need = std::max(need, display_width(row[i]));
    left_over -= need + kCellGap;
  }
  wish[0] = std::min(wish[0], std::max({names, width / 6, left_over}));
  // No heading is cut in the middle of a word for long names: those wrap.
  int heads = 0;
  for (std::size_t i = 1; i < columns.size(); ++i)
    heads += std::max(kNarrowestCell, longest_word(columns[i])) + kCellGap;
  wish[0] = std::min(wish[0], std::max(width - heads, kNarrowestCell));
  int left = width - wish[0];
  std::vector<std::size_t> order;
  for (std::size_t i = 1; i < wish.size(); ++i) order.push_back(i);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return wish[a] < wish[b]; });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const int part = left / static_cast<int>(order.size() - i) - kCellGap;
    int& own = wish[order[i]];
    const int word = longest_word(columns[order[i]]);
    own = std::max({kNarrowestCell, std::min(own, part), std::min(word, left - kCellGap)});
    left -= own + kCellGap;
  }
  return wish;
}

void add_row(TextTable& table, const std::vector<std::string>& row, const std::vector<int>& widths,
             bool head) {
  std::vector<std::vector<std::string>> cells;
  std::size_t height = 1;
  for (std::size_t i = 0; i < row.size(); ++i) {
    cells.push_back(wrap(row[i], widths[i]));
    height = std::max(height, cells.back().size());
  }
  for (std::size_t y = 0; y < height; ++y) {
    TextTable::Line line;
    line.head = head;
    for (const auto& cell : cells) line.cells.push_back(y < cell.size() ? cell[y] : std::string());
    table.lines.push_back(std::move(line));
  }
}

}  // namespace

TextTable lay_text_table(const std::vector<std::string>& columns,
                         const std::vector<std::vector<std::string>>& rows, int width) {
  TextTable table;
  if (columns.empty()) return table;
  const std::vector<int> widths = widths_of(columns, rows, width);
  int x = 0;
  for (int one : widths) {
    table.starts.push_back(x);
    x += one + kCellGap;
  }
  add_row(table, columns, widths, true);
  const std::size_t head = table.lines.size();
  for (const auto& row : rows) add_row(table, row, widths, false);
  // Rows of one line each need no gaps.
  if (table.lines.size() - head == rows.size()) return table;
  table.lines.resize(head);
  for (const auto& row : rows) {
    add_row(table, row, widths, false);
    if (&row != &rows.back()) table.lines.push_back({});
  }
  return table;
}

}  // namespace tessera::tui
