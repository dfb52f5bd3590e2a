// Where the values of a YAML file stand in its text, and the text with one of them replaced, added or taken
// out. Whoever edits reads the result back: what stands in an unusual way may come out as something else.
// Threads: pure functions of the text that is given.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/yaml.hpp"

namespace tessera::fleet {

// A stretch of the text.
struct Span {
  std::size_t begin = 0, end = 0;
};

// flow: the value stands between brackets, so a comma ends it.
class EditText {
 public:
  explicit EditText(std::string_view text) : text_(text) {}

  bool is_flow(const Yaml& map_or_list) const;
  Span value(const Yaml& scalar, bool flow) const;
  // "key: value"; nullopt: the key does not stand before its value, on the same line.
  std::optional<Span> field(const std::string& key, const Yaml& value, bool flow) const;

  std::string with(Span what, std::string_view instead) const;
  // Without a field of a map; a comment behind it stays on a line of its own.
  std::string without(Span what, bool flow) const;
  // Without "key: " and a map or list. nullopt: a comment would go with it.
  std::optional<std::string> without_whole(const std::string& key, const Yaml& value, bool flow) const;
  // Without an item of a list that has several. nullopt: a comment would go with it.
  std::optional<std::string> without_item(const Yaml& list, const Yaml& item, bool flow) const;
  // With "key: value" behind the last field of the map that is one value; nullopt: it has none.
  std::optional<std::string> with_field(const Yaml& map, bool flow, const std::string& field) const;
  // The same behind that value of the map.
  std::string with_field(const Yaml& map, const Yaml& after, bool flow, const std::string& field) const;
  // With an item behind the last one, as a map between brackets.
  std::optional<std::string> with_item(const Yaml& list, bool flow, const std::string& item) const;

 private:
  std::size_t at(int line, int column) const;
  std::size_t line_begin(std::size_t from) const;
  std::size_t line_end(std::size_t from) const;
  bool ends_line(std::size_t at) const { return at > 0 && text_[at - 1] == '\n'; }
  // The whole of a scalar, a map or a list; nullopt: its end is not found.
  std::optional<Span> whole(const Yaml& value, bool flow) const;
  std::optional<std::string> without_lines(std::size_t begin, std::size_t end) const;
  std::optional<std::size_t> last_end(const Yaml& value, bool flow) const;

  std::string_view text_;
};

}  // namespace tessera::fleet
