// A real Slurm's controller that dies, or hangs, as each step of a run begins: that may delay the run, and
// harms no job.
#include <sys/stat.h>

#include <csignal>

#include "tests/e2e/slurm_cut_lab.hpp"

namespace tessera::test {
namespace {

using namespace std::chrono_literals;

class SlurmController : public SlurmCut {
 protected:
  // Steps that have begun, in order.
  static std::vector<std::string> begun(const std::string& journal) {
    constexpr std::string_view kBegun = "\"kind\":\"step-begun\",\"step\":\"";
    std::vector<std::string> steps;
    for (std::size_t at = journal.find(kBegun); at != std::string::npos; at = journal.find(kBegun, at + 1)) {
      std::size_t from = at + kBegun.size();
      std::string step = journal.substr(from, journal.find('"', from) - from);
      if (std::find(steps.begin(), steps.end(), step) == steps.end()) steps.push_back(std::move(step));
    }
    return steps;
  }
  // What a controller has not saved yet is gone with it when it is killed, and that is no one's doing.
  static void saved(const Running& job) {
    const std::string words = "seen-by-tsr-" + job.id, file = lab_->folder() + "/state/job_state";
    EXPECT_EQ(lab_->run({"scontrol", "update", "JobId=" + job.id, "Comment=" + words}).status, 0);
    auto end = std::chrono::steady_clock::now() + 20s;
    while (file_text(file).find(words) == std::string::npos) {
      ASSERT_LT(std::chrono::steady_clock::now(), end) << "Slurm does not save its jobs";
      lab_->pause();
    }
  }
  static pid_t controller() {
    pid_t pid = -1;
    std::ifstream(lab_->folder() + "/run/slurmctld.pid") >> pid;
    return pid > 1 && ::kill(pid, 0) == 0 ? pid : -1;
  }

  // Each test wishes for something else, so that Slurm's files have to be written in both.
  // Strikes before the run begins and as each of its steps does, lets tessera see it, and mends it.
  void strike_at_every_step(const char* wanted, const char* offered, const std::function<void()>& blow,
                            const std::function<void()>& mend) {
    std::vector<Running> neighbours{run_on("gpu02", "gpu:h100:2"), run_on("shard01", "shard:1")};
    for (const Running& one : neighbours) saved(one);
    Admin admin(*lab_, with_runner(), folder());
    plan::Plan plan = admin.plan("gpu01", layout(wanted), 0);
    blow();
    std::string run = admin.start(plan);
    auto over = [&] { return admin.says(run, "\"kind\":\"run-finished\""); };
    auto rests = [&] { return admin.says(run, "\"kind\":\"parked\""); };
    auto steps = [&] { return begun(admin.journal(run)); };
    std::size_t struck = 0, parked = 0;
    // Some steps are done without the controller, or start another one.
    auto see_and_mend = [&](std::chrono::milliseconds patience) {
      const std::size_t before = admin.journal(run).size();
      (void)admin.wait(
          [&] {
            return admin.journal(run).find("slurmctld", before) != std::string::npos ||
                   steps().size() > struck || over();
          },
          patience);
      mend();
    };
    see_and_mend(4s);
    while (true) {
      ASSERT_TRUE(admin.wait([&] { return steps().size() > struck || over() || rests(); }))
          << admin.journal(run);
      if (over()) break;
      if (rests()) {
        ASSERT_LT(++parked, 4u) << admin.journal(run);
        EXPECT_TRUE(admin.says(run, "slurmctld") || admin.says(run, "and the files say"))
            << admin.journal(run);
        admin.resume(run);
        continue;
      }
      blow();
      // Every other time it is there again before anybody has given up.
      see_and_mend(++struck % 2 == 0 ? 700ms : 4000ms);
    }
    EXPECT_EQ(admin.outcome(run), "wanted") << admin.journal(run);
    for (const char* act : {"close-node", "set-mode", "create-instances", "write-config", "reconfigure",
                            "restart-controller", "restart-node", "open-node"})
      EXPECT_NE(admin.journal(run).find(std::string("\"") + act + "\""), std::string::npos)
          << act << admin.journal(run);
    EXPECT_EQ(struck, steps().size()) << admin.journal(run);
    // The last controller may have come after the run's end, and has to hear from the node first.
    ASSERT_TRUE(lab_->wait({"scontrol", "-o", "show", "node", "gpu01"}, [](const std::string& out) {
      return out.find("UNKNOWN") == std::string::npos && out.find("Gres=") != std::string::npos;
    })) << record("gpu01");
    EXPECT_EQ(gres("gpu01"), offered) << record("gpu01");
    EXPECT_EQ(field(record("gpu01"), "State").find("DRAIN"), std::string::npos) << record("gpu01");
    for (const Running& one : neighbours) expect_untouched(one);
  }
};

TEST_F(SlurmController, KilledAtEveryStepOfACutAndStartedAgain) {
  const std::string again = lab_->folder() + "/restart";
  strike_at_every_step(
      "7x1g.12gb", kSevens, [] { lab_->signal("slurmctld", SIGKILL); },
      [&] {
        EXPECT_EQ(lab_->run({again, "slurmctld"}).status, 0);
      });
}

// What was sent to it meanwhile it still does when it wakes up, late, though the answer is not waited for.
TEST_F(SlurmController, HungAtEveryStepOfACut) {
  pid_t pid = -1;
  strike_at_every_step(
      "2x1g.12gb,2g.24gb,3g.47gb", "gpu:1g.12gb:2,gpu:2g.24gb:1,gpu:3g.47gb:1,gpu:h100:7",
      [&] {
        pid = controller();
        if (pid > 0) ::kill(pid, SIGSTOP);
      },
      [&] {
        if (pid > 0) ::kill(pid, SIGCONT);
      });
}

}  // namespace
}  // namespace tessera::test
