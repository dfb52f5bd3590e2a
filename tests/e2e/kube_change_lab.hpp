// Changing nodes the whole way: the real tessera, the real kubectl proxy, and a simulated API server with the
// GPU operator behind it, whose clock runs sixty times as fast unless a test says otherwise. What waits for
// long waits by the server's clock, which its answers tell.
// Threads: one test at a time.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <future>

#include "backends/http_client.hpp"
#include "backends/process.hpp"
#include "tests/support/json_check.hpp"
#include "tests/support/kube_lab.hpp"
#include "tests/support/pty.hpp"

namespace tessera::test {

using KubeWords = std::vector<std::string>;

class KubeChangeLab : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_program("kubectl")) GTEST_SKIP() << "needs kubectl";
    serve(kube_lab(folder_));
  }
  void serve(sim::kube::ServeOptions options) {
    server_.reset();
    auto server = sim::kube::Server::start(std::move(options));
    ASSERT_TRUE(server) << to_line(server.error());
    server_ = std::move(*server);
  }
  std::map<std::string, std::string> environment() const {
    return {{"PATH", std::getenv("PATH")},
            {"HOME", folder_.path()},
            {"TMPDIR", folder_.path()},
            {"XDG_STATE_HOME", folder_.path() + "/state"}};
  }
  std::string kubeconfig() const { return folder_.path() + "/kubeconfig"; }
  Ran run(KubeWords words, RunOptions options = {}) {
    options.environment = environment();
    words.insert(words.end(), {"--kubeconfig", kubeconfig(), "--timeout", "40s"});
    return run_tessera(words, options);
  }
  Ran apply(KubeWords words, RunOptions options = {}) {
    words.insert(words.begin(), "apply");
    words.insert(words.end(), {"--write", "--yes", "-o", "json"});
    return run(words, std::move(options));
  }
  Ran resume(const Ran& stopped, KubeWords how = {}) {
    how.insert(how.begin(), {"resume", run_of(stopped)});
    how.insert(how.end(), {"--write", "--yes", "-o", "json"});
    return run(how);
  }
  std::string newest_run() {
    const std::string name = json_at(run({"journal", "-o", "json"}).out, "/0/run");
    return name.size() > 2 ? name.substr(1, name.size() - 2) : "";
  }
  // Of a run that says this on standard error.
  static RunOptions killed_at(const std::string& said) {
    RunOptions options;
    options.signal_on_err = [said](const std::string& err) {
      return err.find(said) == std::string::npos ? 0 : SIGKILL;
    };
    return options;
  }
  static std::string run_of(const Ran& ran) {
    std::string text = json_at(ran.out, "/run");
    return text.size() > 1 ? text.substr(1, text.size() - 2) : text;
  }
  // What kubectl itself says.
  std::string kubectl(KubeWords words) {
    RunOptions options;
    options.program = *find_program("kubectl");
    options.environment = {{"PATH", std::getenv("PATH")}, {"HOME", folder_.path()}};
    words.insert(words.begin(), {"--kubeconfig", kubeconfig()});
    Ran ran = run_tessera(words, options);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran.out;
  }
  // The first command in a list of a JSON answer that begins so; what: where it stands in an entry,
  // "/command".
  static std::string command_of(const std::string& json, const std::string& list, const std::string& what,
                                const std::string& begin) {
    for (int i = 0; i < 20; ++i) {
      std::string text = text_at(json, "/" + list + "/" + std::to_string(i) + what);
      if (text.starts_with(begin)) return text;
    }
    return {};
  }
  // Of those that `tessera why` prints.
  static std::string command_of(const std::string& said, const std::string& begin) {
    return command_of(said, "help", "/command", begin);
  }
  // What is printed is done as it is printed: by a shell, with this kubectl's configuration.
  Ran run_printed(std::string command) {
    std::erase(command, '\\');  // it comes out of JSON
    RunOptions options;
    options.program = "/bin/sh";
    options.environment = {
        {"PATH", std::getenv("PATH")}, {"HOME", folder_.path()}, {"KUBECONFIG", kubeconfig()}};
    return run_tessera({"-c", command}, options);
  }
  void do_as_printed(const std::string& command) {
    ASSERT_TRUE(command.starts_with("kubectl ")) << command;
    const Ran ran = run_printed(command);
    EXPECT_EQ(ran.code, 0) << command << "\n" << ran.err;
  }
  std::string told(const std::string& node, const std::string& path) {
    return kubectl({"get", "node", node, "-o", "jsonpath={" + path + "}"});
  }
  std::string offers(const std::string& node, const std::string& resource) {
    return told(node, ".status.allocatable.nvidia\\.com/" + resource);
  }

  // Something is done to the server itself: METHOD /tessera/WHAT.
  std::string do_to_server(const std::string& method, const std::string& what, const std::string& body) {
    Worker worker;
    HttpClient client(worker, {"", "127.0.0.1", server_->port()});
    std::promise<std::string> told;
    worker.post([&] {
      HttpCall call;
      call.method = method;
      call.target = "/tessera/" + what;
      call.body = body;
      client.request(std::move(call), [&](Result<HttpResponse> answer) {
        told.set_value(answer ? answer->body : to_line(answer.error()));
      });
    });
    std::string answer = told.get_future().get();
    worker.stop();
    return answer;
  }
  void arm_fault(const std::string& text) {
    std::string answer = do_to_server("POST", "faults", text);
    ASSERT_TRUE(answer.starts_with("armed")) << answer;
  }
  void disarm_faults() { do_to_server("DELETE", "faults", ""); }
  // Nothing of a run is left on the node but its layout.
  void expect_given_back(const std::string& node) {
    EXPECT_EQ(told(node, ".spec.unschedulable"), "");
    EXPECT_EQ(told(node, ".metadata.annotations.tessera/run"), "");
    EXPECT_EQ(told(node, ".metadata.annotations.karpenter\\.sh/do-not-disrupt"), "");
  }

  // The console.
  PtyOptions console() const {
    PtyOptions options;
    options.columns = 140;
    options.rows = 44;
    options.arguments = {"--write", "--kubeconfig", kubeconfig()};
    options.environment = environment();
    return options;
  }
  static std::string under_cursor(const Pty& pty) {
    for (int y = 0; y < 44; ++y)
      if (pty.row(y).find("▌") != std::string::npos) return pty.row(y);
    return "";
  }
  static bool arm(Pty& pty, const std::string& node) {
    return pty.press("A" + node + "\r") && pty.wait_for("ARMED") && pty.press("!");
  }

  Scratch folder_;
  std::unique_ptr<sim::kube::Server> server_;
};

}  // namespace tessera::test
