// What a bench must hold: an aim for a figure, and the figure beside it and beside what this machine takes
// for a piece of work that is always the same. A program of a bench ends with 1 where an aim is missed that
// is not known to be.
// Threads: one.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::bench {

struct Aim {
  std::string bench;    // as the bench is called, without its arguments
  std::string counter;  // of it; empty: processor time of one iteration, in milliseconds
  double limit = 0;
  std::string unit = "ms";
  bool least = false;  // the figure is to be that much at least
  double known = 0;    // above the limit: docs tell that it is missed, and up to here that fails no run
};

inline bool is_time(const Aim& aim) { return aim.unit == "ms"; }

// "a_jump" is that of "a_jump/iterations:20" and not of "a_jump_back".
inline bool is_of(const Aim& aim, std::string_view run) {
  return run.starts_with(aim.bench) && (run.size() == aim.bench.size() || run[aim.bench.size()] == '/');
}

inline bool is_held(const Aim& aim, double figure) {
  return aim.least ? figure >= aim.limit : figure <= aim.limit;
}
inline bool is_known(const Aim& aim, double figure) { return !aim.least && figure <= aim.known; }

// One line: "held    frames: 0.41 ms, the aim is at most 1 ms (41 %); 0.03 times this machine's measure (12.1
// ms)".
inline std::string told(const Aim& aim, const std::string& run, double figure, double machine_ms) {
  std::string text = fmt::format("{} {}{}{}: {:.4g} {}, the aim is at {} {:g} {} ({:.0f} %)",
                                 is_held(aim, figure)    ? "held   "
                                 : is_known(aim, figure) ? "MISSED (known)"
                                                         : "MISSED ",
                                 run, aim.counter.empty() ? "" : " ", aim.counter, figure, aim.unit,
                                 aim.least ? "least" : "most", aim.limit, aim.unit,
                                 aim.limit > 0 ? 100 * figure / aim.limit : 0.0);
  if (is_time(aim) && machine_ms > 0)
    text += fmt::format("; {:.3g} times this machine's measure ({:.1f} ms)", figure / machine_ms, machine_ms);
  return text;
}

// What is held so far. The code of a program's end: 1 where one is missed, or was to be measured and was not.
class Aims {
 public:
  explicit Aims(double machine_ms) : machine_ms_(machine_ms) {}

  std::string see(const Aim& aim, const std::string& run, double figure) {
    missed_ = missed_ || (!is_held(aim, figure) && !is_known(aim, figure));
    return told(aim, run, figure, machine_ms_);
  }
  std::string see_none(const Aim& aim) {
    missed_ = true;
    return fmt::format("MISSED  {}{}{}: not measured, the aim is {:g} {}", aim.bench,
                       aim.counter.empty() ? "" : " ", aim.counter, aim.limit, aim.unit);
  }
  int code() const { return missed_ ? 1 : 0; }

 private:
  double machine_ms_;
  bool missed_ = false;
};

// The machine's measure: processor time, in milliseconds, of numbers that are sorted and looked up, as much
// work of the caches as of the cores; the median of five.
inline double machine_ms() {
  std::vector<double> times;
  for (int run = 0; run < 5; ++run) {
    const std::clock_t begin = std::clock();
    std::vector<std::uint64_t> numbers(1u << 18);
    std::uint64_t next = 7;
    for (std::uint64_t& one : numbers)
      one = next = next * 6'364'136'223'846'793'005ULL + 1'442'695'040'888'963'407ULL;
    std::sort(numbers.begin(), numbers.end());
    std::uint64_t found = 0;
    for (std::uint64_t key = 0; key < numbers.size(); ++key)
      found += static_cast<std::uint64_t>(
          std::lower_bound(numbers.begin(), numbers.end(), key * 0x9e3779b97f4a7c15ULL) - numbers.begin());
    volatile std::uint64_t kept = found;
    (void)kept;
    times.push_back(1000.0 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

// The aims of this program. A bench adds its own before main().
inline std::vector<Aim>& aims() {
  static std::vector<Aim> all;
  return all;
}
inline bool aim(std::vector<Aim> some) {
  for (Aim& one : some) aims().push_back(std::move(one));
  return true;
}

}  // namespace tessera::bench
