// tessera waste over recordings: what is known, and what is not.
#include <gtest/gtest.h>

#include <sstream>

#include "engine/time.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/json_check.hpp"
#include "tests/tui/cli/fake_runs.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/record/usage.hpp"

namespace tessera::cli::waste_story {
namespace {

// Rounds a minute apart, in which alice holds a whole GPU of n1.
class Held final : public record::Recording {
 public:
  Held(std::string cluster, int minutes, std::optional<float> use, int others = 0)
      : name_(std::move(cluster)), minutes_(minutes), use_(use), others_(others) {}
  const ClusterName& cluster() const override { return name_; }
  std::optional<record::Covered> covered() override {
    return record::Covered{test::at(0), test::at(60 * minutes_)};
  }
  Result<Model> at(TimePoint) override { return Error{"not asked for", "", ""}; }
  Result<std::vector<history::KeptFigures>> figures(const std::vector<NodeName>&, TimePoint, TimePoint,
                                                    const std::function<bool()>&) override {
    return Error{"not asked for", "", ""};
  }
  Status rounds(TimePoint, TimePoint, const std::function<bool(const record::Round&)>& see) override {
    Model model;
    const auto tell = [&](decltype(Event::what) what, TimePoint at) {
      reduce(model, {name_, 0, at, std::move(what)});
    };
    tell(ClusterSeen{Scheduler::slurm, false, "slurm 24.11", "", ""}, test::at(0));
    tell(NodesListed{{test::node("n1", {test::gpu(0, Strategy::whole, {test::whole(0)})})}}, test::at(0));
    std::vector<Workload> work{test::running("1", "alice", {test::holds("n1", {{0, 1}})})};
    for (int i = 0; i < others_; ++i)
      work.push_back(test::running(std::to_string(10 + i), "bob", {test::holds_some("n1", "1g.10gb", 2)}));
    tell(WorkloadsListed{work}, test::at(0));
    tell(Loaded{}, test::at(0));
    const std::set<std::string> none;
    for (int minute = 0; minute <= minutes_; ++minute) {
      const TimePoint at = test::at(60 * minute);
      GpuFigures figures;
      figures.gpu = GpuIndex{0};
      figures.figures.use = Percent{use_.value_or(0)};
      figures.figures.memory_used = Mib{70'000};
      if (use_) tell(Measured{NodeName("n1"), Source::dcgm, at, {figures}}, at);
      if (!see({model.clusters.front(), at, none})) break;
    }
    return Done{};
  }

 private:
  ClusterName name_;
  int minutes_;
  std::optional<float> use_;
  int others_;
};

struct Asked {
  Options options;
  std::function<std::vector<std::unique_ptr<record::Recording>>()> recorded;
  std::ostringstream out, err;

