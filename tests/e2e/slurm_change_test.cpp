// Changing nodes of a real Slurm 22.05: shared, restarted as the site says, undone, and what stands in the
// way.
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "tests/e2e/slurm_change_lab.hpp"
#include "tests/support/paths.hpp"

namespace tessera::test {
namespace {

using namespace std::chrono_literals;

// The controller is killed in the midst of it, again and again: that delays the run and harms no job.
TEST_F(SlurmChange, WholeToMpsToShardsAndBackWhileNeighboursRun) {
  Running neighbour = run_on("gpu02", "gpu:h100:2");
  const std::string before = file_text(lab_->conf());
  const std::string gres_before = file_text(lab_->folder() + "/etc/gres.conf");
  Admin admin(*lab_, said(), folder());
  std::string mps = admin.start(admin.plan("gpu01", shared(Strategy::mps, 100)));
  EXPECT_EQ(admin.outcome(mps), "wanted") << admin.journal(mps);
  EXPECT_EQ(gres("gpu01"), "gpu:h100:8,mps:800") << record("gpu01");
  EXPECT_EQ(file_text(lab_->conf() + ".before-" + mps), before);
  Running user = run_on("gpu01", "mps:25");
  expect_untouched(neighbour);
  (void)lab_->run({"scancel", user.id});

  std::string shards = admin.start(admin.plan("gpu01", shared(Strategy::shard, 4)));
  const char* made_true = reconfigure_suffices() ? "reconfigure" : "restart-node";
  for (const char* step : {"close-node", "write-config", made_true, "open-node"}) {
    const std::string begun = std::string("\":\"") + step + "\"";
    ASSERT_TRUE(admin.wait([&] { return admin.journal(shards).find(begun) != std::string::npos; }))
        << step << admin.journal(shards);
    lab_->signal("slurmctld", SIGKILL);
    ASSERT_TRUE(lab_->start("slurmctld"));
    ASSERT_TRUE(lab_->wait({"scontrol", "ping"},
                           [](const std::string& out) { return out.find("is UP") != std::string::npos; }));
  }
  EXPECT_EQ(admin.outcome(shards), "wanted") << admin.journal(shards);
  // The last controller may have come after the run's end, and has to hear from the node first.
  ASSERT_TRUE(lab_->wait({"scontrol", "-o", "show", "node", "gpu01"}, [](const std::string& out) {
    return out.find("UNKNOWN") == std::string::npos;
  })) << record("gpu01");
  EXPECT_EQ(gres("gpu01"), "gpu:h100:8,shard:32") << record("gpu01");

  std::string back = admin.undo(shards);
  EXPECT_EQ(admin.outcome(back), "recorded") << admin.journal(back);
  back = admin.undo(mps);
  EXPECT_EQ(admin.outcome(back), "recorded") << admin.journal(back);
  EXPECT_EQ(gres("gpu01"), "gpu:h100:8") << record("gpu01");
  EXPECT_EQ(field(record("gpu01"), "State").find("DRAIN"), std::string::npos) << record("gpu01");
  EXPECT_EQ(file_text(lab_->conf()), before) << "byte for byte";
  EXPECT_EQ(file_text(lab_->folder() + "/etc/gres.conf"), gres_before) << "lines that nodes share, too";
  expect_untouched(neighbour);
}

// The way that `tessera plan` itself names: kept as a file, reviewed, applied by the real binary.
TEST_F(SlurmChange, APlanFileIsAppliedWhileNothingHasChangedAndRefusedOnceAFileWasEdited) {
  auto run = [&](const std::vector<std::string>& words) { return run_here(words, said()); };
  Ran plan = run({"plan", "--node", "gpu02", "--strategy", "mps", "--replicas", "100", "-o", "json"});
  ASSERT_EQ(plan.code, 0) << plan.err;
  const std::string file = scratch_.write("plan.json", plan.out);
  const std::string before = file_text(lab_->conf());
  std::ofstream(lab_->conf()) << before << "# a colleague was here\n";
  Ran late = run({"apply", file, "--write", "--yes"});
  std::ofstream(lab_->conf()) << before;
  EXPECT_EQ(late.code, 1) << late.out << late.err;
  EXPECT_NE(late.err.find(lab_->conf() + " was edited"), std::string::npos) << late.err;
  EXPECT_EQ(gres("gpu02"), "gpu:h100:8");

  Ran done = run({"apply", file, "--write", "--yes"});
  EXPECT_EQ(done.code, 0) << done.out << done.err;
  EXPECT_EQ(gres("gpu02"), "gpu:h100:8,mps:800") << record("gpu02");
  Ran other = run({"apply", file, "--write", "--yes"});
  EXPECT_EQ(other.code, 1) << other.out << other.err;
  Admin admin(*lab_, said(), scratch_.path() + "/state/tessera/runs");
  const std::string begun = done.out.substr(4, done.out.find(':') - 4);
  admin.read(begun);
  std::string back = admin.undo(begun);
  EXPECT_EQ(admin.outcome(back), "recorded") << admin.journal(back);
}

// ── what stands in the way ────────────────────────────────────────────────────────────────────────────

TEST_F(SlurmChange, SomeonesUnappliedEditOfAnotherNodeStopsItBeforeAnythingIsDone) {
  Admin admin(*lab_, said(), folder());
  const std::string before = file_text(lab_->conf());
  std::string edited = before;
  std::size_t at = edited.find("Gres=gpu:h100:4,shard:16");
  ASSERT_NE(at, std::string::npos);
  edited.replace(at, 24, "Gres=gpu:h100:4,shard:32");
  plan::Plan plan = admin.plan("gpu02", shared(Strategy::mps, 100));
  std::ofstream(lab_->conf()) << edited;
  std::string run = admin.start(plan);
  std::string why = admin.outcome(run);
  std::ofstream(lab_->conf()) << before;
  EXPECT_NE(why.find("shard01"), std::string::npos) << why;
  EXPECT_EQ(field(record("gpu02"), "State"), "IDLE");
}

// While the run waits for a job, a user edits another node: what was seen before the drain is seen again
// right before the reconfigure, which would make that edit true and kill the jobs there. Then the run goes
// back.
TEST_F(SlurmChange, SomeonesEditOfAnotherNodeInTheMiddleIsSeenRightBeforeTheReconfigure) {
  Running neighbour = run_on("shard01", "gpu:h100:1");
  Running job = run_on("gpu02", "gpu:h100:1");
  Admin admin(*lab_, said(), folder());
  std::string run = admin.start(admin.plan("gpu02", shared(Strategy::mps, 100)));
  ASSERT_TRUE(admin.wait_for(run, "\"kind\":\"waiting\"")) << admin.journal(run);
  auto rewrite = [&](const std::string& from, const std::string& to) {
    std::string text = file_text(lab_->conf());
    std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << text;
    std::ofstream(lab_->conf()) << text.replace(at, from.size(), to);
  };
  rewrite("Gres=gpu:h100:4,shard:16", "Gres=gpu:h100:4,shard:32");
  (void)lab_->run({"scancel", "-f", job.id});
  ASSERT_TRUE(admin.wait_for(run, "shard01 runs with gpu:h100:4,shard:16")) << admin.journal(run);
  EXPECT_EQ(admin.journal(run).find("\"reconfigure\""), std::string::npos) << admin.journal(run);
  EXPECT_NE(file_text(lab_->conf()).find("NodeName=gpu02"), std::string::npos) << "ours is written beside it";
  EXPECT_EQ(gres("gpu02"), "gpu:h100:8") << record("gpu02");
  // Back from here: Slurm runs with what was found, yet the files say something else.
  admin.room().demand(run, NodeName("gpu02"), plan::Demand::turn_back, "");
  rewrite("Gres=gpu:h100:4,shard:32", "Gres=gpu:h100:4,shard:16");
  EXPECT_EQ(admin.outcome(run), "recorded") << admin.journal(run);
  EXPECT_EQ(file_text(lab_->conf()).find("mps:800"), std::string::npos) << file_text(lab_->conf());
  EXPECT_EQ(file_text(lab_->folder() + "/etc/gres.conf").find("NodeName=gpu02 Name=mps"), std::string::npos);
  EXPECT_EQ(gres("gpu02"), "gpu:h100:8") << record("gpu02");
  EXPECT_EQ(field(record("gpu02"), "State").find("DRAIN"), std::string::npos) << record("gpu02");
  expect_untouched(neighbour);
}

// Two tesseras, two nodes, one pair of files, at the same time: neither loses what the other has written, and
// neither waits for the other's edit to be gone.
TEST_F(SlurmChange, TwoRunsOnTwoNodesWriteTheSameFilesAtTheSameTime) {
  Running neighbour = run_on("shard01", "gpu:h100:1");
  Admin ann(*lab_, said(), folder(), "ann"), bob(*lab_, said(), folder() + "-of-bob", "bob");
  plan::Plan of_ann = ann.plan("gpu01", shared(Strategy::mps, 100));
  plan::Plan of_bob = bob.plan("gpu02", shared(Strategy::shard, 2));
  std::string first = ann.start(of_ann), second = bob.start(of_bob);
  EXPECT_EQ(ann.outcome(first), "wanted") << ann.journal(first);
  EXPECT_EQ(bob.outcome(second), "wanted") << bob.journal(second);
  EXPECT_EQ(gres("gpu01"), "gpu:h100:8,mps:800") << record("gpu01");
  EXPECT_EQ(gres("gpu02"), "gpu:h100:8,shard:16") << record("gpu02");
  expect_untouched(neighbour);
  // Both are planned before either begins: a plan made while the files change is refused, to be made again.
  plan::Plan back_of_ann = ann.way_back(first), back_of_bob = bob.way_back(second);
  first = ann.start(back_of_ann, first), second = bob.start(back_of_bob, second);
  EXPECT_EQ(ann.outcome(first), "recorded") << ann.journal(first);
  EXPECT_EQ(bob.outcome(second), "recorded") << bob.journal(second);
  EXPECT_EQ(gres("gpu01"), "gpu:h100:8") << record("gpu01");
  EXPECT_EQ(gres("gpu02"), "gpu:h100:8") << record("gpu02");
  expect_untouched(neighbour);
  for (const auto& file : std::filesystem::directory_iterator(lab_->folder() + "/etc"))
    EXPECT_EQ(file.path().string().find(".tessera-"), std::string::npos) << file.path();
}

TEST_F(SlurmChange, ANodeThatSomeoneElseDrainedIsAskedAboutAndStaysDrained) {
  Admin admin(*lab_, said(), folder());
  plan::Plan plan = admin.plan("gpu02", shared(Strategy::mps, 100));
  drain("gpu02", "fan broken");
  std::string run = admin.start(plan);
  ASSERT_TRUE(admin.wait_for(run, "closed-by-other")) << admin.journal(run);
  EXPECT_TRUE(admin.says(run, "fan broken")) << admin.journal(run);
  admin.room().answer(run, NodeName("gpu02"), plan::Ask::closed_by_other, false);
  EXPECT_EQ(admin.outcome(run), "cancelled by an admin");
  EXPECT_NE(record("gpu02").find("Reason=fan broken"), std::string::npos);
  EXPECT_EQ(gres("gpu02"), "gpu:h100:8");
  resume("gpu02");
}

// While the run waits for a job, a colleague drains the node for a reason of their own: theirs counts.
TEST_F(SlurmChange, ANodeThatSomeoneElseDrainsMeanwhileStopsTheRunAndIsNotOpened) {
  Running job = run_on("gpu02", "gpu:h100:1");
  Admin admin(*lab_, said(), folder());
  const std::string before = file_text(lab_->conf());
  std::string run = admin.start(admin.plan("gpu02", shared(Strategy::mps, 100)));
  ASSERT_TRUE(admin.wait_for(run, "\"kind\":\"waiting\"")) << admin.journal(run);
  EXPECT_NE(record("gpu02").find("Reason=tessera " + run), std::string::npos) << record("gpu02");
  drain("gpu02", "fan broken");
  ASSERT_TRUE(admin.wait_for(run, "closed-by-other")) << admin.journal(run);
  EXPECT_TRUE(admin.says(run, "fan broken")) << admin.journal(run);
  admin.room().answer(run, NodeName("gpu02"), plan::Ask::closed_by_other, false);
  EXPECT_EQ(admin.outcome(run), "cancelled by an admin");
  (void)lab_->run({"scancel", "-f", job.id});
  EXPECT_NE(record("gpu02").find("Reason=fan broken"), std::string::npos) << record("gpu02");
  EXPECT_NE(field(record("gpu02"), "State").find("DRAIN"), std::string::npos);
  EXPECT_EQ(file_text(lab_->conf()), before);
  EXPECT_EQ(lab_->run({"scontrol", "-o", "show", "reservation"}).out.find("tessera+"), std::string::npos);
  resume("gpu02");
}

// The site's own automation writes the files: tessera gives it a patch, and believes what Slurm then runs
// with.
TEST_F(SlurmChange, WhereTheSiteWritesItsFilesAPatchIsWaitedFor) {
  slurmconf::SlurmSettings theirs = said();
  theirs.files = "site";
  const std::string conf = file_text(lab_->conf()), gres_conf = file_text(lab_->folder() + "/etc/gres.conf");
  Admin admin(*lab_, theirs, folder());
  std::string run = admin.start(admin.plan("gpu02", shared(Strategy::shard, 2)));
  ASSERT_TRUE(admin.wait_for(run, "gres is gpu:h100:8, not gpu:h100:8,shard:16")) << admin.journal(run);
  EXPECT_EQ(file_text(lab_->conf()), conf) << "tessera itself writes nothing";
  EXPECT_NE(record("gpu02").find("Reason=tessera " + run), std::string::npos) << record("gpu02");
  std::string patch;
  for (const plan::Step& step : admin.steps(run, "gpu02"))
    if (!step.commands.empty() && step.commands.front().starts_with("--- "))
      for (const std::string& line : step.commands)
        if (!line.starts_with("restart slurmctld")) patch += line + "\n";
  std::string file = scratch_.write("site.patch", patch);
  LabAnswer patched = lab_->run({"patch", "-d/", "-p0", "-i", file});
  ASSERT_EQ(patched.status, 0) << patched.out << patch;
  ASSERT_EQ(lab_->run({lab_->folder() + "/restart", "slurmctld"}).status, 0);
  ASSERT_EQ(lab_->run({lab_->folder() + "/restart", "slurmd-gpu02"}).status, 0);
  EXPECT_EQ(admin.outcome(run), "wanted") << admin.journal(run);
  EXPECT_EQ(gres("gpu02"), "gpu:h100:8,shard:16") << record("gpu02");
  EXPECT_EQ(field(record("gpu02"), "State").find("DRAIN"), std::string::npos) << record("gpu02");
  std::ofstream(lab_->conf()) << conf;
  std::ofstream(lab_->folder() + "/etc/gres.conf") << gres_conf;
  ASSERT_EQ(lab_->run({lab_->folder() + "/restart", "slurmctld"}).status, 0);
  ASSERT_EQ(lab_->run({lab_->folder() + "/restart", "slurmd-gpu02"}).status, 0);
}

// The files lie on another host, which is reached as a node is; and stay whole, with a backup beside them.
TEST_F(SlurmChange, FilesOnAConfigHostAreReadAndWrittenThroughTheRunner) {
  const std::string log = lab_->folder() + "/log/on-host";
  slurmconf::SlurmSettings far = on_a_config_host(log);
  const std::string before = file_text(lab_->conf());
  Admin admin(*lab_, far, folder());
  std::string run = admin.start(admin.plan("gpu02", shared(Strategy::mps, 100)));
  EXPECT_EQ(admin.outcome(run), "wanted") << admin.journal(run);
  EXPECT_EQ(gres("gpu02"), "gpu:h100:8,mps:800") << record("gpu02");
  EXPECT_EQ(file_text(lab_->conf() + ".before-" + run), before);
  EXPECT_NE(file_text(log).find("cfg mv -f -T -- " + lab_->conf() + ".tessera-new " + lab_->conf()),
            std::string::npos);
  const std::string gres_conf = file_text(lab_->folder() + "/etc/gres.conf.before-" + run);
  EXPECT_NE(file_text(lab_->folder() + "/etc/gres.conf"), gres_conf);
  EXPECT_EQ(admin.outcome(admin.undo(run)), "recorded");
  EXPECT_EQ(gres("gpu02"), "gpu:h100:8") << record("gpu02");
  EXPECT_EQ(file_text(lab_->conf()), before) << "byte for byte";
  EXPECT_EQ(file_text(lab_->folder() + "/etc/gres.conf"), gres_conf) << "lines that nodes share, too";
}

// Several nodes at once, one pair of files, far away: each writes on top of what the one before it has
// written.
TEST_F(SlurmChange, ABatchWritesItsNodesOneAfterTheOtherOnTheConfigHost) {
  const std::string log = lab_->folder() + "/log/on-host-batch", before = file_text(lab_->conf());
  Running neighbour = run_on("shard01", "gpu:h100:1");
  Running there = run_on("gpu02", "gpu:h100:1");
  Admin admin(*lab_, on_a_config_host(log), folder());
  plan::ChangeOptions together;
  together.canary = 0;
  together.batch = 2;
  plan::Plan plan =
      admin.plan({NodeName("gpu01"), NodeName("gpu02")}, shared(Strategy::mps, 100), std::nullopt, together);
  std::string run = admin.start(plan);
  // One is done while the other waits for its job: their writes do not wait for each other.
  ASSERT_TRUE(admin.wait([&] { return gres("gpu01") == "gpu:h100:8,mps:800"; })) << admin.journal(run);
  EXPECT_EQ(gres("gpu02"), "gpu:h100:8");
  (void)lab_->run({"scancel", "-f", there.id});
  EXPECT_EQ(admin.outcome(run), "wanted") << admin.journal(run);
  EXPECT_EQ(gres("gpu02"), "gpu:h100:8,mps:800") << record("gpu02");
  EXPECT_EQ(file_text(lab_->conf() + ".before-" + run), before) << "what the run found, not what it wrote";
  expect_untouched(neighbour);

  // Back both at the same time.
  std::string back = admin.undo(run);
  EXPECT_EQ(admin.outcome(back), "recorded") << admin.journal(back);
  for (const char* node : {"gpu01", "gpu02"}) {
    EXPECT_EQ(gres(node), "gpu:h100:8") << record(node);
    EXPECT_EQ(field(record(node), "State").find("DRAIN"), std::string::npos) << record(node);
  }
  // Who holds the lock there is alone with the files.
  std::istringstream lines(file_text(log));
  int held = 0, writes = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("cfg rm -f -- ") && line.ends_with(".tessera-lock")) held = 0;
    if (line.starts_with("cfg mv ")) EXPECT_EQ((++writes, held), 1) << line;
    if (line.starts_with("linked ")) EXPECT_EQ(++held, 1) << line;
  }
  EXPECT_GE(writes, 4);
  EXPECT_FALSE(std::filesystem::is_symlink(lab_->conf() + ".tessera-lock"));
  expect_untouched(neighbour);
}

