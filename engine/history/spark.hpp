// Samples as one line of text: one cell for each stretch of time, as high as the mean of what was measured in
// it; blank where nothing was. Zero is the lowest bar, never a blank.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/history/history.hpp"

namespace tessera::history {

// What of a sample is drawn.
// any: whichever was measured, for when it was.
enum class Figure : std::uint8_t { use, memory, temperature, power, tensor, memory_bus, held, any };
std::optional<float> figure_of(const Sample& sample, Figure figure);

// The means in `count` equal stretches of [from, to], of one line or of several together.
class Means {
 public:
  Means(TimePoint from, TimePoint to, int count);
  void add(const std::vector<Sample>& samples, Figure figure);
  void add(TimePoint at, float value) { add(at, static_cast<double>(value), 1); }
  void add(TimePoint at, double sum, int values);  // several at that time
  std::vector<std::optional<float>> take() const;  // nullopt: nothing was measured in it

 private:
  TimePoint from_, to_;
  std::vector<double> sums_;
  std::vector<int> numbers_;
};

// The same of one.
std::vector<std::optional<float>> means(const std::vector<Sample>& samples, Figure figure, TimePoint from,
                                        TimePoint to, int count);

// `cells` cells for [from, to), full height at `top`. ascii: "_.:-=+*#".
std::string spark(const std::vector<Sample>& samples, Figure figure, TimePoint from, TimePoint to, int cells,
                  float top, bool ascii);
// The same of what means() found.
std::string spark(const std::vector<std::optional<float>>& means, float top, bool ascii);

// What a line says in numbers, over the samples from `from` on.
struct Summary {
  std::optional<float> last, mean, least, peak;
  TimePoint last_at{};            // of `last`
  std::size_t samples = 0;        // in which it was measured
  std::optional<Duration> every;  // the usual time between two of them
};
Summary summary_of(const std::vector<Sample>& samples, Figure figure, TimePoint from = {});

}  // namespace tessera::history