  Asked() { options.recording = "F"; }
  int run(int (*command)(const Options&, const mig::Catalogue&, const Joins&, const Streams&) = run_waste) {
    test::Box box;
    Joins joins{box, box, {}, {}, [] { return test::at(0); }, {}, false};
    joins.recordings = [&](const std::string&) {
      return Result<std::vector<std::unique_ptr<record::Recording>>>(recorded());
    };
    out.str(""), err.str("");
    return command(options, test::catalogue(), joins, Streams{out, err});
  }
  void held(int minutes, std::optional<float> use, int others = 0) {
    recorded = [=] {
      std::vector<std::unique_ptr<record::Recording>> all;
      all.push_back(std::make_unique<Held>("hpc", minutes, use, others));
      return all;
    };
  }
  bool says(const std::string& text) const { return out.str().find(text) != std::string::npos; }
};

TEST(WasteCommand, ARecordingWithoutAFigureOfUseSaysThatNothingIsKnownAndNotThatNothingWasWasted) {
  Asked asked;
  asked.held(120, std::nullopt);
  EXPECT_EQ(asked.run(), kUnknown);
  EXPECT_FALSE(asked.says("Nothing that was held")) << asked.out.str();
  EXPECT_TRUE(asked.says("What was wasted is not known.")) << asked.out.str();
  EXPECT_TRUE(asked.says("too-big is n/a in hpc: no use of what was held was measured")) << asked.out.str();
  asked.options.more_than = 1'000;
  EXPECT_EQ(asked.run(), kUnknown) << "it may be more than that";
  asked.options.output = OutputFormat::json;
  EXPECT_EQ(asked.run(), kUnknown);
  EXPECT_EQ(test::check_schema(test::schema_text("waste"), asked.out.str()), std::vector<std::string>{});
  EXPECT_TRUE(asked.says("\"kind\": \"idle\"")) << asked.out.str();
}

TEST(WasteCommand, WhatWasMeasuredAndUsedIsNothingWasted) {
  Asked asked;
  asked.held(120, 90.0F);
  asked.options.more_than = 0;
  EXPECT_EQ(asked.run(), kDone) << asked.out.str();
  EXPECT_TRUE(asked.says("Nothing that was held was idle or too large.")) << asked.out.str();
  EXPECT_FALSE(asked.says("idle is n/a")) << asked.out.str();
}

TEST(WasteCommand, SeveralClustersAreToldApartInTheTableAndAlwaysInCsv) {
  Asked asked;
  asked.held(120, 0.0F);
  asked.run();
  EXPECT_FALSE(asked.says("CLUSTER")) << asked.out.str();
  asked.recorded = [] {
    std::vector<std::unique_ptr<record::Recording>> all;
    for (const char* cluster : {"hpc", "lab"}) all.push_back(std::make_unique<Held>(cluster, 120, 0.0F));
    return all;
  };
  asked.run();
  EXPECT_TRUE(asked.says("CLUSTER")) << asked.out.str();
  EXPECT_TRUE(asked.says("parked  lab")) << asked.out.str();
  EXPECT_TRUE(asked.says("2.0 h of it recorded")) << "of both together\n" << asked.out.str();
  asked.held(120, 0.0F);
  asked.options.output = OutputFormat::csv;
  asked.run();
  EXPECT_TRUE(asked.out.str().starts_with("kind,cluster,slice_hours,")) << asked.out.str();
  EXPECT_TRUE(asked.says("parked,hpc,")) << asked.out.str();
}

TEST(WasteCommand, WhatIsHeldOnSlicesThatAreNotReportedIsInTheRowOfItsUser) {
  Asked asked;
  asked.held(60, 90.0F, 1);
  EXPECT_EQ(asked.run(run_usage), kDone);
  EXPECT_TRUE(asked.says("bob")) << asked.out.str();
  EXPECT_FALSE(asked.says("100 % of held hours")) << asked.out.str();
  EXPECT_TRUE(asked.says("2.0 h were held on slices that are not reported")) << asked.out.str();
}

TEST(WasteCommand, TextsToOwnersNameTheClusterAndTheTimeAndAreADocumentOnRequest) {
  Asked asked;
  asked.held(120, 0.0F);
  asked.options.messages = true;
  EXPECT_EQ(asked.run(), kDone);
  EXPECT_TRUE(asked.says("To: alice\n")) << asked.out.str();
  EXPECT_TRUE(asked.says("1 whole on n1 of hpc: 16.0 slice-hours parked")) << asked.out.str();
  EXPECT_TRUE(asked.says("  (" + utc_text(test::at(0)) + "/" + utc_text(test::at(7200)) + ")\n"))
      << asked.out.str();
  asked.options.output = OutputFormat::json;
  EXPECT_EQ(asked.run(), kDone);
  EXPECT_EQ(test::check_schema(test::schema_text("messages"), asked.out.str()), std::vector<std::string>{});
  EXPECT_TRUE(asked.says("\"to\": \"alice\"")) << asked.out.str();
}

TEST(WasteCommand, TheBoundIsOnSliceHours) {
  Asked asked;
  asked.held(120, 0.0F);
  EXPECT_EQ(asked.run(), kDone);
  EXPECT_TRUE(asked.says("parked")) << asked.out.str();
  asked.options.more_than = 15;
  EXPECT_EQ(asked.run(), kFinding) << "sixteen slice-hours";
  asked.options.more_than = 17;
  EXPECT_EQ(asked.run(), kDone);
}

}  // namespace
}  // namespace tessera::cli::waste_story
