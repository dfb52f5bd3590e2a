// `tessera guide --compare`, `--scheduler` and `--terms`: the guide's tables, at 80 columns or as a document.
#include <fmt/format.h>

#include <algorithm>

#include "engine/guide/site.hpp"
#include "engine/model/reduce.hpp"
#include "tui/cli/guide/guide.hpp"
#include "tui/cli/help/help.hpp"
#include "tui/cli/json.hpp"
#include "tui/cli/table_text.hpp"
#include "tui/terminal/canvas.hpp"
#include "tui/widgets/text_table.hpp"

namespace tessera::cli {
namespace {

constexpr int kWidth = 80;

std::vector<const guide::Table*> tables_of(const guide::Texts& texts, const Options& options) {
  std::vector<const char*> ids;
  if (options.compare) ids = {"technologies", "architectures"};
  if (options.scheduler) ids.insert(ids.end(), {"schedulers", "containers", "orchestrators"});
  std::vector<const guide::Table*> tables;
  for (const char* id : ids)
    if (const guide::Table* table = texts.tables.find(id)) tables.push_back(table);
  return tables;
}

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

Json term_json(const guide::Term& term) {
  Json json = Json::map();
  json.add("term", Json::of(term.term));
  json.add("text", Json::of(guide::plain(term.text)));
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
  Json json = Json::map(), list = Json::list(), site = Json::list(), advice = Json::list();
  Json terms = Json::list();
  std::string text;
  for (const guide::Table* table : tables_of(texts, options)) {
    list.items.push_back(table_json(*table));
    text += (text.empty() ? "" : "\n") + table_text(*table);
  }
  for (const Cluster& cluster : clusters) {
    text += "\n" + tui::told(options.reader, "What is known of " + cluster.name.text) + "\n";
    for (const guide::SiteLine& line :
         guide::site_lines(cluster, options.platform, cluster_now(cluster, wall))) {
      site.items.push_back(line_json(cluster.name.text, line));
      text += wrapped(tui::told(options.reader, line.about) + ": " + tui::told(options.reader, line.text), 2);
    }
  }
  if (options.scheduler) {
    text += "\n" + tui::told(options.reader, "Advice") + "\n";
    for (const guide::Term& one : texts.tables.advice) {
      advice.items.push_back(Json::of(one.text));
      std::string lines = wrapped(one.text, 4);
      lines.replace(2, 1, "-");
      text += lines;
    }
  }
  if (options.terms) {
    text += (text.empty() ? "" : "\n") + tui::told(options.reader, "Terms") + "\n";
    for (const guide::Term& one : texts.glossary.terms()) {
      terms.items.push_back(term_json(one));
      text += "  " + one.term + "\n" + wrapped(guide::plain(one.text), 6);
    }
  }
  if (options.output != OutputFormat::json && options.output != OutputFormat::yaml) {
    return options.ascii ? in_ascii(text) : text;
  }
  json.add("tables", std::move(list));
  json.add("site", std::move(site));
  json.add("advice", std::move(advice));
  json.add("terms", std::move(terms));
  return document(json, options.output == OutputFormat::json ? Markup::json : Markup::yaml);
}

}  // namespace tessera::cli
