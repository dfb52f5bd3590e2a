// Windows by the clocks of a place: which holds when, over days without an hour and with one more, and a year
// of them.
#include "engine/fleet/windows.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "engine/fleet/reader.hpp"
#include "engine/time.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::fleet {
namespace windows_test {

using namespace std::chrono;

// A file as RFC 8536 has it: no stored changes, and this rule for all years.
std::string zone_bytes(const std::string& rule, std::int32_t offset) {
  const auto number = [](std::uint32_t value) {
    std::string text;
    for (int shift : {24, 16, 8, 0}) text += static_cast<char>(value >> shift & 0xff);
    return text;
  };
  const auto block = [&](std::uint32_t types) {
    std::string text = "TZif2" + std::string(15, '\0');
    for (std::uint32_t count : {0u, 0u, 0u, 0u, types, 4u}) text += number(count);
    for (std::uint32_t i = 0; i < types; ++i)
      text += number(static_cast<std::uint32_t>(offset)) + std::string(2, '\0');
    return text + std::string("LMT\0", 4);
  };
  return block(1) + block(1) + "\n" + rule + "\n";
}

Zone berlin() {
  auto zone = read_zone(zone_bytes("CET-1CEST,M3.5.0,M10.5.0/3", 3600), "Europe/Berlin");
  EXPECT_TRUE(zone);
  return *zone;
}

TimePoint utc(int y, unsigned m, unsigned d, int h, int min) {
  return TimePoint(sys_days(year(y) / month(m) / day(d)) + hours(h) + minutes(min));
}

Fleet read(const std::string& windows, const std::string& head = "") {
  auto fleet = read_fleet(head + "pools:\n- name: night\n  preset: all-balanced\n  windows:\n" + windows,
                          "f.yaml", test::catalogue());
  EXPECT_TRUE(fleet) << to_line(fleet.error());
  return fleet ? *fleet : Fleet{};
}

std::string at(const Fleet& fleet, const Zone& zone, TimePoint when) {
  const Window* window = window_at(fleet, fleet.pools.at(0), zone, when);
  return window ? window->words : "-";
}

TEST(FleetZone, ClocksFollowTheRuleOfTheirFile) {
  const Zone zone = berlin();
  EXPECT_EQ(zone.offset_at(utc(2026, 1, 15, 12, 0)), hours(1));
  EXPECT_EQ(zone.offset_at(utc(2026, 7, 15, 12, 0)), hours(2));
  EXPECT_EQ(zone.offset_at(utc(2026, 3, 29, 0, 59)), hours(1));
  EXPECT_EQ(zone.offset_at(utc(2026, 3, 29, 1, 0)), hours(2));
  EXPECT_EQ(zone.offset_at(utc(2026, 10, 25, 0, 59)), hours(2));
  EXPECT_EQ(zone.offset_at(utc(2026, 10, 25, 1, 0)), hours(1));
  // An hour that does not exist begins where the clocks leap; one that comes twice, the first time.
  const sys_days spring = year(2026) / March / 29, autumn = year(2026) / October / 25;
  EXPECT_EQ(zone.moment({spring, 2 * 60 + 30}), utc(2026, 3, 29, 1, 0));
  EXPECT_EQ(zone.moment({autumn, 2 * 60 + 30}), utc(2026, 10, 25, 0, 30));
  EXPECT_EQ(zone.moment({autumn, 24 * 60}), utc(2026, 10, 25, 23, 0));
}

TEST(FleetZone, SouthernAndHalfHourZonesAndThoseWithoutSummerTime) {
  auto lord_howe = read_zone(zone_bytes("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 37800), "Lord_Howe");
  ASSERT_TRUE(lord_howe);
  EXPECT_EQ(lord_howe->offset_at(utc(2026, 1, 1, 0, 0)), hours(11));
  EXPECT_EQ(lord_howe->offset_at(utc(2026, 7, 1, 0, 0)), minutes(630));
  auto tokyo = read_zone(zone_bytes("JST-9", 32400), "Asia/Tokyo");
  ASSERT_TRUE(tokyo);
  EXPECT_EQ(tokyo->local(utc(2026, 7, 1, 20, 0)), (LocalTime{sys_days(year(2026) / July / 2), 5 * 60}));
}

TEST(FleetZone, AFileThatIsNoneIsRefusedWhereverItIsCutOff) {
  const std::string whole = zone_bytes("CET-1CEST,M3.5.0,M10.5.0/3", 3600);
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(read_zone(whole.substr(0, size), "x")) << size;
  for (const char* rule :
       {"C-1", "CET", "CET-99", "CET-1CEST", "CET-1CEST,M13.1.0,M10.5.0", "CET-1CEST,M3.5.0",
        "CET-1CEST,M3.5.0,M10.5.0x", "CET-1CEST,J0,J9", "CET-1CEST,400,1"})
    EXPECT_FALSE(read_zone(zone_bytes(rule, 0), "x")) << rule;
}

// The system's own library is asked about the system's own files.
TEST(FleetZone, AgreesWithTheSystemsLibraryForAYear) {
  const std::string saved = getenv("TZ") ? getenv("TZ") : "";
  for (const char* name : {"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu",
                           "America/Santiago", "Africa/Casablanca"}) {
    std::ifstream file(std::string("/usr/share/zoneinfo/") + name, std::ios::binary);
    ASSERT_TRUE(file) << "there is no time zone " << name << ": install tzdata";
    std::stringstream bytes;
    bytes << file.rdbuf();
    auto zone = read_zone(bytes.str(), name);
    ASSERT_TRUE(zone) << name;
    setenv("TZ", name, 1);
    tzset();
    for (TimePoint when = utc(2026, 1, 1, 0, 17); when < utc(2027, 1, 2, 0, 0); when += minutes(180)) {
      const std::time_t seconds = duration_cast<std::chrono::seconds>(when.time_since_epoch()).count();
      std::tm parts{};
      localtime_r(&seconds, &parts);
      ASSERT_EQ(zone->offset_at(when).count(), parts.tm_gmtoff) << name << " " << utc_text(when);
    }
  }
  saved.empty() ? unsetenv("TZ") : setenv("TZ", saved.c_str(), 1);
  tzset();
}

TEST(FleetWindows, ANightBeginsOnItsDayAndEndsOnTheNext) {
  const Fleet fleet = read("  - {when: 'Mon-Fri 20:00-07:00', layout: none}\n");
  const Zone zone = berlin();
  EXPECT_EQ(at(fleet, zone, utc(2026, 11, 23, 18, 59)), "-");  // Monday
  EXPECT_EQ(at(fleet, zone, utc(2026, 11, 23, 19, 0)), "Mon-Fri 20:00-07:00");
  EXPECT_EQ(at(fleet, zone, utc(2026, 11, 28, 5, 59)), "Mon-Fri 20:00-07:00");  // Saturday, before 7
  EXPECT_EQ(at(fleet, zone, utc(2026, 11, 28, 6, 0)), "-");
  EXPECT_EQ(at(fleet, zone, utc(2026, 11, 29, 23, 0)), "-");  // Monday, 0:00: Sunday's night is none
  EXPECT_EQ(to_text(fleet_at(fleet, zone, utc(2026, 11, 23, 20, 0)).pools[0].rule), "whole GPU");
  EXPECT_EQ(to_text(fleet_at(fleet, zone, utc(2026, 11, 23, 12, 0)).pools[0].rule), "all-balanced");
}

TEST(FleetWindows, AHolidayIsNoWeekdayAndTheFirstWindowCounts) {
  const Fleet fleet = read(
      "  - {when: holidays, layout: 7g.80gb}\n  - {when: 'Mon-Fri 08:00-18:00', layout: none}\n"
      "  - {when: 'daily', layout: empty}\n",
      "time_zone: Europe/Berlin\nholidays: [2026-12-25]\n");
  const Zone zone = berlin();
  EXPECT_EQ(at(fleet, zone, utc(2026, 12, 24, 12, 0)), "Mon-Fri 08:00-18:00");
  EXPECT_EQ(at(fleet, zone, utc(2026, 12, 25, 12, 0)), "holidays");
  EXPECT_EQ(at(fleet, zone, utc(2026, 12, 26, 12, 0)), "daily");
}

TEST(FleetWindows, HolidaysThatFollowOneAnotherAreWrittenAsFirstAndLast) {
  const Fleet fleet = read("  - {when: holidays, layout: none}\n",
                           "holidays: [2026-12-24..2027-01-01, 2027-05-01, '2028-02-28 .. 2028-03-01']\n");
  EXPECT_EQ(fleet.holidays.size(), 9U + 1U + 3U);
  EXPECT_EQ(at(fleet, Zone(), utc(2026, 12, 23, 23, 59)), "-");
  EXPECT_EQ(at(fleet, Zone(), utc(2026, 12, 24, 0, 0)), "holidays");
  EXPECT_EQ(at(fleet, Zone(), utc(2027, 1, 1, 23, 59)), "holidays");
  EXPECT_EQ(at(fleet, Zone(), utc(2027, 1, 2, 0, 0)), "-");
  EXPECT_EQ(at(fleet, Zone(), utc(2028, 2, 29, 12, 0)), "holidays");
  const Phase closed = phase_at(fleet, fleet.pools.at(0), Zone(), utc(2026, 12, 30, 0, 0));
  EXPECT_EQ(closed.begin, utc(2026, 12, 24, 0, 0));
  EXPECT_EQ(closed.end, utc(2027, 1, 2, 0, 0));
}

TEST(FleetWindows, ARangeOfHolidaysThatNoCalendarHasIsRefusedWithItsLine) {
  const auto refused = [](const std::string& range) {
    auto fleet = read_fleet("holidays:\n- 2026-12-25\n- " + range + "\npools: [{name: a, layout: none}]",
                            "f.yaml", test::catalogue());
    return fleet ? "read" : fleet.error().reason;
  };
  EXPECT_EQ(refused("2027-01-01..2026-12-24"),
            "f.yaml:3:3: \"2027-01-01..2026-12-24\" ends before it begins");
  EXPECT_EQ(refused("2026-12-24..2036-12-24"),
            "f.yaml:3:3: \"2026-12-24..2036-12-24\" is longer than 366 days");
  EXPECT_EQ(refused("2026-01-01..2027-01-01"), "read") << "366 days";
  for (const char* wrong : {"2026-12-24..", "..2026-12-24", "2026-12-24...2026-12-25",
                            "2026-12-24..2026-02-30", "2026-12-24..2026-12-25..2026-12-26"})
    EXPECT_EQ(refused(wrong), "f.yaml:3:3: \"" + std::string(wrong) + "\" does not name two dates");
  std::string many;
  for (int year = 1000; year < 1030; ++year) many += fmt::format("\n- {0}-01-01..{0}-12-31", year);
  EXPECT_EQ(refused("2026-12-26" + many), "f.yaml:31:3: more than 10000 holidays");
}

TEST(FleetWindows, TheLastBeginIsTheFirstSuchTimeOfThePhase) {
  const Fleet fleet =
      read("  - {when: 'Mon-Fri 20:00-07:00', layout: none}\n  budget: {not_after: '02:00'}\n");
  const Zone zone = berlin();
  const Pool& pool = fleet.pools.at(0);
  const Phase night = phase_at(fleet, pool, zone, utc(2026, 11, 24, 3, 0));
  EXPECT_EQ(night.begin, utc(2026, 11, 23, 19, 0));
  EXPECT_EQ(last_begin(pool, zone, night, utc(2026, 11, 24, 3, 0)), utc(2026, 11, 24, 1, 0));
  const Phase day = phase_at(fleet, pool, zone, utc(2026, 11, 24, 9, 0));
  EXPECT_EQ(day.window, nullptr);
  EXPECT_EQ(last_begin(pool, zone, day, utc(2026, 11, 24, 9, 0)), utc(2026, 11, 25, 1, 0));
}

TEST(FleetWindows, ALimitCountsByTheDayInAPhaseOfManyDays) {
  const Fleet fleet = read("  - {when: holidays, layout: none}\n  budget: {not_after: '06:00'}\n",
                           "time_zone: Europe/Berlin\nholidays: [2026-12-25]\n");
  const Zone zone = berlin();
  const Pool& pool = fleet.pools.at(0);
  const TimePoint now = utc(2026, 11, 24, 3, 0);
  EXPECT_EQ(last_begin(pool, zone, phase_at(fleet, pool, zone, now), now), utc(2026, 11, 24, 5, 0));
}

TEST(FleetWindows, WindowsOfOneRuleThatFollowOneAnotherAreOnePhase) {
  const Fleet fleet = read("  - {when: Sat, layout: none}\n  - {when: Sun, layout: none}\n");
  const Pool& pool = fleet.pools.at(0);
  const Phase weekend = phase_at(fleet, pool, Zone(), utc(2026, 11, 29, 3, 0));
  EXPECT_EQ(weekend.begin, utc(2026, 11, 28, 0, 0));
  EXPECT_EQ(weekend.end, utc(2026, 11, 30, 0, 0));
  EXPECT_EQ(weekend.words, "Sat, Sun");
}

TEST(FleetWindows, WhatNoCalendarHasIsRefused) {
  for (const char* wrong :
       {"", "Mo", "Mon 8:00-9:00", "Mon 08:00", "Mon 08:00-08:00", "Mon 24:00-08:00", "Mon 08:00-25:00",
        "Mon 08:60-09:00", "Mon,", "Mon,,Tue", "Mon-Xyz", "08:00-09:00"})
    EXPECT_FALSE(parse_when(wrong)) << wrong;
  auto fleet = read_fleet("pools:\n- {name: a, layout: none, windows: [{when: Mo, layout: none}]}\n",
                          "f.yaml", test::catalogue());
  ASSERT_FALSE(fleet);
  EXPECT_EQ(fleet.error().reason.substr(0, 12), "f.yaml:2:44:");
  EXPECT_FALSE(
      read_fleet("holidays: [2026-02-30]\npools: [{name: a, layout: none}]", "f", test::catalogue()));
  EXPECT_FALSE(read_fleet("time_zone: ../etc\npools: [{name: a, layout: none}]", "f", test::catalogue()));
}

// "Mon, Tue" was refused as "\"\" is not a day", and so were the names of days in full.
TEST(FleetWindows, DaysAndTimesAreReadAsPeopleWriteThem) {
  const auto same = [](const char* usual, std::initializer_list<const char*> others) {
    const auto wanted = parse_when(usual);
    ASSERT_TRUE(wanted) << usual;
    for (const char* other : others) {
      const auto read = parse_when(other);
      ASSERT_TRUE(read) << other << ": " << to_line(read.error());
      EXPECT_EQ(*read, *wanted) << other;
    }
  };
  same("Mon,Tue 20:00-07:00",
       {"Mon, Tue 20:00-07:00", "mon,tue 20:00-07:00", "Monday , Tuesday  20:00 - 07:00",
        " MON,TUE\t20:00- 07:00 ", "monday,Tue 20:00-07:00"});
  same("Fri-Mon", {"Fri - Mon", "friday-monday", "Friday -mon"});
  same("Wed,Sat,Sun,holidays", {"wednesday, SATURDAY, sunday, Holidays"});
  same("daily 12:00-24:00", {"Daily 12:00 - 24:00"});
}

TEST(FleetWindows, WhatIsWrongInAWindowIsNamedByItsWords) {
  const auto why = [](const char* text) {
    const auto read = parse_when(text);
    return read ? "it is read" : read.error().reason.substr(std::string(text).size() + 4);
  };
  EXPECT_EQ(why("Mond 20:00-07:00"), "\"Mond\" is not a day");
  EXPECT_EQ(why("Mon-Xyz"), "\"Xyz\" is not a day");
  EXPECT_EQ(why("Mon,,Tue"), "a day is missing beside a comma");
  EXPECT_EQ(why("Mon,"), "a day is missing beside a comma");
  EXPECT_EQ(why("Mon Tue 20:00-07:00"), "a comma stands between days");
  EXPECT_EQ(why("20:00-07:00"), "the days stand before the times, and a blank between them");
  EXPECT_EQ(why("Mon,20:00-07:00"), "the days stand before the times, and a blank between them");
  EXPECT_EQ(why("Mon 8:00-09:00"), "\"8:00\" is not a time: HH:MM, from 00:00 to 24:00");
  EXPECT_EQ(why("Mon 08:00-25:00"), "\"25:00\" is not a time: HH:MM, from 00:00 to 24:00");
  EXPECT_EQ(why("Mon 08:00"), "times are HH:MM-HH:MM");
  EXPECT_EQ(why("Mon 24:00-08:00"), "it begins at 24:00, which is 00:00 of the next day");
}

// Phases and single moments say the same, all year, minute by minute around each edge; none is empty, none
// flaps, and the nights of both changes of the clocks are an hour shorter and longer.
TEST(FleetWindows, AYearOfPhasesIsWithoutGapsAndAgreesWithEachMoment) {
  const Fleet fleet = read(
      "  - {when: 'Mon-Fri 20:00-07:00', layout: none}\n  - {when: 'Sat,Sun 02:30-23:00', layout: empty}\n",
      "time_zone: Europe/Berlin\nholidays: [2026-12-25, 2026-05-01]\n");
  const Zone zone = berlin();
  const TimePoint from = utc(2026, 1, 1, 0, 0), until = utc(2027, 1, 1, 0, 0);
  const std::vector<Phase> all = phases(fleet, fleet.pools[0], zone, from, until);
  ASSERT_GT(all.size(), 600u);
  EXPECT_EQ(all.front().begin, from);
  EXPECT_EQ(all.back().end, until);
  int edges = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_LT(all[i].begin, all[i].end);
    if (i > 0) {
      ASSERT_EQ(all[i - 1].end, all[i].begin);
      ASSERT_NE(all[i - 1].window, all[i].window);
    }
    for (Duration off :
         {Duration(0), Duration(minutes(1)), Duration(all[i].end - all[i].begin - minutes(1))}) {
      ASSERT_EQ(window_at(fleet, fleet.pools[0], zone, all[i].begin + off), all[i].window)
          << utc_text(all[i].begin + off);
      ++edges;
    }
  }
  EXPECT_GT(edges, 1800);
  const auto length_from = [&](TimePoint begin) {
    for (const Phase& one : all)
      if (one.begin == begin) return duration_cast<minutes>(one.end - one.begin).count();
    return std::int64_t{-1};
  };
  EXPECT_EQ(length_from(utc(2026, 3, 29, 1, 0)), 20 * 60);         // Sunday from the leap at 3:00 to 23:00
  EXPECT_EQ(length_from(utc(2026, 10, 25, 0, 30)), 21 * 60 + 30);  // from the first 2:30 on
}

}  // namespace windows_test
}  // namespace tessera::fleet
