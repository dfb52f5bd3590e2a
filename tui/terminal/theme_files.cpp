// Where themes come from: files of the user and the site, then the ones compiled in.
#include <algorithm>
#include <set>

#include "engine/embedded.hpp"
#include "tui/terminal/theme.hpp"
#include "tui/text_file.hpp"

namespace tessera::tui {
namespace {

constexpr std::string_view kReadingThemeFile = "cannot read the theme";
constexpr std::string_view kSuffix = ".yaml";
constexpr std::size_t kMaxBytes = 256 * 1024;

bool is_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), allowed) &&
         !name.starts_with("keys-");
}

}  // namespace

std::vector<std::string> theme_names(std::span<const std::filesystem::path> directories) {
  std::set<std::string> names;
  const auto add = [&names](std::string_view file) {
    if (!file.ends_with(kSuffix)) return;
    file.remove_suffix(kSuffix.size());
    if (is_name(file)) names.emplace(file);
  };
  for (const embedded::File& file : embedded::themes()) add(file.name);
  for (const auto& directory : directories) {
    std::error_code ignored;  // a directory that is not there has no themes
    for (std::filesystem::directory_iterator it(directory, ignored), end; !ignored && it != end;
         it.increment(ignored))
      add(it->path().filename().string());
  }
  return {names.begin(), names.end()};
}

Result<Theme> load_theme(std::string_view name, std::span<const std::filesystem::path> directories) {
  if (is_name(name)) {
    const std::string file = std::string(name) + std::string(kSuffix);
    for (const auto& directory : directories) {
      const std::string path = (directory / file).string();
      auto text = read_text_file(path, kMaxBytes);
      if (!text)
        return Error{std::string(kReadingThemeFile), path + ": " + text.error().reason,
                     "check the file's permissions"};
      if (*text) return Theme::parse(**text, path);
    }
    for (const embedded::File& shipped : embedded::themes())
      if (shipped.name == file) return Theme::parse(shipped.text, shipped.name);
  }
  std::string known;
  for (const std::string& other : theme_names(directories)) known += (known.empty() ? "" : ", ") + other;
  return Error{std::string(kReadingThemeFile), "there is no theme '" + std::string(name.substr(0, 64)) + "'",
               "themes are " + known};
}

}  // namespace tessera::tui
