// The tables of tessera: what a row is, which columns it has, and how each cell is worked out.
//
// One definition feeds the console's tables, `-o table|wide|csv`, sorting and the filter language.
// Threads: pure functions; rows point into the model and live until the next reduce.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/insight/available.hpp"
#include "engine/mig/catalogue.hpp"
#include "engine/model/model.hpp"
#include "engine/query/value.hpp"

namespace tessera::history {
class History;
}

namespace tessera::query {

struct Context {
  TimePoint wall{};                           // for ages
  const mig::Catalogue* catalogue = nullptr;  // for largest profile, free memory slices; may be null
  const history::History* history = nullptr;  // for what was; null: only now is known
};

struct NodeRow {
  const Cluster* cluster = nullptr;
  const Node* node = nullptr;
};
struct GpuRow {
  const Cluster* cluster = nullptr;
  const Node* node = nullptr;
  const Gpu* gpu = nullptr;
};
struct SliceRow {
  const Cluster* cluster = nullptr;
  const Node* node = nullptr;
  const Gpu* gpu = nullptr;  // null: the scheduler does not tell the GPU
  const Slice* slice = nullptr;
};
struct WorkloadRow {
  const Cluster* cluster = nullptr;
  const Workload* workload = nullptr;
};

enum class Align : std::uint8_t { left, right };
// When a column is shown unless the user chooses: narrow terminals keep `always` only.
enum class Show : std::uint8_t { always, roomy, wide };

template <class Row>
struct Column {
  std::string_view key;    // stable: filter, sort, csv header: "user"
  std::string_view title;  // "USER"
  Format format = Format::text;
  Align align = Align::left;
  Show show = Show::always;
  int min_width = 4;      // cells below which it is useless
  std::string_view help;  // one sentence, for the help screen
  Value (*value)(const Row&, const Context&) = nullptr;
};

template <class Row>
std::span<const Column<Row>> columns();
template <>
std::span<const Column<NodeRow>> columns<NodeRow>();
template <>
std::span<const Column<GpuRow>> columns<GpuRow>();
template <>
std::span<const Column<SliceRow>> columns<SliceRow>();
template <>
std::span<const Column<WorkloadRow>> columns<WorkloadRow>();

// Every row of the model, in model order. An empty cluster name means all clusters.
std::vector<NodeRow> node_rows(const Model& model, const ClusterName& only = {});
std::vector<GpuRow> gpu_rows(const Model& model, const ClusterName& only = {});
std::vector<SliceRow> slice_rows(const Model& model, const ClusterName& only = {});
std::vector<WorkloadRow> workload_rows(const Model& model, const ClusterName& only = {});

// Stable ids: what a selection or a mark holds on to while rows move. "cluster/node/gpu/slice".
std::string row_id(const NodeRow& row);
std::string row_id(const GpuRow& row);
std::string row_id(const SliceRow& row);
std::string row_id(const WorkloadRow& row);

// The order of rows that are alike in every sort key: by names, then by place. Builds no text.
bool comes_first(const NodeRow& a, const NodeRow& b);
bool comes_first(const GpuRow& a, const GpuRow& b);
bool comes_first(const SliceRow& a, const SliceRow& b);
bool comes_first(const WorkloadRow& a, const WorkloadRow& b);

// Eight characters (or one per placement unit, at most 12) that show a GPU at a glance: "2━1·3━━━",
// "1··1╳╳╳╳", "wwwwwwww", "mm··", "?". The first cell of a held instance is the digit of its compute slices,
// of a free one a ring; the others are its tail. Room that nobody holds is "░" on a node that takes no work.
// ascii: '=', 'o', '-', '.', ':' and 'x'. Where nobody tells the places of slices they stand by size, and a
// mark behind them says so: "3━━━2━1·~".
inline constexpr std::string_view kPlacesUnknown = "~";
std::string strip(const Gpu& gpu, const mig::Catalogue* catalogue, bool ascii,
                  const insight::Sight& sight = {});

}  // namespace tessera::query
