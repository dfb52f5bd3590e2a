// tessera usage and waste from what Prometheus keeps: which source is taken, and what it cannot tell.
#include "engine/usage/kept_use.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <sstream>

#include "engine/usage/exceptions.hpp"
#include "engine/usage/untold.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/json_check.hpp"
#include "tests/tui/cli/fake_runs.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/record/demand.hpp"
#include "tui/cli/record/elsewhere.hpp"
#include "tui/cli/record/usage.hpp"
#include "tui/cli/record/waste.hpp"

namespace tessera::cli::kept_use_story {
namespace {

using Command = int (*)(const Options&, const mig::Catalogue&, const Joins&, const Streams&);

// Two hours, a round in five minutes, in which a whole GPU of n1 is used at that percent. work: whose the
// series name; empty: nobody's.
class Kept final : public usage::KeptUse {
 public:
  // gpu: the GPU, as its series tell it.
  Kept(std::string name, std::string work, float use, Gpu gpu, double shared, int& asked)
      : name_(std::move(name)), work_(std::move(work)), use_(use), gpu_(std::move(gpu)), asked_(asked) {
    told_.shared = shared;
    told_.step = Duration{300'000};
    told_.names_work = !work_.empty(), told_.unnamed = work_.empty() ? 2 : 0.5;
  }
  const ClusterName& cluster() const override { return name_; }
  std::optional<record::Covered> covered() override { return record::Covered{{}, test::at(7200)}; }
  Result<Model> at(TimePoint) override { return Error{"not asked for", "", ""}; }
  Result<std::vector<history::KeptFigures>> figures(const std::vector<NodeName>&, TimePoint, TimePoint,
                                                    const std::function<bool()>&) override {
    return Error{"not asked for", "", ""};
  }
  Status rounds(TimePoint, TimePoint, const std::function<bool(const record::Round&)>& see) override {
    ++asked_;
    // As a server that is asked again: it costs again.
    told_.cost.commands += 3, told_.cost.bytes += 2048, told_.cost.took += Duration{1500};
    for (int second = 0; second <= 7200; second += 300) {
      Cluster cluster;
      cluster.name = name_;
      Gpu gpu = gpu_;
      gpu.slices[0].use = Percent{use_}, gpu.slices[0].measured = {Source::dcgm, test::at(second)};
      if (!work_.empty() || unnamed_) {
        gpu.slices[0].holders = {{WorkloadId(work_), 1}};
        Workload work;
        work.id = WorkloadId(work_), work.state = WorkloadState::running;
        cluster.workloads.upsert(work);
      }
      cluster.nodes.upsert(test::node("n1", {gpu}));
      if (!see({cluster, test::at(second), {}})) break;
    }
    return Done{};
  }
  Scheduler scheduler() const override { return Scheduler::slurm; }
  const usage::KeptTold& told() const override { return told_; }
  void count_unnamed() override { unnamed_ = true; }

 private:
  ClusterName name_;
  std::string work_;
  float use_;
  Gpu gpu_;
  int& asked_;  // how often the server was
  usage::KeptTold told_;
  bool unnamed_ = false;
};

struct Asked {
  Options options;
  std::string work = "88123";
  float use = 0;
  double shared = 0;     // hours of instances that several share
  bool another = false;  // cluster, "k8s", whose series name nobody
  Gpu gpu = test::gpu(0, Strategy::whole, {test::whole(0)});
  mutable bool recording_asked = false;
  mutable int asked = 0;  // how often Prometheus was
  std::ostringstream out, err;

