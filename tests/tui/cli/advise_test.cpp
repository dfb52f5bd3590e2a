// `tessera advise`: the answers for people and for scripts, and the command that makes the same plan.
#include "tui/cli/advise/advise.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "engine/json.hpp"
#include "tests/support/json_check.hpp"
#include "tests/tui/cli/fake_runs.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/pack/pack.hpp"

namespace tessera::cli::advise_story {
namespace {

// Forty minutes in which four waited for a slice, while nothing was cut.
class FortyMinutes final : public record::Recording {
 public:
  // gap: the rounds between the first and the last but one are missing.
  FortyMinutes(const std::string& cluster, bool gap) : name_(cluster), gap_(gap) {}
  const ClusterName& cluster() const override { return name_; }
  std::optional<record::Covered> covered() override { return record::Covered{test::at(0), test::at(2400)}; }
  Result<Model> at(TimePoint) override { return Error{"not asked for", "", ""}; }
  Status rounds(TimePoint, TimePoint, const std::function<bool(const record::Round&)>& see) override {
    test::Story story;
    story.tell(ClusterSeen{Scheduler::slurm, true, "", ""});
    story.tell(NodesListed{{test::node("n1", {test::uncut(0, 0)})}});
    std::vector<Workload> work;
    for (const char* id : {"1", "2", "3", "4"}) work.push_back(test::waiting(id, "alice", "gpu:3g.40gb"));
    story.tell(WorkloadsListed{work});
    for (int second = 0; second <= 2400; second += gap_ && second == 0 ? 1800 : 600)
      if (!see({story.cluster(), test::at(second), {}})) break;
    return Done{};
  }
  Result<std::vector<history::KeptFigures>> figures(const std::vector<NodeName>&, TimePoint, TimePoint,
                                                    const std::function<bool()>&) override {
    return Error{"not asked for", "", ""};
  }

 private:
  ClusterName name_;
  bool gap_;
};

// n1 has a free GPU and a second one that is held whole; three wait for a slice.
struct Asked {
  Options options;
  std::string request = "gpu:3g.40gb";
  bool loads = true;
  std::string recorded = "hpc";
  bool gap = false;                 // in what is recorded
  std::optional<Error> prometheus;  // that is set, and does not answer
  Source told_by = Source::none;    // what is made on GPUs
  std::ostringstream out, err;

  Asked() { options.timeout = Duration(1500); }

