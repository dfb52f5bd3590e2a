// Saved worlds: back as they were, gone on as they would have, and refused when they make no sense.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "backends/sim/random.hpp"
#include "backends/sim/saved/state_file.hpp"
#include "backends/sim/saved/state_text.hpp"
#include "tests/backends/sim/worlds.hpp"

namespace tessera::sim {
namespace {

using std::chrono::minutes;

TEST(State, ComesBackAsItWasAndGoesOnAsItWouldHave) {
  const char* names[] = {"demo", "broken", "blackwell", "kubernetes"};
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    SCOPED_TRACE(seed);
    std::vector<World> worlds = worlds_of(names[seed % 4], mix(seed));
    for (World& world : worlds) world.advance(world.start + minutes(between(mix(~seed), 0, 300)));
    std::string text = save_state(worlds);
    Result<std::vector<World>> loaded = load_state(text, test::shared_catalogue());
    ASSERT_TRUE(loaded.ok()) << to_line(loaded.error());
    EXPECT_TRUE(*loaded == worlds);
    EXPECT_TRUE(save_state(*loaded) == text);
    for (std::size_t i = 0; i < worlds.size(); ++i) {
      worlds[i].advance(worlds[i].now + minutes(60));
      (*loaded)[i].advance((*loaded)[i].now + minutes(60));
    }
    EXPECT_TRUE(*loaded == worlds) << "an hour later";
  }
}

TEST(State, KeepsWhatTheDevicePluginOffers) {
  World world = world_from(
      "clusters: [{name: c, scheduler: kubernetes, users: [u], nodes: [{names: n, product: A100-80GB, gpus: "
      "1, "
      "layout: all-2g.20gb}], jobs: [{name: j, want: nvidia.com/gpu, runs: 5h}]}]");
  EXPECT_EQ(world.jobs.begin()->second.state, JobState::pending);
  world.nodes[0].offer = PluginOffer{false, true};
  Result<std::vector<World>> loaded = load_state(save_state({world}), test::shared_catalogue());
  ASSERT_TRUE(loaded.ok()) << to_line(loaded.error());
  EXPECT_TRUE(loaded->front() == world);
  loaded->front().derived.reset();
  loaded->front().pass_at = world.now + std::chrono::seconds(1);
  loaded->front().advance(world.now + minutes(1));
  EXPECT_EQ(loaded->front().jobs.begin()->second.state, JobState::running) << "an instance goes by that name";
  world.nodes[0].offer->nothing = true;
  world.pass_at = world.now + std::chrono::seconds(1);
  world.derived.reset();
  world.advance(world.now + minutes(1));
  EXPECT_EQ(world.jobs.begin()->second.state, JobState::pending);
}

// Versions up to 0.2 had one name for shares and wrote no switches where no GPU operator was at work.
TEST(State, KeepsTheSwitchesOfSharesAndReadsAWorldWithoutThem) {
  World world = world_from(
      "clusters: [{name: c, scheduler: kubernetes, users: [u], nodes: [{names: n, product: L40S, gpus: 1, "
      "layout: 'time-slicing:4'}]}]");
  const std::string old = save_state({world});
  EXPECT_EQ(old.find("switches"), std::string::npos);
  EXPECT_EQ(load_state(old, test::shared_catalogue())->front().nodes[0].switches, ShareSwitches{});
  world.nodes[0].switches = {false, true};
  const std::string text = save_state({world});
  Result<std::vector<World>> loaded = load_state(text, test::shared_catalogue());
  ASSERT_TRUE(loaded.ok()) << to_line(loaded.error());
  EXPECT_EQ(loaded->front().nodes[0].switches, (ShareSwitches{false, true}));
}

std::string refusal(const std::string& text) {
  Result<std::vector<World>> loaded = load_state(text, test::shared_catalogue(), "f");
  return loaded ? "read" : loaded.error().reason;
}

TEST(State, RefusesATextThatIsCutAnywhere) {
  std::string text = save_state(worlds_of("blackwell"));
  for (std::size_t size = 0; size + 1 < text.size(); size += 97)
    EXPECT_NE(refusal(text.substr(0, size)), "read") << size;
}

TEST(State, NamesTheLineOfWhatMakesNoSense) {
  EXPECT_EQ(refusal("hello"), "f:1: this is no saved simulator state");
  EXPECT_EQ(refusal("tessera-sim-state 3\n"), "f:1: a number from 1 to 2 is expected");
  std::string text = save_state(worlds_of("blackwell"));
  EXPECT_EQ(refusal(text + "more\n").find("f:"), 0u);
  auto spoil = [&](std::string_view from, std::string_view to) {
    std::string copy = text;
    copy.replace(copy.find(from), from.size(), to);
    return refusal(copy);
  };
  EXPECT_NE(spoil("\nclaim 3 0 -1 1", "\nclaim 99999 0 -1 1").find("a number from 0"), std::string::npos);
  EXPECT_NE(spoil("\nclaim 3 0 -1 1", "\nclaim 3 0 -1 2").find("2 shares held of 1"), std::string::npos);
  EXPECT_NE(spoil("\nclaim 3 0 -1 1", "\nclaim 3 0 7 1").find("not there"), std::string::npos);
}

TEST(State, SurvivesEveryByteBeingOdd) {
  World world = world_from(
      "clusters:\n  - name: c\n    users: [ann]\n    partitions: [p]\n    nodes: [{names: n, product: T4, "
      "gpus: 1}]\n"
      "    jobs: [{name: \"quote \\\" back \\\\ \\e \\n \\0 é\", want: 'gpu:1'}]\n");
  std::vector<World> worlds{world};
  Result<std::vector<World>> loaded = load_state(save_state(worlds), test::shared_catalogue());
  ASSERT_TRUE(loaded.ok()) << to_line(loaded.error());
  EXPECT_EQ(*loaded, worlds);
}

TEST(State, KeepsMarksClosingsAndFaults) {
  std::vector<World> worlds = worlds_of("demo");
  NodeState& node = worlds[0].nodes[2];
  node.mark = plan::RunMark{"r \"1\"", "root", "login1\n", kMonday};
  node.promised = 7;
  node.condition = Condition::down;
  node.closing = Closing{"tessera r1 root@login1: x", "root", kMonday};
  worlds[1].traps = {{*parse_trap("in-use node=gpu-01 nth=3 times=always"), 2}, {*parse_trap("silent"), 0}};
  Result<std::vector<World>> loaded = load_state(save_state(worlds), test::shared_catalogue());
  ASSERT_TRUE(loaded.ok()) << to_line(loaded.error());
  EXPECT_TRUE(*loaded == worlds);
  node.mark.reset();
  EXPECT_FALSE(*loaded == worlds);
}

TEST(State, ReadsAFileOfTheVersionBefore) {
  std::vector<World> worlds = worlds_of("blackwell");
  std::string text = save_state(worlds);
  text.replace(0, text.find('\n'), "tessera-sim-state 1");
  Result<std::vector<World>> loaded = load_state(text, test::shared_catalogue());
  ASSERT_TRUE(loaded.ok()) << to_line(loaded.error());
  EXPECT_TRUE(*loaded == worlds);
}

TEST(State, RefusesAFaultThatItDoesNotKnow) {
  std::vector<World> worlds = worlds_of("blackwell");
  worlds[0].traps = {{*parse_trap("silent"), 0}};
  std::string text = save_state(worlds);
  text.replace(text.find("\"silent\""), 8, "\"loud\"");
  EXPECT_NE(refusal(text).find("'loud' is no kind of fault"), std::string::npos);
}

class StateFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/tessera-state-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string folder;
};

