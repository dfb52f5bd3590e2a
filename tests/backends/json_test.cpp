// The reader of JSON that the Kubernetes client uses for lists and for every line of a watch.
#include "backends/json.hpp"

#include <gtest/gtest.h>

namespace tessera {
namespace {

int items_of(JsonDocument& document, const std::string& text, Status& read) {
  int count = 0;
  read = document.read(text, [&](JsonValue& root) {
    root.fields([&](std::string_view key, JsonValue& value) {
      if (key == "items") value.items([&](JsonValue&) { ++count; });
    });
  });
  return count;
}

std::string list_of(int items) {
  std::string text = R"({"items":[{"name":"a"})";
  for (int i = 1; i < items; ++i) text += R"(,{"name":"a"})";
  return text + "]}";
}

TEST(JsonDocument, GivesBackWhatALargeTextTookAndReadsOn) {
  JsonDocument document;
  Status read = Done{};
  EXPECT_EQ(items_of(document, list_of(500), read), 500);
  EXPECT_GT(document.kept_bytes(), 500u) << "pages come one after the other";
  EXPECT_EQ(items_of(document, list_of(500'000), read), 500'000);
  EXPECT_TRUE(read.ok());
  EXPECT_LT(document.kept_bytes(), 1000u);
  EXPECT_EQ(items_of(document, list_of(3), read), 3);
  EXPECT_TRUE(read.ok());
}

// The words were those of the parser's library: "A JSON document made of a scalar … Use get_bool()".
TEST(JsonDocument, TellsWhatCameInsteadOfJson) {
  JsonDocument document;
  auto reason = [&](std::string_view text) {
    Status read =
        document.read(text, [](JsonValue& root) { root.fields([](std::string_view, JsonValue&) {}); });
    return read ? std::string("read") : read.error().reason;
  };
  EXPECT_EQ(reason("\n<!DOCTYPE html><title>Sign in</title>"),
            "it begins with: <!DOCTYPE html><title>Sign in</title>");
  EXPECT_EQ(reason("404 page\x1b[31m not found"), "it begins with: 404 page·[31m not found");
  EXPECT_EQ(reason(" \n"), "it is empty");
  EXPECT_NE(reason("{\"a\":"), "read");
}

TEST(JsonDocument, TellsWhatIsWrongWithALargeTextToo) {
  JsonDocument document;
  Status read = Done{};
  std::string text = list_of(500'000);
  text.resize(text.size() - 8);
  items_of(document, text, read);
  EXPECT_FALSE(read.ok());
  EXPECT_EQ(items_of(document, list_of(3), read), 3);
  EXPECT_TRUE(read.ok());
}

}  // namespace
}  // namespace tessera
