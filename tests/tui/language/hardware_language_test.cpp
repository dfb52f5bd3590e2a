// What is said of faults of the hardware, in Japanese: a way out that is put together is told part by part.
#include <gtest/gtest.h>

#include "engine/insight/hardware.hpp"
#include "tui/language/words.hpp"

namespace tessera::tui {
namespace {

// "power-cycle theノード。where it comes back": the advice had the mark of its own that parts it from the
// command.
TEST(JapaneseHardware, AdviceInFrontOfTheCommandThatOpensTheNodeIsToldToItsEnd) {
  const auto words = Words::of(Language::ja);
  ASSERT_TRUE(words);
  const std::string opening = "when repaired: scontrol update NodeName=n1 State=RESUME";
  std::vector<std::string> reasons{"row remapping failure", "row remap pending", "uncorrectable ECC errors",
                                   "GPU has fallen off the bus"};
  for (int xid = 1; xid < 160; ++xid) reasons.push_back("Xid " + std::to_string(xid));
  for (const std::string& reason : reasons) {
    const std::string advice = insight::hardware_advice(reason);
    ASSERT_NE(advice, "") << reason;
    EXPECT_EQ(advice.find("; "), std::string::npos) << advice;
    const std::string told = (*words)->tell(advice + "; " + opening).text;
    EXPECT_EQ(told, (*words)->tell(advice).text + "。" + (*words)->tell(opening).text);
    for (const char* english : {" the ", "where", "reset", "replace"})
      EXPECT_EQ(told.find(english), std::string::npos) << told;
  }
}

}  // namespace
}  // namespace tessera::tui
