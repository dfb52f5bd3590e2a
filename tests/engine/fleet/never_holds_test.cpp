// Windows that never hold, since windows above them do: told with their lines, and never of one that holds.
#include "engine/fleet/never_holds.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "engine/fleet/reader.hpp"
#include "engine/fleet/windows.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::fleet {
namespace never_holds_test {

using namespace std::chrono;

Fleet read(const std::vector<std::string>& windows, const std::string& head = "") {
  std::string text = head + "pools:\n- name: night\n  preset: all-balanced\n  windows:\n";
  for (const std::string& when : windows) text += "  - {when: '" + when + "', layout: none}\n";
  auto fleet = read_fleet(text, "f.yaml", test::catalogue());
  EXPECT_TRUE(fleet) << to_line(fleet.error());
  return fleet ? *fleet : Fleet{};
}

std::string told(const std::vector<std::string>& windows, const std::string& head = "") {
  const Fleet fleet = read(windows, head);
  std::string text;
  for (const NeverHolds& one : windows_that_never_hold(fleet)) text += to_text(one) + "\n";
  return text;
}

TEST(FleetNeverHolds, AWindowBelowAWiderOneIsToldWithTheLineThatHoldsInstead) {
  EXPECT_EQ(
      told({"daily 18:00-08:00", "Mon-Fri 20:00-07:00"}),
      "its window Mon-Fri 20:00-07:00 (line 6) never holds: the window above it in line 5 holds at all of "
      "its times\n");
  EXPECT_EQ(told({"Mon-Fri 20:00-07:00", "daily 18:00-08:00"}), "") << "the order decides";
}

TEST(FleetNeverHolds, SeveralWindowsTogetherHideOne) {
  EXPECT_EQ(
      told({"Mon-Fri", "Sat 00:00-12:00", "Sat,Sun 12:00-24:00", "Sun 00:00-12:00", "Mon-Sun 20:00-07:00"}),
      "its window Mon-Sun 20:00-07:00 (line 9) never holds: windows above it hold at all of its times: "
      "lines 5, 6, 7, 8\n");
  EXPECT_EQ(told({"Mon-Fri", "Sat 00:00-12:00", "Sun", "Mon-Sun 20:00-07:00"}), "") << "Saturday's evening";
}

// The morning of Saturday is Friday's night.
TEST(FleetNeverHolds, WhatGoesOnIntoTheNextDayIsHeldAgainstThatDay) {
  EXPECT_EQ(told({"Fri", "Fri 20:00-07:00"}), "");
  EXPECT_NE(told({"Fri", "Sat 00:00-07:00", "Fri 20:00-07:00"}), "");
}

TEST(FleetNeverHolds, AHolidayIsADayOfItsOwnWhereTheFileHasOne) {
  const std::string christmas = "holidays: [2026-12-25]\n";
  EXPECT_EQ(
      told({"Mon-Sun", "daily"}),
      "its window daily (line 6) never holds: the window above it in line 5 holds at all of its times\n");
  EXPECT_EQ(told({"Mon-Sun", "daily"}, christmas), "") << "on the holiday it does";
  EXPECT_EQ(told({"holidays", "daily"}),
            "its window holidays (line 5) never holds: the file lists no holidays\n");
  EXPECT_EQ(told({"holidays", "daily"}, christmas), "");
  EXPECT_NE(told({"daily", "holidays"}, christmas), "");
}

// A random window of a few that overlap often.
std::string any_window(std::mt19937& random) {
  const auto pick = [&](std::initializer_list<const char*> all) {
    return std::string(all.begin()[random() % all.size()]);
  };
  std::string text =
      pick({"daily", "Mon-Fri", "Sat,Sun", "Fri", "Mon,holidays", "holidays", "Sun-Tue", "Mon-Sun"});
  if (random() % 4 > 0)
    text += pick({" 20:00-07:00", " 00:00-12:00", " 12:00-24:00", " 18:30-08:15", " 07:00-20:00"});
  return text;
}

// Each moment of a year is held against what is told: the property, over files of which half have holidays.
TEST(FleetNeverHolds, OverAYearOfMinutesNoneThatIsToldHoldsAndEachOtherOneDoes) {
  std::mt19937 random(20261129);
  for (int round = 0; round < 12; ++round) {
    std::vector<std::string> windows;
    for (std::size_t i = 2 + random() % 5; i > 0; --i) windows.push_back(any_window(random));
    const Fleet fleet =
        read(windows, round % 2 ? "holidays: [2026-01-01, 2026-05-01, 2026-12-25, 2026-12-26]\n" : "");
    const Pool& pool = fleet.pools.at(0);
    std::set<const Window*> never, holds;
    for (const NeverHolds& one : windows_that_never_hold(fleet)) never.insert(one.window);
    const TimePoint until = TimePoint(sys_days(2027y / January / 1));
    // What holds can change at quarters of an hour alone, by the windows above: the minutes between are
    // alike.
    for (TimePoint at = TimePoint(sys_days(2026y / January / 1)); at < until; at += minutes(15))
      if (const Window* window = window_at(fleet, pool, Zone(), at)) holds.insert(window);
    for (const Window& window : pool.windows)
      EXPECT_EQ(never.contains(&window), !holds.contains(&window))
          << window.words << " in line " << window.line << " of round " << round;
  }
}

}  // namespace never_holds_test
}  // namespace tessera::fleet
