#include "engine/flat_json.hpp"

#include <algorithm>
#include <new>

namespace tessera {
namespace {

// Within the limits of parse_json.
constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxBytes = 64U << 20U;
constexpr std::size_t kMostKeys = 32;       // of a map: each is compared with those before it
constexpr std::size_t kDigitsThatFit = 18;  // so many always fit

class FlatReader {
 public:
  explicit FlatReader(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {
    values_.reserve(text.size() / 12 + 1);  // what is not used of it is never touched
  }

  std::optional<std::vector<FlatJson>> run() {
    if (!value({})) return std::nullopt;
    skip_blanks();
    if (at_ != end_) return std::nullopt;
    return std::move(values_);
  }

 private:
  void skip_blanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
  }
  bool take(char wanted) {
    skip_blanks();
    if (at_ == end_ || *at_ != wanted) return false;
    ++at_;
    return true;
  }
  bool take(std::string_view word) {
    if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  // The place of a value that was begun.
  std::size_t begin(Json::Kind kind, std::string_view key) {
    values_.push_back({kind, false, 1, key, {}, 0});
    return values_.size() - 1;
  }

  bool value(std::string_view key) {
    skip_blanks();
    if (at_ == end_) return false;
    switch (*at_) {
      case '{': return map(begin(Json::Kind::map, key));
      case '[': return list(begin(Json::Kind::list, key));
      case '"': return text(values_[begin(Json::Kind::text, key)].text);
      case 't': return boolean(true, key);
      case 'f': return boolean(false, key);
      case 'n': return begin(Json::Kind::null, key), take(std::string_view("null"));
      default: return integer(values_[begin(Json::Kind::integer, key)].integer);
    }
  }

  bool boolean(bool is, std::string_view key) {
    values_[begin(Json::Kind::boolean, key)].boolean = is;
    return take(is ? std::string_view("true") : std::string_view("false"));
  }

  bool text(std::string_view& out) {
    if (!take('"')) return false;
    const char* from = at_;
    while (at_ != end_ && *at_ >= 0x20 && *at_ < 0x7F && *at_ != '"' && *at_ != '\\') ++at_;
    out = std::string_view(from, static_cast<std::size_t>(at_ - from));
    return at_ != end_ && *at_++ == '"';
  }

  bool integer(std::int64_t& out) {
    const bool minus = *at_ == '-';
    if (minus) ++at_;
    const char* from = at_;
    for (; at_ != end_ && *at_ >= '0' && *at_ <= '9'; ++at_) {
      if (at_ - from >= static_cast<std::ptrdiff_t>(kDigitsThatFit)) return false;
      out = out * 10 + (*at_ - '0');
    }
    if (at_ == from || (*from == '0' && (at_ - from > 1 || minus))) return false;
    if (minus) out = -out;
    return at_ == end_ || (*at_ != '.' && *at_ != 'e' && *at_ != 'E');
  }

  bool list(std::size_t own) {
    if (++depth_ > kMaxDepth) return false;
    ++at_;
    if (!take(']')) {
      do {
        if (!value({})) return false;
      } while (take(','));
      if (!take(']')) return false;
    }
    return close(own);
  }

  bool map(std::size_t own) {
    if (++depth_ > kMaxDepth) return false;
    ++at_;
    if (!take('}')) {
      std::size_t keys = 0;
      do {
        std::string_view key;
        skip_blanks();
        if (++keys > kMostKeys || !text(key) || is_there(own, key)) return false;
        if (!take(':') || !value(key)) return false;
      } while (take(','));
      if (!take('}')) return false;
    }
    return close(own);
  }

  bool is_there(std::size_t map, std::string_view key) const {
    for (std::size_t one = map + 1; one < values_.size(); one += values_[one].size)
      if (values_[one].key == key) return true;
    return false;
  }

  bool close(std::size_t own) {
    --depth_;
    values_[own].size = static_cast<std::uint32_t>(values_.size() - own);
    return true;
  }

  const char* at_;
  const char* end_;
  std::vector<FlatJson> values_;
  std::size_t depth_ = 0;
};

}  // namespace

const FlatJson* FlatJson::find(std::string_view name) const {
  if (kind != Json::Kind::map) return nullptr;
  for (const FlatJson* one = first(); one != end(); one = one->end())
    if (one->key == name) return one;
  return nullptr;
}

std::optional<std::vector<FlatJson>> read_flat_json(std::string_view text) {
  if (text.size() > kMaxBytes) return std::nullopt;
  try {
    return FlatReader(text).run();
  } catch (const std::bad_alloc&) {
    return std::nullopt;  // the reader of all JSON says so, with the name of the file
  }
}

}  // namespace tessera
