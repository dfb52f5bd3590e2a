// Findings that a user has taken note of for some hours: they stay listed, and no longer call for
// attention.
//
// Kept as JSON, one entry a line, in the user's state folder; a colleague has a file of their own.
// Threads: plain values, pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"
#include "engine/insight/causes.hpp"

namespace tessera::insight {

struct Acknowledgement {
  std::string cause;               // Cause::id
  std::vector<std::string> whose;  // whom it concerned then: whoever comes later is news
  TimePoint until{};               // by the wall clock
  friend bool operator==(const Acknowledgement&, const Acknowledgement&) = default;
};
inline constexpr std::size_t kMostAcknowledged = 1000;
inline constexpr std::size_t kMostOfAcknowledged = std::size_t{1} << 20;  // bytes of the file

// Errors name the line; nothing of a broken file counts.
Result<std::vector<Acknowledgement>> parse_acknowledged(std::string_view text, std::string_view file);
// What is over at that time is left out.
std::string acknowledged_text(std::span<const Acknowledgement> all, TimePoint wall);

// One more, or, where `until` is not later than `wall`, that cause again as if nobody had taken note of it.
std::vector<Acknowledgement> with(std::vector<Acknowledgement> all, Acknowledgement one, TimePoint wall);

// When the note ends; nullopt: no user has taken note of it, the time is over, or it concerns others as well.
std::optional<TimePoint> acknowledged_until(const Cause& cause, std::span<const Acknowledgement> all,
                                            TimePoint wall);

}  // namespace tessera::insight
