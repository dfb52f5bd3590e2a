// A real Slurm whose nodes are changed by runs: the backend and the run room as main.cpp joins them, a
// journal folder on the disk, and jobs beside.
//
// Threads: the test's own; the backend and the room have theirs.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>

#include "backends/runs/room.hpp"
#include "backends/slurm/change/node_files.hpp"
#include "engine/plan/effect/moved.hpp"
#include "engine/plan/run/run.hpp"
#include "engine/plan/run/undo.hpp"
#include "engine/plan/steps/slurm_config.hpp"
#include "engine/slurmconf/settings.hpp"
#include "tests/e2e/slurm_watch.hpp"
#include "tests/engine/plan/boards.hpp"
#include "tests/support/patience.hpp"
#include "tests/support/run_binary.hpp"
#include "tests/support/slurm_lab.hpp"

namespace tessera::test {

inline std::string file_text(const std::string& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// One tessera on the lab: what it sees, and its runs. Several may live beside each other; ahead: of the
// clock, since runs are called by their minute; conf: another slurm.conf than the controller's.
class Admin {
 public:
  Admin(const SlurmLab& lab, const slurmconf::SlurmSettings& said, const std::string& folder,
        std::string who = "root", Duration ahead = Duration(0), const std::string& conf = "")
      : watch_(options(conf.empty() ? lab.conf() : conf, said)) {
    runs::RunsOptions wanted;
    wanted.write = true;
    wanted.folder = folder;
    wanted.who = std::move(who);
    wanted.from = "lab";
    wanted.catalogue = &catalogue();
    wanted.wall = [ahead] { return wall_clock() + ahead; };
    EXPECT_TRUE(watch_.until([](const Cluster& cluster) { return cluster.loaded; }));
    room_ = runs::make_runs(std::move(wanted), {{backend().name(), backend().actuator()}}, news_);
  }

  slurm::SlurmBackend& backend() { return watch_.backend(); }
  plan::Runs& room() { return *room_; }
  // The picture as it is now.
  const Cluster& cluster() {
    TimePoint asked = wall_clock();
    auto fresh = [&](const Cluster& all) {
      const SourceHealth* nodes = health(all, Source::slurm_nodes);
      const SourceHealth* jobs = health(all, Source::slurm_jobs);
      return nodes && jobs && nodes->last_ok >= asked && jobs->last_ok >= asked;
    };
    // Asked for again and again: after a failure the backend would take its time.
    bool seen = false;
    for (int i = 0; i < 60 && !seen; ++i) {
      backend().refresh();
      seen = watch_.until(fresh, std::chrono::milliseconds(500));
    }
    EXPECT_TRUE(seen);
    return watch_.cluster();
  }
  plan::Plan plan(const std::string& node, plan::Wish wish, std::optional<int> gpu = std::nullopt,
                  plan::ChangeOptions options = {}) {
    return plan(std::vector<NodeName>{NodeName(node)}, std::move(wish), gpu, std::move(options));
  }
  plan::Plan plan(std::vector<NodeName> nodes, plan::Wish wish, std::optional<int> gpu = std::nullopt,
                  plan::ChangeOptions options = {}) {
    const Cluster& now = cluster();
    plan::Intent intent;
    intent.cluster = now.name;
    intent.nodes = std::move(nodes);
    intent.words = "a test";
    std::optional<GpuIndex> board;
    if (gpu) board = GpuIndex{*gpu};
    intent.boards = {{board, std::move(wish)}};
    intent.options = std::move(options);
    auto made = plan::make_plan(now, catalogue(), intent, backend().actuator()->means(), {}, wall_clock());
    EXPECT_TRUE(made.ok()) << (made ? "" : to_line(made.error()));
    if (!made) return {};
    EXPECT_EQ(made->no_steps, "");
    return *made;
  }

  std::string start(plan::Plan plan, const std::string& undoes = "") {
    std::size_t known = told_.size();
    marks_ = 0;
    room_->start(std::move(plan), undoes);
    EXPECT_TRUE(wait([&] { return told_.size() > known || !refusal_.empty(); }));
    EXPECT_EQ(refusal_, "");
    return newest_;
  }
  void resume(const std::string& run, plan::Onward onward = plan::Onward::carry_on) {
    marks_ = told_[run].size();
    refusal_.clear();
    room_->resume(run, {onward});
    (void)wait([&] { return !refusal_.empty() || told_[run].size() > marks_; });
    EXPECT_EQ(refusal_, "");
  }
  plan::Plan way_back(const std::string& run) {
    auto past = folded(run);
    auto way = plan::plan_undo(past, cluster(), catalogue(), backend().actuator()->means(), {}, wall_clock());
    EXPECT_TRUE(way.ok()) << (way ? "" : to_line(way.error()));
    return way ? *way : plan::Plan();
  }
  std::string undo(const std::string& run) { return start(way_back(run), run); }
  bool wait(const std::function<bool()>& until, std::chrono::milliseconds patience = test::kPatience) {
    auto end = std::chrono::steady_clock::now() + patience;
    while (true) {
      take();
      if (until()) return true;
      auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
      if (left.count() <= 0) return false;
      pollfd wait{news_.wake_fd(), POLLIN, 0};
      ::poll(&wait, 1, static_cast<int>(left.count()));
    }
  }
  bool says(const std::string& run, const std::string& words) {
    return told_[run].find(words, marks_) != std::string::npos;
  }
  bool wait_for(const std::string& run, const std::string& words) {
    return wait([&] { return says(run, words); });
  }
  // "wanted" "recorded", or why it stopped.
  std::string outcome(const std::string& run) {
    EXPECT_TRUE(wait([&] {
      return says(run, "\"kind\":\"run-finished\"") || says(run, "\"kind\":\"parked\"");
    })) << told_[run];
    for (const auto& [node, executor] : folded(run).nodes) {
      if (executor.finished()) continue;
      return executor.stopped() ? executor.stopped()->why : "under way";
    }
    auto ended = folded(run).finished;
    return ended ? std::string(word(ended->outcome)) : "no end";
  }
  plan::Run folded(const std::string& run) {
    auto journal = plan::parse_journal(told_[run], run);
    EXPECT_TRUE(journal.ok()) << (journal ? "" : to_line(journal.error()));
    auto all = plan::replay(*journal);
    EXPECT_TRUE(all.ok());
    return *all;
  }
  // Steps of one node's plan.
  const std::vector<plan::Step>& steps(const std::string& run, const std::string& node) {
    read_plans_.push_back(folded(run).plans.at(NodeName(node)));
    return read_plans_.back().steps;
  }
  // What happened, without the plan.
  std::string journal(const std::string& run) {
    const std::string& all = told_[run];
    return all.substr(std::min(all.find('\n'), all.size()));
  }
  void read(const std::string& run) {
    room_->read(run);
    EXPECT_TRUE(wait([&] { return !told_[run].empty(); }));
  }

 private:
  static slurm::SlurmOptions options(const std::string& conf, const slurmconf::SlurmSettings& said) {
    slurm::SlurmOptions options;
    options.conf = conf;
    options.catalogue = &catalogue();
    auto site = slurmconf::slurm_setup_of(said);
    EXPECT_TRUE(site.ok()) << (site ? "" : to_line(site.error()));
    options.said = *site;
    options.said.look_deadline = Duration(4000);
    options.needs_boards = std::vector<NodeName>{NodeName("gpu01"), NodeName("gpu02")};
    options.interval = Duration(250);   // no one asks for a look: the next one is never far
    options.deadline = Duration(3000);  // a controller that hangs is found out soon
    return options;
  }
  void take() {
    for (Event& event : news_.take()) {
      if (auto* told = std::get_if<RunTold>(&event.what)) {
        newest_ = told->run;
        std::string& lines = told_[told->run];
        lines = told->from_start ? told->lines : lines + told->lines;
      } else if (auto* refused = std::get_if<RunRefused>(&event.what)) {
        refusal_ = to_line(refused->error);
      }
    }
  }

  SlurmWatch watch_;
  Mailbox news_;
  std::unique_ptr<plan::Runs> room_;  // the first to go
  std::map<std::string, std::string> told_;
  std::string newest_, refusal_;
  std::deque<plan::NodePlan> read_plans_;
  std::size_t marks_ = 0;
};

// What a site would say of such a lab.
inline slurmconf::SlurmSettings settings_of(const SlurmLab& lab) {
  slurmconf::SlurmSettings said;
  said.restart_controller = lab.restart_command("slurmctld");
  said.restart_node = lab.restart_command("slurmd-{node}");
  said.devices = "gpu=" + lab.folder() + "/dev/nvidia{gpu}";
  return said;
}

// One lab for all tests of a file.
class SlurmChange : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (SlurmLab::possible()) lab_ = new SlurmLab();
  }
  static void drain(const std::string& node, const std::string& reason) {
    ASSERT_EQ(lab_->run({"scontrol", "update", "NodeName=" + node, "State=DRAIN", "Reason=" + reason}).status,
              0);
  }
  static void resume(const std::string& node) {
    EXPECT_EQ(lab_->run({"scontrol", "update", "NodeName=" + node, "State=RESUME"}).status, 0);
  }
  static void TearDownTestSuite() {
    delete lab_;
    lab_ = nullptr;
  }
  void SetUp() override {
    if (!lab_) GTEST_SKIP() << "needs root and Debian's slurmctld, slurmd, slurm-client and munge";
    ASSERT_EQ(lab_->trouble(), "");
  }
  void TearDown() override {
    if (!lab_) return;
    (void)lab_->run({"scancel", "-f", "--state=RUNNING"});
    (void)lab_->run({"scancel", "--state=PENDING"});
    // Runs of two tests may begin in one minute, and so have one name.
    for (const auto& file : std::filesystem::directory_iterator(lab_->folder() + "/etc"))
      if (file.path().string().find(".before-") != std::string::npos) std::filesystem::remove(file.path());
  }

