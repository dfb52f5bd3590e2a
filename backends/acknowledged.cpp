#include "backends/acknowledged.hpp"

#include "backends/files.hpp"

namespace tessera {
namespace {

Error not_kept(std::string reason) {
  return {"cannot keep what is acknowledged", std::move(reason), "it counts in this console alone"};
}

}  // namespace

Result<std::vector<insight::Acknowledgement>> read_acknowledged(const std::string& path) {
  if (path.empty()) return std::vector<insight::Acknowledgement>{};
  const auto file = read_whole_file("cannot read what was acknowledged", path, insight::kMostOfAcknowledged);
  if (!file) return file.error();
  if (!*file) return std::vector<insight::Acknowledgement>{};
  return insight::parse_acknowledged((*file)->text, path);
}

Status keep_acknowledged(const std::string& path, const insight::Acknowledgement& one, TimePoint wall) {
  if (path.empty()) return not_kept("neither XDG_STATE_HOME nor HOME is set");
  std::vector<insight::Acknowledgement> all;
  if (auto kept = read_acknowledged(path)) all = std::move(*kept);
  const std::string text = insight::acknowledged_text(insight::with(std::move(all), one, wall), wall);
  if (Status kept = replace_file("", path, text); !kept) return not_kept(kept.error().reason);
  return Done{};
}

}  // namespace tessera
