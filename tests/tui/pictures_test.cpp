// The documents: their pictures are the golden screens, so that none grows old, and their links lead
// somewhere.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "tests/support/paths.hpp"
#include "tests/support/svg.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<fs::path> documents() {
  const fs::path root = test::source_dir();
  std::vector<fs::path> files{root / "README.md", root / "CHANGELOG.md"};
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md") files.push_back(entry.path());
  return files;
}

// Targets of [text](target) and ![text](target) of a document.
std::vector<std::string> links_of(const fs::path& document) {
  static const std::regex link(R"(\]\(([^)\s]+)\))");
  const std::string text = read(document);
  std::vector<std::string> targets;
  for (std::sregex_iterator it(text.begin(), text.end(), link), end; it != end; ++it)
    targets.push_back((*it)[1]);
  return targets;
}

// As a forge makes them: small letters and digits, blanks become dashes.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' ||
        static_cast<unsigned char>(c) >= 0x80)
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (c == ' ')
      anchor += '-';
  }
  return anchor;
}

std::set<std::string> anchors_of(const fs::path& document) {
  std::set<std::string> anchors;
  std::istringstream lines(read(document));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t text = line.find_first_not_of('#');
    if (text != 0 && text != std::string::npos && line[text] == ' ')
      anchors.insert(anchor_of(line.substr(text + 1)));
  }
  return anchors;
}

TEST(Documents, LinksLeadSomewhere) {
  for (const fs::path& document : documents()) {
    for (const std::string& target : links_of(document)) {
      if (target.find("://") != std::string::npos) continue;
      const std::size_t hash = target.find('#');
      const std::string file = target.substr(0, hash);
      const fs::path there = file.empty() ? document : document.parent_path() / file;
      EXPECT_TRUE(fs::exists(there)) << document << " links to " << target;
      if (hash != std::string::npos && there.extension() == ".md")
        EXPECT_TRUE(anchors_of(there).contains(target.substr(hash + 1)))
            << document << " links to " << target;
    }
  }
}

// TESSERA_UPDATE_GOLDEN=1 draws them again.
TEST(Documents, PicturesAreTheGoldenScreens) {
  const fs::path root = test::source_dir();
  const auto theme = tui::load_theme("dark", {});
  ASSERT_TRUE(theme);
  std::set<std::string> shown;
  for (const fs::path& document : documents())
    for (const std::string& target : links_of(document))
      if (fs::path(target).extension() == ".svg") shown.insert(fs::path(target).stem().string());
  ASSERT_FALSE(shown.empty());
  for (const std::string& name : shown) {
    const fs::path golden = root / "tests/tui/golden" / (name + ".txt"),
                   picture = root / "docs/pictures" / (name + ".svg");
    ASSERT_TRUE(fs::exists(golden)) << "no golden screen is called " << name;
    const std::string svg = test::svg_of(read(golden), *theme);
    if (std::getenv("TESSERA_UPDATE_GOLDEN")) std::ofstream(picture, std::ios::binary) << svg;
    EXPECT_TRUE(read(picture) == svg)
        << picture << " differs from its golden screen; TESSERA_UPDATE_GOLDEN=1 draws it";
  }
  for (const auto& entry : fs::directory_iterator(root / "docs/pictures"))
    EXPECT_TRUE(shown.contains(entry.path().stem().string())) << entry.path() << " is shown nowhere";
}

}  // namespace
}  // namespace tessera
