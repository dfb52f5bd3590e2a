// tessera fleet set: shown first, written with --yes as a whole, and never over another's edit.
#include <sys/stat.h>

#include "tests/tui/cli/fleet_lab.hpp"
#include "tui/cli/fleet/fleet_files.hpp"

namespace tessera::cli {
namespace {

class FleetSet : public test::FleetCommandLine {
 protected:
  std::string text() const {
    std::ifstream stream(path);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  const std::string before = "pools:\n- name: a  # Ann's\n  layout: none\n";
  const std::string after = "pools:\n- name: a  # Ann's\n  layout: 7x1g.10gb\n";
  std::string path = file(before);
};

TEST_F(FleetSet, TheDifferenceIsShownAndWrittenOnlyWithYes) {
  loads = false;
  ::chmod(path.c_str(), 0640);
  EXPECT_EQ(run({"set", "a", "layout=7x1g.10gb", path}), kDone) << err.str();
  EXPECT_NE(out.str().find("-  layout: none\n+  layout: 7x1g.10gb\n"), std::string::npos) << out.str();
  EXPECT_NE(err.str().find("nothing is written: --yes writes it"), std::string::npos) << err.str();
  EXPECT_EQ(text(), before);
  options.yes = true;
  EXPECT_EQ(run({"set", "a", "layout=7x1g.10gb", path}), kDone) << err.str();
  EXPECT_EQ(text(), after);
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0640u);
  EXPECT_EQ(run({"set", "a", "layout=7x1g.10gb", path}), kDone);
  EXPECT_NE(err.str().find("nothing to do: the file has it"), std::string::npos) << err.str();
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1) << "nothing is left beside it";
}

TEST_F(FleetSet, WithoutAFileItIsThatOfTheSettings) {
  options.fleet_file = path;
  EXPECT_EQ(run({"set", "a", "layout=empty"}), kDone) << err.str();
  EXPECT_NE(out.str().find("+  layout: empty"), std::string::npos) << out.str();
}

TEST_F(FleetSet, ALinkStaysALink) {
  const std::string link = folder + "/link.yaml";
  std::filesystem::create_symlink(path, link);
  options.yes = true;
  EXPECT_EQ(run({"set", "a", "layout=7x1g.10gb", link}), kDone) << err.str();
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(text(), after);
}

TEST_F(FleetSet, AFileThatWasEditedMeanwhileIsLeftAlone) {
  const Status done = replace_fleet_file(path, "pools: []\n", after);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().reason, "it was changed meanwhile");
  EXPECT_EQ(text(), before);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
}

// A window that is set becomes the last one of its pool.
TEST_F(FleetSet, AWindowThatWouldNeverHoldIsTold) {
  const std::string nights = file(before + "  windows:\n  - {when: daily, layout: empty}\n");
  EXPECT_EQ(run({"set", "a", "window.Mon-Fri 20:00-07:00.layout=7x1g.10gb", nights}), kDone) << err.str();
  EXPECT_NE(
      err.str().find("pool a: its window Mon-Fri 20:00-07:00 (line 6) never holds: the window above it in "
                     "line 5 holds"),
      std::string::npos)
      << err.str();
  EXPECT_EQ(run({"set", "a", "layout=empty", nights}), kDone);
  EXPECT_EQ(err.str().find("never holds"), std::string::npos) << err.str();
}

TEST_F(FleetSet, RefusesWhatItCannotUse) {
  EXPECT_EQ(run({"set"}), kUsage);
  EXPECT_EQ(run({"set", "a", path}), kUsage);
  EXPECT_EQ(run({"set", "b", "layout=none", path}), kUsage);
  EXPECT_NE(err.str().find("has no pool b"), std::string::npos) << err.str();
  EXPECT_EQ(run({"set", "a", "layout=9xhalf", path}), kUsage);
  options.output = OutputFormat::json;
  EXPECT_EQ(run({"set", "a", "layout=none", path}), kUsage);
  EXPECT_EQ(text(), before);
}

}  // namespace
}  // namespace tessera::cli
