// The model of docs/whatif.md, played without any short cut: every look of the scheduler goes through all
// nodes. What engine/whatif answers in a hundredth of the time is held against it, in worlds without
// reservations, heterogeneous jobs and what Slurm lists of CPUs and memory. Threads: plain values.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "engine/whatif/whatif.hpp"
#include "engine/why/why.hpp"

namespace tessera::test::plain {

using whatif::Future;
using whatif::Question;
using whatif::Start;

using Units = std::vector<std::int64_t>;  // by the number of a name

class Names {
 public:
  std::size_t of(const std::string& name) {
    const auto [place, fresh] = numbers_.try_emplace(name, names_.size());
    if (fresh) names_.push_back(name);
    return place->second;
  }
  const std::vector<std::string>& all() const { return names_; }

 private:
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::string> names_;
};

struct Place {
  const Node* node = nullptr;
  bool open = false;
  Units units;                               // free
  Units all;                                 // offered, held or not
  std::vector<std::optional<double>> worth;  // of one unit, in GPUs; by the number of its name
};

struct Held {
  std::size_t place = 0;
  Units units;
};

struct Running {
  WorkloadId id;
  std::optional<TimePoint> ends;
  std::vector<Held> held;
  bool gone = false;
};

// What several that wait have in common, so that what found no room once is not searched for again.
struct Shape {
  why::Asked asked;
  std::vector<std::vector<std::size_t>>
      names;  // that answer each request, in the order in which they are taken
  std::optional<Duration> limit;
  std::string partition;
  std::vector<bool> allowed;  // by place
  std::size_t room = 0;       // those of one number need the same room; only their limits differ
};

struct InLine {
  const Workload* work = nullptr;
  std::size_t shape = 0;
  bool started = false;
};

struct Stage {
  Names names;
  std::vector<Place> places;
  std::vector<Running> running;
  std::vector<Shape> shapes;
  std::vector<InLine> line;  // first in line first
  int left_out = 0;
};

// extra: names that a plan brings, so that requests for them are understood.
Stage stage_of(const Question& question, const plan::Plan* plan);

// Whether a place gets what one node of it needs; taken: without it. Precondition: units is as long as names.
bool serves(const Units& units, const Shape& shape);
Units taken_by(const Units& units, const Shape& shape);  // precondition: serves

Future unfold(const Question& question, const plan::Plan* plan = nullptr);

std::optional<double> worth_of(const Stage& stage, const std::vector<Held>& held);

}  // namespace tessera::test::plain
