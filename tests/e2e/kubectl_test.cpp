// The real kubectl against `tessera-sim serve --kubernetes`, as an admin would type it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <sstream>
#include <thread>

#include "tests/support/paths.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera {
namespace {

using test::Ran;

std::string find_kubectl() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access((folder + "/kubectl").c_str(), X_OK) == 0) return folder + "/kubectl";
  return {};
}

// A program to its end; `until` given: it is interrupted as soon as its output has that.
Ran run(const std::vector<std::string>& words, const std::string& home, const std::string& until = "") {
  int out[2];
  if (::pipe2(out, O_CLOEXEC) != 0) return {};
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  std::string home_is = "HOME=" + home, path_is = std::string("PATH=") + std::getenv("PATH");
  char* environment[] = {home_is.data(), path_is.data(), nullptr};
  pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(out[1], 1);
    ::dup2(out[1], 2);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execve(argv[0], argv.data(), environment);
    _exit(127);
  }
  ::close(out[1]);
  Ran ran;
  auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(90);
  char buffer[8192];
  bool stopped = false;
  while (true) {
    auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd one{out[0], POLLIN, 0};
    if (left.count() <= 0 || ::poll(&one, 1, static_cast<int>(left.count())) <= 0) break;
    ssize_t got = ::read(out[0], buffer, sizeof buffer);
    if (got <= 0) break;
    ran.out.append(buffer, static_cast<std::size_t>(got));
    if (!stopped && !until.empty() && ran.out.find(until) != std::string::npos) {
      ::kill(pid, SIGTERM);
      stopped = true;
    }
  }
  ::close(out[0]);
  if (std::chrono::steady_clock::now() >= deadline) ::kill(pid, SIGKILL);
  int status = 0;
  ::waitpid(pid, &status, 0);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ran;
}

class Kubectl : public ::testing::Test {
 protected:
  void SetUp() override {
    program_ = find_kubectl();
    if (program_.empty()) GTEST_SKIP() << "kubectl is not installed";
  }
  // Serves the shipped scenario, lets `act` talk to it, and ends it.
  void serve(const std::function<void()>& act, std::vector<std::string> more = {}) {
    std::vector<std::string> words{"serve", "--kubernetes", "--kubeconfig-out", config()};
    words.insert(words.end(), more.begin(), more.end());
    test::RunOptions options;
    bool acted = false;
    options.signal = [&](const std::string& out) {
      if (acted || out.find("get nodes") == std::string::npos) return 0;
      acted = true;
      act();
      return SIGTERM;
    };
    Ran served = test::run_simulator(words, options);
    EXPECT_TRUE(acted) << served.err;
    EXPECT_EQ(served.code, 0) << served.err;
  }
  std::string config() const { return folder_.path() + "/kubeconfig"; }
  Ran ask(std::vector<std::string> words, const std::string& until = "") {
    words.insert(words.begin(), {program_, "--kubeconfig", config(), "--request-timeout=60s"});
    return run(words, folder_.path(), until);
  }
  // The command succeeds and its output has this.
  void expect(std::vector<std::string> words, const std::string& pattern) {
    std::string shown;
    for (const std::string& word : words) shown += word + " ";
    Ran ran = ask(std::move(words));
    EXPECT_EQ(ran.code, 0) << shown << "\n" << ran.out;
    EXPECT_TRUE(std::regex_search(ran.out, std::regex(pattern))) << shown << "\n" << ran.out;
  }
  void refuse(std::vector<std::string> words, const std::string& pattern) {
    Ran ran = ask(std::move(words));
    EXPECT_NE(ran.code, 0) << ran.out;
    EXPECT_TRUE(std::regex_search(ran.out, std::regex(pattern))) << ran.out;
  }
  std::string program_;
  test::Scratch folder_;
};

// As a plugin: kubectl starts what is called kubectl-tessera.
TEST_F(Kubectl, StartsTesseraAsItsPluginAndHelpSaysSo) {
  const std::string bin = folder_.path() + "/bin";
  std::filesystem::create_directory(bin);
  std::filesystem::create_symlink(test::binary(), bin + "/kubectl-tessera");
  const std::string path = std::string("PATH=") + bin + ":" + std::getenv("PATH");
  const auto plugin = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"/usr/bin/env", path, program_, "tessera"});
    return run(words, folder_.path());
  };
  const Ran nodes = plugin({"nodes", "--sim", "-o", "csv"});
  EXPECT_EQ(nodes.code, 0) << nodes.out;
  EXPECT_NE(nodes.out.find("h100-03"), std::string::npos) << nodes.out;
  const Ran help = plugin({"plan", "--help"});
  EXPECT_EQ(help.out.find("usage: kubectl tessera plan [FLAGS]"), 0u) << help.out;
  EXPECT_NE(help.out.find("\n  kubectl tessera plan --node n0031"), std::string::npos) << help.out;
  const Ran slip = plugin({"plam"});
  EXPECT_EQ(slip.out.find("kubectl tessera: "), 0u) << slip.out;
}