TEST_F(SlurmChange, WithoutRestartCommandsItParksAndSaysWhatToDoAndGoesOnWhenThatIsDone) {
  if (reconfigure_suffices()) GTEST_SKIP() << "this Slurm is never restarted";
  slurmconf::SlurmSettings without = said();
  without.restart_controller.clear();
  without.restart_node.clear();
  std::string run;
  {
    Admin admin(*lab_, without, folder());
    run = admin.start(admin.plan("gpu02", shared(Strategy::shard, 2)));
    std::string why = admin.outcome(run);
    EXPECT_NE(why.find("restart slurmctld"), std::string::npos) << why;
    EXPECT_NE(why.find("on gpu02: restart slurmd"), std::string::npos) << why;
  }
  ASSERT_EQ(lab_->run({lab_->folder() + "/restart", "slurmctld"}).status, 0);
  ASSERT_EQ(lab_->run({lab_->folder() + "/restart", "slurmd-gpu02"}).status, 0);
  Admin later(*lab_, without, folder());  // another process: all it has is the journal
  later.read(run);
  later.resume(run);
  EXPECT_EQ(later.outcome(run), "wanted") << later.journal(run);
  EXPECT_EQ(gres("gpu02"), "gpu:h100:8,shard:16") << record("gpu02");
  later.read(run);
  Admin restorer(*lab_, said(), folder());
  restorer.read(run);
  std::string back = restorer.undo(run);
  EXPECT_EQ(restorer.outcome(back), "recorded") << restorer.journal(back);
}

