// Where the values of a YAML file stand in its text, and the text with one of them replaced, added or taken
// out. A comment inside of what goes stays, on a line of its own. Whoever edits reads the result back: what
// stands in an unusual way may come out as something else.
// Threads: pure functions of the text that is given.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
  // "key: value"; nullopt: one of them is not found.
  std::optional<Span> field(const std::string& key, const Yaml& value, bool flow) const;

  std::string with(Span what, std::string_view instead) const;
  // With something else instead of a field; its comments stay behind it. nullopt: they cannot.
  std::optional<std::string> with_other(Span what, bool flow, std::string text) const;
  // Without a field of a map.
  std::string without(Span what, bool flow) const;
  // Without "key: " and a map or list; nullopt: its place is not found.
  std::optional<std::string> without_whole(const std::string& key, const Yaml& value, bool flow) const;
  // Without an item of a list that has several; nullopt: its place is not found.
  std::optional<std::string> without_item(const Yaml& list, const Yaml& item, bool flow) const;
  // With "key: value" behind the last field of the map that is one value; nullopt: it has none.
  std::optional<std::string> with_field(const Yaml& map, bool flow, const std::string& field) const;
  // The same behind that value of the map.
  std::string with_field(const Yaml& map, const Yaml& after, bool flow, const std::string& field) const;
  // With an item behind the last one, as a map between brackets.
  std::optional<std::string> with_item(const Yaml& list, bool flow, const std::string& item) const;
  // All comments of the text, a line each.
  std::string comments_text() const;

 private:
  std::size_t at(int line, int column) const;
  std::size_t line_begin(std::size_t from) const;
  std::size_t line_end(std::size_t from) const;
  bool ends_line(std::size_t at) const { return at > 0 && text_[at - 1] == '\n'; }
  // The whole of a scalar, a map or a list; nullopt: its end is not found.
  std::optional<Span> whole(const Yaml& value, bool flow) const;
  std::optional<std::size_t> key_at(const std::string& key, const Yaml& value) const;
  std::vector<Span> comments(Span what) const;  // what: begins outside of quotes
  std::size_t behind(std::size_t from) const;   // the next that is no blank, comma or comment
  std::string_view line_break() const;          // as the file has it
  std::string without_in_brackets(Span what) const;
  std::string without_lines(Span what) const;
  std::optional<std::size_t> last_end(const Yaml& value, bool flow) const;

  std::string_view text_;
};

}  // namespace tessera::fleet
