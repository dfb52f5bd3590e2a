#include "backends/slurm/parse/parse_node.hpp"

#include <algorithm>

#include "backends/slurm/parse/node_gpus.hpp"
#include "backends/slurm/parse/record.hpp"
#include "backends/slurm/parse/times.hpp"
#include "engine/model/slinky.hpp"
#include "engine/number.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/text.hpp"

namespace tessera::slurm {
namespace {

enum NodeField : int {
  kNodeName,
  kNodeCpusHeld,
  kNodeCpus,
  kNodeCpusForJobs,
  kNodeFeatures,
  kNodeGres,
  kNodeGresUsed,
  kNodeVersion,
  kNodeMemory,
  kNodeMemoryHeld,
  kNodeMemoryKept,
  kNodeState,
  kNodePartitions,
  kNodeBooted,
  kNodeReason,
  kNodeComment,
  kNodeExtra,
  kNodeReservation,
  kNodeOther,
};

constexpr auto kNodeText = Ends::before_next_key;
// What may follow a reason in later versions must be known here, or it would be read as part of it.
constexpr Key kNodeKeys[] = {
    {"NodeName=", kNodeName},
    {"CPUAlloc=", kNodeCpusHeld},
    {"CPUTot=", kNodeCpus},
    {"CPUEfctv=", kNodeCpusForJobs},
    {"ActiveFeatures=", kNodeFeatures},
    {"Gres=", kNodeGres},
    {"GresUsed=", kNodeGresUsed},
    {"Version=", kNodeVersion},
    {"RealMemory=", kNodeMemory},
    {"AllocMem=", kNodeMemoryHeld},
    {"MemSpecLimit=", kNodeMemoryKept},
    {"State=", kNodeState},
    {"Partitions=", kNodePartitions},
    {"BootTime=", kNodeBooted},
    {"Reason=", kNodeReason, kNodeText},
    {"Comment=", kNodeComment, kNodeText, true},
    {"Extra=", kNodeExtra, kNodeText, true},
    {"ReservationName=", kNodeReservation, Ends::at_blank, true},
    {"InstanceId=", kNodeOther, Ends::at_blank, true},
    {"InstanceType=", kNodeOther, Ends::at_blank, true},
    {"Topology=", kNodeOther, Ends::at_blank, true},  // 25.05 and later
    {"Parameters=", kNodeOther, Ends::at_blank, true},
    {"SuspendTime=", kNodeOther, Ends::at_blank, true},
    {"CertFlags=", kNodeOther, Ends::at_blank, true},
    {"TLSCertLastRenewal=", kNodeOther, Ends::at_blank, true},
};

std::vector<std::string> read_list(std::string_view text) {
  std::vector<std::string> items;
  text = told(text);
  while (!text.empty()) {
    std::size_t comma = text.find(',');
    if (comma != 0) items.push_back(clean(text.substr(0, comma), 256));
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  return items;
}

struct Symbol {
  char sign;
  std::string_view flag;
};
constexpr Symbol kSymbols[] = {
    {'*', "NOT_RESPONDING"},   {'~', "POWERED_DOWN"},  {'#', "POWERING_UP"},
    {'!', "POWER_DOWN"},       {'%', "POWERING_DOWN"}, {'$', "MAINTENANCE"},
    {'@', "REBOOT_REQUESTED"}, {'^', "REBOOT_ISSUED"}, {'-', "PLANNED"},
};

// "fan failure [ops] [root@2026-11-21T02:36:31]": words, author and time.
void read_reason(std::string_view text, LocalTimes& times, Node& node) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  std::size_t open = text.rfind(" [");
  if (text.ends_with("]") && open != std::string_view::npos) {
    std::string_view who = text.substr(open + 2, text.size() - open - 3);
    std::size_t at = who.rfind('@');
    if (at != std::string_view::npos) {
      node.reason_by = clean(who.substr(0, at), 256);
      node.reason_at = times.read(who.substr(at + 1));
      text = text.substr(0, open);
    }
  }
  node.reason = clean(text);
}

bool rebooting(const std::vector<std::string>& flags) {
  return std::any_of(flags.begin(), flags.end(),
                     [](const std::string& flag) { return flag.starts_with("REBOOT_"); });
}

class NodeReader {
 public:
  NodeReader(Origin origin, const mig::Catalogue* catalogue) : origin_(origin), gpus_(catalogue) {}