TEST_F(SlurmChange, ARunThatWaitsKeepsOthersOffAndOutlivesAHungController) {
  Running job = run_on("gpu02", "gpu:h100:1");
  Admin admin(*lab_, said(), folder());
  std::string run = admin.start(admin.plan("gpu02", shared(Strategy::mps, 100)));
  ASSERT_TRUE(admin.wait_for(run, "\"kind\":\"waiting\"")) << admin.journal(run);
  EXPECT_TRUE(admin.says(run, job.id)) << admin.journal(run);
  {
    Admin other(*lab_, said(), folder() + "-of-alice", "alice", std::chrono::hours(1));
    std::string late = other.start(other.plan("gpu02", shared(Strategy::shard, 2)));
    EXPECT_TRUE(other.wait_for(late, "marked-by-other")) << other.journal(late);
    EXPECT_TRUE(other.says(late, "run " + run + " by root from lab"));
    other.room().answer(late, NodeName("gpu02"), plan::Ask::marked_by_other, false);
    EXPECT_EQ(other.outcome(late), "cancelled by an admin");
  }
  lab_->signal("slurmctld", SIGSTOP);
  EXPECT_TRUE(admin.wait_for(run, "the cluster cannot be read")) << admin.journal(run);
  lab_->signal("slurmctld", SIGCONT);
  expect_untouched(job);
  (void)lab_->run({"scancel", job.id});
  EXPECT_EQ(admin.outcome(run), "wanted") << admin.journal(run);
  EXPECT_EQ(admin.outcome(admin.undo(run)), "recorded");
}

TEST_F(SlurmChange, WhoMayNotChangeNodesIsToldSoAndNothingIsDone) {
  const std::string state = scratch_.path() + "/nobodys";
  ::mkdir(state.c_str(), 0755);
  ::chmod(scratch_.path().c_str(), 0755);
  ASSERT_EQ(::chown(state.c_str(), 33, 33), 0);
  LabAnswer ran = lab_->run({"env", "XDG_STATE_HOME=" + state, binary(), "apply", "-n", "gpu02", "--strategy",
                             "mps", "--replicas", "100", "--write", "--yes"},
                            33);
  EXPECT_EQ(ran.status, 1) << ran.out;
  EXPECT_NE(ran.out.find("may not change nodes here"), std::string::npos) << ran.out;
  EXPECT_EQ(field(record("gpu02"), "State"), "IDLE");
}

}  // namespace
}  // namespace tessera::test
