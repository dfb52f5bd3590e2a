// JSON without a tree says what the tree says, or leaves the text to it.
#include "engine/flat_json.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace tessera {
namespace {

Json tree_of(const FlatJson& flat) {
  Json json;
  json.kind = flat.kind, json.boolean = flat.boolean, json.integer = flat.integer;
  json.text = std::string(flat.text);
  for (const FlatJson* one = flat.first(); one != flat.end(); one = one->end())
    if (flat.kind == Json::Kind::map)
      json.fields.emplace_back(std::string(one->key), tree_of(*one));
    else
      json.items.push_back(tree_of(*one));
  return json;
}

// Taken, it says the same; what the tree refuses is never taken.
void expect_same(const std::string& text) {
  const auto flat = read_flat_json(text);
  if (!flat) return;
  const auto tree = parse_json(text, "a.json");
  ASSERT_TRUE(tree.ok()) << text << "\n" << to_line(tree.error());
  EXPECT_EQ(tree_of(flat->front()), *tree) << text;
}

std::string random_json(std::mt19937& random, int depth) {
  const auto pick = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); };
  const auto blank = [&] { return std::string(static_cast<std::size_t>(pick(2)), " \n\t"[pick(3)]); };
  switch (pick(depth > 0 ? 8 : 6)) {
    case 0: return "true";
    case 1: return "false";
    case 2: return "null";
    case 3: return std::to_string(pick(2000) - 1000);
    case 4: return "\"n" + std::to_string(pick(100)) + "\"";
    case 5: return "\"\"";
    case 6: {
      std::string text = "[" + blank();
      for (int i = pick(4); i > 0; --i) text += random_json(random, depth - 1) + blank() + (i > 1 ? "," : "");
      return text + "]";
    }
    default: {
      std::string text = "{" + blank();
      for (int i = pick(4); i > 0; --i)
        text += "\"k" + std::to_string(i) + "\"" + blank() + ":" + blank() + random_json(random, depth - 1) +
                (i > 1 ? "," : "");
      return text + "}";
    }
  }
}

TEST(FlatJson, SaysWhatTheTreeSays) {
  std::mt19937 random(11);
  int taken = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::string text = random_json(random, 4);
    taken += read_flat_json(text) ? 1 : 0;
    expect_same(text);
  }
  EXPECT_EQ(taken, 3000) << "all of it was plain";
}

TEST(FlatJson, WhatTheTreeRefusesIsNeverTaken) {
  constexpr std::string_view kBytes = "{}[]\",:0123456789-+.eEtrufalsn \\\n\x01\x7f\xc3/";
  std::mt19937 random(12);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = random_json(random, 3);
    for (int edits = 1 + static_cast<int>(random() % 2); edits > 0 && !text.empty(); --edits) {
      const std::size_t at = random() % text.size();
      const char other = kBytes[random() % kBytes.size()];
      if (random() % 3 == 0)
        text.erase(at, 1);
      else if (random() % 2 == 0)
        text.insert(at, 1, other);
      else
        text[at] = other;
    }
    expect_same(text);
  }
  for (const char* text :
       {"", " ", "{", "[1,]", "{\"a\":1,}", "{\"a\":1,\"a\":2}", "[01]", "[-]", "[1] 2", "nul", "tru", "\"a",
        "{\"a\"}", "[1 2]", "\xef\xbb\xbf{}", "[+1]", "[.5]", "{a:1}", "[99999999999999999999]"})
    EXPECT_FALSE(read_flat_json(text)) << text;
  for (const int depth : {64, 65}) {
    const auto levels = static_cast<std::size_t>(depth);
    const std::string text = std::string(levels, '[') + std::string(levels, ']');
    EXPECT_EQ(read_flat_json(text).has_value(), depth == 64);
    EXPECT_EQ(parse_json(text, "a.json").ok(), depth == 64);
  }
}

// Escapes, other alphabets and fractions are left to the tree, and so are maps of many keys.
TEST(FlatJson, WhatIsNotPlainIsLeftToTheTree) {
  std::string many = "{";
  for (int i = 0; i < 40; ++i) many += (i > 0 ? ",\"k" : "\"k") + std::to_string(i) + "\":1";
  for (const std::string& text :
       {std::string(R"(["\u0041"])"), std::string("[\"\xc3\xa9\"]"), std::string("[1.5]"),
        std::string("[1e3]"), std::string("[-0]"), many + "}"}) {
    EXPECT_FALSE(read_flat_json(text)) << text;
    EXPECT_TRUE(parse_json(text, "a.json").ok()) << text;
  }
}

}  // namespace
}  // namespace tessera
