#include "backends/sim/scenario/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "backends/sim/scenario/kueue_plan.hpp"
#include "backends/sim/scenario/scenario_read.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::sim {

int ClusterReader::intern_resource(const std::string& name) {
  auto it = std::find(spec.resources.begin(), spec.resources.end(), name);
  if (it == spec.resources.end()) it = spec.resources.insert(it, name);
  return static_cast<int>(it - spec.resources.begin());
}

int ClusterReader::partition(const Yaml& at, const std::string& name) {
  for (std::size_t i = 0; i < spec.partitions.size(); ++i)
    if (spec.partitions[i].name == name) return static_cast<int>(i);
  reader.fail(at, fmt::format("there is no partition '{}'", name));
  return 0;
}

namespace {

// Slurm's way to write a time limit.
std::string slurm_time(Duration time) {
  if (time.count() == 0) return "UNLIMITED";
  std::int64_t seconds = time.count() / 1000;
  return fmt::format("{}-{:02}:{:02}:{:02}", seconds / 86400, seconds / 3600 % 24, seconds / 60 % 60,
                     seconds % 60);
}

void read_partitions(ClusterReader& cluster, Fields& fields) {
  for (const Yaml* item : fields.list("partitions")) {
    Partition partition;
    Duration most{0};
    if (item->kind == Yaml::Kind::scalar) {
      partition.name = item->scalar;
      partition.state = "UP";
    } else {
      Fields map(cluster.reader, *item);
      partition.name = map.required("name");
      partition.state = map.text("state", "UP");
      partition.hidden = map.flag("hidden", false);
      most = map.duration("max_time", Duration(0));
      map.finish();
    }
    partition.is_default = cluster.spec.partitions.empty();
    partition.max_time = slurm_time(most);
    cluster.spec.partitions.push_back(std::move(partition));
    cluster.spec.max_times.push_back(most);
  }
}

void read_users(ClusterReader& cluster, Fields& fields) {
  std::set<std::string> seen;
  for (const std::string& text : fields.texts("users")) {
    std::size_t colon = text.find(':');
    User user{text.substr(0, colon), colon == std::string::npos ? "" : text.substr(colon + 1)};
    if (!seen.insert(user.name).second)
      cluster.reader.fail(fields.map(), fmt::format("user '{}' is there twice", user.name));
    cluster.spec.users.push_back(std::move(user));
  }
}

void read_daemons(ClusterReader& cluster, Fields& fields) {
  for (const Yaml* item : fields.list("daemons")) {
    Fields map(cluster.reader, *item);
    Daemon daemon{map.required("name"), map.text("host"), map.flag("up", true), map.text("detail")};
    map.finish();
    cluster.spec.daemons.push_back(std::move(daemon));
  }
}

void read_reservations(ClusterReader& cluster, Fields& fields) {
  for (const Yaml* item : fields.list("reservations")) {
    Fields map(cluster.reader, *item);
    Reservation reservation;
    reservation.name = map.required("name");
    reservation.nodes = map.text("nodes");
    reservation.users = map.text("users");
    reservation.flags = map.text("flags");
    reservation.state = map.text("state", "ACTIVE");
    map.finish();
    cluster.spec.reservations.push_back(std::move(reservation));
  }
}

Duration read_pause(ClusterReader& cluster, Fields& fields) {
  Duration every = fields.duration("every", Duration(0));
  if (every.count() < 50) cluster.reader.fail(fields.map(), "'every' is missing or shorter than 50ms");
  return every;
}

void read_streams(ClusterReader& cluster, Fields& fields) {
  for (const Yaml* item : fields.list("arrivals")) {
    Fields map(cluster.reader, *item);
    Stream stream;
    stream.every = read_pause(cluster, map);
    stream.at_most = map.integer("at_most", 1, 100'000, 50);
    stream.plan = read_plan(cluster, map, false);
    map.finish();
    cluster.spec.streams.push_back(std::move(stream));
  }
}

void read_troubles(ClusterReader& cluster, Fields& fields) {
  for (const Yaml* item : fields.list("troubles")) {
    Fields map(cluster.reader, *item);
    Trouble trouble;
    trouble.kind = static_cast<Trouble::Kind>(map.choice("do", {"drain", "down", "reboot"}, 0));
    trouble.every = read_pause(cluster, map);
    trouble.lasts = map.range("lasts").value_or(Range{Duration(600'000), Duration(3'600'000)});
    trouble.lasts.low = std::max(trouble.lasts.low, Duration(1000));
    trouble.lasts.high = std::max(trouble.lasts.high, trouble.lasts.low);
    trouble.reasons = map.texts("reason");
    for (std::string& reason : map.texts("reasons")) trouble.reasons.push_back(std::move(reason));
    if (trouble.reasons.empty()) trouble.reasons.push_back("maintenance");
    trouble.by = map.text("by", "ops");
    map.finish();
    cluster.spec.troubles.push_back(std::move(trouble));
  }
}

// A fault that waits for an action or a look.
void read_trap(ClusterReader& cluster, const Yaml& at) {
  constexpr std::size_t kMostTraps = 100;
  Result<Trap> trap = parse_trap(scalar_text(cluster.reader, at));
  if (!trap) return cluster.reader.fail(at, "'fault': " + trap.error().reason);
  if (!trap->node.empty() && !cluster.node_index.contains(trap->node))
    return cluster.reader.fail(at, fmt::format("there is no node '{}'", trap->node));
  if (cluster.spec.traps.size() >= kMostTraps) return cluster.reader.fail(at, "too many of them");
  cluster.spec.traps.push_back(std::move(*trap));
}

void read_faults(ClusterReader& cluster, Fields& fields) {
  for (const Yaml* item : fields.list("faults")) {
    Fields map(cluster.reader, *item);
    if (const Yaml* armed = map.find("fault")) {
      read_trap(cluster, *armed);
      map.finish();
      continue;
    }
    Fault fault;
    fault.at = map.duration("at", Duration(0));
    fault.kind = static_cast<Fault::Kind>(
        map.choice("do", {"drain", "down", "reboot", "resume", "hide", "reveal"}, 0));
    std::string node = map.required("node");
    auto found = cluster.node_index.find(node);
    if (found == cluster.node_index.end()) {
      cluster.reader.fail(*item, fmt::format("there is no node '{}'", node));
    } else {
      fault.node = found->second;
    }
    fault.gpu = map.integer("gpu", 0, kMostBoards - 1, 0);
    fault.reason = map.text("reason", "unplanned");
    fault.by = map.text("by", "root");
    map.finish();
    cluster.spec.faults.push_back(std::move(fault));
  }
  std::stable_sort(cluster.spec.faults.begin(), cluster.spec.faults.end(),
                   [](const Fault& a, const Fault& b) { return a.at < b.at; });
}

void read_failure(ClusterReader& cluster, Fields& fields) {
  const Yaml* map = fields.find("stops_answering");
  if (!map) return;
  Fields failure(cluster.reader, *map);
  cluster.spec.fails_after = failure.duration("after", Duration(0));
  cluster.spec.failure =
      Error{"cannot read the cluster", failure.text("reason", "connection refused"), failure.text("hint")};
  failure.finish();
}

// The partitions' node lists in the scenario's own patterns, as Slurm would fold them.
void name_partition_nodes(ClusterSpec& spec, const std::vector<std::string>& patterns) {
  for (std::size_t g = 0; g < spec.groups.size(); ++g)
    for (int index : spec.groups[g].partitions) {
      std::string& nodes = spec.partitions[static_cast<std::size_t>(index)].nodes;
      nodes += (nodes.empty() ? "" : ",") + patterns[g];
    }
}

void read_nodes(ClusterReader& cluster, Fields& fields) {
  std::vector<std::string> patterns;
  for (const Yaml* item : fields.list("nodes")) {
    read_group(cluster, *item);
    if (cluster.reader.error) return;
    patterns.push_back(item->find("names")->scalar);
  }
  name_partition_nodes(cluster.spec, patterns);
}

void read_cluster(ClusterReader& cluster, const Yaml& map) {
  Fields fields(cluster.reader, map);
  ClusterSpec& spec = cluster.spec;
  spec.name = fields.required("name");
  spec.scheduler = static_cast<Scheduler>(fields.choice("scheduler", {"slurm", "kubernetes"}, 0));
  spec.version = fields.text("version");
  spec.gpus_per_user = fields.integer("gpus_per_user", 1, 1'000'000, 0);
  spec.gpus_per_account = fields.integer("gpus_per_account", 1, 1'000'000, 0);
  spec.devices_told = fields.flag("devices_told", true);
  spec.first_id = static_cast<std::uint32_t>(fields.integer("first_id", 1, 1'000'000'000, 80001));
  read_users(cluster, fields);
  read_partitions(cluster, fields);
  read_daemons(cluster, fields);
  read_reservations(cluster, fields);
  if (!cluster.reader.error) read_nodes(cluster, fields);
  if (cluster.reader.error) return;
  for (const Yaml* item : fields.list("jobs")) {
    Fields job(cluster.reader, *item);
    spec.jobs.push_back(read_plan(cluster, job, true));
    job.finish();
  }
  read_streams(cluster, fields);
  read_troubles(cluster, fields);
  read_faults(cluster, fields);
  read_failure(cluster, fields);
  (void)read_kueue(cluster, fields);
  fields.finish();
}

// Nearly all names are shown as they are; a name as it is comes before another one that is cleaned to it.
void index_nodes(ClusterReader& cluster) {
  cluster.spec.node_index = cluster.node_index;
  std::uint32_t index = 0;
  for (const NodeGroup& group : cluster.spec.groups)
    for (const std::string& name : group.names) cluster.spec.node_index.emplace(clean(name, 253), index++);
}

}  // namespace

Result<ScenarioPtr> parse_scenario(std::string_view text, std::string_view name,
                                   std::shared_ptr<const mig::Catalogue> catalogue) {
  Result<Yaml> yaml = parse_yaml(text, name);
  if (!yaml) return yaml.error();
  FieldReader reader{std::string(name), std::nullopt};
  auto scenario = std::make_shared<Scenario>();
  scenario->name = name;
  scenario->text = text;
  scenario->catalogue = std::move(catalogue);
  Fields fields(reader, *yaml);
  if (const Yaml* start = fields.find("start")) {
    scenario->start = parse_utc(start->scalar);
    if (!scenario->start) reader.fail(*start, "'start' must read like 2026-03-02T09:00:00Z");
  }
  std::size_t nodes = 0;
  int jobs_left = kMostJobs;
  for (const Yaml* item : fields.list("clusters")) {
    ClusterReader cluster{reader, *scenario->catalogue, {}, {}, {}, nodes, jobs_left};
    read_cluster(cluster, *item);
    if (reader.error) break;
    for (const ClusterSpec& other : scenario->clusters)
      if (other.name == cluster.spec.name) reader.fail(*item, "two clusters have the same name");
    nodes += cluster.node_index.size();
    index_nodes(cluster);
    jobs_left = cluster.jobs_left;
    scenario->clusters.push_back(std::move(cluster.spec));
  }
  fields.finish();
  if (scenario->clusters.empty()) reader.fail(*yaml, "there is no cluster in it");
  if (reader.error) return *reader.error;
  return ScenarioPtr(std::move(scenario));
}

}  // namespace tessera::sim
