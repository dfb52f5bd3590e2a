// Why a scheduler keeps work waiting, in plain words: Slurm's reason codes and the messages of Kubernetes'
// scheduler. What is not known here is shown as the scheduler wrote it.
// Threads: constant data, pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/values.hpp"

namespace tessera::why {

// What kind of thing it waits for.
enum class Topic : std::uint8_t {
  unknown,      // not known here
  untold,       // the scheduler gives no reason, or has not looked yet
  room,         // GPUs, slices, CPUs, memory
  priority,     // others come first
  held,         // a person holds it back
  dependency,   // other work must end first
  time,         // its time has not come
  limit,        // a limit of a QOS, an association or a quota
  partition,    // the partition's state or bounds
  node,         // nodes are down, closed or reserved
  taint,        // nodes repel it
  selector,     // no node has what it names
  reservation,  // its own reservation
  licence,
  request,  // what it asks for is invalid, or nothing has it
  storage,
  claim,  // a DRA claim
  group,  // work that starts together with it
  gate,   // a scheduling gate, an admission queue
  start,  // it has a node, and is being started
  failed  // it has ended, or could not be started
};
std::string_view word(Topic topic);

struct Meaning {
  Topic topic = Topic::unknown;
  std::string text;  // one sentence; what is not known: the scheduler's own words
  bool known = false;
};

// A reason as `scontrol show job` writes it, with what may follow the code: "ReqNodeNotAvail,
// UnavailableNodes:n1".
Meaning slurm_meaning(std::string_view reason);
// The code of such a reason, also where slurmctld wrote a sentence in its place: "Reservation r1 was deleted"
// is "ReservationDeleted". Empty: a sentence that stands for no code. Points into the reason, or is constant.
std::string_view slurm_code(std::string_view reason);

// One part of a message: "Insufficient nvidia.com/gpu", without its count.
Meaning kubernetes_meaning(std::string_view part);

// "0/6 nodes are available: 3 Insufficient nvidia.com/gpu, 2 node(s) had untolerated taint {a: b}.
// preemption: …"
struct Part {
  std::optional<std::int64_t> nodes;  // nullopt: it is said of the pod, not of nodes
  std::string words;                  // the scheduler's own
  Meaning meaning;
};
struct Unschedulable {
  std::optional<std::int64_t> able, total;  // nodes; nullopt: not such a message
  std::vector<Part> parts;                  // the most nodes first; at most kMostParts
  std::string preemption;                   // what follows "preemption:", as written
};
inline constexpr std::size_t kMostParts = 32;
Unschedulable parse_unschedulable(std::string_view message);

// The reason of a job or pod, as one sentence.
Meaning meaning(std::string_view reason, Scheduler scheduler);

}  // namespace tessera::why
