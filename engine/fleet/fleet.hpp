// A fleet file: what the GPUs of a site are to be, by pools of nodes (docs/fleet.md).
//
// The first pool whose conditions a node meets rules it; a node that no pool takes is left alone. Lines are
// those of the file, counted from 1, so that every answer can name the one that decides. Threads: plain
// values.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/plan/files/node_wish.hpp"
#include "engine/sharing/platform.hpp"
#include "engine/sharing/shape.hpp"

namespace tessera::fleet {

// What some nodes are to be.
struct Rule {
  enum class Kind : std::uint8_t { as_is, wish, preset, demand };
  Kind kind = Kind::as_is;
  int line = 0;
  plan::NodeWish wish;                // wish
  std::string preset;                 // preset: "all-balanced"
  std::map<std::string, int> demand;  // demand: instances of the pool, held or free, by profile
  friend bool operator==(const Rule&, const Rule&) = default;
};

struct Exception {
  std::set<std::string> nodes;
  Rule rule;
  friend bool operator==(const Exception&, const Exception&) = default;
};

// Days and times at which something else holds, by the clocks of Fleet::time_zone.
struct When {
  std::uint8_t days = 0;  // on which it begins: a bit for each weekday, Monday first
  bool holidays = false;  // on these, too; a holiday counts as no weekday
  int begin = 0;          // minutes of the day
  int end = 24 * 60;      // not after begin: on the next day
  friend bool operator==(const When&, const When&) = default;
};
struct Window {
  When when;
  Rule rule;
  int line = 0;
  std::string words;  // as the file has them: "Mon-Fri 20:00-07:00"
  friend bool operator==(const Window&, const Window&) = default;
};

// How much tessera fleet run may do by itself; nullopt: no bound.
struct Budget {
  std::optional<int> nodes_at_once;
  std::optional<int> disturbed;  // jobs and pods in the way of one change
  std::optional<int> not_after;  // minutes of the day: nothing is begun later in a phase
  std::optional<int> lead;  // minutes: so long before a window nodes may be closed for it; nullopt: never
  friend bool operator==(const Budget&, const Budget&) = default;
};

// What fleet run does about a pool when a node of it fails. The node itself is left parked.
enum class OnFailure : std::uint8_t {
  stop,   // its run begins no other node
  go_on,  // the other nodes are changed, until Budget::nodes_at_once have failed or wait
};

// Empty conditions hold for every node.
struct Pool {
  std::string name;
  int line = 0;
  ClusterName cluster;          // empty: the only one
  std::set<std::string> nodes;  // these alone
  std::string partition;        // Slurm partition, or node pool of a managed Kubernetes
  std::string feature;          // Slurm feature, or a Kubernetes label as KEY=VALUE
  std::string product;          // of every GPU there: the catalogue's key
  Rule rule;
  std::vector<Exception> exceptions;  // no node stands in two
  std::vector<Window> windows;        // the first that holds counts, instead of `rule`
  plan::Way evict = plan::Way::wait;  // what fleet run may do to work in the way
  OnFailure on_failure = OnFailure::stop;
  Budget budget;  // with go_on it has nodes_at_once
  bool is_exception(const std::string& node) const;
  friend bool operator==(const Pool&, const Pool&) = default;
};

// What the site says of one cluster, instead of flags.
struct ClusterRules {
  std::optional<sharing::Platform> platform;
  std::optional<sharing::MigStrategy> strategy;  // of the device plugin
  friend bool operator==(const ClusterRules&, const ClusterRules&) = default;
};

struct Fleet {
  std::vector<Pool> pools;
  std::map<std::string, ClusterRules> clusters;
  std::string time_zone;  // of its windows: "Europe/Berlin"; empty: UTC
  std::set<std::chrono::sys_days> holidays;
  bool has_windows() const;
  friend bool operator==(const Fleet&, const Fleet&) = default;
};

bool same_rule(const Rule& a, const Rule& b);  // wherever they stand in the file

std::string_view word(OnFailure what);  // "stop" "go-on"

std::string to_text(const Rule& rule);  // "7 × 1g.10gb", "all-balanced", ">=10 3g.40gb", "as it is"

}  // namespace tessera::fleet
