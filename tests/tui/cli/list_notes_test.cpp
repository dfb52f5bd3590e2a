// What stands below a list: figures that have not come, with the reason, and machines that two schedulers
// hand out.
#include "tui/cli/list_notes.hpp"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <deque>
#include <sstream>

#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/json_check.hpp"
#include "tests/support/two_schedulers.hpp"
#include "tests/tui/cli/silent_backend.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/list.hpp"

namespace tessera::cli {
namespace {

using test::on_hpc;

// Each take() is one act, and a second passes with it.
class Acts final : public EventSource, public EventSink {
 public:
  Acts() : fd_(eventfd(1, EFD_NONBLOCK)) {}
  ~Acts() override { close(fd_); }
  int wake_fd() const override { return fd_; }
  std::vector<Event> take() override {
    ++seconds;
    if (acts.empty()) return {};
    std::vector<Event> act = std::move(acts.front());
    acts.pop_front();
    return act;
  }
  void post(Event) override {}

  std::deque<std::vector<Event>> acts;
  int seconds = 0;

 private:
  int fd_;
};

// One look at n1 and n2, of which an exporter is asked.
class ListFigures : public testing::Test {
 protected:
  ListFigures() {
    using namespace test;
    options.command = "gpus";
    options.figures["slurm-exporter"] = {"curl http://{node}:9400/metrics", "config.yaml:3"};
    std::vector<Node> nodes;
    for (const char* name : {"n1", "n2"}) nodes.push_back(node(name, {gpu(0, Strategy::whole, {whole(0)})}));
    box.acts.push_back({on_hpc(ClusterSeen{Scheduler::slurm, false, "", ""}), on_hpc(NodesListed{nodes}),
                        on_hpc(WorkloadsListed{}), on_hpc(SourceReport{Source::slurm_nodes, std::nullopt}),
                        on_hpc(SourceReport{Source::slurm_jobs, std::nullopt}), on_hpc(Loaded{})});
  }
  void measured(const char* node) {
    GpuFigures figures;
    figures.gpu = GpuIndex{0};
    figures.figures.use = Percent{73};
    box.acts.push_back({on_hpc(Measured{NodeName(node), Source::dcgm, test::at(0), {figures}})});
  }
  void look() {
    auto open = [](const Options&, const mig::Catalogue&) {
      Opening opening;
      opening.backends.push_back(std::make_unique<test::SilentBackend>());
      return opening;
    };
    Joins joins{box, box, open, {}, [this] { return test::at(box.seconds); }, {}, false};
    code = run_list(options, test::catalogue(), joins, Streams{out, err});
  }

  Options options;
  Acts box;
  std::ostringstream out, err;
  int code = -1;
};

// The list was printed with n/a as soon as the nodes were listed, while the exporter was still asked.
TEST_F(ListFigures, WaitsForFiguresThatASlowExporterTells) {
  for (int second = 0; second < 4; ++second) box.acts.push_back({});
  measured("n1"), measured("n2");
  look();
  EXPECT_EQ(code, kDone);
  const std::string text = out.str();
  EXPECT_NE(text.find("73%"), text.rfind("73%")) << "of both\n" << text;
  EXPECT_EQ(err.str(), "");
}

TEST_F(ListFigures, SaysOnceBelowTheListWhichFiguresHaveNotComeAndWhy) {
  measured("n1");
  look();
  EXPECT_EQ(code, kDone);
  EXPECT_NE(out.str().find("73%"), std::string::npos) << out.str();
  EXPECT_EQ(err.str(),
            "tessera: hpc: no figures of n2: DCGM exporter has not answered within 10 s (their use, memory, "
            "temperature and power are not known)\n");
  EXPECT_LT(box.seconds, 20) << "no longer than that is waited";
}

TEST_F(ListFigures, NamesTheReasonWhereTheSourceFails) {
  box.acts.push_back({on_hpc(SourceReport{Source::dcgm, Error{"cannot ask the exporter", "refused", ""}})});
  look();
  EXPECT_NE(
      err.str().find("no figures of n[1-2]: DCGM exporter gave no figures: cannot ask the exporter: refused"),
      std::string::npos)
      << err.str();
  EXPECT_LT(box.seconds, 8) << "what has failed is not waited for";
}

// A controller that is away was told three times: of its ping, its nodes and its jobs.
TEST_F(ListFigures, OneReasonWhySeveralSourcesFailIsToldOnce) {
  const Error down{"slurmctld is down", "refused", ""};
  box.acts.push_back({on_hpc(SourceReport{Source::slurm_ping, down}),
                      on_hpc(SourceReport{Source::slurm_nodes, down}),
                      on_hpc(SourceReport{Source::slurm_jobs, down})});
  measured("n1"), measured("n2");
  look();
  const std::string line = "tessera: hpc: slurmctld is down: refused";
  ASSERT_NE(err.str().find(line), std::string::npos) << err.str();
  EXPECT_EQ(err.str().find(line), err.str().rfind(line)) << err.str();
}

TEST_F(ListFigures, JsonHasItInEachRowAndScriptsGetNoMessage) {
  measured("n1");
  options.output = OutputFormat::json;
  look();
  EXPECT_EQ(test::json_at(out.str(), "/0/figures_missing"), "null") << out.str();
  EXPECT_EQ(test::json_at(out.str(), "/1/figures_missing"), "\"DCGM exporter has not answered within 10 s\"");
  EXPECT_EQ(test::check_schema(test::schema_text("gpus"), out.str()), std::vector<std::string>{});
  EXPECT_EQ(err.str(), "");
}

TEST_F(ListFigures, WhereNothingMeasuresNothingIsWaitedFor) {
  options.figures.clear();
  look();
  EXPECT_LT(box.seconds, 5);
  EXPECT_EQ(err.str(), "");
}

// Only the console's table of demand said so.
TEST(ListNotes, MachinesThatTwoSchedulersHandOutAreNamedBelowListsAndInJson) {
  const Model model = test::two_schedulers();
  Options options;
  const ListNotes notes = notes_on(model, options);
  for (const char* command : {"gpus", "slices"}) {
    const std::vector<Error> lines = lines_of(notes, command);
    ASSERT_EQ(lines.size(), 1u) << command;
    EXPECT_EQ(lines[0].what,
              "m1: hpc and prod hand out the same GPUs, and 1 free slice stands in the rows of both");
  }
  EXPECT_TRUE(lines_of(notes, "nodes").empty()) << "there such a machine is one row";
  options.command = "nodes", options.output = OutputFormat::json;
  const auto json = print_list(options, model, {test::at(0), &test::catalogue()}, notes);
  ASSERT_TRUE(json);
  EXPECT_EQ(test::json_at(*json, "/0/also/0/free_slices_in_both"), "1") << *json;
  EXPECT_EQ(test::check_schema(test::schema_text("nodes"), *json), std::vector<std::string>{});
}

}  // namespace
}  // namespace tessera::cli
