// How Slurm is asked and what is made of its refusals: commands, pace, the order of a round, error texts.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "backends/slurm/commands.hpp"
#include "backends/slurm/explain.hpp"
#include "backends/slurm/find_slurm.hpp"
#include "backends/slurm/pace.hpp"
#include "backends/slurm/round.hpp"

namespace tessera::slurm {
namespace {

using namespace std::chrono_literals;

TEST(SlurmCommands, AskInAPlainEnvironment) {
  SlurmClient site{"/etc/x.conf", "/opt/slurm/bin", 30s};
  Command command = show_nodes(site);
  EXPECT_EQ(command.argv,
            (std::vector<std::string>{"/opt/slurm/bin/scontrol", "-a", "-d", "-o", "show", "node"}));
  EXPECT_EQ(command.environment["SLURM_CONF"], "/etc/x.conf");
  EXPECT_EQ(command.environment["LC_ALL"], "C");
  EXPECT_EQ(command.deadline, Duration(30s));
  for (const char* name : {"SLURM_TIME_FORMAT", "SQUEUE_FORMAT", "SINFO_FORMAT", "SLURM_CLUSTERS"})
    EXPECT_NE(std::find(command.unset.begin(), command.unset.end(), name), command.unset.end()) << name;
  EXPECT_EQ(show_jobs(SlurmClient{}).argv.front(), "scontrol");
  EXPECT_EQ(show_jobs(SlurmClient{}).environment.count("SLURM_CONF"), 0u);
  EXPECT_LE(ping(site).deadline, Duration(3s));
}

TEST(SlurmPace, FollowsTheViewerTheControllerAndFailure) {
  Pacer::Instant now{};
  Pacer pacer(Duration(0), now);
  EXPECT_EQ(pacer.interval(), Duration(10s));
  pacer.set_pace(Pace::idle);
  EXPECT_EQ(pacer.interval(), Duration(60s));
  pacer.set_pace(Pace::focused);
  pacer.round_ended(100ms, false);
  EXPECT_EQ(pacer.interval(), Duration(10s));
  pacer.round_ended(2s, false);  // a slow controller is asked less
  EXPECT_EQ(pacer.interval(), Duration(40s));
  pacer.round_ended(90s, false);  // but one slow round does not leave us blind for half an hour
  EXPECT_EQ(pacer.interval(), Duration(5min));
  std::vector<Duration> waits;
  for (int i = 0; i < 6; ++i) {
    pacer.round_ended(9s, true);
    waits.push_back(pacer.interval());
  }
  EXPECT_EQ(waits, (std::vector<Duration>{5s, 10s, 20s, 40s, 60s, 60s}));
  pacer.round_ended(50ms, false);
  EXPECT_EQ(pacer.interval(), Duration(10s));
}

TEST(SlurmPace, CountsCallsOfTheLastMinutes) {
  Pacer::Instant now{};
  Pacer pacer(Duration(200ms), now);
  EXPECT_EQ(pacer.interval(), Duration(200ms));
  for (int i = 0; i < 6; ++i) pacer.called(now + i * 1s);
  EXPECT_DOUBLE_EQ(pacer.calls_per_minute(now + 6s), 6.0);
  EXPECT_DOUBLE_EQ(pacer.calls_per_minute(now + 2min), 3.0);
  EXPECT_DOUBLE_EQ(pacer.calls_per_minute(now + 20min), 0.0);
}

TEST(SlurmCommands, EachReadsForASource) {
  SlurmClient site{"/etc/x.conf", "/opt/slurm/bin", 30s};
  EXPECT_EQ(source_asked(show_nodes(site)), Source::slurm_nodes);
  EXPECT_EQ(source_asked(show_jobs(SlurmClient{})), Source::slurm_jobs);
  EXPECT_EQ(source_asked(show_partitions(site)), Source::slurm_partitions);
  EXPECT_EQ(source_asked(show_reservations(site)), Source::slurm_reservations);
  EXPECT_EQ(source_asked(show_config(site)), Source::slurm_ping);
  EXPECT_EQ(source_asked(ping(site)), Source::slurm_ping);
  EXPECT_EQ(source_asked(ask_accounting(site)), Source::slurm_ping);
  EXPECT_EQ(source_asked(scontrol(site, {"-o", "show", "job", "17"})), Source::slurm_jobs);
  EXPECT_EQ(source_asked(scontrol(site, {"show", "assoc_mgr", "users=ann"})), Source::slurm_jobs);
  Command priorities = scontrol(site, {"-h", "-p", "gpu"});
  priorities.argv.front() = "/opt/slurm/bin/sprio";
  EXPECT_EQ(source_asked(priorities), Source::slurm_jobs);
  EXPECT_EQ(source_asked(scontrol(site, {"update", "NodeName=n1", "State=DRAIN"})), Source::none);
  EXPECT_EQ(source_asked(scontrol(site, {"--", "requeue", "show"})), Source::none);
  EXPECT_EQ(source_asked(scontrol(site, {"show"})), Source::none);
  EXPECT_EQ(source_asked(scontrol(site, {})), Source::none);
  EXPECT_EQ(source_asked(probe_munge("")), Source::none);
  EXPECT_EQ(source_asked(Command{}), Source::none);
}

// Runs on so many nodes that wait for their jobs: each asks again five seconds after it was told, and now and
// then a job ends somewhere. Calls of Slurm's commands in each minute, on a clock of the test's own.
std::vector<int> calls_while_draining(int nodes, int minutes, bool jobs_end) {
  const Pacer::Instant start{};
  LookPace pace(Duration(0), start);
  struct Asking {
    std::string name;
    Pacer::Instant from;
    std::size_t state = 1;
  };
  std::vector<Asking> all;
  for (int i = 0; i < nodes; ++i) {
    all.push_back({"n" + std::to_string(i), start + i * 100ms});
    pace.changed(all.back().name, all.back().from);  // drained
  }
  std::vector<int> calls(static_cast<std::size_t>(minutes));
  int ended = 0;
  for (Pacer::Instant now = start; now < start + minutes * 1min; now += 50ms) {
    if (jobs_end && (now - start) / 7s > ended) ++all[static_cast<std::size_t>(++ended * 7 % nodes)].state;
    bool due = std::any_of(all.begin(), all.end(), [&](const Asking& one) {
      return one.from <= now && pace.due(one.name, now) <= now;
    });
    if (!due) continue;
    pace.began(now);
    for (int i = 0; i < 3; ++i) pace.called();
    calls[static_cast<std::size_t>((now - start) / 1min)] += 3;
    pace.ended(now + 30ms);
    for (Asking& one : all) {
      if (one.from > now) continue;
      pace.seen(one.name, one.state, now + 30ms);
      one.from = now + 5s;
    }
  }
  return calls;
}

// Before all looks shared their readings it was 1,920 calls a minute: 32 nodes, five calls each, every 5 s.
TEST(SlurmPace, ThirtyTwoDrainingNodesCostNoMoreCallsThanTheReadersRounds) {
  constexpr int kRounds = 12;  // calls a minute: nodes and jobs every 10 s
  for (bool jobs_end : {false, true}) {
    std::vector<int> calls = calls_while_draining(32, 30, jobs_end);
    EXPECT_LE(calls.front(), 60 + kRounds) << "what many drains at once are worth";
    int later = 0;
    for (std::size_t i = 5; i < calls.size(); ++i) {
      EXPECT_LE(calls[i], kRounds) << i;
      later += calls[i];
    }
    EXPECT_GE(later, 25 * 3) << "and they are still looked at";
  }
}

// What it costs is another matter: it may have to wait for the budget.
TEST(SlurmPace, ANodesOwnTurnComesAfterAQuarterOfTheTimeForWhichNothingHasHappenedThere) {
  const Pacer::Instant now{};
  LookPace pace(Duration(0), now);
  EXPECT_TRUE(pace.is_due("n1", now)) << "not looked at yet";
  pace.seen("n1", 1, now);
  pace.seen("n1", 1, now + 8s);
  EXPECT_FALSE(pace.is_due("n1", now + 9s));
  EXPECT_TRUE(pace.is_due("n1", now + 10s));
  for (int i = 0; i < 200; ++i) pace.called();
  EXPECT_TRUE(pace.is_due("n1", now + 10s));
  EXPECT_GT(pace.due("n1", now + 10s), now + 10s);
  pace.changed("n1", now + 9s);
  EXPECT_TRUE(pace.is_due("n1", now + 9s)) << "a run has done something there";
}

TEST(SlurmPace, WhatARunHasJustDoneIsLookedAtAtOnceAndOftenAtFirst) {
  Pacer::Instant now{};
  LookPace pace(Duration(0), now);
  for (int i = 0; i < 40; ++i) {
    now = std::max(now + 5s, pace.due("n1", now));
    pace.seen("n1", 1, now);
  }
  EXPECT_EQ(pace.due("n1", now), now + 15s) << "nothing has happened there for minutes";
  EXPECT_EQ(pace.due("n2", now), now) << "not looked at yet";
  pace.changed("n1", now);
  EXPECT_EQ(pace.due("n1", now), now);
  pace.seen("n1", 2, now);
  EXPECT_EQ(pace.due("n1", now), now);
  pace.seen("n1", 2, now + 2s);
  EXPECT_EQ(pace.due("n1", now + 2s), now + 2500ms);
  // A controller that needs ten seconds for an answer is not asked again at once.
  pace.began(now);
  pace.ended(now + 10s);
  EXPECT_EQ(pace.due("n2", now + 10s), now + 25s);
}

// A console at --interval=5m left a quarter of a minute between two looks of a run.
TEST(SlurmPace, AReaderWhoAsksSeldomHoldsNoRunUp) {
  const Pacer::Instant now{};
  LookPace pace(Duration(300'000), now);
  for (const char* node : {"n1", "n2"}) {
    pace.began(now);
    pace.seen(node, 1, now);
    pace.ended(now);
  }
  pace.changed("n1", now);
  EXPECT_LE(pace.due("n1", now), now + std::chrono::seconds(1));
}

// 32 nodes that take the same steps were read 118 times instead of some 60.
TEST(SlurmPace, NodesThatTakeTheSameStepsAreReadTogether) {
  Pacer::Instant now{};
  LookPace pace(Duration(0), now);
  auto read = [&](const char* node) {
    pace.began(now);
    pace.ended(now);
    pace.seen(node, 1, now);
  };
  read("n1");
  pace.changed("n1", now);
  EXPECT_EQ(pace.due("n1", now), now) << "a run on one node does not wait for others";
  read("n2");
  pace.changed("n1", now);
  EXPECT_EQ(pace.due("n1", now), now + 500ms);
  EXPECT_EQ(pace.due("n1", now + 2min), now + 2min) << "the other one is at rest since";
  LookPace hasty(Duration(200ms), now);
  hasty.seen("n1", 1, now);
  hasty.seen("n2", 1, now);
  hasty.ended(now);
  EXPECT_EQ(hasty.due("n3", now), now + 10ms) << "in proportion to what the user chose";
}

std::vector<Step> all(Round& round) {
  std::vector<Step> steps;
  while (auto step = round.next()) {
    steps.push_back(*step);
    round.succeeded(*step);
  }
  return steps;
}

TEST(SlurmRound, AsksForNodesAndJobsAndSeldomForTheRest) {
  Round round;
  round.begin(true, true);
  EXPECT_EQ(all(round), (std::vector{Step::ping, Step::config, Step::nodes, Step::jobs, Step::partitions,
                                     Step::reservations}));
  round.begin(false, false);
  EXPECT_EQ(all(round), (std::vector{Step::nodes, Step::jobs}));
  EXPECT_FALSE(round.had_failure());
  round.begin(true, false, true);
  EXPECT_EQ(all(round), (std::vector{Step::ping, Step::nodes, Step::jobs, Step::partitions,
                                     Step::reservations, Step::accounting}));
  round.begin(false, false, true);
  EXPECT_EQ(all(round), (std::vector{Step::nodes, Step::jobs}));
}

TEST(SlurmRound, AnswersThatAreLateMakeItPingAndTryAgainWithPatience) {
  Round round;
  round.begin(true, false);
  all(round);
  round.begin(false, false);
  ASSERT_EQ(round.next(), Step::nodes);
  EXPECT_EQ(round.patience(Step::nodes, Duration(50), 30s), Duration(2s));
  EXPECT_EQ(round.patience(Step::nodes, Duration(500), 30s), Duration(5s));
  round.timed_out(Step::nodes);
  ASSERT_EQ(round.next(), Step::ping);
  round.succeeded(Step::ping);
  ASSERT_EQ(round.next(), Step::nodes);
  EXPECT_EQ(round.patience(Step::nodes, Duration(50), 30s), Duration(30s));
  round.timed_out(Step::nodes);  // a second time it is a failure
  EXPECT_EQ(round.next(), Step::jobs);
  EXPECT_TRUE(round.had_failure());
  round.begin(false, false);
  EXPECT_EQ(round.next(), Step::ping);
}

TEST(SlurmRound, WithoutAControllerNothingMoreIsAsked) {
  Round round;
  round.begin(true, true);
  ASSERT_EQ(round.next(), Step::ping);
  round.nobody_there();
  EXPECT_EQ(round.next(), std::nullopt);
  EXPECT_TRUE(round.had_failure());
  round.begin(false, true);
  EXPECT_EQ(round.next(), Step::ping);
}

TEST(SlurmRound, AFailureInAGoodRoundIsFollowedByAPing) {
  Round round;
  round.begin(true, false);
  all(round);
  round.begin(false, false);
  ASSERT_EQ(round.next(), Step::nodes);
  round.failed(Step::nodes);
  EXPECT_EQ(round.next(), Step::ping);
  round.succeeded(Step::ping);
  EXPECT_EQ(round.next(), Step::jobs);
}

Outcome refusal(std::string err, int rc = 1) {
  Outcome outcome;
  outcome.exit_code = rc;
  outcome.err = std::move(err);
  return outcome;
}

TEST(SlurmExplain, SlurmsOwnWordsAreTheReason) {
  struct Case {
    const char *err, *what, *reason;
  };
  for (const Case& c : {
           Case{"slurm_load_node error: Unable to contact slurm controller (connect failure)\n",
                "slurmctld does not answer",
                "slurm_load_node error: Unable to contact slurm controller (connect failure)"},
           Case{"slurm_load_jobs error: Socket timed out on send/recv operation\n",
                "slurmctld is overloaded or hangs",
                "slurm_load_jobs error: Socket timed out on send/recv operation"},
           Case{"scontrol: error: If munged is up, restart with --num-threads=10\n"
                "scontrol: error: Munge encode failed: Failed to access \"/run/munge.socket\": No such file "
                "or directory\n"
                "slurm_load_node error: Protocol authentication error\n",
                "munged is not running or refuses us",
                "Munge encode failed: Failed to access \"/run/munge.socket\": No such file or directory"},
           Case{"scontrol: error: s_p_parse_file: unable to read \"/etc/slurm.conf\": Permission denied\n"
                "scontrol: fatal: Unable to process configuration file\n",
                "a file of Slurm's configuration may not be read",
                "s_p_parse_file: unable to read \"/etc/slurm.conf\": Permission denied"},
           Case{"scontrol: fatal: Could not establish a configuration source\n",
                "Slurm has no configuration here", "Could not establish a configuration source"},
           Case{"slurm_load_jobs error: Access/permission denied\n", "Slurm does not let us see this",
                "slurm_load_jobs error: Access/permission denied"},
           Case{"something\nnobody foresaw\n\n****\n", "cannot list the jobs", "nobody foresaw"},
           Case{"", "cannot list the jobs", "scontrol ended with status 1"},
           Case{"\x1b[2J odd", "cannot list the jobs", "\xc2\xb7[2J odd"},
       }) {
    auto error = explain("cannot list the jobs", refusal(c.err), 30s);
    ASSERT_TRUE(error) << c.err;
    EXPECT_EQ(error->what, c.what);
    EXPECT_EQ(error->reason, c.reason);
  }
}

TEST(SlurmExplain, LatenessLengthAndSignals) {
  Outcome late;
  late.signal = 9;
  late.timed_out = true;
  EXPECT_EQ(explain("x", late, 30s)->reason, "no answer within 30 s");
  Outcome killed;
  killed.signal = 11;
  EXPECT_EQ(explain("x", killed, 30s)->reason, "scontrol was killed by signal 11");
  Outcome good;
  good.exit_code = 0;
  EXPECT_EQ(explain("x", good, 30s), std::nullopt);
  good.truncated = true;
  good.out.assign(3u << 20, 'x');
  EXPECT_EQ(explain("x", good, 30s)->reason, "it printed more than 3 MiB");
}

// The error of a killed or failing scontrol was a line of its own data.
TEST(SlurmExplain, DataThatWasPrintedBeforeAFailureIsNoComplaint) {
  Outcome half;
  half.out = "NodeName=gpu02 Arch=x86_64 Comment=Connection refused\nNodeName=gpu03 Arch=x8";
  half.signal = 9;
  EXPECT_EQ(explain("cannot list the nodes", half, 30s)->reason, "scontrol was killed by signal 9");
  half.signal = 0;
  half.exit_code = 3;
  EXPECT_EQ(explain("cannot list the nodes", half, 30s)->reason, "scontrol ended with status 3");
  half.signal = 15;
  half.err = "bus error\n";
  EXPECT_EQ(explain("cannot list the nodes", half, 30s)->reason,
            "scontrol was killed by signal 15: bus error");
}

class SlurmSite : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/tsr-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
    std::ofstream(folder_ + "/slurm.conf") << "ClusterName=hpc\nAuthInfo=socket=" << folder_ << "/munge\n";
  }
  void TearDown() override {
    ::unlink((folder_ + "/slurm.conf").c_str());
    ::rmdir(folder_.c_str());
  }
  std::string folder_;
};

TEST_F(SlurmSite, ReadsItsConfigurationFile) {
  Conf conf = read_conf(folder_ + "/slurm.conf");
  EXPECT_EQ(conf.cluster_name, "hpc");
  EXPECT_EQ(conf.auth_type, "auth/munge");
  EXPECT_EQ(conf.munge_socket, folder_ + "/munge");
  EXPECT_EQ(read_conf("/nowhere/slurm.conf").cluster_name, "");
}

// It hung for ever, and --timeout did not count.
TEST_F(SlurmSite, AFifoInPlaceOfAConfigurationIsRefusedAtOnce) {
  const std::string fifo = folder_ + "/slurm.conf";
  ::unlink(fifo.c_str());
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(read_conf(fifo).cluster_name, "");
  auto trouble = conf_trouble(fifo);
  ASSERT_TRUE(trouble);
  EXPECT_EQ(trouble->reason, fifo + ": it is no regular file");
  EXPECT_TRUE(conf_trouble(folder_));
}

TEST_F(SlurmSite, TroubleIsNamedBeforeSlurmHangsOnIt) {
  EXPECT_EQ(conf_trouble(""), std::nullopt);
  EXPECT_EQ(conf_trouble(folder_ + "/slurm.conf"), std::nullopt);
  auto missing = conf_trouble(folder_ + "/no.conf");
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->reason, folder_ + "/no.conf: No such file or directory");
  auto munge = munge_trouble(read_conf(folder_ + "/slurm.conf"));
  ASSERT_TRUE(munge);
  EXPECT_EQ(munge->what, "munged is not running");
  EXPECT_EQ(munge_trouble(Conf{}), std::nullopt);
  EXPECT_EQ(munge_trouble(Conf{"x", "c", "auth/slurm", ""}), std::nullopt);
}

}  // namespace
}  // namespace tessera::slurm
