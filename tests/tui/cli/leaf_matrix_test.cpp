// Every way through the flowchart on every platform ends in a change that is applied and read back, in the
// platform's own command, or in a sentence that says why not and leads on. One cell is one test.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <regex>

#include "backends/sim/step.hpp"
#include "engine/plan/planner.hpp"
#include "engine/plan/run/executor.hpp"
#include "engine/plan/run/run.hpp"
#include "tests/backends/sim/hands.hpp"
#include "tests/tui/cli/options_from.hpp"
#include "tui/cli/change/wish.hpp"
#include "tui/cli/guide/guide.hpp"
#include "tui/cli/settings.hpp"

namespace tessera::cli {
namespace {

struct PlatformCase {
  const char* name;
  const char* scheduler;  // of the world; empty: there is no node
  const char* node;       // more of its nodes in the scenario's words
  const char* told;       // --platform; empty: by what is seen
  const char* onward;     // of the leaves MIG, vGPU, MPS, time-slicing: Plan, Command, Elsewhere
  int nodes = 1;          // n1, which is asked about, and others like it
};
constexpr PlatformCase kPlatformCases[] = {
    {"Slurm", "slurm", "", "", "PCPP"},
    {"KubernetesMixed", "kubernetes", "features: [nvidia.com/mig.strategy=mixed]", "", "PPPP"},
    {"KubernetesSingle", "kubernetes", "mig_strategy: single, features: [nvidia.com/mig.strategy=single]", "",
     "PPPP"},
    {"Ack", "kubernetes", "features: [alibabacloud.com/nodepool-id=np-7]", "", "EEPE"},
    {"Fpt", "kubernetes", "", "fpt", "PEPP"},
    {"FptSingle", "kubernetes", "mig_strategy: single, features: [nvidia.com/mig.strategy=single]", "fpt",
     "PEPP"},
    {"FptWorkers", "kubernetes", "", "fpt", "PEPP", 2},
    {"FptSingleWorkers", "kubernetes", "mig_strategy: single, features: [nvidia.com/mig.strategy=single]",
     "fpt", "PEPP", 2},
    {"Gke", "kubernetes", "features: [cloud.google.com/gke-nodepool=p1]", "", "CECC"},
    {"Aks", "kubernetes", "features: [kubernetes.azure.com/agentpool=p1]", "", "CEPP"},
    {"Eks", "kubernetes", "", "eks", "PEPP"},
    {"HyperPodEks", "kubernetes", "features: [sagemaker.amazonaws.com/compute-type=hyperpod]", "", "PEPP"},
    {"HyperPodSlurm", "slurm", "", "hyperpod-slurm", "EEPP"},
    {"ParallelCluster", "slurm", "", "parallel-cluster", "PEPP"},
    {"OfflineProduct", "", "", "", "PCPP"},
};

struct PathCase {
  const char* name;
  const char* product;
  const char* answers;
  Strategy leaf;
};
constexpr PathCase kPathCases[] = {
    {"CutAndIsolated", "H100-80GB-SXM5", "Q2=yes", Strategy::mig},
    {"CutAndCooperative", "H100-80GB-SXM5", "Q2=no,Q5=yes", Strategy::mps},
    {"CutAndInTurns", "H100-80GB-SXM5", "Q2=no,Q5=no", Strategy::time_slicing},
    {"VirtualWithLicence", "A10", "Q3=yes,Q4=yes", Strategy::vgpu},
    {"VirtualAndCooperative", "A10", "Q3=yes,Q4=no,Q5=yes", Strategy::mps},
    {"VirtualAndInTurns", "A10", "Q3=yes,Q4=no,Q5=no", Strategy::time_slicing},
    {"BareAndCooperative", "A10", "Q3=no,Q5=yes", Strategy::mps},
    {"BareAndInTurns", "A10", "Q3=no,Q5=no", Strategy::time_slicing},
};

// As a shell takes a line apart that has single quotes at most.
std::vector<std::string> shell_words(const std::string& line) {
  std::vector<std::string> words(1);
  bool quoted = false;
  for (char c : line) {
    if (c == '\'')
      quoted = !quoted;
    else if (c == ' ' && !quoted)
      words.emplace_back();
    else
      words.back() += c;
  }
  return words;
}

// Drives a plan of one of its nodes to its end, as the run room does; what went wrong.
std::string drive(sim::World& world, const plan::Plan& plan, const NodeName& name) {
  plan::RunStarted started;
  started.run = "r1", started.who = "root", started.from = "login1", started.plan = plan;
  plan::Run run = plan::run_of(started);
  std::optional<Result<plan::NodeFacts>> fresh;
  for (int i = 0; i < 2000; ++i) {
    plan::Executor& executor = run.nodes.at(name);
    plan::Turn turn = executor.next(fresh ? &*fresh : nullptr, world.now);
    fresh.reset();
    for (const plan::RunEvent& event : turn.journal) plan::note_begun(run, name, event);
    sim::Changes changes;
    if (auto* act = std::get_if<plan::Perform>(&turn.next)) {
      auto done =
          sim::perform(world, {name, act->action, sim::mark_of("r1"), act->step, act->deadline}, changes);
      world.advance(world.now + std::chrono::milliseconds(300));
      executor.performed(done.status);
    } else if (auto* look = std::get_if<plan::Observe>(&turn.next)) {
      world.advance(world.now + look->after + std::chrono::milliseconds(20));
      fresh = sim::look(world, name, changes);
    } else if (auto* finished = std::get_if<plan::Finished>(&turn.next)) {
      return finished->outcome == plan::Outcome::wanted ? "" : "it ended otherwise";
    } else if (auto* stopped = std::get_if<plan::Stopped>(&turn.next)) {
      return "stopped: " + stopped->why;
    } else {
      return "it asks or turns back";
    }
  }
  return "it does not come to an end";
}

class LeafMatrix : public testing::TestWithParam<std::tuple<int, int>> {
 protected:
  const PlatformCase& platform() const { return kPlatformCases[std::get<0>(GetParam())]; }
  const PathCase& path() const { return kPathCases[std::get<1>(GetParam())]; }
  bool offline() const { return *platform().scheduler == '\0'; }

