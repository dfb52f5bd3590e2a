// Reads YAML maps strictly: typed getters with bounds, and a complaint about every unknown key.
//
// The first error is kept and everything read after it is a default, so that a reader is written without a
// branch after each key and looks at FieldReader::error once.
// Threads: used on one thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/sim/scenario/scenario.hpp"
#include "engine/yaml.hpp"

namespace tessera::sim {

struct FieldReader {
  std::string file;
  std::optional<Error> error;
  void fail(const Yaml& at, std::string_view message);
};

class Fields {
 public:
  Fields(FieldReader& reader, const Yaml& map);
  // Complains about unknown keys. Call when all keys have been asked for.
  void finish();

  const Yaml* find(std::string_view key);  // nullptr when absent
  const Yaml& map() const { return map_; }
  bool has(std::string_view key) const { return map_.find(key) != nullptr; }

  std::string text(std::string_view key, std::string_view otherwise = "");
  std::string required(std::string_view key);
  int integer(std::string_view key, int low, int high, int otherwise);
  bool flag(std::string_view key, bool otherwise);
  Duration duration(std::string_view key, Duration otherwise);
  std::optional<Range> range(std::string_view key);      // "10m" or [10m, 4h]
  std::vector<std::string> texts(std::string_view key);  // one scalar or a list of them
  std::vector<const Yaml*> list(std::string_view key);   // a list; empty when absent

  // The index of the word in `words`; fails when it is none of them.
  int choice(std::string_view key, const std::vector<std::string_view>& words, int otherwise);

 private:
  FieldReader& reader_;
  const Yaml& map_;
  std::vector<std::string_view> asked_;
};

std::string scalar_text(FieldReader& reader, const Yaml& value);
Duration duration_of(FieldReader& reader, const Yaml& value);

}  // namespace tessera::sim
