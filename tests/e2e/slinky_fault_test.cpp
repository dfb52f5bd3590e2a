// Slinky when something goes wrong: one plan drains Slurm and Kubernetes, and whatever happens on either
// side, no pod with Slurm's jobs in it is ended, and what another has closed stays closed.
#include <cctype>

#include "tests/e2e/slinky_lab.hpp"
#include "tests/support/slurm_lab.hpp"

namespace tessera::test {
namespace {

class SlinkyFault : public SlinkyLab {
 protected:
  void SetUp() override {
    SlinkyLab::SetUp();
    if (server_) begin(slurm_.side());
  }
  void TearDown() override { SlinkyLab::TearDown(); }
  void expect_open_in_slurm() {
    EXPECT_TRUE(wait([&] { return slurm_.drained_for().empty(); })) << slurm_.drained_for();
    EXPECT_NE(slurmd(), "");
  }

  PretendedSlurmNode slurm_;
};

TEST_F(SlinkyFault, KilledAsEachStepBeginsItIsCarriedOnAndCanBeUndone) {
  KilledAtEachStep killer{"h2"};
  RunOptions killed;
  killed.signal_on_err = [&](const std::string& err) { return killer(err); };
  Ran ran = cut(killed);
  std::string told;
  for (int times = 0; times < 30 && ran.code == 128 + SIGKILL; ++times) {
    told += ran.err;
    ran = onward({}, killed);
  }
  // The last blow may come when all is done.
  const bool over = ran.err.find("it has ended") != std::string::npos;
  EXPECT_TRUE(ran.code == 0 || over) << told << ran.out << ran.err;
  EXPECT_GE(killer.struck.size(), 12u) << told;
  EXPECT_EQ(offers("h2", "mig-1g\\.10gb"), "14") << told;
  expect_given_back("h2");
  expect_open_in_slurm();
  expect_whole(run({"undo", newest_run(), "--write", "--yes", "-o", "json"}));
  expect_open_in_slurm();
}

TEST_F(SlinkyFault, TakenBackOnceItIsCutItEndsWithBothSidesOpenAndTheLayoutOfBefore) {
  operator_->holds_pods = true;
  Ran killed = cut(killed_at("waits: no pod that runs slurmd is on h2"));
  ASSERT_EQ(killed.code, 128 + SIGKILL) << killed.out << killed.err;
  EXPECT_EQ(offers("h2", "mig-1g\\.10gb"), "14");
  operator_->holds_pods = false;
  EXPECT_TRUE(wait([&] { return slurmd() != ""; }));
  expect_whole(onward({"--back"}));
  expect_open_in_slurm();
}

TEST_F(SlinkyFault, TakenBackBeforeTheCutNothingIsTouchedAndSlurmdIsStartedAgain) {
  Ran killed = cut(killed_at("ask the MIG manager"));
  ASSERT_EQ(killed.code, 128 + SIGKILL) << killed.out << killed.err;
  expect_whole(onward({"--back"}));
  EXPECT_TRUE(wait([&] { return slurmd() != ""; }));
  expect_open_in_slurm();
}

TEST_F(SlinkyFault, ASlurmdThatDoesNotRegisterIsNamedAndTheRunGoesOnOnceItDoes) {
  slurm_.is("Idle");
  bool asked = false;
  RunOptions options;
  options.signal_on_err = [&](const std::string& err) {
    if (err.find("stop-slurmd") != std::string::npos || err.find("evict slurm/w-0") != std::string::npos)
      slurm_.is("Down", "+NotResponding");
    if (asked || err.find("gpu01 is DOWN in Slurm") == std::string::npos) return 0;
    asked = true;
    return SIGINT;
  };
  Ran parked = cut(options);
  EXPECT_EQ(parked.code, 128 + SIGINT) << parked.out << parked.err;
  EXPECT_EQ(json_at(parked.out, "/outcome"), "\"parked\"") << parked.out;
  EXPECT_EQ(offers("h2", "mig-1g\\.10gb"), "14");
  slurm_.is("Idle");
  expect_cut(onward());
  expect_open_in_slurm();
}

TEST_F(SlinkyFault, WhileSlurmAnswersNothingNoPodIsEndedAndTheRunGoesOnOnceItDoes) {
  slurm_.silent(true);
  Ran waits = apply({"--node", "h2", "--preset", "all-1g.10gb", "--when-empty"});
  EXPECT_EQ(json_at(waits.out, "/outcome"), "\"waiting\"") << waits.out << waits.err;
  EXPECT_NE(slurmd(), "") << "what is not told counts as in use";
  EXPECT_EQ(offers("h2", "gpu"), "2");
  slurm_.silent(false);
  EXPECT_TRUE(wait([&] { return conditions().find("SlurmNodeStateDrain") != std::string::npos; }));
  expect_cut(onward());
  expect_open_in_slurm();
}

TEST_F(SlinkyFault, WhileSlurmOperatorIsAwayNoPodIsEnded) {
  operator_->away = true;
  Ran waits = apply({"--node", "h2", "--preset", "all-1g.10gb", "--when-empty"});
  EXPECT_EQ(json_at(waits.out, "/outcome"), "\"waiting\"") << waits.out << waits.err;
  EXPECT_NE(slurmd(), "");
  expect_whole(onward({"--back"}));
  operator_->away = false;
  expect_open_in_slurm();
}

// Its API is gone while Slurm is waited for, while slurmd is ended, and while that is waited for again.
TEST_F(SlinkyFault, AKubernetesThatIsGoneInTheMiddleIsWaitedFor) {
  std::vector<std::string> points{"close h2 to new", "evict slurm/w-0", "wait until slurmd is back"};
  operator_->holds_pods = true;
  RunOptions options;
  options.signal_on_err = [&](const std::string& err) {
    if (points.empty() || err.find(points.front()) == std::string::npos) return 0;
    points.erase(points.begin());
    arm_fault("drop path=/api times=12");
    operator_->holds_pods = !points.empty();
    return 0;
  };
  Ran ran = cut(options);
  for (int times = 0; times < 3 && ran.code != 0; ++times) {
    EXPECT_EQ(json_at(ran.out, "/outcome"), "\"parked\"") << ran.out << ran.err;
    ran = onward({}, options);
  }
  disarm_faults();
  EXPECT_TRUE(points.empty()) << points.front();
  expect_cut(ran);
  expect_open_in_slurm();
}

TEST_F(SlinkyFault, WhatAnotherHasDrainedInSlurmMeanwhileStaysDrained) {
  expect_cut(cut(when("evict slurm/w-0", [&] {
    slurm_.drain("fan failure");
    return 0;
  })));
  EXPECT_EQ(slurm_.drained_for(), "fan failure");
  expect_whole(run({"undo", newest_run(), "--write", "--yes", "-o", "json"}));
  EXPECT_EQ(slurm_.drained_for(), "fan failure") << "nor by the way back";
}

TEST_F(SlinkyFault, ADrainOfAnotherThatWasThereBeforeStaysAndTheRunGoesOnUnderIt) {
  slurm_.drain("fan failure");
  EXPECT_TRUE(wait([&] { return conditions().find("fan failure") != std::string::npos; }));
  expect_cut(cut());
  EXPECT_EQ(slurm_.drained_for(), "fan failure");
}

// The machine stays closed then, and slurm-operator keeps Slurm's side drained: nothing is waited for.
TEST_F(SlinkyFault, WhatAnotherHasCordonedMeanwhileStaysCordonedAndTheRunEnds) {
  Ran ran = cut(when("ask the MIG manager", [&] {
    kubectl(
        {"annotate", "node", "h2", "--overwrite", "tessera/closed=tessera r-other eve@login2: fan failure"});
    return 0;
  }));
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_EQ(offers("h2", "mig-1g\\.10gb"), "14");
  EXPECT_EQ(told("h2", ".spec.unschedulable"), "true") << ran.out << ran.err;
  EXPECT_EQ(told("h2", ".metadata.annotations.tessera/run"), "");
  EXPECT_EQ(slurmd(), "") << "its NodeSet starts it on an open node alone";
}

// The same with a real Slurm behind slurm-operator: its jobs, its drains, its daemon.
class SlinkyRealFault : public SlinkyLab {
 protected:
  void SetUp() override {
    if (!SlurmLab::possible())
      GTEST_SKIP() << "needs root and Debian's slurmctld, slurmd, slurm-client and munge";
    SlinkyLab::SetUp();
    if (!server_) return;
    slurm_ = std::make_unique<SlurmLab>();
    ASSERT_EQ(slurm_->trouble(), "");
    begin(side());
  }
  void TearDown() override {
    SlinkyLab::TearDown();  // slurm-operator first: it asks Slurm
  }
  SlurmSide side() {
    SlurmSide side;
    side.state = [this] { return state(); };
    side.drain = [this](const std::string& reason) { update({"State=DRAIN", "Reason=" + reason}); };
    side.resume = [this] { update({"State=RESUME"}); };
    side.stop = [this] { slurm_->signal("slurmd-gpu01", SIGTERM); };
    side.start = [this] { (void)slurm_->run({slurm_->folder() + "/restart", "slurmd-gpu01"}); };
    return side;
  }
  void update(std::vector<std::string> what) {
    what.insert(what.begin(), {"scontrol", "update", "NodeName=gpu01"});
    (void)slurm_->run(what);
  }
  static std::string field(const std::string& text, const std::string& name) {
    const std::size_t at = text.find(" " + name + "=");
    if (at == std::string::npos) return "";
    const std::size_t from = at + name.size() + 2;
    return text.substr(from, text.find_first_of(name == "Reason" ? "[\n" : " \n", from) - from);
  }
  // "IDLE+DRAIN" as conditions have it: "Idle+Drain".
  std::optional<SlurmSide::State> state() {
    const LabAnswer told = slurm_->run({"scontrol", "-o", "show", "node", "gpu01"});
    if (told.status != 0) return std::nullopt;
    SlurmSide::State state{"", field(told.out, "Reason")};
    bool upper = true;
    for (char c : field(told.out, "State")) {
      if (c == '*') {
        state.words += "+NotResponding";
        continue;
      }
      if (c != '_') state.words += upper ? c : static_cast<char>(std::tolower(c));
      upper = c == '_' || c == '+';
    }
    return state;
  }
  bool is_open() {
    return wait([&] { return state() && state()->words == "Idle"; });
  }

