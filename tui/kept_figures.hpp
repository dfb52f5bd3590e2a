// Charts that begin before their page was opened: asks the sources that keep figures when another page, or
// another moment of a recording, is shown, and puts their answers into the history.
// Threads: the one that owns the model.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "engine/port.hpp"
#include "tui/state.hpp"
#include "tui/world.hpp"

namespace tessera::tui {

class KeptFigures {
 public:
  // backends: those of the world that is shown.
  void follow(const Screen& screen, const World& world, std::span<const BackendPtr> backends, TimePoint wall);
  // Whether anything came.
  static bool take(World& world, std::span<const BackendPtr> backends);

 private:
  // The page, of each recording the moment, and the nodes whose charts it has: those of another moment come
  // after its clock.
  using Page = std::tuple<ScreenKind, ClusterName, std::string, std::vector<std::optional<TimePoint>>,
                          std::vector<NodeName>>;
  std::optional<Page> asked_;
};

}  // namespace tessera::tui
