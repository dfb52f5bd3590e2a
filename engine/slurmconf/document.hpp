// One file of Slurm's configuration, taken apart into lines and pairs and put together again, byte for byte.
//
// Reads slurm.conf, gres.conf, cgroup.conf and what they include as Slurm's own reader does (slurm.conf(5)
// 22.05 to 24.11): `#` begins a comment unless escaped, a `\` at the end joins the next line, keys are
// letters, digits, `_` and `.` in any case, values may be quoted. A line that Slurm would not read is kept
// and says why. Threads: plain values, pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/slurmconf/slurm_setup.hpp"

namespace tessera::slurmconf {

struct Pair {
  std::string key;    // as written
  std::string value;  // as Slurm sees it: without quotes, escapes and joints
  // Places in Line::raw: the key; the value with its quotes; the byte behind it.
  std::size_t begin = 0, value_begin = 0, end = 0;
  bool quoted = false;
};

struct Line {
  int number = 1;           // in its file, from 1; of the first one where several are joined
  std::string raw;          // all of it: comments, joints, line ends
  std::vector<Pair> pairs;  // those before anything odd
  std::string include;      // the file that an Include names, as written
  std::string odd;          // why Slurm would not read it; empty: it does
  bool open = false;        // ends in a `\` that the end of the file cut off

  // The last pair by that key (in any case), which is the one that counts; nullptr: none.
  const Pair* find(std::string_view key) const;
  // Whether the line is a record or a setting of that name: its first key decides.
  bool is(std::string_view key) const;
};

struct Document {
  std::string path;
  std::vector<Line> lines;
};

Document parse(const File& file);
// write(parse(file)) == file.text for any bytes.
std::string write(const Document& document);

// A line of its own, joints included. Precondition: `raw` holds no more than one.
Line parse_line(std::string raw, int number = 1);

bool same_key(std::string_view left, std::string_view right);  // in any case

// How a value must be written: quoted and escaped where it has to be, or where `quoted` asks for it.
// Precondition: no control characters and no `"`.
std::string written(std::string_view value, bool quoted = false);

}  // namespace tessera::slurmconf
