#include "engine/text.hpp"

#include <algorithm>
#include <array>

namespace tessera {

namespace {

constexpr std::string_view kControlMark = "\u00B7";
constexpr std::string_view kEllipsis = "\u2026";

char fold(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Most words of a cluster are plain ASCII: one pass without branches that the compiler can vectorise.
bool is_plain_ascii(std::string_view text) {
  unsigned bad = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    bad |= static_cast<unsigned>(byte < 0x20) | static_cast<unsigned>(byte > 0x7E);
  }
  return bad == 0;
}

// The second byte's range depends on the first: that is what keeps overlong forms and surrogates out.
struct Lead {
  std::size_t length;
  unsigned char second_low, second_high;
  unsigned char bits;
};

Lead lead_of(unsigned char byte) {
  if (byte >= 0xC2 && byte <= 0xDF) return {2, 0x80, 0xBF, static_cast<unsigned char>(byte & 0x1F)};
  if (byte == 0xE0) return {3, 0xA0, 0xBF, 0x00};
  if (byte == 0xED) return {3, 0x80, 0x9F, 0x0D};
  if (byte >= 0xE1 && byte <= 0xEF) return {3, 0x80, 0xBF, static_cast<unsigned char>(byte & 0x0F)};
  if (byte == 0xF0) return {4, 0x90, 0xBF, 0x00};
  if (byte >= 0xF1 && byte <= 0xF3) return {4, 0x80, 0xBF, static_cast<unsigned char>(byte & 0x07)};
  if (byte == 0xF4) return {4, 0x80, 0x8F, 0x04};
  return {0, 0, 0, 0};
}

}  // namespace

Decoded decode_utf8(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (first < 0x80) return {first, 1, true};
  const Lead lead = lead_of(first);
  if (lead.length == 0) return {};
  char32_t code = lead.bits;
  for (std::size_t i = 1; i < lead.length; ++i) {
    if (at + i >= text.size()) return {0xFFFD, i, false};
    const auto byte = static_cast<unsigned char>(text[at + i]);
    const unsigned char low = i == 1 ? lead.second_low : 0x80;
    const unsigned char high = i == 1 ? lead.second_high : 0xBF;
    if (byte < low || byte > high) return {0xFFFD, i, false};
    code = (code << 6) | (byte & 0x3Fu);
  }
  return {code, lead.length, true};
}

void append_utf8(std::string& text, char32_t code) {
  const auto put = [&](char32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) code = 0xFFFD;
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | (code >> 6));
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3F));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

bool is_control(char32_t code) {
  if (code < 0x20 || (code >= 0x7F && code <= 0x9F)) return true;
  if (code < 0x61C) return false;
  struct Range {
    char32_t low, high;
  };
  static constexpr std::array<Range, 9> kRanges = {{
      {0x061C, 0x061C},    // Arabic letter mark
      {0x180E, 0x180E},    // Mongolian vowel separator
      {0x200B, 0x200B},    // zero width space
      {0x200E, 0x200F},    // direction marks
      {0x2028, 0x202E},    // separators, embeddings, overrides
      {0x2060, 0x206F},    // invisible operators, isolates, deprecated format characters
      {0xFEFF, 0xFEFF},    // byte order mark
      {0xFFF9, 0xFFFB},    // interlinear annotation
      {0xE0000, 0xE007F},  // tags
  }};
  return std::any_of(kRanges.begin(), kRanges.end(),
                     [&](const Range& range) { return code >= range.low && code <= range.high; });
}

std::string clean(std::string_view text, std::size_t limit) {
  if (text.size() <= limit && is_plain_ascii(text)) return std::string(text);
  std::string out;
  out.reserve(std::min(text.size() + 16, limit));
  // Where to cut if the rest does not fit: the last boundary that leaves room for the ellipsis.
  std::size_t cut = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Decoded one = decode_utf8(text, at);
    const std::size_t before = out.size();
    if (before + kEllipsis.size() <= limit) cut = before;
    if (one.valid && is_control(one.code)) {
      out += kControlMark;
    } else if (one.valid) {
      out.append(text, at, one.length);
    } else {
      append_utf8(out, one.code);
    }
    if (out.size() > limit) {
      out.resize(cut);
      if (kEllipsis.size() <= limit) out += kEllipsis;
      return out;
    }
    at += one.length;
  }
  return out;
}

std::string clean_lines(std::string_view text) {
  std::string all;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find_first_of("\n\r\t", at), text.size());
    all += clean(text.substr(at, end - at), 1U << 20U);
    if (end < text.size()) all += text[end];
    at = end + 1;
  }
  return all;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = fold(c);
  return out;
}

std::string some_of(const std::set<std::string>& names, std::size_t most) {
  std::string text;
  std::size_t shown = 0;
  for (const std::string& name : names) {
    if (shown == most) break;
    text += (shown++ == 0 ? "" : ", ") + clean(name, 64);
  }
  return names.size() > shown ? text + " and " + std::to_string(names.size() - shown) + " more" : text;
}

namespace {

std::vector<std::string_view> parts_at(std::string_view text, char border) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find(border, at), text.size());
    if (end > at) parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

}  // namespace

std::vector<std::string_view> lines_in(std::string_view text) { return parts_at(text, '\n'); }

std::vector<std::string_view> parts_at_commas(std::string_view text) { return parts_at(text, ','); }

bool contains_folded(std::string_view text, std::string_view folded_needle) {
  if (folded_needle.empty()) return true;
  if (folded_needle.size() > text.size()) return false;
  const std::size_t last = text.size() - folded_needle.size();
  const char first = folded_needle.front();
  for (std::size_t i = 0; i <= last; ++i) {
    if (fold(text[i]) != first) continue;
    std::size_t same = 1;
    while (same < folded_needle.size() && fold(text[i + same]) == folded_needle[same]) ++same;
    if (same == folded_needle.size()) return true;
  }
  return false;
}

}  // namespace tessera