  std::unique_ptr<SlurmLab> slurm_;
};

TEST_F(SlinkyRealFault, AJobIsWaitedForAndOverAKillAtEachStepBothSidesAreCutAndOpenAgain) {
  const std::string job = slurm_->submit({"-w", "gpu01", "--gres=gpu:1", "-t", "60"});
  EXPECT_TRUE(wait([&] { return state() && state()->words == "Mixed"; }));
  Ran waits = apply({"--node", "h2", "--preset", "all-1g.10gb", "--when-empty"});
  EXPECT_EQ(json_at(waits.out, "/outcome"), "\"waiting\"") << waits.out << waits.err;
  EXPECT_TRUE(wait([&] { return state() && state()->words == "Mixed+Drain"; }));
  EXPECT_TRUE(state()->reason.starts_with("slurm-operator: tessera ")) << state()->reason;
  EXPECT_NE(slurmd(), "") << "its job runs on";
  (void)slurm_->run({"scancel", job});
  EXPECT_TRUE(wait([&] { return conditions().find("SlurmNodeStateIdle") != std::string::npos; }));
  KilledAtEachStep killer{"h2"};
  RunOptions killed;
  killed.signal_on_err = [&](const std::string& err) { return killer(err); };
  Ran ran = onward({}, killed);
  for (int times = 0; times < 30 && ran.code == 128 + SIGKILL; ++times) ran = onward({}, killed);
  EXPECT_TRUE(ran.code == 0 || ran.err.find("it has ended") != std::string::npos) << ran.out << ran.err;
  EXPECT_EQ(offers("h2", "mig-1g\\.10gb"), "14");
  expect_given_back("h2");
  EXPECT_TRUE(is_open());
  expect_whole(run({"undo", newest_run(), "--write", "--yes", "-o", "json"}));
  EXPECT_TRUE(is_open());
}

TEST_F(SlinkyRealFault, ADrainOfAnAdminOverThatOfTheOperatorStaysAndSoDoesOneOverTheWayBack) {
  expect_cut(cut(when("evict slurm/w-0", [&] {
    update({"State=DRAIN", "Reason=fan failure"});
    return 0;
  })));
  EXPECT_TRUE(wait([&] { return state() && state()->words.find("Drain") != std::string::npos; }));
  EXPECT_EQ(state()->reason.substr(0, 11), "fan failure");
  expect_whole(run({"undo", newest_run(), "--write", "--yes", "-o", "json"}));
  EXPECT_EQ(state()->reason.substr(0, 11), "fan failure");
}

// A controller that is gone tells no state: then the pod stays.
TEST_F(SlinkyRealFault, WhileTheControllerIsGoneNoPodIsEnded) {
  slurm_->signal("slurmctld", SIGKILL);
  Ran waits = apply({"--node", "h2", "--preset", "all-1g.10gb", "--when-empty"});
  EXPECT_EQ(json_at(waits.out, "/outcome"), "\"waiting\"") << waits.out << waits.err;
  EXPECT_NE(slurmd(), "");
  (void)slurm_->run({slurm_->folder() + "/restart", "slurmctld"});
  EXPECT_TRUE(wait([&] { return conditions().find("SlurmNodeStateDrain") != std::string::npos; }));
  expect_cut(onward());
  EXPECT_TRUE(is_open());
}

}  // namespace
}  // namespace tessera::test
