// How use went stands in each of the four lists from a hundred columns on, and nothing that tells rows apart
// goes for it.
#include <gtest/gtest.h>

#include "tests/support/session.hpp"
#include "tests/tui/screens/places.hpp"

namespace tessera::test {
namespace {

std::string heading_of(const char* list, int columns, Model place) {
  Session session(std::move(place), {columns, 30});
  session.press(":").press(list).press("<enter>");
  return session.line_with("NODE");
}

TEST(TrendColumns, StandInEachListFromAHundredColumnsOn) {
  for (const char* list : {"nodes", "gpus", "slices", "workloads"}) {
    for (int columns : {100, 101, 110, 120}) {
      const std::string heading = heading_of(list, columns, small_place());
      EXPECT_NE(heading.find("10 MIN"), std::string::npos) << list << " " << columns << "\n" << heading;
      // Nodes have none; of workloads none is idle here, and an empty column leaves its room.
      if (const std::string_view name(list); name == "gpus" || name == "slices")
        EXPECT_NE(heading.find("IDLE"), std::string::npos) << list << " " << columns << "\n" << heading;
    }
    EXPECT_EQ(heading_of(list, 90, small_place()).find("10 MIN"), std::string::npos) << list;
  }
}

TEST(TrendColumns, OfSeveralClustersTheNameStays) {
  for (const char* list : {"nodes", "gpus", "slices", "workloads"}) {
    const std::string heading = heading_of(list, 100, two_places());
    EXPECT_NE(heading.find("CLUSTER"), std::string::npos) << list << "\n" << heading;
    EXPECT_NE(heading.find("10 MIN"), std::string::npos) << list << "\n" << heading;
  }
}

TEST(TrendColumns, WorkThatWaitsHasNone) {
  Session session(small_place(), {100, 30});
  session.press(":workloads<enter>/pending<enter>");
  EXPECT_EQ(session.screen().find("10 MIN"), std::string::npos) << session.screen();
  EXPECT_TRUE(session.shows("REASON")) << session.screen();
}

}  // namespace
}  // namespace tessera::test
