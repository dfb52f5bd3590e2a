#include "engine/yaml.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <istream>
#include <streambuf>
#include <tuple>

#include "engine/text.hpp"

namespace tessera {

namespace {

constexpr std::size_t kMostYamlBytes = 16u << 20;
constexpr std::size_t kDeepestYaml = 32;
constexpr std::size_t kMaxValues = 1'000'000;

// Thrown and caught in this file only: yaml-cpp's handlers have no other way to stop.
struct Refused {
  int line;
  int column;
  std::string message;
  std::string hint;
};

// yaml-cpp counts from 0 and uses -1 for "nowhere".
int place(int value) { return std::max(value, 0) + 1; }

[[noreturn]] void refuse(const YAML::Mark& mark, std::string message, std::string hint) {
  throw Refused{place(mark.line), place(mark.column), std::move(message), std::move(hint)};
}

// Reads the caller's text without a copy.
class View : public std::streambuf {
 public:
  explicit View(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // never written: no output position is set
    setg(begin, begin, begin + text.size());
  }
};

// yaml-cpp accepts a quoted scalar that runs into the end of the text after a line break.
bool quote_is_closed(std::string_view text, std::size_t start) {
  const char quote = text[start];
  for (std::size_t at = start + 1; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\') {
      ++at;
    } else if (text[at] == quote) {
      if (quote == '"' || at + 1 >= text.size() || text[at + 1] != quote) return true;
      ++at;
    }
  }
  return false;
}

class Builder : public YAML::EventHandler {
 public:
  explicit Builder(std::string_view text) : text_(text) {}
  Yaml take() { return std::move(root_); }
  int documents() const { return documents_; }
  // Whether what was read last stands between brackets: a tab is white space there.
  bool is_in_brackets() const { return !stack_.empty() && stack_.back().in_brackets; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) refuse(mark, "a second document begins", "keep one document in a file");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    plain(mark, {}, anchor);
    if (wants_key()) refuse(mark, "a key is missing", "write a name before the colon");
    add(node(mark, Yaml::Kind::null));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse(mark, "an alias", "write the value out: anchors and aliases are not read");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    plain(mark, tag, anchor);
    const auto start = static_cast<std::size_t>(std::max(mark.pos, 0));
    if (tag == "!" && start < text_.size() && (text_[start] == '"' || text_[start] == '\'') &&
        !quote_is_closed(text_, start)) {
      refuse(mark, "a quote that is never closed", "close it");
    }
    if (wants_key()) {
      stack_.back().key = value;
      stack_.back().key_line = place(mark.line);
      stack_.back().key_column = place(mark.column);
      stack_.back().has_key = true;
      return;
    }
    Yaml scalar = node(mark, Yaml::Kind::scalar);
    scalar.scalar = value;
    scalar.quoted = tag == "!";
    add(std::move(scalar));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    open(mark, tag, anchor, Yaml::Kind::list, style);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(mark, tag, anchor, Yaml::Kind::map, style);
  }
  void OnMapEnd() override {
    check_keys(stack_.back());
    close();
  }

 private:
  struct KeyPlace {
    int line;
    int column;
  };
  struct Open {
    Yaml value;
    bool in_brackets = false;
    std::string key;
    bool has_key = false;
    int key_line = 1;
    int key_column = 1;
    std::vector<KeyPlace> places;
  };

  bool wants_key() const {
    return !stack_.empty() && stack_.back().value.kind == Yaml::Kind::map && !stack_.back().has_key;
  }

  static void plain(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (anchor != 0) refuse(mark, "an anchor", "write the value out: anchors and aliases are not read");
    if (!tag.empty() && tag != "?" && tag != "!") {
      refuse(mark, "a tag (" + tag + ")", "remove it: values have the type that they look like");
    }
  }

  Yaml node(const YAML::Mark& mark, Yaml::Kind kind) {
    if (++values_ > kMaxValues) refuse(mark, "more than a million values", "split the file");
    Yaml yaml;
    yaml.kind = kind;
    yaml.line = place(mark.line);
    yaml.column = place(mark.column);
    return yaml;
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, Yaml::Kind kind,
            YAML::EmitterStyle::value style) {
    plain(mark, tag, anchor);
    if (wants_key())
      refuse(mark, "a key that is not text", "use a plain word as the key, and close every bracket");
    if (stack_.size() >= kDeepestYaml) refuse(mark, "nested deeper than 32 levels", "flatten the file");
    Open one;
    one.value = node(mark, kind);
    one.in_brackets = style == YAML::EmitterStyle::Flow;
    stack_.push_back(std::move(one));
  }

  void close() {
    Yaml value = std::move(stack_.back().value);
    stack_.pop_back();
    add(std::move(value));
  }

  void add(Yaml value) {
    if (stack_.empty()) {
      root_ = std::move(value);
    } else if (Open& top = stack_.back(); top.value.kind == Yaml::Kind::list) {
      top.value.items.push_back(std::move(value));
    } else {
      // A value that was left out stands where its key stands, not where the next token does.
      if (value.is_null()) value.line = top.key_line;
      value.key_line = top.key_line;
      top.places.push_back({top.key_line, top.key_column});
      top.value.fields.push_back({std::move(top.key), std::move(value)});
      top.has_key = false;
    }
  }

