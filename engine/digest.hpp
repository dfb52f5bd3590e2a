// Digests by which two texts are told apart: they find accidents, and protect against no attacker.
// Threads: plain values, pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tessera {

// FNV-1a, 64 bits, over any number of texts. Each text's end counts: "ab" and "c" are not "a" and "bc". Two
// texts of one length that differ in a single byte always have different digests.
class Digest {
 public:
  Digest& add(std::string_view text);
  std::string text() const;  // sixteen hexadecimal digits

 private:
  std::uint64_t hash_ = 14695981039346656037ULL;
};

// Of one text alone.
std::string digest(std::string_view text);
// The same with 32 bits, eight digits, in names that people read. It never changes: such names stand in
// clusters.
std::string short_digest(std::string_view text);

}  // namespace tessera
