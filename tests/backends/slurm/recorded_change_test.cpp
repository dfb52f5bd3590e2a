// What Slurm 24.11.5 was recorded to say while a node was changed: drains, too few devices, and a reconfigure
// under running jobs. Our reading of each must lead to what docs/slurm.md promises.
#include <gtest/gtest.h>

#include "backends/slurm/change/change_commands.hpp"
#include "backends/slurm/change/look.hpp"
#include "backends/slurm/change/node_files.hpp"
#include "backends/slurm/parse/parse_job.hpp"
#include "backends/slurm/parse/parse_node.hpp"
#include "engine/plan/steps/slurm_config.hpp"
#include "tests/backends/slurm/fixtures.hpp"

namespace tessera::slurm {
namespace {

// A part of the recording, walked through command by command.
class Recorded {
 public:
  explicit Recorded(const std::string& part) : text_(recording("24.11", "change")) {
    at_ = text_.find("== " + part + "\n");
    EXPECT_NE(at_, std::string::npos) << part;
    end_ = std::min(text_.find("\n== ", at_), text_.size());
  }
  // To right behind the next line that begins so.
  void after(const std::string& line) {
    at_ = text_.find("\n" + line, at_);
    EXPECT_LT(at_, end_) << line;
    at_ = text_.find('\n', at_ + 1);
  }
  // The node as it was shown next.
  Node node() {
    std::string record = "NodeName=gpu01 CPUAlloc=0 CPUTot=64";
    std::size_t line = text_.find("\n    | ", at_);
    EXPECT_LT(line, end_);
    for (; text_.compare(line, 7, "\n    | ") == 0; line = text_.find('\n', line + 1))
      record += " " + text_.substr(line + 7, text_.find('\n', line + 1) - line - 7);
    at_ = line;
    gres = plan::slurm::plain_gres(gres_of_record(record));
    auto parsed = parse_nodes(record + "\n", {Source::slurm_nodes, TimePoint{}}, nullptr);
    EXPECT_EQ(parsed.problem_count, 0u);
    return parsed.values.empty() ? Node{} : parsed.values.front();
  }
  // The next words of a job's record.
  Workload job() {
    std::size_t line = text_.find("\n    j ", at_);
    EXPECT_LT(line, end_);
    std::string record =
        "JobId=1 JobName=run1 UserId=u(1) GroupId=u(1) MCS_label=N/A Account=(null) QOS=(null) " +
        text_.substr(line + 7, text_.find('\n', line + 1) - line - 7);
    auto parsed = parse_jobs(record + "\n", {Source::slurm_jobs, TimePoint{}});
    return parsed.values.empty() ? Workload{} : parsed.values.front();
  }
  // The refusal that follows.
  Outcome refusal() {
    Outcome outcome;
    std::size_t code = text_.find("\n[rc=", at_);
    EXPECT_LT(code, end_);
    outcome.err = text_.substr(at_ + 1, code - at_);
    outcome.exit_code = text_[code + 5] - '0';
    return outcome;
  }
  std::string gres;  // of the last node()

 private:
  std::string text_;
  std::size_t at_ = 0, end_ = 0;
};

TEST(SlurmRecordedChange, TheReasonOutlivesTheDrainAndTheStateTells) {
  Recorded told("drain and resume");
  told.after("$ scontrol update NodeName=gpu01 State=DRAIN Reason=mig change");
  Node drained = told.node();
  EXPECT_TRUE(is_closed(drained) && is_busy(drained));
  EXPECT_EQ(drained.reason, "mig change");
  told.after("$ scancel 1 2");
  drained = told.node();
  EXPECT_TRUE(is_closed(drained));
  EXPECT_FALSE(is_busy(drained));
  told.after("$ scontrol update NodeName=gpu01 State=DOWN Reason=pulled");
  Node back = told.node();
  EXPECT_EQ(back.reason, "") << "words that stayed behind are not the reason";
  EXPECT_FALSE(is_closed(back));
  EXPECT_EQ(back.health, Health::ok);
  EXPECT_EQ(registered_word(back, std::nullopt), "yes");
}

TEST(SlurmRecordedChange, FewerDevicesThanConfiguredIsAnInvalidRegistrationThatCannotBeOpened) {
  Recorded told("fewer devices than configured");
  told.after("$ scontrol reconfigure");
  Node invalid = told.node();
  EXPECT_EQ(registered_word(invalid, std::nullopt),
            "INVALID_REG (gres/gpu count reported lower than configured (4 < 8))");
  EXPECT_TRUE(is_closed(invalid));
  EXPECT_FALSE(plan::parse_mark(invalid.reason)) << "not ours to open";
  told.after("$ scontrol update NodeName=gpu01 State=RESUME");
  auto refused = explain_change("cannot open gpu01", told.refusal(), Duration(1000));
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->reason, "slurm_update error: Invalid node state specified");
  EXPECT_NE(refused->hint.find("INVALID_REG"), std::string::npos);
  told.after("(gres.conf: gpu01 8x h100)");
  told.after("$ scontrol update NodeName=gpu01 State=RESUME");
  Node good = told.node();
  EXPECT_EQ(registered_word(good, std::nullopt), "yes");
  EXPECT_EQ(told.gres, "gpu:h100:8");
  EXPECT_FALSE(is_closed(good));
}

// What the comparison before every reconfigure is for.
TEST(SlurmRecordedChange, AReconfigureKillsTheJobsOfABusyNodeWhoseFilesDiffer) {
  Recorded drains("drain and resume");
  drains.after("$ scontrol update NodeName=gpu01 State=DRAIN Reason=mig change");
  Node busy = drains.node();
  slurmconf::SlurmSetup site;
  site.files = {{"/e/slurm.conf",
                 "ClusterName=lab\nGresTypes=gpu\nNodeName=gpu01 Gres=gpu:1g.10gb:7,gpu:3g.40gb:2\n"
                 "NodeName=gpu02\n"}};
  EXPECT_EQ(differs_elsewhere(site, {busy}, "gpu02"),
            "gpu01 runs with gpu:h100:8, and the files say gpu:1g.10gb:7,gpu:3g.40gb:2");
  busy.reason = "tessera 20261122-0200-gpu01 bob@b: cut";
  EXPECT_NE(differs_elsewhere(site, {busy}, "gpu02"), "") << "its run has not emptied it yet";

  Recorded told("reconfigure while jobs run");
  told.after("$ scontrol reconfigure");
  Node after = told.node();
  EXPECT_EQ(told.gres, "gpu:1g.10gb:7,gpu:3g.40gb:2") << "it takes effect at once";
  EXPECT_FALSE(is_busy(after));
  EXPECT_EQ(differs_elsewhere(site, {after}, "gpu02"), "");
  Workload killed = told.job();
  EXPECT_EQ(killed.state, WorkloadState::pending);
  EXPECT_EQ(killed.reason, "BeginTime");
  told.after("$ scancel 2");
  EXPECT_TRUE(told.job().id.empty()) << "FAILED: it holds nothing, and is not listed";
}

}  // namespace
}  // namespace tessera::slurm
