// A real Prometheus that scrapes the exporters of a simulated cluster, and the real tessera that asks it: on
// Kubernetes through kubectl and the API server, on Slurm by the site's command. There it asks the exporters
// themselves, too.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "backends/process.hpp"
#include "backends/sim/gpu_operator/serve.hpp"
#include "tests/support/json_check.hpp"
#include "tests/support/real_prometheus.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera::test {
namespace {

constexpr const char* kWorld = R"(
clusters:
  - name: lab
    scheduler: kubernetes
    users: [ann]
    nodes:
      - {names: "h[1-2]", product: H100-80GB-SXM5, gpus: 2, driver: 570.124.06}
      - {names: m1, product: H100-80GB-SXM5, gpus: 1, layout: all-balanced, driver: 570.124.06,
         features: ["mig.strategy=mixed", "mig.config=all-balanced"]}
    jobs:
      - {name: sft, namespace: training, want: "nvidia.com/gpu:2", on: h1, runs: 9d, ran: 1h, does: training}
      - {name: asr, namespace: serving, want: "nvidia.com/mig-2g.20gb", on: m1, runs: 9d, ran: 1h, does: training}
)";
constexpr const char* kService = "monitoring/prometheus-k8s:9090";
constexpr int kGpuSeries = 8;  // of each counter: four GPUs, and the four instances of m1's

// The figures of a row of `gpus` or `slices`, in the order of kFigures.
constexpr const char* kFigures[] = {"use_percent", "memory_used_mib", "tensor_percent", "memory_bus_percent"};

class LivePrometheus : public testing::Test {
 protected:
  void SetUp() override {
    if (prometheus_is_missing()) GTEST_SKIP() << kNeedsPrometheus;
    if (!find_program("kubectl")) GTEST_SKIP() << "needs kubectl";
    sim::kube::ServeOptions options;
    options.world.scenario = folder_.write("lab.yaml", kWorld);
    options.world.state_file = world();
    options.world.speed = 0;  // time passes where a test lets it
    options.world.wall = [] { return std::chrono::floor<Duration>(std::chrono::system_clock::now()); };
    options.kubeconfig = folder_.path() + "/kubeconfig";
    auto server = sim::kube::Server::start(std::move(options));
    ASSERT_TRUE(server) << to_line(server.error());
    server_ = std::move(*server);
    for (const std::string& node : {"h1", "h2", "m1"}) exporters_[node] = exporter_of(node);
    prometheus_ = std::make_unique<RealPrometheus>(Scrapes{configuration()});
    order("services", fmt::format("{} {}", kService, prometheus_->port()));
    ASSERT_TRUE(it_answers("count(DCGM_FI_DEV_FB_USED)", std::to_string(kGpuSeries)));
  }

  std::string world() const { return folder_.path() + "/world"; }
  std::string api() const { return fmt::format("http://127.0.0.1:{}", server_->port()); }
  static Ran curl(std::vector<std::string> words) {
    RunOptions options;
    options.program = kCurl;
    words.insert(words.begin(), "-sS");
    return run_tessera(words, options);
  }
  void order(const std::string& what, const std::string& body) const {
    const Ran ran = curl({"-f", "-X", "POST", "-d", body, api() + "/tessera/" + what});
    EXPECT_EQ(ran.code, 0) << what << " " << body << ": " << ran.err;
  }
  std::string exporter_of(const std::string& node) const {
    const std::string pods =
        curl({api() + "/api/v1/namespaces/gpu-operator/pods?labelSelector=app%3Dnvidia-dcgm-exporter"}).out;
    for (int i = 0; i < 3; ++i) {
      const std::string pod = fmt::format("/items/{}", i);
      if (text_at(pods, pod + "/spec/nodeName") == node) return text_at(pods, pod + "/metadata/name");
    }
    ADD_FAILURE() << "no exporter on " << node << ": " << pods;
    return {};
  }
  // As a site's does: the exporters' pods are its targets, whose labels rename those that exporters give.
  std::string configuration() const {
    std::string text = "global: {scrape_interval: 1s, scrape_timeout: 1s}\nscrape_configs:\n";
    for (const auto& [node, pod] : exporters_)
      text += fmt::format(
          "  - job_name: {1}\n"
          "    metrics_path: /api/v1/namespaces/gpu-operator/pods/{1}:9400/proxy/metrics\n"
          "    static_configs: [{{targets: [\"127.0.0.1:{2}\"], labels: {{namespace: gpu-operator, pod: {1}, "
          "node: {0}}}}}]\n",
          node, pod, server_->port());
    return text;
  }

