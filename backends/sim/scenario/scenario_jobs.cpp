// Work of a scenario: what is asked for, by whom, where and for how long.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "backends/sim/scenario/scenario_read.hpp"
#include "engine/number.hpp"

namespace tessera::sim {
namespace {

// Takes ":12" off the end; 1 when there is none, -1 when it is no number from 1 to 100,000.
int take_count(std::string& text) {
  std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon + 1 == text.size()) return 1;
  if (text.find_first_not_of("0123456789", colon + 1) != std::string::npos) return 1;
  int count = -1;
  std::from_chars(text.data() + colon + 1, text.data() + text.size(), count);
  text.resize(colon);
  return count >= 1 && count <= 100'000 ? count : -1;
}

// "gpu:h100:4", "gpu:2", "mps:25", "shard:1"
bool read_gres(ClusterReader& cluster, std::string text, Shape& shape) {
  shape.text = text;
  shape.count = take_count(text);
  std::size_t colon = text.find(':');
  std::string family = text.substr(0, colon);
  if (colon != std::string::npos) shape.type = text.substr(colon + 1);
  if (family == "gpu") {
    shape.family = Family::gpu;
    shape.resource = shape.type.empty() ? -1 : cluster.intern_resource("gpu:" + shape.type);
  } else if ((family == "mps" || family == "shard") && shape.type.empty()) {
    shape.family = family == "mps" ? Family::mps : Family::shard;
    shape.resource = cluster.intern_resource(family);
  } else {
    return false;
  }
  // Shown in the scheduler's words, without the count: Request carries that.
  shape.text = text;
  return shape.count > 0;
}

// "nvidia.com/gpu:2", "nvidia.com/mig-1g.10gb"; by a claim "gpu.nvidia.com:2", "mig.nvidia.com/1g.10gb"
bool read_resource(ClusterReader& cluster, std::string text, Shape& shape) {
  shape.count = take_count(text);
  if (text.find('/') == std::string::npos && text != "gpu.nvidia.com") return false;
  shape.text = text;
  shape.resource = cluster.intern_resource(text);
  std::size_t mig = text.find("/mig-");
  if (mig != std::string::npos) shape.type = text.substr(mig + 5);
  if (text.starts_with("mig.nvidia.com/")) shape.type = text.substr(15);
  return shape.count > 0;
}

struct Pin {
  std::vector<std::uint32_t> nodes;
  std::optional<int> gpu, start;
};

// "gpu01", "gpu[01-04]", "gpu01/gpu3", "gpu01/gpu3@4"
void read_pin(ClusterReader& cluster, const Yaml& at, std::string text, Pin& pin) {
  std::size_t slash = text.find("/gpu");
  if (slash != std::string::npos) {
    std::string rest = text.substr(slash + 4);
    std::size_t sign = rest.find('@');
    auto number = [&](std::string_view digits, int most) {
      const auto value = whole_number(digits, most - 1);
      if (!value)
        cluster.reader.fail(at, fmt::format("'{}': NODE/gpuN or NODE/gpuN@START is expected", text));
      return value.value_or(0);
    };
    pin.gpu = number(std::string_view(rest).substr(0, sign), kMostBoards);
    if (sign != std::string::npos) pin.start = number(std::string_view(rest).substr(sign + 1), 64);
    text.resize(slash);
  }
  auto names = expand_names(text, kMostNodes);
  if (!names) {
    cluster.reader.fail(at, fmt::format("'{}': no node name or pattern", text.substr(0, 64)));
    return;
  }
  for (const std::string& name : *names) {
    auto found = cluster.node_index.find(name);
    if (found == cluster.node_index.end()) {
      cluster.reader.fail(at, fmt::format("there is no node '{}'", name));
      return;
    }
    pin.nodes.push_back(found->second);
  }
}

int intern_shape(ClusterReader& cluster, Shape shape) {
  std::string key = fmt::format("{}\n{}\n{}\n{}\n{}\n{}", shape.text, shape.count, shape.nodes,
                                shape.partition, shape.group, fmt::join(shape.only, ","));
  auto [it, fresh] = cluster.shape_index.emplace(key, static_cast<int>(cluster.spec.shapes.size()));
  if (fresh) cluster.spec.shapes.push_back(std::move(shape));
  return it->second;
}

void read_users(ClusterReader& cluster, Fields& fields, JobPlan& plan) {
  std::vector<std::string> names = fields.texts("user");
  for (std::string& name : fields.texts("users")) names.push_back(std::move(name));
  for (const std::string& name : names) {
    auto known = std::find_if(cluster.spec.users.begin(), cluster.spec.users.end(),
                              [&](const User& user) { return user.name == name; });
    plan.users.push_back(static_cast<int>(known - cluster.spec.users.begin()));
    if (known == cluster.spec.users.end()) cluster.spec.users.push_back({name, ""});
  }
  if (names.empty())
    for (std::size_t i = 0; i < cluster.spec.users.size(); ++i) plan.users.push_back(static_cast<int>(i));
  if (cluster.spec.users.size() > 5000) cluster.reader.fail(fields.map(), "more than 5,000 users");
  if (plan.users.empty()) cluster.reader.fail(fields.map(), "whose is it? give 'user' here or 'users' above");
  std::sort(plan.users.begin(), plan.users.end());
  plan.users.erase(std::unique(plan.users.begin(), plan.users.end()), plan.users.end());
}

Pin read_pins(ClusterReader& cluster, Fields& fields) {
  Pin pin;
  const Yaml* on = fields.find("on");
  if (!on) return pin;
  if (on->kind == Yaml::Kind::scalar) read_pin(cluster, *on, on->scalar, pin);
  for (const Yaml& item : on->items) read_pin(cluster, item, scalar_text(cluster.reader, item), pin);
  std::sort(pin.nodes.begin(), pin.nodes.end());
  pin.nodes.erase(std::unique(pin.nodes.begin(), pin.nodes.end()), pin.nodes.end());
  if (pin.gpu && pin.nodes.size() != 1) cluster.reader.fail(*on, "a GPU is named: then name one node");
  return pin;
}

// Nodes are numbered group by group, in the order of their names. Empty: the group could not be read.
std::vector<int> partitions_of(const ClusterReader& cluster, std::uint32_t node) {
  std::size_t before = 0;
  for (const NodeGroup& group : cluster.spec.groups)
    if ((before += group.names.size()) > node) return group.partitions;
  return {};
}

// The partition that is named; else the first one of the first node that 'on' names.
int read_partition(ClusterReader& cluster, Fields& fields, const std::string& name, const Pin& pin) {
  if (cluster.spec.partitions.empty()) cluster.reader.fail(fields.map(), "work needs a partition to go to");
  if (cluster.reader.error) return 0;
  const int named = name.empty() ? 0 : cluster.partition(fields.map(), name);
  if (pin.nodes.empty()) return named;
  const std::vector<int> first = partitions_of(cluster, pin.nodes.front());
  if (name.empty()) return first.empty() ? 0 : first.front();
  for (std::uint32_t node : pin.nodes) {
    const std::vector<int> its = partitions_of(cluster, node);
    if (std::find(its.begin(), its.end(), named) == its.end())
      cluster.reader.fail(fields.map(), fmt::format("a node named by 'on' is not in partition '{}'", name));
  }
  return named;
}

void read_shapes(ClusterReader& cluster, Fields& fields, JobPlan& plan) {
  Shape base;
  base.nodes = fields.integer("nodes", 1, 4096, 1);
  std::string group = fields.text(cluster.slurm() ? "partition" : "namespace");
  Pin pin = read_pins(cluster, fields);
  if (cluster.slurm()) {
    base.partition = read_partition(cluster, fields, group, pin);
    if (!cluster.reader.error) group = cluster.spec.partitions[static_cast<std::size_t>(base.partition)].name;
  } else if (base.nodes > 1) {
    cluster.reader.fail(fields.map(), "a pod runs on one node: 'nodes' is for Slurm");
  }
  base.group = group.empty() ? "default" : group;
  base.only = std::move(pin.nodes);
  plan.gpu = pin.gpu;
  plan.start = pin.start;
  for (const std::string& want : fields.texts("want")) {
    Shape shape = base;
    bool good = cluster.slurm() ? read_gres(cluster, want, shape) : read_resource(cluster, want, shape);
    if (!good) {
      cluster.reader.fail(fields.map(), fmt::format("want '{}': {} is expected", want,
                                                    cluster.slurm() ? "gpu[:TYPE]:N, mps:N or shard:N"
                                                                    : "nvidia.com/RESOURCE[:N]"));
      return;
    }
    plan.shapes.push_back(intern_shape(cluster, std::move(shape)));
  }
  if (plan.gpu && plan.shapes.size() > 1)
    cluster.reader.fail(fields.map(), "a GPU is named: then 'want' is one");
  if (plan.shapes.empty()) cluster.reader.fail(fields.map(), "'want' is missing: what is asked for?");
}

}  // namespace

