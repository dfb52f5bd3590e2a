#include "tui/cli/open_clusters.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <set>

#include "engine/model/reduce.hpp"
#include "engine/text.hpp"
#include "tui/cli/command_table.hpp"

namespace tessera::cli {

Result<std::span<const BackendPtr>> chosen(std::vector<BackendPtr>& backends, const std::string& cluster) {
  std::string known;
  std::set<std::string> named;
  for (const BackendPtr& backend : backends)
    if (const std::string name = backend->name().text; named.insert(name).second)
      known += (known.empty() ? "clusters here: " : ", ") + name;
  const auto end = std::stable_partition(backends.begin(), backends.end(), [&](const BackendPtr& backend) {
    return cluster.empty() || backend->name().text == cluster;
  });
  if (!cluster.empty() && end == backends.begin())
    return Error{"no such cluster", "\"" + clean(cluster, 100) + "\"", known};
  return std::span<const BackendPtr>(backends.begin(), end);
}

int OpenClusters::refuse(const Error& error, int code) {
  complain(streams_, error);
  return code;
}

std::optional<int> OpenClusters::open() {
  began_ = joins_.wall();
  Opening opening = joins_.open(options_, catalogue_);
  backends_ = std::move(opening.backends);
  runs_ = std::move(opening.runs);
  if (opening.failure) return refuse(*opening.failure, opening.exit_code);
  return std::nullopt;
}

std::optional<int> OpenClusters::start(const std::string& cluster) {
  if (Status chosen = choose(cluster); !chosen) return refuse(chosen.error(), kUsage);
  for (Backend* backend : asked_) backend->start(joins_.sink);
  return std::nullopt;
}

// The others are not even started.
Status OpenClusters::choose(const std::string& cluster) {
  auto these = chosen(backends_, cluster);
  if (!these) return these.error();
  for (const BackendPtr& backend : *these) asked_.push_back(backend.get());
  return Done{};
}

Backend* OpenClusters::backend(const ClusterName& name) const {
  for (const BackendPtr& backend : backends_)
    if (backend->name() == name) return backend.get();
  return nullptr;
}

bool OpenClusters::take_events() {
  bool changed = false;
  for (Event& event : joins_.events.take()) {
    if (is_run_news(event)) {
      if (on_news) on_news(event);
    } else {
      changed |= reduce(model_, std::move(event)).any();
    }
  }
  return changed;
}

bool OpenClusters::all_loaded() const {
  return std::all_of(asked_.begin(), asked_.end(), [&](const Backend* backend) {
    const Cluster* cluster = model_.find(backend->name());
    return cluster && cluster->loaded;
  });
}

bool OpenClusters::sleep(Duration at_most, int also_fd) {
  pollfd fds[] = {{joins_.events.wake_fd(), POLLIN, 0},
                  {signals_ ? signals_->fd() : -1, POLLIN, 0},
                  {reader_ ? streams_.out_fd : -1, 0, 0},
                  {also_fd, POLLIN, 0}};
  ::poll(fds, 4, static_cast<int>(at_most.count()));
  tui::Signals::Taken taken;
  if (signals_) taken = signals_->take();
  if (taken.stop) tui::stop_process_group();  // Ctrl-z; it goes on here after fg or bg
  if (taken.ended) ended_by_ = taken.ended;
  return !ended_by_ && !(fds[2].revents & (POLLERR | POLLHUP));
}

bool OpenClusters::wait_until_loaded() {
  // Finding out what is here counts.
  return wait_until([this] { return all_loaded(); }, began_ + options_.timeout);
}

bool OpenClusters::wait_until(const std::function<bool()>& told) {
  return wait_until(told, joins_.wall() + options_.timeout);
}

bool OpenClusters::wait_until(const std::function<bool()>& told, TimePoint deadline) {
  for (;;) {
    take_events();
    Duration left = deadline - joins_.wall();
    if (told() || left <= Duration{0}) return true;
    if (!sleep(left)) return false;
  }
}

void OpenClusters::tell_failures(const Cluster& cluster) {
  std::set<std::string> lines;  // what keeps several sources from answering is said once
  for (const auto& [source, health] : cluster.sources) {
    const std::pair key(cluster.name, source);
    if (!health.failure && health.note.empty()) {
      complained_.erase(key);
      continue;
    }
    Error error = health.failure.value_or(
        Error{std::string(word(source)) + (health.incomplete ? ": not all of it could be read" : ""),
              health.note, ""});
    error.what = cluster.name.text + ": " + error.what;
    const std::string line = to_line(error);
    const bool first = lines.insert(line).second;
    std::string& said = complained_[key];
    if (said == line) continue;
    said = line;
    if (first) complain(streams_, error);
  }
}

bool OpenClusters::tell_troubles(const Cluster& cluster, const std::function<bool(Source)>& is_needed) {
  tell_failures(cluster);
  bool told = std::none_of(cluster.sources.begin(), cluster.sources.end(), [&](const auto& each) {
    const auto& [source, health] = each;
    return health.failure && is_needed(source) && !health.last_ok;
  });
  if (!cluster.loaded) {
    complain(streams_, {cluster.name.text + ": no complete answer",
                        fmt::format("within {} s", options_.timeout.count() / 1000),
                        "try again with a longer --timeout"});
    told = told && (!cluster.nodes.empty() || !cluster.workloads.empty());
  }
  return told;
}

}  // namespace tessera::cli
