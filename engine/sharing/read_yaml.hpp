// Fields of this library's YAML files, read with a place for every complaint.
// Threads: values of one reader belong to one thread.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/yaml.hpp"

namespace tessera {

// The first complaint stays; everything read after it is empty.
class FieldReader {
 public:
  FieldReader(std::string_view what, std::string_view file) : what_(what), file_(file) {}

  const std::optional<Error>& error() const { return error_; }
  bool failed() const { return error_.has_value(); }
  void fail(int line, std::string_view message, std::string hint = {});

  // A map whose keys are all known.
  bool map(const Yaml& yaml, std::string_view what, std::initializer_list<std::string_view> known);
  // The list under a key; complains when it is missing, empty or longer than `limit`. Never null.
  const std::vector<Yaml>& list(const Yaml& yaml, std::string_view key, std::size_t limit);
  // A text of at most `limit` bytes, without control characters.
  std::string text(const Yaml& yaml, std::string_view key, std::size_t limit = 1000);
  std::string optional_text(const Yaml& yaml, std::string_view key, std::size_t limit = 1000);
  std::vector<std::string> texts(const Yaml& yaml, std::string_view key, std::size_t limit = 100);
  std::string scalar(const Yaml& value, std::string_view key, std::size_t limit);

 private:
  std::string what_;
  std::string file_;
  std::optional<Error> error_;
};

}  // namespace tessera
