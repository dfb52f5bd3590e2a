#include "engine/model/inventory.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>
#include <thread>

namespace tessera {
namespace {

struct Item {
  std::string name;
  int count = 0;
};
using Items = Inventory<std::string, Item, &Item::name>;

Items three() {
  Items items;
  for (const char* name : {"a", "b", "c"}) items.upsert({name, 1});
  return items;
}

TEST(Inventory, ACopySharesItsValuesUntilOneOfThemIsChanged) {
  Items items = three();
  const Items copy = items;
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(items.find(name), copy.find(name)) << "not copied";

  items.change("b")->count = 2;
  EXPECT_EQ(copy.find("b")->count, 1) << "the copy is the moment at which it was taken";
  EXPECT_EQ(items.find("b")->count, 2);
  EXPECT_EQ(items.find("a"), copy.find("a")) << "only what changes is copied";

  const Item* const own = items.find("b");
  items.change("b")->count = 3;
  EXPECT_EQ(items.find("b"), own) << "once, and not for each change";
}

TEST(Inventory, ACopyThatIsChangedLeavesTheOriginalAsItIs) {
  Items items = three();
  Items copy = items;
  copy.upsert({"a", 7});
  copy.upsert({"d", 7});
  EXPECT_TRUE(copy.erase("b"));
  copy.change_each([](Item& item) { ++item.count; });

  EXPECT_EQ(items.size(), 3u);
  for (const Item& item : items.all()) EXPECT_EQ(item.count, 1) << item.name;
  EXPECT_EQ(items.find("d"), nullptr);
  EXPECT_EQ(copy.find("a")->count, 8);
  EXPECT_EQ(copy.find("b"), nullptr);
}

TEST(Inventory, ASecondCopyIsOfWhatStandsThen) {
  Items items = three();
  const Items first = items;
  items.change("a")->count = 2;
  const Items second = items;
  items.change("a")->count = 3;
  EXPECT_EQ(first.find("a")->count, 1);
  EXPECT_EQ(second.find("a")->count, 2) << "what was ours alone before is shared since";
  EXPECT_EQ(items.find("a")->count, 3);
}

TEST(Inventory, WhatIsMovedOrClearedTakesNothingFromACopy) {
  Items items = three();
  const Items copy = items;
  Items moved = std::move(items);
  moved.change("a")->count = 5;
  moved.clear();
  EXPECT_TRUE(moved.empty());
  EXPECT_EQ(moved.find("a"), nullptr);
  moved.upsert({"a", 9});
  EXPECT_EQ(copy.size(), 3u);
  EXPECT_EQ(copy.find("a")->count, 1);
}

TEST(Inventory, PlacesAreThoseOfTheListAfterAnErase) {
  Items items = three();
  items.erase("a");
  const auto all = items.all();
  for (const Item& item : all) EXPECT_EQ(all[*items.place_of(item.name)].name, item.name);
  EXPECT_EQ(items.place_of("a"), std::nullopt);
  EXPECT_EQ(all.end() - all.begin(), 2);
}

// Like three maps that are copied for real.
RC_GTEST_PROP(Inventory, CopiesAreLikeThoseOfAMap, ()) {
  std::vector<Items> is(3);
  std::vector<std::map<std::string, int>> must(3);
  const int steps = *rc::gen::inRange(0, 200);
  for (int step = 0; step < steps; ++step) {
    const auto which = *rc::gen::inRange<std::size_t>(0, 3), other = *rc::gen::inRange<std::size_t>(0, 3);
    const std::string name(1, *rc::gen::inRange<char>('a', 'f'));
    switch (*rc::gen::inRange(0, 5)) {
      case 0: is[which].upsert({name, step}), must[which][name] = step; break;
      case 1: RC_ASSERT(is[which].erase(name) == (must[which].erase(name) > 0)); break;
      case 2:
        if (Item* item = is[which].change(name)) item->count += 1, must[which].at(name) += 1;
        break;
      case 3: is[which] = is[other], must[which] = must[other]; break;
      default:
        is[which].change_each([](Item& item) { ++item.count; });
        for (auto& [key, count] : must[which]) ++count;
    }
    for (std::size_t i = 0; i < is.size(); ++i) {
      RC_ASSERT(is[i].size() == must[i].size());
      for (const auto& [key, count] : must[i]) RC_ASSERT(is[i].find(key) && is[i].find(key)->count == count);
    }
  }
}

TEST(Inventory, ACopyIsReadAndDestroyedBesideAnOriginalThatChanges) {
  Items items = three();
  for (int round = 0; round < 100; ++round) {
    int sum = 0;
    std::thread reader([copy = items, &sum]() mutable {
      for (const Item& item : copy.all()) sum += item.count;
      copy.change("a")->count = -1;
      copy = Items();
    });
    items.change_each([](Item& item) { ++item.count; });
    items.erase("c");
    items.upsert({"c", round + 2});
    reader.join();
    EXPECT_EQ(sum, 3 * (round + 1));
  }
}

}  // namespace
}  // namespace tessera