  // 23.11 and later: a reconfigure makes the files true. Before, both daemons have to start again.
  static bool reconfigure_suffices() {
    const std::string version = lab_->run({"scontrol", "--version"}).out;
    return slurm::with_version({}, version.substr(version.find(' ') + 1)).reconfigure_suffices();
  }

  slurmconf::SlurmSettings said() const { return settings_of(*lab_); }
  // The real binary, on this cluster; its journals are below scratch_. site: nullopt: its settings are not
  // asked for.
  Ran run_here(std::vector<std::string> words, const std::optional<slurmconf::SlurmSettings>& site) const {
    RunOptions options;
    options.environment = {{"PATH", std::getenv("PATH")},
                           {"HOME", scratch_.path()},
                           {"SLURM_CONF", lab_->conf()},
                           {"XDG_STATE_HOME", scratch_.path() + "/state"}};
    words.insert(words.end(), {"--slurm-conf", lab_->conf()});
    if (site)
      words.insert(words.end(),
                   {"--slurm-restart-controller", site->restart_controller, "--slurm-restart-node",
                    site->restart_node, "--slurm-devices", site->devices});
    return run_tessera(words, options);
  }
  // The files are "far away", on a host that is reached by the runner; log: what was run there. A lock that
  // could be taken is told apart from one that was only tried.
  slurmconf::SlurmSettings on_a_config_host(const std::string& log) const {
    const std::string on = lab_->folder() + "/on-host-" + std::to_string(std::hash<std::string>{}(log));
    std::ofstream(on) << "#!/bin/bash\n[ \"$1\" = cfg ] || exit 9\n"
                      << "[ \"$2\" = ln ] || echo \"$*\" >> " << log << "\nshift\n"
                      << "[ \"$1\" = ln ] || exec \"$@\"\n"
                      << "\"$@\" && echo \"linked $*\" >> " << log << "\n";
    ::chmod(on.c_str(), 0755);
    slurmconf::SlurmSettings far = said();
    far.files = "host:cfg";
    far.runner = on + " {node}";
    return far;
  }
  static plan::Wish shared(Strategy strategy, int replicas) {
    plan::Wish wish;
    wish.strategy = strategy;
    wish.replicas = replicas;
    return wish;
  }
  static std::string record(const std::string& node) {
    return lab_->run({"scontrol", "-d", "-o", "show", "node", node}).out;
  }
  static std::string field(const std::string& text, const std::string& name) {
    std::size_t at = text.find(" " + name + "=");
    if (at == std::string::npos) return "";
    at += name.size() + 2;
    return text.substr(at, text.find_first_of(" \n", at) - at);
  }
  // What Slurm offers there, without sockets.
  static std::string gres(const std::string& node) {
    return plan::slurm::plain_gres(field(record(node), "Gres"));
  }
  // A job on a node that runs; its number, and what shows that it was never touched.
  struct Running {
    std::string id, started;
  };
  static Running run_on(const std::string& node, const std::string& gres) {
    Running job{lab_->submit({"-w", node, "--gres=" + gres, "-t", "60"}), ""};
    auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    for (; std::chrono::steady_clock::now() < end; lab_->pause()) {
      std::string told = lab_->run({"scontrol", "-o", "show", "job", job.id}).out;
      job.started = field(told, "StartTime");
      if (field(told, "JobState") == "RUNNING") return job;
    }
    ADD_FAILURE() << "job " << job.id << " does not run";
    return job;
  }
  static void expect_untouched(const Running& job) {
    std::string told = lab_->run({"scontrol", "-o", "show", "job", job.id}).out;
    EXPECT_EQ(field(told, "JobState"), "RUNNING") << told;
    EXPECT_EQ(field(told, "StartTime"), job.started) << told;
    EXPECT_EQ(field(told, "Restarts"), "0") << told;
  }
  std::string folder() const { return scratch_.path() + "/runs"; }

  static inline SlurmLab* lab_ = nullptr;
  Scratch scratch_;
};
}  // namespace tessera::test
