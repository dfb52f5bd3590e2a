#include "engine/yaml.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tessera {
namespace {

std::string reason(std::string_view text) {
  const Result<Yaml> result = parse_yaml(text, "site.yaml");
  return result.ok() ? "read without complaint" : result.error().reason;
}

TEST(Yaml, ReadsListsMapsAndScalarsInFileOrder) {
  const Result<Yaml> root = parse_yaml("b: [1, x, ~]\na:\n  c: 'text'\n", "site.yaml");
  ASSERT_TRUE(root.ok()) << to_line(root.error());
  ASSERT_EQ(root->fields.size(), 2u);
  EXPECT_EQ(root->fields[0].first, "b");
  EXPECT_EQ(root->fields[1].first, "a");
  const Yaml& list = root->fields[0].second;
  ASSERT_EQ(list.items.size(), 3u);
  EXPECT_EQ(list.items[0].as_int(), 1);
  EXPECT_EQ(list.items[1].scalar, "x");
  EXPECT_TRUE(list.items[2].is_null());
  EXPECT_EQ(root->find("a")->find("c")->scalar, "text");
  EXPECT_EQ(root->find("d"), nullptr);
  EXPECT_EQ(list.find("d"), nullptr);
}

TEST(Yaml, KnowsWhereEverythingStands) {
  const Result<Yaml> root = parse_yaml("# comment\na: 1\nb:\n  - x\n  - {y: z}\nc:\n\nd: 2\n", "site.yaml");
  ASSERT_TRUE(root.ok()) << to_line(root.error());
  EXPECT_EQ(root->find("a")->line, 2);
  EXPECT_EQ(root->find("a")->column, 4);
  EXPECT_EQ(root->find("b")->items[1].find("y")->line, 5);
  EXPECT_EQ(root->find("c")->line, 6) << "a missing value stands where its key stands";
  EXPECT_EQ(root->find("d")->line, 8);
  EXPECT_EQ(root->find("b")->line, 4) << "the list itself";
  EXPECT_EQ(root->find("b")->key_line, 3);
  EXPECT_EQ(root->key_line, 0);
}

TEST(Yaml, AnEmptyTextIsNull) {
  for (const char* text : {"", "\n\n", "# only a comment\n", "---\n", "\xEF\xBB\xBF"}) {
    const Result<Yaml> root = parse_yaml(text, "site.yaml");
    ASSERT_TRUE(root.ok()) << to_line(root.error());
    EXPECT_TRUE(root->is_null());
  }
}

TEST(Yaml, NumbersHaveOneSpelling) {
  const auto scalar = [](std::string_view text) { return *parse_yaml(text, "x"); };
  EXPECT_EQ(scalar("10").as_int(), 10);
  EXPECT_EQ(scalar("-3").as_int(), -3);
  EXPECT_EQ(scalar("0").as_int(), 0);
  EXPECT_EQ(scalar("9223372036854775807").as_int(), INT64_MAX);
  for (const char* no :
       {"010", "+1", "0x10", "1.5", "1e3", "'10'", "9223372036854775808", "1_000", "-", "~"}) {
    EXPECT_FALSE(scalar(no).as_int()) << no;
  }
  EXPECT_EQ(scalar("0.5").as_number(), 0.5);
  EXPECT_EQ(scalar("1e3").as_number(), 1000);
  for (const char* no : {".5", "010.5", ".inf", "nan", "1e999", "\"1.5\"", "0x1p3"}) {
    EXPECT_FALSE(scalar(no).as_number()) << no;
  }
  EXPECT_EQ(scalar("true").as_bool(), true);
  EXPECT_EQ(scalar("false").as_bool(), false);
  for (const char* no : {"yes", "no", "on", "True", "'true'", "1"}) EXPECT_FALSE(scalar(no).as_bool()) << no;
}

TEST(Yaml, RefusesDuplicateKeysAndNamesBothLines) {
  EXPECT_EQ(reason("a: 1\nb: 2\na: 3\n"), "site.yaml:3:1: \"a\" is listed twice (first on line 1)");
  EXPECT_EQ(reason("x: {k: 1, k: 2}"), "site.yaml:1:11: \"k\" is listed twice (first on line 1)");
}

TEST(Yaml, RefusesWhatWouldBeReadInSilence) {
  EXPECT_EQ(reason("a: &x 1\nb: *x\n"), "site.yaml:1:4: an anchor");
  EXPECT_NE(reason("b: *x\n").find("site.yaml:1:4: "), std::string::npos);
  EXPECT_EQ(reason("a: !!str 1\n"), "site.yaml:1:4: a tag (tag:yaml.org,2002:str)");
  EXPECT_EQ(reason("a: 1\n---\nb: 2\n"), "site.yaml:2:1: a second document begins");
  EXPECT_EQ(reason("? [a]\n: 1\n"), "site.yaml:1:3: a key that is not text");
  EXPECT_EQ(reason("~: 1\n"), "site.yaml:1:1: a key is missing");
}

TEST(Yaml, RefusesBrokenBytesBeforeReadingThem) {
  EXPECT_EQ(reason("a: 1\nb: \xFF\n"), "site.yaml:2:4: bytes that are not UTF-8");
  EXPECT_EQ(reason("a: \x1B[31m\n"), "site.yaml:1:4: a control character");
  EXPECT_EQ(reason(std::string_view("a: 1\nb\0", 7)), "site.yaml:2:2: a control character");
  EXPECT_EQ(reason("a: b\x04 c\n"), "site.yaml:1:5: a control character") << "yaml-cpp would stop here";
}

TEST(Yaml, RefusesWhatIsTooDeepTooManyOrTooLarge) {
  EXPECT_EQ(reason(std::string(33, '[') + std::string(33, ']')),
            "site.yaml:1:33: nested deeper than 32 levels");
  EXPECT_TRUE(parse_yaml(std::string(32, '[') + std::string(32, ']'), "x").ok());
  EXPECT_NE(reason(std::string(100'000, '[')).find("site.yaml:1:"), std::string::npos);
  EXPECT_NE(reason(std::string(100'000, '{')).find("site.yaml:1:"), std::string::npos);
  EXPECT_EQ(reason(std::string((16u << 20) + 1, '#')), "site.yaml:1:1: larger than 16 MiB");
}

TEST(Yaml, SyntaxErrorsNameTheirPlace) {
  EXPECT_NE(reason("a: [1, 2\nb: 3\n").find("site.yaml:2:"), std::string::npos);
  EXPECT_EQ(reason("a: \"open\n"), "site.yaml:1:4: a quote that is never closed");
  EXPECT_EQ(reason("a: 'it''s\n"), "site.yaml:1:4: a quote that is never closed");
  EXPECT_EQ(reason("\u00E9: \"\\\"\n"), "site.yaml:1:5: a quote that is never closed");
  EXPECT_TRUE(parse_yaml("\u00E9: \"a\\\"\"\nb: 'it''s'\n", "x").ok());
  EXPECT_NE(reason("a:\n\t- b\n").find("site.yaml:2:"), std::string::npos);
  const Result<Yaml> broken = parse_yaml("a: }", "site.yaml");
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.error().what, "cannot read site.yaml");
  EXPECT_FALSE(broken.error().hint.empty());
}

// "illegal block entry" of a line that looks right in an editor.
TEST(Yaml, ATabThatIndentsALineIsNamed) {
  EXPECT_TRUE(reason("a:\n\t- b: 1\n").starts_with("site.yaml:2:1: a tab indents this line: "));
  EXPECT_TRUE(reason("a:\n  b: 1\n \tc: 2\n").starts_with("site.yaml:3:1: a tab indents this line: "));
  EXPECT_EQ(reason("a:\tb\n"), "read without complaint");
  EXPECT_NE(reason("a: {b: 1\n").find("site.yaml:2:"), std::string::npos) << reason("a: {b: 1\n");
}

// Every fault on such a line was told as the tab, and the hint sent the reader after blanks.
TEST(Yaml, ATabThatIsRightHidesNoOtherFault) {
  const std::string in_brackets = reason("a: {b: 1,\n\tc: *}\n");
  EXPECT_TRUE(in_brackets.starts_with("site.yaml:2:")) << in_brackets;
  EXPECT_TRUE(in_brackets.ends_with("alias not found after *")) << in_brackets;
  EXPECT_EQ(in_brackets.find("a tab indents"), std::string::npos) << in_brackets;
  const std::string in_quotes = reason("a: \"b\n\t\\q\"\n");
  EXPECT_NE(in_quotes.find("unknown escape character: q"), std::string::npos) << in_quotes;
  EXPECT_EQ(reason("a: {b: 1,\n\tc: 2}\n"), "read without complaint");
}

TEST(Yaml, ErrorsNeverCarryTheTextsOwnControls) {
  const Result<Yaml> broken = parse_yaml("\"a\\e[31m\": 1\n\"a\\e[31m\": 2\n", "evil\x1B.yaml");
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(to_line(broken.error()).find('\x1B'), std::string::npos);
}

TEST(Yaml, AnErrorCanBePlacedAtAnyValue) {
  const Result<Yaml> root = parse_yaml("a: 1\nb: x\n", "site.yaml");
  const Error error = yaml_error("cannot read the site file", "site.yaml", *root->find("b"), "not a number");
  EXPECT_EQ(error.reason, "site.yaml:2: not a number");
}

}  // namespace
}  // namespace tessera
