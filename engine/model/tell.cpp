#include "engine/model/tell.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "engine/model/counts_text.hpp"
#include "engine/model/health_words.hpp"
#include "engine/query/value.hpp"
#include "engine/sharing/units.hpp"
#include "engine/text.hpp"

namespace tessera {
namespace {

constexpr std::size_t kNamed = 3;       // nodes in a text
constexpr Duration kSeenLate{600'000};  // so long after its start a job is not told as started just now
constexpr std::string_view kWentWell[] = {"COMPLETED", "CANCELLED", "REVOKED", "Succeeded"};

std::string took(Duration time) {
  return query::duration_text(std::max<std::int64_t>(0, time / std::chrono::seconds(1)));
}

bool went_well(const std::string& how) {
  return how.empty() || std::find(std::begin(kWentWell), std::end(kWentWell), how) != std::end(kWentWell);
}

// --- nodes

using Counts = std::map<std::string, int>;

std::string name_of(const Slice& slice) {
  std::string name = slice.profile.empty() ? std::string(word(slice.kind)) : slice.profile.text;
  if (slice.capacity > 1) name += fmt::format(" of {}", slice.capacity);
  return name;
}

Counts counted(const std::vector<Slice>& slices) {
  Counts counts;
  for (const Slice& slice : slices) ++counts[name_of(slice)];
  return counts;
}

Counts more_of(const Counts& of, const Counts& than) {
  Counts more;
  for (const auto& [name, count] : of) {
    const auto there = than.find(name);
    const int other = there == than.end() ? 0 : there->second;
    if (count > other) more[name] = count - other;
  }
  return more;
}

// "3 × 1g.10gb made, 1 × 3g.40gb destroyed"; empty: as many of each as before.
std::string changed(const std::vector<Slice>& before, const std::vector<Slice>& now) {
  const Counts old = counted(before), is = counted(now);
  const std::string made = counts_text(more_of(is, old)), gone = counts_text(more_of(old, is));
  std::string text;
  if (!made.empty()) text = made + " made";
  if (!gone.empty()) text += (text.empty() ? "" : ", ") + gone + " destroyed";
  return text;
}

// Told by the same source, and known both times: another source may see the same slices otherwise.
bool comparable(const Gpu& before, const Gpu& now) {
  return before.index == now.index && before.origin.source == now.origin.source &&
         before.strategy != Strategy::unknown && now.strategy != Strategy::unknown;
}

std::string changed(const Gpu& before, const Gpu& now) {
  if (!comparable(before, now)) return {};
  if (before.strategy == now.strategy) return changed(before.slices, now.slices);
  std::string text = fmt::format("{} → {}", word(before.strategy), word(now.strategy));
  if (const std::string slices = counts_text(counted(now.slices));
      now.strategy != Strategy::whole && !slices.empty())
    text += ": " + slices;
  return text;
}

std::vector<std::string> changes_of_layout(const Node& before, const Node& now) {
  std::map<std::string, std::vector<int>> gpus;  // by what changed on them
  for (std::size_t i = 0; i < std::min(before.gpus.size(), now.gpus.size()); ++i)
    if (std::string text = changed(before.gpus[i], now.gpus[i]); !text.empty())
      gpus[std::move(text)].push_back(now.gpus[i].index.value);
  std::vector<std::string> all;
  for (const auto& [text, numbers] : gpus) {
    std::string names;
    for (int number : numbers) names += fmt::format("{}{}", names.empty() ? "" : ", ", number);
    all.push_back(fmt::format("{} {}: {}", numbers.size() == 1 ? "GPU" : "GPUs", names, text));
  }
  const bool pool = before.origin.source == now.origin.source && before.gpus.size() == now.gpus.size() &&
                    !before.pool.empty() && !now.pool.empty();
  if (std::string text = pool ? changed(before.pool, now.pool) : ""; !text.empty())
    all.push_back(std::move(text));
  return all;
}

bool mode_waits(const Gpu& gpu) {
  return gpu.mig_mode == MigMode::enable_pending || gpu.mig_mode == MigMode::disable_pending;
}

// One text for each GPU: the finding about it looks for its own.
std::vector<std::string> modes_that_wait_now(const Node& before, const Node& now) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < std::min(before.gpus.size(), now.gpus.size()); ++i) {
    const Gpu &was = before.gpus[i], &is = now.gpus[i];
    if (was.index != is.index || was.origin.source != is.origin.source || !was.mig_mode) continue;
    if (mode_waits(is) && !mode_waits(was))
      all.push_back(fmt::format("GPU {}: {}", is.index.value, kModePending));
  }
  return all;
}

std::optional<LogEntry> health_news(const Node& before, const Node& now, Scheduler scheduler) {
  // A cordoned node that empties is no news of its health.
  if (health_word(before.health, scheduler) == health_word(now.health, scheduler)) return std::nullopt;
  LogEntry entry;
  entry.kind = Happened::node;
  if (now.health == Health::down || now.health == Health::invalid) entry.severity = Severity::danger;
  if (now.health == Health::drained || now.health == Health::draining) entry.severity = Severity::warning;
  if (now.health == Health::ok) entry.severity = Severity::good;
  entry.what =
      fmt::format("{} → {}", health_word(before.health, scheduler), health_word(now.health, scheduler));
  entry.text = entry.what;
  if (now.health != Health::ok && !now.reason.empty()) {
    if (!now.reason_by.empty()) entry.text += " by " + now.reason_by;
    entry.text += ": " + now.reason;
  }
  return entry;
}

// --- jobs and pods

// A state that is not known holds what is listed with it.
bool holds(const Workload* work) {
  if (work != nullptr && work->state == WorkloadState::unknown) return !work->allocations.empty();
  return work != nullptr && work->state != WorkloadState::pending && work->state != WorkloadState::ended;
}

bool has_left(const Workload* work) { return work == nullptr || work->state == WorkloadState::ended; }

// Kubernetes has no word for a node's GPUs; a partition or a namespace is none.
std::string called(const Node& node) {
  if (!node.model.empty() || node.gpus.empty()) return node.model;
  const Gpu& first = node.gpus.front();
  return first.product ? first.product->text : first.model;
}

// The entry of a job or pod: whose it is, where it is, what it holds.
LogEntry entry_of(const Cluster& cluster, const Workload& work) {
  LogEntry entry;
  entry.subject = fmt::format("{} {}", word(work.kind), work.id.text);
  entry.work = work.id;
  entry.user = work.user;
  for (const Allocation& one : work.allocations)
    if (entry.nodes.size() < LogEntry::kMostNodes && (entry.nodes.empty() || entry.nodes.back() != one.node))
      entry.nodes.push_back(one.node);
  const Node* node = entry.nodes.empty() ? nullptr : cluster.nodes.find(entry.nodes.front());
  if (node) entry.pool = called(*node);
  return entry;
}

std::string where_text(const LogEntry& entry, const Workload& work) {
  std::set<std::string> names;
  for (const NodeName& node : entry.nodes) names.insert(node.text);
  std::string text = names.empty() ? "" : " on " + some_of(names, kNamed);
  if (const std::string held = held_text(work); !held.empty()) text += ": " + held;
  return text;
}

void say(LogEntry& entry, std::string what, const std::string& rest) {
  entry.text = (entry.user.empty() ? "" : "of " + entry.user + " ") + what + rest;
  entry.what = std::move(what);
}

std::optional<LogEntry> started(const Cluster& cluster, const Workload& now, bool was_listed, TimePoint at) {
  LogEntry entry = entry_of(cluster, now);
  entry.kind = Happened::started;
  std::string rest = where_text(entry, now);
  if (now.started && now.submitted && *now.started > *now.submitted)
    rest += ", waited " + took(*now.started - *now.submitted);
  const bool late = !was_listed && now.started && at - *now.started > kSeenLate;
  if (late) rest += ", " + took(at - *now.started) + " before it was listed";
  say(entry, "started", rest);
  return entry;
}

// "failed with TIMEOUT"; how: empty: the scheduler does not tell.
std::string ending_of(const std::string& how) {
  if (how == "CANCELLED") return "was cancelled";
  if (went_well(how)) return "ended";
  return lower(how) == "failed" ? "failed" : "failed with " + how;
}

std::optional<LogEntry> ended(const Cluster& cluster, const Workload& before, const std::string& how,
                              TimePoint at) {
  LogEntry entry = entry_of(cluster, before);
  entry.kind = went_well(how) ? Happened::ended : Happened::failed;
  entry.severity = went_well(how) ? Severity::info : Severity::warning;
  std::string rest;
  if (before.started && at > *before.started) rest = " after " + took(at - *before.started);
  say(entry, ending_of(how), rest + where_text(entry, before));
  return entry;
}

LogEntry moved(const Cluster& cluster, const Workload& of, std::string what, Severity severity) {
  LogEntry entry = entry_of(cluster, of);
  entry.kind = Happened::moved;
  entry.severity = severity;
  const std::string rest = where_text(entry, of);
  say(entry, std::move(what), rest);
  return entry;
}

// What waited and is not listed any more.
LogEntry left(const Cluster& cluster, const Workload& before, const std::string& how) {
  if (how.empty()) return moved(cluster, before, "left the queue", Severity::info);
  LogEntry entry =
      moved(cluster, before, ending_of(how), went_well(how) ? Severity::info : Severity::warning);
  entry.kind = went_well(how) ? Happened::ended : Happened::failed;
  return entry;
}

// Which it is, by its name and number as entry_of() puts them together; nullopt: another hand wrote it.
std::optional<WorkloadKind> kind_in(const LogEntry& entry) {
  for (const WorkloadKind kind : {WorkloadKind::job, WorkloadKind::pod}) {
    const std::string_view subject = entry.subject, name = word(kind);
    if (subject.size() == name.size() + 1 + entry.work.text.size() && subject.starts_with(name) &&
        subject[name.size()] == ' ' && subject.ends_with(entry.work.text))
      return kind;
  }
  return std::nullopt;
}

std::string_view several_of(std::optional<WorkloadKind> kind) {
  if (!kind) return "jobs and pods";
  return *kind == WorkloadKind::job ? "jobs" : "pods";
}

// Waiting tasks of an array, "19_[5-6]": that line is another one with each task that starts.
bool is_line_of_tasks(const Workload& work) { return work.id.text.find("_[") != std::string::npos; }

}  // namespace

