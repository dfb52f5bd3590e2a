// The manual for man(1), made from the table of commands and flags: an overview, a page for each command, and
// one for the settings; and a configuration file to start from. Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::cli {

// "man1/tessera.1", "man1/tessera-nodes.1", ..., "man5/tessera-config.5": where each page is installed.
std::vector<std::string> manual_pages();
// Roff of one of them by its file's name; nullopt: there is no such page.
std::optional<std::string> manual(std::string_view page, std::string_view version);

// config.yaml with every setting, explained and commented out.
std::string example_configuration();

}  // namespace tessera::cli
