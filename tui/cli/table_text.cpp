#include "tui/cli/table_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/time.hpp"
#include "tui/cli/list_table.hpp"
#include "tui/screens/column_ranks.hpp"
#include "tui/screens/roles.hpp"
#include "tui/terminal/ascii.hpp"
#include "tui/terminal/canvas.hpp"
#include "tui/widgets/table.hpp"

namespace tessera::cli {
namespace {

constexpr int kBetween = 2;

tui::Role severity_role(const std::string& text) {
  return text == "danger" ? tui::Role::danger : text == "warning" ? tui::Role::warning : tui::Role::dim;
}

struct Printed {
  std::size_t index;
  int width;
};

// On a terminal, rows that look alike are one line that says how many they are: "1g.10gb  closed  ×7".
class Lines {
 public:
  explicit Lines(const Paper& paper) : paper_(paper) {}

  // whole: what its cells say before they are cut.
  void add(std::string line, int width, std::string whole) {
    if (paper_.columns > 0 && times_ > 0 && whole == whole_) {
      ++times_;
      return;
    }
    flush();
    last_ = std::move(line), whole_ = std::move(whole), width_ = width, times_ = 1;
  }
  std::string text() {
    flush();
    return std::move(out_);
  }

 private:
  void flush() {
    const std::string count = fmt::format("  {}{}", paper_.ascii ? "x" : "×", times_);
    if (times_ > 1 && width_ + tui::display_width(count) <= paper_.columns) {
      out_ += last_ + count + "\n";
    } else {
      for (int i = 0; i < times_; ++i) out_ += last_ + "\n";
    }
    times_ = 0;
  }

