// Rows of the tables and their stable ids.
#include <fmt/core.h>

#include <limits>

#include "engine/model/both_sides.hpp"
#include "engine/model/bridged.hpp"
#include "engine/query/tables.hpp"

namespace tessera::query {
namespace {

template <class Visit>
void each_cluster(const Model& model, const ClusterName& only, Visit visit) {
  for (const Cluster& cluster : model.clusters)
    if (only.empty() || cluster.name == only) visit(cluster);
}

// Where a slice stands among its GPU's or its node's slices; rows point into those vectors.
std::size_t place_of(const SliceRow& row) {
  const std::vector<Slice>& all = row.gpu ? row.gpu->slices : row.node->pool;
  return static_cast<std::size_t>(row.slice - all.data());
}

}  // namespace

std::vector<NodeRow> node_rows(const Model& model, const ClusterName& only) {
  std::vector<NodeRow> rows;
  each_cluster(model, only, [&](const Cluster& cluster) {
    for (const Node& node : cluster.nodes.all()) {
      // A machine that is a node of two schedulers is one row, that of Kubernetes, which has its GPUs.
      const bool told_there = only.empty() && node.host_pod && !slinky::other_words(node).empty();
      if (!told_there) rows.push_back({&cluster, &node});
    }
  });
  return rows;
}

std::vector<GpuRow> gpu_rows(const Model& model, const ClusterName& only) {
  std::vector<GpuRow> rows;
  each_cluster(model, only, [&](const Cluster& cluster) {
    for (const Node& node : cluster.nodes.all())
      for (const Gpu& gpu : node.gpus) rows.push_back({&cluster, &node, &gpu});
  });
  return rows;
}

std::vector<SliceRow> slice_rows(const Model& model, const ClusterName& only) {
  std::vector<SliceRow> rows;
  each_cluster(model, only, [&](const Cluster& cluster) {
    for (const Node& node : cluster.nodes.all()) {
      for (const Gpu& gpu : node.gpus)
        for (const Slice& slice : gpu.slices) rows.push_back({&cluster, &node, &gpu, &slice});
      for (const Slice& slice : node.pool) rows.push_back({&cluster, &node, nullptr, &slice});
    }
  });
  return rows;
}

std::vector<WorkloadRow> workload_rows(const Model& model, const ClusterName& only) {
  std::vector<WorkloadRow> rows;
  each_cluster(model, only, [&](const Cluster& cluster) {
    for (const Workload& workload : cluster.workloads.all())
      // A job of Slurm that stands for pods (slurm-bridge) is told by these, which name it.
      if (!only.empty() || !slinky::is_told_by_pods(model, cluster, workload))
        rows.push_back({&cluster, &workload});
  });
  return rows;
}

std::string row_id(const NodeRow& row) { return row.cluster->name.text + '\x1f' + row.node->name.text; }
std::string row_id(const GpuRow& row) {
  return fmt::format("{}\x1f{}\x1f{}", row.cluster->name.text, row.node->name.text, row.gpu->index.value);
}
std::string row_id(const SliceRow& row) {
  // A placement outlives a re-cut elsewhere on the GPU; the position in the list does not.
  std::string gpu = row.gpu ? std::to_string(row.gpu->index.value) : "-";
  std::string place = row.slice->placement
                          ? fmt::format("@{}+{}", row.slice->placement->start, row.slice->placement->size)
                          : fmt::format("#{}", place_of(row));
  return fmt::format("{}\x1f{}\x1f{}\x1f{}", row.cluster->name.text, row.node->name.text, gpu, place);
}
std::string row_id(const WorkloadRow& row) { return row.cluster->name.text + '\x1f' + row.workload->id.text; }

namespace {

// Negative, 0 or positive. Rows of one cluster share its address, which spares most comparisons.
int order(const Cluster* a, const Cluster* b) {
  return a == b ? 0 : natural_compare(a->name.text, b->name.text);
}
int order(const Cluster* cluster_a, const Node* a, const Cluster* cluster_b, const Node* b) {
  if (a == b) return 0;
  if (int by_cluster = order(cluster_a, cluster_b)) return by_cluster;
  return natural_compare(a->name.text, b->name.text);
}

}  // namespace

bool comes_first(const NodeRow& a, const NodeRow& b) {
  return order(a.cluster, a.node, b.cluster, b.node) < 0;
}
bool comes_first(const GpuRow& a, const GpuRow& b) {
  if (int by_node = order(a.cluster, a.node, b.cluster, b.node)) return by_node < 0;
  return a.gpu->index < b.gpu->index;
}
bool comes_first(const SliceRow& a, const SliceRow& b) {
  if (int by_node = order(a.cluster, a.node, b.cluster, b.node)) return by_node < 0;
  // On GPUs first, then the pool of slices whose GPU is not reported.
  int board_a = a.gpu ? a.gpu->index.value : std::numeric_limits<int>::max();
  int board_b = b.gpu ? b.gpu->index.value : std::numeric_limits<int>::max();
  return board_a != board_b ? board_a < board_b : a.slice < b.slice;
}
bool comes_first(const WorkloadRow& a, const WorkloadRow& b) {
  if (int by_cluster = order(a.cluster, b.cluster)) return by_cluster < 0;
  return natural_compare(a.workload->id.text, b.workload->id.text) < 0;
}

}  // namespace tessera::query