  int run(int (*command)(const Options&, const mig::Catalogue&, const Joins&, const Streams&)) {
    test::Box box;
    auto open = [&](const Options&, const mig::Catalogue&) {
      std::vector<Workload> work{test::running("8", "bob", {test::holds("n1", {{1, 1}})})};
      for (const char* id : {"5", "6", "7"}) work.push_back(test::waiting(id, "alice", request));
      Opening opening;
      Node n1 = test::node("n1", {test::uncut(0, 0), test::uncut(1, 1)});
      for (Gpu& gpu : n1.gpus) gpu.origin.source = told_by;
      auto backend = std::make_unique<test::StandingBackend>(std::vector<Node>{std::move(n1)}, work);
      backend->loads = loads;
      opening.backends.push_back(std::move(backend));
      return opening;
    };
    int asked = 0;  // a second goes by from one look at the clock to the next
    Joins joins{box, box, open, {}, [&] { return test::at(++asked); }, {}, false};
    joins.recordings = [&](const std::string&) {
      std::vector<std::unique_ptr<record::Recording>> all;
      all.push_back(std::make_unique<FortyMinutes>(recorded, gap));
      return Result<std::vector<std::unique_ptr<record::Recording>>>(std::move(all));
    };
    if (prometheus) {
      options.figures["prometheus"] = Setting{"http://p:9090", "c.yaml"};
      joins.kept_use = [&](const Options&, const mig::Catalogue&, const Joins::Stopped&) {
        return Result<std::vector<std::unique_ptr<usage::KeptUse>>>(*prometheus);
      };
    }
    return command(options, test::catalogue(), joins, Streams{out, err});
  }
};

TEST(AdviseCommand, SaysWhatToRecutWhoStartsSoonerAndHowThePlanIsPrinted) {
  Asked asked;
  EXPECT_EQ(asked.run(run_advise), kDone) << asked.err.str();
  for (const char* part :
       {"0  leave everything as it is", "0 of 3 that wait for room start", "1  touches 1 GPU on 1 node",
        "waits for no running job or pod", "2 start sooner", "n1 GPU 0: ", "whole:2->1",
        "5 (alice, 1 × gpu:3g.40gb): in 5 min, without the plan no start",
        "$ tessera pack 3g.40gb=2 --node n1 --plan", "no recording is read",
        "not served: 3g.40gb: ", "left out: 1 GPU held as a whole"})
    EXPECT_NE(asked.out.str().find(part), std::string::npos) << part << "\n" << asked.out.str();
}

TEST(AdviseCommand, ItsDocumentIsAsItsSchemaSays) {
  Asked asked;
  asked.options.output = OutputFormat::json;
  EXPECT_EQ(asked.run(run_advise), kDone) << asked.err.str();
  EXPECT_EQ(test::check_schema(test::schema_text("advise"), asked.out.str()), std::vector<std::string>{})
      << asked.out.str();
  EXPECT_EQ(test::json_at(asked.out.str(), "/answers/0/sooner/0/id"), "\"5\"");
  EXPECT_EQ(test::json_at(asked.out.str(), "/answers/0/disturbed"), "0");
}

// The page said which drivers were not asked, and the document did not.
TEST(AdviseCommand, ItsDocumentNamesTheNodesOfWhichSlurmAloneTellsWhatIsMade) {
  for (const auto& [told_by, names] :
       {std::pair(Source::slurm_nodes, R"(["n1"])"), std::pair(Source::nvidia_smi, "[]")}) {
    Asked asked;
    asked.told_by = told_by;
    asked.options.output = OutputFormat::json;
    asked.run(run_advise);
    EXPECT_EQ(test::check_schema(test::schema_text("advise"), asked.out.str()), std::vector<std::string>{})
        << asked.err.str();
    EXPECT_EQ(test::json_at(asked.out.str(), "/drivers_not_asked"), names);
  }
}

TEST(AdviseCommand, ARecordingCountsBesideTheQueueAndItsCoverageIsTold) {
  Asked page, document;
  page.options.recording = document.options.recording = "/somewhere";
  EXPECT_EQ(page.run(run_advise), kDone) << page.err.str();
  for (const char* part : {"0.7 h\nof 168 h", "3g.40gb     4    4    0              1.1",
                           "of the past 0.6 GPU-hours more would have fitted, 0.0 no longer"})
    EXPECT_NE(page.out.str().find(part), std::string::npos) << part << "\n" << page.out.str();
  EXPECT_EQ(page.out.str().find("no recording is read"), std::string::npos);
  document.options.output = OutputFormat::json;
  EXPECT_EQ(document.run(run_advise), kDone);
  EXPECT_EQ(test::check_schema(test::schema_text("advise"), document.out.str()), std::vector<std::string>{});
  EXPECT_EQ(test::json_at(document.out.str(), "/history/profiles/0/peak"), "4");
}

// The page said it, and who read the document took ten minutes for all of the forty.
TEST(AdviseCommand, GapsOfTheRecordingStandInTheDocumentsOfAdviseAndPack) {
  for (const auto& [command, schema] : {std::pair(&run_advise, "advise"), std::pair(&run_pack, "pack")})
    for (const bool gap : {true, false}) {
      Asked asked;
      asked.options.recording = "/somewhere", asked.gap = gap;
      asked.options.output = OutputFormat::json;
      if (command == &run_pack) asked.options.for_history = Duration{86'400'000};
      asked.run(command);
      EXPECT_EQ(test::check_schema(test::schema_text(schema), asked.out.str()), std::vector<std::string>{})
          << asked.err.str();
      EXPECT_EQ(test::json_at(asked.out.str(), "/history/gaps/count"), gap ? "1" : "0") << schema;
      EXPECT_EQ(test::json_at(asked.out.str(), "/history/gaps/hours"), gap ? "0.5" : "0.0") << schema;
    }
}

// Forty minutes tell of nothing whether less would have done; without a past there is nothing to count.
TEST(AdviseCommand, RightSizesAreOfAPast) {
  Asked asked;
  asked.options.right_sized = true;
  EXPECT_EQ(asked.run(run_advise), kUsage);
  EXPECT_NE(asked.err.str().find("add --recording FOLDER"), std::string::npos) << asked.err.str();
  asked.options.recording = "/somewhere";
  EXPECT_EQ(asked.run(run_advise), kDone) << asked.err.str();
  EXPECT_NE(asked.out.str().find("the history counts 0 jobs and pods as the smaller profile"),
            std::string::npos)
      << asked.out.str();
  asked.out.str(""), asked.options.output = OutputFormat::json;
  EXPECT_EQ(asked.run(run_advise), kDone);
  EXPECT_EQ(test::check_schema(test::schema_text("advise"), asked.out.str()), std::vector<std::string>{});
  EXPECT_EQ(test::json_at(asked.out.str(), "/history/right_sized"), "0");
}

// Else the queue alone would look like all that was asked for.
TEST(AdviseCommand, ARecordingOfAnotherClusterIsAnErrorAndNotAnEmptyHistory) {
  Asked asked;
  asked.options.recording = "/somewhere";
  asked.recorded = "another";
  EXPECT_EQ(asked.run(run_advise), kUnknown);
  EXPECT_EQ(asked.out.str(), "");
}

// What waits is advised on all the same: nobody asked for the history. That there is none is said.
TEST(AdviseCommand, APrometheusThatDoesNotAnswerIsToldAndRefusedOnlyWhereItWasAskedFor) {
  Asked asked;
  asked.prometheus = Error{"cannot read what Prometheus kept", "connection refused", ""};
  EXPECT_EQ(asked.run(run_advise), kDone) << asked.err.str();
  EXPECT_NE(asked.err.str().find("connection refused"), std::string::npos) << asked.err.str();
  EXPECT_NE(asked.out.str().find("no recording is read"), std::string::npos) << asked.out.str();
  asked.out.str(""), asked.err.str(""), asked.options.source = "prometheus";
  EXPECT_EQ(asked.run(run_advise), kDone) << "a file names it for all commands";
  EXPECT_NE(asked.err.str().find("connection refused"), std::string::npos) << asked.err.str();
  asked.out.str(""), asked.options.source_typed = true;
  EXPECT_EQ(asked.run(run_advise), kUnknown);
  EXPECT_EQ(asked.out.str(), "");
  asked.options.source.clear(), asked.options.source_typed = false;
  asked.options.for_history = Duration{86'400'000};
  EXPECT_EQ(asked.run(run_pack), kUnknown) << "there it is the demand itself";
}

// It was ignored, and the advice looked like one that knows the past.
TEST(AdviseCommand, ASourceThatIsTypedAndNotThereIsAnError) {
  Asked asked;
  asked.options.source = "recording", asked.options.source_typed = true;
  EXPECT_EQ(asked.run(run_advise), kUnknown);
  EXPECT_EQ(asked.out.str(), "");
}

TEST(AdviseCommand, ThePlanOfItsCommandHasTheLayoutsOfTheAnswer) {
  Asked advised, packed;
  advised.options.output = packed.options.output = OutputFormat::json;
  EXPECT_EQ(advised.run(run_advise), kDone) << advised.err.str();
  EXPECT_EQ(test::json_at(advised.out.str(), "/answers/0/command"),
            "\"tessera pack 3g.40gb=2 --node n1 --plan\"");
  packed.options.words = {"3g.40gb=2"}, packed.options.nodes = "n1";
  EXPECT_EQ(packed.run(run_pack), kDone) << packed.err.str();
  EXPECT_EQ(test::json_at(advised.out.str(), "/answers/0/intent"),
            test::json_at(packed.out.str(), "/intent"));
}

TEST(AdviseCommand, WhereNoRecutHelpsItSaysWhyAndExitsWithAFinding) {
  Asked asked;
  asked.request = "gpu:9g.10gb";
  EXPECT_EQ(asked.run(run_advise), kFinding);
  EXPECT_NE(asked.out.str().find("No re-cut helps.\n   9g.10gb: "), std::string::npos) << asked.out.str();
}

TEST(AdviseCommand, WhereNothingWaitsThatAPlanCouldServeThatIsNoFinding) {
  Asked asked;
  asked.request = "shard";
  EXPECT_EQ(asked.run(run_advise), kDone);
  EXPECT_NE(asked.out.str().find("no job or pod waits for a MIG slice or a whole GPU"), std::string::npos)
      << asked.out.str();
}

TEST(AdviseCommand, WholeGpusThatNoPlanMakesAreNamedWithTheReason) {
  Asked asked;
  asked.request = "gpu:h100";
  EXPECT_EQ(asked.run(run_advise), kFinding);
  EXPECT_NE(
      asked.out.str().find("No re-cut helps.\n   whole: GPUs that are whole and free, or can be made so: 1,"),
      std::string::npos)
      << asked.out.str();
}

TEST(AdviseCommand, WithoutTheWholeListOfWorkNothingIsAdvised) {
  Asked asked;
  asked.loads = false;
  EXPECT_EQ(asked.run(run_advise), kUnknown);
  EXPECT_EQ(asked.out.str(), "");
}

}  // namespace
}  // namespace tessera::cli::advise_story
