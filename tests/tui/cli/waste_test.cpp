// tessera waste over recordings: what is known, and what is not.
#include "tui/cli/record/waste.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <sstream>

#include "engine/time.hpp"
#include "engine/usage/reckoning.hpp"
#include "tests/backends/sim/worlds.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/json_check.hpp"
#include "tests/support/session.hpp"
#include "tests/tui/cli/fake_runs.hpp"
#include "tests/tui/cli/options_from.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/record/usage.hpp"

namespace tessera::cli::waste_story {
namespace {

// Rounds a minute apart, in which alice holds a whole GPU of n1.
class Held final : public record::Recording {
 public:
  Held(std::string cluster, int minutes, std::optional<float> use, int others = 0, std::string user = "alice")
      : name_(std::move(cluster)),
        minutes_(minutes),
        measured_(minutes),
        use_(use),
        others_(others),
        user_(std::move(user)) {}
  // Then its exporter is silent.
  Held&& measured_for(int minutes) && { return measured_ = minutes, std::move(*this); }
  const ClusterName& cluster() const override { return name_; }
  std::optional<record::Covered> covered() override {
    return record::Covered{test::at(0), test::at(60 * minutes_)};
  }
  Result<Model> at(TimePoint) override { return Error{"not asked for", "", ""}; }
  Result<std::vector<history::KeptFigures>> figures(const std::vector<NodeName>&, TimePoint, TimePoint,
                                                    const std::function<bool()>&) override {
    return Error{"not asked for", "", ""};
  }
  Status rounds(TimePoint, TimePoint to, const std::function<bool(const record::Round&)>& see) override {
    Model model;
    const auto tell = [&](decltype(Event::what) what, TimePoint at) {
      reduce(model, {name_, 0, at, std::move(what)});
    };
    tell(ClusterSeen{Scheduler::slurm, false, "slurm 24.11", "", ""}, test::at(0));
    tell(NodesListed{{test::node("n1", {test::gpu(0, Strategy::whole, {test::whole(0)})})}}, test::at(0));
    std::vector<Workload> work{test::running("1", user_, {test::holds("n1", {{0, 1}})})};
    work.front().account = "physics", work.front().group = "gpu";
    for (int i = 0; i < others_; ++i)
      work.push_back(test::running(std::to_string(10 + i), "bob", {test::holds_some("n1", "1g.10gb", 2)}));
    tell(WorkloadsListed{work}, test::at(0));
    tell(Loaded{}, test::at(0));
    const std::set<std::string> none;
    for (int minute = 0; minute <= minutes_ && test::at(60 * minute) <= to; ++minute) {
      const TimePoint at = test::at(60 * minute);
      GpuFigures figures;
      figures.gpu = GpuIndex{0};
      figures.figures.use = Percent{use_.value_or(0)};
      figures.figures.memory_used = Mib{70'000};
      if (use_ && minute <= measured_) tell(Measured{NodeName("n1"), Source::dcgm, at, {figures}}, at);
      if (!see({model.clusters.front(), at, none})) break;
    }
    return Done{};
  }

 private:
  ClusterName name_;
  int minutes_, measured_;
  std::optional<float> use_;
  int others_;
  std::string user_;
};

// Five hours of a simulated cluster, a round a minute.
class Simulated final : public record::Recording {
 public:
  explicit Simulated(sim::World world) : world_(std::move(world)), name_("hpc") {}
  const ClusterName& cluster() const override { return name_; }
  std::optional<record::Covered> covered() override {
    return record::Covered{world_.start, world_.start + std::chrono::hours(5)};
  }
  Result<Model> at(TimePoint) override { return Error{"not asked for", "", ""}; }
  Result<std::vector<history::KeptFigures>> figures(const std::vector<NodeName>&, TimePoint, TimePoint,
                                                    const std::function<bool()>&) override {
    return Error{"not asked for", "", ""};
  }
  Status rounds(TimePoint, TimePoint to, const std::function<bool(const record::Round&)>& see) override {
    const std::set<std::string> none;
    for (sim::World world = world_; world.now <= to; world.advance(world.now + std::chrono::minutes(1))) {
      const Model model = sim::model_of(world);
      if (!see({model.clusters.front(), world.now, none})) break;
    }
    return Done{};
  }

 private:
  sim::World world_;
  ClusterName name_;
};

std::vector<std::unique_ptr<record::Recording>> simulated_rogues() {
  std::vector<std::unique_ptr<record::Recording>> all;
  all.push_back(std::make_unique<Simulated>(sim::world_with_rogues()));
  return all;
}

struct Asked {
  Options options;
  std::function<std::vector<std::unique_ptr<record::Recording>>()> recorded;
  std::ostringstream out, err;
  std::function<Status(const std::vector<std::string>&, const std::string&)> run_command = {};

