// Changes of lines, gathered first and made together, so that places stay true meanwhile.
// Threads: a value with one owner.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/slurmconf/config.hpp"

namespace tessera::slurmconf {

class Rewrite {
 public:
  explicit Rewrite(const Config& config) : config_(config) {}

  void replace(Place at, std::string raw) { changes_[at].now = std::move(raw); }
  void remove(Place at) { changes_[at].now = ""; }
  // Text without its line end, which becomes that of the file.
  void insert_before(Place at, std::string text) { changes_[at].before.push_back(std::move(text)); }
  void insert_after(Place at, std::string text) { changes_[at].after.push_back(std::move(text)); }
  void append(std::size_t document, std::string text) { ends_[document].push_back(std::move(text)); }

  // The files with all changes; `files` are those that the configuration was read from.
  Files apply(Files files) const;

 private:
  struct Change {
    std::optional<std::string> now;  // nullopt: stays as it is
    std::vector<std::string> before, after;
  };
  std::string text_of(std::size_t document) const;

  const Config& config_;
  std::map<Place, Change> changes_;
  std::map<std::size_t, std::vector<std::string>> ends_;
};

// New values for pairs of a line, as its raw text. Pointers are into line.pairs.
using NewValues = std::vector<std::pair<const Pair*, std::string>>;
std::string with_values(const Line& line, NewValues values);
std::string with_pair(const Line& line, std::string_view key, std::string_view value);  // as its last
std::string without_pair(const Line& line, const Pair& pair);
// Without its line end, so that Rewrite can insert it.
std::string bare(std::string raw);

}  // namespace tessera::slurmconf