JobPlan read_plan(ClusterReader& cluster, Fields& fields, bool initial) {
  JobPlan plan;
  plan.line = fields.map().line;
  plan.names = fields.texts("name");
  for (std::string& name : fields.texts("names")) plan.names.push_back(std::move(name));
  if (plan.names.empty()) plan.names.push_back("job");
  read_users(cluster, fields, plan);
  read_shapes(cluster, fields, plan);
  plan.does = static_cast<Character>(
      fields.choice("does", {"training", "inference", "notebook", "batch", "waste"}, 3));
  if (std::optional<Range> runs = fields.range("runs")) plan.runs = *runs;
  plan.runs.low = std::max(plan.runs.low, Duration(1000));
  plan.runs.high = std::max(plan.runs.high, plan.runs.low);
  plan.limit = fields.duration("limit", Duration(0));
  plan.comment = fields.text("comment");
  plan.restartable = fields.flag("restartable", true);
  if (!initial) return plan;
  plan.count = fields.integer("count", 1, kMostJobs, 1);
  plan.ran = fields.range("ran");
  plan.hold = fields.text("hold");
  plan.hold_for = fields.duration("hold_for", Duration(0));
  cluster.jobs_left -= plan.count;
  if (cluster.jobs_left < 0)
    cluster.reader.fail(fields.map(), fmt::format("more than {} jobs in all", kMostJobs));
  if (plan.gpu && plan.count != 1) cluster.reader.fail(fields.map(), "a GPU is named: then 'count' is 1");
  return plan;
}

}  // namespace tessera::sim