  void SetUp() override {
    if (offline()) return;
    std::string more = platform().node;
    // What the portal of this platform calls a worker group, by the strategy that its leaf needs.
    if (std::string_view(platform().name) == "Fpt")
      more = path().leaf == Strategy::mig ? "" : "features: [nvidia.com/mig.strategy=none-with-operator]";
    world_ = sim::world_from(
        fmt::format("clusters: [{{name: c, scheduler: {}, users: [u], nodes: [{{names: \"n[1-{}]\", product: "
                    "{}, gpus: 2{}{}}}], "
                    "jobs: []}}]",
                    platform().scheduler, platform().nodes, path().product, more.empty() ? "" : ", ", more));
    model_ = sim::model_of(*world_);
  }

  std::vector<std::string> asked(const std::string& answers) const {
    std::vector<std::string> words{"guide"};
    if (offline())
      words.insert(words.end(), {"--product", path().product});
    else
      words.insert(words.end(), {"--node", "n1"});
    if (*platform().told != '\0') words.insert(words.end(), {"--platform", platform().told});
    words.insert(words.end(), {"--answer", answers});
    return words;
  }
  GuideAnswer ask(const std::string& answers) const {
    const auto can = [this](const Cluster& cluster) {
      return driven_elsewhere() ? plan::gpu_operator_capabilities() : plan::presumed_capabilities(cluster);
    };
    auto sheet =
        ask_guide(options_from(asked(answers)), model_, *test::shared_catalogue(), texts(), now(), can);
    EXPECT_TRUE(sheet.ok()) << to_line(sheet.error());
    return sheet->groups.at(0);
  }
  // The plain simulator runs no virtual machines and no plugin of ACK's: those plans are driven against the
  // simulated API server (kube_ack_test and kube_change_test in tests/e2e).
  bool driven_elsewhere() const {
    return path().leaf == Strategy::vgpu || platform().name == std::string_view("Ack");
  }
  TimePoint now() const { return world_ ? world_->now : sim::kMonday; }
  static const guide::Texts& texts() {
    static const auto built_in = *guide::Texts::built_in();
    return *built_in;
  }

  // The command, parsed as typed, and planned on the cluster as it stands.
  Result<plan::Plan> planned(const std::string& command) const {
    std::vector<std::string> words = shell_words(command);
    EXPECT_EQ(words.at(0), "tessera");
    words.erase(words.begin());
    const Options options = options_from(words);
    const Status good = check_wish(options);
    if (!good) return good.error();
    Or<Wished> wished = read_wish(options, model_, *test::shared_catalogue(), now());
    if (auto* refusal = std::get_if<Refusal>(&wished)) return refusal->error;
    const Wished& wish = std::get<Wished>(wished);
    const bool by_others = driven_elsewhere();
    return plan::make_plan(
        *wish.cluster, *test::shared_catalogue(), wish.intent,
        by_others ? plan::gpu_operator_capabilities() : plan::simulator_capabilities(wish.cluster->scheduler),
        options.rules, now());
  }

