// `tessera guide --compare` and `--scheduler`: the guide's tables, at 80 columns or as a document.
#include <fmt/format.h>

#include <array>

#include "engine/guide/site.hpp"
#include "engine/model/reduce.hpp"
#include "tui/canvas.hpp"
#include "tui/cli/guide.hpp"
#include "tui/cli/help.hpp"
#include "tui/cli/json.hpp"
#include "tui/cli/table_text.hpp"
#include "tui/widgets/text_table.hpp"

namespace tessera::cli {
namespace {

constexpr int kWidth = 80;

std::string table_text(const guide::Table& table) {
  std::string text = table.title + "\n\n";
  const tui::TextTable laid = tui::lay_text_table(table.columns, table.rows, kWidth);
  for (const tui::TextTable::Line& line : laid.lines) {
    std::string row;
    for (std::size_t i = 0; i < line.cells.size(); ++i) {
      if (line.cells[i].empty()) continue;
      const int gap = laid.starts[i] - tui::display_width(row);
      row += std::string(static_cast<std::size_t>(std::max(gap, 0)), ' ') + line.cells[i];
    }
    text += row + "\n";
  }
  return text;
}

Json table_json(const guide::Table& table) {
  Json json = Json::map();
  json.add("id", Json::of(table.id));
  json.add("title", Json::of(table.title));
  Json& columns = json.add("columns", Json::list());
  for (const std::string& one : table.columns) columns.items.push_back(Json::of(one));
  Json& rows = json.add("rows", Json::list());
  for (const auto& row : table.rows) {
    Json cells = Json::list();
    for (const std::string& cell : row) cells.items.push_back(Json::of(cell));
    rows.items.push_back(std::move(cells));
  }
  return json;
}

Json line_json(const std::string& cluster, const guide::SiteLine& line) {
  Json json = Json::map();
  json.add("cluster", Json::of(cluster));
  json.add("about", Json::of(line.about));
  json.add("text", Json::of(line.text));
  return json;
}

}  // namespace

std::string print_tables(const guide::Texts& texts, std::span<const Cluster> clusters, TimePoint wall,
                         const Options& options) {
  std::vector<const guide::Table*> tables;
  constexpr std::array kCompared{"technologies", "architectures"}, kSchedulers{"schedulers", "orchestrators"};
  for (const char* id : options.compare ? kCompared : kSchedulers)
    if (const guide::Table* table = texts.tables.find(id)) tables.push_back(table);
  Json json = Json::map(), list = Json::list(), site = Json::list(), advice = Json::list();
  std::string text;
  for (const guide::Table* table : tables) {
    list.items.push_back(table_json(*table));
    text += (text.empty() ? "" : "\n") + table_text(*table);
  }
  for (const Cluster& cluster : clusters) {
    text += "\nWhat is known of " + cluster.name.text + "\n";
    for (const guide::SiteLine& line :
         guide::site_lines(cluster, options.platform, cluster_now(cluster, wall))) {
      site.items.push_back(line_json(cluster.name.text, line));
      text += wrapped(line.about + ": " + line.text, 2);
    }
  }
  if (!options.compare) {
    text += "\nAdvice\n";
    for (const guide::Term& one : texts.tables.advice) {
      advice.items.push_back(Json::of(one.text));
      std::string lines = wrapped(one.text, 4);
      lines.replace(2, 1, "-");
      text += lines;
    }
  }
  if (options.output != OutputFormat::json && options.output != OutputFormat::yaml) {
    return options.ascii ? in_ascii(text) : text;
  }
  json.add("tables", std::move(list));
  json.add("site", std::move(site));
  json.add("advice", std::move(advice));
  return document(json, options.output == OutputFormat::json ? Markup::json : Markup::yaml);
}

}  // namespace tessera::cli
