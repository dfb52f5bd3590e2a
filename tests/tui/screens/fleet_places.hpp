// A fleet file on the fleet screen, as the loop would read it, over the place where layouts are changed.
#pragma once

#include "engine/fleet/reader.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/tui/screens/change_places.hpp"
#include "tui/screens/fleet/fleet.hpp"

namespace tessera::test {

// Two nodes drift, one has no GPU 5, one is left alone, the others are as wanted.
inline constexpr const char* kFleetText = R"(time_zone: UTC
pools:
- {name: training, nodes: "n[0041-0042]", layout: none}
- {name: on loan, nodes: n0043, layout: as-is}
- {name: odd, nodes: n0044, gpus: {5: none}}
- name: notebooks
  layout: 7x1g.10gb
  windows:
  - {when: "Mon-Fri 20:00-07:00", layout: none}
)";

inline tui::FleetTold told_of(const std::string& text, const std::string& stamp = "1") {
  tui::FleetTold told;
  told.path = "fleet.yaml";
  told.stamp = stamp;
  tui::FleetFile file;
  file.stamp = stamp;
  if (auto read = fleet::read_fleet(text, told.path, catalogue()))
    file.fleet = std::move(*read);
  else
    file.failure = read.error();
  told.file = std::make_shared<const tui::FleetFile>(std::move(file));
  return told;
}

inline void hear(Session& session, tui::FleetTold told) { tui::update(session.state, session.world(), told); }

inline Session& open_fleet(Session& session, const std::string& text = kFleetText) {
  session.press(":fleet fleet.yaml<enter>");
  hear(session, told_of(text));
  return session.survey();
}

inline Session fleet_session(tui::Size size = {80, 24}, const std::string& text = kFleetText) {
  Session session = changing(size);
  return std::move(open_fleet(session, text));
}

}  // namespace tessera::test
