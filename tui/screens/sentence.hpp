// A sentence of its own on a page of facts, from the left edge: what an empty screen teaches.
// Threads: a pure function.
#pragma once

#include "tui/screens/documents.hpp"

namespace tessera::tui {

inline void add_sentence(FactPage& page, std::string_view text, Style style = {}) {
  constexpr int kLeft = 3;  // as the labels of facts
  for (std::string& line : page.wrapped(page.told(text), kLeft))
    page.add({{{std::move(line), style, kLeft}}, {}});
}

}  // namespace tessera::tui
