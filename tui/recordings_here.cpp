#include "tui/recordings_here.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include "backends/record/archive.hpp"
#include "tui/cli/record/elsewhere.hpp"

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

std::unique_ptr<record::Archive> archive_of(const cli::Options& options, const mig::Catalogue& catalogue,
                                            const cli::Joins& joins, bool looks_back) {
  std::string folder = recordings_folder(options);
  record::Elsewhere elsewhere = looks_back ? record::Elsewhere() : cli::elsewhere(options, catalogue, joins);
  if (folder.empty() && !elsewhere.prometheus && !elsewhere.accounting) return nullptr;
  return record::open_archive(std::move(folder), joins.wall,
                              usage::Span{options.since, options.limits, options.except},
                              std::move(elsewhere));
}

}  // namespace tessera
