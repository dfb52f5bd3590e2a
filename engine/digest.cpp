#include "engine/digest.hpp"

#include <fmt/format.h>

namespace tessera {
namespace {

constexpr std::uint64_t kStart = 14695981039346656037ULL, kPrime = 1099511628211ULL;

std::uint64_t mixed(std::uint64_t hash, std::string_view text) {
  for (unsigned char byte : text) hash = (hash ^ byte) * kPrime;
  return hash;
}

}  // namespace

Digest& Digest::add(std::string_view text) {
  hash_ = (mixed(hash_, text) ^ 0xFFU) * kPrime;
  return *this;
}

std::string Digest::text() const { return fmt::format("{:016x}", hash_); }

std::string digest(std::string_view text) { return fmt::format("{:016x}", mixed(kStart, text)); }

std::string short_digest(std::string_view text) {
  std::uint32_t hash = 2166136261U;
  for (unsigned char byte : text) hash = (hash ^ byte) * 16777619U;
  return fmt::format("{:08x}", hash);
}

}  // namespace tessera
