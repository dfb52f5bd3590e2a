#include "engine/guide/glossary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/sharing/read_yaml.hpp"
#include "engine/text.hpp"

namespace tessera::guide {

namespace {

constexpr std::size_t kMaxTerms = 500;
constexpr std::size_t kMaxTables = 20;
constexpr std::size_t kMaxRows = 100;

// Marks that are not closed, or that hold nothing, are ordinary text.
std::optional<std::string_view> take_mark(std::string_view text, std::size_t at) {
  if (text[at] != '{') return std::nullopt;
  const std::size_t end = text.find('}', at);
  if (end == std::string_view::npos || end == at + 1) return std::nullopt;
  return text.substr(at + 1, end - at - 1);
}

std::vector<Term> read_terms(FieldReader& in, const Yaml& root, std::string_view list,
                             std::string_view name) {
  std::vector<Term> terms;
  std::set<std::string> seen;
  for (const Yaml& yaml : in.list(root, list, kMaxTerms)) {
    if (!in.map(yaml, list, {name, "text"})) break;
    terms.push_back({in.text(yaml, name, 64), in.text(yaml, "text")});
    if (!in.failed() && !seen.insert(lower(terms.back().term)).second) {
      in.fail(yaml.line, fmt::format("\"{}\" is listed twice", terms.back().term));
    }
  }
  return terms;
}

// A cell may be empty, unlike every other text.
std::string cell(FieldReader& in, const Yaml& yaml) {
  if (yaml.kind == Yaml::Kind::scalar && yaml.scalar.empty()) return {};
  return in.scalar(yaml, "cell", 500);
}

Table read_table(FieldReader& in, const Yaml& yaml) {
  Table table;
  if (!in.map(yaml, "table", {"id", "title", "columns", "rows"})) return table;
  table.id = in.text(yaml, "id", 64);
  table.title = in.text(yaml, "title", 100);
  for (const Yaml& column : in.list(yaml, "columns", 12)) table.columns.push_back(cell(in, column));
  for (const Yaml& line : in.list(yaml, "rows", kMaxRows)) {
    std::vector<std::string> row;
    for (const Yaml& one : line.items) row.push_back(cell(in, one));
    if (row.size() != table.columns.size()) {
      in.fail(line.line,
              fmt::format("this row has {} cells, the head has {}", row.size(), table.columns.size()));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

Result<Glossary> Glossary::parse(std::string_view text, std::string_view file) {
  Result<Yaml> root = parse_yaml(text, file);
  if (!root) return root.error();
  FieldReader in("cannot read the glossary", file);
  Glossary glossary;
  if (in.map(*root, "glossary", {"terms"})) glossary.terms_ = read_terms(in, *root, "terms", "term");
  if (in.failed()) return *in.error();
  return glossary;
}

Result<embedded::File> built_in_file(std::string_view name, std::string_view language) {
  const std::string whole = fmt::format("{}{}{}.yaml", name, language.empty() ? "" : ".", language);
  for (const embedded::File& file : embedded::guide()) {
    if (file.name == whole) return file;
  }
  return Error{"cannot read the guide's texts", whole + " is not part of this binary", {}};
}

Result<Glossary> Glossary::built_in(std::string_view language) {
  auto file = built_in_file("glossary", language);
  return file ? parse(file->text, file->name) : Result<Glossary>(file.error());
}

const Term* Glossary::find(std::string_view term) const {
  const std::string folded = lower(term);
  const auto found =
      std::find_if(terms_.begin(), terms_.end(), [&](const Term& one) { return lower(one.term) == folded; });
  return found == terms_.end() ? nullptr : &*found;
}

std::string plain(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (const auto mark = take_mark(text, at)) {
      out += *mark;
      at += mark->size() + 1;
    } else {
      out += text[at];
    }
  }
  return out;
}

std::vector<std::string> terms_in(std::string_view text) {
  std::vector<std::string> terms;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto mark = take_mark(text, at);
    if (!mark) continue;
    if (std::find(terms.begin(), terms.end(), *mark) == terms.end()) terms.emplace_back(*mark);
    at += mark->size() + 1;
  }
  return terms;
}

const Table* Tables::find(std::string_view id) const {
  const auto found =
      std::find_if(tables.begin(), tables.end(), [&](const Table& table) { return table.id == id; });
  return found == tables.end() ? nullptr : &*found;
}

Result<Tables> Tables::parse(std::string_view text, std::string_view file) {
  Result<Yaml> root = parse_yaml(text, file);
  if (!root) return root.error();
  FieldReader in("cannot read the guide's tables", file);
  Tables all;
  if (in.map(*root, "file", {"tables", "advice"})) {
    for (const Yaml& yaml : in.list(*root, "tables", kMaxTables)) all.tables.push_back(read_table(in, yaml));
    all.advice = read_terms(in, *root, "advice", "id");
  }
  if (in.failed()) return *in.error();
  return all;
}

Result<Tables> Tables::built_in(std::string_view language) {
  auto file = built_in_file("tables", language);
  return file ? parse(file->text, file->name) : Result<Tables>(file.error());
}

}  // namespace tessera::guide
