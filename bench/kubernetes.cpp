// A Kubernetes cluster of 5,000 nodes and 50,000 pods, read by the real tessera through the real kubectl
// proxy from the simulated API server: first paint, all of it, memory, and a screen that stays live under
// 10,000 changes of pods a second. Beside it, in the same run, what kubectl itself takes for the same lists.
//
// Prints one line a figure. Run by `./bootstrap bench`; needs kubectl. --quick: 500 nodes. --changes: no
// lists, the changes alone.
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "backends/http_client.hpp"
#include "backends/process.hpp"
#include "backends/sim/gpu_operator/serve.hpp"
#include "bench/aims.hpp"
#include "tests/support/pty.hpp"

namespace {

using tessera::Duration;
using tessera::test::Pty;
using tessera::test::PtyOptions;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr int kAimedAt = 10'000;  // changes of pods in a second
constexpr int kTimes = 3;         // each of what is timed, in turn with its baseline

double milliseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}
double median(std::vector<double> figures) {
  std::sort(figures.begin(), figures.end());
  return figures[figures.size() / 2];
}

class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path().string() + "/tessera-bench-XXXXXX") {
    if (!::mkdtemp(path_.data())) fmt::print("!! no folder for the bench\n");
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ + "/" + name) << text;
    return path_ + "/" + name;
  }

 private:
  std::string path_;
};

// A tenth of the pods is work, the others are the GPU operator's: eight a node.
std::string place(int nodes) {
  return fmt::format(
      R"(clusters:
  - name: big
    scheduler: kubernetes
    version: kubernetes v1.32.2
    users: [ann, bob, ci]
    nodes:
      - {{names: "w[0001-{0:04}]", product: H100-80GB-SXM5, driver: 570.124.06, cpus: 192, memory_gib: 2048}}
      - {{names: "m[0001-{1:04}]", product: H100-80GB-SXM5, layout: all-balanced, driver: 570.124.06, cpus: 192, memory_gib: 2048}}
    jobs:
      - {{count: {2}, namespace: train, names: [sft, tune, eval], want: ["nvidia.com/gpu:1", "nvidia.com/gpu:4"], does: training, runs: [1d, 9d]}}
      - {{count: {2}, namespace: serve, names: [chat, rank], want: ["nvidia.com/mig-1g.10gb", "nvidia.com/mig-3g.40gb"], does: batch, runs: [1d, 9d]}}
)",
      nodes * 7 / 10, nodes - nodes * 7 / 10, nodes);
}

struct Cost {
  double wall = 0, cpu = 0;  // milliseconds
  long peak_kib = 0;
};

Cost run_kubectl(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  std::fflush(stdout);  // else the child writes it again
  auto begin = Clock::now();
  pid_t pid = ::fork();
  if (pid == 0) {
    if (!std::freopen("/dev/null", "w", stdout)) ::_exit(126);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  int status = 0;
  rusage used{};
  ::wait4(pid, &status, 0, &used);
  if (status != 0) fmt::print("!! kubectl ended with {}\n", status);
  auto time = [](const timeval& value) {
    return static_cast<double>(value.tv_sec) * 1000 + static_cast<double>(value.tv_usec) / 1000;
  };
  return {milliseconds(Clock::now() - begin), time(used.ru_utime) + time(used.ru_stime), used.ru_maxrss};
}

std::string status_line(pid_t pid, const std::string& key) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key + ":\t")) return line.substr(key.size() + 2);
  return "0";
}
double peak_mib(pid_t pid) { return std::strtod(status_line(pid, "VmHWM").c_str(), nullptr) / 1024; }
double resident_mib(pid_t pid) { return std::strtod(status_line(pid, "VmRSS").c_str(), nullptr) / 1024; }

