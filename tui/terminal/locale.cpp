#include "tui/terminal/locale.hpp"

#include <langinfo.h>

#include <clocale>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>

#include "engine/embedded.hpp"
#include "engine/text.hpp"

namespace tessera::tui {
namespace {

// The C library reads a locale from files alone. Ours are gone again once it has.
class LocaleFolder {
 public:
  LocaleFolder() {
    for (const char* place : {"/dev/shm", "/tmp", "/var/tmp"}) {
      std::string folder = std::string(place) + "/tessera-locale.XXXXXX";
      if (!mkdtemp(folder.data())) continue;
      path_ = folder;
      return;
    }
  }
  ~LocaleFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  LocaleFolder(const LocaleFolder&) = delete;
  LocaleFolder& operator=(const LocaleFolder&) = delete;

  bool add(const embedded::File& file) const {
    if (path_.empty()) return false;
    std::error_code problem;
    std::filesystem::create_directory(path_ + "/C.UTF-8", problem);
    std::ofstream out(path_ + "/C.UTF-8/" + std::string(file.name), std::ios::binary);
    out << file.text;
    out.close();
    return !problem && out.good();
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

void take_builtin_locale() {
  const LocaleFolder folder;
  for (const embedded::File& file : embedded::locales())
    if (!folder.add(file)) return;
  const char* text = std::getenv("LOCPATH");
  const std::optional<std::string> set_before = text ? std::optional<std::string>(text) : std::nullopt;
  setenv("LOCPATH", folder.path().c_str(), 1);
  std::setlocale(LC_CTYPE, "C.UTF-8");
  // The programs that are started find the user's locales where they were.
  set_before ? setenv("LOCPATH", set_before->c_str(), 1) : unsetenv("LOCPATH");
}

// UTF-8 is often asked for by a locale that the server does not have; the terminal speaks it all the same.
void take_locale() {
  const bool known = std::setlocale(LC_CTYPE, "") != nullptr;
  if (known && std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0) return;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* text = std::getenv(name);
    if (!text || !*text) continue;
    const std::string value = lower(text);
    if (value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos)
      if (!std::setlocale(LC_CTYPE, "C.UTF-8")) take_builtin_locale();
    return;
  }
}

}  // namespace tessera::tui
