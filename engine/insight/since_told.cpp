#include "engine/insight/since_told.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "engine/model/recorded.hpp"
#include "engine/model/tell.hpp"

namespace tessera::insight {
namespace {

// "300 nodes: GPU 3: …": what an entry that stands for many says of each of them.
std::string_view said_of_each(const LogEntry& entry) {
  const std::string_view text = entry.text;
  const std::size_t colon = entry.count > 1 ? text.find(": ") : std::string_view::npos;
  return colon == std::string_view::npos ? text : text.substr(colon + 2);
}

struct OfGpus {
  std::vector<int> gpus;
  bool of_mode = false;  // that a change of their mode waits; else what is cut there
};
// "GPU 3: …", "GPUs 0, 3: …". No GPUs: it is about something else.
OfGpus said_of_gpus(std::string_view text) {
  OfGpus said;
  if (!text.starts_with("GPU")) return said;
  text.remove_prefix(text.starts_with("GPUs ") ? 5 : std::min<std::size_t>(4, text.size()));
  for (;;) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return {};
    said.gpus.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.starts_with(", ")) break;
    text.remove_prefix(2);
  }
  said.of_mode = text.starts_with(": ") && text.substr(2) == kModePending;
  return said;
}

// When each finding about a GPU began, by the newest entry about that GPU. It counts only where neither the
// node has left the list since, nor an entry came that stands for many and may be of this node.
class OfGpusInLog {
 public:
  OfGpusInLog(const Model& model, const Cluster& cluster) : model_(model), cluster_(cluster) {}

  void ask(Finding& finding) { asked_[finding.subject].findings.push_back({&finding, {}, {}}); }

  void answer() {
    if (asked_.empty()) return;
    for (const LogEntry& entry : model_.log)
      if (entry.cluster == cluster_.name && said_of_each(entry) == kGone)
        each(
            entry, [&](OfNode& node) { node.gone = entry.number; }, [&] { gone_ = entry.number; });
    for (const LogEntry& entry : model_.work_log)
      if (entry.cluster == cluster_.name && entry.kind == Happened::layout) hold(entry);
    for (auto& [name, node] : asked_)
      for (Asked& one : node.findings) finish(node, one);
  }

 private:
  struct Asked {
    Finding* finding;
    std::optional<TimePoint> at;
    std::uint64_t number;
    bool of_mode() const { return finding->text.ends_with(kModePending); }
  };
  struct OfNode {
    std::vector<Asked> findings;
    std::optional<std::uint64_t> gone;
  };

  template <class Of, class OfSome>
  void each(const LogEntry& entry, const Of& of, const OfSome& of_some) {
    const auto tell = [&](const std::string& node) {
      if (const auto here = asked_.find(node); here != asked_.end()) of(here->second);
    };
    if (entry.count == 1) return tell(entry.subject);
    if (entry.nodes.empty()) return of_some();
    for (const NodeName& node : entry.nodes) tell(node.text);
  }

  void hold(const LogEntry& entry) {
    const OfGpus said = said_of_gpus(said_of_each(entry));
    const auto names = [&](const Asked& one) {
      return one.of_mode() == said.of_mode &&
             std::find(said.gpus.begin(), said.gpus.end(), one.finding->gpu->value) != said.gpus.end();
    };
    each(
        entry,
        [&](OfNode& node) {
          for (Asked& one : node.findings)
            if (names(one)) one.at = entry.at, one.number = entry.number;
        },
        [&] {
          for (const int gpu : said.gpus) of_some_[{gpu, said.of_mode}] = entry.number;
        });
  }

  void finish(const OfNode& node, Asked& one) const {
    if (!one.at) return;
    const auto after = [&](const std::optional<std::uint64_t>& number) {
      return number && *number > one.number;
    };
    const auto some = of_some_.find({one.finding->gpu->value, one.of_mode()});
    if (after(node.gone) || after(gone_) || (some != of_some_.end() && some->second > one.number)) return;
    one.finding->since = one.at;
  }

  const Model& model_;
  const Cluster& cluster_;
  std::unordered_map<std::string, OfNode> asked_;  // by node
  // Of entries that stand for many and do not name them.
  std::optional<std::uint64_t> gone_;
  std::map<std::pair<int, bool>, std::uint64_t> of_some_;  // by GPU, and whether it is of its mode
};

// What was so at the first look may have been so before it.
std::uint64_t first_look(const Model& model, const Cluster& cluster) {
  for (const LogEntry& entry : model.log)
    if (entry.cluster == cluster.name && entry.kind == Happened::console) return entry.number;
  return 0;
}

// The newest entry of this subject with this text, unless `ends` came after it.
std::optional<TimePoint> newest(const Model& model, const Cluster& cluster, std::string_view subject,
                                std::string_view text, std::string_view ends) {
  std::optional<TimePoint> at;
  const std::uint64_t from = first_look(model, cluster);
  for (const LogEntry& entry : model.log) {
    if (entry.cluster != cluster.name || entry.subject != subject || entry.number < from) continue;
    if (entry.text == text) at = entry.at;
    if (!ends.empty() && entry.text == ends) at.reset();
  }
  return at;
}

bool is_of(const Finding& finding, const Daemon& daemon) {
  return finding.subject == daemon.name && finding.text.find("does not answer") != std::string::npos &&
         (daemon.host.empty() || finding.text.find(" on " + daemon.host) != std::string::npos);
}

void add_since_of_daemon(Finding& finding, const Model& model, const Cluster& cluster) {
  for (const Daemon& daemon : cluster.daemons)
    if (!daemon.up && is_of(finding, daemon))
      finding.since =
          newest(model, cluster, daemon.name,
                 "does not answer" + (daemon.detail.empty() ? "" : ": " + daemon.detail), "answers again");
}

void add_since_of_note(Finding& finding, const Model& model, const Cluster& cluster) {
  const auto health = cluster.sources.find(finding.source);
  if (health == cluster.sources.end() || finding.subject != word(finding.source)) return;
  const std::string& note = health->second.note;
  if (!health->second.failure && !note.empty() && finding.text.ends_with(note))
    finding.since = newest(model, cluster, failing_word(finding.source), note, "");
}

}  // namespace

void add_since(std::vector<Finding>& findings, const Model& model, const Cluster& cluster) {
  OfGpusInLog of_gpus(model, cluster);
  for (Finding& one : findings) {
    if (one.since) continue;
    // Of a GPU as it stands; what its processes do has another cause, and what a source remarks on has its
    // whole text as its cause: no change of a layout began it.
    if (one.gpu && one.text != one.cause && one.text.ends_with(one.cause))
      of_gpus.ask(one);
    else if (!one.is_node)
      add_since_of_daemon(one, model, cluster), add_since_of_note(one, model, cluster);
  }
  of_gpus.answer();
}

}  // namespace tessera::insight