  void expect_applied(const GuideAnswer& answer) {
    ASSERT_FALSE(answer.commands.empty());
    for (const auto& commands : answer.commands) {
      ASSERT_FALSE(commands.empty());
      for (const std::string& command : commands) {
        if (offline()) {
          EXPECT_TRUE(check_wish(options_from([&] {
            auto words = shell_words(command);
            words.erase(words.begin());
            return words;
          }())));
          EXPECT_NE(command.find("--node NODE"), std::string::npos) << command;
          continue;
        }
        const auto plan = planned(command);
        ASSERT_TRUE(plan.ok()) << command << ": " << to_line(plan.error());
        for (const plan::Notice& broken : plan->violations) ADD_FAILURE() << command << ": " << broken.text;
      }
    }
    if (offline() || driven_elsewhere()) return;
    const std::string best = answer.commands.front().front();
    const auto plan = planned(best);
    ASSERT_TRUE(plan.ok());
    ASSERT_TRUE(plan->changes_anything()) << best;
    for (const plan::NodePlan& node : plan->nodes) EXPECT_EQ(drive(*world_, *plan, node.node), "") << best;
    model_ = sim::model_of(*world_);
    const auto again = planned(best);
    ASSERT_TRUE(again.ok()) << to_line(again.error());
    EXPECT_FALSE(again->changes_anything()) << "what was planned does not stand: " << best;
  }

  void expect_command(const GuideAnswer& answer) {
    const std::string_view name = platform().name;
    const std::string own = name == "Gke"   ? "gcloud container node-pools create"
                            : name == "Aks" ? "az aks nodepool add"
                                            : "nvidia-smi vgpu -s";
    std::string handed;
    for (const guide::Advice& one : answer.result.advice) handed += one.text + "\n";
    EXPECT_NE(handed.find(own), std::string::npos) << handed;
    EXPECT_FALSE(answer.result.ways.texts.empty());
  }

  // Answers to go back with, until somewhere it goes on.
  void expect_led_on(GuideAnswer answer) {
    std::string answers = path().answers;
    static const std::regex kBack("[Aa]nswer (Q[1-5]) with (yes|no)(?: and (Q[1-5]) with (yes|no))?");
    for (int i = 0; i < 3 && answer.result.ways.onward == guide::Onward::elsewhere; ++i) {
      EXPECT_TRUE(answer.result.layouts.empty());
      ASSERT_FALSE(answer.result.ways.texts.empty());
      std::smatch back;
      ASSERT_TRUE(std::regex_search(answer.result.ways.texts.front(), back, kBack))
          << answer.result.ways.texts.front();
      answers += "," + back[1].str() + "=" + back[2].str();
      if (back[3].matched) answers += "," + back[3].str() + "=" + back[4].str();
      if (answers.find("Q5") == std::string::npos) answers += ",Q5=yes";
      answer = ask(answers);
      ASSERT_TRUE(answer.result.strategy) << answers;
    }
    EXPECT_NE(answer.result.ways.onward, guide::Onward::elsewhere) << answers;
  }

  std::optional<sim::World> world_;
  Model model_;
};

TEST_P(LeafMatrix, GoesOn) {
  const GuideAnswer answer = ask(path().answers);
  ASSERT_EQ(answer.result.strategy, path().leaf);
  const std::size_t leaf = path().leaf == Strategy::mig    ? 0
                           : path().leaf == Strategy::vgpu ? 1
                           : path().leaf == Strategy::mps  ? 2
                                                           : 3;
  const char expected = platform().onward[leaf];
  switch (answer.result.ways.onward) {
    case guide::Onward::plan: EXPECT_EQ(expected, 'P'); return expect_applied(answer);
    case guide::Onward::command: EXPECT_EQ(expected, 'C'); return expect_command(answer);
    case guide::Onward::elsewhere: EXPECT_EQ(expected, 'E'); return expect_led_on(answer);
  }
}

INSTANTIATE_TEST_SUITE_P(Cell, LeafMatrix,
                         testing::Combine(testing::Range(0, static_cast<int>(std::size(kPlatformCases))),
                                          testing::Range(0, static_cast<int>(std::size(kPathCases)))),
                         [](const auto& cell) {
                           return std::string(kPlatformCases[std::get<0>(cell.param)].name) + "_" +
                                  kPathCases[std::get<1>(cell.param)].name;
                         });

}  // namespace
}  // namespace tessera::cli
