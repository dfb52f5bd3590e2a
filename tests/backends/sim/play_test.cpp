// The hand from outside: time, other admins, faults, and a look at whether all is well.
#include "backends/sim/play.hpp"

#include <filesystem>

#include "tests/backends/sim/worlds.hpp"

namespace tessera::sim {
namespace {

class Play : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/tessera-play-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder = name;
    options.state_file = folder + "/world";
    options.wall = [] { return kMonday; };
    options.catalogue = test::shared_catalogue();
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string say(const std::vector<std::string>& words, const std::string& cluster = "") {
    Result<Played> played = play(options, cluster, words);
    return played ? played->text : "error: " + to_line(played.error());
  }
  World world() { return std::move(open_worlds(options)->front()); }

  std::string folder;
  SimulatorOptions options;
};

TEST_F(Play, LetsTimePass) {
  EXPECT_NE(say({"advance", "1h30m"}).find("hpc: 2026-03-02 10:30:00 UTC; "), std::string::npos);
  EXPECT_EQ(world().now, kMonday + std::chrono::minutes(90));
  EXPECT_NE(say({"advance", "soon"}).find("error: cannot let that time pass"), std::string::npos);
  EXPECT_EQ(say({"check"}), "nothing is held twice, every layout is legal\n");
}

TEST_F(Play, DoesWhatOtherAdminsDo) {
  EXPECT_EQ(say({"drain", "a30-01", "fan", "tray"}), "hpc a30-01: closed to new workloads\n");
  EXPECT_EQ(world().nodes[*find_node(world(), "a30-01")].reason, "fan tray");
  EXPECT_EQ(say({"open", "a30-01"}), "hpc a30-01: open\n");
  EXPECT_NE(say({"reboot", "gpu-01"}).find("ml-platform gpu-01: reboots"), std::string::npos);
  EXPECT_NE(say({"open", "gpu-01"}).find("does not answer"), std::string::npos);
  EXPECT_NE(say({"drain", "n77"}).find("error: no such node: n77"), std::string::npos);
  EXPECT_NE(say({"drain", "a30-01"}, "ml-platform").find("no such node"), std::string::npos);
  EXPECT_NE(say({"check"}, "mars").find("no such cluster"), std::string::npos);
}

TEST_F(Play, EndsSomeonesWork) {
  EXPECT_NE(say({"end", "88101"}).find("hpc 88101: ends"), std::string::npos);
  EXPECT_NE(say({"end", "88101"}).find("it does not run"), std::string::npos);
  EXPECT_NE(say({"end", "4711"}).find("no such workload"), std::string::npos);
}

TEST_F(Play, ArmsFaultsThatStayInTheFile) {
  EXPECT_NE(say({"faults"}).find("create-stops     Insufficient Resources"), std::string::npos);
  EXPECT_EQ(say({"fault", "in-use", "node=a30-01 nth=2"}), "hpc a30-01: armed in-use node=a30-01 nth=2\n");
  EXPECT_EQ(say({"fault", "unreadable"}), "armed unreadable, on every cluster\n");
  EXPECT_EQ(say({"faults"}, "hpc"), "hpc: in-use node=a30-01 nth=2  (seen 0)\nhpc: unreadable  (seen 0)\n");
  EXPECT_NE(say({"fault", "in-use", "node=mars"}).find("no such node"), std::string::npos);
  EXPECT_NE(say({"fault", "boom"}).find("'boom' is no kind of fault"), std::string::npos);
}

}  // namespace
}  // namespace tessera::sim
