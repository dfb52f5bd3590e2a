// What a user has taken note of, for some hours and for whom it concerned then.
#include "engine/insight/acknowledged.hpp"

#include <gtest/gtest.h>

#include "tests/support/build.hpp"

namespace tessera::insight {
namespace {

using namespace std::chrono_literals;
using test::at;

Cause cause(std::vector<std::string> whose) {
  Cause one;
  one.id = std::string("hpc\x1fn\x1f\x1f") + "drained: fan";
  one.whose = std::move(whose);
  return one;
}

TEST(Acknowledged, CountsUntilItsTimeIsOver) {
  const auto all = with({}, {cause({}).id, {"n1", "n2"}, at(3600)}, at(0));
  EXPECT_EQ(acknowledged_until(cause({"n1", "n2"}), all, at(0)), at(3600));
  EXPECT_EQ(acknowledged_until(cause({"n1"}), all, at(0)), at(3600)) << "one of them is well again";
  EXPECT_EQ(acknowledged_until(cause({"n1"}), all, at(3600)), std::nullopt);
}

TEST(Acknowledged, ANodeThatComesToItIsNews) {
  const auto all = with({}, {cause({}).id, {"n1"}, at(3600)}, at(0));
  EXPECT_EQ(acknowledged_until(cause({"n1", "n7"}), all, at(0)), std::nullopt);
  Cause other = cause({"n1"});
  other.id += "s";
  EXPECT_EQ(acknowledged_until(other, all, at(0)), std::nullopt);
}

TEST(Acknowledged, IsTakenBackByATimeThatIsOver) {
  auto all = with({}, {cause({}).id, {"n1"}, at(3600)}, at(0));
  all = with(std::move(all), {cause({}).id, {}, at(10)}, at(10));
  EXPECT_TRUE(all.empty());
}

TEST(Acknowledged, ItsFileIsReadBackAsItWasWritten) {
  const auto all =
      with(with({}, {cause({}).id, {"n1", "n\"2\n"}, at(3600)}, at(0)), {"x", {}, at(60)}, at(0));
  const auto read = parse_acknowledged(acknowledged_text(all, at(0)), "f");
  ASSERT_TRUE(read) << to_line(read.error());
  EXPECT_EQ(*read, all);
  EXPECT_EQ(parse_acknowledged(acknowledged_text(all, at(100)), "f")->size(), 1u)
      << "what is over is left out";
}

TEST(Acknowledged, ABrokenFileIsAnErrorThatSaysWhatToDo) {
  for (const char* text :
       {"{", "[]", "{\"cause\": 1}", "{\"cause\":\"a\",\"until\":\"soon\",\"whose\":[]}",
        "{\"cause\":\"a\",\"until\":\"2026-11-21T00:00:00Z\",\"whose\":[1]}", "null", "\x01"}) {
    const auto read = parse_acknowledged(text, "/home/a/acknowledged");
    ASSERT_FALSE(read) << text;
    EXPECT_NE(read.error().hint.find("remove /home/a/acknowledged"), std::string::npos);
  }
  std::string many;
  for (int i = 0; i < 1001; ++i)
    many += "{\"cause\":\"a\",\"until\":\"2026-11-21T00:00:00Z\",\"whose\":[]}\n";
  EXPECT_FALSE(parse_acknowledged(many, "f"));
  EXPECT_FALSE(parse_acknowledged(std::string(kMostOfAcknowledged + 1, '\n'), "f"));
  EXPECT_EQ(parse_acknowledged("\n\n", "f")->size(), 0u);
}

}  // namespace
}  // namespace tessera::insight
