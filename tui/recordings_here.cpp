#include "tui/recordings_here.hpp"

#include <filesystem>
#include <system_error>

#include "engine/record/archive.hpp"

namespace tessera {

const std::string& recording_named(const cli::Options& options) {
  return options.words.empty() || options.command != "replay" ? options.recording : options.words.front();
}

std::string recordings_folder(const cli::Options& options) {
  if (const std::string& path = recording_named(options); !path.empty()) return path;
  std::error_code ignored;
  const bool usual = !options.sim && std::filesystem::is_directory(record::kUsualFolder, ignored);
  return usual ? std::string(record::kUsualFolder) : "";
}

}  // namespace tessera
