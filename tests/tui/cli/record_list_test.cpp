// tessera record list: what is in a recording and what is missing, for people and for scripts.
#include <gtest/gtest.h>

#include <sstream>
#include <utility>

#include "tests/support/catalogue.hpp"
#include "tests/support/json_check.hpp"
#include "tests/tui/cli/fake_runs.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/record/list.hpp"
#include "tui/cli/record/record.hpp"

namespace tessera::cli::list_story {
namespace {

using record::DayFile;
using record::Stop;
using test::at;

// Has these files, the last of which holds the newest round.
class Files final : public record::Recording {
 public:
  Files(std::string name, std::vector<DayFile> files, bool simulated, int* asked)
      : name_(std::move(name)), files_(std::move(files)), simulated_(simulated), asked_(asked) {}
  const ClusterName& cluster() const override { return name_; }
  std::optional<record::Covered> covered() override { return files_.back().rounds; }
  Result<Model> at(TimePoint time) override {
    ++*asked_;
    Model model;
    reduce(model, {name_, 0, time, ClusterSeen{Scheduler::slurm, simulated_, "", "", "id"}});
    return model;
  }
  Result<std::vector<DayFile>> days() override { return files_; }
  Result<std::vector<history::KeptFigures>> figures(const std::vector<NodeName>&, TimePoint, TimePoint,
                                                    const std::function<bool()>&) override {
    return Error{"not asked for", "", ""};
  }
  Status rounds(TimePoint, TimePoint, const std::function<bool(const record::Round&)>&) override {
    return Done{};
  }

