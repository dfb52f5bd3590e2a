// Charts of samples as lines of text: dots in braille where the terminal has it, else bars of ASCII, with a
// time axis below and what is measured, since when, how often and by whom above it. Samples stand where they
// were taken: a time without any is blank, and zero is the lowest dot.
// Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "engine/history/spark.hpp"

namespace tessera::tui {

struct Chart {
  history::Figure figure = history::Figure::use;
  std::vector<history::Sample> samples;  // oldest first
  TimePoint from{}, to{};                // the axis
  float top = 100;                       // full height
  std::string top_text = "100%";         // at its left
  std::string from_text, to_text;        // below its ends
  int decimals = 0;                      // of its figures in words
  Duration pace{0};                      // at which it is measured at least
};

// `height` lines of picture and one of axis, each at most `width` cells; none where there is no room.
std::vector<std::string> chart_lines(const Chart& chart, int width, int height, bool ascii);

// A line alone: two columns a cell in braille, or one in ASCII.
std::string spark_line(const Chart& chart, int cells, bool ascii);

// "01:12       02:12": what stands below the ends of a picture of so many cells.
std::string axis_line(const Chart& chart, int cells);

// "now 85%, mean 71%, peak 99%": the same without a picture; "at 01:40 85%, …" where nothing was measured
// since. The unit comes behind the numbers.
std::string chart_words(const Chart& chart, std::string_view unit);

}  // namespace tessera::tui
