// What an actuator sees of one node, and the mark by which a run is known on the cluster itself.
// Threads: plain values, made on a backend's thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/model/model.hpp"

namespace tessera::plan {

// Who changes a node, left where other admins see it: annotation, reservation or drain reason.
struct RunMark {
  std::string run;   // run id; letters, digits and '-' only
  std::string who;   // "root"
  std::string from;  // host that drives it
  TimePoint since{};
  friend bool operator==(const RunMark&, const RunMark&) = default;
};
// "tessera RUN who@from", the form in which a mark stands in free text such as a drain reason; words may
// follow. Users of a domain (DOMAIN\user) are written with "_" for what would not be found again.
std::string to_text(const RunMark& mark);
// nullopt: that text carries no mark. `since` is not in the text.
std::optional<RunMark> parse_mark(std::string_view text);

// One node, read freshly. Threads of other admins and the world itself may change it right after.
struct NodeFacts {
  TimePoint at{};
  bool known = true;      // false: the cluster does not list this node any more
  bool answering = true;  // false: down, rebooting, unreachable
  // The node as the model has it, with holders laid over its slices (link_holders). A client of a GPU that no
  // scheduler knows of shows as told_held without holders.
  Node node;
  std::vector<Workload> workloads;  // everything that runs or completes there, GPU or not

  bool closed = false;               // takes no new work, whoever closed it
  std::string closed_reason;         // in its author's words
  std::string closed_by;             // empty: not told
  std::optional<RunMark> closed_as;  // the mark in the reason, if it is one; else someone else closed it
  std::optional<RunMark> mark;       // the run that has marked this node (the lock)

  std::map<std::string, std::int64_t> advertised;  // resource → count, as the scheduler offers it now
  std::map<std::string, std::string> words;        // further facts by which a dialect's steps are judged
  // Keys of `words` that this look did not ask for: what stands there is not known.
  std::set<std::string> left_out;
};

}  // namespace tessera::plan