 private:
  ClusterName name_;
  std::vector<DayFile> files_;
  bool simulated_;
  int* asked_;  // times that a moment was read
};

DayFile file(int from, int to, std::optional<Stop> stop) {
  DayFile one;
  one.name = "2027-01-15.jsonl.zst", one.bytes = 2'048, one.count = 3, one.every = Duration{60'000};
  one.rounds = record::Covered{at(from), at(to)}, one.stop = stop;
  return one;
}

struct Listing {
  std::vector<DayFile> files;
  std::string name = "hpc";
  bool simulated = false;
  int now = 0;    // seconds
  int asked = 0;  // times that a moment was read
  Options options;
  std::ostringstream out, err;
  int run() { return run(run_record); }
  int diff() { return run(run_diff); }
  int run(int (*what)(const Options&, const mig::Catalogue&, const Joins&, const Streams&)) {
    options.recording = "F";
    if (options.words.empty()) options.words = {"list"};
    test::Box box;
    Joins joins{box, box, {}, {}, [&] { return at(now); }, {}, false};
    joins.recordings = [&](const std::string&) {
      std::vector<std::unique_ptr<record::Recording>> all;
      all.push_back(std::make_unique<Files>(name, files, simulated, &asked));
      return Result<std::vector<std::unique_ptr<record::Recording>>>(std::move(all));
    };
    out.str(""), err.str("");
    return what(options, test::catalogue(), joins, Streams{out, err});
  }
  bool says(const std::string& text) const { return out.str().find(text) != std::string::npos; }
};

TEST(RecordList, ARecorderThatWasCutOffIsAFindingAndOneThatIsAtWorkIsNot) {
  Listing list;
  list.files = {file(0, 120, Stop::cut)};
  list.now = 180;
  EXPECT_EQ(list.run(), kDone) << list.out.str();
  EXPECT_TRUE(list.says("open")) << list.out.str();
  list.now = 7'200;
  EXPECT_EQ(list.run(), kFinding);
  EXPECT_TRUE(list.says("cut-off")) << list.out.str();
  list.files = {file(0, 120, Stop::ended)};
  EXPECT_EQ(list.run(), kDone) << "somebody has ended it";
  EXPECT_TRUE(list.says("ended"));
}

// The recorder that wrote it tells no end: that it still runs is not so.
TEST(RecordList, AnOldNewestFileOfAVersionThatTellsNoEndIsAFinding) {
  Listing list;
  list.files = {file(0, 120, Stop::unknown)};
  list.now = 7'200;
  EXPECT_EQ(list.run(), kFinding);
  EXPECT_TRUE(list.says("unknown")) << list.out.str();
  list.now = 180;
  EXPECT_EQ(list.run(), kDone) << "it may be at work";
}

TEST(RecordList, AKillThatIsLongOverIsShownAndAsksForNothing) {
  Listing list;
  list.files = {file(0, 120, Stop::cut), file(90'000, 90'060, Stop::ended)};
  list.now = 90'100;
  list.files[1].gaps = 1, list.files[1].missing = Duration{89'880'000};
  EXPECT_EQ(list.run(), kDone);
  EXPECT_TRUE(list.says("25.0 h")) << list.out.str();
}

TEST(RecordList, ADamagedFileIsToldWithItsReason) {
  Listing list;
  DayFile broken = file(0, 0, {});
  broken.rounds.reset();
  broken.failure = Error{"cannot read the recording", "byte 41 is not compressed with zstd", ""};
  list.files = {broken, file(90'000, 90'060, Stop::ended)};
  EXPECT_EQ(list.run(), kFinding);
  EXPECT_TRUE(list.says("damaged: byte 41 is not compressed with zstd")) << list.out.str();
}

TEST(RecordList, WhatCanBeDoneAboutADamagedFileIsToldBesideTheList) {
  Listing list;
  DayFile part = file(0, 120, {}), none = file(90'000, 90'060, {});
  part.failure = Error{"cannot read the recording", "its frame of noon is damaged", ""};
  none.rounds.reset(), none.name = "2027-01-16.jsonl.zst";
  none.failure = Error{"cannot read the recording", "byte 0 does not begin a frame of a recording", ""};
  list.files = {part, none};
  EXPECT_EQ(list.run(), kFinding);
  EXPECT_TRUE(list.says("2027-01-15.jsonl.zst") && list.says("2027-01-16.jsonl.zst")) << list.out.str();
  const std::string told = list.err.str();
  EXPECT_NE(told.find("hpc 2027-01-15.jsonl.zst: its frame of noon is damaged"), std::string::npos) << told;
  EXPECT_NE(told.find("the rest is a gap"), std::string::npos) << told;
  EXPECT_NE(told.find("hpc 2027-01-16.jsonl.zst: byte 0"), std::string::npos) << told;
  EXPECT_NE(told.find("or move it away"), std::string::npos) << told;
}

TEST(RecordList, AClockThatWasSetBackIsShownAndIsNoFinding) {
  Listing list;
  list.files = {file(0, 120, Stop::ended)};
  list.files[0].set_back = 1, list.files[0].gaps = 1;
  list.now = 180;
  EXPECT_EQ(list.run(), kDone);
  EXPECT_TRUE(list.says("ended, set-back")) << list.out.str();
}

TEST(RecordList, RoundsAheadOfTheClockAreAFindingUnlessTheClusterIsSimulated) {
  Listing list;
  list.files = {file(0, 120, {}), file(90'000, 90'060, Stop::cut)};
  list.now = 200;
  EXPECT_EQ(list.run(), kFinding);
  EXPECT_TRUE(list.says("time-to-come")) << list.out.str();
  list.simulated = true;
  list.files[1].written = at(150);
  EXPECT_EQ(list.run(), kDone) << list.out.str();
}

// Its clock runs ahead: by that one the recorder would be at work for days to come.
TEST(RecordList, ASimulatedDayAheadOfTheClockIsOpenOnlyWhileItsFileIsWrittenTo) {
  Listing list;
  list.simulated = true;
  list.files = {file(0, 90'000, Stop::cut)};
  list.files[0].written = at(100);
  list.now = 160;
  EXPECT_EQ(list.run(), kDone);
  EXPECT_TRUE(list.says("open")) << list.out.str();
  list.now = 7'200;
  EXPECT_EQ(list.run(), kFinding);
  EXPECT_TRUE(list.says("cut-off")) << list.out.str();
  list.now = 400'000, list.files[0].written = at(399'990);
  EXPECT_EQ(list.run(), kDone) << "its clock is behind";
  EXPECT_TRUE(list.says("open")) << list.out.str();
}

// The days of a simulated cluster whose time runs fast are written within minutes: each of them was "open".
TEST(RecordList, OnlyTheNewestFileOfAClusterIsOpen) {
  Listing list;
  list.simulated = true;
  list.files = {file(0, 120, Stop::silent), file(90'000, 90'060, Stop::cut)};
  list.files[0].written = at(100), list.files[1].written = at(150);
  list.now = 160;
  EXPECT_EQ(list.run(), kDone) << list.out.str();
  EXPECT_TRUE(list.says("silent") && list.says("open")) << list.out.str();
}

TEST(RecordList, ARecorderThatHasJustBegunAgainIsNotCutOff) {
  Listing list;
  list.files = {file(0, 120, Stop::cut)};
  list.files[0].torn = true, list.files[0].written = at(7'190);
  list.now = 7'200;
  EXPECT_EQ(list.run(), kDone) << list.out.str();
  EXPECT_TRUE(list.says("open")) << list.out.str();
  list.now = 20'000;
  EXPECT_EQ(list.run(), kFinding);
  EXPECT_TRUE(list.says("cut-off")) << list.out.str();
}

// Each recording that is over cost a whole moment, only to say whose clock it went by.
TEST(RecordList, OfWhatEndsAlikeByEitherClockNoMomentIsRead) {
  Listing list;
  list.now = 90'000;
  list.files = {file(0, 120, std::nullopt), file(200, 300, Stop::ended)};
  EXPECT_EQ(list.run(), kDone);
  list.files = {file(0, 120, Stop::cut)};
  list.files[0].written = at(120);
  EXPECT_EQ(list.run(), kFinding);
  EXPECT_EQ(list.asked, 0);
  list.files[0].written = at(89'990);
  EXPECT_EQ(list.run(), kFinding) << "a copy";
  EXPECT_EQ(list.asked, 1);
}

TEST(RecordList, DocumentsKeepToTheirSchema) {
  Listing list;
  list.files = {file(0, 120, {}), file(90'000, 90'060, Stop::ended)};
  list.now = 90'100;
  list.files[0].every = Duration{0};
  list.options.output = OutputFormat::json;
  EXPECT_EQ(list.run(), kDone);
  EXPECT_EQ(test::check_schema(test::schema_text("record"), list.out.str()), std::vector<std::string>{});
  list.options.output = OutputFormat::csv;
  EXPECT_EQ(list.run(), kDone);
  EXPECT_TRUE(list.says("hpc,2027-01-15.jsonl.zst,")) << list.out.str();
}

// For scripts: what is configured wrongly is told from what cannot be read now, by every command alike.
TEST(RecordList, AFolderThatIsNotThereEndsWithThreeAndOneThatIsNotNamedWithTwoInDiffToo) {
  Options options;
  options.words = {"list"}, options.from = "-10m";
  test::Box box;
  Joins joins{box, box, {}, {}, [] { return at(0); }, {}, false};
  joins.recordings = [](const std::string&) {
    return Result<std::vector<std::unique_ptr<record::Recording>>>(
        Error{"cannot read the recording", "F: no file of a recording lies there", ""});
  };
  std::ostringstream out, err;
  const Streams streams{out, err};
  EXPECT_EQ(run_diff(options, test::catalogue(), joins, streams), kUsage);
  EXPECT_EQ(list_recording(options, joins, streams), kUsage);
  options.recording = "F";
  EXPECT_EQ(run_diff(options, test::catalogue(), joins, streams), kUnknown) << err.str();
  EXPECT_EQ(list_recording(options, joins, streams), kUnknown) << err.str();
  EXPECT_EQ(out.str(), "");
}

TEST(RecordList, ANarrowTerminalKeepsHowEachFileEnds) {
  for (const std::string name : {"hpc", "ml-platform-of-the-east"}) {
    Listing list;
    list.name = name, list.now = 90'100;
    list.options.paper.columns = 80;
    for (const std::optional<Stop> newest : {std::optional(Stop::ended), std::optional(Stop::cut)}) {
      list.files = {file(0, 120, Stop::ended), file(90'000, 90'060, newest)};
      (void)list.run();
      EXPECT_TRUE(list.says("ENDS") && list.says("ended")) << list.out.str();
      EXPECT_TRUE(list.says("2027-01-16T09:01:00Z")) << list.out.str();
    }
  }
}

TEST(RecordList, TheNewestRoundIsNotComparedWithItself) {
  Listing list;
  list.files = {file(0, 120, Stop::ended)};
  list.now = 180;
  list.options.from = "-30s";
  EXPECT_EQ(list.diff(), kUnknown);
  EXPECT_NE(list.err.str().find(", before --from"), std::string::npos) << list.err.str();
  EXPECT_EQ(list.out.str(), "");
  list.options.from = "now";
  EXPECT_EQ(list.diff(), kUsage);
  EXPECT_NE(list.err.str().find("--from is now"), std::string::npos) << list.err.str();
}

// Three shares of a GPU stay held, one goes, and one comes in its place.
class OneComesAndGoes final : public record::Recording {
 public:
  const ClusterName& cluster() const override { return name_; }
  std::optional<record::Covered> covered() override { return record::Covered{test::at(0), test::at(120)}; }
  Result<Model> at(TimePoint time) override {
    Model model;
    const auto tell = [&](auto what) { reduce(model, {name_, 0, time, std::move(what)}); };
    tell(ClusterSeen{Scheduler::slurm, false, "", "", "id"});
    tell(
        NodesListed{{test::node("n1", {test::gpu(0, Strategy::mps, {test::shared(SliceKind::mps, 4, 0)})})}});
    std::vector<Workload> work;
    for (const char* id : {"88101", "88102", "88103", time < test::at(60) ? "88104" : "88105"})
      work.push_back(test::running(id, "alice", {test::holds("n1", {{0}}, Family::mps)}));
    tell(WorkloadsListed{work});
    return model;
  }
  Result<std::vector<history::KeptFigures>> figures(const std::vector<NodeName>&, TimePoint, TimePoint,
                                                    const std::function<bool()>&) override {
    return Error{"not asked for", "", ""};
  }
  Status rounds(TimePoint, TimePoint, const std::function<bool(const record::Round&)>&) override {
    return Done{};
  }

 private:
  ClusterName name_{"hpc"};
};

// Both lists were cut to the same words, so that nothing seemed to have changed.
TEST(RecordDiff, WhoCameAndWhoWentIsReadInANarrowTerminal) {
  Options options;
  options.recording = "F", options.from = "2027-01-15T08:00:00Z", options.paper.columns = 80;
  test::Box box;
  Joins joins{box, box, {}, {}, [] { return at(120); }, {}, false};
  joins.recordings = [](const std::string&) {
    std::vector<std::unique_ptr<record::Recording>> all;
    all.push_back(std::make_unique<OneComesAndGoes>());
    return Result<std::vector<std::unique_ptr<record::Recording>>>(std::move(all));
  };
  std::ostringstream out, err, csv;
  ASSERT_EQ(run_diff(options, test::catalogue(), joins, {out, err}), kDone) << err.str();
  EXPECT_NE(out.str().find("alice 88104 "), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("alice 88105 "), std::string::npos) << out.str();
  EXPECT_EQ(out.str().find("alice 88101"), std::string::npos) << out.str();
  options.output = OutputFormat::csv;
  ASSERT_EQ(run_diff(options, test::catalogue(), joins, {csv, err}), kDone) << err.str();
  EXPECT_NE(csv.str().find("alice 88101, alice 88102"), std::string::npos) << csv.str();
}

// As OneComesAndGoes, but slurmctld gave no answer at either moment.
class GaveNoAnswer final : public record::Recording {
 public:
  const ClusterName& cluster() const override { return name_; }
  std::optional<record::Covered> covered() override { return record::Covered{test::at(0), test::at(120)}; }
  Result<Model> at(TimePoint time) override {
    Model model;
    const auto tell = [&](auto what, TimePoint when) { reduce(model, {name_, 0, when, std::move(what)}); };
    tell(ClusterSeen{Scheduler::slurm, false, "", "", "id"}, time);
    tell(NodesListed{{test::node("n1", {test::gpu(0, Strategy::whole, {test::whole(0)})})}}, time);
    tell(WorkloadsListed{{}}, time);
    tell(SourceReport{Source::slurm_nodes, {}, {}, "", false}, test::at(-600));
    tell(SourceReport{Source::slurm_nodes, Error{"no answer", "timed out", ""}, {}, "", false}, time);
    return model;
  }
  Result<std::vector<history::KeptFigures>> figures(const std::vector<NodeName>&, TimePoint, TimePoint,
                                                    const std::function<bool()>&) override {
    return Error{"not asked for", "", ""};
  }
  Status rounds(TimePoint, TimePoint, const std::function<bool(const record::Round&)>&) override {
    return Done{};
  }

 private:
  ClusterName name_{"hpc"};
};

TEST(RecordDiff, WhatGaveNoAnswerAtTheMomentsIsNamedAndNothingIsSaidToStand) {
  Options options;
  options.recording = "F", options.from = "2027-01-15T08:00:00Z";
  test::Box box;
  Joins joins{box, box, {}, {}, [] { return at(120); }, {}, false};
  joins.recordings = [](const std::string&) {
    std::vector<std::unique_ptr<record::Recording>> all;
    all.push_back(std::make_unique<GaveNoAnswer>());
    return Result<std::vector<std::unique_ptr<record::Recording>>>(std::move(all));
  };
  std::ostringstream out, err, json;
  EXPECT_EQ(run_diff(options, test::catalogue(), joins, {out, err}), kUnknown);
  EXPECT_EQ(out.str().find("Nothing changed"), std::string::npos) << out.str();
  for (const char* moment : {"2027-01-15T08:00:00Z", "2027-01-15T08:02:00Z"})
    EXPECT_NE(err.str().find(std::string("hpc: scontrol show node did not answer at ") + moment),
              std::string::npos)
        << err.str();
  EXPECT_NE(err.str().find("its last answer, of 2027-01-15T07:50:00Z"), std::string::npos) << err.str();
  options.output = OutputFormat::json;
  EXPECT_EQ(run_diff(options, test::catalogue(), joins, {json, err}), kUnknown);
  EXPECT_EQ(test::check_schema(test::schema_text("diff"), json.str()), std::vector<std::string>{});
  EXPECT_EQ(test::json_at(json.str(), "/failing/1/answered"), "\"2027-01-15T07:50:00Z\"") << json.str();
}

// MIG is on for all the time, and from the second minute on the GPU has no instance.
class LosesItsInstances final : public record::Recording {
 public:
  // silent: scontrol show node does not answer before that.
  explicit LosesItsInstances(bool silent = false) : silent_(silent) {}
  const ClusterName& cluster() const override { return name_; }
  std::optional<record::Covered> covered() override { return record::Covered{test::at(0), test::at(120)}; }
  Result<Model> at(TimePoint time) override {
    Model model;
    const auto tell = [&](auto what) { reduce(model, {name_, 0, time, std::move(what)}); };
    tell(ClusterSeen{Scheduler::slurm, false, "", "", "id"});
    std::vector<Slice> slices;
    if (time < test::at(60)) slices.push_back(test::instance("7g.80gb", 0, 8, 0));
    Gpu gpu = test::gpu(0, Strategy::mig, slices);
    gpu.origin.source = Source::slurm_nodes;
    tell(NodesListed{{test::node("n1", {gpu})}});
    tell(WorkloadsListed{{}});
    if (silent_ && time < test::at(60))
      tell(SourceReport{Source::slurm_nodes, Error{"no answer", "timed out", ""}, {}, "", false});
    return model;
  }
  Result<std::vector<history::KeptFigures>> figures(const std::vector<NodeName>&, TimePoint, TimePoint,
                                                    const std::function<bool()>&) override {
    return Error{"not asked for", "", ""};
  }
  Status rounds(TimePoint, TimePoint, const std::function<bool(const record::Round&)>&) override {
    return Done{};
  }

 private:
  ClusterName name_{"hpc"};
  bool silent_;
};

TEST(RecordDiff, AFindingThatAppearedBetweenTheTwoMomentsIsALine) {
  Options options;
  options.recording = "F", options.from = "2027-01-15T08:00:00Z";
  test::Box box;
  Joins joins{box, box, {}, {}, [] { return at(120); }, {}, false};
  joins.recordings = [](const std::string&) {
    std::vector<std::unique_ptr<record::Recording>> all;
    all.push_back(std::make_unique<LosesItsInstances>());
    return Result<std::vector<std::unique_ptr<record::Recording>>>(std::move(all));
  };
  std::ostringstream json, err, csv;
  options.output = OutputFormat::json;
  EXPECT_EQ(run_diff(options, test::catalogue(), joins, {json, err}), kDone) << err.str();
  EXPECT_EQ(test::check_schema(test::schema_text("diff"), json.str()), std::vector<std::string>{});
  options.output = OutputFormat::csv;
  EXPECT_EQ(run_diff(options, test::catalogue(), joins, {csv, err}), kDone) << err.str();
  EXPECT_NE(csv.str().find("hpc,n1 GPU 0,finding,,\"MIG on, no slices\""), std::string::npos) << csv.str();
}

// It was printed as one that came between the two.
TEST(RecordDiff, WhetherAFindingWasThereIsNotKnownWhereItsSourceDidNotAnswerThen) {
  Options options;
  options.recording = "F", options.from = "2027-01-15T08:00:00Z", options.output = OutputFormat::csv;
  test::Box box;
  Joins joins{box, box, {}, {}, [] { return at(120); }, {}, false};
  joins.recordings = [](const std::string&) {
    std::vector<std::unique_ptr<record::Recording>> all;
    all.push_back(std::make_unique<LosesItsInstances>(true));
    return Result<std::vector<std::unique_ptr<record::Recording>>>(std::move(all));
  };
  std::ostringstream csv, err;
  EXPECT_EQ(run_diff(options, test::catalogue(), joins, {csv, err}), kUnknown) << err.str();
  EXPECT_NE(csv.str().find("hpc,n1 GPU 0,finding,not known,\"MIG on, no slices\""), std::string::npos)
      << csv.str();
}

TEST(RecordList, AnotherWordIsRefused) {
  Listing list;
  list.files = {file(0, 120, {})};
  list.options.words = {"lst"};
  EXPECT_EQ(list.run(), kUsage);
  EXPECT_NE(list.err.str().find("tessera record list --folder FOLDER"), std::string::npos) << list.err.str();
}

}  // namespace
}  // namespace tessera::cli::list_story