  // Sorted once at the end of a map, so that a map of many keys costs n log n.
  static void check_keys(const Open& map) {
    const auto& fields = map.value.fields;
    std::vector<std::size_t> order(fields.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::tie(fields[a].first, a) < std::tie(fields[b].first, b);
    });
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (fields[order[i - 1]].first != fields[order[i]].first) continue;
      const KeyPlace second = map.places[order[i]];
      throw Refused{second.line, second.column,
                    "\"" + fields[order[i]].first + "\" is listed twice (first on line " +
                        std::to_string(map.places[order[i - 1]].line) + ")",
                    "keep one of the two"};
    }
  }

  std::string_view text_;
  std::vector<Open> stack_;
  Yaml root_;
  int documents_ = 0;
  std::size_t values_ = 0;
};

Error error_at(std::string_view file, int line, int column, std::string_view message, std::string hint) {
  const std::string name = clean(file, 512);
  return {"cannot read " + name,
          name + ":" + std::to_string(line) + ":" + std::to_string(column) + ": " + clean(message, 512),
          std::move(hint)};
}

// yaml-cpp takes some bytes for others in silence (U+0004 ends its stream, invalid UTF-8 is replaced), so the
// bytes are judged before it sees them.
std::optional<Error> check_bytes(std::string_view text, std::string_view file) {
  int line = 1;
  std::size_t line_start = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte == '\n') {
      ++line;
      line_start = at + 1;
    }
    if ((byte >= 0x20 && byte < 0x7F) || byte == '\n' || byte == '\t' || byte == '\r') {
      ++at;
      continue;
    }
    const Decoded one = decode_utf8(text, at);
    const int column = static_cast<int>(std::min<std::size_t>(at - line_start, 1u << 30)) + 1;
    if (!one.valid) {
      return error_at(file, line, column, "bytes that are not UTF-8", "save the file as UTF-8");
    }
    if (is_control(one.code)) {
      return error_at(file, line, column, "a control character", "remove it, or write it as an escape");
    }
    at += one.length;
  }
  return std::nullopt;
}

std::string_view without_byte_order_mark(std::string_view text) {
  return text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text;
}

// Whether a tab stands before the first word of that line, counted from 0: editors show it as blanks.
bool tab_indents(std::string_view text, int line) {
  if (line < 0) return false;  // nowhere
  for (; line > 0; --line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return false;
    text.remove_prefix(end + 1);
  }
  const std::string_view indentation = text.substr(0, text.find_first_not_of(" \t"));
  return indentation.find('\t') != std::string_view::npos;
}

// "10", "-3", "0.5" but not "010", "+1", ".5" or "0x10": one spelling for one number.
bool looks_decimal(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.empty() || text[0] < '0' || text[0] > '9') return false;
  return text[0] != '0' || text.size() == 1 || text[1] < '0' || text[1] > '9';
}

template <class Number>
std::optional<Number> read_number(const Yaml& yaml) {
  if (yaml.kind != Yaml::Kind::scalar || yaml.quoted || !looks_decimal(yaml.scalar)) return std::nullopt;
  Number number{};
  const char* end = yaml.scalar.data() + yaml.scalar.size();
  const auto [stop, code] = std::from_chars(yaml.scalar.data(), end, number);
  if (code != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace

const Yaml* Yaml::find(std::string_view key) const {
  for (const auto& [name, value] : fields) {
    if (name == key) return &value;
  }
  return nullptr;
}

std::optional<std::int64_t> Yaml::as_int() const { return read_number<std::int64_t>(*this); }

std::optional<double> Yaml::as_number() const {
  const std::optional<double> number = read_number<double>(*this);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<bool> Yaml::as_bool() const {
  if (kind != Kind::scalar || quoted) return std::nullopt;
  if (scalar == "true") return true;
  if (scalar == "false") return false;
  return std::nullopt;
}

Result<Yaml> parse_yaml(std::string_view text, std::string_view file) {
  if (text.size() > kMostYamlBytes) {
    return error_at(file, 1, 1, "larger than 16 MiB", "this is hardly the file that was meant");
  }
  text = without_byte_order_mark(text);
  if (auto error = check_bytes(text, file)) return *error;
  View view(text);
  std::istream stream(&view);
  Builder builder(text);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
    return builder.take();
  } catch (const Refused& refused) {
    return error_at(file, refused.line, refused.column, refused.message, refused.hint);
  } catch (const YAML::Exception& error) {
    // The parser has the last word: in a text of several lines a tab may be right.
    if (!builder.is_in_brackets() && tab_indents(text, error.mark.line))
      return error_at(file, place(error.mark.line), 1, "a tab indents this line: " + error.msg,
                      "indent with spaces");
    return error_at(file, place(error.mark.line), place(error.mark.column), error.msg,
                    "check the indentation and the quotes near that place");
  } catch (const std::exception& error) {
    return error_at(file, 1, 1, error.what(), "the file could not be read to its end");
  }
}

Error yaml_error(std::string_view what, std::string_view file, const Yaml& at, std::string_view message) {
  return {
      clean(what, 512), clean(file, 512) + ":" + std::to_string(at.line) + ": " + clean(message, 1024), {}};
}

}  // namespace tessera
