#include "backends/sim/telemetry.hpp"

#include <algorithm>

#include "backends/sim/random.hpp"

namespace tessera::sim {
namespace {

// Noise in 0..1 that changes every `seconds`; each purpose has a lane of its own.
float noise(std::uint64_t seed, std::uint64_t key, std::uint64_t lane, TimePoint at, std::int64_t seconds) {
  auto slot = static_cast<std::uint64_t>(at.time_since_epoch().count() / 1000 / seconds);
  return unit(draw(seed, key, lane, slot));
}

// What does not change while a job lives.
float trait(std::uint64_t seed, JobId job, std::uint64_t lane) { return unit(draw(seed, job, lane, 0xA11)); }

}  // namespace

namespace {

// How much of its use a workload spends on the tensor pipes and on memory. Training multiplies matrices;
// inference token by token waits for memory; the rest is neither.
Load with_pipes(Load load, Character does, float size) {
  const bool training = does == Character::training;
  load.tensor = load.use * (training ? 0.35f + 0.25f * size : does == Character::inference ? 0.12f : 0.02f);
  load.bus = load.use * (does == Character::inference ? 0.55f + 0.25f * size : training ? 0.45f : 0.2f);
  return load;
}

Load bare_load_of(Character does, std::uint64_t seed, JobId job, TimePoint at) {
  auto now = [&](std::uint64_t lane, std::int64_t seconds) { return noise(seed, job, lane, at, seconds); };
  float size = trait(seed, job, 1);
  switch (does) {
    case Character::training: {
      // Busy, but for the minute in which it writes a checkpoint or reads the next shard.
      bool pause = now(2, 40) > 0.96f;
      return {pause ? 0.05f + 0.2f * now(3, 5) : 0.92f + 0.08f * now(3, 5), 0.72f + 0.25f * size};
    }
    case Character::inference: {
      float tide = 0.15f + 0.6f * now(4, 120);
      float burst = now(5, 10) > 0.7f ? 0.35f * now(6, 5) : 0.0f;
      return {std::min(1.0f, tide * (0.6f + 0.4f * now(3, 5)) + burst), 0.45f + 0.35f * size};
    }
    case Character::notebook: {
      bool busy = now(7, 60) > 0.85f;
      return {busy ? 0.15f + 0.6f * now(3, 5) : 0.0f, 0.08f + 0.3f * size};
    }
    case Character::batch: return {0.55f + 0.35f * now(8, 30) + 0.1f * now(3, 5), 0.3f + 0.45f * size};
    case Character::waste: return {0.0f, 0.6f + 0.35f * size};
  }
  return {};
}

}  // namespace

Load load_of(Character does, std::uint64_t seed, JobId job, TimePoint at) {
  return with_pipes(bare_load_of(does, seed, job, at), does, trait(seed, job, 1));
}

namespace {

constexpr float kMostMemory = 0.99f;
constexpr Load kHidden{0.3f, 0.2f, 0, 0};  // a process that the scheduler does not know

Load operator+(const Load& a, const Load& b) {
  return {a.use + b.use, a.memory + b.memory, a.tensor + b.tensor, a.bus + b.bus};
}

// What a holder would use if it had not to wait for the others.
Load wanted_load(const Hold& hold, int capacity, std::uint64_t seed, TimePoint at) {
  const Load one = load_of(hold.does, seed, hold.job, at);
  const float part = capacity > 1 ? static_cast<float>(hold.share) / static_cast<float>(capacity) : 1.0f;
  // Sharing wastes little: whoever is alone may use more than its part.
  const float gets = std::min(1.0f, part * 1.5f);
  return {one.use * gets, one.memory * part, one.tensor * gets, one.bus * gets};
}

Load sum_of(const std::vector<Hold>& holds, bool hidden, int capacity, std::uint64_t seed, TimePoint at) {
  Load sum;
  for (const Hold& hold : holds) sum = sum + wanted_load(hold, capacity, seed, at);
  return hidden ? sum + kHidden : sum;
}

// Who together want more than there is get less, each by the same part.
Load part_of(const Load& one, const Load& all) {
  const auto cut = [](float wanted, float most) { return wanted > most ? most / wanted : 1.0f; };
  return {one.use * cut(all.use, 1.0f), one.memory * cut(all.memory, kMostMemory),
          one.tensor * cut(all.tensor, 1.0f), one.bus * cut(all.bus, 1.0f)};
}

}  // namespace

Load load_of(const std::vector<Hold>& holds, bool hidden, int capacity, std::uint64_t seed, TimePoint at) {
  const Load sum = sum_of(holds, hidden, capacity, seed, at);
  return {std::min(sum.use, 1.0f), std::min(sum.memory, kMostMemory), std::min(sum.tensor, 1.0f),
          std::min(sum.bus, 1.0f)};
}

std::vector<Load> own_loads(const std::vector<Hold>& holds, bool hidden, int capacity, std::uint64_t seed,
                            TimePoint at) {
  const Load sum = sum_of(holds, hidden, capacity, seed, at);
  std::vector<Load> all;
  for (const Hold& hold : holds) all.push_back(part_of(wanted_load(hold, capacity, seed, at), sum));
  return all;
}

Load hidden_load(const std::vector<Hold>& holds, int capacity, std::uint64_t seed, TimePoint at) {
  return part_of(kHidden, sum_of(holds, true, capacity, seed, at));
}

Reading read_board(const NodeGroup& group, const Board& board, std::uint64_t seed, std::uint64_t key,
                   TimePoint at) {
  Reading reading;
  if (board.cut() && group.mig) {
    for (const Instance& instance : board.instances) {
      const mig::Profile& profile = group.mig->profiles[static_cast<std::size_t>(instance.profile)];
      Load load = load_of(instance.holds, instance.hidden, capacity_of(board), seed, at);
      const float compute = static_cast<float>(profile.compute_slices) /
                            static_cast<float>(std::max(1, group.mig->compute_slices));
      const float memory =
          static_cast<float>(profile.memory_slices) / static_cast<float>(std::max(1, group.mig->units));
      reading.load.use += load.use * compute;
      reading.load.tensor += load.tensor * compute;
      reading.load.memory += load.memory * memory;
      reading.load.bus += load.bus * memory;
    }
    reading.load.use = std::min(reading.load.use, 1.0f);
  } else {
    reading.load = load_of(board.holds, board.hidden, capacity_of(board), seed, at);
  }
  // Each GPU sits at its own place in the air stream; heat follows use slowly, power at once.
  float place = unit(draw(seed, key, 0x9)) * 6.0f;
  float drift = noise(seed, key, 11, at, 60);
  float idle = static_cast<float>(group.idle_watts);
  float full = static_cast<float>(group.full_watts);
  float draw_now = reading.load.use * (0.9f + 0.08f * noise(seed, key, 12, at, 5));
  reading.watts = idle + (full - idle) * draw_now + 2.0f * drift;
  reading.celsius = 29.0f + place + 38.0f * reading.load.use + 2.0f * drift;
  return reading;
}

}  // namespace tessera::sim
