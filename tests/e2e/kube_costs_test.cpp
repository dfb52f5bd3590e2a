// What asking the simulated API server costs, held against what went through a relay in between: requests are
// those that were sent, and bytes those that the server sent but for status lines, headers and the frames of
// chunks.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cmath>
#include <mutex>
#include <thread>

#include "backends/kubernetes/backend.hpp"
#include "engine/insight/costs.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/kube_lab.hpp"
#include "tests/support/patience.hpp"
#include "tests/support/watch.hpp"

namespace tessera::test {
namespace {

int connected_to(const std::string& path) {
  sockaddr_un place{};
  place.sun_family = AF_UNIX;
  path.copy(place.sun_path, sizeof place.sun_path - 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&place), sizeof place), 0) << path;
  return fd;
}

// Hands bytes on both ways and counts them. Threads: two for each connection; the destructor ends them.
class Relay {
 public:
  Relay(std::string from, std::string to) : from_(std::move(from)), to_(std::move(to)) {
    sockaddr_un place{};
    place.sun_family = AF_UNIX;
    from_.copy(place.sun_path, sizeof place.sun_path - 1);
    listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&place), sizeof place), 0);
    EXPECT_EQ(::listen(listener_, 64), 0);
    accepts_ = std::thread([this] { accept_all(); });
  }
  ~Relay() {
    ::shutdown(listener_, SHUT_RDWR);
    accepts_.join();
    std::vector<std::thread> pumps;
    {
      std::lock_guard hold(lock_);
      for (int fd : open_) ::shutdown(fd, SHUT_RDWR);
      pumps = std::move(pumps_);
    }
    for (std::thread& pump : pumps) pump.join();
    for (int fd : open_) ::close(fd);
    ::close(listener_);
  }
  std::int64_t requests() const { return requests_; }
  std::int64_t sent() const { return sent_; }  // by the server, heads included

 private:
  void accept_all() {
    for (int client = 0; (client = ::accept(listener_, nullptr, nullptr)) >= 0;) {
      const int server = connected_to(to_);
      std::lock_guard hold(lock_);
      open_.insert(open_.end(), {client, server});
      pumps_.emplace_back([this, client, server] { pump(client, server, false); });
      pumps_.emplace_back([this, client, server] { pump(server, client, true); });
    }
  }
  void pump(int from, int to, bool answers) {
    std::array<char, 65536> buffer{};
    std::string tail;
    for (ssize_t got = 0; (got = ::read(from, buffer.data(), buffer.size())) > 0;) {
      if (answers) {
        sent_ += got;
      } else {
        // A head may come in pieces; the tail is shorter than the mark.
        constexpr std::string_view kMark = "\r\nHost: localhost\r\n";
        tail.append(buffer.data(), static_cast<std::size_t>(got));
        for (std::size_t at = 0; (at = tail.find(kMark)) != std::string::npos;) {
          ++requests_;
          tail.erase(0, at + kMark.size());
        }
        if (tail.size() >= kMark.size()) tail.erase(0, tail.size() - kMark.size() + 1);
      }
      for (ssize_t done = 0; done < got;) {
        const ssize_t wrote = ::write(to, buffer.data() + done, static_cast<std::size_t>(got - done));
        if (wrote <= 0) return;
        done += wrote;
      }
    }
    ::shutdown(to, SHUT_WR);
  }

  std::string from_, to_;
  int listener_ = -1;
  std::thread accepts_;
  std::mutex lock_;
  std::vector<int> open_;
  std::vector<std::thread> pumps_;
  std::atomic<std::int64_t> requests_ = 0, sent_ = 0;
};

TEST(KubeCosts, AreWhatTheServerWasAskedAndWhatItSent) {
  Scratch folder;
  sim::kube::ServeOptions served;
  served.world.scenario = "kubernetes";
  served.world.speed = 0;
  served.world.wall = [] { return std::chrono::floor<Duration>(std::chrono::system_clock::now()); };
  served.listen = folder.path() + "/server";
  auto server = sim::kube::Server::start(std::move(served));
  ASSERT_TRUE(server) << to_line(server.error());
  Relay relay(folder.path() + "/relay", folder.path() + "/server");

  kubernetes::KubernetesOptions options;
  options.cluster = "lab";
  options.socket = folder.path() + "/relay";
  options.catalogue = &catalogue();
  options.clock = [] { return std::chrono::floor<Duration>(std::chrono::system_clock::now()); };
  options.every = std::chrono::hours(1);
  Mailbox mailbox;
  Model model;
  kubernetes::KubernetesBackend backend(options);
  backend.start(mailbox);
  // With the pace all costs are told at once; nothing is under way then but watches that are silent.
  double over = 0;
  ASSERT_TRUE(reduce_until(
      mailbox, model, ClusterName("lab"),
      [&](const Cluster& cluster) {
        const auto nodes = cluster.sources.find(Source::kubernetes_nodes);
        if (!cluster.loaded || nodes == cluster.sources.end() || !nodes->second.cost) return false;
        over = static_cast<double>(nodes->second.cost->over.count()) / 60'000.0;
        return cluster.sources.contains(Source::dcgm) &&
               std::llround(cluster.pace.calls_per_minute * over) == relay.requests();
      },
      test::kPatience, std::chrono::milliseconds(50)));

  const Cluster& cluster = *model.find(ClusterName("lab"));
  std::int64_t bytes = 0, calls = 0;
  for (const auto& [source, health] : cluster.sources) {
    ASSERT_TRUE(health.cost) << word(source);
    EXPECT_GT(health.cost->calls, 0) << word(source);
    EXPECT_GT(health.cost->bytes, 0) << word(source);
    bytes += health.cost->bytes;
    calls += health.cost->calls;
  }
  const auto others = std::llround(insight::calls_of_others(cluster) * over);
  EXPECT_EQ(calls + others, relay.requests()) << "each request is one source's, or nobody's";
  EXPECT_LE(others, 10) << "what this server turns out not to serve, and what is offered";
  const std::int64_t heads = relay.sent() - bytes;
  EXPECT_GT(heads, 0);
  constexpr std::int64_t kHead = 512, kFrame = 16;  // bytes of an answer's head; of a chunk's
  EXPECT_LT(heads, relay.requests() * kHead + relay.sent() / 1000 * kFrame) << relay.sent() << " sent";
  EXPECT_GT(cluster.sources.at(Source::dcgm).cost->bytes, 100'000) << "exporters are most of it";
}

}  // namespace
}  // namespace tessera::test
