#include "backends/sim/apiserver/continue_token.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace tessera::sim::kube {
namespace {

constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::size_t kMostToken = 4096;

// URL-safe and without padding.
std::string encode(std::string_view bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k <= count; ++k) out += kLetters[group >> (18 - 6 * k) & 63];
  }
  return out;
}

// The byte at which it is none, when it is none.
std::variant<std::string, std::size_t> decode(std::string_view token) {
  while (!token.empty() && token.back() == '=') token.remove_suffix(1);
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (std::size_t i = 0; i < token.size(); ++i) {
    std::size_t digit = kLetters.find(token[i]);
    if (digit == std::string_view::npos) return i;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 255);
  }
  return out;
}

Refusal not_valid(std::string_view why) {
  return bad_request(fmt::format("invalid continue token: continue key is not valid: {}", why));
}

// As Go quotes a byte that no JSON begins with.
std::string quoted(char c) {
  auto byte = static_cast<unsigned char>(c);
  if (byte == '\'') return R"('\'')";
  if (byte >= 0x20 && byte < 0x7F) return fmt::format("'{}'", c);
  if (byte >= 0x80 && byte < 0xA0) return fmt::format("'\\u{:04x}'", byte);
  if (byte >= 0xA0) return fmt::format("'\\u{:04x}'", byte);
  return fmt::format("'\\x{:02x}'", byte);
}

}  // namespace

std::string continue_token(const ListPlace& place) {
  std::string start = place.ns.empty() ? place.name : place.ns + "/" + place.name;
  std::string json = fmt::format(R"({{"v":"meta.k8s.io/v1","rv":{},"start":)", place.version);
  std::string key = to_line(text(start));
  key.insert(key.size() - 1, "\\u0000");
  return encode(json + key + "}");
}

std::variant<ListPlace, Refusal> parse_continue(std::string_view token) {
  if (token.size() > kMostToken) return not_valid("too long");
  auto bytes = decode(token);
  if (auto* at = std::get_if<std::size_t>(&bytes))
    return not_valid(fmt::format("illegal base64 data at input byte {}", *at));
  const std::string& json = std::get<std::string>(bytes);
  if (json.empty()) return not_valid("unexpected end of JSON input");
  if (json.front() != '{')
    return not_valid(
        fmt::format("invalid character {} looking for beginning of value", quoted(json.front())));
  Result<Json> value = parse_json(json, "token");
  if (!value) return not_valid("unexpected end of JSON input");
  if (text_at(*value, {"v"}) != "meta.k8s.io/v1")
    return not_valid(fmt::format("server does not recognize this encoded version {}",
                                 to_line(text(text_at(*value, {"v"})))));
  ListPlace place;
  place.version = number_at(*value, {"rv"});
  if (place.version == 0)
    return not_valid("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  std::string start = text_at(*value, {"start"});
  if (start.empty() || start.back() != '\0')
    return not_valid("encoded start key empty (version meta.k8s.io/v1)");
  start.pop_back();
  if (std::size_t slash = start.find('/'); slash != std::string::npos) {
    place.ns = start.substr(0, slash);
    start.erase(0, slash + 1);
  }
  place.name = std::move(start);
  return place;
}

}  // namespace tessera::sim::kube
