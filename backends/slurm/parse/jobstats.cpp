#include "backends/slurm/parse/jobstats.hpp"

#include <map>

#include "backends/base64.hpp"
#include "backends/gzip.hpp"
#include "engine/json.hpp"
#include "engine/number.hpp"
#include "engine/text.hpp"

namespace tessera::slurm {
namespace {

constexpr std::string_view kMark = "JS1:";
constexpr std::size_t kMostNodes = 20'000, kMostName = 256;
constexpr int kMostIndex = 1023;
constexpr double kMostBytes = 1e15;  // of one GPU

std::optional<double> number_of(const Json& value, double most) {
  const double number = value.kind == Json::Kind::integer ? static_cast<double>(value.integer)
                        : value.kind == Json::Kind::real  ? value.real
                                                          : -1;
  if (!(number >= 0 && number <= most)) return std::nullopt;
  return number;
}

using Figures = std::map<int, usage::GpuFigures>;  // of one node, by the GPU's number

// {"0": 98.6, "3": 12}; absent: not measured. false: something else.
template <class Put>
bool read_each(const Json& node, std::string_view name, double most, Figures& figures, const Put& put) {
  const Json* each = node.find(name);
  if (!each) return true;
  if (each->kind != Json::Kind::map) return false;
  for (const auto& [key, value] : each->fields) {
    const auto index = whole_number<int>(key, kMostIndex);
    const auto number = number_of(value, most);
    if (!index || !number) return false;
    put(figures[*index], *number);
  }
  return true;
}

Mib mib(double bytes) { return Mib{static_cast<std::int64_t>(bytes / (1 << 20))}; }

bool read_node(const std::string& name, const Json& node, std::vector<usage::GpuFigures>& all) {
  Figures figures;
  using One = usage::GpuFigures;
  if (name.empty() || name.size() > kMostName || clean(name) != name || node.kind != Json::Kind::map ||
      !read_each(node, "gpu_utilization", 100, figures,
                 [](One& one, double percent) { one.use = Percent{static_cast<float>(percent)}; }) ||
      !read_each(node, "gpu_used_memory", kMostBytes, figures,
                 [](One& one, double bytes) { one.memory_peak = mib(bytes); }) ||
      !read_each(node, "gpu_total_memory", kMostBytes, figures,
                 [](One& one, double bytes) { one.memory = mib(bytes); }))
    return false;
  for (auto& [index, one] : figures) {
    if (one.memory && one.memory_peak && *one.memory < *one.memory_peak) return false;
    one.node = NodeName(name), one.gpu = GpuIndex{index};
    all.push_back(std::move(one));
  }
  return true;
}

}  // namespace

std::vector<usage::GpuFigures> read_jobstats_json(std::string_view text) {
  const auto summary = parse_json(text, "the summary");
  const Json* nodes = summary ? summary->find("nodes") : nullptr;
  if (!nodes || nodes->kind != Json::Kind::map || nodes->fields.size() > kMostNodes) return {};
  std::vector<usage::GpuFigures> all;
  for (const auto& [name, node] : nodes->fields)
    if (!read_node(name, node, all)) return {};
  return all;
}

std::vector<usage::GpuFigures> read_jobstats(std::string_view comment) {
  if (!comment.starts_with(kMark) || comment.size() > kMostSummary) return {};
  const auto packed = base64_bytes(comment.substr(kMark.size()));
  const auto text = packed ? gunzip(*packed, kMostSummary) : std::nullopt;
  return text ? read_jobstats_json(*text) : std::vector<usage::GpuFigures>();
}

}  // namespace tessera::slurm
