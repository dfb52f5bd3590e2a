// The whole round on a real Slurm, from the command line and by keys, over kills of tessera at every step and
// over whatever a driver may answer; jobs run next door all the time.
#include "tests/e2e/slurm_cut_lab.hpp"
#include "tests/support/pty.hpp"

namespace tessera::test {
namespace {

class SlurmRound : public SlurmCut {
 protected:
  static constexpr const char* kBalanced = "2x1g.12gb,2g.24gb,3g.47gb";

  // Ended as step after step begins, each once; or as each n-th one begins, where all would take long.
  struct Killer {
    std::size_t nth = 1;
    std::set<std::string> seen = {};
    std::size_t kills = 0;
    int operator()(const std::string& err) {
      constexpr std::string_view kStep = "step gpu01/";
      for (std::size_t at = err.find(kStep); at != std::string::npos; at = err.find(kStep, at + 1)) {
        std::size_t end = err.find(':', at);
        const bool met = end != std::string::npos && seen.insert(err.substr(at, end - at)).second;
        if (met && seen.size() % nth == 0) return ++kills, SIGKILL;
      }
      return 0;
    }
  };
  static void expect_open(const std::string& node) {
    for (const char* flag : {"DRAIN", "DOWN", "INVAL"})
      EXPECT_EQ(field(record(node), "State").find(flag), std::string::npos) << record(node);
  }
  // gpu01 is changed as `wish` says by tesseras of which each is killed as a step begins that none has begun
  // before. What is left in the end: an open node, and no lock.
  void finished_over_kills(std::vector<std::string> wish, Killer killer, std::size_t fewest_kills) {
    wish.insert(wish.begin(), {"apply", "-n", "gpu01"});
    const slurmconf::SlurmSettings site = with_runner();
    RunOptions options = command_line(), killed = options;
    killed.signal_on_err = [&](const std::string& err) { return killer(err); };
    Ran ran = tessera(site, wish, killed);
    const std::string run = newest_run(options);
    std::string told;
    // Also where it was killed while the controller restarts, which does not report then which cluster it is.
    for (int times = 0; times < 30 && ran.code == 128 + SIGKILL; ++times) {
      told += ran.err;
      ran = tessera(site, {"resume", run}, killed);
    }
    // The last blow may come when all is done.
    const bool over = ran.err.find("it has ended: 1 of 1 node done") != std::string::npos;
    EXPECT_TRUE(ran.code == 0 || over) << told << ran.out << ran.err;
    EXPECT_GE(killer.kills, fewest_kills) << told;
    expect_open("gpu01");
    EXPECT_FALSE(std::filesystem::is_symlink(lab_->conf() + ".tessera-lock"));
  }
};

TEST_F(SlurmRound, KilledAsEachStepBeginsAndTakenUpEachTime) {
  std::vector<Running> neighbours{run_on("gpu02", "gpu:h100:2"), run_on("shard01", "shard:1")};
  finished_over_kills({"--gpu", "0", "--layout", "7x1g.12gb"}, {}, 8);
  EXPECT_EQ(gres("gpu01"), kSevens) << record("gpu01");
  for (const Running& one : neighbours) expect_untouched(one);
}

// Nothing is cut: the files are written, and Slurm's daemons read them.
TEST_F(SlurmRound, SharedByMpsThenByShardsAndBackOverKillsAndTakenUpEachTime) {
  std::vector<Running> neighbours{run_on("gpu02", "gpu:h100:2"), run_on("mps01", "mps:50"),
                                  run_on("shard01", "shard:1")};
  const std::string found = file_text(lab_->conf());
  finished_over_kills({"--strategy", "mps"}, {3}, 2);
  EXPECT_EQ(gres("gpu01"), "gpu:h100:8,mps:800") << record("gpu01");
  const std::string with_mps = file_text(lab_->conf());
  EXPECT_NE(with_mps, found);
  finished_over_kills({"--strategy", "shard", "--replicas", "4"}, {3}, 2);
  EXPECT_EQ(gres("gpu01"), "gpu:h100:8,shard:32") << record("gpu01");
  // Killed with the new files written, it goes back to those that it found.
  const RunOptions options = command_line();
  Ran killed =
      tessera(with_runner(), {"undo", newest_run(options)}, killed_at(options, "write Slurm's files"));
  ASSERT_EQ(killed.code, 128 + SIGKILL) << killed.out << killed.err;
  Ran undone = tessera(with_runner(), {"resume", newest_run(options)}, options);
  EXPECT_EQ(undone.code, 0) << undone.out << undone.err;
  EXPECT_EQ(gres("gpu01"), "gpu:h100:8,mps:800") << record("gpu01");
  EXPECT_EQ(file_text(lab_->conf()), with_mps) << "byte for byte";
  expect_open("gpu01");
  for (const Running& one : neighbours) expect_untouched(one);
}

// What a driver may answer instead of doing what it is told. A run overcomes it, or parks with the driver's
// own words and goes on when it is taken up.
TEST_F(SlurmRound, WhateverTheDriverAnswersItEndsWell) {
  Running neighbour = run_on("gpu02", "gpu:h100:2");
  std::vector<std::string> arm{simulator(), "nvidia-smi", "--state", gpus("gpu01")};
  for (const char* fault : {"in-use verb=-mig", "unknown verb=-mig nth=2", "insufficient verb=-cgi",
                            "answer-lost verb=-cgi nth=2"})
    arm.insert(arm.end(), {"--fault", fault});
  ASSERT_EQ(lab_->run(arm).status, 0) << lab_->run(arm).out;
  Admin admin(*lab_, with_runner(), folder());
  std::string run = admin.start(admin.plan("gpu01", layout("7x1g.12gb"), 0));
  std::string why = admin.outcome(run);
  for (int times = 0; times < 4 && why != "wanted"; ++times) {
    EXPECT_NE(why, "") << admin.journal(run);
    admin.resume(run);
    why = admin.outcome(run);
  }
  EXPECT_EQ(why, "wanted") << admin.journal(run);
  for (const char* words : {"In use by another client", "Unknown Error"})
    EXPECT_NE(admin.journal(run).find(words), std::string::npos) << words << admin.journal(run);
  EXPECT_EQ(gres("gpu01"), kSevens) << record("gpu01");
  expect_open("gpu01");
  expect_untouched(neighbour);
}

// A driver that hangs under a look, leaves the mode pending, and says that it has made what it has not; and a
// unit that was not enabled for the next boot.
TEST_F(SlurmRound, ADriverThatHangsOrOnlyPromisesIsSeenThroughAndUndone) {
  Running neighbour = run_on("gpu02", "gpu:h100:2");
  std::vector<std::string> arm{simulator(), "nvidia-smi", "--state", gpus("gpu01")};
  for (const char* fault : {"hang verb=-lgi nth=3", "pending verb=-mig", "no-device verb=-cgi"})
    arm.insert(arm.end(), {"--fault", fault});
  ASSERT_EQ(lab_->run(arm).status, 0) << lab_->run(arm).out;
  const std::string units = lab_->folder() + "/units-gpu01", linked = units + "/wanted/mig.service";
  std::filesystem::create_directories(units);
  std::ofstream(units + "/mig.service") << "[Service]\n";
  slurmconf::SlurmSettings site = with_runner();
  site.boot_file = units + "/boot.yaml";
  site.boot_unit = "mig.service";
  Admin admin(*lab_, site, folder());
  std::string run = admin.start(admin.plan("gpu01", layout("7x1g.12gb"), 0));
  EXPECT_EQ(admin.outcome(run), "wanted") << admin.journal(run);
  for (const char* words :
       {"'nvidia-smi mig -lgi' did not end within 4 s", "after 10 s GPU 0: MIG is enable-pending; attempt 2",
        "after 10 s GPU 0 has nothing, not 1g.12gb@0"})
    EXPECT_NE(admin.journal(run).find(words), std::string::npos) << words << admin.journal(run);
  EXPECT_EQ(gres("gpu01"), kSevens) << record("gpu01");
  expect_open("gpu01");
  EXPECT_TRUE(std::filesystem::is_symlink(linked)) << "enabled for the next boot";
  std::string undone = admin.undo(run);
  EXPECT_EQ(admin.outcome(undone), "recorded") << admin.journal(undone);
  EXPECT_EQ(gres("gpu01"), "gpu:h100:8") << record("gpu01");
  expect_open("gpu01");
  EXPECT_FALSE(std::filesystem::is_symlink(linked)) << "as it was found";
  expect_untouched(neighbour);
}

TEST_F(SlurmRound, FromWholeToSlicesToSharesAndBackByTheCommandLine) {
  std::vector<Running> neighbours{run_on("gpu02", "gpu:h100:2"), run_on("mps01", "mps:50")};
  slurmconf::SlurmSettings site = with_runner();
  RunOptions options = command_line();
  const std::vector<std::string> board{"-n", "gpu01", "--gpu", "0", "--layout"};
  auto apply = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "apply");
    Ran ran = tessera(site, words, options);
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    expect_open("gpu01");
    return gres("gpu01");
  };
  auto cut = [&](const char* text) {
    std::vector<std::string> words = board;
    words.emplace_back(text);
    return apply(words);
  };
  EXPECT_EQ(cut("7x1g.12gb"), kSevens);
  EXPECT_EQ(cut(kBalanced), "gpu:1g.12gb:2,gpu:2g.24gb:1,gpu:3g.47gb:1,gpu:h100:7");
  EXPECT_EQ(apply({"-n", "gpu01", "--strategy", "mps"}), "gpu:h100:8,mps:800");
  Running user = run_on("gpu01", "mps:25");
  (void)lab_->run({"scancel", "-f", user.id});
  EXPECT_EQ(apply({"-n", "gpu01", "--strategy", "shard", "--replicas", "4"}), "gpu:h100:8,shard:32");
  Ran undone = tessera(site, {"undo", newest_run(options)}, options);
  EXPECT_EQ(undone.code, 0) << undone.out << undone.err;
  EXPECT_EQ(gres("gpu01"), "gpu:h100:8,mps:800") << record("gpu01");
  EXPECT_EQ(apply({"-n", "gpu01", "--layout", "none"}), "gpu:h100:8");
  for (const Running& one : neighbours) expect_untouched(one);
}

