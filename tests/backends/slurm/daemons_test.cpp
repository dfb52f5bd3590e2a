// Who of a cluster's daemons is shown as up, as down, and as not asked.
#include "backends/slurm/daemons.hpp"

#include <gtest/gtest.h>

#include "tests/backends/slurm/fixtures.hpp"

namespace tessera::slurm {
namespace {

Outcome sacctmgr_said(int code, std::string err) {
  Outcome outcome;
  outcome.exit_code = code;
  outcome.err = std::move(err);
  return outcome;
}

std::string daemon_lines(const Daemons& daemons) {
  std::string text;
  for (const Daemon& one : daemons.all())
    text += one.name + (one.host.empty() ? "" : "@" + one.host) + (one.up ? " up" : " down") + "\n";
  for (const Remark& one : daemons.not_asked()) text += "i " + one.subject + ": " + one.text + "\n";
  return text;
}

class SlurmDaemonsRecording : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Versions, SlurmDaemonsRecording, testing::Values("22.05", "24.11"));

TEST_P(SlurmDaemonsRecording, WithoutAccountingThereIsNothingMoreToAsk) {
  Daemons daemons;
  daemons.pinged(parse_ping(recording(GetParam(), "ping")));
  ClusterFacts facts = parse_config(recording(GetParam(), "config"));
  daemons.configured(facts);
  EXPECT_TRUE(daemons.authenticated(facts.auth == "auth/munge"));
  EXPECT_FALSE(daemons.authenticated(true)) << "no news";
  EXPECT_FALSE(daemons.has_accounting());
  daemons.accounting(sacctmgr_said(0, ""));
  EXPECT_EQ(daemon_lines(daemons), "slurmctld@vm up\nmunged up\n");
}

TEST_P(SlurmDaemonsRecording, SlurmdbdIsWhatSacctmgrSaysOfIt) {
  std::string config = recording(GetParam(), "config");
  config += "AccountingStorageType = accounting_storage/slurmdbd\nAccountingStorageHost = db1\n";
  Daemons daemons;
  daemons.configured(parse_config(config));
  EXPECT_TRUE(daemons.has_accounting());
  EXPECT_EQ(daemon_lines(daemons), "") << "not asked yet";
  daemons.accounting(sacctmgr_said(0, ""));
  EXPECT_EQ(daemon_lines(daemons), "slurmdbd@db1 up\n");
  daemons.accounting(sacctmgr_said(
      1,
      "sacctmgr: error: slurm_persist_conn_open_without_init: failed to open persistent connection to "
      "host:db1:6819: Connection refused\nsacctmgr: error: Sending PersistInit msg: Connection refused\n"));
  EXPECT_EQ(daemon_lines(daemons), "slurmdbd@db1 down\n");
  EXPECT_NE(daemons.all()[0].detail.find("systemctl status slurmdbd on db1"), std::string::npos);
  Outcome late;
  late.timed_out = true;
  daemons.accounting(late);
  EXPECT_EQ(daemon_lines(daemons), "slurmdbd@db1 down\n");
  // That we are refused says nothing about it.
  daemons.accounting(
      sacctmgr_said(1, "sacctmgr: error: Munge encode failed: failed to open persistent connection\nmore\n"));
  EXPECT_EQ(daemon_lines(daemons),
            "i slurmdbd: on db1: not known: sacctmgr: Munge encode failed: failed to open persistent "
            "connection\n");
  daemons.accounting(Error{"cannot run sacctmgr", "it is not on PATH", ""});
  EXPECT_EQ(daemon_lines(daemons), "i slurmdbd: on db1: not known: cannot run sacctmgr: it is not on PATH\n");
  daemons.configured(parse_config(recording(GetParam(), "config")));
  EXPECT_EQ(daemon_lines(daemons), "");
}

TEST(SlurmDaemons, MungeIsDownUntilACredentialIsTakenAgain) {
  Daemons daemons;
  EXPECT_FALSE(daemons.authenticated(false)) << "another AuthType";
  EXPECT_EQ(daemon_lines(daemons), "");
  daemons.munge_fails({"munged is not running", "no socket", "systemctl start munge"});
  EXPECT_EQ(daemon_lines(daemons), "munged down\n");
  EXPECT_EQ(daemons.all()[0].detail, "systemctl start munge");
  EXPECT_TRUE(daemons.authenticated(true));
  EXPECT_EQ(daemon_lines(daemons), "munged up\n");
}

TEST(SlurmDaemons, SlurmrestdIsNamedWhereItIsLikelyAndNeverGuessed) {
  Daemons daemons;
  daemons.configured(parse_config("AuthAltTypes = auth/jwt\n"));
  std::vector<Remark> remarks = daemons.not_asked();
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_EQ(remarks[0].subject, "slurmrestd");
  EXPECT_EQ(remarks[0].grade, Remark::Grade::info);
  EXPECT_TRUE(remarks[0].text.starts_with("not asked"));
}

TEST(SlurmDaemons, AnUnansweredPingLeavesNoControllerUp) {
  Daemons daemons;
  daemons.pinged(parse_ping("Slurmctld(primary) at a is DOWN\nSlurmctld(backup) at b is UP\n"));
  EXPECT_EQ(daemon_lines(daemons), "slurmctld@a down\nslurmctld@b up\n");
  daemons.ping_unanswered();
  EXPECT_EQ(daemon_lines(daemons), "slurmctld@a down\nslurmctld@b down\n");
}

}  // namespace
}  // namespace tessera::slurm
