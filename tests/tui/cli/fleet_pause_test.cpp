// The pause of a fleet file: only the one that was seen is removed, and it is said whose it was.
#include <sys/stat.h>
#include <unistd.h>

#include "tests/tui/cli/fleet_lab.hpp"
#include "tui/cli/fleet/fleet_files.hpp"

namespace tessera::cli {
namespace {

using What = tui::FleetOrder::What;

class FleetPause : public test::FleetCommandLine {
 protected:
  FleetPause() : path(file("pools: [{name: all, layout: as-is}]")), mark(path + ".paused") {}
  void mark_by(const std::string& text) { std::ofstream(mark) << text; }
  // Everything that lies in the folder.
  std::set<std::string> names() const {
    std::set<std::string> all;
    for (const auto& one : std::filesystem::directory_iterator(folder)) all.insert(one.path().filename());
    return all;
  }
  std::string path, mark;
};

TEST_F(FleetPause, UnpauseTellsWhosePauseItRemoves) {
  EXPECT_EQ(run({"pause", path}), kDone) << err.str();
  EXPECT_EQ(run({"unpause", path}), kDone) << err.str();
  EXPECT_NE(err.str().find("removed the pause since 2027-01-15T08:00:0"), std::string::npos) << err.str();
  EXPECT_NE(err.str().find("by uid " + std::to_string(geteuid())), std::string::npos) << err.str();
  EXPECT_EQ(names(), (std::set<std::string>{"fleet.yaml", "fleet.yaml.log"})) << "the mark is gone";
}

// "uid 1000" told nobody whom to ask.
TEST_F(FleetPause, APauseNamesThePersonWhereTheSystemKnowsOneAndTheUidWhereItDoesNot) {
  user = [] { return std::string("alice"); };
  EXPECT_EQ(run({"pause", path}), kDone) << err.str();
  EXPECT_NE(paused_since(path).find("Z by alice"), std::string::npos) << paused_since(path);
  EXPECT_EQ(run({"check", path}), kDone) << out.str();
  EXPECT_NE(err.str().find(" by alice; tessera fleet unpause ends that"), std::string::npos) << err.str();
  std::filesystem::remove(mark);
  user = [] { return std::string(); };
  EXPECT_EQ(run({"pause", path}), kDone) << err.str();
  const std::string uid = "Z by uid " + std::to_string(geteuid());
  EXPECT_NE(paused_since(path).find(uid), std::string::npos) << paused_since(path);
  std::filesystem::remove(mark);
  const tui::FleetTold told = answer_fleet({What::pause, path, "", ""}, test::catalogue(), test::at(0));
  EXPECT_NE(told.paused.find(uid), std::string::npos) << told.paused;
}

TEST_F(FleetPause, OnlyThePauseThatWasSeenIsRemoved) {
  mark_by("2026-11-21T14:03:00Z by bob");
  const Status other = unpause_fleet(path, "2026-11-21T14:00:00Z by alice");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().reason, "another pause stands there by now, since 2026-11-21T14:03:00Z by bob");
  EXPECT_EQ(paused_since(path), "2026-11-21T14:03:00Z by bob") << "it stays";
  EXPECT_TRUE(unpause_fleet(path, "2026-11-21T14:03:00Z by bob"));
  EXPECT_EQ(names(), std::set<std::string>{"fleet.yaml"});
  EXPECT_FALSE(unpause_fleet(path, "2026-11-21T14:03:00Z by bob")) << "it is not paused any more";
  EXPECT_FALSE(unpause_fleet(path, "")) << "no pause is none that was seen";
}

TEST_F(FleetPause, AMarkThatCannotBeReadOrRemovedPausesAsWell) {
  std::filesystem::create_directories(mark);
  EXPECT_EQ(paused_since(path), "?");
  EXPECT_FALSE(unpause_fleet(path, "?"));
  EXPECT_EQ(paused_since(path), "?") << "what could not be removed stands where it was";
  std::filesystem::remove_all(mark);
  std::filesystem::create_symlink(folder + "/nowhere", mark);
  EXPECT_EQ(paused_since(path), "?") << "a link to nothing is no sign that nobody paused it";
  EXPECT_TRUE(unpause_fleet(path, "?"));
  mark_by("");
  EXPECT_EQ(paused_since(path), "?");
  mark_by("\x1b[2Jnow\nby eve");
  EXPECT_EQ(paused_since(path).find('\x1b'), std::string::npos);
}

TEST_F(FleetPause, APauseOfAnotherUserNeedsYes) {
  mark_by("2026-11-21T14:03:00Z by bob");
  if (::chown(mark.c_str(), 12345, 12345) != 0) GTEST_SKIP() << "only root has files of another user";
  EXPECT_EQ(run({"unpause", path}), kFinding);
  EXPECT_NE(err.str().find("another user has paused it, since 2026-11-21T14:03:00Z by bob"),
            std::string::npos)
      << err.str();
  EXPECT_EQ(paused_since(path), "2026-11-21T14:03:00Z by bob");
  options.yes = true;
  EXPECT_EQ(run({"unpause", path}), kDone) << err.str();
  EXPECT_EQ(paused_since(path), "");
}

TEST_F(FleetPause, TheConsoleRemovesWhatItShowedAndTellsWhoPausedMeanwhile) {
  const auto ask = [&](What what, const std::string& seen) {
    return answer_fleet({what, path, "alice", seen}, test::catalogue(), test::at(0));
  };
  const tui::FleetTold paused = ask(What::pause, "");
  EXPECT_FALSE(paused.failure);
  EXPECT_EQ(paused.paused, "2027-01-15T08:00:00Z by alice");
  mark_by("2027-01-15T09:00:00Z by bob");
  const tui::FleetTold refused = ask(What::unpause, paused.paused);
  ASSERT_TRUE(refused.failure);
  EXPECT_NE(refused.failure->reason.find("2027-01-15T09:00:00Z by bob"), std::string::npos);
  EXPECT_EQ(refused.paused, "2027-01-15T09:00:00Z by bob") << "and the screen shows it from now on";
  EXPECT_FALSE(ask(What::unpause, refused.paused).failure);
}

// The runner did not see a pause that was set by another name of its file.
TEST_F(FleetPause, AFileThatIsReachedByALinkIsPausedForAllAndKnownByItsOwnPath) {
  std::filesystem::create_directory(folder + "/etc");
  const std::string link = folder + "/etc/site.yaml", beside_link = link + ".paused";
  std::filesystem::create_symlink(path, link);
  EXPECT_EQ(run({"pause", link}), kDone) << err.str();
  EXPECT_NE(paused_since(path), "");
  EXPECT_NE(paused_since(link), "");
  EXPECT_EQ(run({"unpause", path}), kDone) << err.str();
  EXPECT_EQ(paused_since(link), "");
  // An earlier version left it beside the link.
  std::ofstream(beside_link) << "2026-11-21T14:03:00Z by bob";
  EXPECT_EQ(paused_since(link), "2026-11-21T14:03:00Z by bob");
  EXPECT_TRUE(unpause_fleet(link, "2026-11-21T14:03:00Z by bob"));
  EXPECT_FALSE(std::filesystem::exists(beside_link));
  // Beside a new one it is a second pause, and each is removed by whoever has seen it.
  std::ofstream(beside_link) << "2026-11-21T14:03:00Z by bob";
  std::ofstream(mark) << "2026-11-22T14:03:00Z by alice";
  EXPECT_EQ(run({"unpause", link}), kFinding) << "it is paused all the same";
  EXPECT_NE(err.str().find("removed the pause since 2026-11-22T14:03:00Z by alice"), std::string::npos)
      << err.str();
  EXPECT_NE(
      err.str().find("is paused for this file since 2026-11-21T14:03:00Z by bob; tessera fleet unpause"),
      std::string::npos)
      << err.str();
  EXPECT_EQ(run({"unpause", link}), kDone) << err.str();
  EXPECT_EQ(paused_since(link), "");
  const tui::FleetTold told = answer_fleet({What::read, link, "", ""}, test::catalogue(), test::at(0));
  ASSERT_TRUE(told.file);
  EXPECT_EQ(told.path, link);
  EXPECT_EQ(told.file->whole, whole_path_of(path));
}

// ── whether the file is another one ───────────────────────────────────────────────────────────────────

TEST_F(FleetPause, AFileThatWasOnlyTouchedIsTheSameAndAnEditWithTheSameTimeIsNot) {
  const auto stamp = [&] {
    return answer_fleet({What::look, path, "", ""}, test::catalogue(), test::at(0)).stamp;
  };
  const std::string before = stamp();
  EXPECT_FALSE(before.empty());
  const auto time = std::filesystem::last_write_time(path);
  std::filesystem::last_write_time(path, time + std::chrono::hours(1));
  EXPECT_EQ(stamp(), before);
  file("pools: [{name: all, layout: empty}]");  // as long as before
  std::filesystem::last_write_time(path, time);
  EXPECT_NE(stamp(), before);
  std::filesystem::remove(path);
  EXPECT_EQ(stamp(), "") << "it is gone";
}

}  // namespace
}  // namespace tessera::cli
