#include "tests/support/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "tui/terminal/canvas.hpp"
#include "tui/terminal/utf8.hpp"

namespace tessera::test {
namespace {

constexpr int kCell = 8, kLine = 18, kMargin = 10, kBaseline = 14;
constexpr double kFont =
    13.29;  // a cell is 0.602 of it in DejaVu Sans Mono and Menlo; others are stretched by textLength

struct Cell {
  std::string glyph = " ";
  tui::Style style;
};
using Row = std::vector<Cell>;

tui::Role role_of(char letter) {
  for (int i = 0; i < static_cast<int>(tui::Role::count_); ++i)
    if (tui::letter(static_cast<tui::Role>(i)) == letter) return static_cast<tui::Role>(i);
  return tui::Role::text;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) lines.push_back(std::move(line));
  return lines;
}

// A cell of the text for each letter of the roles: the right half of a wide character has none of its own.
Row row_of(std::string_view text, std::string_view roles, std::string_view attributes) {
  Row row(roles.size());
  std::size_t x = 0;
  while (!text.empty() && x < row.size()) {
    std::string_view rest = text;
    tui::take_code_point(rest);
    std::string_view glyph = text.substr(0, text.size() - rest.size());
    const int width = tui::display_width(glyph);
    if (width == 0 && x > 0)
      row[x - 1].glyph += glyph;
    else
      row[x].glyph = std::string(glyph);
    if (width == 2 && x + 1 < row.size()) row[x + 1].glyph.clear();
    x += static_cast<std::size_t>(width);
    text = rest;
  }
  for (std::size_t i = 0; i < row.size(); ++i) {
    row[i].style = tui::Style(role_of(roles[i]));
    const char attribute = i < attributes.size() ? attributes[i] : '.';
    row[i].style.reverse = attribute == 'r';
    row[i].style.bold = attribute == 'b';
    row[i].style.underline = attribute == 'u';
  }
  return row;
}

std::vector<Row> rows_of(std::string_view golden) {
  const std::size_t roles_at = golden.find("==== roles\n"), attributes_at = golden.find("==== attributes\n");
  if (roles_at == std::string_view::npos || attributes_at == std::string_view::npos) return {};
  const auto text = lines_of(golden.substr(0, roles_at));
  const auto roles = lines_of(golden.substr(roles_at + 11, attributes_at - roles_at - 11));
  const auto attributes = lines_of(golden.substr(attributes_at + 16));
  std::vector<Row> rows;
  for (std::size_t y = 0; y < roles.size(); ++y)
    rows.push_back(
        row_of(y < text.size() ? text[y] : "", roles[y], y < attributes.size() ? attributes[y] : ""));
  return rows;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

std::string colour(short index, tui::Rgb fallback) {
  const tui::Rgb rgb = index == tui::Look::kDefault ? fallback : tui::palette_rgb(index);
  return fmt::format("#{:02x}{:02x}{:02x}", rgb.red, rgb.green, rgb.blue);
}

struct Paint {
  std::string foreground, background;
  bool bold = false, underline = false;
  friend bool operator==(const Paint&, const Paint&) = default;
};

Paint paint_of(tui::Style style, const tui::Theme& theme) {
  constexpr tui::Rgb ink{0xd4, 0xd4, 0xd4};
  tui::Look look = theme.look(style, tui::Depth::indexed);
  Paint paint{colour(look.foreground, ink), colour(look.background, theme.assumed_background()), look.bold,
              look.underline};
  if (look.reverse) std::swap(paint.foreground, paint.background);
  return paint;
}

std::string words_at(const std::string& words, int x, int y, const Paint& paint) {
  return fmt::format("<text x=\"{}\" y=\"{}\" textLength=\"{}\" fill=\"{}\"{}{}>{}</text>\n",
                     kMargin + x * kCell, kMargin + y * kLine + kBaseline, tui::display_width(words) * kCell,
                     paint.foreground, paint.bold ? " font-weight=\"bold\"" : "",
                     paint.underline ? " text-decoration=\"underline\"" : "", escaped(words));
}

// Cells of one look. Words that stand apart are placed apart, so that no font can push them out of their
// columns.
std::string run_of(const std::string& text, int x, int y, int cells, const Paint& paint,
                   const std::string& page) {
  std::string out;
  if (paint.background != page)
    out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n",
                       kMargin + x * kCell, kMargin + y * kLine, cells * kCell, kLine, paint.background);
  for (std::size_t at = text.find_first_not_of(' '); at != std::string::npos;) {
    const std::size_t end = std::min({text.find("  ", at), text.find_last_not_of(' ') + 1, text.size()});
    out += words_at(text.substr(at, end - at), x + tui::display_width(text.substr(0, at)), y, paint);
    at = text.find_first_not_of(' ', end);
  }
  return out;
}

std::string line_of(const Row& row, int y, const tui::Theme& theme, const std::string& page) {
  std::string out;
  for (std::size_t x = 0; x < row.size();) {
    const Paint paint = paint_of(row[x].style, theme);
    std::string text;
    std::size_t end = x;
    for (; end < row.size() && paint_of(row[end].style, theme) == paint; ++end) text += row[end].glyph;
    out += run_of(text, static_cast<int>(x), y, static_cast<int>(end - x), paint, page);
    x = end;
  }
  return out;
}

}  // namespace

std::string svg_of(std::string_view golden, const tui::Theme& theme) {
  const std::vector<Row> rows = rows_of(golden);
  std::size_t columns = 0;
  for (const Row& row : rows) columns = std::max(columns, row.size());
  const std::string page = colour(tui::Look::kDefault, theme.assumed_background());
  const int width = static_cast<int>(columns) * kCell + 2 * kMargin;
  const int height = static_cast<int>(rows.size()) * kLine + 2 * kMargin;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"DejaVu Sans Mono, "
      "Menlo, Consolas, "
      "monospace\" font-size=\"{}\" xml:space=\"preserve\">\n<rect width=\"{}\" height=\"{}\" rx=\"6\" "
      "fill=\"{}\"/>\n",
      width, height, kFont, width, height, page);
  for (std::size_t y = 0; y < rows.size(); ++y) out += line_of(rows[y], static_cast<int>(y), theme, page);
  return out + "</svg>\n";
}

}  // namespace tessera::test
