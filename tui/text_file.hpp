// Text files of users and admins, read whole with a bound: settings, catalogues, themes, remembered choices;
// and whom a file that names commands is open to.
// (backends/files is the same for backends; the arrows of docs/map.md keep the two apart.)
// Threads: functions without state that read files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/error.hpp"

namespace tessera::tui {

// nullopt: there is no such file, or its folder cannot be entered. Errors have a reason only, without the
// path. A FIFO or a device is refused unopened: it would keep the reader waiting. So is a link that leads
// nowhere or in a circle, and what a file server does not give out: what is there and cannot be read is not
// missing, nor is what lies behind a folder that is such a link. most: bytes.
Result<std::optional<std::string>> read_text_file(const std::string& path, std::uintmax_t most);

// For files that name commands: an error where everyone on this machine can write to it or put another into
// its place (a folder above it is open to all and not sticky), or another user has put it, or a folder above
// it, into a folder of all. What its group can write is left to the site. No file: no error, as where it is
// no file.
Status not_everyones(const std::string& path);

}  // namespace tessera::tui
