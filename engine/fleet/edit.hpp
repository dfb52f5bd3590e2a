// A fleet file edited in place: its comments, order and spelling stay as they are.
//
// Each edit is made in the text and read back: what the file then says must be what was asked for, and
// nothing else may differ. Where that cannot be had, the file is left alone. Threads: pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engine/fleet/fleet.hpp"
#include "engine/mig/catalogue.hpp"

namespace tessera::fleet {

// "layout=none", "replicas=4", "demand.1g.10gb=40", "except.n07=as-is", "budget.lead=04:00",
// "window.Mon-Fri 20:00-07:00.layout=none", "window.Sat.demand.1g.10gb=40". An empty value takes a demand for
// a profile, an exception, a bound, a window, or what stands beside a strategy out.
struct Setting {
  enum class Part : std::uint8_t { rule, demand, exception, window, budget };
  Part part = Part::rule;
  std::string name;     // of the demand, the exception, the window or the bound
  std::string key;      // of a rule, or of a window's
  std::string profile;  // of a window's demand
  std::string value;
  std::string said;  // the word before "="
};
// Errors: no "=", a key that cannot be set.
Result<Setting> parse_setting(std::string_view word);

// The text with these settings made in that pool, one after the other; those of one rule that follow one
// another count together: a sharing needs its replicas. file: for messages. Errors: the file cannot be read,
// it has no such pool, the value is none, or its place cannot be edited without touching more: the error
// names the line.
Result<std::string> edited(std::string_view text, std::string_view file, const mig::Catalogue& catalogue,
                           std::string_view pool, std::span<const Setting> settings);

}  // namespace tessera::fleet
