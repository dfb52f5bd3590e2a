// The pack screen with a demand that is asked for. Threads: one test.
#pragma once

#include <string>

#include "tests/tui/screens/change_places.hpp"

namespace tessera::test::pack_test {

inline Session asking(const std::string& demand, tui::Size size = {80, 24}) {
  Session session = changing(size);
  session.press(":pack " + demand + "<enter>");
  return session;
}

inline Session answered(const std::string& demand, tui::Size size = {80, 24}) {
  Session session = asking(demand, size);
  session.pack();
  return session;
}

// The cursor on the line of that profile.
inline void go_to(Session& session, const std::string& profile) {
  session.press("g");
  for (int i = 0; i < 12 && session.line_with("▌").find(profile + " ") == std::string::npos; ++i)
    session.press("j");
}

}  // namespace tessera::test::pack_test
