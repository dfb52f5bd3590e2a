#include "engine/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "engine/text.hpp"

namespace tessera {
namespace {

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxBytes = 64U << 20U;
constexpr std::size_t kFewKeys = 16;

// Builds the tree while the text is read; refuses what a tree of its own would have swallowed.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return put({}); }
  bool boolean(bool value) override { return put(Json::of(value)); }
  bool number_integer(std::int64_t value) override { return put(Json::of(value)); }
  bool number_unsigned(std::uint64_t value) override {
    if (value > static_cast<std::uint64_t>(INT64_MAX)) return fail("a whole number is too large");
    return put(Json::of(static_cast<std::int64_t>(value)));
  }
  bool number_float(double value, const std::string& text) override {
    if (!std::isfinite(value)) return fail(fmt::format("the number {} is too large", text.substr(0, 40)));
    return put(Json::of(value));
  }
  bool string(std::string& value) override { return put(Json::of(std::move(value))); }
  bool binary(binary_t& /*value*/) override { return fail("binary data"); }

  bool start_object(std::size_t /*elements*/) override { return open(Json::Kind::map); }
  bool start_array(std::size_t /*elements*/) override { return open(Json::Kind::list); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& value) override {
    if (is_there(levels_.back(), value))
      return fail(fmt::format("the key '{}' is there twice", clean(value, 80)));
    read_.emplace_back(std::move(value), Json());
    return true;
  }
  bool parse_error(std::size_t /*at*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    if (why_.empty()) why_ = words(error.what());
    return false;
  }

  Json take() { return std::move(read_.front().second); }
  const std::string& why() const { return why_; }

 private:
  // A list or a map that is not at its end.
  struct Level {
    Json::Kind kind;
    std::size_t first;                     // in read_: what it holds so far stands from there on
    std::unordered_set<std::string> keys;  // once there are many
  };

  // Nearly every map has a few keys: they are compared, and a set is made for the others.
  bool is_there(Level& level, const std::string& key) const {
    const auto first = read_.begin() + static_cast<std::ptrdiff_t>(level.first);
    if (read_.size() - level.first < kFewKeys)
      return std::any_of(first, read_.end(), [&](const auto& one) { return one.first == key; });
    if (level.keys.empty())
      for (auto one = first; one != read_.end(); ++one) level.keys.insert(one->first);
    return !level.keys.insert(key).second;
  }

  // "[json.exception.parse_error.101] parse error at line 3, column 7: ..." → "line 3, column 7: ..."
  static std::string words(std::string text) {
    constexpr std::string_view kAt = "parse error at ";
    if (auto at = text.find(kAt); at != std::string::npos) text.erase(0, at + kAt.size());
    return clean(text, 300);
  }

  bool fail(std::string why) {
    why_ = std::move(why);
    return false;
  }
  bool open(Json::Kind kind) {
    if (levels_.size() >= kMaxDepth) return fail(fmt::format("nested deeper than {}", kMaxDepth));
    levels_.push_back({kind, read_.size(), {}});
    return true;
  }
  bool close() {
    Json done;
    done.kind = levels_.back().kind;
    const auto first = read_.begin() + static_cast<std::ptrdiff_t>(levels_.back().first);
    if (done.kind == Json::Kind::map) {
      done.fields.assign(std::move_iterator(first), std::move_iterator(read_.end()));
    } else {
      done.items.reserve(static_cast<std::size_t>(read_.end() - first));
      for (auto one = first; one != read_.end(); ++one) done.items.push_back(std::move(one->second));
    }
    read_.erase(first, read_.end());
    levels_.pop_back();
    return put(std::move(done));
  }
  bool put(Json value) {
    if (!levels_.empty() && levels_.back().kind == Json::Kind::map)
      read_.back().second = std::move(value);
    else
      read_.emplace_back(std::string(), std::move(value));
    return true;
  }

  // Keys and values whose list or map is not at its end: made there, each gets just the memory that it needs.
  std::vector<std::pair<std::string, Json>> read_;
  std::vector<Level> levels_;
  std::string why_;
};

bool is_plain(char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; }

void append_text(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    // Nearly all of nearly every text is written as it stands.
    std::size_t plain = at;
    while (plain < text.size() && is_plain(text[plain])) ++plain;
    out.append(text, at, plain - at);
    at = plain;
    if (at == text.size()) break;
    Decoded one = decode_utf8(text, at);
    if (!one.valid) {
      append_utf8(out, 0xFFFD);
    } else if (one.code == '"' || one.code == '\\') {
      out += '\\';
      out += static_cast<char>(one.code);
    } else if (one.code == '\n') {
      out += "\\n";
    } else if (one.code < 0x20 || one.code == 0x7F || (one.code >= 0x80 && one.code < 0xA0)) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(one.code));
    } else {
      out.append(text, at, one.length);
    }
    at += one.length;
  }
  out += '"';
}

// A whole number keeps a fraction, so that it is read back as what it was.
void append_real(std::string& out, double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  out += text;
}

class Writer {
 public:
  explicit Writer(bool indented) : indented_(indented) {}

  void write(const Json& value, int depth = 0) {
    switch (value.kind) {
      case Json::Kind::null: out += "null"; return;
      case Json::Kind::boolean: out += value.boolean ? "true" : "false"; return;
      case Json::Kind::integer: out += std::to_string(value.integer); return;
      case Json::Kind::real: append_real(out, value.real); return;
      case Json::Kind::text: append_text(out, value.text); return;
      case Json::Kind::list: {
        group('[', ']', value.items.size(), depth, [&](std::size_t i) { write(value.items[i], depth + 1); });
        return;
      }
      case Json::Kind::map:
        group('{', '}', value.fields.size(), depth, [&](std::size_t i) {
          append_text(out, value.fields[i].first);
          out += indented_ ? ": " : ":";
          write(value.fields[i].second, depth + 1);
        });
        return;
    }
  }

  std::string out;

 private:
  template <class Item>
  void group(char open, char close, std::size_t count, int depth, Item item) {
    out += open;
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) out += ',';
      line(depth + 1);
      item(i);
    }
    if (count > 0) line(depth);
    out += close;
  }
  void line(int depth) {
    if (!indented_) return;
    out += '\n';
    out.append(static_cast<std::size_t>(depth) * 2, ' ');
  }

  bool indented_;
};

}  // namespace

Json Json::of(bool value) {
  Json json;
  json.kind = Kind::boolean;
  json.boolean = value;
  return json;
}
Json Json::of(std::int64_t value) {
  Json json;
  json.kind = Kind::integer;
  json.integer = value;
  return json;
}
Json Json::of(double value) {
  Json json;
  if (!std::isfinite(value)) return json;
  json.kind = Kind::real;
  json.real = value;
  return json;
}
Json Json::of(std::string value) {
  Json json;
  json.kind = Kind::text;
  json.text = std::move(value);
  return json;
}
Json Json::list() {
  Json json;
  json.kind = Kind::list;
  return json;
}
Json Json::map() {
  Json json;
  json.kind = Kind::map;
  return json;
}

const Json* Json::find(std::string_view key) const {
  for (const auto& [name, value] : fields)
    if (name == key) return &value;
  return nullptr;
}

Result<Json> parse_json(std::string_view text, std::string_view file) {
  if (text.size() > kMaxBytes)
    return Error{"cannot read JSON", fmt::format("{}: larger than 64 MiB", file), "is it the right file?"};
  Builder builder;
  try {
    if (nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) return builder.take();
  } catch (const std::exception& error) {  // out of memory; nlohmann's own errors go to parse_error
    return Error{"cannot read JSON", fmt::format("{}: {}", file, clean(error.what(), 300)), ""};
  }
  return Error{"cannot read JSON", fmt::format("{}: {}", file, builder.why()),
               "the file must stay as tessera wrote it"};
}

std::string to_line(const Json& value) {
  Writer writer(false);
  writer.write(value);
  return std::move(writer.out);
}

std::string to_document(const Json& value) {
  Writer writer(true);
  writer.write(value);
  return std::move(writer.out) + "\n";
}

}  // namespace tessera
