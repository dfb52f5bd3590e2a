#include "backends/kubernetes/proxy.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "backends/kubernetes/explain.hpp"
#include "backends/private_folder.hpp"

namespace tessera::kubernetes {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::string_view kServes = "Starting to serve on";
constexpr Duration kStart{20000};  // a credential program may ask a user first
constexpr Duration kLongest{30000};
constexpr auto kHealthy = std::chrono::seconds(60);
constexpr std::size_t kKept = 8192;  // of what it says

void keep_tail(std::string& text, std::string_view more) {
  text.append(more);
  if (text.size() > kKept) text.erase(0, text.size() - kKept);
}

}  // namespace

Command proxy_command(const ProxyOptions& options, const std::string& socket) {
  Command command;
  command.argv = {options.kubectl, "proxy", "--unix-socket=" + socket};
  if (!options.kubeconfig.empty()) command.argv.push_back("--kubeconfig=" + options.kubeconfig);
  if (!options.context.empty()) command.argv.push_back("--context=" + options.context);
  if (options.append_server_path) command.argv.push_back("--append-server-path");
  if (!options.write) command.argv.push_back("--reject-methods=^(POST|PUT|PATCH|DELETE)$");
  command.deadline = Duration(0);
  return command;
}

struct Proxy::State : std::enable_shared_from_this<State> {
  State(Worker& w, Processes& p, ProxyOptions o) : worker(w), processes(p), options(std::move(o)) {}

  Worker& worker;
  Processes& processes;
  ProxyOptions options;
  Told told;
  std::optional<PrivateFolder> folder;
  std::string socket;
  std::optional<Error> trouble;  // why there is no folder
  std::string said, complained;
  std::string last_complaint_;
  Processes::Id process = 0;
  std::uint64_t timer = 0;
  bool serves = false;
  Steady::time_point began{};
  Duration wait{1000};

  void make_folder();
  void run();
  void hear(std::string_view text, bool is_error);
  void ended(const Result<Outcome>& outcome);
  void again();
};

void Proxy::State::make_folder() {
  auto made = PrivateFolder::make(options.folders, "kubectl proxy");
  if (!made) {
    trouble = made.error();
    return;
  }
  folder.emplace(std::move(*made));
  socket = folder->socket();
}

void Proxy::State::run() {
  timer = 0;
  said.clear();
  complained.clear();
  serves = false;
  began = Steady::now();
  ::unlink(socket.c_str());
  auto weak = weak_from_this();
  process = processes.run(
      proxy_command(options, socket),
      [weak](const Result<Outcome>& outcome) {
        if (auto self = weak.lock()) self->ended(outcome);
      },
      [weak](std::string_view text, bool is_error) {
        if (auto self = weak.lock()) self->hear(text, is_error);
      });
  timer = worker.after(kStart, [weak] {
    auto self = weak.lock();
    if (!self) return;
    self->timer = 0;
    if (!self->serves) self->processes.end(self->process);
  });
}

void Proxy::State::hear(std::string_view text, bool is_error) {
  if (is_error) {
    keep_tail(complained, text);
    last_complaint_ = last_complaint(complained);
    return;
  }
  keep_tail(said, text);
  if (serves || said.find(kServes) == std::string::npos) return;
  serves = true;
  last_complaint_.clear();
  complained.clear();
  if (timer != 0) worker.cancel(std::exchange(timer, 0));
  told(Done{});
}

void Proxy::State::ended(const Result<Outcome>& outcome) {
  process = 0;
  if (timer != 0) worker.cancel(std::exchange(timer, 0));
  bool was_healthy = serves && Steady::now() - began > kHealthy;
  serves = false;
  if (was_healthy) wait = Duration(1000);
  if (!outcome) {
    Error error = outcome.error();
    if (error.reason == "no such program")
      error.hint = "install kubectl: tessera reaches a Kubernetes cluster through it";
    told(error);
  } else {
    std::string words = complained;
    if (words.empty() && outcome->signal != 0) words = "ended by signal " + std::to_string(outcome->signal);
    if (words.empty()) words = said;
    told(explain_kubectl(words));
  }
  again();
}

void Proxy::State::again() {
  timer = worker.after(wait, [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->run();
  });
  wait = std::min(wait * 2, kLongest);
}

Proxy::Proxy(Worker& worker, Processes& processes, ProxyOptions options)
    : state_(std::make_shared<State>(worker, processes, std::move(options))) {
  state_->make_folder();
}

Proxy::~Proxy() {
  if (state_->process != 0) state_->processes.end(state_->process);
  state_->folder.reset();  // a call back may still hold the state for a moment
}

void Proxy::start(Told told) {
  state_->told = std::move(told);
  if (state_->trouble) return state_->told(*state_->trouble);
  state_->run();
}

const std::string& Proxy::socket() const { return state_->socket; }
const std::string& Proxy::complaint() const { return state_->last_complaint_; }
void Proxy::forget() {
  state_->last_complaint_.clear();
  state_->complained.clear();
}

}  // namespace tessera::kubernetes
