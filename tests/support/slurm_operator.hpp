// slurm-operator 1.2 and its NodeSet at work between a simulated API server and a Slurm, for one Slurm node:
// it drains that node once its machine is cordoned, opens it again, tells its states in the pod's conditions,
// and starts the pod again where the machine is open. What stands for Slurm is the test's. Threads: its own
// from the first word to the last; the functions of Slurm are called there.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <thread>

#include "backends/http_client.hpp"
#include "engine/json.hpp"

namespace tessera::test {

// The Slurm node that the pod is.
struct SlurmSide {
  // As conditions have them: "Idle+Drain", with the reason of its drain; nullopt: Slurm does not answer.
  struct State {
    std::string words, reason;
  };
  std::function<std::optional<State>()> state;
  std::function<void(const std::string& reason)> drain;
  std::function<void()> resume;
  std::function<void()> start, stop;  // slurmd, with its pod
};

class SlurmOperator {
 public:
  static constexpr const char* kOwn = "slurm-operator: ";

  // pod: as it is created again and again, on that machine.
  SlurmOperator(std::uint16_t port, std::string machine, std::string pod, SlurmSide slurm)
      : machine_(std::move(machine)),
        pod_(std::move(pod)),
        slurm_(std::move(slurm)),
        client_(worker_, {"", "127.0.0.1", port}) {
    thread_ = std::thread([this] {
      for (std::unique_lock lock(ending_); !over_;) {
        turn();
        ended_.wait_for(lock, std::chrono::milliseconds(60), [this] { return over_; });
      }
    });
  }
  ~SlurmOperator() {
    {
      const std::lock_guard lock(ending_);
      over_ = true;
    }
    ended_.notify_one();
    thread_.join();
    worker_.stop();
  }
  SlurmOperator(const SlurmOperator&) = delete;
  SlurmOperator& operator=(const SlurmOperator&) = delete;

  // Its NodeSet starts no pod meanwhile.
  std::atomic<bool> holds_pods = false;
  // It tells nothing and does nothing meanwhile.
  std::atomic<bool> away = false;

 private:
  static constexpr const char* kPods = "/api/v1/namespaces/slurm/pods";
  static constexpr const char* kCordon = "nodeset.slinky.slurm.net/pod-cordon";

  struct Told {
    int status = 0;
    Json body;
  };
  Told ask(const std::string& method, const std::string& target, const std::string& body = "") {
    std::promise<Told> told;
    worker_.post([&] {
      HttpCall call;
      call.method = method, call.target = target, call.body = body;
      call.headers.emplace_back("Content-Type",
                                method == "PATCH" ? "application/merge-patch+json" : "application/json");
      client_.request(std::move(call), [&](Result<HttpResponse> answer) {
        Told one;
        if (answer) one.status = answer->status;
        if (answer)
          if (auto read = parse_json(answer->body, "answer")) one.body = std::move(*read);
        told.set_value(std::move(one));
      });
    });
    return told.get_future().get();
  }
  static const Json* find(const Json& json, std::initializer_list<std::string_view> path) {
    const Json* at = &json;
    for (std::string_view key : path)
      if (at = at->find(key); !at) return nullptr;
    return at;
  }
  static std::string text(const Json& json, std::initializer_list<std::string_view> path) {
    const Json* found = find(json, path);
    return found ? found->text : "";
  }

  void turn() {
    if (away) return;
    const Told node = ask("GET", "/api/v1/nodes/" + machine_);
    const Told pod = ask("GET", std::string(kPods) + "/w-0");
    if (node.status != 200) return;
    const Json* cordon = find(node.body, {"spec", "unschedulable"});
    const bool closed = cordon && cordon->boolean;
    if (pod.status == 404) return without_pod(closed);
    if (pod.status != 200 || find(pod.body, {"metadata", "deletionTimestamp"})) return;
    follow(closed,
           text(node.body, {"metadata", "annotations", "nodeset.slinky.slurm.net/node-cordon-reason"}),
           text(pod.body, {"metadata", "annotations", kCordon}) == "true");
    tell();
  }
  void without_pod(bool closed) {
    if (runs_) slurm_.stop();
    runs_ = false;
    if (closed || holds_pods) return;
    const Told made = ask("POST", kPods, pod_);
    told_.clear();
    if (made.status == 201) slurm_.start();
    runs_ = made.status == 201;
  }
  void follow(bool closed, const std::string& why, bool answered) {
    runs_ = true;
    const auto now = slurm_.state();
    if (!now) return;
    const bool drained = now->words.find("Drain") != std::string::npos;
    // Another's drain is theirs.
    if (closed && !answered && !drained) slurm_.drain(kOwn + (why.empty() ? "the node is cordoned" : why));
    if (!closed && drained && now->reason.starts_with(kOwn)) slurm_.resume();  // also of a pod that is new
    if (closed != answered) annotate(closed);
  }
  void annotate(bool closed) {
    Json value = closed ? Json::of(std::string("true")) : Json();
    Json annotations = Json::map(), metadata = Json::map(), patch = Json::map();
    annotations.add(kCordon, std::move(value));
    metadata.add("annotations", std::move(annotations));
    patch.add("metadata", std::move(metadata));
    ask("PATCH", std::string(kPods) + "/w-0", to_line(patch));
  }
  void tell() {
    const auto now = slurm_.state();
    if (!now) return;
    std::string all = R"({"type":"Ready","status":"True"})";
    std::istringstream words(now->words);
    for (std::string word; std::getline(words, word, '+');)
      all += R"(,{"type":"SlurmNodeState)" + word + R"(","status":"True","message":)" +
             to_line(Json::of(now->reason)) + "}";
    if (all == told_) return;
    const Told done = ask("PATCH", std::string(kPods) + "/w-0/status",
                          R"({"status":{"phase":"Running","conditions":[)" + all + "]}}");
    if (done.status == 200) told_ = all;
  }

  const std::string machine_, pod_;
  const SlurmSide slurm_;
  Worker worker_;
  HttpClient client_;
  std::string told_;
  bool runs_ = false;
  std::mutex ending_;
  std::condition_variable ended_;
  bool over_ = false;
  std::thread thread_;
};

// A Slurm node that is no more than its states.
class PretendedSlurmNode {
 public:
  SlurmSide side() {
    SlurmSide side;
    side.state = [this]() -> std::optional<SlurmSide::State> {
      const std::lock_guard lock(mutex_);
      if (silent_) return std::nullopt;
      return SlurmSide::State{base_ + (drained_ ? "+Drain" : "") + more_, drained_ ? reason_ : ""};
    };
    side.drain = [this](const std::string& reason) { drain(reason); };
    side.resume = [this] {
      const std::lock_guard lock(mutex_);
      drained_ = false, reason_.clear();
    };
    side.start = [] {};
    side.stop = [] {};
    return side;
  }
  void drain(const std::string& reason) {
    const std::lock_guard lock(mutex_);
    drained_ = true, reason_ = reason;
  }
  // base: "Idle" "Mixed" "Allocated"; more: "+NotResponding".
  void is(const std::string& base, const std::string& more = "") {
    const std::lock_guard lock(mutex_);
    base_ = base, more_ = more;
  }
  void silent(bool now) {
    const std::lock_guard lock(mutex_);
    silent_ = now;
  }
  // Empty: it is open.
  std::string drained_for() {
    const std::lock_guard lock(mutex_);
    return drained_ ? reason_ : "";
  }

 private:
  std::mutex mutex_;
  std::string base_ = "Idle", more_, reason_;
  bool drained_ = false, silent_ = false;
};

}  // namespace tessera::test
