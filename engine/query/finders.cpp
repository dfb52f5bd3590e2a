#include "engine/query/finders.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/insight/free_kinds.hpp"
#include "engine/insight/sharing_words.hpp"
#include "engine/model/kueue.hpp"
#include "engine/text.hpp"
#include "engine/usage/exceptions.hpp"

namespace tessera::query {
namespace {

using Found = std::optional<bool>;

Found in(std::string_view text, std::string_view word) { return contains_folded(text, word); }

// Parts that the cell joins by that sign.
Found in_any(const std::vector<std::string>& parts, char between, std::string_view word) {
  if (word.find(between) != word.npos) return std::nullopt;
  return std::any_of(parts.begin(), parts.end(),
                     [&](const std::string& part) { return contains_folded(part, word); });
}

template <class Row>
struct Named {
  std::string_view key;  // of the column
  Finder<Row> find;
};

constexpr Named<NodeRow> kNodeFinders[] = {
    {"cluster", [](const NodeRow& row, std::string_view word) { return in(row.cluster->name.text, word); }},
    {"node", [](const NodeRow& row, std::string_view word) { return in(row.node->name.text, word); }},
    {"state",
     [](const NodeRow& row, std::string_view word) {
       // Components may name what another scheduler says of it.
       return row.node->components.empty() ? in_any(row.node->state, '+', word) : std::nullopt;
     }},
    {"model",
     [](const NodeRow& row, std::string_view word) {
       const Node& node = *row.node;
       if (node.kinds.several_models) return Found();
       return in(node.gpus.empty() ? node.model : node.gpus.front().model, word);
     }},
    {"shares", [](const NodeRow& row,
                  std::string_view) { return row.node->counts.shares == 0 ? Found(false) : std::nullopt; }},
    {"free_kinds",
     [](const NodeRow& row, std::string_view word) {
       const std::optional<std::string> text = insight::free_text(*row.cluster, *row.node);
       return Found(text && contains_folded(*text, word));
     }},
    {"partitions",
     [](const NodeRow& row, std::string_view word) { return in_any(row.node->partitions, ',', word); }},
    {"taints", [](const NodeRow& row, std::string_view word) { return in_any(row.node->taints, ',', word); }},
    {"features",
     [](const NodeRow& row, std::string_view word) { return in_any(row.node->features, ',', word); }},
    {"driver", [](const NodeRow& row, std::string_view word) { return in(row.node->driver, word); }},
    {"reservation",
     [](const NodeRow& row, std::string_view word) { return in(row.node->reservation, word); }},
    {"reason",
     [](const NodeRow& row, std::string_view word) {
       const Node& node = *row.node;
       if (node.health == Health::ok && insight::is_reserved(node)) return Found(std::nullopt);
       if (node.health == Health::ok) return node.components.empty() ? Found(false) : Found(std::nullopt);
       return node.reason_by.empty() ? in(node.reason, word) : Found(std::nullopt);
     }},
};

constexpr Named<GpuRow> kGpuFinders[] = {
    {"cluster", [](const GpuRow& row, std::string_view word) { return in(row.cluster->name.text, word); }},
    {"node", [](const GpuRow& row, std::string_view word) { return in(row.node->name.text, word); }},
    {"model", [](const GpuRow& row, std::string_view word) { return in(row.gpu->model, word); }},
    {"product",
     [](const GpuRow& row, std::string_view word) {
       return row.gpu->product ? in(row.gpu->product->text, word) : Found(false);
     }},
    {"uuid", [](const GpuRow& row, std::string_view word) { return in(row.gpu->uuid, word); }},
};

constexpr Named<SliceRow> kSliceFinders[] = {
    {"cluster", [](const SliceRow& row, std::string_view word) { return in(row.cluster->name.text, word); }},
    {"node", [](const SliceRow& row, std::string_view word) { return in(row.node->name.text, word); }},
    {"profile", [](const SliceRow& row,
                   std::string_view word) { return in(insight::slice_word(*row.node, *row.slice), word); }},
};

constexpr Named<WorkloadRow> kWorkloadFinders[] = {
    {"cluster",
     [](const WorkloadRow& row, std::string_view word) { return in(row.cluster->name.text, word); }},
    {"id", [](const WorkloadRow& row, std::string_view word) { return in(row.workload->id.text, word); }},
    {"user", [](const WorkloadRow& row, std::string_view word) { return in(row.workload->user, word); }},
    {"name", [](const WorkloadRow& row, std::string_view word) { return in(row.workload->name, word); }},
    {"state", [](const WorkloadRow& row,
                 std::string_view word) { return in(tessera::word(row.workload->state), word); }},
    {"group", [](const WorkloadRow& row, std::string_view word) { return in(row.workload->group, word); }},
    {"account",
     [](const WorkloadRow& row, std::string_view word) { return in(row.workload->account, word); }},
    {"kind",
     [](const WorkloadRow& row, std::string_view word) { return in(kind_word(*row.workload), word); }},
    {"reason",
     [](const WorkloadRow& row, std::string_view word) {
       const Workload& work = *row.workload;
       return work.unasked.empty() || !work.reason.empty() ? in(work.reason, word) : std::nullopt;
     }},
};

template <class Row>
std::vector<Finder<Row>> by_column(std::span<const Named<Row>> named) {
  std::vector<Finder<Row>> all;
  for (const Column<Row>& column : columns<Row>()) {
    const auto found = std::find_if(named.begin(), named.end(),
                                    [&](const Named<Row>& one) { return one.key == column.key; });
    all.push_back(found == named.end() ? nullptr : found->find);
  }
  return all;
}

}  // namespace

template <>
std::span<const Finder<usage::Waste>> finders<usage::Waste>() {
  static const std::vector<Finder<usage::Waste>> all = by_column<usage::Waste>({});
  return all;
}
template <>
std::span<const Finder<NodeRow>> finders<NodeRow>() {
  static const std::vector<Finder<NodeRow>> all = by_column<NodeRow>(kNodeFinders);
  return all;
}
template <>
std::span<const Finder<GpuRow>> finders<GpuRow>() {
  static const std::vector<Finder<GpuRow>> all = by_column<GpuRow>(kGpuFinders);
  return all;
}
template <>
std::span<const Finder<SliceRow>> finders<SliceRow>() {
  static const std::vector<Finder<SliceRow>> all = by_column<SliceRow>(kSliceFinders);
  return all;
}
template <>
std::span<const Finder<WorkloadRow>> finders<WorkloadRow>() {
  static const std::vector<Finder<WorkloadRow>> all = by_column<WorkloadRow>(kWorkloadFinders);
  return all;
}

}  // namespace tessera::query