  const Paper& paper_;
  std::string out_, last_, whole_;
  int width_ = 0, times_ = 0;
};

std::vector<int> natural_widths(const Grid& grid, bool headers) {
  std::vector<int> widths;
  for (const Grid::Head& head : grid.heads) widths.push_back(headers ? tui::display_width(head.title) : 0);
  for (const auto& row : grid.rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], tui::display_width(row[i]));
  return widths;
}

std::optional<int> place_of(const Grid& grid, std::string_view key) {
  for (std::size_t i = 0; i < grid.heads.size(); ++i)
    if (grid.heads[i].key == key) return static_cast<int>(i);
  return std::nullopt;
}

// The columns that the console would show in as many cells.
std::vector<Printed> fitted(const Grid& grid, const std::vector<int>& widths, int cells,
                            const ConsoleList* list) {
  constexpr int kEdges = 2;  // the console's own: pointer and end
  std::vector<tui::ColumnInfo> infos;
  for (std::size_t i = 0; i < grid.heads.size(); ++i) {
    const Grid::Head& head = grid.heads[i];
    infos.push_back({head.key, head.title, query::Format::text, head.align, head.show,
                     std::min(head.min_width, widths[i]), ""});
  }
  tui::TableLook look;
  look.wanted = widths;
  for (std::size_t i = 0; i < grid.heads.size(); ++i) {
    const auto same = [&](const auto& row) { return row[i] == grid.rows.front()[i]; };
    if (grid.rows.empty() || !std::all_of(grid.rows.begin(), grid.rows.end(), same)) continue;
    const auto column = static_cast<int>(i);
    if (list && grid.heads[i].key == "cluster") look.skip = column;
    if (grid.rows.size() < 2) continue;
    // What is the same on every row comes after what is not, where no list of the console has its own order;
    // what is empty has no use.
    if (grid.rows.front()[i].empty())
      look.empty.push_back(column);
    else if (!list && !grid.heads[i].read_for)
      look.demoted.push_back(column);
  }
  if (const auto id = place_of(grid, "id"), name = place_of(grid, "name"); list && id && name)
    if (std::all_of(grid.rows.begin(), grid.rows.end(), [&](const auto& row) {
          return tui::repeats_id(row[static_cast<std::size_t>(*id)], row[static_cast<std::size_t>(*name)]);
        }))
      look.empty.push_back(*name);
  if (list)
    tui::rank_columns(look, list->screen, list->nodes_of_two,
                      [&](std::string_view key) { return place_of(grid, key); });
  if (!list)
    for (std::string_view key : {"cluster", "node", "user", "name", "workload", "subject"})
      if (const auto column = place_of(grid, key)) look.names.push_back(*column);
  std::vector<Printed> columns;
  for (const tui::PlacedColumn& placed : tui::lay_out(infos, look, cells + kEdges).columns) {
    const auto index = static_cast<std::size_t>(placed.column);
    columns.push_back({index, std::min(placed.width, widths[index])});
  }
  return columns;
}

// The terminal's own colours, which each user has chosen to be readable.
std::string_view look_of_cell(const std::string& key, const std::string& text) {
  switch (key == "severity" ? severity_role(text) : tui::cell_role(key, text)) {
    case tui::Role::good:
    case tui::Role::free: return "32";
    case tui::Role::held: return "36";
    case tui::Role::warning:
    case tui::Role::changing: return "33";
    case tui::Role::danger: return "1;31";
    case tui::Role::dim:
    case tui::Role::unknown: return "2";
    default: return {};
  }
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

std::string table_of(const Grid& grid, bool headers, const Paper& paper, const ConsoleList* list) {
  const std::vector<int> widths = natural_widths(grid, headers);
  std::vector<Printed> columns;
  if (fits(grid, headers, paper))
    for (std::size_t i = 0; i < widths.size(); ++i) columns.push_back({i, widths[i]});
  else
    columns = fitted(grid, widths, paper.columns, list);
  Lines lines(paper);
  auto add = [&](auto&& cell_at, auto&& look_of) {
    std::string line, whole;
    int blanks = 0, end = 0;
    for (const Printed& column : columns) {
      const Grid::Head& head = grid.heads[column.index];
      const std::string& cell = cell_at(column.index);
      const std::string text = tui::shorten(cell, column.width, paper.ascii);
      if (paper.columns > 0) whole += cell + '\x1f';
      const int spare = std::max(0, column.width - tui::display_width(text));
      const bool right = head.align == query::Align::right;
      if (!text.empty()) {
        line.append(static_cast<std::size_t>(blanks + (right ? spare : 0)), ' ');
        const std::string_view look = paper.colour ? look_of(head.key, text) : std::string_view{};
        line += look.empty() ? text : fmt::format("\x1b[{}m{}\x1b[0m", look, text);
        end += blanks + (right ? spare : 0) + tui::display_width(text);
        blanks = right ? 0 : spare;
      } else {
        blanks += spare;
      }
      blanks += kBetween;
    }
    lines.add(std::move(line), end, std::move(whole));
  };
  if (headers)
    add([&](std::size_t i) -> const std::string& { return grid.heads[i].title; },
        [](const std::string&, const std::string&) { return std::string_view("1"); });
  for (const auto& row : grid.rows)
    add([&](std::size_t i) -> const std::string& { return row[i]; }, look_of_cell);
  return lines.text();
}

}  // namespace

std::string to_table(const Grid& grid, bool headers, const Paper& paper) {
  return table_of(grid, headers, paper, nullptr);
}
std::string to_list_table(const Grid& grid, bool headers, const Paper& paper, const ConsoleList& list) {
  return table_of(grid, headers, paper, &list);
}

bool fits(const Grid& grid, bool headers, const Paper& paper) {
  int cells = -kBetween;
  for (int width : natural_widths(grid, headers)) cells += width + kBetween;
  return paper.columns <= 0 || cells <= paper.columns;
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
    if (format == query::Format::time) return utc_text(TimePoint(std::chrono::seconds(*whole)));
    return std::to_string(*whole);
  }
  if (const auto* number = std::get_if<double>(&value)) {
    std::string text = fmt::format("{:.2f}", *number);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text;
  }
  if (const auto* least = std::get_if<query::AtLeast>(&value)) return ">=" + std::to_string(least->number);
  return "";
}

}  // namespace tessera::cli
