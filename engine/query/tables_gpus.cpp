// Columns of GPUs and slices.
#include <fmt/core.h>

#include "engine/insight/sharing_words.hpp"
#include "engine/mig/geometry.hpp"
#include "engine/mig/product_of.hpp"
#include "engine/model/gpu_numbers.hpp"
#include "engine/query/cells.hpp"
#include "engine/query/cells_time.hpp"

namespace tessera::query {
namespace {

Value largest_free(const GpuRow& row, const Context& context) {
  const Gpu& gpu = *row.gpu;
  if (gpu.strategy != Strategy::mig) return NotTold{};
  const mig::Product* product = context.catalogue ? mig::product_of(gpu, *context.catalogue) : nullptr;
  if (!product) return Unknown{};
  std::optional<mig::Layout> layout = mig::observed_layout(*product, gpu);
  if (!layout) return Unknown{};
  mig::Room room = mig::room(*product, *layout);
  if (!room.largest) return words("none");
  return words(product->profiles[static_cast<std::size_t>(*room.largest)].name.text);
}

// A GPU of which it is not known how it is shared may have slices that nobody tells of.
bool slices_told(const Gpu& gpu) { return gpu.strategy != Strategy::unknown || !gpu.slices.empty(); }

// Where a scheduler does not report which GPUs of a node it has given away, none is not 0.
Value held_slices(const Gpu& gpu) {
  if (!slices_told(gpu)) return Unknown{};
  std::int64_t number = 0;
  for (const Slice& slice : gpu.slices) {
    if (slice.holding == Holding::unknown) return Unknown{};
    number += slice.holding == Holding::held;
  }
  return count(number);
}

constexpr Column<GpuRow> kGpus[] = {
    {"cluster", "CLUSTER", Format::text, Align::left, Show::roomy, 6, "the cluster it belongs to",
     [](const GpuRow& row, const Context&) { return words(row.cluster->name.text); }},
    {"node", "NODE", Format::text, Align::left, Show::always, 8, "its node",
     [](const GpuRow& row, const Context&) { return words(row.node->name.text); }},
    {"gpu", "GPU", Format::count, Align::right, Show::always, 3,
     "its index on the node; ? where the scheduler does not report it",
     [](const GpuRow& row, const Context&) {
       return numbers_told(*row.node) ? count(row.gpu->index.value) : Value(Unknown{});
     }},
    {"model", "MODEL", Format::text, Align::left, Show::always, 10, "as its source names it",
     [](const GpuRow& row, const Context&) { return told(row.gpu->model); }},
    {"sharing", "SHARING", Format::text, Align::left, Show::always, 7, "how it is shared",
     [](const GpuRow& row, const Context&) {
       const Gpu& gpu = *row.gpu;
       if (gpu.strategy != Strategy::unknown)
         return words(std::string(insight::sharing_word(*row.node, gpu.strategy)));
       return gpu.partition_mode.empty() ? Value(Unknown{}) : words(gpu.partition_mode);
     }},
    {"strip", "SLICES", Format::text, Align::left, Show::always, 8, "its slices as they are",
     [](const GpuRow& row, const Context& context) {
       return words(strip(*row.gpu, context.catalogue, false, insight::sight_of(*row.cluster, *row.node)));
     }},
    {"held", "HELD", Format::count, Align::right, Show::always, 4, "slices in use",
     [](const GpuRow& row, const Context&) { return held_slices(*row.gpu); }},
    {"of", "OF", Format::count, Align::right, Show::always, 3, "slices in all",
     [](const GpuRow& row, const Context&) {
       return slices_told(*row.gpu) ? count(static_cast<std::int64_t>(row.gpu->slices.size()))
                                    : Value(Unknown{});
     }},
    {"largest", "FITS", Format::text, Align::left, Show::always, 8, "the largest profile that still fits",
     [](const GpuRow& row, const Context& context) { return largest_free(row, context); }},
    {"use", "USE", Format::percent, Align::right, Show::always, 4, "compute use",
     [](const GpuRow& row, const Context&) { return measured(row.gpu->telemetry.use); }},
    {"trend", "10 MIN", Format::text, Align::right, Show::roomy, 6,
     "use in the last 10 minutes, a bar a minute",
     [](const GpuRow& row, const Context& context) { return trend(row, context); }},
    {"memory_used", "MEM USED", Format::mib, Align::right, Show::roomy, 9, "memory in use",
     [](const GpuRow& row, const Context&) { return measured(row.gpu->telemetry.memory_used); }},
    {"memory", "MEMORY", Format::mib, Align::right, Show::roomy, 8, "memory of the GPU",
     [](const GpuRow& row, const Context&) { return measured(row.gpu->memory); }},
    {"temperature", "TEMP", Format::celsius, Align::right, Show::wide, 6, "temperature",
     [](const GpuRow& row, const Context&) { return measured(row.gpu->telemetry.temperature); }},
    {"power", "POWER", Format::watts, Align::right, Show::wide, 6, "power drawn",
     [](const GpuRow& row, const Context&) { return measured(row.gpu->telemetry.power); }},
    {"tensor", "TENSOR", Format::percent, Align::right, Show::wide, 6, "its tensor pipes busy",
     [](const GpuRow& row, const Context&) { return measured(row.gpu->telemetry.tensor); }},
    {"memory_bus", "MEM BUS", Format::percent, Align::right, Show::wide, 7, "its memory interface busy",
     [](const GpuRow& row, const Context&) { return measured(row.gpu->telemetry.memory_busy); }},
    {"mig", "MIG", Format::text, Align::left, Show::wide, 8, "MIG mode",
     [](const GpuRow& row, const Context&) {
       return row.gpu->mig_mode ? words(std::string(word(*row.gpu->mig_mode))) : Value(NotTold{});
     }},
    {"product", "PRODUCT", Format::text, Align::left, Show::wide, 12, "the catalogue's key",
     [](const GpuRow& row, const Context&) {
       return row.gpu->product ? words(row.gpu->product->text) : Value(Unknown{});
     }},
    {"uuid", "UUID", Format::text, Align::left, Show::wide, 12, "as the driver reports it",
     [](const GpuRow& row, const Context&) { return told(row.gpu->uuid); }},
    {"user", "HELD BY", Format::text, Align::left, Show::always, 8, "users who hold its slices",
     [](const GpuRow& row, const Context&) { return words(holder_users(*row.cluster, *row.gpu)); }},
    {"idle", "IDLE", Format::duration, Align::right, Show::roomy, 9,
     "how long its holder has not used it (below 1 %)",
     [](const GpuRow& row, const Context& context) { return idle(row, context); }},
};

const Workload* first_holder(const SliceRow& row) {
  if (row.slice->holders.empty()) return nullptr;
  return row.cluster->workloads.find(row.slice->holders.front().workload);
}

// In use, and the list that would name its holder could not be read.
bool holders_untold(const SliceRow& row) {
  return row.slice->holders.empty() && row.slice->holding != Holding::free && work_untold(*row.cluster);
}

Value shares(const SliceRow& row) {
  if (row.slice->capacity == 1) return words("");
  const std::optional<int> rest = insight::unheld(*row.slice, insight::work_is_current(*row.cluster));
  if (!rest) return Unknown{};
  return words(fmt::format("{}/{}", row.slice->capacity - *rest, row.slice->capacity));
}

Value state(const SliceRow& row) {
  using insight::Availability;
  const Availability state = insight::availability(insight::sight_of(*row.cluster, *row.node), *row.slice);
  return state == Availability::unknown ? Value(Unknown{}) : words(std::string(insight::word(state)));
}

Value available_now(const SliceRow& row) {
  const std::optional<int> shares =
      insight::available(insight::sight_of(*row.cluster, *row.node), *row.slice);
  return shares ? count(*shares) : Value(Unknown{});
}

constexpr Column<SliceRow> kSlices[] = {
    {"cluster", "CLUSTER", Format::text, Align::left, Show::roomy, 6, "the cluster it belongs to",
     [](const SliceRow& row, const Context&) { return words(row.cluster->name.text); }},
    {"node", "NODE", Format::text, Align::left, Show::always, 8, "its node",
     [](const SliceRow& row, const Context&) { return words(row.node->name.text); }},
    {"gpu", "GPU", Format::count, Align::right, Show::always, 3,
     "its GPU; ? where the scheduler does not report it",
     [](const SliceRow& row, const Context&) {
       return row.gpu && numbers_told(*row.node) ? count(row.gpu->index.value) : Value(Unknown{});
     }},
    {"profile", "PROFILE", Format::text, Align::left, Show::always, 8, "MIG profile, or how it is shared",
     [](const SliceRow& row, const Context&) {
       return words(std::string(insight::slice_word(*row.node, *row.slice)));
     }},
    {"start", "START", Format::count, Align::right, Show::always, 5, "first memory slice",
     [](const SliceRow& row, const Context&) {
       return row.slice->placement ? count(row.slice->placement->start) : Value(NotTold{});
     }},
    {"size", "SIZE", Format::count, Align::right, Show::wide, 4, "memory slices",
     [](const SliceRow& row, const Context&) {
       return row.slice->placement ? count(row.slice->placement->size) : Value(NotTold{});
     }},
    {"state", "STATE", Format::text, Align::left, Show::always, 7, "held, free, closed, or unknown",
     [](const SliceRow& row, const Context&) { return state(row); }},
    {"shares", "SHARES", Format::text, Align::right, Show::roomy, 6, "shares held of those offered",
     [](const SliceRow& row, const Context&) { return shares(row); }},
    {"user", "USER", Format::text, Align::left, Show::always, 8, "who holds it",
     [](const SliceRow& row, const Context&) { return words(holder_users(*row.cluster, *row.slice)); }},
    {"id", "JOB/POD", Format::text, Align::left, Show::always, 7, "the workload that holds it",
     [](const SliceRow& row, const Context&) {
       if (holders_untold(row)) return Value(Unknown{});
       return words(row.slice->holders.empty() ? "" : row.slice->holders.front().workload.text);
     }},
    {"name", "NAME", Format::text, Align::left, Show::roomy, 8, "that workload's name",
     [](const SliceRow& row, const Context&) {
       if (holders_untold(row)) return Value(Unknown{});
       const Workload* workload = first_holder(row);
       return words(workload ? workload->name : "");
     }},
    {"since", "SINCE", Format::duration, Align::right, Show::always, 9, "how long it has been held",
     [](const SliceRow& row, const Context& context) {
       if (holders_untold(row)) return Value(Unknown{});
       const Workload* workload = first_holder(row);
       return workload ? age(workload->started, *row.cluster, context) : words("");
     }},
    {"use", "USE", Format::percent, Align::right, Show::roomy, 4, "compute use",
     [](const SliceRow& row, const Context&) { return measured(row.slice->use); }},
    {"idle", "IDLE", Format::duration, Align::right, Show::roomy, 9,
     "how long its holder has not used it (below 1 %)",
     [](const SliceRow& row, const Context& context) { return idle(row, context); }},
    {"trend", "10 MIN", Format::text, Align::right, Show::roomy, 6,
     "use in the last 10 minutes, a bar a minute",
     [](const SliceRow& row, const Context& context) { return trend(row, context); }},
    {"memory_used", "MEM USED", Format::mib, Align::right, Show::wide, 9, "memory in use",
     [](const SliceRow& row, const Context&) { return measured(row.slice->memory_used); }},
    {"tensor", "TENSOR", Format::percent, Align::right, Show::wide, 6, "its tensor pipes busy",
     [](const SliceRow& row, const Context&) { return measured(row.slice->tensor); }},
    {"memory_bus", "MEM BUS", Format::percent, Align::right, Show::wide, 7, "its memory interface busy",
     [](const SliceRow& row, const Context&) { return measured(row.slice->memory_busy); }},
    {"available", "AVAIL", Format::count, Align::right, Show::wide, 5, "shares that can be had now",
     [](const SliceRow& row, const Context&) { return available_now(row); }},
};

}  // namespace

template <>
std::span<const Column<GpuRow>> columns<GpuRow>() {
  return kGpus;
}
template <>
std::span<const Column<SliceRow>> columns<SliceRow>() {
  return kSlices;
}

}  // namespace tessera::query
