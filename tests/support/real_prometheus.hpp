// A real Prometheus on a loopback port: on blocks that its own promtool writes from a text of OpenMetrics, or
// on what it scrapes itself. Threads: one test at a time.
#pragma once

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "backends/process.hpp"
#include "backends/worker.hpp"
#include "engine/model/units.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera::test {

inline constexpr const char* kCurl = "/usr/bin/curl";
inline constexpr const char* kNeedsPrometheus = "needs curl, and Prometheus as ./bootstrap test unpacks it";

// "prometheus", "promtool": as bootstrap unpacks Debian's package, or as that is installed.
inline std::string of_prometheus(const std::string& program) {
  const std::string unpacked = source_dir() + "/build/prometheus/usr/bin/" + program;
  return access(unpacked.c_str(), X_OK) == 0 ? unpacked : "/usr/bin/" + program;
}

inline int free_port() {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET, address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), size), 0);
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  close(fd);
  return ntohs(address.sin_port);
}

struct Scrapes {
  std::string configuration;  // prometheus.yml
};

// Ended with it.
class RealPrometheus {
 public:
  // A server on what promtool made of a text of OpenMetrics.
  explicit RealPrometheus(const std::string& metrics) : port_(free_port()) {
    const std::string file = folder_.write("metrics.txt", metrics);
    RunOptions tool;
    tool.program = of_prometheus("promtool");
    const Ran made = run_tessera({"tsdb", "create-blocks-from", "openmetrics", file, data()}, tool);
    EXPECT_EQ(made.code, 0) << made.out << made.err;
    start("scrape_configs: []\n");
  }
  // One that keeps what it scrapes.
  explicit RealPrometheus(const Scrapes& scrapes) : port_(free_port()) { start(scrapes.configuration); }
  ~RealPrometheus() { worker_.stop(); }
  std::string url() const { return fmt::format("http://127.0.0.1:{}", port_); }
  int port() const { return port_; }
  // What the server itself answers to a question of PromQL, as JSON.
  std::string answer(const std::string& query) const {
    return curl({"-sSf", "--get", "--data-urlencode", "query=" + query, url() + "/api/v1/query"}).out;
  }

 private:
  std::string data() const { return folder_.path() + "/data"; }
  static Ran curl(const std::vector<std::string>& words) {
    RunOptions options;
    options.program = kCurl;
    return run_tessera(words, options);
  }
  void start(const std::string& configuration) {
    Command command;
    command.argv = {of_prometheus("prometheus"),
                    "--config.file=" + folder_.write("prometheus.yml", configuration),
                    "--storage.tsdb.path=" + data(),
                    "--storage.tsdb.retention.time=10y",
                    fmt::format("--web.listen-address=127.0.0.1:{}", port_),
                    "--log.level=error"};
    command.deadline = Duration{0};
    worker_.post([this, command] { processes_.run(command, [](const Result<Outcome>&) {}); });
    const Ran ready =
        curl({"-sSf", "--retry", "50", "--retry-all-errors", "--retry-delay", "1", url() + "/-/ready"});
    EXPECT_EQ(ready.code, 0) << ready.err;
  }

  Scratch folder_;
  int port_;
  Worker worker_;
  Processes processes_{worker_};
};

// What is missing of it; such tests are skipped then.
inline bool prometheus_is_missing() {
  const auto missing = [](const std::string& program) { return access(program.c_str(), X_OK) != 0; };
  return missing(of_prometheus("prometheus")) || missing(of_prometheus("promtool")) || missing(kCurl);
}

// A minute apart, in [from, to).
inline void add_values(std::string& text, const std::string& labels, TimePoint from, TimePoint to,
                       double value) {
  for (TimePoint at = from; at < to; at += std::chrono::minutes(1))
    text += fmt::format("{} {} {}\n", labels, value, at.time_since_epoch() / std::chrono::seconds(1));
}

}  // namespace tessera::test
