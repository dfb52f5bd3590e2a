// Every statement of the documents behind tessera, with the place in the product that holds it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include "engine/guide/guide.hpp"
#include "engine/guide/texts.hpp"
#include "engine/sharing/presets.hpp"
#include "engine/yaml.hpp"
#include "tests/engine/guide/guide_build.hpp"
#include "tests/support/paths.hpp"

namespace tessera::guide {
namespace {

constexpr std::size_t kStatements = 310;

struct Statement {
  std::string id, says, place, part;
};

std::string whole_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

const std::vector<Statement>& statements() {
  static const std::vector<Statement> all = [] {
    std::vector<Statement> read;
    const std::string path = test::source_dir() + "/tests/engine/guide/statements.yaml";
    auto yaml = parse_yaml(whole_file(path), "statements.yaml");
    EXPECT_TRUE(yaml.ok()) << (yaml.ok() ? "" : to_line(yaml.error()));
    if (!yaml || !yaml->find("statements")) return read;
    for (const Yaml& row : yaml->find("statements")->items) {
      EXPECT_EQ(row.items.size(), 4u) << "line " << row.line;
      if (row.items.size() == 4)
        read.push_back({row.items[0].scalar, row.items[1].scalar, row.items[2].scalar, row.items[3].scalar});
    }
    return read;
  }();
  return all;
}

const Texts& guide_texts() {
  static const std::shared_ptr<const Texts> texts = Texts::built_in().value();
  return *texts;
}

const Term* find_term(const std::vector<Term>& terms, const std::string& name) {
  for (const Term& one : terms)
    if (one.term == name) return &one;
  return nullptr;
}

std::string of_table(const std::string& id) {
  const Table* table = guide_texts().tables.find(id);
  if (table == nullptr) return {};
  std::string text = table->title + "\n";
  for (const std::string& column : table->columns) text += column + "\n";
  for (const auto& row : table->rows)
    for (const std::string& cell : row) text += cell + "\n";
  return text;
}

std::string of_leaf(const std::string& id) {
  const Leaf* leaf = guide_texts().chart->leaf(id);
  if (leaf == nullptr) return {};
  return plain(leaf->summary + "\n" + leaf->meaning + "\n" + leaf->fits + "\n" + leaf->memory + "\n" +
               leaf->errors + "\n" + leaf->latency + "\n" + leaf->price);
}

std::string of_question(const std::string& id) {
  const Question* question = guide_texts().chart->question(id);
  return question == nullptr ? "" : plain(question->ask + "\n" + question->why);
}

std::string of_remark(const std::string& id) {
  for (const sharing::PlatformFacts& facts : guide_texts().platforms)
    for (const sharing::Remark& remark : facts.remarks)
      if (remark.id == id) return remark.text;
  return {};
}

std::string walked_to(const std::string& answers) {
  Walk walk(guide_texts().chart, {});
  std::istringstream list(answers);
  for (std::string one; std::getline(list, one, ',');)
    EXPECT_TRUE(walk.answer(one.substr(0, 2), one.substr(3) == "yes")) << one;
  return walk.leaf() == nullptr ? "" : walk.leaf()->id;
}

Strategy leaf_called(const std::string& word) {
  for (Strategy one : {Strategy::mig, Strategy::vgpu, Strategy::mps, Strategy::time_slicing})
    if (tessera::word(one) == word) return one;
  ADD_FAILURE() << "no leaf " << word;
  return Strategy::unknown;
}

sharing::Platform platform_called(const std::string& word) {
  const auto platform = sharing::parse_platform(word);
  EXPECT_TRUE(platform) << word;
  return platform.value_or(sharing::Platform::slurm);
}

std::string of_limits(std::istringstream& rest) {
  std::string leaf, platform, product, text;
  rest >> leaf >> platform >> product;
  sharing::LimitContext context;
  context.product = &test::product(product);
  context.platform = platform_called(platform);
  context.facts = guide_texts().platforms;
  for (const sharing::Limit& one : sharing::limits(leaf_called(leaf), context)) text += one.text + "\n";
  return text;
}

std::string handed_out(std::istringstream& rest) {
  std::string leaf, platform, text;
  rest >> leaf >> platform;
  const Strategy strategy = leaf_called(leaf);
  const Scope scope = scope_of(test::product(strategy == Strategy::vgpu ? "A10" : "H100-80GB-SXM5"));
  for (const Proposal& one : propose(scope, strategy, platform_called(platform)))
    for (const Advice& given : advice(guide_texts().handouts, strategy, platform_called(platform), &one))
      text += given.title + "\n" + given.text + "\n";
  return text;
}

std::string of_preset(std::istringstream& rest) {
  std::string platform, product, name;
  rest >> platform >> product >> name;
  const auto tables = sharing::built_in_presets().value();
  const auto preset = sharing::find_preset(test::product(product), platform_called(platform), name, tables);
  if (!preset) return to_line(preset.error());
  return preset->text + "\n" + preset->note + "\n" +
         (preset->strategy ? std::string(sharing::word(*preset->strategy)) : "") + "\n" +
         title_of(test::product(product), preset->profiles);
}

// "SUITE.NAME" of every test in the tree, with the file that it stands in.
const std::map<std::string, std::string>& tests_of_tree() {
  static const std::map<std::string, std::string> all = [] {
    std::map<std::string, std::string> found;
    const std::regex test(R"(TEST(?:_F|_P)?\((\w+),\s*(\w+)\))");
    for (const auto& entry : std::filesystem::recursive_directory_iterator(test::source_dir() + "/tests")) {
      if (entry.path().extension() != ".cpp") continue;
      const std::string text = whole_file(entry.path());
      for (std::sregex_iterator at(text.begin(), text.end(), test), end; at != end; ++at)
        found[(*at)[1].str() + "." + (*at)[2].str()] = text;
    }
    return found;
  }();
  return all;
}

// What stands at a place; empty: there is no such place.
std::string found_at(const std::string& place) {
  const std::size_t blank = place.find(' ');
  const std::string kind = place.substr(0, blank),
                    name = blank == std::string::npos ? "" : place.substr(blank + 1);
  std::istringstream rest(name);
  if (kind == "term") {
    const Term* term = guide_texts().glossary.find(name);
    return term == nullptr ? "" : plain(term->text);
  }
  if (kind == "advice") {
    const Term* one = find_term(guide_texts().tables.advice, name);
    return one == nullptr ? "" : one->text;
  }
  if (kind == "table") return of_table(name);
  if (kind == "leaf") return of_leaf(name);
  if (kind == "question") return of_question(name);
  if (kind == "remark") return of_remark(name);
  if (kind == "walk") return walked_to(name);
  if (kind == "limit") return of_limits(rest);
  if (kind == "handout") return handed_out(rest);
  if (kind == "preset") return of_preset(rest);
  if (kind == "text") return whole_file(test::source_dir() + "/po/tessera.pot");
  if (kind == "says") return whole_file(test::source_dir() + "/" + name);
  if (kind != "test") return {};
  const auto one = tests_of_tree().find(name);
  return one == tests_of_tree().end() ? "" : one->second;
}

// As it reads: line breaks of a paragraph are blanks.
std::string in_one_line(std::string text) {
  static const std::regex kBreaks(R"(\s*\n\s*#?\s*)");
  return std::regex_replace(text, kBreaks, " ");
}

TEST(Statements, EachIsHeldByTheProduct) {
  for (const Statement& one : statements()) {
    const std::string text = found_at(one.place);
    if (text.empty()) {
      ADD_FAILURE() << one.id << " (" << one.says << "): nothing stands at " << one.place;
      continue;
    }
    const bool there =
        text.find(one.part) != std::string::npos || in_one_line(text).find(one.part) != std::string::npos;
    EXPECT_TRUE(there) << one.id << " (" << one.says << "): " << one.place << " does not say \"" << one.part
                       << "\"";
  }
}

TEST(Statements, AreAllThereOnceAndInOrder) {
  EXPECT_EQ(statements().size(), kStatements);
  std::set<std::string> ids;
  for (const Statement& one : statements()) {
    EXPECT_TRUE(ids.insert(one.id).second) << one.id;
    EXPECT_FALSE(one.says.empty() || one.place.empty()) << one.id;
  }
}

// Terms, tables and advice say the same in Japanese, by their place; commands and names are in both.
TEST(Statements, WhatIsDataIsToldInJapaneseToo) {
  const auto japanese = guide_texts().in_language("ja");
  ASSERT_TRUE(japanese.ok()) << to_line(japanese.error());
  for (const Statement& one : statements()) {
    if (!one.place.starts_with("table ")) continue;
    const Table* table = (*japanese)->tables.find(one.place.substr(6));
    ASSERT_NE(table, nullptr) << one.id;
    EXPECT_NE(table->title, guide_texts().tables.find(table->id)->title) << one.id;
  }
}

}  // namespace
}  // namespace tessera::guide