  // The result names what could not be read; fields that could are set.
  std::optional<std::string> read(std::string_view record, Node& node) {
    node.origin = origin_;
    std::string_view gres, used, reason;
    std::optional<int> for_jobs;
    std::optional<Mib> kept;
    for (Fields fields(record, schema_); fields.next();) {
      std::string_view value = fields.value();
      switch (fields.id()) {
        case kNodeName: node.name = NodeName(clean(value, 256)); break;
        case kNodeCpusHeld: node.cpus_held = whole_number(value); break;
        case kNodeCpus: node.cpus = whole_number(value); break;
        case kNodeCpusForJobs: for_jobs = whole_number(value); break;
        case kNodeFeatures: node.features = read_list(value); break;
        case kNodeGres: gres = value; break;
        case kNodeGresUsed: used = value; break;
        case kNodeVersion: node.agent = clean(told(value), 64); break;
        case kNodeMemory: node.memory = read_memory(value); break;
        case kNodeMemoryHeld: node.memory_held = read_memory(value); break;
        case kNodeMemoryKept: kept = read_memory(value); break;
        case kNodeState: node.state = split_state(value); break;
        case kNodePartitions: node.partitions = read_list(value); break;
        case kNodeBooted: node.booted = times_.read(value); break;
        case kNodeReason: reason = value; break;
        case kNodeComment: node.host_pod = slinky::read_comment(value); break;
        case kNodeReservation: node.reservation = clean(told(value), 256); break;
        default: break;
      }
    }
    take_off_kept(node, for_jobs, kept);
    node.health = health_of(node.state);
    // Since 23.11 the words stay after the node was resumed: the state decides.
    if (node.health != Health::ok || rebooting(node.state)) read_reason(reason, times_, node);
    auto problem = gpus_.fill(node, gres, used);
    if (node.state.empty() && !problem) problem = "no State=";
    return problem;
  }

