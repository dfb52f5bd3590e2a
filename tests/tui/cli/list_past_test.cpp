// Lists at a moment of a recording: since when GPUs and slices are idle, which one look at a cluster cannot
// know.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "engine/history/keeps_figures.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/tui/cli/fake_runs.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/list.hpp"

namespace tessera::cli::list_past_story {
namespace {

// GPUs of n1 and n2 that are held and not used, as a recording tells of 03:12.
class Moment final : public Backend, public history::KeepsFigures {
 public:
  explicit Moment(std::optional<std::vector<history::ToldIdle>> idle) : idle_(std::move(idle)) {}
  ClusterName name() const override { return ClusterName("hpc"); }
  void start(EventSink& sink) override {
    const auto post = [&](auto what) { sink.post(Event{name(), 0, test::at(0), std::move(what)}); };
    std::vector<Node> nodes;
    std::vector<Workload> work;
    for (const char* node : {"n1", "n2"}) {
      nodes.push_back(test::node(node, {test::gpu(0, Strategy::whole, {test::whole(0)})}));
      work.push_back(test::running(std::string("job-") + node, "alice", {test::holds(node, {{0, 1}})}));
      work.back().started = test::at(-86'400);
    }
    post(ClusterSeen{Scheduler::slurm, false, "", ""});
    post(Recorded{test::at(-86'400), test::at(0), ""});
    post(ClockSet{test::at(0), 0});
    post(NodesListed{nodes});
    post(WorkloadsListed{work});
    for (const char* node : {"n1", "n2"}) {
      GpuFigures figures;
      figures.gpu = GpuIndex{0};
      figures.figures.use = Percent{0};
      post(Measured{NodeName(node), Source::dcgm, test::at(0), {figures}});
    }
    post(SourceReport{Source::slurm_nodes, std::nullopt});
    post(SourceReport{Source::slurm_jobs, std::nullopt});
    post(Loaded{});
  }
  void set_pace(Pace) override {}
  void refresh() override {}
  history::KeepsFigures* keeps_figures() override { return this; }
  void look_back(const NodeName&, TimePoint) override {}
  std::vector<history::KeptFigures> take_kept() override { return {}; }
  std::optional<std::vector<history::ToldIdle>> take_idle() override {
    return std::exchange(idle_, std::nullopt);
  }

 private:
  std::optional<std::vector<history::ToldIdle>> idle_;
};

struct Look {
  Options options;
  std::ostringstream out, err;

  explicit Look(const char* command) {
    options.command = command, options.at = "03:12";
    options.columns = {"node", "idle"}, options.filter = "idle>1h";
  }
  int run(std::optional<std::vector<history::ToldIdle>> idle) {
    test::Box box;
    const auto open = [&](const Options&, const mig::Catalogue&) {
      Opening opening;
      opening.backends.push_back(std::make_unique<Moment>(std::move(idle)));
      return opening;
    };
    Joins joins{box, box, open, {}, [] { return test::at(0); }, {}, false};
    return run_list(options, test::catalogue(), joins, Streams{out, err});
  }
};

std::vector<history::ToldIdle> three_hours_and_ten_minutes() {
  history::Key board;
  board.gpu = 0, board.whole = true;
  return {{NodeName("n1"), test::at(0), {{board, test::at(-3 * 3'600)}}},
          {NodeName("n2"), test::at(0), {{board, test::at(-600)}}}};
}

TEST(ListOfThePast, KnowsSinceWhenGpusAreIdleWhereTheRecordingTellsIt) {
  for (const char* command : {"nodes", "gpus", "slices"}) {
    Look look(command);
    EXPECT_EQ(look.run(three_hours_and_ten_minutes()), kDone) << look.err.str();
    EXPECT_NE(look.out.str().find("3 h 00 min"), std::string::npos) << command << "\n" << look.out.str();
    EXPECT_EQ(look.out.str().find("n2"), std::string::npos) << command << "\n" << look.out.str();
  }
}

// No row would pass, which looks as if none were idle.
TEST(ListOfThePast, ARecordingThatDoesNotTellItIsToldAndNoEmptyList) {
  Look look("gpus");
  EXPECT_EQ(look.run(std::vector<history::ToldIdle>()), kUnknown);
  EXPECT_EQ(look.out.str(), "");
  EXPECT_NE(look.err.str().find("\"idle\" is not known"), std::string::npos) << look.err.str();
  look.options.filter = "trend=x";
  EXPECT_EQ(look.run(three_hours_and_ten_minutes()), kUsage) << "ten minutes of samples are not kept for it";
}

TEST(ListOfThePast, OfTheClusterAsItIsNowOneLookDoesNotKnowIt) {
  Look look("gpus");
  look.options.at.clear();
  EXPECT_EQ(look.run(three_hours_and_ten_minutes()), kUsage);
}

}  // namespace
}  // namespace tessera::cli::list_past_story