double cpu_ms(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  text.erase(0, text.rfind(')') + 2);
  double user = 0, system = 0;
  std::size_t from = 0;
  for (int field = 3; from < text.size(); ++field) {
    std::size_t end = std::min(text.find(' ', from), text.size());
    if (field == 14) user = std::strtod(text.c_str() + from, nullptr);
    if (field == 15) system = std::strtod(text.c_str() + from, nullptr);
    from = end + 1;
  }
  return (user + system) * 1000 / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

// The first child of that process whose command line has the word.
pid_t child_of(pid_t parent, const std::string& word) {
  for (pid_t pid = parent + 1; pid < parent + 200; ++pid) {
    if (std::atoi(status_line(pid, "PPid").c_str()) != parent) continue;
    std::ifstream file("/proc/" + std::to_string(pid) + "/cmdline");
    std::string line((std::istreambuf_iterator<char>(file)), {});
    if (line.find(word) != std::string::npos) return pid;
  }
  return 0;
}

class Bench {
 public:
  Bench(std::string kubectl, int nodes) : kubectl_(std::move(kubectl)), nodes_(nodes) {}

  bool serve() {
    auto begin = Clock::now();
    tessera::sim::kube::ServeOptions options;
    options.world.scenario = folder_.write("big.yaml", place(nodes_));
    options.world.speed = 0;
    options.world.wall = [] { return std::chrono::floor<Duration>(std::chrono::system_clock::now()); };
    options.kubeconfig = config();
    auto server = tessera::sim::kube::Server::start(std::move(options));
    if (!server) return fmt::print("!! {}\n", to_line(server.error())), false;
    server_ = std::move(*server);
    fmt::print("the simulated server is up after {:.1f} s, with {:.0f} MiB\n",
               milliseconds(Clock::now() - begin) / 1000, peak_mib(::getpid()));
    return true;
  }

  // First paint, all nodes, all of it; kubectl in turn.
  void lists() {
    std::vector<double> first, nodes, whole, json, table, pods, json_cpu, our_cpu;
    long json_peak = 0, pods_peak = 0;
    double peak = 0, proxy_peak = 0;
    bool early = true;
    ask({"get", "nodes"});  // what it keeps of the API's groups is there from now on
    for (int i = 0; i < kTimes; ++i) {
      Cost all = ask({"get", "nodes", "-o", "json"});
      json.push_back(all.wall);
      json_cpu.push_back(all.cpu);
      json_peak = std::max(json_peak, all.peak_kib);
      table.push_back(ask({"get", "nodes"}).wall);
      Cost of_pods = ask({"get", "pods", "-A", "-o", "json"});
      pods.push_back(of_pods.wall);
      pods_peak = std::max(pods_peak, of_pods.peak_kib);

      auto begin = Clock::now();
      Pty pty(console());
      pty.send("2");
      if (!pty.wait_for("m0001")) fmt::print("!! no node\n{}\n", pty.screen());
      first.push_back(milliseconds(Clock::now() - begin));
      early = early && pty.has("loading");
      std::string count = fmt::format("of {}", nodes_);
      if (!pty.wait_for(count)) fmt::print("!! not all nodes\n{}\n", pty.screen());
      nodes.push_back(milliseconds(Clock::now() - begin));
      if (!pty.wait_loaded()) fmt::print("!! not all of it\n{}\n", pty.screen());
      whole.push_back(milliseconds(Clock::now() - begin));
      our_cpu.push_back(cpu_ms(pty.pid()));
      peak = std::max(peak, peak_mib(pty.pid()));
      proxy_peak = std::max(proxy_peak, peak_mib(child_of(pty.pid(), "proxy")));
    }
    fmt::print(
        "kubectl get nodes -o json: {:.0f} ms ({:.0f} ms of CPU), peak {:.0f} MiB; kubectl get nodes: "
        "{:.0f} ms; kubectl get pods -A -o json: {:.0f} ms, peak {:.0f} MiB\n",
        median(json), median(json_cpu), static_cast<double>(json_peak) / 1024, median(table), median(pods),
        static_cast<double>(pods_peak) / 1024);
    fmt::print("tessera, start to first paint of nodes: {:.0f} ms, {:.2f} of kubectl's JSON{}\n",
               median(first), median(first) / median(json),
               early ? ", before the last page" : ", !! after the last page");
    hold({"first paint of nodes behind the last page", "", 0, "times"}, early ? 0 : 1);
    fmt::print("tessera, start to all nodes: {:.0f} ms, {:.2f} of kubectl's JSON\n", median(nodes),
               median(nodes) / median(json));
    fmt::print(
        "tessera, start to nodes, pods and all the rest: {:.0f} ms, {:.2f} of kubectl's JSON of both "
        "({:.0f} ms of CPU)\n",
        median(whole), median(whole) / (median(json) + median(pods)), median(our_cpu));
    fmt::print("peak memory: tessera {:.0f} MiB, its kubectl proxy {:.0f} MiB\n", peak, proxy_peak);
    hold_memory(peak);
  }

  // The mark that is waited for comes through the same watch as everything before it: when it shows, all of
  // that is dealt with.
  void changes(int each_second) {
    Pty pty(console());
    pty.send("2");
    if (!pty.wait_loaded()) return fmt::print("!! not loaded\n{}\n", pty.screen());
    std::vector<double> quiet, busy;
    answered_.clear();
    for (int i = 0; i < 5; ++i) quiet.push_back(event_to_cell(pty, i % 2 == 0));
    double answered_quiet = median(std::exchange(answered_, {}));
    double before = cpu_ms(pty.pid()), proxy_before = cpu_ms(child_of(pty.pid(), "proxy"));
    auto begin = Clock::now();
    post("/tessera/churn", fmt::format("{} 20s", each_second));
    for (int i = 0; i < 5; ++i) {
      for (auto until = Clock::now() + 3s; Clock::now() < until;)  // a terminal reads all the time
        pty.quiet_for(std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()));
      busy.push_back(event_to_cell(pty, i % 2 != 0));
    }
    double took = milliseconds(Clock::now() - begin);
    double made = std::strtod(get("/tessera/churn").c_str(), nullptr);
    double written = made / took * 1000;
    fmt::print(
        "{:.0f} changes of pods a second (of {} asked for) while the nodes' table is live: tessera {:.0f}% "
        "of a core, its kubectl proxy {:.0f}%\n",
        written, each_second, (cpu_ms(pty.pid()) - before) / took * 100,
        (cpu_ms(child_of(pty.pid(), "proxy")) - proxy_before) / took * 100);
    fmt::print(
        "a node's cordon, from the request to the cell: {:.0f} ms when all is quiet (the server's answer to "
        "it: {:.0f} ms), {:.0f} ms then ({:.0f} ms)\n",
        median(quiet), answered_quiet, median(busy), median(answered_));
    fmt::print("peak memory after that: tessera {:.0f} MiB, of which it keeps {:.0f} MiB\n",
               peak_mib(pty.pid()), resident_mib(pty.pid()));
    hold_memory(peak_mib(pty.pid()));
    if (each_second > kAimedAt) hold({"changes of pods in a second", "", kAimedAt, "changes", true}, written);
  }
  int code() const { return aims_.code(); }

 private:
  void hold(const tessera::bench::Aim& aim, double figure) {
    fmt::print("{}\n", aims_.see(aim, aim.bench, figure));
  }
  void hold_memory(double mib) { hold({"memory at most", "", 150, "MB"}, mib * (1 << 20) / 1e6); }
  std::string config() const { return folder_.path() + "/kubeconfig"; }
  Cost ask(std::vector<std::string> words) {
    words.insert(words.begin(),
                 {kubectl_, "--kubeconfig", config(), "--cache-dir", folder_.path() + "/cache"});
    return run_kubectl(words);
  }
  PtyOptions console() const {
    PtyOptions options;
    options.columns = 160;
    options.rows = 50;
    options.arguments = {"--kubeconfig", config()};
    options.environment = {
        {"PATH", std::getenv("PATH")}, {"HOME", folder_.path()}, {"TMPDIR", folder_.path()}};
    return options;
  }

  // The rule above the page beside the list names the node, too.
  double event_to_cell(Pty& pty, bool closed) {
    std::string word = closed ? "cordoned" : "ok";
    auto row_says = [&] {
      for (int y = 0; y < 50; ++y)
        if (const std::string row = pty.row(y); row.starts_with(" m0001 ") || row.starts_with("▌m0001 "))
          return row.find(word) != std::string::npos;
      return false;
    };
    auto begin = Clock::now();
    ask_server("PATCH", "/api/v1/nodes/m0001", fmt::format(R"({{"spec":{{"unschedulable":{}}}}})", closed));
    answered_.push_back(milliseconds(Clock::now() - begin));
    if (!pty.wait_until(row_says)) fmt::print("!! the cell did not change\n{}\n", pty.screen());
    return milliseconds(Clock::now() - begin);
  }

  std::string ask_server(std::string method, std::string target, std::string body) {
    tessera::Worker worker;
    std::promise<std::string> told;
    tessera::HttpClient client(worker, {"", "127.0.0.1", server_->port()});
    worker.post([&] {
      tessera::HttpCall call;
      call.method = std::move(method);
      call.target = std::move(target);
      call.body = std::move(body);
      call.headers = {{"Content-Type", "application/merge-patch+json"}};
      client.request(std::move(call), [&](tessera::Result<tessera::HttpResponse> answer) {
        told.set_value(answer ? answer->body : to_line(answer.error()));
      });
    });
    std::string answer = told.get_future().get();
    worker.stop();
    return answer;
  }
  void post(std::string target, std::string body) { ask_server("POST", std::move(target), std::move(body)); }
  std::string get(std::string target) { return ask_server("GET", std::move(target), ""); }

  std::string kubectl_;
  int nodes_;
  tessera::bench::Aims aims_{tessera::bench::machine_ms()};
  std::vector<double> answered_;  // how long the server took over each cordon
  Folder folder_;
  std::unique_ptr<tessera::sim::kube::Server> server_;
};

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> words(arguments + 1, arguments + count);
  auto says = [&](const char* word) { return std::find(words.begin(), words.end(), word) != words.end(); };
  bool quick = says("--quick");
  auto kubectl = tessera::find_program("kubectl");
  if (!kubectl) return fmt::print("kubectl is not there: not measured\n"), 0;
  Bench bench(*kubectl, quick ? 500 : 5000);
  if (!bench.serve()) return 1;
  if (!says("--changes")) bench.lists();
  bench.changes(quick ? 1000 : 12'000);  // more than is aimed at
  return bench.code();
}
