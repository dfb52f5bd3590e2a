// What a recording holds of nodes, workloads and the rest: one list of fields a type, used to write and to
// read. What reduce() derives is not among them, and figures have lines of their own.
//
// The names are a promise to scripts: add, but never rename. A field that equals its default is left out; one
// that is not known is passed over.
// Threads: constant data. Internal to the recorder and the reader of recordings.
#pragma once

#include "engine/model/event.hpp"

namespace tessera::record {

template <class T>
struct Of {};

template <class V>
void fields(V& v, Of<Placement>) {
  v("start", &Placement::start), v("size", &Placement::size);
}
template <class V>
void fields(V& v, Of<ComputeInstance>) {
  v("id", &ComputeInstance::id), v("profile", &ComputeInstance::profile);
}
template <class V>
void fields(V& v, Of<Slice>) {
  v("kind", &Slice::kind), v("profile", &Slice::profile), v("placement", &Slice::placement);
  v("instance", &Slice::instance_id), v("device", &Slice::device), v("capacity", &Slice::capacity);
  v("compute", &Slice::compute), v("told_held", &Slice::told_held), v("out", &Slice::told_out);
  v("uuid", &Slice::uuid);
}
template <class V>
void fields(V& v, Of<Origin>) {
  v("source", &Origin::source);
}
template <class V>
void fields(V& v, Of<Gpu>) {
  v("gpu", &Gpu::index), v("uuid", &Gpu::uuid), v("model", &Gpu::model), v("product", &Gpu::product);
  v("memory_mib", &Gpu::memory), v("mig", &Gpu::mig_mode), v("sharing", &Gpu::strategy);
  v("partition_mode", &Gpu::partition_mode);
  v("replicas", &Gpu::replicas), v("slices", &Gpu::slices), v("origin", &Gpu::origin);
}
template <class V>
void fields(V& v, Of<Component>) {
  v("name", &Component::name), v("state", &Component::state), v("detail", &Component::detail);
  v("since", &Component::since);
}
template <class V>
void fields(V& v, Of<LayoutOrder>) {
  v("config", &LayoutOrder::config), v("state", &LayoutOrder::state), v("since", &LayoutOrder::since);
  v("by", &LayoutOrder::by), v("written", &LayoutOrder::written);
}
template <class V>
void fields(V& v, Of<LabelWrite>) {
  v("label", &LabelWrite::label), v("by", &LabelWrite::by), v("written", &LabelWrite::written);
}
template <class V>
void fields(V& v, Of<OutOfUse>) {
  v("family", &OutOfUse::family), v("type", &OutOfUse::type), v("count", &OutOfUse::count);
}
template <class V>
void fields(V& v, Of<HostPod>) {
  v("namespace", &HostPod::name_space), v("name", &HostPod::name);
}
template <class V>
void fields(V& v, Of<Node>) {
  v("name", &Node::name), v("state", &Node::state), v("health", &Node::health), v("reason", &Node::reason);
  v("reason_by", &Node::reason_by), v("reason_at", &Node::reason_at), v("gpus", &Node::gpus);
  v("pool", &Node::pool), v("model", &Node::model), v("cpus", &Node::cpus), v("cpus_held", &Node::cpus_held);
  v("memory_mib", &Node::memory), v("memory_held_mib", &Node::memory_held);
  v("partitions", &Node::partitions), v("features", &Node::features), v("driver", &Node::driver);
  v("agent", &Node::agent), v("reservation", &Node::reservation), v("components", &Node::components);
  v("order", &Node::order), v("writes", &Node::writes), v("out_of_use", &Node::out_of_use);
  v("allocatable", &Node::allocatable);
  v("taints", &Node::taints), v("host_pod", &Node::host_pod), v("booted", &Node::booted);
  v("origin", &Node::origin);
}
template <class V>
void fields(V& v, Of<DeviceShare>) {
  v("device", &DeviceShare::device), v("share", &DeviceShare::share);
}
template <class V>
void fields(V& v, Of<Allocation>) {
  v("node", &Allocation::node), v("family", &Allocation::family), v("type", &Allocation::type);
  v("count", &Allocation::count), v("devices", &Allocation::devices);
}
template <class V>
void fields(V& v, Of<Request>) {
  v("resource", &Request::resource), v("count", &Request::count), v("largest", &Request::largest);
}
template <class V>
void fields(V& v, Of<PodUse>) {
  v("container", &PodUse::container), v("processes", &PodUse::processes), v("host_ipc", &PodUse::host_ipc);
}
template <class V>
void fields(V& v, Of<NodeNeeds>) {
  v("nodes", &NodeNeeds::nodes), v("excluded", &NodeNeeds::excluded), v("features", &NodeNeeds::features);
  v("reservation", &NodeNeeds::reservation);
  v("cpus", &NodeNeeds::cpus), v("memory_mib", &NodeNeeds::memory), v("alone", &NodeNeeds::alone);
  v("cpus_each", &NodeNeeds::cpus_each), v("memory_each_mib", &NodeNeeds::memory_each);
  v("shares", &NodeNeeds::shares);
  v("expected", &NodeNeeds::expected);
}
template <class V>
void fields(V& v, Of<Workload>) {
  v("id", &Workload::id), v("kind", &Workload::kind), v("name", &Workload::name), v("user", &Workload::user);
  v("group", &Workload::group), v("account", &Workload::account), v("state", &Workload::state);
  v("state_word", &Workload::state_word), v("reason", &Workload::reason), v("asks", &Workload::requests);
  v("holds", &Workload::allocations), v("nodes", &Workload::node_count), v("tasks", &Workload::tasks);
  v("submitted", &Workload::submitted), v("started", &Workload::started), v("ends", &Workload::ends);
  v("limit_s", &Workload::limit), v("priority", &Workload::priority),
      v("restartable", &Workload::restartable), v("comment", &Workload::comment);
  v("unasked", &Workload::unasked), v("stays", &Workload::stays), v("pod", &Workload::pod);
  v("needs", &Workload::needs), v("origin", &Workload::origin);
}
template <class V>
void fields(V& v, Of<Partition>) {
  v("name", &Partition::name), v("state", &Partition::state), v("hidden", &Partition::hidden);
  v("default", &Partition::is_default), v("nodes", &Partition::nodes), v("max_time", &Partition::max_time);
  v("sharing", &Partition::sharing);
}
template <class V>
void fields(V& v, Of<Reservation>) {
  v("name", &Reservation::name), v("state", &Reservation::state), v("nodes", &Reservation::nodes);
  v("flags", &Reservation::flags), v("users", &Reservation::users), v("start", &Reservation::start);
  v("end", &Reservation::end);
}
template <class V>
void fields(V& v, Of<Quota>) {
  v("group", &Quota::group), v("name", &Quota::name), v("resource", &Quota::resource);
  v("limit", &Quota::limit), v("used", &Quota::used);
}
template <class V>
void fields(V& v, Of<Daemon>) {
  v("name", &Daemon::name), v("host", &Daemon::host), v("up", &Daemon::up), v("detail", &Daemon::detail);
}
template <class V>
void fields(V& v, Of<Remark>) {
  v("grade", &Remark::grade), v("subject", &Remark::subject), v("is_node", &Remark::is_node);
  v("text", &Remark::text), v("hint", &Remark::hint);
  v("kind", &Remark::kind), v("follows", &Remark::follows), v("since", &Remark::since);
  v("gpu", &Remark::gpu), v("commands", &Remark::commands);
  v("seen", &Remark::seen), v("restarts_plugin", &Remark::restarts_plugin);
}
template <class V>
void fields(V& v, Of<Error>) {
  v("what", &Error::what), v("reason", &Error::reason), v("hint", &Error::hint);
}

// The heads of lines. What each kind of line means stands in docs/time.md.
struct Head {
  std::string format;  // kFormat
  int version = 0;
  std::string tessera;  // which wrote it
  std::string cluster;
  std::int64_t every = 0;    // seconds
  bool hashed = false;       // names are digests
  std::int64_t figures = 0;  // seconds at most between two rounds with figures of all; 0: each round has them
  std::optional<TimePoint> began;  // the recorder, which writes a line "end" then; nullopt: it writes none
  // Its clock was set back from the one time to the other: what was written before of the times between them
  // counts no more. In the frame that begins with it, and in the first of each day that it had begun already.
  std::optional<TimePoint> set_back_from{}, set_back_to{};
  friend bool operator==(const Head&, const Head&) = default;
};
inline constexpr std::string_view kFormat = "tessera-recording";
inline constexpr int kVersion = 2;  // 1: figures as lists of numbers, which are still read
template <class V>
void fields(V& v, Of<Head>) {
  v("format", &Head::format), v("version", &Head::version), v("tessera", &Head::tessera);
  v("cluster", &Head::cluster), v("every_s", &Head::every), v("hashed", &Head::hashed);
  v("figures_every_s", &Head::figures), v("began", &Head::began);
  v("set_back_from", &Head::set_back_from), v("set_back_to", &Head::set_back_to);
}

struct About {
  Scheduler scheduler = Scheduler::slurm;
  bool simulated = false;
  std::string version, endpoint, id, licence;
  friend bool operator==(const About&, const About&) = default;
};
template <class V>
void fields(V& v, Of<About>) {
  v("scheduler", &About::scheduler), v("simulated", &About::simulated), v("version", &About::version);
  v("endpoint", &About::endpoint), v("id", &About::id), v("licence", &About::licence);
}

template <class V>
void fields(V& v, Of<SourceCost>) {
  v("calls", &SourceCost::calls), v("bytes", &SourceCost::bytes), v("over_s", &SourceCost::over);
}

// Which processes have a node's GPUs open, as one source told it; a node line has none.
struct OpenGpu {
  GpuIndex gpu;
  std::vector<GpuProcess> processes;  // in the order of engine/model/processes.hpp
  friend bool operator==(const OpenGpu&, const OpenGpu&) = default;
};
struct OpenNode {
  NodeName node;
  Source source = Source::none;
  TimePoint told{};
  std::vector<OpenGpu> gpus;  // none: it is no longer told
  friend bool operator==(const OpenNode&, const OpenNode&) = default;
};
template <class V>
void fields(V& v, Of<GpuProcess>) {
  v("pid", &GpuProcess::pid), v("name", &GpuProcess::name), v("instance", &GpuProcess::instance_id);
  v("memory_mib", &GpuProcess::memory), v("workload", &GpuProcess::workload), v("use", &GpuProcess::use);
}
template <class V>
void fields(V& v, Of<OpenGpu>) {
  v("gpu", &OpenGpu::gpu), v("processes", &OpenGpu::processes);
}
template <class V>
void fields(V& v, Of<OpenNode>) {
  v("node", &OpenNode::node), v("source", &OpenNode::source), v("told", &OpenNode::told);
  v("gpus", &OpenNode::gpus);
}

// What each of those that share a GPU of a node uses by itself; a node line has none.
struct SharedGpu {
  GpuIndex gpu;
  Source source = Source::none;
  TimePoint told{};
  std::vector<OwnUse> uses;
  friend bool operator==(const SharedGpu&, const SharedGpu&) = default;
};
struct SharedNode {
  NodeName node;
  std::vector<SharedGpu> gpus;  // none: it is no longer told
  friend bool operator==(const SharedNode&, const SharedNode&) = default;
};
template <class V>
void fields(V& v, Of<OwnUse>) {
  v("workload", &OwnUse::workload), v("instance", &OwnUse::instance_id), v("use", &OwnUse::use);
  v("memory_mib", &OwnUse::memory_used);
}
template <class V>
void fields(V& v, Of<SharedGpu>) {
  v("gpu", &SharedGpu::gpu), v("source", &SharedGpu::source), v("told", &SharedGpu::told);
  v("uses", &SharedGpu::uses);
}
template <class V>
void fields(V& v, Of<SharedNode>) {
  v("node", &SharedNode::node), v("gpus", &SharedNode::gpus);
}

// How a source was doing.
struct SourceState {
  Source source = Source::none;
  std::optional<TimePoint> ok;  // when it answered last
  std::optional<Error> failure;
  std::string note;
  bool incomplete = false;
  std::optional<SourceCost> cost;
  friend bool operator==(const SourceState&, const SourceState&) = default;
};
template <class V>
void fields(V& v, Of<SourceState>) {
  v("source", &SourceState::source), v("ok", &SourceState::ok), v("failure", &SourceState::failure);
  v("note", &SourceState::note), v("incomplete", &SourceState::incomplete), v("cost", &SourceState::cost);
}

template <class T>
concept Described = requires(int& visitor) {
  fields(visitor, Of<T>{});
};

inline std::string_view word(Remark::Grade grade) {
  switch (grade) {
    case Remark::Grade::info: return "info";
    case Remark::Grade::warning: return "warning";
    case Remark::Grade::danger: return "danger";
  }
  return "";
}
inline std::string_view word(Remark::Kind kind) {
  switch (kind) {
    case Remark::Kind::other: return "other";
    case Remark::Kind::processes: return "processes";
    case Remark::Kind::owners: return "owners";
    case Remark::Kind::openers: return "openers";
    case Remark::Kind::hidden: return "hidden";
    case Remark::Kind::crossed: return "crossed";
    case Remark::Kind::refused: return "refused";
  }
  return "";
}

}  // namespace tessera::record
