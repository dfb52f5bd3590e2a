// Exporters of a Slurm cluster's nodes, asked by a command of the site's: a script that answers by the node's
// name.
#include "backends/figures/node_exporters.hpp"

#include <gtest/gtest.h>

#include <future>
#include <map>
#include <set>

#include "backends/figures/apart.hpp"
#include "backends/figures/sources.hpp"
#include "tests/support/patience.hpp"

namespace tessera::figures {
namespace {

using std::chrono_literals::operator""s;

constexpr const char* kScript =
    "case \"$1\" in n3) echo \"DCGM_FI_DEV_FB_USED{gpu=\\\"0\\\",UUID=\\\"GPU-$1\\\"} 42\";"
    " echo \"DCGM_FI_DEV_XID_ERRORS{gpu=\\\"0\\\",UUID=\\\"GPU-$1\\\"} 95\";; n1|n2) echo "
    "\"DCGM_FI_DEV_FB_USED{gpu=\\\"0\\\",UUID=\\\"GPU-$1\\\"} 42\";; slow) sleep 1; echo "
    "\"DCGM_FI_DEV_FB_USED{gpu=\\\"0\\\",UUID=\\\"GPU-$1\\\"} 42\";; "
    "*) echo 'curl: (7) Failed to connect' >&2; exit 7;; esac";

class NodeExportersTest : public testing::Test {
 protected:
  NodeExportersTest() {
    NodeExporterCalls calls;
    calls.told = [this](const NodeName& node, const DcgmReadings& readings) {
      EXPECT_EQ(readings.parts.at(0).memory_used, Mib{42});
      EXPECT_EQ(readings.parts.at(0).uuid, "GPU-" + node.text);
      told.insert(node.text);
      ++answers, ++answers_of[node.text];
      look();
    };
    calls.report = [this](SourceReport report, std::vector<Remark> remarks) {
      last = std::move(report);
      remarked = std::move(remarks);
      look();
    };
    calls.clock = [] { return TimePoint(1s); };
    exporters.emplace(
        worker, processes,
        SiteCommand{{"sh", "-c", kScript, "sh", "{node}"}, "{node}", Duration{20'000}, 1u << 20},
        std::move(calls));
  }
  ~NodeExportersTest() override { worker.stop(); }

  void on_worker(const std::function<void()>& task) {
    std::promise<void> done;
    worker.post([&] {
      task();
      done.set_value();
    });
    done.get_future().wait();
  }
  void set(const std::vector<std::string>& names) {
    on_worker([&] {
      std::vector<NodeName> nodes;
      for (const std::string& name : names) nodes.emplace_back(name);
      exporters->set_nodes(nodes);
    });
  }
  // Waits for what callbacks bring about; done() is called on the worker's thread.
  bool until(const std::function<bool()>& done) {
    std::promise<void> so;
    on_worker([&] {
      wanted = [&so, done] { return done() && (so.set_value(), true); };
      look();
    });
    const bool came = so.get_future().wait_for(test::kPatience) == std::future_status::ready;
    on_worker([&] { wanted = nullptr; });
    return came;
  }
  void look() {
    if (wanted && wanted()) wanted = nullptr;
  }
  std::function<bool()> wanted;

  Worker worker;
  Processes processes{worker};
  std::set<std::string> told;
  int answers = 0;
  std::map<std::string, int> answers_of;  // by node
  std::optional<SourceReport> last;
  std::vector<Remark> remarked;
  std::optional<NodeExporters> exporters;
};

TEST_F(NodeExportersTest, EachNodeIsAskedAndThoseThatAreSilentAreNamed) {
  set({"n1", "n2", "n9"});
  ASSERT_TRUE(until([&] { return told.size() == 2 && !remarked.empty(); }));
  EXPECT_FALSE(last->failure) << "some answer";
  ASSERT_EQ(remarked.size(), 1u);
  EXPECT_NE(remarked[0].text.find("unknown on n9"), std::string::npos) << remarked[0].text;
  EXPECT_NE(remarked[0].text.find("curl: (7) Failed to connect"), std::string::npos) << remarked[0].text;
  EXPECT_NE(remarked[0].hint.find("run it by hand"), std::string::npos);
  EXPECT_EQ(remarked[0].seen, TimePoint(1s)) << "since the first of those that are silent gave no answer";
}

TEST_F(NodeExportersTest, AReportTellsHowManyCommandsWereRunAndWhatTheyPrinted) {
  set({"n1", "n2", "n9"});
  ASSERT_TRUE(until([&] { return told.size() == 2 && last && !remarked.empty(); }));
  const std::string printed = "DCGM_FI_DEV_FB_USED{gpu=\"0\",UUID=\"GPU-n1\"} 42\n";
  EXPECT_EQ(last->cost, (SourceCost{3, 2 * std::ssize(printed), Duration(60'000)}))
      << "n9 was asked as well, and printed nothing";
}

TEST_F(NodeExportersTest, AFaultIsRemarkedUntilTheNodeIsListedNoMore) {
  on_worker([&] { exporters->set_pace({Duration(300), Duration(300), Duration(300)}); });
  set({"n1", "n3"});
  ASSERT_TRUE(until([&] { return remarked.size() == 1; }));
  on_worker([&] {
    EXPECT_EQ(remarked[0].subject, "n3");
    EXPECT_NE(remarked[0].text.find("Xid 95"), std::string::npos) << remarked[0].text;
  });
  set({"n1"});
  EXPECT_TRUE(until([&] { return remarked.empty(); }));
}

TEST_F(NodeExportersTest, WhereNoneAnswersTheSourceFails) {
  set({"n8", "n9"});
  ASSERT_TRUE(until([&] { return last && last->failure; }));
  EXPECT_EQ(last->failure->what, "cannot ask the exporter");
}

TEST_F(NodeExportersTest, ANodeOnScreenIsAskedAtOnceAndMoreOften) {
  on_worker([&] { exporters->set_pace({Duration(300), Duration(3'600'000), Duration(3'600'000)}); });
  set({"n1", "n2"});
  ASSERT_TRUE(until([&] { return answers == 2; }));
  on_worker([&] { exporters->set_viewed({NodeName("n1")}); });
  EXPECT_TRUE(until([&] { return answers >= 5; })) << "n1 again and again";
}

TEST_F(NodeExportersTest, ARoundOverThousandsTakesAsLongAsTheirCommandsAreApart) {
  std::vector<std::string> names;
  for (int i = 0; i < 4'800; ++i) names.push_back("m" + std::to_string(i));
  set(names);
  on_worker([&] {
    EXPECT_EQ(exporters->round(), Duration(1'200'000));
    EXPECT_EQ(exporters->viewed_every(), Duration(20'000)) << "of those on screen";
  });
}

TEST_F(NodeExportersTest, ARoundIsAsLongAsOneThatAnswersHasWaitedAndNoLongerForOneThatIsSilent) {
  on_worker([&] { exporters->set_pace({Duration(1), Duration(1), Duration(1)}); });
  set({"n1", "slow"});
  // As it is when the second answer of the slow one is told: it waits for nothing then.
  Duration round{0};
  ASSERT_TRUE(until([&] {
    round = exporters->round();
    return answers_of["slow"] >= 2;
  }));
  EXPECT_GE(round, Duration(1'000)) << "its command takes a second; two nodes alone would take half of one";
  EXPECT_LE(round, Duration(1) + kSlowestRound);
  set({"n9"});
  on_worker([&] { EXPECT_EQ(exporters->round(), Duration(250)) << "what n1 waited is forgotten with it"; });
}

TEST_F(NodeExportersTest, ANameThatCannotBeAHostsIsNeverPartOfACommand) {
  set({"-o/etc/passwd", "n1;reboot", "n1"});
  ASSERT_TRUE(until([&] { return told.size() == 1; }));
  EXPECT_EQ(*told.begin(), "n1");
  on_worker([&] { EXPECT_TRUE(remarked.empty()) << "the others were never asked"; });
}

// One node after the other gives an answer, so many seconds apart, again and again.
struct Asking {
  Apart apart;
  Apart::Time now{std::chrono::hours(1)};

  void pass(int seconds) {
    for (int i = 0; i < seconds; i += 5) {
      now += 5s;
      apart.awake(now, Duration(10'000));
    }
  }
  void round(int nodes, int seconds_each, const std::set<int>& silent = {}) {
    for (int node = 0; node < nodes; ++node) {
      pass(seconds_each);
      if (silent.contains(node))
        apart.failed(std::to_string(node));
      else
        apart.answered(std::to_string(node), now);
    }
  }
  Duration longest() const { return apart.longest(now); }
};

TEST(AnswersApart, AreAsFarApartAsARoundReallyTakesAndNearerOnceItIsFaster) {
  Asking here;
  EXPECT_EQ(here.longest(), Duration(0)) << "none has answered";
  here.round(10, 30);
  EXPECT_EQ(here.longest(), 270s) << "the first one waits while the first round asks the others";
  here.pass(30);
  EXPECT_EQ(here.longest(), 300s);
  here.round(10, 60);
  EXPECT_EQ(here.longest(), 630s) << "it has become slower: so long the last one has waited for its answer";
  here.round(10, 5);
  EXPECT_EQ(here.longest(), 545s) << "it is faster, and the first one has waited for it";
  here.round(10, 5);
  EXPECT_EQ(here.longest(), 50s);
}

// Of thousands that were asked one answered: with each of its answers a round seemed to take no time.
TEST(AnswersApart, AreAsFarApartRightAfterTheAnswerOfTheOnlyOneThatAnswers) {
  Asking here;
  here.round(1, 600);
  EXPECT_EQ(here.longest(), Duration(0)) << "it has answered once";
  here.round(1, 600);
  EXPECT_EQ(here.longest(), 600s);
  here.pass(30);
  EXPECT_EQ(here.longest(), 600s);
  here.round(1, 60);
  EXPECT_EQ(here.longest(), 90s) << "and nearer once it is asked more often";
  here.now += std::chrono::minutes(30);
  here.apart.answered("0", here.now);
  here.apart.awake(here.now, Duration(10'000));
  EXPECT_EQ(here.longest(), Duration(0)) << "the machine stood still before that answer";
  here.round(1, 60);
  EXPECT_EQ(here.longest(), 60s);
  here.round(1, 60, {0});
  EXPECT_EQ(here.longest(), Duration(0)) << "it is silent";
}

// What an exporter told last stays as old as it is, and was taken for now for as long as it was silent.
TEST(AnswersApart, ExportersThatGiveNoAnswerLengthenNothing) {
  Asking here;
  here.round(4, 10);
  here.round(4, 10, {0, 1, 2, 3});
  here.pass(3'600);
  EXPECT_EQ(here.longest(), Duration(0)) << "none of them answers";
  here.round(4, 10, {2});
  EXPECT_EQ(here.longest(), 30s) << "since the first of these";
  here.apart.forget([](const std::string& id) { return id != "3"; });
  EXPECT_EQ(here.longest(), Duration(0));
}

TEST(AnswersApart, AMachineThatStoodStillForHalfAnHourLengthensNothing) {
  Asking here;
  here.round(4, 10);
  here.now += std::chrono::minutes(30);
  EXPECT_EQ(here.longest(), Duration(0)) << "asked before anything else goes on";
  here.apart.awake(here.now, Duration(10'000));
  EXPECT_EQ(here.longest(), Duration(0));
  here.round(4, 10);
  EXPECT_EQ(here.longest(), 30s);
}

TEST(SlurmExporterSetting, NeedsANodeAndNoSecondSource) {
  EXPECT_TRUE(read_figure_sources({{"slurm-exporter", "curl -sf http://{node}:9400/metrics"}}));
  EXPECT_FALSE(read_figure_sources({{"slurm-exporter", "curl -sf http://n1:9400/metrics"}}));
  EXPECT_FALSE(read_figure_sources({{"slurm-exporter", "{node}"}}));
  EXPECT_FALSE(read_figure_sources({{"slurm-exporter", "curl {node}"},
                                    {"prometheus", "http://p:9090"},
                                    {"prometheus-command", "curl {url}"}}));
}

}  // namespace
}  // namespace tessera::figures