std::string_view word(Happened kind) {
  constexpr std::array<std::string_view, 9> kWords{"source", "node",  "layout", "started", "ended",
                                                   "failed", "moved", "run",    "console"};
  return kWords[static_cast<std::size_t>(kind)];
}

std::string held_name(const Allocation& allocation) {
  if (allocation.family == Family::gpu)
    return allocation.type.empty() ? std::string(word(SliceKind::whole_gpu)) : allocation.type;
  std::string name(word(allocation.family));
  if (allocation.family == Family::mps) name = "MPS";
  return allocation.type.empty() ? name : name + " " + allocation.type;
}

std::string held_text(const Workload& work) {
  Counts counts;
  // Of a pod, by what they are shares of: its scheduler has words of its own for them.
  std::map<std::pair<Family, std::string>, std::int64_t> shares;
  for (const Allocation& one : work.allocations) {
    const int count = one.count > 0 ? one.count : static_cast<int>(one.devices.size());
    const bool share = one.family == Family::mps || one.family == Family::shard;
    if (share && work.kind == WorkloadKind::pod)
      shares[{one.family, one.type}] += count;
    else
      counts[held_name(one)] += count;
  }
  std::string text = counts_text(counts);
  for (const auto& [of, count] : shares)
    if (count > 0)
      text += (text.empty() ? "" : ", ") + sharing::units_text(work, of.first, count) +
              (of.second.empty() ? "" : " " + of.second);
  return text;
}

