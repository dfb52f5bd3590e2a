#include "tui/cli/table_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tui/ascii.hpp"
#include "tui/canvas.hpp"

namespace tessera::cli {
namespace {

void add_cell(std::string& line, const std::string& text, int width, query::Align align) {
  if (!line.empty()) line += "  ";
  std::string blanks(static_cast<std::size_t>(std::max(0, width - tui::display_width(text))), ' ');
  line += align == query::Align::right ? blanks + text : text + blanks;
}

void add_line(std::string& out, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + "\n";
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace

std::string to_table(const Grid& grid, bool headers) {
  std::vector<int> widths;
  for (const Grid::Head& head : grid.heads) widths.push_back(headers ? tui::display_width(head.title) : 0);
  for (const auto& row : grid.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], tui::display_width(row[i]));
  }
  std::string out;
  auto add = [&](auto&& cell_at) {
    std::string line;
    for (std::size_t i = 0; i < grid.heads.size(); ++i)
      add_cell(line, cell_at(i), widths[i], grid.heads[i].align);
    add_line(out, std::move(line));
  };
  if (headers) add([&](std::size_t i) { return grid.heads[i].title; });
  for (const auto& row : grid.rows) add([&](std::size_t i) { return row[i]; });
  return out;
}

std::string in_ascii(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) ++end;
    std::string_view glyph = text.substr(at, end - at);
    plain += glyph.size() == 1 ? glyph.front() : tui::ascii_glyph(glyph);
    at = end;
  }
  return plain;
}

std::string to_csv(const Grid& grid, bool headers) {
  std::string out;
  auto add = [&](auto&& cell_at) {
    for (std::size_t i = 0; i < grid.heads.size(); ++i) {
      if (i > 0) out += ',';
      out += csv_field(cell_at(i));
    }
    out += '\n';
  };
  if (headers) add([&](std::size_t i) { return grid.heads[i].key; });
  for (const auto& row : grid.rows) add([&](std::size_t i) { return row[i]; });
  return out;
}

std::string raw_text(const query::Value& value, query::Format format) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    if (format == query::Format::time) return iso_time(TimePoint(std::chrono::seconds(*whole)));
    return std::to_string(*whole);
  }
  if (const auto* number = std::get_if<double>(&value)) {
    std::string text = fmt::format("{:.2f}", *number);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text;
  }
  return "";
}

std::string iso_time(TimePoint at) {
  auto day = std::chrono::floor<std::chrono::days>(at);
  std::chrono::year_month_day date(day);
  std::chrono::hh_mm_ss time(std::chrono::floor<std::chrono::seconds>(at - day));
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     time.hours().count(), time.minutes().count(), time.seconds().count());
}

}  // namespace tessera::cli
