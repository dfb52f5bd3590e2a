// A command of the site's that is fed a text: what reaches it, and how a failure reads.
#include "backends/fed_command.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace tessera {
namespace {

TEST(FedCommand, GetsTheTextOnItsStandardInputAndItsWordsAsTheyAre) {
  const auto folder = std::filesystem::temp_directory_path() / ("tessera-fed-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const std::string file = folder / "to alice; true";
  ASSERT_TRUE(run_fed({"tee", file}, "two\nlines\n"));
  std::stringstream read;
  read << std::ifstream(file).rdbuf();
  EXPECT_EQ(read.str(), "two\nlines\n");
  std::filesystem::remove_all(folder);
}

TEST(FedCommand, SaysInItsLastWordsHowItFailed) {
  const Status failed = run_fed({"ls", "/no/such/folder"}, "text");
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().reason.find("it ended with 2: "), std::string::npos) << failed.error().reason;
  EXPECT_EQ(failed.error().hint, "run it by hand: ls /no/such/folder");
  EXPECT_FALSE(run_fed({"/no/such/program"}, ""));
}

TEST(FedCommand, IsEndedAtItsDeadline) {
  const Status late = run_fed({"sleep", "600"}, "", Duration{200});
  ASSERT_FALSE(late);
  EXPECT_NE(late.error().reason.find("it did not end within"), std::string::npos) << late.error().reason;
}

}  // namespace
}  // namespace tessera