TEST_F(Kubectl, ShowsAndChangesNodes) {
  serve([&] {
    expect({"get", "nodes"}, "whole-01 +Ready +<none> +[0-9a-z]+ +v1\\.32\\.2");
    expect({"get", "nodes", "-o", "wide"}, "containerd://");
    expect({"describe", "node", "mixed-01"}, "nvidia.com/mig-1g.10gb: +16");
    expect({"label", "node", "whole-01", "mine=1"}, "whole-01 labeled");
    expect({"annotate", "node", "whole-01", "note=x y"}, "whole-01 annotated");
    refuse({"label", "node", "whole-01", "mine=2"}, "already has a value|overwrite is false");
    expect({"cordon", "whole-01"}, "cordoned");
    expect({"get", "node", "whole-01"}, "Ready,SchedulingDisabled");
    expect({"uncordon", "whole-01"}, "uncordoned");
    expect({"get", "nodes", "-l", "mine=1", "-o", "name"}, "^node/whole-01\n$");
    expect({"patch", "node", "whole-01", "-p", R"({"metadata":{"labels":{"p":"1"}}})"}, "patched");
    expect({"patch", "node", "whole-01", "--type=merge", "-p", R"({"metadata":{"labels":{"p":"2"}}})"},
           "patched");
    expect({"patch", "node", "whole-01", "--type=json", "-p",
            R"([{"op":"remove","path":"/metadata/labels/p"}])"},
           "patched");
    expect({"taint", "node", "whole-01", "k=v:NoSchedule"}, "tainted");
    expect({"taint", "node", "whole-01", "k-"}, "untainted");
    expect({"get", "node", "whole-01", "-o", "jsonpath={.metadata.labels.mine}{.metadata.labels.p}"}, "^1$");
    refuse({"get", "node", "nowhere"}, "nodes \"nowhere\" not found");
  });
}

// A context that is not there would leave the next tessera without any cluster.
TEST_F(Kubectl, InitTriesTheContextThatIsAnswered) {
  serve([&] {
    std::string current = ask({"config", "current-context"}).out;
    current.erase(current.find_last_not_of('\n') + 1);
    const auto init = [&](const std::string& answers) {
      return run({test::binary(), "init", "--print", "--kubeconfig", config(), "--context", current,
                  "--answers", folder_.write("answers.yaml", answers)},
                 folder_.path());
    };
    const Ran refused = init("context: nowhere\n");
    EXPECT_NE(refused.code, 0) << refused.out;
    EXPECT_NE(refused.out.find("\"nowhere\""), std::string::npos) << refused.out;
    const Ran works = init("context: " + current + "\n");
    EXPECT_NE(works.out.find("tried: the kubeconfig has " + current), std::string::npos) << works.out;
  });
}

TEST_F(Kubectl, DrainsANodeAndKeepsBudgets) {
  serve(
      [&] {
        expect({"drain", "single-01", "--ignore-daemonsets", "--timeout=80s"},
               "node/single-01 (drained|evicted)");  // 1.20 has the other word
        expect({"get", "pods", "-A", "--field-selector", "spec.nodeName=single-01"}, "nvidia-mig-manager");
        Ran left = ask({"get", "pods", "-n", "search", "--field-selector", "spec.nodeName=single-01"});
        EXPECT_NE(left.out.find("No resources found"), std::string::npos) << left.out;
        expect({"get", "pdb", "-n", "search"}, "spell-pdb +50% +N/A");
      },
      {"--sim-speed=5"});
}

TEST_F(Kubectl, WorksOnPodsAndConfigMaps) {
  std::string file =
      folder_.write("map.yaml",
                    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: mine, namespace: gpu-operator}\n"
                    "data:\n  config.yaml: |\n    version: v1\n");
  serve(
      [&] {
        expect({"apply", "-f", file}, "configmap/mine created");
        expect({"apply", "-f", file}, "configmap/mine unchanged");
        folder_.write("map.yaml",
                      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: mine, namespace: gpu-operator}\n"
                      "data:\n  config.yaml: |\n    version: v2\n");
        expect({"apply", "-f", file}, "configmap/mine configured");
        expect({"create", "configmap", "other", "-n", "gpu-operator", "--from-literal=a=b"}, "created");
        expect({"get", "cm", "-n", "gpu-operator"}, "default-mig-parted-config +1");
        expect({"delete", "cm", "mine", "-n", "gpu-operator"}, "deleted");
        expect({"get", "pods", "-A"}, "gpu-operator +nvidia-mig-manager-[a-z0-9]{5} +1/1 +Running");
        expect({"logs", "-n", "gpu-operator", "ds/nvidia-mig-manager"}, "");
        Ran pods =
            ask({"get", "pods", "-n", "training", "-o", "name", "--field-selector", "status.phase=Running"});
        ASSERT_FALSE(pods.out.empty());
        expect({"delete", "-n", "training", pods.out.substr(0, pods.out.find('\n'))}, "deleted");
        expect({"get", "ds,clusterpolicy", "-A"},
               "daemonset.apps/nvidia-device-plugin-daemonset +18 +18 +18");
      },
      {"--sim-speed=5"});
}

TEST_F(Kubectl, WatchesAndKeepsToItsRules) {
  serve(
      [&] {
        expect({"auth", "can-i", "patch", "nodes"}, "yes");
        refuse({"--context", "train-a-viewer", "auth", "can-i", "patch", "nodes"}, "no");
        refuse({"--context", "train-a-viewer", "label", "node", "whole-01", "a=b"},
               "User \"viewer\" cannot patch resource \"nodes\" in API group \"\" at the cluster scope");
        expect({"--context", "train-a-viewer", "get", "nodes"}, "whole-01");
        Ran watched;
        std::thread other([&] {
          watched = ask({"get", "nodes", "-w"}, "whole-02    Ready,SchedulingDisabled");
        });
        // Whenever the watch begins: it lists first, so that it sees either the change or the changed node.
        expect({"cordon", "whole-02"}, "cordoned");
        other.join();
        EXPECT_NE(watched.out.find("whole-02    Ready,SchedulingDisabled"), std::string::npos) << watched.out;
      },
      {"--user-port", "viewer=0:view"});
}

}  // namespace
}  // namespace tessera