std::vector<LogEntry> news_of(const Node& before, const Node& now, Scheduler scheduler) {
  std::vector<LogEntry> news;
  if (auto health = health_news(before, now, scheduler)) news.push_back(std::move(*health));
  std::vector<std::string> changes = changes_of_layout(before, now);
  for (std::string& text : modes_that_wait_now(before, now)) changes.push_back(std::move(text));
  for (std::string& text : changes) {
    LogEntry entry;
    entry.kind = Happened::layout;
    entry.what = text;
    entry.text = std::move(text);
    news.push_back(std::move(entry));
  }
  for (LogEntry& entry : news) {
    entry.subject = now.name.text;
    entry.nodes = {now.name};
    entry.pool = called(now);
  }
  return news;
}

std::optional<LogEntry> news_of(const Cluster& cluster, const Workload* before, const Workload* now,
                                TimePoint at) {
  const std::string how = now && has_left(now) ? now->state_word : std::string();
  if (has_left(now) && !before) return std::nullopt;
  if (has_left(now) && holds(before)) return ended(cluster, *before, how, at);
  // Whether its tasks are listed elsewhere is not known here.
  if (!now && is_line_of_tasks(*before)) return std::nullopt;
  if (has_left(now)) return left(cluster, *before, how);
  if (before && before->state == WorkloadState::unknown) return std::nullopt;
  if (!holds(before)) return holds(now) ? started(cluster, *now, before != nullptr, at) : std::nullopt;
  if (now->state == WorkloadState::pending) return moved(cluster, *before, "was requeued", Severity::warning);
  const bool was = before->state == WorkloadState::suspended, is = now->state == WorkloadState::suspended;
  if (was == is || now->state == WorkloadState::completing) return std::nullopt;
  return moved(cluster, *now, is ? "was suspended" : "was resumed", Severity::info);
}

