#include "engine/slurmconf/counts.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "engine/hostlist.hpp"
#include "engine/mig/profile_name.hpp"
#include "engine/text.hpp"

namespace tessera::slurmconf {
namespace {

constexpr std::size_t kMostFiles = 4096;

// "8", "4K": powers of 1024, as Slurm counts.
std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || value < 0) return std::nullopt;
  std::string_view suffix = text.substr(static_cast<std::size_t>(end - text.data()));
  if (suffix.empty()) return value;
  std::size_t power = std::string_view("KMGTP").find(suffix.size() == 1 ? lower(suffix)[0] - 'a' + 'A' : ' ');
  if (power == std::string_view::npos) return std::nullopt;
  for (std::size_t i = 0; i <= power; ++i) {
    if (value > INT64_MAX / 1024) return std::nullopt;
    value *= 1024;
  }
  return value;
}

std::string key(std::string_view name, std::string_view type) {
  std::string text = lower(name);
  if (type.empty() || text == "mps" || text == "shard") return text;
  auto profile = mig::profile_of_slurm_type(type);
  return text + ':' + (profile ? profile->text : std::string(type));
}

void add(GresCounts& counts, const std::string& resource, std::int64_t more) {
  if (more <= 0) return;
  std::int64_t& sum = counts[resource];
  sum = sum > INT64_MAX - more ? INT64_MAX : sum + more;
}

// "gpu:h100:8", "gpu:8", "gpu:h100:no_consume:8", "gpu"
void add_entry(GresCounts& counts, std::string_view entry) {
  std::size_t colon = entry.find(':');
  std::string_view name = entry.substr(0, colon);
  if (name.empty()) return;
  if (colon == std::string_view::npos) return add(counts, key(name, ""), 1);
  std::string_view rest = entry.substr(colon + 1);
  std::size_t last = rest.rfind(':');
  auto count = number(last == std::string_view::npos ? rest : rest.substr(last + 1));
  std::string_view type = last == std::string_view::npos ? std::string_view() : rest.substr(0, last);
  if (!count && last == std::string_view::npos) type = rest, count = 1;  // "gpu:h100"
  if (!count) return;
  if (type.ends_with(":no_consume")) type.remove_suffix(std::string_view(":no_consume").size());
  add(counts, key(name, type == "no_consume" ? "" : type), *count);
}

std::int64_t all_gpus(const GresCounts& counts) {
  std::int64_t sum = 0;
  for (const auto& [resource, count] : counts)
    if (resource == "gpu" || resource.starts_with("gpu:")) sum += std::min<std::int64_t>(count, INT32_MAX);
  return sum;
}

}  // namespace

GresCounts counts_of(std::string_view gres) {
  GresCounts counts;
  if (gres == "(null)" || gres == "N/A") return counts;
  std::string entry;
  int depth = 0;
  for (char c : gres) {
    if (c == '(') ++depth;
    if (c == ',' && depth == 0) {
      add_entry(counts, entry);
      entry.clear();
    } else if (depth == 0) {
      entry += c;
    }
    if (c == ')' && depth > 0) --depth;
  }
  add_entry(counts, entry);
  return counts;
}

GresCounts counts_of(const Node& node) {
  GresCounts counts;
  for (const Gpu& gpu : node.gpus) {
    bool cut = gpu.mig_mode == MigMode::enabled;
    for (const Slice& slice : gpu.slices) {
      if (slice.kind == SliceKind::gpu_instance) {
        cut = true;
        add(counts, key("gpu", slice.profile.text), 1);
      }
      if (slice.kind == SliceKind::mps) add(counts, "mps", slice.capacity);
      if (slice.kind == SliceKind::shard) add(counts, "shard", slice.capacity);
    }
    if (!cut) add(counts, key("gpu", gpu.model), 1);
  }
  for (const Slice& slice : node.pool) add(counts, key("gpu", slice.profile.text), 1);
  return counts;
}

GresCounts counts_of(const GresLine& line, const Line& written) {
  GresCounts counts;
  const Pair* type = written.find("Type");
  const std::string resource = key(line.name, type ? type->value : "");
  const Pair* count = written.find("Count");
  const Pair* file = written.find("File");
  if (written.find("MultipleFiles")) {
    add(counts, resource, 1);
  } else if (file && !count) {
    auto files = expand_hosts(file->value, kMostFiles);
    if (files)
      add(counts, resource, static_cast<std::int64_t>(files->size()));
    else
      counts[""] = 0;
  } else {
    auto told = count ? number(count->value) : 1;
    if (told)
      add(counts, resource, *told);
    else
      counts[""] = 0;
  }
  return counts;
}

GresCounts sharable(GresCounts counts) {
  std::erase_if(counts, [](const auto& one) {
    return one.first != "gpu" && !one.first.starts_with("gpu:") && one.first != "mps" && one.first != "shard";
  });
  return counts;
}

bool alike(const GresCounts& left, const GresCounts& right) {
  if (left == right) return true;
  if (!left.count("gpu") && !right.count("gpu")) return false;
  auto rest = [](GresCounts counts) {
    std::erase_if(counts,
                  [](const auto& one) { return one.first == "gpu" || one.first.starts_with("gpu:"); });
    return counts;
  };
  return all_gpus(left) == all_gpus(right) && rest(left) == rest(right);
}

std::string to_text(const GresCounts& counts) {
  std::string text;
  for (const auto& [resource, count] : counts)
    text += (text.empty() ? "" : ",") + resource + ':' + std::to_string(count);
  return text.empty() ? "nothing" : text;
}

}  // namespace tessera::slurmconf
