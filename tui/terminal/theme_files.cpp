// Where themes come from: files of the user and the site, then the ones compiled in.
#include <algorithm>
#include <fstream>
#include <set>

#include "engine/embedded.hpp"
#include "tui/terminal/theme.hpp"

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

Result<std::string> read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text(kMaxBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || (!in.eof() && in.gcount() == 0))
    return Error{std::string(kReadingThemeFile), path.string() + ": cannot be read",
                 "check the file's permissions"};
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > kMaxBytes)
    return Error{std::string(kReadingThemeFile), path.string() + ": longer than 256 KiB", ""};
  return text;
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
      const std::filesystem::path path = directory / file;
      std::error_code ignored;
      if (!std::filesystem::is_regular_file(path, ignored)) continue;
      auto text = read_file(path);
      if (!text) return text.error();
      return Theme::parse(*text, path.string());
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
