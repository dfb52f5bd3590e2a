// Weighs who sets what: flag before environment before file before default. One place, one order.
// Threads: pure functions; read_files(), read_configuration() and write_new() touch files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/error.hpp"
#include "tui/cli/options.hpp"
#include "tui/cli/parse.hpp"

namespace tessera::cli {

// Where tessera looks for files of this name, the one that counts most first; XDG, then /etc/tessera.
// A home that is missing or cannot be read just drops out of the list.
std::vector<std::string> paths_of(std::string_view file, const Environment& environment);

struct TextFile {
  std::string path;
  std::string text;
};
// Those of `paths` that exist. An error only for a file that is there and cannot be read.
Result<std::vector<TextFile>> read_files(const std::vector<std::string>& paths,
                                         std::uintmax_t most = 16u << 20);
// The same of config.yaml, which names commands: an error where one of them is open to other users, too.
Result<std::vector<TextFile>> read_configuration(const std::vector<std::string>& paths);

// Writes a file that is not there yet, with the folders above it, and keeps it by fsync. hint: of its errors.
Status write_new(const std::string& path, const std::string& text, const std::string& hint);

// Of an environment variable; empty where it is not set.
std::string value_of(const Environment& environment, const std::string& name);

// Every setting that a user set, and the defaults. files: config.yaml, the one that counts most first.
Result<Settings> gather(const Parsed& parsed, const Environment& environment,
                        const std::vector<TextFile>& files);

// The language of messages about the settings themselves, by those of them that can be read; null: English.
tui::WordsPtr reader_of(const std::vector<std::string>& arguments, const Environment& environment);

// The settings as values. Errors name the setting, who set it and what it may be.
Result<Options> to_options(const Parsed& parsed, const Settings& settings);

// "10", "10s", "2m", "1h", "3d", "500ms"
std::optional<Duration> parse_duration(std::string_view text);

}  // namespace tessera::cli
