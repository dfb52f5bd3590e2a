// What a table is printed on: a terminal has a width and perhaps colours, a file has neither.
// Threads: plain values.
#pragma once

namespace tessera::cli {

struct Paper {
  int columns = 0;  // of the terminal; 0: none, or it tells no width
  bool colour = false;
  bool ascii = false;
};

}  // namespace tessera::cli
