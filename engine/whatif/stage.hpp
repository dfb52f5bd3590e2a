// The cluster as counts, so that hours are played in milliseconds: what each node has free by name, who
// gives back what and when, who waits for what in which order. Private to this room.
//
// What is read of the cluster is read once and played with several plans: a play has the parts that change
// for itself. Threads: plain values.
#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/whatif/whatif.hpp"
#include "engine/why/machine.hpp"
#include "engine/why/reserved.hpp"
#include "engine/why/why.hpp"

namespace tessera::whatif {

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

// A set of places: which of thousands serve a request is asked more often than anything else.
class Places {
 public:
  explicit Places(std::size_t count = 0) : words_((count + 63) / 64) {}
  void set(std::size_t place, bool is_in) {
    const std::uint64_t bit = std::uint64_t{1} << (place % 64);
    words_[place / 64] = is_in ? words_[place / 64] | bit : words_[place / 64] & ~bit;
  }
  bool has(std::size_t place) const { return (words_[place / 64] >> (place % 64) & 1) != 0; }
  // Those that are in all three, the first first, until `see` has seen enough and says false.
  template <class See>
  static void each(const Places& a, const Places& b, const Places& c, const See& see) {
    for (std::size_t i = 0; i < a.words_.size(); ++i)
      for (std::uint64_t word = a.words_[i] & b.words_[i] & c.words_[i]; word != 0; word &= word - 1)
        if (!see(i * 64 + static_cast<std::size_t>(std::countr_zero(word)))) return;
  }

 private:
  std::vector<std::uint64_t> words_;
};

struct Place {
  const Node* node = nullptr;
  Units units;                               // free
  Units all;                                 // offered, held or not
  std::vector<std::optional<double>> worth;  // of one unit, in GPUs; by the number of its name
  why::Machine machine;
  const why::ToCome::List* to_come = nullptr;  // reservations; of the stage
};

struct Held {
  std::size_t place = 0;
  Units units;
  // Beside GPUs; nullopt: it runs already, and that is not listed.
  std::optional<why::MachineNeed> machine = std::nullopt;
};

// Its end gives back what it has beside GPUs.
void give_back(why::Machine& machine, const Held& held);

struct Running {
  WorkloadId id;
  std::optional<TimePoint> ends;
  std::vector<Held> held;
  bool gone = false;
};

// What one node gives; several rooms ask for the same.
struct Asked {
  std::vector<Request> each;
  // That answer each request, in the order in which they are taken.
  std::vector<std::vector<std::size_t>> names;
};

// What several that wait have in common but for their limits.
struct Room {
  std::size_t asked = 0;
  int nodes = 1;
  std::string partition;
  Places allowed;
  why::MachineNeed machine = {};  // of each node
  std::size_t like = 0;           // the first that differs from it in `machine` alone
  why::OwnReservations own = {};
};

// What several that wait have in common, so that what found no room once is not searched for again.
struct Shape {
  std::size_t room = 0;
  std::optional<Duration> limit;
};

struct InLine {
  const Workload* work = nullptr;
  std::size_t shape = 0;
};

// The parts that a play changes.
struct Board {
  Names names;
  std::vector<Place> places;
  Places open;
  std::vector<Running> running;
  std::vector<Asked> asked;
};

struct Stage {
  why::ToCome to_come;
  Board start;
  std::map<NodeName, std::size_t> place_of;
  std::map<WorkloadId, std::size_t> running_of;  // the first of each
  std::vector<Room> rooms;
  std::vector<Shape> shapes;
  std::vector<InLine> line;  // first in line first
  int left_out = 0;
};
Stage stage_of(const Question& question);

// Names and their worth that a plan brings, so that requests for them are understood.
void add_names(Board& board, const Stage& stage, const plan::Plan& plan, const Question& question);

// Whether a place gets what is asked of one node; taken: without it. Precondition: units is as long as names.
bool serves(const Units& units, const Asked& asked);
Units taken_by(const Units& units, const Asked& asked);  // precondition: serves

std::optional<double> worth_of(const std::vector<Place>& places, const std::vector<Held>& held);

}  // namespace tessera::whatif
