#include "engine/slurmconf/pending.hpp"

#include <algorithm>
#include <charconv>

#include "engine/hostlist.hpp"
#include "engine/slurmconf/counts.hpp"
#include "engine/text.hpp"

namespace tessera::slurmconf {
namespace {

constexpr std::size_t kShownValue = 80;

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t value = 0;
  auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (bad != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Many words for nothing and for without end, and for yes and no.
std::string plain_word(std::string word) {
  word = lower(word);
  if (word.ends_with("/none")) return "";  // "jobacct_gather/none": 24.11 shows (null)
  for (const char* none : {"(null)", "n/a", "none", "(null type)"})
    if (word == none) return "";
  for (const char* endless : {"unlimited", "infinite", "-1"})
    if (word == endless) return "infinite";
  if (word == "true" || word == "1") return "yes";
  if (word == "false" || word == "0") return "no";
  return word;
}

// "1-00:00:00", "90", "10:30": seconds of what counts minutes where it is a number alone.
std::optional<std::int64_t> seconds_of(std::string_view text) {
  if (text.find_first_not_of("0123456789-:") != std::string_view::npos || text.empty()) return std::nullopt;
  std::int64_t days = 0;
  std::size_t dash = text.find('-');
  const bool has_days = dash != std::string_view::npos;
  if (has_days) {
    auto told = number_of(text.substr(0, dash));
    if (!told) return std::nullopt;
    days = *told;
    text.remove_prefix(dash + 1);
  }
  std::vector<std::int64_t> parts;
  while (true) {
    std::size_t colon = text.find(':');
    auto part = number_of(text.substr(0, colon));
    if (!part || parts.size() == 3) return std::nullopt;
    parts.push_back(*part);
    if (colon == std::string_view::npos) break;
    text.remove_prefix(colon + 1);
  }
  if (has_days) {  // D-H, D-H:M, D-H:M:S
    parts.resize(3);
    return ((days * 24 + parts[0]) * 60 + parts[1]) * 60 + parts[2];
  }
  if (parts.size() == 1) return parts[0] * 60;
  if (parts.size() == 2) return parts[0] * 60 + parts[1];
  return (parts[0] * 60 + parts[1]) * 60 + parts[2];
}

std::vector<std::string> items_of(const std::string& list) {
  std::vector<std::string> items;
  for (std::size_t at = 0; at <= list.size();) {
    std::size_t end = std::min(list.find(',', at), list.size());
    std::string item = lower(list.substr(at, end - at));
    if (std::size_t slash = item.rfind('/'); slash != std::string::npos) item.erase(0, slash + 1);
    if (!item.empty()) items.push_back(std::move(item));
    at = end + 1;
  }
  std::sort(items.begin(), items.end());
  return items;
}

// "300 sec", "root(0)": the value in front.
std::string without_unit(const std::string& shown) {
  std::size_t end = shown.find(' ');
  if (std::size_t open = shown.find('('); open != 0) end = std::min(end, open);
  return shown.substr(0, end);
}

bool same_list(const std::string& written, const std::string& shown) {
  return items_of(written) == items_of(shown);
}

bool same_time(const std::string& written, const std::string& shown) {
  auto one = seconds_of(written), two = seconds_of(shown);
  return one && two && *one == *two;
}

std::optional<std::int64_t> with_unit(std::string_view text) {
  std::int64_t times = 1;
  if (!text.empty()) {
    std::size_t power = std::string_view("MGTP").find(static_cast<char>(text.back() & ~0x20));
    if (power != std::string_view::npos) {
      text.remove_suffix(1);
      for (; power > 0; --power) times *= 1024;
    }
  }
  auto number = number_of(text);
  if (!number || *number >= (std::int64_t{1} << 40)) return std::nullopt;
  return *number * times;
}

struct Shown {
  const char *written, *shown, *called;
};
// What a NodeName line states and `scontrol show node` shows as a word of its own.
constexpr Shown kNodeKeys[] = {
    {"cpus", "cputot", "CPUs"},
    {"corespersocket", "corespersocket", "CoresPerSocket"},
    {"threadspercore", "threadspercore", "ThreadsPerCore"},
    {"boards", "boards", "Boards"},
    {"sockets", "sockets", "Sockets"},
    {"realmemory", "realmemory", "RealMemory"},
    {"tmpdisk", "tmpdisk", "TmpDisk"},
    {"weight", "weight", "Weight"},
    {"memspeclimit", "memspeclimit", "MemSpecLimit"},
    {"corespeccount", "corespeccount", "CoreSpecCount"},
    {"nodeaddr", "nodeaddr", "NodeAddr"},
    {"nodehostname", "nodehostname", "NodeHostname"},
    {"port", "port", "Port"},
};
constexpr Shown kPartitionKeys[] = {
    {"state", "state", "State"},
    {"default", "default", "Default"},
    {"hidden", "hidden", "Hidden"},
    {"rootonly", "rootonly", "RootOnly"},
    {"reqresv", "reqresv", "ReqResv"},
    {"lln", "lln", "LLN"},
    {"exclusiveuser", "exclusiveuser", "ExclusiveUser"},
    {"maxtime", "maxtime", "MaxTime"},
    {"defaulttime", "defaulttime", "DefaultTime"},
    {"minnodes", "minnodes", "MinNodes"},
    {"maxnodes", "maxnodes", "MaxNodes"},
    {"allowgroups", "allowgroups", "AllowGroups"},
    {"allowaccounts", "allowaccounts", "AllowAccounts"},
    {"allowqos", "allowqos", "AllowQos"},
    {"denyaccounts", "denyaccounts", "DenyAccounts"},
    {"denyqos", "denyqos", "DenyQos"},
    {"qos", "qos", "QOS"},
    {"prioritytier", "prioritytier", "PriorityTier"},
    {"priorityjobfactor", "priorityjobfactor", "PriorityJobFactor"},
    {"oversubscribe", "oversubscribe", "OverSubscribe"},
    {"preemptmode", "preemptmode", "PreemptMode"},
    {"gracetime", "gracetime", "GraceTime"},
};
// Which `scontrol` changes while it runs, or which say something else than the file by nature.
constexpr const char* kOwnWay[] = {"slurmctlddebug", "slurmddebug", "debugflags",    "include",
                                   "slurmctldhost",  "clustername", "controlmachine"};

std::string shown_value(const std::string& value) { return clean(value, kShownValue); }

std::string value_in(const Keys& keys, const std::string& key) {
  auto found = keys.find(key);
  return found == keys.end() ? "" : found->second;
}

class Against {
 public:
  Against(const Running& running, const Meaning& files) : running_(running), files_(files) {}

  std::vector<Pending> run() {
    for (const auto& [name, member] : files_.nodes) {
      auto now = running_.nodes.find(name);
      if (now != running_.nodes.end()) node(name, member, now->second);
    }
    for (const auto& [name, keys] : files_.partitions) {
      auto now = running_.partitions.find(name);
      if (now == running_.partitions.end())
        found_.push_back({Pending::Of::partition, name, "", "", "new"});
      else
        partition(name, keys, now->second);
    }
    for (const auto& [name, keys] : running_.partitions)
      if (!files_.partitions.contains(name))
        found_.push_back({Pending::Of::partition, name, "", "there", ""});
    settings();
    return std::move(found_);
  }

 private:
  void differ(Pending::Of of, const std::string& name, const char* key, const std::string& now,
              const std::string& then) {
    found_.push_back({of, name, key, shown_value(now), shown_value(then)});
  }

  void node(const std::string& name, const Meaning::Member& member, const Keys& now) {
    const Keys& stated = files_.lines[member.line];
    for (const Shown& one : kNodeKeys) {
      auto shown = now.find(one.shown);
      if (!stated.contains(one.written) || shown == now.end()) continue;
      const std::string then = files_.of(member, one.written);
      const bool memory = one.written == std::string_view("realmemory");
      const bool same = memory && with_unit(then) ? with_unit(then) == with_unit(shown->second)
                                                  : same_value(then, shown->second);
      if (!same) differ(Pending::Of::node, name, one.called, shown->second, then);
    }
    if (stated.contains("feature") && now.contains("availablefeatures") &&
        !value_in(running_.settings, "nodefeaturesplugins").starts_with("node_features") &&
        !same_list(plain_word(value_in(stated, "feature")), plain_word(value_in(now, "availablefeatures"))))
      differ(Pending::Of::node, name, "Features", value_in(now, "availablefeatures"),
             value_in(stated, "feature"));
    other_gres(name, stated, now);
    state(name, value_in(stated, "state"), value_in(now, "state"));
  }

  void other_gres(const std::string& name, const Keys& stated, const Keys& now) {
    auto others = [](const std::string& text) {
      GresCounts counts = counts_of(text);
      for (const auto& [resource, count] : sharable(counts)) counts.erase(resource);
      return counts;
    };
    GresCounts then = others(value_in(stated, "gres")), runs = others(value_in(now, "gres"));
    if (then != runs) differ(Pending::Of::node, name, "Gres", to_text(runs), to_text(then));
  }

  // UNKNOWN, and none, keep what the controller knows; these words make it so.
  void state(const std::string& name, const std::string& stated, const std::string& flags) {
    const std::string word = lower(stated);
    for (const char* forced : {"down", "drain", "fail", "future"})
      if (word.starts_with(forced) &&
          ('+' + lower(flags)).find(std::string("+") + forced) == std::string::npos)
        differ(Pending::Of::node, name, "State", flags, stated);
  }

  void partition(const std::string& name, const Keys& stated, const Keys& now) {
    const std::set<std::string> then = files_.nodes_of(stated);
    std::set<std::string> is;
    if (auto list = expand_hosts(plain_word(value_in(now, "nodes")).empty() ? "" : value_in(now, "nodes")))
      is.insert(list->begin(), list->end());
    for (const std::string& node : is)
      if (!then.contains(node)) differ(Pending::Of::partition, name, "Nodes", node, "");
    for (const std::string& node : then)
      if (!is.contains(node) && files_.nodes.contains(node))
        differ(Pending::Of::partition, name, "Nodes", "", node);
    for (const Shown& one : kPartitionKeys) {
      auto shown = now.find(one.shown);
      if (!stated.contains(one.written) || shown == now.end()) continue;
      const std::string value = value_in(stated, one.written);
      std::string is_now = shown->second;
      // "YES:4": four jobs where the file gives no number.
      if (value.find(':') == std::string::npos && one.written == std::string_view("oversubscribe"))
        is_now = is_now.substr(0, is_now.find(':'));
      if (!same_value(value, is_now)) differ(Pending::Of::partition, name, one.called, shown->second, value);
    }
  }

  void settings() {
    Keys last;
    for (const auto& [key, value] : files_.settings) last[key] = value;
    for (const auto& [key, value] : last) {
      auto shown = running_.settings.find(key);
      const bool own = std::any_of(std::begin(kOwnWay), std::end(kOwnWay),
                                   [&, &wanted = key](const char* one) { return wanted == one; });
      if (own || shown == running_.settings.end()) continue;
      if (!same_value(value, shown->second) && !same_value(value, without_unit(shown->second)))
        differ(Pending::Of::setting, "", files_.written.at(key).c_str(), shown->second, value);
    }
  }

  const Running& running_;
  const Meaning& files_;
  std::vector<Pending> found_;
};

// Of two texts every key counts, whether Slurm shows it or not.
void between(Pending::Of of, const std::string& name, const Keys& read, const Keys& files,
             std::vector<Pending>& found) {
  for (const auto& [key, value] : read)
    if (auto then = files.find(key); then == files.end() || then->second != value)
      found.push_back(
          {of, name, key, shown_value(value), then == files.end() ? "" : shown_value(then->second)});
  for (const auto& [key, value] : files)
    if (!read.contains(key)) found.push_back({of, name, key, "", shown_value(value)});
}

Keys joined(const std::vector<std::pair<std::string, std::string>>& settings) {
  Keys all;
  for (const auto& [key, value] : settings) {
    std::string& list = all[key];
    list += (list.empty() ? "" : " ") + value;
  }
  return all;
}

void between_partitions(const Meaning& read, const Meaning& files, std::vector<Pending>& found) {
  for (const auto& [name, keys] : read.partitions) {
    auto then = files.partitions.find(name);
    if (then == files.partitions.end())
      found.push_back({Pending::Of::partition, name, "", "there", ""});
    else
      between(Pending::Of::partition, name, keys, then->second, found);
  }
  for (const auto& [name, keys] : files.partitions)
    if (!read.partitions.contains(name)) found.push_back({Pending::Of::partition, name, "", "", "new"});
}

// The keys of a node, with its own entries of the lists that run along.
Keys keys_of(const Meaning& all, const Meaning::Member& node) {
  Keys keys = all.lines[node.line];
  keys.erase("nodename");
  for (auto& [key, value] : keys) value = all.of(node, key);
  return keys;
}

}  // namespace

bool same_value(const std::string& written, const std::string& shown) {
  if (plain_word(written) == plain_word(shown)) return true;
  auto one = number_of(written), two = number_of(shown);
  if (one && two) return *one == *two;
  return same_list(written, shown) || same_time(written, shown);
}

std::string to_text(const Pending& change) {
  using Of = Pending::Of;
  const std::string what = change.of == Of::node        ? "node " + change.name
                           : change.of == Of::partition ? "partition " + change.name
                                                        : "";
  if (change.key.empty())
    return clean(what.empty() ? change.then : what, 300) + (change.then.empty() ? " goes" : " is new");
  if (change.of == Of::partition && change.key == "Nodes")
    return clean(what + (change.then.empty() ? " loses node " + change.now : " gets node " + change.then),
                 300);
  auto told = [](const std::string& value) { return value.empty() ? std::string("nothing") : value; };
  return clean(
      what + (what.empty() ? "" : " ") + change.key + ' ' + told(change.now) + " -> " + told(change.then),
      400);
}

std::vector<Pending> changes(const Running& running, const Meaning& files) {
  return Against(running, files).run();
}

std::vector<Pending> changes(const Meaning& read, const Meaning& files) {
  std::vector<Pending> found;
  between(Pending::Of::setting, "", joined(read.settings), joined(files.settings), found);
  for (const auto& [name, member] : read.nodes) {
    auto then = files.nodes.find(name);
    if (then == files.nodes.end())
      found.push_back({Pending::Of::node, name, "", "there", ""});
    else
      between(Pending::Of::node, name, keys_of(read, member), keys_of(files, then->second), found);
  }
  for (const auto& [name, member] : files.nodes)
    if (!read.nodes.contains(name)) found.push_back({Pending::Of::node, name, "", "", "new"});
  between_partitions(read, files, found);
  for (const auto& [name, keys] : read.node_sets)
    if (auto then = files.node_sets.find(name); then == files.node_sets.end() || then->second != keys)
      found.push_back({Pending::Of::other, "", "NodeSet", name, "another"});
  for (const auto& [name, keys] : files.node_sets)
    if (!read.node_sets.contains(name)) found.push_back({Pending::Of::other, "", "NodeSet", "", name});
  if (read.others != files.others)
    found.push_back({Pending::Of::other, "", "DownNodes and others", "as read", "edited"});
  for (Pending& change : found)
    for (const Meaning* one : {&read, &files})
      if (auto written = one->written.find(change.key); written != one->written.end())
        change.key = written->second;
  return found;
}

}  // namespace tessera::slurmconf
