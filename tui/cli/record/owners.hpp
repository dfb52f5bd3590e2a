// The texts to owners of `tessera waste`: printed, or handed to the site's own command, owner by owner.
// Threads: the main one; sending blocks it.
#pragma once

#include <optional>
#include <string>

#include "engine/error.hpp"
#include "tui/cli/record/looked.hpp"
#include "tui/cli/run.hpp"

namespace tessera::cli {

// In the language of the letters. A document is for a site's own way to send them, owner by owner.
std::string messages_to_owners(const Looked& looked, const Options& options);

// Why --send cannot do anything; nullopt: it can.
std::optional<Error> why_not_sent(const Options& options, const Joins& joins);

// Runs the site's command once for each owner, one after the other, and prints how each fared. False: one was
// not told; each of these is complained of by name.
bool send_to_owners(const Looked& looked, const Options& options, const Joins& joins, const Streams& streams);

}  // namespace tessera::cli
