// A fleet file edited in place: its comments, order and spelling stay as they are.
//
// Each edit is made in the text and read back: what the file then says must be what was asked for, and
// nothing else may differ. Where that cannot be had, the file is left alone. Threads: pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/fleet/fleet.hpp"
#include "engine/mig/catalogue.hpp"

namespace tessera::fleet {

// "layout=none", "preset=all-balanced", "demand.1g.10gb=40", "except.n07=as-is"; an empty value takes a
// demand for a profile, or an exception, out.
struct Setting {
  std::string key, value;
};
// Errors: no "=", a key that cannot be set.
Result<Setting> parse_setting(std::string_view word);

// The text with these settings made in that pool, one after the other. file: for messages. Errors: the file
// cannot be read, it has no such pool, the value is none, or its place cannot be edited without touching
// more: the error names the line.
Result<std::string> edited(std::string_view text, std::string_view file, const mig::Catalogue& catalogue,
                           std::string_view pool, std::span<const Setting> settings);

}  // namespace tessera::fleet
