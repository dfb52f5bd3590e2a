#include "backends/slurm/parse/record.hpp"

#include <cstring>

namespace tessera::slurm {
namespace {

std::size_t find(std::string_view text, char wanted, std::size_t from = 0) {
  if (from >= text.size()) return std::string_view::npos;
  const void* at = std::memchr(text.data() + from, wanted, text.size() - from);
  return at ? static_cast<std::size_t>(static_cast<const char*>(at) - text.data()) : std::string_view::npos;
}

// Keys are short: a word without "=" in its first bytes has none.
constexpr std::size_t kLongestKey = 32;

// Up to and with the "=" of the first word; 0: it has none.
std::size_t key_length(std::string_view text) {
  std::size_t most = text.size() < kLongestKey ? text.size() : kLongestKey;
  for (std::size_t i = 0; i < most; ++i) {
    if (text[i] == '=') return i < 2 ? 0 : i + 1;
    if (text[i] == ' ') return 0;
  }
  return 0;
}

}  // namespace

Schema::Schema(std::span<const Key> keys) : keys_(keys) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::uint8_t slot = hash(keys[i].name, keys[i].name.size());
    while (table_[slot] != 0) ++slot;
    table_[slot] = static_cast<std::uint8_t>(i + 1);
  }
}

std::size_t Fields::end_of_text(std::string_view text) const {
  for (std::size_t blank = find(text, ' '); blank != std::string_view::npos;
       blank = find(text, ' ', blank + 1)) {
    std::string_view after = text.substr(blank + 1);
    if (key_->ends == Ends::before_partner) {
      if (after.starts_with(key_->partner)) return blank;
      continue;
    }
    std::size_t length = key_length(after);
    const Key* next = length ? schema_.find(after, length) : nullptr;
    if (next && next->follows_text) return blank;
  }
  return text.size();
}

bool Fields::next() {
  while (!rest_.empty()) {
    if (rest_.front() == ' ') {
      rest_.remove_prefix(1);
      continue;
    }
    std::size_t length = key_length(rest_);
    const Key* key = length ? schema_.find(rest_, length) : nullptr;
    if (!key || (late_ && !key->follows_text)) {
      std::size_t blank = find(rest_, ' ');
      rest_.remove_prefix(blank == std::string_view::npos ? rest_.size() : blank + 1);
      continue;
    }
    key_ = key;
    late_ = late_ || key->ends == Ends::before_next_key;
    start_ = rest_.data();
    rest_.remove_prefix(length);
    std::size_t end = key->ends == Ends::at_blank ? find(rest_, ' ') : end_of_text(rest_);
    value_ = rest_.substr(0, end);
    rest_.remove_prefix(value_.size());
    return true;
  }
  return false;
}

bool Records::next() {
  while (!rest_.empty()) {
    led_ = begins_(rest_);
    std::size_t end = 0;
    int lines = 0;
    do {
      std::size_t line_end = find(rest_, '\n', end);
      ++lines;
      end = line_end == std::string_view::npos ? rest_.size() : line_end + 1;
    } while (led_ && end < rest_.size() && !begins_(rest_.substr(end)));
    record_ = rest_.substr(0, end);
    rest_.remove_prefix(end);
    line_ = next_line_;
    next_line_ += lines;
    while (!record_.empty() && (record_.back() == '\n' || record_.back() == '\r')) record_.remove_suffix(1);
    if (!record_.empty()) return true;
  }
  return false;
}

std::string_view told(std::string_view value) {
  for (std::string_view nothing : {"(null)", "N/A", "None", "NONE", "n/a"})
    if (value == nothing) return {};
  return value;
}

}  // namespace tessera::slurm
