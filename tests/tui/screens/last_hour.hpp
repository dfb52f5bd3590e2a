// A console that has been open for an hour: what its clusters held and used, sampled each minute.
#pragma once

#include "engine/history/history.hpp"
#include "tests/support/session.hpp"

namespace tessera::test {

inline tui::Canvas after_an_hour(const Session& session) {
  history::History history;
  for (const Cluster& cluster : session.model.clusters)
    for (int minute = 60; minute >= 0; --minute) {
      const TimePoint at = cluster_now(cluster, session.wall) - std::chrono::minutes(minute);
      const float held = static_cast<float>(minute > 40 ? 30 : minute > 20 ? 80 : 56);
      history.take(cluster.name, {at, held, static_cast<float>((61 - minute) % 40 + 20)});
    }
  tui::UiContext ui = session.world();
  ui.history = &history;
  tui::Canvas canvas(session.state.size);
  tui::draw(ui, session.state, canvas);
  return canvas;
}

}  // namespace tessera::test