TEST_F(StateFileTest, IsReplacedAsAWholeAndIsTheOwnersOnly) {
  std::string path = folder + "/world";
  Result<StateFile> file = StateFile::open(path);
  ASSERT_TRUE(file.ok());
  EXPECT_FALSE(read_state(path)->has_value());
  ASSERT_TRUE(file->write("one").ok());
  ASSERT_TRUE(file->write("two").ok());
  EXPECT_EQ((*read_state(path))->text, "two");
  EXPECT_EQ((*read_state(path))->stamp, stamp_of(path)) << "so that another's save shows";
  struct stat info {};
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0600u);
  EXPECT_FALSE(std::filesystem::exists(path + ".new"));
}

TEST_F(StateFileTest, IsNotGivenToTwoAtOnce) {
  std::string path = folder + "/world";
  {
    Result<StateFile> first = StateFile::open(path);
    ASSERT_TRUE(first.ok());
    Result<StateFile> second = StateFile::open(path, std::chrono::milliseconds(30));
    ASSERT_FALSE(second.ok()) << "waits a moment, and then says so";
    EXPECT_NE(second.error().reason.find("another tessera"), std::string::npos);
  }
  EXPECT_TRUE(StateFile::open(path).ok()) << "free again when the first is gone";
}

TEST_F(StateFileTest, SaysWhyItCannotBeUsed) {
  EXPECT_FALSE(StateFile::open("/nonexistent/world").ok());
  Result<StateFile> file = StateFile::open(folder);
  ASSERT_TRUE(file.ok());
  EXPECT_NE(read_state(folder).error().reason.find("it is a folder"), std::string::npos);
  std::string fifo = folder + "/fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_NE(read_state(fifo).error().reason.find("not a regular file"), std::string::npos)
      << "and it is not waited for";
  EXPECT_FALSE(file->write("x").ok());
  unlink((folder + ".lock").c_str());
}

}  // namespace
}  // namespace tessera::sim