  Asked() { options.figures["prometheus"] = Setting{"http://p:9090", "--prometheus"}; }
  template <class Use>
  auto with(Use call) const {
    test::Box box;
    Joins joins{box, box, {}, {}, [] { return test::at(0); }, {}, false};
    joins.kept_use = [&](const Options&, const mig::Catalogue&, const Joins::Stopped&) {
      std::vector<std::unique_ptr<usage::KeptUse>> all;
      all.push_back(std::make_unique<Kept>("hpc", work, use, gpu, shared, asked));
      if (another) all.push_back(std::make_unique<Kept>("k8s", "", use, gpu, shared, asked));
      return Result<std::vector<std::unique_ptr<usage::KeptUse>>>(std::move(all));
    };
    joins.recordings = [&](const std::string&) -> Result<std::vector<std::unique_ptr<record::Recording>>> {
      recording_asked = true;
      return std::vector<std::unique_ptr<record::Recording>>();
    };
    return call(joins);
  }
  int run(Command command) {
    out.str(""), err.str("");
    return with([&](const Joins& joins) {
      return command(options, test::catalogue(), joins, Streams{out, err});
    });
  }
  bool says(const std::string& text) const { return out.str().find(text) != std::string::npos; }
};

TEST(UsageFromPrometheus, IsTakenWhereNoRecordingIsNamedAndIsNamedAsTheSource) {
  Asked asked;
  EXPECT_EQ(asked.run(run_usage), kDone) << asked.err.str();
  EXPECT_TRUE(asked.says("WORKLOAD")) << "it knows no users\n" << asked.out.str();
  EXPECT_TRUE(asked.says("88123")) << asked.out.str();
  EXPECT_TRUE(asked.says("from Prometheus, ")) << asked.out.str();
  EXPECT_TRUE(
      asked.says("a value every 5 min, 2.0 h of it kept; 100 % of held hours have use figures; for 0.5 h "
                 "of GPUs and slices no pod or job is named; Prometheus was asked by 3 requests in 1.5 s: "
                 "2.0 KiB\n"))
      << asked.out.str();
  EXPECT_FALSE(asked.recording_asked);
  asked.options.output = OutputFormat::json;
  EXPECT_EQ(asked.run(run_usage), kDone);
  EXPECT_EQ(test::check_schema(test::schema_text("usage"), asked.out.str()), std::vector<std::string>{});
  EXPECT_EQ(test::json_at(asked.out.str(), "/source"), "\"prometheus\"");
  EXPECT_EQ(test::json_at(asked.out.str(), "/usage/0/gpu_hours"), "2.0");
  EXPECT_EQ(test::json_at(asked.out.str(), "/usage/0/waiting_hours"), "null")
      << "it knows nothing of what waits";
}

// A model that no catalogue has: the last line said nothing of hours that are in no GPU-hour.
TEST(UsageFromPrometheus, HoursOfInstancesOfAnUnknownProductAreSaid) {
  Asked asked;
  asked.gpu = test::gpu(0, Strategy::mig, {test::instance("1g.10gb", 0, 1, 0)});
  asked.gpu.product.reset();
  EXPECT_EQ(asked.run(run_usage), kDone) << asked.err.str();
  EXPECT_TRUE(asked.says("; 2.0 h were held on slices of which it is not known what part of a GPU they are"))
      << asked.out.str();
}

TEST(UsageFromPrometheus, HoursOfInstancesThatSeveralShareAreSaidAsNotCounted) {
  Asked asked;
  asked.shared = 3;
  EXPECT_EQ(asked.run(run_usage), kDone) << asked.err.str();
  EXPECT_TRUE(asked.says("; 3.0 h of instances that several pods or jobs share are not counted; "))
      << asked.out.str();
  asked.options.output = OutputFormat::json;
  EXPECT_EQ(asked.run(run_waste), kDone);
  EXPECT_EQ(test::json_at(asked.out.str(), "/prometheus/shared_hours"), "3.0");
  EXPECT_EQ(test::check_schema(test::schema_text("waste"), asked.out.str()), std::vector<std::string>{});
}

TEST(UsageFromPrometheus, ANamedRecordingGoesFirstAndSaysThatPrometheusIsThereToo) {
  Asked asked;
  asked.options.recording = "F";
  asked.run(run_usage);
  EXPECT_TRUE(asked.recording_asked);
  EXPECT_TRUE(asked.says("; not asked: Prometheus (--source prometheus)\n")) << asked.out.str();
  asked.recording_asked = false;
  asked.options.source = "prometheus";
  EXPECT_EQ(asked.run(run_usage), kDone);
  EXPECT_FALSE(asked.recording_asked);
  EXPECT_TRUE(asked.says("from Prometheus, ")) << asked.out.str();
}

TEST(UsageFromPrometheus, TwoSourcesAtOnceAndOneThatIsNotSetAreRefused) {
  Asked asked;
  asked.options.source = "prometheus", asked.options.accounting = true;
  EXPECT_EQ(asked.run(run_usage), kUsage);
  EXPECT_NE(asked.err.str().find("exclude each other"), std::string::npos) << asked.err.str();
  asked.options.accounting = false, asked.options.figures.clear();
  EXPECT_EQ(asked.run(run_usage), kUsage);
  EXPECT_NE(asked.err.str().find("prometheus is not set"), std::string::npos) << asked.err.str();
}

// As the screens of the console read it.
TEST(UsageFromPrometheus, TheScreensTellNoWasteOfWhatNobodyIsNamedFor) {
  Asked asked;
  const auto read = [&] {
    return asked.with([&](const Joins& joins) {
      return elsewhere(asked.options, test::catalogue(), joins).prometheus(Duration{7'200'000}, {});
    });
  };
  auto told = read();
  ASSERT_TRUE(told) << to_line(told.error());
  EXPECT_TRUE(told->kept && told->kept->names_work);
  EXPECT_FALSE(told->waste.empty()) << "held, and never used";
  EXPECT_EQ(told->demand.at(ClusterName("hpc")).peaks().size(), 1u);
  asked.options.except = *usage::exceptions_of("user=ci");
  told = read();
  ASSERT_TRUE(told) << to_line(told.error());
  EXPECT_TRUE(told->waste.empty());
  ASSERT_TRUE(told->waste_refused);
  EXPECT_FALSE(told->sums.at(usage::By::workload).empty());
  asked.options.except.reset(), asked.work = "";
  told = read();
  ASSERT_TRUE(told) << to_line(told.error());
  EXPECT_TRUE(told->waste.empty()) << "a GPU that stands free looks the same";
  EXPECT_TRUE(usage::is_unmeasured(*told));
  EXPECT_TRUE(told->demand.empty()) << "nor is it known what was needed";
}

// Of two clusters with one Prometheus each is told by what its own series name.
TEST(UsageFromPrometheus, AClusterWhoseSeriesNameNobodyLeavesWhatIsKnownOfTheOther) {
  Asked asked;
  asked.another = true;
  EXPECT_EQ(asked.run(run_usage), kDone) << asked.err.str();
  EXPECT_TRUE(asked.says("the series of k8s name no pod or job: what was held there is not known"))
      << asked.out.str();
  EXPECT_TRUE(asked.says("100 % of held hours have use figures")) << asked.out.str();
  asked.options.output = OutputFormat::csv, asked.options.by = "node";
  EXPECT_EQ(asked.run(run_usage), kDone);
  EXPECT_TRUE(asked.says("n1,hpc,2.00")) << asked.out.str();
  EXPECT_TRUE(asked.says("n1,k8s,,")) << "what was used there is told, and not what was held\n"
                                      << asked.out.str();
  EXPECT_LT(asked.out.str().find("n1,hpc"), asked.out.str().find("n1,k8s")) << "what is not known comes last";
  asked.options.output = OutputFormat::json;
  EXPECT_EQ(asked.run(run_usage), kDone);
  EXPECT_EQ(test::check_schema(test::schema_text("usage"), asked.out.str()), std::vector<std::string>{});
  EXPECT_EQ(test::json_at(asked.out.str(), "/prometheus/nameless/0"), "\"k8s\"");
  EXPECT_EQ(test::json_at(asked.out.str(), "/prometheus/unnamed_hours"), "0.5") << "of the other alone";
  asked.options.output = OutputFormat::table, asked.options.by.clear();
  EXPECT_EQ(asked.run(run_waste), kDone) << asked.err.str();
  EXPECT_TRUE(asked.says("no series names a pod or a job")) << asked.out.str();
  asked.options.demand = true;
  EXPECT_EQ(asked.run(run_usage), kDone) << asked.err.str();
  EXPECT_TRUE(asked.says("the series of k8s name no pod or job")) << asked.out.str();
  asked.options.output = OutputFormat::json;
  EXPECT_EQ(asked.run(run_usage), kDone);
  EXPECT_EQ(test::check_schema(test::schema_text("demand"), asked.out.str()), std::vector<std::string>{});
  EXPECT_EQ(asked.out.str().find("\"cluster\": \"k8s\""), std::string::npos) << asked.out.str();
}

TEST(UsageFromPrometheus, AFilterThatItCannotTellIsRefusedForRightSizesToo) {
  Asked asked;
  asked.options.demand = asked.options.right_sized = true;
  asked.options.except = *usage::exceptions_of("user=ci");
  EXPECT_EQ(asked.run(run_usage), kUnknown);
  EXPECT_NE(asked.err.str().find("names users or accounts, which Prometheus does not tell"),
            std::string::npos)
      << asked.err.str();
  EXPECT_EQ(asked.asked, 0);
}

TEST(UsageFromPrometheus, UsersAreRefusedSinceItKnowsNone) {
  Asked asked;
  for (const char* by : {"user", "account"}) {
    asked.options.by = by;
    EXPECT_EQ(asked.run(run_usage), kUsage);
    EXPECT_NE(asked.err.str().find("Prometheus does not tell users or accounts"), std::string::npos);
  }
}

TEST(DemandFromPrometheus, IsWhatWasHeldAndSaysThatWhatWaitedIsNotCounted) {
  Asked asked;
  asked.options.demand = true;
  EXPECT_EQ(asked.run(run_usage), kDone) << asked.err.str();
  EXPECT_TRUE(asked.says("whole")) << asked.out.str();
  EXPECT_TRUE(asked.says("from Prometheus, ")) << asked.out.str();
  EXPECT_TRUE(asked.says("2.0 h of it kept; what waited is not counted; for 0.5 h of GPUs"))
      << asked.out.str();
  asked.options.output = OutputFormat::json;
  EXPECT_EQ(asked.run(run_usage), kDone);
  EXPECT_EQ(test::check_schema(test::schema_text("demand"), asked.out.str()), std::vector<std::string>{});
  EXPECT_EQ(test::json_at(asked.out.str(), "/source"), "\"prometheus\"");
  EXPECT_EQ(test::json_at(asked.out.str(), "/peaks/0/peak"), "1");
}

// It is asked twice: for what would have done, and for what was needed; both are told as what it has cost.
TEST(DemandFromPrometheus, CountsTheProfileThatWouldHaveDoneWhereThatIsAskedFor) {
  Asked asked;
  asked.options.demand = asked.options.right_sized = true;
  asked.use = 5;
  asked.gpu.slices[0].memory_used = Mib{1'000};
  EXPECT_EQ(asked.run(run_usage), kDone) << asked.err.str();
  EXPECT_TRUE(asked.says("1g.10gb")) << asked.out.str();
  EXPECT_FALSE(asked.says("whole")) << asked.out.str();
  EXPECT_TRUE(asked.says("the history counts 1 jobs and pods as the smaller profile")) << asked.out.str();
  EXPECT_TRUE(asked.says("asked by 6 requests")) << asked.out.str();
  EXPECT_EQ(asked.asked, 2);
  asked.options.output = OutputFormat::json;
  EXPECT_EQ(asked.run(run_usage), kDone);
  EXPECT_EQ(test::check_schema(test::schema_text("demand"), asked.out.str()), std::vector<std::string>{});
  EXPECT_EQ(test::json_at(asked.out.str(), "/right_sized"), "1");
  asked.options.demand = false;
  EXPECT_EQ(asked.run(run_usage), kUsage) << "of sums it would be ignored";
}

TEST(DemandFromPrometheus, WhereItsSeriesNameNoWorkIsUnknownAndNotNothing) {
  Asked asked;
  asked.work = "", asked.options.demand = true;
  EXPECT_EQ(asked.run(run_usage), kUnknown);
  EXPECT_NE(asked.err.str().find("name no pod or job: what was held is not known"), std::string::npos)
      << asked.err.str();
  EXPECT_EQ(asked.out.str(), "");
}

// As `pack --for-history` and `advise` look at it.
Result<LookedDemand> looked(const Asked& asked, const std::string& group = "") {
  return asked.with([&](const Joins& joins) {
    return look_at_demand(asked.options, test::catalogue(), joins, Duration{7'200'000}, group);
  });
}

TEST(DemandFromPrometheus, IsReadForTheDemandOfAHistoryWhereNoRecordingIsNamed) {
  Asked asked;
  auto past = looked(asked);
  ASSERT_TRUE(past) << to_line(past.error());
  EXPECT_EQ(source_word(*past), "prometheus");
  EXPECT_NE(history_words(*past, Duration{86'400'000}).front().find("2.0 h of 24 h, a value every 5 min"),
            std::string::npos)
      << history_words(*past, Duration{86'400'000}).front();
  ASSERT_EQ(past->demand.peaks().size(), 1u);
  EXPECT_EQ(past->demand.peaks()[0].held, 1);
  asked.options.recording = "F";
  EXPECT_FALSE(looked(asked)) << "the recording goes first, and has nothing";
  EXPECT_TRUE(asked.recording_asked);
}

// It was asked for thirty days first, which may take minutes of its time, and then refused.
TEST(DemandFromPrometheus, OfAPartitionIsRefusedSinceItTellsNoneAndItIsNotAsked) {
  const Asked asked;
  const auto past = looked(asked, "short");
  ASSERT_FALSE(past);
  EXPECT_EQ(past.error().reason, "Prometheus does not tell the partitions of jobs");
  EXPECT_EQ(asked.asked, 0);
}

TEST(DemandFromPrometheus, OfAnotherClusterIsNotAskedFor) {
  Asked asked;
  asked.options.cluster = "other";
  EXPECT_FALSE(looked(asked));
}

TEST(DemandFromPrometheus, IsNotAskedForASimulatedCluster) {
  Asked asked;
  asked.options.sim = "demo";
  EXPECT_FALSE(looked(asked));
  asked.options.source = "prometheus";
  const auto past = looked(asked);
  ASSERT_FALSE(past);
  EXPECT_EQ(past.error().reason, "prometheus is not set");
}

TEST(UsageFromPrometheus, WithoutNamesOfPodsOrJobsUseIsToldAndWhatWasHeldIsNot) {
  Asked asked;
  asked.work = "", asked.use = 30, asked.options.by = "node";
  EXPECT_EQ(asked.run(run_usage), kDone) << asked.err.str();
  EXPECT_TRUE(asked.says("30%")) << asked.out.str();
  EXPECT_TRUE(asked.says("its series name no pod or job: what was held is not known")) << asked.out.str();
  EXPECT_FALSE(asked.says("of held hours have")) << asked.out.str();
  asked.options.output = OutputFormat::json;
  asked.run(run_usage);
  EXPECT_EQ(test::check_schema(test::schema_text("usage"), asked.out.str()), std::vector<std::string>{});
  EXPECT_EQ(test::json_at(asked.out.str(), "/usage/0/gpu_hours"), "null");
  EXPECT_EQ(test::json_at(asked.out.str(), "/usage/0/measured_gpu_hours"), "2.0");
  EXPECT_EQ(asked.run(run_waste), kUnknown) << "nothing that is known to be held can be wasted";
  EXPECT_NE(asked.err.str().find("cannot tell what was wasted"), std::string::npos) << asked.err.str();
}

TEST(WasteFromPrometheus, TellsIdleAndSaysOfWhichKindsItKnowsNothing) {
  Asked asked;
  EXPECT_EQ(asked.run(run_waste), kDone) << asked.err.str();
  EXPECT_TRUE(asked.says("idle ")) << asked.out.str();
  for (const char* kind : {"stranded", "unasked", "rogue"})
    EXPECT_TRUE(asked.says(std::string(kind) + " is n/a in hpc: Prometheus does not tell what is free"))
        << asked.out.str();
  asked.options.output = OutputFormat::json;
  EXPECT_EQ(asked.run(run_waste), kDone);
  EXPECT_EQ(test::check_schema(test::schema_text("waste"), asked.out.str()), std::vector<std::string>{});
}

TEST(WasteFromPrometheus, TheLineOfLimitsNamesNoKindOfWhichItKnowsNothing) {
  Asked asked;
  EXPECT_EQ(asked.run(run_waste), kDone) << asked.err.str();
  EXPECT_TRUE(asked.says("above percentile 95 of use\n")) << asked.out.str();
}

// It would match nothing, and what a site excepts would count as wasted.
TEST(WasteFromPrometheus, AFilterOverWhatItDoesNotTellIsRefused) {
  for (const char* filter : {"user=ci", "kind=idle | account!=prod", "partition=interactive"}) {
    Asked asked;
    asked.options.except = usage::exceptions_of(filter).value();
    EXPECT_EQ(asked.run(run_waste), kUsage) << filter << asked.out.str();
    EXPECT_NE(asked.err.str().find("which Prometheus does not tell"), std::string::npos) << asked.err.str();
  }
  Asked asked;
  asked.options.except = usage::exceptions_of("kind=idle").value();
  EXPECT_EQ(asked.run(run_waste), kDone) << asked.err.str();
  EXPECT_TRUE(asked.says("rows left out by waste-except (kind=idle): 1")) << asked.out.str();
}

// A word may be meant for a user, whom it does not tell: the row would be counted and nobody would see why.
TEST(WasteFromPrometheus, AWordWithoutAColumnIsRefusedAsAFilter) {
  for (const char* filter : {"ci", "kind=idle !ci", "node=n1 | ci"}) {
    Asked asked;
    asked.options.except = usage::exceptions_of(filter).value();
    EXPECT_EQ(asked.run(run_waste), kUsage) << filter << asked.out.str();
    EXPECT_NE(asked.err.str().find("has a word without a column"), std::string::npos) << asked.err.str();
    EXPECT_NE(asked.err.str().find("--waste-except with kind, node"), std::string::npos) << asked.err.str();
  }
}

// It knows no users: "no owner is to be told of anything" would have been said of any waste.
TEST(WasteFromPrometheus, TextsToOwnersAreRefusedSinceItKnowsNone) {
  Asked asked;
  asked.options.messages = true;
  EXPECT_EQ(asked.run(run_waste), kUsage);
  EXPECT_EQ(asked.out.str(), "");
  EXPECT_NE(asked.err.str().find("Prometheus does not tell users or accounts"), std::string::npos)
      << asked.err.str();
}

}  // namespace
}  // namespace tessera::cli::kept_use_story
