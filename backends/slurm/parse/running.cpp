#include "backends/slurm/parse/running.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "backends/slurm/parse/parse_cluster.hpp"
#include "backends/slurm/parse/record.hpp"
#include "backends/slurm/parse/times.hpp"
#include "engine/hostlist.hpp"
#include "engine/text.hpp"

namespace tessera::slurm {
namespace {

using slurmconf::Files;
using slurmconf::Keys;
using slurmconf::Meaning;
using slurmconf::Pending;

constexpr std::size_t kShownChanges = 6;
constexpr std::size_t kShownJobs = 6;

constexpr Key kHeldJobKeys[] = {
    {"JobId=", 0},
    {"JobName=", 1, Ends::before_partner, false, "UserId="},
    {"UserId=", 1},
    {"JobState=", 2},
    {"EndTime=", 3},
    {"NodeList=", 4},
    {"ReqTRES=", 5},
    {"JOB_GRES=", 5},
    {"GRES=", 5},
    {"Network=", 1, Ends::before_next_key},
    {"Command=", 1, Ends::before_next_key, true},
    {"WorkDir=", 1, Ends::before_next_key, true},
    {"Comment=", 1, Ends::before_next_key, true},
    {"StdErr=", 1, Ends::before_next_key, true},
    {"StdIn=", 1, Ends::before_next_key, true},
    {"StdOut=", 1, Ends::before_next_key, true},
    {"TresPerJob=", 5, Ends::at_blank, true},
    {"TresPerNode=", 5, Ends::at_blank, true},
    {"TresPerTask=", 5, Ends::at_blank, true},
    {"TresPerSocket=", 5, Ends::at_blank, true},
};

// Field numbers are places in these lists.
constexpr Key kHeldNodeKeys[] = {
    {"NodeName=", 0},       {"CPUTot=", 1},         {"CoresPerSocket=", 2},
    {"ThreadsPerCore=", 3}, {"Boards=", 4},         {"Sockets=", 5},
    {"RealMemory=", 6},     {"TmpDisk=", 7},        {"Weight=", 8},
    {"MemSpecLimit=", 9},   {"CoreSpecCount=", 10}, {"NodeAddr=", 11},
    {"NodeHostName=", 12},  {"Port=", 13},          {"AvailableFeatures=", 14},
    {"Gres=", 15},          {"State=", 16},         {"Reason=", 17, Ends::before_next_key},
};
constexpr Key kHeldPartitionKeys[] = {
    {"PartitionName=", 0},  {"State=", 1},          {"Default=", 2},       {"Hidden=", 3},
    {"RootOnly=", 4},       {"ReqResv=", 5},        {"LLN=", 6},           {"ExclusiveUser=", 7},
    {"MaxTime=", 8},        {"DefaultTime=", 9},    {"MinNodes=", 10},     {"MaxNodes=", 11},
    {"AllowGroups=", 12},   {"AllowAccounts=", 13}, {"AllowQos=", 14},     {"DenyAccounts=", 15},
    {"DenyQos=", 16},       {"QoS=", 17},           {"PriorityTier=", 18}, {"PriorityJobFactor=", 19},
    {"OverSubscribe=", 20}, {"PreemptMode=", 21},   {"GraceTime=", 22},    {"Nodes=", 23},
};

std::string name_of_key(const Key& key) { return lower(key.name.substr(0, key.name.size() - 1)); }

std::map<std::string, Keys> records_of(std::string_view text, std::span<const Key> keys,
                                       Records::Begins begins) {
  const Schema schema{keys};
  std::map<std::string, Keys> all;
  for (Records records(text, begins); records.next();) {
    if (!records.led()) continue;
    Keys found;
    std::string name;
    for (Fields fields(records.record(), schema); fields.next();) {
      const Key& key = keys[static_cast<std::size_t>(fields.id())];
      if (fields.id() == 0)
        name = fields.value();
      else
        found.try_emplace(name_of_key(key), fields.value());
    }
    if (!name.empty()) all[name] = std::move(found);
  }
  return all;
}

Keys settings_of(std::string_view config) {
  Keys all;
  for (std::string_view line : lines_in(config)) {
    std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    std::string_view key = line.substr(0, line.find_last_not_of(' ', equals - (equals > 0)) + 1);
    std::string_view value = line.substr(equals + 1);
    value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
    all.try_emplace(lower(key), value);
  }
  return all;
}

std::optional<std::uint32_t> hex_behind(std::string_view text, std::string_view word) {
  std::size_t at = text.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + word.size());
  std::uint32_t value = 0;
  auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (bad != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

bool read_before(const KnownText& text, const std::optional<TimePoint>& booted) {
  return booted && text.changed && std::chrono::floor<std::chrono::seconds>(*text.changed) <= *booted;
}

// The text that slurmctld runs with; null: none that is known.
const Files* text_read(const Held& held) {
  using Says = ReadHash::Says;
  if (held.hash.says == Says::untold) {
    if (read_before(held.files, held.booted)) return &held.files.files;
    for (const KnownText& one : held.known)
      if (read_before(one, held.booted)) return &one.files;
    return nullptr;
  }
  const Files& scontrols = held.local ? *held.local : held.files.files;
  if (held.hash.says == Says::match) return &scontrols;
  auto hash = [](const Files& files) { return slurmconf::hash_of(slurmconf::text_as_read(files)); };
  // Another Slurm may count otherwise, and a file may have been edited since scontrol read it.
  if (hash(scontrols) != held.hash.scontrols) return nullptr;
  if (held.local && hash(held.files.files) == held.hash.slurmctlds) return &held.files.files;
  for (const KnownText& one : held.known)
    if (hash(one.files) == held.hash.slurmctlds) return &one.files;
  return nullptr;
}

std::set<std::string> list_items(std::string_view list) {
  std::set<std::string> items;
  while (!list.empty()) {
    std::string_view one = list.substr(0, list.find(','));
    items.insert(lower(one));
    list.remove_prefix(std::min(one.size() + 1, list.size()));
  }
  return items;
}

// What a run writes: a node's GRES, and what GresTypes lacks for it.
bool is_a_runs(const Pending& change) {
  if (change.of == Pending::Of::node) return lower(change.key) == "gres";
  if (change.of != Pending::Of::setting || lower(change.key) != "grestypes") return false;
  auto now = list_items(change.now), then = list_items(change.then);
  return std::includes(then.begin(), then.end(), now.begin(), now.end());
}

bool is_over(std::string_view state) {
  for (const char* over : {"COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "PREEMPTED",
                           "BOOT_FAIL", "DEADLINE", "OUT_OF_MEMORY", "REVOKED"})
    if (state.starts_with(over)) return true;
  return false;
}

std::string jobs_hit(const Pending& change, const std::vector<Workload>& jobs) {
  std::vector<std::string> hit;
  for (const Workload& job : jobs) {
    if (job.allocations.empty()) continue;
    const std::string& wanted = change.name;
    const bool of_partition = change.of == Pending::Of::partition && job.group == wanted;
    const bool on_node = change.of == Pending::Of::node &&
                         std::any_of(job.allocations.begin(), job.allocations.end(),
                                     [&](const Allocation& one) { return one.node.text == wanted; });
    if (of_partition || on_node) hit.push_back(clean(job.id.text, 40));
  }
  if (hit.empty()) return "";
  std::string text = hit.size() == 1 ? " (job " : " (jobs ";
  for (std::size_t i = 0; i < std::min(hit.size(), kShownJobs); ++i) text += (i > 0 ? ", " : "") + hit[i];
  if (hit.size() > kShownJobs) text += fmt::format(" and {} more", hit.size() - kShownJobs);
  return text + (hit.size() == 1 ? " runs" : " run") +
         (change.of == Pending::Of::node ? " there)" : " in it)");
}

Result<Unapplied> of_slurm_conf(const Held& held) {
  auto files = slurmconf::meaning_of(held.files.files);
  if (!files) return files.error();
  Unapplied all;
  std::vector<Pending> shown = slurmconf::changes(held.running, *files);
  const Files* read = text_read(held);
  all.edited = !is_in_step(held);
  // Settings are read with the text, and shown in Slurm's own forms: the text says more where it is known.
  if (read) std::erase_if(shown, [](const Pending& one) { return one.of == Pending::Of::setting; });
  all.changes = std::move(shown);
  if (!read) {
    if (held.hash.says == ReadHash::Says::untold) all.edited = false;
    if (held.hash.says == ReadHash::Says::untold)
      all.unexplained =
          "whether slurmctld has read it since it was changed is unknown without HASH_VAL in scontrol "
          "show config (DebugFlags=NO_CONF_HASH)";
    else if (all.changes.empty())
      all.unexplained = "what was edited shows nowhere in scontrol show node, partition or config";
    return all;
  }
  if (!all.edited) return all;
  auto before = slurmconf::meaning_of(*read);
  if (!before) return before.error();
  for (Pending& one : slurmconf::changes(*before, *files)) {
    const bool told = std::any_of(all.changes.begin(), all.changes.end(), [&](const Pending& known) {
      return known.of == one.of && known.name == one.name && lower(known.key) == lower(one.key);
    });
    if (!told && !is_a_runs(one)) all.changes.push_back(std::move(one));
  }
  return all;
}

// "gres.conf for node shard01", "topology.conf (removed)"
std::string beside_text(const Pending& change) {
  return change.key + (change.of == Pending::Of::node ? " for node " + change.name : "") +
         (change.then == "removed" ? " (removed)" : "");
}

std::string listed(const std::vector<Pending>& changes, const std::vector<Workload>* jobs,
                   std::string (*told)(const Pending&)) {
  std::string text;
  for (std::size_t i = 0; i < std::min(changes.size(), kShownChanges); ++i)
    text += (i > 0 ? "; " : "") + told(changes[i]) + (jobs ? jobs_hit(changes[i], *jobs) : "");
  if (changes.size() > kShownChanges)
    text += fmt::format("; and {} more changes", changes.size() - kShownChanges);
  return text;
}

}  // namespace

slurmconf::Running running_of(std::string_view nodes, std::string_view partitions, std::string_view config) {
  return {
      records_of(nodes, kHeldNodeKeys, [](std::string_view line) { return line.starts_with("NodeName="); }),
      records_of(partitions, kHeldPartitionKeys,
                 [](std::string_view line) { return line.starts_with("PartitionName="); }),
      settings_of(config)};
}

ReadHash read_hash(std::string_view config) {
  const std::string said = config_value(config, "HASH_VAL");
  if (said == "Match") return {ReadHash::Says::match, 0, 0};
  auto ours = hex_behind(said, "Ours=0x"), theirs = hex_behind(said, "Slurmctld=0x");
  if (!said.starts_with("Different") || !ours || !theirs) return {};
  return {ReadHash::Says::differs, *ours, *theirs};
}

bool is_in_step(const Held& held) {
  const Files* read = text_read(held);
  return read && (read == &held.files.files ||
                  slurmconf::text_as_read(*read) == slurmconf::text_as_read(held.files.files));
}

Result<Unapplied> unapplied(const Held& held) {
  auto all = of_slurm_conf(held);
  if (all) all->beside = unread(held.files.files, held.beside, held.booted);
  return all;
}

std::string to_text(const Unapplied& all, const std::vector<Workload>* jobs) {
  std::string text;
  auto add = [&](const std::string& more) { text += (text.empty() || more.empty() ? "" : "; ") + more; };
  if (all.edited && (!all.changes.empty() || !all.unexplained.empty()))
    text = "slurm.conf was edited after slurmctld read it: ";
  else if (!all.changes.empty())
    text = "slurmctld runs with something else than its files say: ";
  text += listed(all.changes, jobs, slurmconf::to_text);
  if (!all.unexplained.empty()) text += (all.changes.empty() ? "" : "; ") + all.unexplained;
  if (!all.beside.changes.empty())
    add("changed since slurmctld read it: " + listed(all.beside.changes, jobs, beside_text));
  add(all.beside.unexplained);
  return text;
}

std::vector<std::string> nodes_in_pods(std::string_view nodes) {
  std::vector<std::string> found;
  for (Records records(nodes, [](std::string_view line) { return line.starts_with("NodeName="); });
       records.next();) {
    std::string_view record = records.record();
    const std::size_t comment = record.find(" Comment={");
    const bool has_pod =
        comment != std::string_view::npos && record.find("\"podName\"", comment) != std::string_view::npos;
    if (!has_pod && record.find(" Reason=slurm-operator:") == std::string_view::npos) continue;
    record.remove_prefix(std::min(record.find('=') + 1, record.size()));
    found.emplace_back(record.substr(0, record.find(' ')));
  }
  return found;
}

std::string remembered(std::string_view jobs, std::string_view config, const std::string& node,
                       const std::string& gres) {
  static const Schema schema{kHeldJobKeys};
  const std::string age = config_value(config, "MinJobAge");
  std::string text;
  for (Records records(jobs, [](std::string_view line) { return line.starts_with("JobId="); });
       records.next();) {
    std::string_view id, state, end, nodes;
    std::string asked;
    for (Fields fields(records.record(), schema); fields.next();) {
      if (fields.id() == 0) id = fields.value();
      if (fields.id() == 2) state = fields.value();
      if (fields.id() == 3) end = fields.value();
      if (fields.id() == 4) nodes = fields.value();
      if (fields.id() == 5) (asked += ',') += lower(fields.value());
    }
    auto list = expand_hosts(nodes);
    const bool here = list && std::find(list->begin(), list->end(), node) != list->end();
    if (!here || !is_over(state)) continue;
    for (const char* kind : {"mps", "shard"}) {
      const bool held = gres.find(kind) != std::string::npos && asked.find(kind) != std::string::npos;
      if (!held) continue;
      text += fmt::format("{}job {} held {} here and ended at {}", text.empty() ? "" : "; ", clean(id, 40),
                          kind, clean(end, 40));
    }
  }
  if (text.empty()) return "";
  return text + fmt::format(
                    ": slurmctld keeps the record for MinJobAge ({}), and refuses until then a "
                    "reconfigure that takes this away",
                    age.empty() ? "300 sec" : age);
}

}  // namespace tessera::slurm