  // Until the server's answer has one sample of that value (empty: any); it scrapes once a second.
  bool it_answers(const std::string& query, const std::string& value) const {
    pollfd never{-1, 0, 0};
    std::string told;
    for (int tries = 0; tries < 600; ++tries) {
      told = text_at(prometheus_->answer(query), "/data/result/0/value/1");
      if (value.empty() ? told != "missing" : told == value) return true;
      ::poll(&never, 1, 50);
    }
    ADD_FAILURE() << query << " is " << told;
    return false;
  }
  // All series are younger than this call.
  bool it_has_scraped() const {
    const auto now = std::chrono::system_clock::now().time_since_epoch() / std::chrono::milliseconds(1);
    return it_answers(fmt::format("min(timestamp(DCGM_FI_DEV_FB_USED)) > {}.{:03}", now / 1000, now % 1000),
                      "");
  }

  Ran run(std::vector<std::string> words, const std::string& path) const {
    RunOptions options;
    options.environment = {{"PATH", path}, {"HOME", folder_.path()}, {"TMPDIR", folder_.path()}};
    words.insert(words.end(), {"-o", "json"});
    return run_tessera(words, options);
  }
  std::string on_kubernetes(const std::string& list) const {
    const Ran ran = run({list, "--kubeconfig", folder_.path() + "/kubeconfig", "--prometheus", kService},
                        std::getenv("PATH"));
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran.out;
  }
  // An executable, and where it is.
  std::string script(const std::string& name, const std::string& text) const {
    std::string path = folder_.write(name, "#!/bin/sh\n" + text);
    ::chmod(path.c_str(), 0755);
    return path;
  }
  // figures: the settings that say who tells them.
  std::string on_slurm(const std::string& list, const std::vector<std::string>& figures) const {
    script("bin/scontrol",
           "case \"$*\" in\n"
           "  ping) echo 'Slurmctld(primary) at ctl is UP';;\n"
           "  *config) echo 'SLURM_VERSION = 22.05.8';;\n"
           "  *node) echo 'NodeName=h1 Gres=gpu:h100:2 GresUsed=gpu:h100:2(IDX:0-1) State=ALLOCATED'\n"
           "    echo 'NodeName=h2 Gres=gpu:h100:2 GresUsed=gpu:h100:0(IDX:N/A) State=IDLE';;\n"
           "  *job) echo 'No jobs in the system';;\n"
           "  *partition) echo 'No partitions in the system';;\n"
           "  *reservation) echo 'No reservations in the system';;\nesac\n");
    std::vector<std::string> words = {list, "--slurm-conf", folder_.write("slurm.conf", "ClusterName=hpc\n")};
    words.insert(words.end(), figures.begin(), figures.end());
    const Ran ran = run(std::move(words), folder_.path() + "/bin");
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran.out;
  }
  std::string on_slurm(const std::string& list) const {
    return on_slurm(list, {"--prometheus", prometheus_->url(), "--prometheus-command",
                           std::string(kCurl) + " -sSf --max-time 10 {url}"});
  }
  // Each node's exporter itself, by a command as a site has it.
  std::string by_exporters_on_slurm(const std::string& list) const {
    std::string text = "case \"$1\" in\n";
    for (const auto& [node, pod] : exporters_)
      text += fmt::format(
          "  {}) exec {} -sSf --max-time 5 {}/api/v1/namespaces/gpu-operator/pods/{}:9400/proxy/metrics;;\n",
          node, kCurl, api(), pod);
    return on_slurm(list, {"--slurm-exporter", script("ask-exporter", text + "esac\nexit 1\n") + " {node}"});
  }
  // What the simulator itself knows of its world, which no exporter, API server or Prometheus has told.
  std::string in_the_world(const std::string& list) const {
    const Ran ran = run({list, "--sim-state", world(), "--sim-speed", "0"}, std::getenv("PATH"));
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran.out;
  }