  Asked() { options.recording = "F"; }
  int run(int (*command)(const Options&, const mig::Catalogue&, const Joins&, const Streams&) = run_waste) {
    test::Box box;
    Joins joins{box, box, {}, {}, [] { return test::at(0); }, {}, false};
    joins.run_command = run_command;
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
  EXPECT_TRUE(asked.says("idle, parked and too-big are n/a in hpc: no use of what was held was measured\n"))
      << asked.out.str();
  EXPECT_FALSE(asked.says("parked is n/a")) << "what one line has told\n" << asked.out.str();
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

// A script took "nothing found" of a cluster of which half was measured for an all-clear.
TEST(WasteCommand, WhereTooLittleWasMeasuredNothingFoundIsNotNothingWasted) {
  Asked asked;
  const auto measured_for = [&](int minutes, float use) {
    asked.recorded = [=] {
      std::vector<std::unique_ptr<record::Recording>> all;
      all.push_back(std::make_unique<Held>(Held("hpc", 120, use).measured_for(minutes)));
      return all;
    };
  };
  measured_for(60, 90);
  EXPECT_EQ(asked.run(), kDone) << "a list is what is known";
  EXPECT_EQ(asked.err.str(), "");
  asked.options.more_than = 0;
  EXPECT_EQ(asked.run(), kUnknown);
  EXPECT_NE(asked.err.str().find("hpc: use is known of 58 % of the hours held, and 80 % are required"),
            std::string::npos)
      << asked.err.str();
  EXPECT_NE(
      asked.err.str().find("let Prometheus tell their figures (docs/time.md); --waste-except cluster=hpc "
                           "leaves out this cluster"),
      std::string::npos)
      << asked.err.str();
  EXPECT_TRUE(asked.says(
      "Nothing idle or too large was found, but use is known of 58 % of the hours held in hpc only."))
      << asked.out.str();
  asked.options.output = OutputFormat::json;
  EXPECT_EQ(asked.run(), kUnknown);
  EXPECT_EQ(test::check_schema(test::schema_text("waste"), asked.out.str()), std::vector<std::string>{});
  EXPECT_EQ(test::json_at(asked.out.str(), "/use_known/0/cluster"), "\"hpc\"");
  asked.options.output = OutputFormat::table;
  measured_for(100, 90);
  EXPECT_EQ(asked.run(), kDone) << "110 of 120 minutes: a figure speaks for ten\n" << asked.err.str();
  EXPECT_EQ(asked.err.str(), "");
  measured_for(60, 0);
  EXPECT_EQ(asked.run(), kFinding) << "what is known is more than that already";
}

// The simulator knows how long each is there (tests/backends/sim/worlds.hpp).
TEST(WasteCommand, ProcessesOfNoJobAreFoundForAsLongAsTheyWereThere) {
  Asked asked;
  asked.recorded = simulated_rogues;
  asked.options.output = OutputFormat::csv;
  asked.run();
  for (const char* row : {"rogue,hpc,24.00,3.00,,,whole,n1,", "rogue,hpc,4.00,1.00,,,3g.40gb,n1,",
                          "rogue,hpc,0.67,0.08,,,whole,n1,", "rogue,hpc,0.00,1.00,,,whole,n1,"})
    EXPECT_TRUE(asked.says(row)) << row << "\n" << asked.out.str();
  EXPECT_TRUE(asked.says("(a.out) (GPU 0)")) << asked.out.str();
}

TEST(WasteCommand, TheScreenShowsProcessesOfNoJobAsTheCommandDoes) {
  const auto recordings = simulated_rogues();
  auto read = usage::reckon(recordings, {}, test::catalogue());
  ASSERT_TRUE(read) << to_line(read.error());
  test::Session session(sim::model_of(sim::world_with_rogues()), {200, 60});
  session.state.usage.read = std::make_shared<const usage::Reckoning>(std::move(*read));
  session.press(":waste<enter>");
  EXPECT_TRUE(session.shows("rogue 28.7")) << "slice-hours of all four\n" << session.screen();
  EXPECT_NE(session.line_with(" 24.0 ").find("rogue"), std::string::npos) << session.screen();
  EXPECT_TRUE(session.shows("used by no job or pod that is known")) << session.screen();
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
  // alice's GPU for an hour is measured; bob's two, of a node whose GPUs are whole, are not: one of three.
  EXPECT_TRUE(asked.says("; 33 % of held hours have use figures;")) << asked.out.str();
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

TEST(WasteCommand, TheLimitsThatCountedAreTold) {
  Asked asked;
  asked.held(120, 0.0F);
  EXPECT_EQ(asked.run(), kDone);
  EXPECT_TRUE(asked.says("\nparked ")) << asked.out.str();
  EXPECT_TRUE(asked.says("counted as idle below 1 % for 15 min, as parked from 30 % of memory"))
      << asked.out.str();
  asked.options.limits = options_from({"waste", "--parked-from", "95%", "--idle-after", "1h"}).limits;
  asked.run();
  EXPECT_FALSE(asked.says("\nparked ")) << asked.out.str();
  EXPECT_TRUE(asked.says("\nidle ")) << asked.out.str();
  EXPECT_TRUE(asked.says("counted as idle below 1 % for 1 h 00 min, as parked from 95 % of memory"))
      << asked.out.str();
  asked.options.output = OutputFormat::json;
  asked.run();
  EXPECT_EQ(test::check_schema(test::schema_text("waste"), asked.out.str()), std::vector<std::string>{});
  EXPECT_TRUE(asked.says("\"parked_from_percent\": 95")) << asked.out.str();
  EXPECT_TRUE(asked.says("\"idle_after_s\": 3600")) << asked.out.str();
}

// A GPU that goes from 2 % to 9 % is not written again: with 5 it stayed "idle".
TEST(WasteCommand, WhatARecordingTellsOnlyRoughlyIsNotCalledIdle) {
  for (auto* command : {run_waste, run_usage})
    for (const char* below : {"5", "0.5"}) {
      Asked asked;
      asked.held(120, 3.0F);
      asked.options.limits = options_from({"waste", "--idle-below", below}).limits;
      EXPECT_EQ(asked.run(command), kUnknown);
      EXPECT_EQ(asked.out.str(), "");
      EXPECT_NE(asked.err.str().find(std::string("idle-below is ") + below +
                                     ", and a recording tells exactly what was used below 1 %"),
                std::string::npos)
          << asked.err.str();
    }
}

TEST(WasteCommand, CsvHasAccountAndGroupBehindTheOthers) {
  Asked asked;
  asked.held(120, 0.0F);
  asked.options.output = OutputFormat::csv;
  asked.run();
  EXPECT_TRUE(asked.out.str().starts_with(
      "kind,cluster,slice_hours,hours,user,workload,profile,node,advice,account,group\nparked,hpc,"))
      << asked.out.str();
  EXPECT_TRUE(asked.says(",physics,gpu\n")) << asked.out.str();
}

TEST(UsageCommand, ByNodeAndProfileItIsNotKnownHowLongWasWaited) {
  Asked asked;
  asked.held(120, 90.0F);
  for (const char* by : {"node", "profile", "user"}) {
    const bool known = std::string(by) == "user";
    asked.options.by = by, asked.options.output = OutputFormat::table;
    EXPECT_EQ(asked.run(run_usage), kDone);
    EXPECT_EQ(asked.says(" n/a\n"), !known) << asked.out.str();
    asked.options.output = OutputFormat::csv;
    asked.run(run_usage);
    EXPECT_EQ(asked.says(",0.00\n"), known) << asked.out.str();
    asked.options.output = OutputFormat::json;
    asked.run(run_usage);
    EXPECT_EQ(test::check_schema(test::schema_text("usage"), asked.out.str()), std::vector<std::string>{});
    EXPECT_EQ(test::json_at(asked.out.str(), "/usage/0/waiting_hours"), known ? "0.0" : "null");
  }
}

// Test jobs without exporters, which the site excepts, made --more-than end with 3 for ever.
TEST(WasteCommand, WhatTheSiteExceptsNeedsNoFigures) {
  Asked asked;
  asked.recorded = [] {
    std::vector<std::unique_ptr<record::Recording>> all;
    all.push_back(std::make_unique<Held>("hpc", 120, 90.0F));
    all.push_back(std::make_unique<Held>("lab", 120, std::nullopt, 0, "ci"));
    return all;
  };
  const auto code_with = [&](const char* except) {
    asked.options.except =
        *except == '\0' ? nullptr : options_from({"waste", "--waste-except", except}).except;
    return asked.run();
  };
  asked.options.more_than = 0;
  EXPECT_EQ(code_with(""), kUnknown);
  EXPECT_NE(asked.err.str().find("lab: use is known of 0 %"), std::string::npos) << asked.err.str();
  EXPECT_EQ(code_with("user=ci"), kDone) << asked.err.str();
  EXPECT_EQ(code_with("cluster=lab"), kDone) << asked.err.str();
  EXPECT_EQ(code_with("user=ci kind=idle"), kUnknown) << "what is parked there counts";
  EXPECT_EQ(code_with("user=alice"), kUnknown);
}

TEST(WasteCommand, WhatTheSiteExceptsIsToldAsLeftOutAndCountsTowardsNoBound) {
  Asked asked;
  asked.held(120, 0.0F);
  asked.options.except = options_from({"waste", "--waste-except", "user=alice kind=parked"}).except;
  asked.options.more_than = 1;
  EXPECT_EQ(asked.run(), kDone) << "sixteen slice-hours are left out";
  EXPECT_TRUE(asked.says("Nothing else that was held was idle or too large.")) << asked.out.str();
  EXPECT_TRUE(
      asked.says("rows left out by waste-except (user=alice kind=parked): 1; parked 16.0 slice-hours\n"))
      << asked.out.str();
  EXPECT_FALSE(asked.says("JOB/POD"));
  asked.options.output = OutputFormat::wide;
  asked.run();
  EXPECT_TRUE(asked.says("JOB/POD")) << "-o wide lists them\n" << asked.out.str();
  asked.options.output = OutputFormat::json;
  asked.run();
  EXPECT_EQ(test::check_schema(test::schema_text("waste"), asked.out.str()), std::vector<std::string>{});
  EXPECT_TRUE(asked.says("\"filter\": \"user=alice kind=parked\"")) << asked.out.str();
  asked.options.messages = true, asked.options.output = OutputFormat::table;
  asked.run();
  EXPECT_EQ(asked.out.str(), "") << "who is excepted gets no text";
  asked.options.messages = false;
  asked.options.except = options_from({"waste", "--waste-except", "user=bob"}).except;
  EXPECT_EQ(asked.run(), kFinding);
  EXPECT_TRUE(asked.says("waste-except (user=bob) leaves nothing out\n")) << asked.out.str();
}

// What a setting of waste is refused with.
std::string refused(const std::string& flag, const std::string& value) {
  auto parsed = parse_arguments({"waste", "--" + flag, value});
  if (!parsed) return to_line(parsed.error());
  auto settings = gather(*parsed, {}, {});
  auto options = to_options(*parsed, *settings);
  return options ? "" : to_line(options.error());
}

TEST(WasteSettings, ALimitThatMakesNoSenseIsRefusedWithWhatItMayBe) {
  for (const auto& [flag, values] : std::map<std::string, std::vector<std::string>>{
           {"idle-below", {"0", "-1", "101", "x", "nan", "5 percent"}},
           {"parked-from", {"0", "200"}},
           {"too-big-spare", {"-1", "401", "inf"}},
           {"too-big-percentile", {"49", "100.5"}},
           {"rogue-memory", {"0", "1e9"}},
           {"rogue-after", {"0", "2d"}}})
    for (const std::string& value : values)
      EXPECT_NE(refused(flag, value).find("--" + flag + ": \"" + value + "\""), std::string::npos)
          << flag << " " << value << ": " << refused(flag, value);
  EXPECT_EQ(refused("idle-below", "2.5"), "");
  EXPECT_EQ(refused("idle-below", "5 %"), "");
}

TEST(WasteSettings, AFilterThatCannotBeReadIsRefusedWithWhatIsWrong) {
  EXPECT_NE(refused("waste-except", "owner=ci").find("there is no column \"owner\""), std::string::npos);
  EXPECT_NE(refused("waste-except", "user=ci or user=bob").find("no operators"), std::string::npos);
  EXPECT_NE(refused("owner-command", "mail -s waste").find("{user} must stand in it"), std::string::npos);
  EXPECT_NE(refused("owner-command", "mail 'open {user}").find("owner-command"), std::string::npos);
  EXPECT_EQ(refused("owner-command", "mail -s 'GPUs held' {user}"), "");
}

TEST(WasteCommand, EachOwnersTextIsHandedToTheSitesCommandByItself) {
  Asked asked;
  asked.held(120, 0.0F);
  asked.options.messages = asked.options.send = true;
  asked.options.owner_command = {"mail", "-s", "GPUs of {user}", "{user}@site"};
  std::vector<std::vector<std::string>> run;
  std::string input;
  asked.run_command = [&](const std::vector<std::string>& argv, const std::string& text) -> Status {
    run.push_back(argv), input = text;
    return Done{};
  };
  EXPECT_EQ(asked.run(), kDone) << asked.err.str();
  ASSERT_EQ(run.size(), 1u);
  EXPECT_EQ(run[0], (std::vector<std::string>{"mail", "-s", "GPUs of alice", "alice@site"}));
  EXPECT_NE(input.find("1 whole on n1 of hpc: 16.0 slice-hours parked"), std::string::npos) << input;
  EXPECT_EQ(asked.out.str(), "alice was told\n");
  asked.run_command = [](const std::vector<std::string>&, const std::string&) -> Status {
    return Error{"cannot run the command", "it ended with 75: mail queue is full", "run it by hand: mail"};
  };
  EXPECT_EQ(asked.run(), kUnknown);
  EXPECT_NE(asked.err.str().find("cannot tell alice: it ended with 75: mail queue is full"),
            std::string::npos)
      << asked.err.str();
  EXPECT_EQ(asked.out.str(), "") << "who was not told is not named as told";
}

TEST(WasteCommand, AnOwnersNameThatAProgramCouldTakeForAnOptionIsNotHandedToIt) {
  for (const char* user : {"-rf", "../etc", "a b", "$(id)"}) {
    Asked asked;
    asked.recorded = [user] {
      std::vector<std::unique_ptr<record::Recording>> all;
      all.push_back(std::make_unique<Held>("hpc", 120, 0.0F, 0, user));
      return all;
    };
    asked.options.messages = asked.options.send = true;
    asked.options.owner_command = {"mail", "{user}"};
    asked.run_command = [](const std::vector<std::string>&, const std::string&) -> Status {
      ADD_FAILURE() << "run";
      return Done{};
    };
    EXPECT_EQ(asked.run(), kUnknown);
    EXPECT_NE(asked.err.str().find(std::string("cannot tell ") + user), std::string::npos) << asked.err.str();
  }
}

TEST(UsageCommand, AtEndsTheTimeThatIsSummedUp) {
  Asked asked;
  asked.held(120, 0.0F);
  asked.options.command = "usage", asked.options.at = utc_text(test::at(3600));
  EXPECT_EQ(asked.run(run_usage), kDone) << asked.err.str();
  EXPECT_TRUE(asked.says("to " + utc_text(test::at(3600)) + ", 1.0 h of it recorded")) << asked.out.str();
  asked.options.at = "2020-01-01T00:00Z";
  EXPECT_EQ(asked.run(run_usage), kUnknown);
  EXPECT_NE(asked.err.str().find("nothing is recorded before 2020-01-01T00:00:00Z"), std::string::npos)
      << asked.err.str();
  asked.options.at = "soon";
  EXPECT_EQ(asked.run(run_usage), kUnknown);
}

TEST(WasteCommand, SendingWithoutACommandOrWithoutMessagesIsRefusedBeforeAnythingIsRead) {
  Asked asked;
  asked.recorded = []() -> std::vector<std::unique_ptr<record::Recording>> {
    ADD_FAILURE() << "read";
    return {};
  };
  asked.options.send = true;
  asked.options.owner_command = {"mail", "{user}"};
  asked.run_command = [](const std::vector<std::string>&, const std::string&) -> Status { return Done{}; };
  EXPECT_EQ(asked.run(), kUsage);
  EXPECT_NE(asked.err.str().find("--messages --send"), std::string::npos) << asked.err.str();
  asked.options.messages = true;
  asked.options.owner_command.clear();
  EXPECT_EQ(asked.run(), kUsage);
  EXPECT_NE(asked.err.str().find("owner-command is not set"), std::string::npos) << asked.err.str();
}

// Lines that say who was told are no JSON, and texts of many lines no CSV: a program would read something
// else.
TEST(WasteCommand, FormatsInWhichSendingOrTextsCannotBeToldAreRefusedBeforeAnyoneIsTold) {
  Asked asked;
  asked.held(120, 0.0F);
  asked.options.messages = asked.options.send = true;
  asked.options.owner_command = {"mail", "{user}"};
  asked.run_command = [](const std::vector<std::string>&, const std::string&) -> Status {
    ADD_FAILURE() << "someone was told";
    return Done{};
  };
  for (const OutputFormat format : {OutputFormat::json, OutputFormat::yaml, OutputFormat::csv}) {
    asked.options.output = format;
    EXPECT_EQ(asked.run(), kUsage);
  }
  EXPECT_NE(asked.err.str().find("--send prints who was told"), std::string::npos) << asked.err.str();
  asked.options.send = false;
  EXPECT_EQ(asked.run(), kUsage) << "CSV";
  EXPECT_NE(asked.err.str().find("-o json has each owner and text"), std::string::npos) << asked.err.str();
  EXPECT_TRUE(asked.out.str().empty()) << asked.out.str();
}

}  // namespace
}  // namespace tessera::cli::waste_story