// The console in its pseudo-terminal, from layout to layout.
class SlurmRoundByKeys : public SlurmRound {
 protected:
  PtyOptions console() const {
    slurmconf::SlurmSettings site = with_runner();
    PtyOptions options;
    options.columns = 160;
    options.rows = 50;
    options.arguments = {"--write",
                         "--interval=5m",
                         "--slurm-runner=" + site.runner,
                         "--slurm-devices=" + site.devices,
                         "--slurm-restart-controller=" + site.restart_controller,
                         "--slurm-restart-node=" + site.restart_node};
    options.environment = command_line().environment;
    return options;
  }
  static bool shows(Pty& pty, std::string_view text) {
    bool seen = pty.wait_for(text);
    EXPECT_TRUE(seen) << "no: " << text << "\n" << pty.screen();
    return seen;
  }
  // Types the name, then the second key.
  static bool begin(Pty& pty) {
    return shows(pty, "write Slurm's files") && pty.press("Agpu01\r") && shows(pty, "ARMED") &&
           pty.press("!");
  }
  static bool plan(Pty& pty, const std::string& layout) {
    return pty.press(":plan gpu01 " + layout + "\r") && begin(pty);
  }
  // A preset of the layout editor, for all GPUs of the node.
  static bool plan_preset(Pty& pty, const std::string& keys, const std::string& name) {
    return pty.press("La") && shows(pty, "8 GPUs of gpu01") && pty.press("p" + keys) && shows(pty, name) &&
           pty.press("\r") && pty.press("P") && begin(pty);
  }
  // The next plan starts from what stands now: the picture shows that at once, not with the next interval.
  static bool stands(Pty& pty, const std::string& gres_wanted, const std::string& slice) {
    bool done = shows(pty, "DONE: the new layout is in place, verified");
    EXPECT_EQ(gres("gpu01"), gres_wanted) << record("gpu01");
    expect_open("gpu01");
    return done && pty.press(":node gpu01\r") && shows(pty, slice);
  }
};