  // Of a GPU or a slice by node and place, each figure; -1: null.
  using Told = std::map<std::string, std::vector<double>>;
  static Told figures(const std::string& json, const std::string& below) {
    Told told;
    for (std::size_t i = 0; i < json_size(json); ++i) {
      const std::string row = fmt::format("/{}", i);
      const std::string gpu = json_at(json, row + (below.empty() ? "/gpu" : "/index"));
      std::string name = text_at(json, row + "/node") + "/" + gpu;
      if (below.empty()) name += " " + text_at(json, row + "/profile");
      if (told.contains(name)) name += " again";
      for (const char* figure : kFigures) {
        const std::string value = json_at(json, row + below + "/" + figure);
        told[name].push_back(value == "null" ? -1 : std::strtod(value.c_str(), nullptr));
      }
    }
    return told;
  }
  static Told gpus(const std::string& json) { return figures(json, "/telemetry"); }
  static Told slices(const std::string& json) { return figures(json, ""); }
  // Exporters round, each figure in its own way: by less than one of its unit.
  static void same(const Told& told, const Told& known, const std::set<std::string>& nodes,
                   const std::string& where) {
    int compared = 0;
    for (const auto& [name, figures] : known) {
      if (!nodes.contains(name.substr(0, name.find('/')))) continue;
      ASSERT_TRUE(told.contains(name)) << where << ": " << name << " is not told";
      for (std::size_t i = 0; i < figures.size(); ++i, ++compared) {
        // Of a GPU that is cut the simulator takes its slices' parts of the memory, and not what they have.
        if (name == "m1/0" && i == 1) continue;
        EXPECT_NEAR(told.at(name)[i], figures[i], 1) << where << ": " << kFigures[i] << " of " << name;
      }
    }
    EXPECT_GT(compared, 0) << where;
  }

  Scratch folder_;
  std::unique_ptr<sim::kube::Server> server_;
  std::map<std::string, std::string> exporters_;  // pods, by node
  std::unique_ptr<RealPrometheus> prometheus_;
};

TEST_F(LivePrometheus, WhatItScrapesIsToldAsTheSimulatorHasItAndAMissingSeriesIsAGap) {
  const Told begun = gpus(in_the_world("gpus"));
  ASSERT_GT(begun.at("h1/0")[0], 1) << "it trains";
  same(gpus(on_kubernetes("gpus")), begun, {"h1", "h2", "m1"}, "Kubernetes");
  same(slices(on_kubernetes("slices")), slices(in_the_world("slices")), {"m1"}, "slices");
  same(gpus(on_slurm("gpus")), begun, {"h1", "h2"}, "Slurm");

  order("advance", "3h");
  ASSERT_TRUE(it_has_scraped());
  const Told later = gpus(in_the_world("gpus"));
  EXPECT_NE(later, begun) << "three hours change some of it";
  same(gpus(on_kubernetes("gpus")), later, {"h1", "h2", "m1"}, "three hours later");

  order("faults",
        "status code=503 times=always path=/api/v1/namespaces/gpu-operator/pods/" + exporters_.at("h1"));
  ASSERT_TRUE(it_answers("count(DCGM_FI_DEV_FB_USED)", std::to_string(kGpuSeries - 2)));
  const Told rest = gpus(on_kubernetes("gpus"));
  EXPECT_EQ(rest.at("h1/0"), (std::vector<double>{-1, -1, -1, -1})) << "unknown, and never 0";
  EXPECT_EQ(rest.at("h1/1"), (std::vector<double>{-1, -1, -1, -1}));
  same(rest, later, {"h2", "m1"}, "the others");
  const Told on_slurm_now = gpus(on_slurm("gpus"));
  EXPECT_EQ(on_slurm_now.at("h1/0"), (std::vector<double>{-1, -1, -1, -1}));
  same(on_slurm_now, later, {"h2"}, "the others on Slurm");
}

// The command of `slurm-exporter` was tried with a stand-in alone, which writes what a test thinks of.
TEST_F(LivePrometheus, WhatANodesExporterTellsTheSitesCommandIsToldAsTheSimulatorHasIt) {
  same(gpus(by_exporters_on_slurm("gpus")), gpus(in_the_world("gpus")), {"h1", "h2"}, "by slurm-exporter");

  order("advance", "3h");
  const Told later = gpus(in_the_world("gpus"));
  order("faults",
        "status code=503 times=always path=/api/v1/namespaces/gpu-operator/pods/" + exporters_.at("h1"));
  const Told rest = gpus(by_exporters_on_slurm("gpus"));
  ASSERT_TRUE(rest.contains("h1/0") && rest.contains("h1/1"));
  EXPECT_EQ(rest.at("h1/0"), (std::vector<double>{-1, -1, -1, -1})) << "unknown, and never 0";
  EXPECT_EQ(rest.at("h1/1"), (std::vector<double>{-1, -1, -1, -1}));
  same(rest, later, {"h2"}, "the other one");
}

}  // namespace
}  // namespace tessera::test