LogEntry news_of_tasks(const Cluster& cluster, Workload before, WorkloadId tasks, const std::string& how) {
  before.id = std::move(tasks);
  return left(cluster, before, how);
}

std::string alike_in(const LogEntry& entry) {
  if (entry.what.empty()) return {};
  const bool work = !entry.work.empty();
  std::string key = entry.cluster.text + '\x1f' + std::string(word(entry.kind)) + '\x1f' + entry.what;
  if (work)
    key += '\x1f' + entry.user + '\x1f' + entry.pool + '\x1f' + std::string(several_of(kind_in(entry)));
  return key;
}

std::string text_of_many(const LogEntry& entry, int count) {
  if (entry.work.empty()) return fmt::format("{} nodes: {}", count, entry.what);
  std::string text = fmt::format("{} {}", count, several_of(kind_in(entry)));
  if (!entry.user.empty()) text += " of " + entry.user;
  // "was requeued" of one, "were requeued" of many.
  text += entry.what.starts_with("was ") ? " were " + entry.what.substr(4) : " " + entry.what;
  if (!entry.pool.empty()) text += " on pool " + entry.pool;
  return text;
}

std::vector<LogEntry> in_few(std::vector<LogEntry> entries, int most) {
  struct Alike {
    int count = 0;
    std::vector<NodeName> nodes;  // that they are about, while these are few enough to be named
  };
  std::map<std::string, Alike> alike;
  for (const LogEntry& entry : entries) {
    Alike& one = alike[alike_in(entry)];
    ++one.count;
    // Jobs are many on each node: theirs are not looked for there.
    if (entry.work.empty() && entry.nodes.size() == 1 && one.nodes.size() < LogEntry::kMostNodes)
      one.nodes.push_back(entry.nodes.front());
  }
  std::vector<LogEntry> few;
  for (LogEntry& entry : entries) {
    Alike& all = alike[alike_in(entry)];
    if (all.count == 0) continue;  // told with the first of them
    if (all.count > most && !entry.what.empty()) {
      const bool named = all.nodes.size() == static_cast<std::size_t>(all.count);
      entry.text = text_of_many(entry, all.count);
      entry.count = std::exchange(all.count, 0);
      entry.subject.clear();
      entry.what.clear();
      entry.nodes = named ? std::move(all.nodes) : std::vector<NodeName>();
      entry.work = {};
    }
    few.push_back(std::move(entry));
  }
  return few;
}

}  // namespace tessera