TEST_F(SlurmRoundByKeys, FromWholeToSlicesToSharesAndBack) {
  std::vector<Running> neighbours{run_on("gpu02", "gpu:h100:2"), run_on("mps01", "mps:50")};
  Running there = run_on("gpu01", "gpu:h100:1");
  Pty pty(console());
  ASSERT_TRUE(pty.wait_loaded() && shows(pty, "lab"));
  ASSERT_TRUE(plan(pty, "7x1g.12gb") && shows(pty, "wait until 1 job has left")) << pty.screen();
  expect_untouched(there);
  (void)lab_->run({"scancel", there.id});
  ASSERT_TRUE(stands(pty, "gpu:1g.12gb:56", "1g.12gb"));
  ASSERT_TRUE(plan(pty, kBalanced));
  ASSERT_TRUE(stands(pty, "gpu:1g.12gb:16,gpu:2g.24gb:8,gpu:3g.47gb:8", "3g.47gb"));
  ASSERT_TRUE(plan_preset(pty, "Gkkk", "MPS"));
  ASSERT_TRUE(stands(pty, "gpu:h100:8,mps:800", "MPS 0/100"));
  ASSERT_TRUE(plan_preset(pty, "Gk", "shards"));
  ASSERT_TRUE(stands(pty, "gpu:h100:8,shard:32", "shard 0/4"));
  ASSERT_TRUE(pty.press("J\r") && shows(pty, "DONE: the new layout is in place"));
  ASSERT_TRUE(pty.press("z") && shows(pty, "undoes") && begin(pty));
  ASSERT_TRUE(shows(pty, "DONE: the earlier layout is in place again"));
  EXPECT_EQ(gres("gpu01"), "gpu:h100:8,mps:800") << record("gpu01");
  ASSERT_TRUE(pty.press(":node gpu01\r") && shows(pty, "MPS 0/100"));
  ASSERT_TRUE(plan(pty, "whole"));
  ASSERT_TRUE(stands(pty, "gpu:h100:8", "GPU 7   whole"));
  for (const Running& one : neighbours) expect_untouched(one);
  pty.send("q");
  ASSERT_TRUE(pty.wait_ended());
  EXPECT_EQ(pty.exit_code(), 0);
}

}  // namespace
}  // namespace tessera::test
