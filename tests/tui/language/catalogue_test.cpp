// What ships in po/ is complete: every text that explains has its translation, and none has lost its places.
#include "tui/language/catalogue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include "engine/embedded.hpp"
#include "tests/support/paths.hpp"
#include "tests/tui/language/extract.hpp"
#include "tui/language/pattern.hpp"

namespace tessera::test {
namespace {

std::map<std::string, std::string> shipped() {
  std::map<std::string, std::string> all;
  for (const embedded::File& file : embedded::translations()) {
    const auto entries = tui::read_catalogue(file.text);
    EXPECT_TRUE(entries) << file.name;
    for (const tui::CatalogueEntry& entry : *entries)
      all.emplace(std::string(entry.original), std::string(entry.translation));
  }
  return all;
}

const std::map<std::string, std::set<std::string>>& in_sources() {
  static const auto texts = texts_of_tree();
  return texts;
}

TEST(JapaneseCatalogue, HasEveryTextThatExplains) {
  const auto known = shipped();
  std::string missing;
  for (const auto& [text, files] : in_sources())
    if (!known.contains(text)) missing += "\n" + *files.begin() + ": " + text;
  EXPECT_EQ(missing, "")
      << "\nEach of these has to be in po/ja.po, or in po/untranslated.txt where it stays as it is: see "
         "docs/japanese.md";
}

// Whether it has "Error{…}", or a function that returns one. A regular expression is slow under sanitizers:
// it is tried where one can begin, and not at every letter.
bool makes_an_error(const std::string& text) {
  static const std::regex kError(R"(\bError( error)? ?\{"?|Error \w+\([^)]*\)( const)? \{\s*return \{)");
  using namespace std::regex_constants;
  for (std::size_t at = text.find("Error"); at != std::string::npos; at = text.find("Error", at + 1)) {
    const auto before = at > 0 ? match_prev_avail : match_default;
    if (std::regex_search(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), kError,
                          match_continuous | before))
      return true;
  }
  return false;
}

// Errors explain. A file that makes one has its texts in the catalogue, or stands in POTFILES.skip with the
// reason.
TEST(JapaneseCatalogue, KnowsEveryFileThatMakesAnError) {
  std::vector<std::string> known = lines_of("POTFILES");
  const std::vector<std::string> skipped = lines_of("POTFILES.skip");
  known.insert(known.end(), skipped.begin(), skipped.end());
  const auto is_known = [&](const std::string& name) {
    return std::any_of(known.begin(), known.end(),
                       [&](const std::string& one) { return name == one || name.starts_with(one + "/"); });
  };
  int found = 0;
  std::string missing;
  for (const char* room : {"engine", "backends", "tui"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(source_dir() + "/" + room)) {
      const std::string name = std::filesystem::relative(entry.path(), source_dir()).string();
      if (!name.ends_with(".cpp") && !name.ends_with(".hpp")) continue;
      std::ifstream file(entry.path());
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      if (!makes_an_error(text)) continue;
      ++found;
      if (!is_known(name)) missing += "\n" + name;
    }
  EXPECT_EQ(missing, "") << "\nname these in po/POTFILES, or in po/POTFILES.skip with the reason";
  EXPECT_GE(found, 80);
}

TEST(JapaneseCatalogue, HasNoTextThatIsUsedNoMore) {
  std::string unused;
  const auto composed = lines_of("composed.txt");
  for (const auto& [text, told] : shipped())
    if (!in_sources().contains(text) && std::find(composed.begin(), composed.end(), text) == composed.end())
      unused += "\n" + text;
  EXPECT_EQ(unused, "") << "\nno source says these any more: take them out of po/ja.po";
}

TEST(JapaneseCatalogue, ListsOfTextsThatStayAreNoLongerThanTheyMustBe) {
  std::set<std::string> all;
  const auto known = shipped();
  for (const std::string& text : lines_of("composed.txt"))
    EXPECT_TRUE(known.contains(text)) << "composed.txt: \"" << text << "\" has no translation";
  for (const std::string& text : lines_of("untranslated.txt")) {
    EXPECT_FALSE(known.contains(text)) << "\"" << text << "\" is translated all the same";
    EXPECT_TRUE(all.insert(text).second) << "\"" << text << "\" is listed twice";
  }
}

// "client{}", "edit{} {} lost": endings of a plural and its verb, which Japanese has not.
std::set<std::size_t> endings_of(const std::string& text) {
  static const std::regex kPlace(R"(\{([0-9]*)[^{}]*\})");
  std::set<std::size_t> endings;
  std::size_t index = 0, last_end = std::string::npos;
  for (std::sregex_iterator at(text.begin(), text.end(), kPlace), end; at != end; ++at, ++index) {
    const auto begin = static_cast<std::size_t>(at->position());
    const bool behind_letter = begin > 0 && std::isalpha(static_cast<unsigned char>(text[begin - 1])) != 0;
    if (!behind_letter && begin != last_end + 1) continue;
    endings.insert((*at)[1].length() > 0 ? std::stoul((*at)[1].str()) : index);
    last_end = begin + static_cast<std::size_t>(at->length());
  }
  return endings;
}

// The arguments that a translation takes are those of the original, each as often as it likes but at least
// once; and an original without places has none.
TEST(JapaneseCatalogue, TranslationsHaveThePlacesOfTheirOriginals) {
  for (const auto& [text, told] : shipped()) {
    const tui::Pattern original(text), translation(told);
    std::set<std::size_t> here(original.order().begin(), original.order().end()),
        there(translation.order().begin(), translation.order().end());
    for (std::size_t ending : endings_of(text))
      if (!there.contains(ending)) here.erase(ending);
    EXPECT_EQ(here, there) << text << "\n" << told;
  }
}

// "R455", "1.9.13", "48": a limit that differs by language is wrong in one of them.
TEST(JapaneseCatalogue, FiguresAreThoseOfTheOriginals) {
  constexpr const char* kHexadecimal = "16進数";  // a word for "hex"
  int with = 0;
  for (const auto& [text, told] : shipped()) {
    const auto figures = figures_of(text);
    with += figures.empty() ? 0 : 1;
    if (text.empty() || told.find(kHexadecimal) != std::string::npos) continue;
    EXPECT_EQ(figures_of(told), figures) << text << "\n" << told;
  }
  EXPECT_GE(with, 60);
}

TEST(JapaneseCatalogueGolden, TemplateIsMadeFromTheSources) {
  const std::string path = source_dir() + "/po/tessera.pot", now = as_template(in_sources());
  if (std::getenv("TESSERA_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path) << now;
    return;
  }
  std::ifstream file(path);
  const std::string there{std::istreambuf_iterator<char>(file), {}};
  EXPECT_TRUE(there == now) << "po/tessera.pot is stale: TESSERA_UPDATE_GOLDEN=1 writes it";
}

TEST(JapaneseCatalogue, FindsTextsAsTheyWillStand) {
  const auto texts = texts_of(R"cc(
    add("does not answer on " + daemon.host(a, "b c"), fmt::format("{} is "
                                                                   "down",
                                                                   x));
    text += "; reachable around " + board[i] + " only";  // "not this one"
    return ok ? "yes to all" : "no to " + one;)cc");
  for (const char* wanted :
       {"does not answer on {}", "{} is down", "reachable around {} only", "yes to all", "no to {}"})
    EXPECT_EQ(std::count(texts.begin(), texts.end(), wanted), 1) << wanted;
  EXPECT_TRUE(is_prose("does not answer on {}"));
  for (const char* other : {"nvidia-smi mig -lgi", "{} {}", "1g.10gb", "single", "{}: {}", "GPU {}"})
    EXPECT_FALSE(is_prose(other)) << other;
}

}  // namespace
}  // namespace tessera::test
