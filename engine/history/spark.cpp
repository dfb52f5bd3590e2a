#include "engine/history/spark.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::history {
namespace {

constexpr std::string_view kBars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::string_view kAscii = "_.:-=+*#";

}  // namespace

std::optional<float> figure_of(const Sample& sample, Figure figure) {
  switch (figure) {
    case Figure::use: return sample.use;
    case Figure::memory: return sample.memory;
    case Figure::temperature: return sample.temperature;
    case Figure::power: return sample.power;
    case Figure::tensor: return sample.tensor;
    case Figure::memory_bus: return sample.memory_bus;
    case Figure::held: return sample.held;
    case Figure::any: break;
  }
  for (const auto& one : {sample.use, sample.memory, sample.temperature, sample.power, sample.tensor,
                          sample.memory_bus, sample.held})
    if (one) return one;
  return std::nullopt;
}

Means::Means(TimePoint from, TimePoint to, int count)
    : from_(from), to_(to), sums_(static_cast<std::size_t>(std::max(0, count))), numbers_(sums_.size()) {}

void Means::add(const std::vector<Sample>& samples, Figure figure) {
  for (const Sample& sample : samples)
    if (const std::optional<float> value = figure_of(sample, figure)) add(sample.at, *value);
}

void Means::add(TimePoint at, double sum, int values) {
  if (sums_.empty() || to_ <= from_ || at < from_ || at > to_) return;
  const double count = static_cast<double>(sums_.size()), all = static_cast<double>((to_ - from_).count());
  const double part = static_cast<double>((at - from_).count()) / all;
  const auto place = std::min(sums_.size() - 1, static_cast<std::size_t>(part * count));
  sums_[place] += sum;
  numbers_[place] += values;
}

std::vector<std::optional<float>> Means::take() const {
  std::vector<std::optional<float>> result(sums_.size());
  for (std::size_t i = 0; i < result.size(); ++i)
    if (numbers_[i] > 0) result[i] = static_cast<float>(sums_[i] / numbers_[i]);
  return result;
}

std::vector<std::optional<float>> means(const std::vector<Sample>& samples, Figure figure, TimePoint from,
                                        TimePoint to, int count) {
  Means all(from, to, count);
  all.add(samples, figure);
  return all.take();
}

std::string spark(const std::vector<Sample>& samples, Figure figure, TimePoint from, TimePoint to, int cells,
                  float top, bool ascii) {
  return spark(means(samples, figure, from, to, cells), top, ascii);
}

std::string spark(const std::vector<std::optional<float>>& means, float top, bool ascii) {
  std::string text;
  for (const std::optional<float>& mean : means) {
    if (!mean) {
      text += ' ';
      continue;
    }
    const int height = std::clamp(static_cast<int>(*mean / top * 8), 0, 7);
    if (ascii)
      text += kAscii[static_cast<std::size_t>(height)];
    else
      text += kBars[height];
  }
  return text;
}

Summary summary_of(const std::vector<Sample>& samples, Figure figure, TimePoint from) {
  Summary summary;
  double sum = 0;
  std::optional<TimePoint> before;
  std::vector<Duration> steps;
  for (const Sample& sample : samples) {
    const std::optional<float> value = figure_of(sample, figure);
    if (!value || sample.at < from) continue;
    summary.last = value, summary.last_at = sample.at;
    summary.least = std::min(summary.least.value_or(*value), *value);
    summary.peak = std::max(summary.peak.value_or(*value), *value);
    sum += static_cast<double>(*value);
    ++summary.samples;
    if (before) steps.push_back(sample.at - *before);
    before = sample.at;
  }
  if (summary.samples > 0) summary.mean = static_cast<float>(sum / static_cast<double>(summary.samples));
  if (steps.empty()) return summary;
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  summary.every = *middle;
  return summary;
}

}  // namespace tessera::history
