// A GPU that is measured and whose history is kept. Threads: one test.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "engine/history/history.hpp"
#include "engine/history/shown.hpp"
#include "tests/support/build.hpp"

namespace tessera::test::history_lab {

using history::History;
using history::Line;

// A node "n1" with one whole GPU, and what a source measures of it.
struct Watched {
  Story story;
  History history;

  explicit Watched(std::vector<Gpu> gpus = {gpu(0, Strategy::whole, {whole(0)})},
                   std::size_t most = history::kMostBytes)
      : history(most) {
    story.tell(NodesListed{{node("n1", std::move(gpus))}});
    story.tell(WorkloadsListed{{running("1", "alice", {holds("n1", {{0, 1}})})}});
  }
  void measure(int seconds, std::optional<float> use, std::vector<SliceFigures> slices = {}) {
    GpuFigures figures;
    figures.gpu = GpuIndex{0};
    if (use) figures.figures.use = Percent{*use};
    figures.figures.memory_used = Mib{8156};
    figures.slices = std::move(slices);
    story.tell(Measured{NodeName("n1"), Source::dcgm, at(seconds), {figures}}, seconds);
    history.take(story.cluster(), NodeName("n1"));
  }
  const Gpu& board() const { return story.node("n1").gpus[0]; }
  Line line() const { return history.line(ClusterName("hpc"), NodeName("n1"), history::key_of(board())); }
  std::optional<TimePoint> idle() const {
    return history.idle_since(ClusterName("hpc"), NodeName("n1"), history::key_of(board()));
  }
};

inline Measured kept(int seconds, float use) {
  GpuFigures figures;
  figures.gpu = GpuIndex{0};
  figures.figures.use = Percent{use};
  return {NodeName("n1"), Source::dcgm, at(seconds), {figures}};
}

}  // namespace tessera::test::history_lab
