// Kueue in a scenario: queues, quotas, and the work that is handed in to them.
#include <fmt/format.h>

#include <algorithm>

#include "backends/sim/scenario/kueue_plan.hpp"
#include "backends/sim/scenario/scenario_read.hpp"
#include "engine/number.hpp"

namespace tessera::sim {
namespace {

constexpr std::size_t kMostQueues = 200;
constexpr std::size_t kMostWork = 200;

// "nvidia.com/gpu:4"; without a number: 1.
KueuePlan::Amount read_amount(FieldReader& reader, const Yaml& at, const std::string& text) {
  const std::size_t colon = text.rfind(':');
  KueuePlan::Amount amount{text.substr(0, colon), 1};
  const auto count =
      colon == std::string::npos ? std::optional(1) : whole_number(text.substr(colon + 1), 100'000);
  if (!count || amount.resource.find('/') == std::string::npos)
    reader.fail(at, fmt::format("'{}': nvidia.com/RESOURCE:N is expected", text.substr(0, 64)));
  amount.count = count.value_or(0);
  return amount;
}

void read_cluster_queues(ClusterReader& cluster, Fields& fields, KueuePlan& plan) {
  for (const Yaml* item : fields.list("cluster_queues")) {
    Fields map(cluster.reader, *item);
    KueuePlan::ClusterQueue queue{map.required("name"), map.text("flavor", "default"), {}};
    for (const std::string& one : map.texts("quota"))
      queue.quota.push_back(read_amount(cluster.reader, *item, one));
    if (queue.quota.empty()) cluster.reader.fail(*item, "'quota' is missing: of what does it have how much?");
    queue.stopped = map.flag("stopped", false);
    queue.preempts = map.flag("preempts", false);
    queue.cohort = map.text("cohort", "");
    if (map.has("borrows")) queue.borrows = map.integer("borrows", 0, 100'000, 0);
    if (queue.borrows && queue.cohort.empty())
      cluster.reader.fail(*item, "'borrows' is for a queue with 'cohort'");
    queue.checks = map.texts("checks");
    map.finish();
    plan.cluster_queues.push_back(std::move(queue));
  }
}

void read_local_queues(ClusterReader& cluster, Fields& fields, KueuePlan& plan) {
  for (const Yaml* item : fields.list("local_queues")) {
    Fields map(cluster.reader, *item);
    plan.local_queues.push_back(
        {map.required("name"), map.text("namespace", "default"), map.required("cluster_queue")});
    map.finish();
  }
}

void read_work(ClusterReader& cluster, Fields& fields, KueuePlan& plan) {
  for (const Yaml* item : fields.list("work")) {
    Fields map(cluster.reader, *item);
    KueuePlan::Work work{map.required("name"), map.text("namespace", "default"), map.required("queue"), {}};
    work.asks = read_amount(cluster.reader, *item, map.required("want"));
    if (work.asks.count == 0) cluster.reader.fail(*item, "'want': it asks for nothing");
    work.pods = map.integer("pods", 1, 1000, 1);
    work.priority = map.integer("priority", -1'000'000, 1'000'000, 0);
    work.active = map.flag("active", true);
    work.waits = map.duration("waits", Duration(0));
    map.finish();
    plan.work.push_back(std::move(work));
  }
}

template <class Item, class Key>
void check_names(FieldReader& reader, const Yaml& at, const std::vector<Item>& all, Key key) {
  std::vector<std::string> names;
  for (const Item& one : all) names.push_back(key(one));
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) reader.fail(at, fmt::format("'{}' is there twice", *twice));
}

}  // namespace

std::optional<KueuePlan> read_kueue(ClusterReader& cluster, Fields& fields) {
  const Yaml* at = fields.find("kueue");
  if (!at) return std::nullopt;
  if (cluster.slurm()) {
    cluster.reader.fail(*at, "Kueue is for a cluster with 'scheduler: kubernetes'");
    return std::nullopt;
  }
  Fields map(cluster.reader, *at);
  KueuePlan plan;
  constexpr const char* kVersions[] = {"v1beta2", "v1beta1"};
  plan.version = kVersions[map.choice("version", {"v1beta2", "v1beta1"}, 0)];
  read_cluster_queues(cluster, map, plan);
  read_local_queues(cluster, map, plan);
  read_work(cluster, map, plan);
  map.finish();
  if (plan.cluster_queues.size() > kMostQueues || plan.local_queues.size() > kMostQueues ||
      plan.work.size() > kMostWork)
    cluster.reader.fail(*at, fmt::format("more than {} queues or {} jobs", kMostQueues, kMostWork));
  check_names(cluster.reader, *at, plan.cluster_queues, [](const auto& one) { return one.name; });
  const auto placed = [](const auto& one) { return one.name_space + "/" + one.name; };
  check_names(cluster.reader, *at, plan.local_queues, placed);
  check_names(cluster.reader, *at, plan.work, placed);
  if (cluster.reader.error) return std::nullopt;
  return plan;
}

std::optional<KueuePlan> kueue_of(const Scenario& scenario, const std::string& cluster) {
  const Result<Yaml> yaml = parse_yaml(scenario.text, scenario.name);
  const Yaml* clusters = yaml ? yaml->find("clusters") : nullptr;
  if (!clusters) return std::nullopt;
  FieldReader reader{scenario.name, std::nullopt};
  for (const Yaml& one : clusters->items) {
    const Yaml* name = one.find("name");
    if (!name || name->scalar != cluster) continue;
    ClusterReader found{reader, *scenario.catalogue, {}, {}, {}};
    found.spec.scheduler = Scheduler::kubernetes;
    Fields fields(reader, one);
    return read_kueue(found, fields);
  }
  return std::nullopt;
}

}  // namespace tessera::sim
