// Texts to hand out as data: which go with a leaf on a platform, and what is filled into them.
//
// The data is engine/guide/data/handouts.yaml, embedded, which explains its fields. Titles and comments are
// English; front ends tell them in the reader's language, line by line, and never what is typed.
// Threads: immutable after load; pure functions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"
#include "engine/model/values.hpp"
#include "engine/sharing/platform.hpp"

namespace tessera::guide {

// What is known where a text is handed out, by the names of handouts.yaml.
using HandoutFacts = std::map<std::string, std::string>;

struct Handout {
  std::string id;  // "pod", "sbatch", "pytorch"; several may share one
  std::string title;
  std::string text;                   // without a line break at its end
  std::vector<Strategy> leaves;       // never empty
  std::vector<sharing::Platform> on;  // never empty
  std::vector<std::string> with;      // left out where one of these is not known...
  std::vector<std::string> without;   // ...or where one of these is
  bool goes_with(Strategy leaf, sharing::Platform platform, const HandoutFacts& facts) const;
  bool names(std::string_view fact) const;  // in its text or title
};

class Handouts {
 public:
  // Errors name file and line.
  static Result<Handouts> parse(std::string_view text, std::string_view file);
  static Result<Handouts> built_in();
  const std::vector<Handout>& all() const { return all_; }

 private:
  std::vector<Handout> all_;
};

// With every {{fact}} replaced; nullopt where one is not known. The lines of a fact that has several keep the
// blanks before the first.
std::optional<std::string> filled(std::string_view text, const HandoutFacts& facts);

// Every fact that a text may name.
const std::vector<std::string_view>& handout_facts();

}  // namespace tessera::guide