 private:
  // No job is given the cores and the memory that are kept for the system (CoreSpecCount, CpuSpecList,
  // MemSpecLimit).
  static void take_off_kept(Node& node, std::optional<int> for_jobs, std::optional<Mib> kept) {
    if (node.cpus && for_jobs && *for_jobs > 0) node.cpus = std::min(*node.cpus, *for_jobs);
    if (node.memory && kept && *kept < *node.memory) node.memory = Mib{node.memory->value - kept->value};
  }
  static std::optional<Mib> read_memory(std::string_view value) {
    auto mib = whole_number<std::int64_t>(value);
    return mib ? std::optional(Mib{*mib}) : std::nullopt;
  }
  const Schema schema_{kNodeKeys};
  Origin origin_;
  NodeGpus gpus_;
  LocalTimes times_;
};

bool has(const std::vector<std::string>& flags, std::string_view wanted) {
  return std::find(flags.begin(), flags.end(), wanted) != flags.end();
}

bool has_any(const std::vector<std::string>& flags, std::initializer_list<std::string_view> wanted) {
  return std::any_of(wanted.begin(), wanted.end(), [&](std::string_view flag) { return has(flags, flag); });
}

}  // namespace

std::vector<std::string> split_state(std::string_view state) {
  std::vector<std::string> flags;
  auto add = [&](std::string_view flag) {
    if (!flag.empty() && !has(flags, flag)) flags.push_back(clean(flag, 64));
  };
  while (!state.empty()) {
    std::size_t plus = std::min(state.find('+'), state.size());
    std::string_view flag = state.substr(0, plus);
    state.remove_prefix(std::min(plus + 1, state.size()));
    std::vector<std::string_view> by_sign;
    while (!flag.empty()) {
      auto symbol = std::find_if(std::begin(kSymbols), std::end(kSymbols),
                                 [&](const Symbol& s) { return s.sign == flag.back(); });
      if (symbol == std::end(kSymbols)) break;
      by_sign.push_back(symbol->flag);
      flag.remove_suffix(1);
    }
    add(flag);
    for (std::string_view more : by_sign) add(more);
  }
  return flags;
}

Health health_of(const std::vector<std::string>& flags) {
  if (flags.empty()) return Health::unknown;
  if (has_any(flags, {"INVALID_REG", "INVALID", "INVAL"})) return Health::invalid;
  if (has_any(flags, {"DOWN", "ERROR", "POWERED_DOWN", "POWERING_DOWN"})) return Health::down;
  // While it boots, silence is no failure.
  bool boots = has(flags, "POWERING_UP");
  if (has(flags, "NOT_RESPONDING") && !boots) return Health::down;
  bool busy = has_any(flags, {"ALLOCATED", "MIXED", "COMPLETING", "DRAINING", "FAILING"});
  if (has_any(flags, {"DRAIN", "DRAINING", "DRAINED", "FAIL", "FAILING"}))
    return busy ? Health::draining : Health::drained;
  if (boots) return Health::unknown;
  // To be switched off: with jobs on it, once they have ended.
  if (has(flags, "POWER_DOWN")) return busy ? Health::draining : Health::down;
  if (has_any(flags, {"UNKNOWN", "FUTURE"})) return Health::unknown;
  return Health::ok;
}

Parsed<Node> parse_nodes(std::string_view text, Origin origin, const mig::Catalogue* catalogue,
                         const GivenUp& given_up) {
  Parsed<Node> parsed;
  parsed.expect(text.size(), 500);
  NodeReader reader(origin, catalogue);
  for (Records records(text, [](std::string_view line) { return line.starts_with("NodeName="); });
       records.next();) {
    if (parsed.ends_before(records.line(), given_up)) break;
    if (!records.led()) {
      if (!records.record().starts_with("No nodes"))
        parsed.complain(records.line(), "not a node: \"" + clean(records.record(), 80) + "\"");
      continue;
    }
    Node& node = parsed.values.emplace_back();
    if (auto problem = reader.read(records.record(), node))
      parsed.complain(records.line(), node.name.text + ": " + *problem);
    if (node.name.empty()) {
      parsed.complain(records.line(), "a node without a name");
      parsed.values.pop_back();
    }
  }
  return parsed;
}

void forget_untracked_memory(std::vector<Node>& nodes, std::string_view select) {
  const auto holds_none = [](const Node& node) {
    return node.cpus_held.value_or(0) > 0 && node.memory_held == Mib{0};
  };
  const auto holds_some = [](const Node& node) { return node.memory_held.value_or(Mib{0}).value > 0; };
  const bool untracked = select.empty() ? std::any_of(nodes.begin(), nodes.end(), holds_none) &&
                                              std::none_of(nodes.begin(), nodes.end(), holds_some)
                                        : !contains_folded(select, "memory");
  if (!untracked) return;
  for (Node& node : nodes) node.memory_held.reset();
}

bool has_flag(const Node& node, std::initializer_list<std::string_view> any_of) {
  return std::any_of(node.state.begin(), node.state.end(), [&](const std::string& flag) {
    return std::find(any_of.begin(), any_of.end(), flag) != any_of.end();
  });
}

bool is_closed(const Node& node) { return plan::closed_by_flags(node); }

bool is_busy(const Node& node) {
  return node.cpus_held.value_or(0) > 0 || has_flag(node, {"ALLOCATED", "MIXED", "COMPLETING"});
}

}  // namespace tessera::slurm
