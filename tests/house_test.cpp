// The house rules that a compiler does not see: who may include whom, where heavy headers live, how long a
// file may be. They read the source tree as text.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/paths.hpp"

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = tessera::test::source_dir();

// At once: letter by letter the whole tree takes seconds under sanitizers.
std::string read(const fs::path& path) {
  std::string text(fs::file_size(path), '\0');
  std::ifstream(path, std::ios::binary).read(text.data(), static_cast<std::streamsize>(text.size()));
  return text;
}

bool is_source(const fs::path& path) { return path.extension() == ".cpp" || path.extension() == ".hpp"; }

// Paths from the root, of every C++ file below the given rooms.
std::vector<std::string> sources(std::initializer_list<const char*> rooms) {
  std::vector<std::string> files;
  for (const char* room : rooms) {
    if (!fs::exists(kRoot / room)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / room)) {
      if (entry.is_regular_file() && is_source(entry.path())) {
        files.push_back(fs::relative(entry.path(), kRoot).string());
      }
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> includes(const std::string& file) {
  std::vector<std::string> found;
  std::ifstream stream(kRoot / file);
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with("#include")) continue;  // as clang-format writes it
    std::size_t begin = line.find_first_of("<\""), end = line.find_first_of(">\"", begin + 1);
    if (begin != std::string::npos && end != std::string::npos)
      found.push_back(line.substr(begin + 1, end - begin - 1));
  }
  return found;
}

bool is_word_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Whether the text holds `what` as a word of its own. (std::regex over the whole tree takes half a minute
// under sanitizers.)
bool has_word(const std::string& text, const std::string& what) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    bool starts = at == 0 || !is_word_part(text[at - 1]) || !is_word_part(what.front());
    std::size_t end = at + what.size();
    if (starts && (end == text.size() || !is_word_part(text[end]) || !is_word_part(what.back()))) return true;
  }
  return false;
}

std::string room_of(const std::string& path) { return path.substr(0, path.find('/')); }

TEST(House, EngineKnowsOnlyItself) {
  for (const std::string& file : sources({"engine"})) {
    for (const std::string& header : includes(file)) {
      std::string room = room_of(header);
      EXPECT_FALSE(room == "backends" || room == "tui" || room == "tests") << file << " includes " << header;
    }
  }
}

TEST(House, BackendsKnowEngineButNotTheConsole) {
  for (const std::string& file : sources({"backends"})) {
    for (const std::string& header : includes(file)) {
      EXPECT_FALSE(room_of(header) == "tui" || room_of(header) == "tests") << file << " includes " << header;
    }
  }
}

// The two programs, and what they share.
bool is_program(const std::string& file) {
  return file == "tui/main.cpp" || file == "tui/sim_main.cpp" || file == "tui/simulator_options.hpp";
}

// The stand-in for an API server serves what it is given: GPUs and the operator stand behind it.
TEST(House, TheSimulatedApiServerKnowsNothingOfGpus) {
  for (const std::string& file : sources({"backends/sim/apiserver"})) {
    for (const std::string& header : includes(file))
      EXPECT_TRUE(room_of(header) != "backends" || header.starts_with("backends/sim/apiserver/") ||
                  header == "backends/http_server.hpp" || header == "backends/sim/random.hpp")
          << file << " includes " << header;
    for (const char* name : {"ClusterPolicy", "clusterpolicies", "clusterpolicy", "nvidia", "Gpu", "Board"})
      EXPECT_FALSE(has_word(read(kRoot / file), name)) << file << " names " << name;
  }
}

TEST(House, OnlyMainJoinsConsoleAndBackends) {
  bool joined = false;
  for (const std::string& file : sources({"tui"})) {
    for (const std::string& header : includes(file)) {
      if (room_of(header) == "backends") {
        EXPECT_TRUE(is_program(file)) << file << " includes " << header;
        joined = true;
      }
      EXPECT_NE(room_of(header), "tests") << file << " includes " << header;
    }
  }
  EXPECT_TRUE(joined) << "main.cpp opens no backend";
}

TEST(House, EngineTouchesNoClockThreadFileOrSocket) {
  const std::regex worldly(
      R"(^(thread|mutex|condition_variable|future|fstream|iostream|filesystem|unistd\.h|sys/.*|pthread\.h|netdb\.h)$)");
  for (const std::string& file : sources({"engine"})) {
    for (const std::string& header : includes(file)) {
      EXPECT_FALSE(std::regex_match(header, worldly)) << file << " includes <" << header << ">";
    }
    EXPECT_EQ(read(kRoot / file).find("_clock::now"), std::string::npos) << file << " reads a clock";
  }
}

// The standard headers are read once for each program (TESSERA_PRECOMPILE), so that the compiler does not
// miss one. The words that every value is made of (strings, vectors, optionals) come with the headers of the
// values.
struct Named {
  const char* header;
  std::vector<const char*> names;
};

TEST(House, AFileIncludesTheStandardHeadersThatItNames) {
  const Named named[] = {
      {"algorithm",
       {"std::sort", "std::stable_sort", "std::find_if", "std::any_of", "std::all_of", "std::none_of",
        "std::max_element", "std::min_element", "std::transform", "std::reverse", "std::lower_bound",
        "std::upper_bound", "std::count_if", "std::min", "std::max", "std::clamp", "std::equal",
        "std::rotate", "std::partial_sort"}},
      {"array", {"std::array"}},
      {"charconv", {"std::from_chars", "std::to_chars"}},
      {"deque", {"std::deque"}},
      {"fmt", {"fmt::format", "fmt::format_to", "fmt::join"}},
      {"functional", {"std::function"}},
      {"map", {"std::map", "std::multimap"}},
      {"memory",
       {"std::unique_ptr", "std::shared_ptr", "std::weak_ptr", "std::make_unique", "std::make_shared"}},
      {"numeric", {"std::accumulate", "std::iota", "std::gcd"}},
      {"set", {"std::set", "std::multiset"}},
      {"span", {"std::span"}},
      {"sstream", {"std::ostringstream", "std::istringstream", "std::stringstream"}},
      {"tuple", {"std::tuple", "std::tie"}},
      {"unordered_map", {"std::unordered_map"}},
      {"unordered_set", {"std::unordered_set"}},
  };
  for (const std::string& file : sources({"engine", "backends", "tui"})) {
    std::vector<std::string> seen = includes(file);
    for (const std::string& header : includes(file)) {
      if (!fs::exists(kRoot / header)) continue;
      for (std::string& further : includes(header)) seen.push_back(std::move(further));
    }
    const std::string text = read(kRoot / file);
    for (const Named& one : named) {
      bool there = std::any_of(seen.begin(), seen.end(), [&](const std::string& header) {
        return header == one.header || header.starts_with(std::string(one.header) + "/");
      });
      for (const char* name : one.names)
        EXPECT_TRUE(there || !has_word(text, name))
            << file << " names " << name << " without <" << one.header << ">";
    }
  }
}

// A heavy header costs every file that sees it; each has its home.
struct Home {
  std::regex header;  // over what stands between the brackets
  std::regex files;   // over paths
};

TEST(House, HeavyHeadersStayAtHome) {
  const Home homes[] = {
      {std::regex(R"((n?curses|ncursesw/.*|term)\.h|ncursesw/.*)"),
       std::regex(R"(tui/terminal/(terminal|painter)\.cpp)")},
      {std::regex(R"(boost/process.*)"), std::regex(R"(backends/process\.cpp)")},
      {std::regex(R"(boost/uuid/.*)"), std::regex(R"(engine/record/anonymous\.cpp)")},
      {std::regex(R"(boost/(?!uuid/).*)"),
       std::regex(R"(backends/(worker|process|http_client|http_server)\.cpp)")},
      {std::regex(R"(yaml-cpp/.*)"), std::regex(R"(engine/yaml\.cpp)")},
      {std::regex(R"(utf8proc.*)"), std::regex(R"(tui/terminal/width\.cpp)")},
      {std::regex(R"(CLI/.*)"), std::regex(R"(tui/cli/parse\.cpp)")},
      {std::regex(R"(nlohmann/.*)"), std::regex(R"((tui/cli|engine)/json\.cpp)")},
      {std::regex(R"(simdjson.*)"), std::regex(R"(backends/.*\.cpp)")},
      {std::regex(R"((Cbc|Cgl|Osi|Clp|Coin)\w*\.hpp)"), std::regex(R"(engine/pack/solver\.cpp)")},
      {std::regex(R"(gtest/.*|rapidcheck.*|benchmark/.*)"), std::regex(R"($^)")},
  };
  for (const std::string& file : sources({"engine", "backends", "tui"})) {
    for (const std::string& header : includes(file)) {
      for (const Home& home : homes) {
        if (!std::regex_match(header, home.header)) continue;
        EXPECT_TRUE(std::regex_match(file, home.files)) << file << " includes <" << header << ">";
      }
    }
  }
}

TEST(House, NoFileIsLongerThanSixHundredLines) {
  std::vector<std::size_t> lengths;
  for (const std::string& file : sources({"engine", "backends", "tui", "tests", "bench"})) {
    std::string text = read(kRoot / file);
    auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    lengths.push_back(lines);
    EXPECT_LE(lines, 600u) << file;
  }
  ASSERT_FALSE(lengths.empty());
  std::sort(lengths.begin(), lengths.end());
  EXPECT_LE(lengths[lengths.size() * 9 / 10], 400u) << "nine files in ten should stay under 400 lines";
}

TEST(House, TestsWaitForEventsAndNeverSleep) {
  for (const std::string& file : sources({"tests"})) {
    if (file == "tests/house_test.cpp") continue;
    std::string text = read(kRoot / file);
    for (const char* word : {"sleep_for", "sleep_until", "usleep", "nanosleep", "::sleep("}) {
      EXPECT_FALSE(has_word(text, word)) << file << " has " << word;
    }
  }
}

TEST(House, NothingRunsThroughAShell) {
  for (const std::string& file : sources({"engine", "backends", "tui"})) {
    std::string text = read(kRoot / file);
    for (const char* word : {"std::system", "popen", "execlp", "\"/bin/sh\"", "\"/bin/bash\""}) {
      EXPECT_FALSE(has_word(text, word)) << file << " has " << word;
    }
  }
}

TEST(House, HeadersOpenWithTheirPurposeAndARuleOnThreads) {
  for (const std::string& file : sources({"engine", "backends", "tui"})) {
    if (!file.ends_with(".hpp")) continue;
    std::string text = read(kRoot / file);
    EXPECT_TRUE(text.starts_with("// ")) << file;
    const std::size_t begin = text.find("#pragma once");
    ASSERT_NE(begin, std::string::npos) << file;
    EXPECT_NE(text.substr(0, begin).find("Thread"), std::string::npos) << file << " has no word on threads";
  }
}

TEST(House, NothingIsLeftUnfinished) {
  for (const std::string& file : sources({"engine", "backends", "tui", "tests", "bench"})) {
    if (file == "tests/house_test.cpp") continue;
    std::string text = read(kRoot / file);
    for (const char* word : {"TODO", "FIXME"}) EXPECT_FALSE(has_word(text, word)) << file << " has " << word;
  }
}

TEST(House, ChangelogAndCmakeAgreeOnTheVersion) {
  std::string cmake = read(kRoot / "CMakeLists.txt"), changelog = read(kRoot / "CHANGELOG.md");
  std::smatch version, entry;
  ASSERT_TRUE(std::regex_search(cmake, version, std::regex(R"(project\(tessera VERSION ([0-9.]+))")));
  ASSERT_TRUE(std::regex_search(changelog, entry, std::regex(R"(\n## \[?([0-9.]+))")));
  EXPECT_EQ(version[1], entry[1]);
}

// The names in a list of bootstrap, NAME_packages=( … ), without the commands that stand for them.
std::set<std::string> packages_of(const std::string& bootstrap, const std::string& name) {
  const std::size_t begin = bootstrap.find("\n" + name + "_packages=(");
  if (begin == std::string::npos) return {};
  const std::size_t open = bootstrap.find('(', begin) + 1;
  std::istringstream words(bootstrap.substr(open, bootstrap.find(')', open) - open));
  std::set<std::string> found;
  for (std::string word; words >> word;) found.insert(word.substr(0, word.find('=')));
  return found;
}

std::set<std::string> all_packages(const std::string& bootstrap) {
  static const std::regex list(R"(\n([a-z0-9_]+)_packages=\()");
  std::set<std::string> found;
  for (std::sregex_iterator it(bootstrap.begin(), bootstrap.end(), list), end; it != end; ++it)
    found.merge(packages_of(bootstrap, (*it)[1]));
  return found;
}

// The first column of README's table of dependencies: "libwrap0, libaudit1", "slurmctld (or …)".
std::set<std::string> packages_of_readme(const std::string& readme) {
  const std::size_t begin = readme.find("\n## Dependencies");
  std::istringstream lines(readme.substr(begin, readme.find("\n## ", begin + 1) - begin));
  std::set<std::string> found;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| ") || line.starts_with("| package |") || line.starts_with("| ---")) continue;
    const std::string cell =
        std::regex_replace(line.substr(2, line.find(" |") - 2), std::regex(R"( \([^)]*\))"), "");
    std::istringstream names(std::regex_replace(cell, std::regex(","), " "));
    for (std::string name; names >> name;) found.insert(name);
  }
  return found;
}

TEST(House, ReadmeGivesTheReasonForEveryPackageThatBootstrapInstalls) {
  const std::set<std::string> installed = all_packages(read(kRoot / "bootstrap"));
  EXPECT_GT(installed.size(), 25U) << "bootstrap's lists were not understood";
  EXPECT_EQ(installed, packages_of_readme(read(kRoot / "README.md")));
}

// A static binary contains its libraries: a new one needs its licence in the packages, its place in the SBOM,
// in the cross build and in the recipes.
TEST(House, EveryLibraryIsInTheLicencesTheCrossBuildAndTheRecipes) {
  const std::string bootstrap = read(kRoot / "bootstrap"), cmake = read(kRoot / "CMakeLists.txt");
  const std::size_t fetch = bootstrap.find("\nfetch_arm64()");
  ASSERT_NE(fetch, std::string::npos);
  const std::string arm64 = bootstrap.substr(fetch, bootstrap.find("\n}", fetch) - fetch);
  const std::string easybuild = read(kRoot / "docs/recipes/easybuild/tessera-0.2.0.eb");
  const std::string spack = read(kRoot / "docs/recipes/spack/tessera/package.py");
  std::size_t libraries = 0;
  for (const std::string& package : packages_of(bootstrap, "build")) {
    if (!package.ends_with("-dev")) continue;
    ++libraries;
    EXPECT_NE(cmake.find('"' + package + ' '), std::string::npos) << package << " is not in linked_in";
    EXPECT_NE(easybuild.find('\'' + package + '\''), std::string::npos) << package << " is not in the .eb";
    // simdjson is compiled from its source, which the cross build shares.
    if (package != "libsimdjson-dev") EXPECT_TRUE(has_word(arm64, package)) << package;
    // libboost1.81-dev is boost there, nlohmann-json3-dev is nlohmann-json, coinor-libcbc-dev is cbc,
    // zlib1g-dev is zlib.
    const std::string name = std::regex_replace(package, std::regex("^(coinor-)?lib|(1g|[0-9.]*)-dev$"), "");
    EXPECT_NE(spack.find("depends_on(\"" + name), std::string::npos) << name << " is not in package.py";
  }
  EXPECT_GT(libraries, 6U);
}

// docs/map.md lists the arrows as `- from -> to`: exactly those that the includes draw.
TEST(House, TheMapShowsTheArrowsThatTheIncludesDraw) {
  std::string map = read(kRoot / "docs/map.md");
  const std::regex form(R"(\n- (\S+) -> (\S+))");
  std::set<std::string> told, drawn;
  for (auto it = std::sregex_iterator(map.begin(), map.end(), form); it != std::sregex_iterator(); ++it) {
    told.insert((*it)[1].str() + " -> " + (*it)[2].str());
  }
  for (const std::string& file : sources({"engine", "backends", "tui"})) {
    for (const std::string& header : includes(file)) {
      std::string from = room_of(file), to = room_of(header);
      if (from == to || (to != "engine" && to != "backends" && to != "tui")) continue;
      if (is_program(file) && to != "engine") from = file;
      drawn.insert(from + " -> " + to);
    }
  }
  EXPECT_EQ(told, drawn);
}

// Every folder that holds code is a room on the map, so that the map cannot fall behind.
TEST(House, TheMapNamesEveryRoom) {
  std::string map = read(kRoot / "docs/map.md");
  std::set<std::string> rooms;
  for (const std::string& file : sources({"engine", "backends", "tui"}))
    rooms.insert(fs::path(file).parent_path());
  for (const std::string& room : rooms) {
    bool whole = map.find("`" + room + "`") != std::string::npos;
    bool short_form = map.find("`" + fs::path(room).filename().string() + "`") != std::string::npos;
    bool heading = map.find("\n## " + room + ":") != std::string::npos;
    EXPECT_TRUE(whole || short_form || heading) << "docs/map.md does not name " << room;
  }
}

// What lies in no folder of its room stands there by its name.
TEST(House, TheMapNamesEveryFileThatHasNoFolder) {
  const std::string map = read(kRoot / "docs/map.md");
  for (const std::string& file : sources({"engine", "backends", "tui"}))
    if (fs::path(file).parent_path() == room_of(file))
      EXPECT_TRUE(has_word(map, fs::path(file).stem().string())) << "docs/map.md does not name " << file;
}

// Whether the place lies between quotes on its line.
bool in_literal(const std::string& code, std::size_t place) {
  const std::size_t begin = code.rfind('\n', place) + 1;
  bool inside = false;
  for (std::size_t i = begin; i < place; ++i)
    if (code[i] == '"' && (i == begin || code[i - 1] != '\\')) inside = !inside;
  return inside;
}

// What follows "tessera" in the texts that people read, each once.
std::set<std::string> words_behind_the_name() {
  constexpr std::string_view kName = "tessera ";
  std::set<std::string> words;
  for (const std::string& file : sources({"engine", "backends", "tui"})) {
    const std::string code = read(kRoot / file);
    for (std::size_t at = code.find(kName); at != std::string::npos; at = code.find(kName, at + 1)) {
      const std::size_t begin = at + kName.size();
      const std::size_t end = code.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", begin);
      if (end > begin && code[begin] != '-' && in_literal(code, at))
        words.insert(code.substr(begin, end - begin));
    }
  }
  return words;
}

// Texts that people read: every literal of more than one word, and every document but the one that lists the
// words. Joined by lines, so that a phrase is found across the end of one.
std::string all_texts() {
  std::string texts;
  for (const std::string& file : sources({"engine", "backends", "tui"})) {
    if (file == "backends/sim/saved/state_save.cpp") continue;  // words of a file's format
    const std::string code = read(kRoot / file);
    for (std::size_t at = code.find('"'); at != std::string::npos; at = code.find('"', at + 1)) {
      std::size_t end = at + 1;
      while (end < code.size() && code[end] != '"' && code[end] != '\n') end += code[end] == '\\' ? 2 : 1;
      if (end >= code.size()) break;
      const std::string text = code.substr(at + 1, end - at - 1);
      const bool literal = code[end] == '"' && in_literal(code, at + 1) && !in_literal(code, at);
      if (literal && text.find(' ') != std::string::npos) texts += file + ": " + text + "\n";
      at = end;
    }
  }
  static const std::regex kTyped("`[^`]*`");
  std::vector<fs::path> documents{kRoot / "README.md", kRoot / "po/tessera.pot"};
  for (const auto& entry : fs::directory_iterator(kRoot / "docs"))
    if (entry.path().extension() == ".md" && entry.path().filename() != "style.md")
      documents.push_back(entry.path());
  for (const fs::path& path : documents) {
    std::istringstream lines(read(path));
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("    ") || line.starts_with("#:")) continue;  // YAML, and references to files
      texts += path.filename().string() + ": " + std::regex_replace(line, kTyped, "") + "\n";
    }
  }
  return texts;
}

// Of a line of code: its comment, and the name of the test that it begins, in words.
std::string told_in_code(const std::string& line) {
  static const std::regex kTest(R"(^TEST(?:_[FP])?\(\w+, ?(\w+)\))"), kHump("([A-Z])");
  std::smatch test;
  if (line.starts_with("TEST") && std::regex_search(line, test, kTest))
    return std::regex_replace(test[1].str(), kHump, " $1");
  std::size_t at = line.find("//");
  while (at != std::string::npos &&
         std::count(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(at), '"') % 2 == 1)
    at = line.find("//", at + 2);
  return at == std::string::npos ? "" : line.substr(at);
}

// Fewer words than for texts: a comment may say what a program tells another.
TEST(House, CommentsAndNamesOfTestsKeepToTheWordsOfTheStyleGuide) {
  for (const std::string& file : sources({"engine", "backends", "tui", "tests", "bench"})) {
    std::istringstream lines(read(kRoot / file));
    for (std::string line; std::getline(lines, line);) {
      std::string folded = told_in_code(line);
      if (folded.empty()) continue;
      for (char& c : folded) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      for (const char* word : {"anew", "afresh", "somebody", "everybody"})
        EXPECT_FALSE(has_word(folded, word)) << file << ": " << line;
    }
  }
}

// docs/style.md has the glossary. A word that comes back here was replaced throughout once already.
TEST(House, TextsKeepToTheWordsOfTheStyleGuide) {
  struct Habit {
    const char* word;
    const char* instead;
  };
  const Habit habits[] = {
      {"board", "GPU: that is what users and nvidia-smi call the device"},
      {"boards", "GPUs: that is what users and nvidia-smi call the devices"},
      {"anew", "again, or new"},
      {"afresh", "again, or new"},
      {"somebody", "a user, an admin, another process: say which"},
      {"nobody", "no job, no pod, no process: say which"},
      {"everybody", "all users"},
      {"so already", "already in that state"},
      {"to be done", "nothing to do; what remains"},
      {"claims success", "the command succeeded; verifying"},
      {"leave away", "omit"},
      {"wishes for nothing", "no layout was requested"},
      {"turned round", "reversed"},
      {"done is", "the change is complete when: the subject comes first"},
      {"done it is", "the change is complete when: the subject comes first"},
      {"on paper", "saved to disk"},
      {"found out", "detected"},
      {"hangs on", "depends on"},
      {"take it up", "resume it"},
      {"takes it up", "resumes it"},
      {"taken up", "resumed"},
      {"taken back", "undone, or reverted"},
      {"tells why", "has the reason: programs do not tell"},
      {"kubectl believes", "accepts: programs do not believe"},
      {"the mark off", "remove the mark"},
  };
  std::istringstream lines(all_texts());
  std::size_t read_lines = 0;
  for (std::string line; std::getline(lines, line); ++read_lines) {
    std::string folded = line.substr(line.find(": ") + 2);
    for (char& c : folded) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    // A flag and a key of a file that users type.
    for (const char* typed : {"--boards", "boards:"})
      for (std::size_t at; (at = folded.find(typed)) != std::string::npos;)
        folded.erase(at, std::string_view(typed).size());
    for (const Habit& habit : habits)
      EXPECT_FALSE(has_word(folded, habit.word)) << line << "\n  \"" << habit.word << "\": " << habit.instead;
  }
  EXPECT_GT(read_lines, 5000U) << "the texts were not found";
}

// Three errors sent people to "tessera runs", which is no command. A word that is neither a command nor known
// prose fails here: correct the text, or add the word to the prose.
TEST(House, HintsNameOnlyCommandsThatExist) {
  const std::set<std::string> prose{
      "again",   "already", "and",    "as",      "asks",  "at",     "begins", "by",      "can",   "cannot",
      "changes", "checks",  "closes", "did",     "does",  "drains", "drives", "ended",   "ends",  "evicts",
      "finds",   "for",     "found",  "gives",   "goes",  "has",    "holds",  "in",      "is",    "it",
      "itself",  "keeps",   "knows",  "leaves",  "looks", "made",   "makes",  "may",     "must",  "needs",
      "never",   "of",      "on",     "only",    "opens", "or",     "parks",  "patches", "plans", "puts",
      "reaches", "read",    "reads",  "refuses", "says",  "sets",   "shows",  "stopped", "takes", "tells",
      "that",    "there",   "to",     "used",    "uses",  "waits",  "was",    "where",   "will",  "with",
      "would",   "writes",  "wrote"};
  const std::string table = read(kRoot / "tui/cli/command_rows.hpp");
  constexpr std::string_view kRow = "\n    {\"";  // {"nodes", kLists, …
  std::set<std::string> commands;
  for (std::size_t at = table.find(kRow); at != std::string::npos; at = table.find(kRow, at + 1)) {
    const std::size_t begin = at + kRow.size(), end = table.find('"', begin);
    if (table.compare(end, 4, "\", k") == 0) commands.insert(table.substr(begin, end - begin));
  }
  ASSERT_TRUE(commands.contains("nodes") && commands.contains("journal")) << "the table was not understood";
  const std::set<std::string> words = words_behind_the_name();
  EXPECT_GT(words.size(), 20U);
  for (const std::string& word : words)
    EXPECT_TRUE(commands.contains(word) || prose.contains(word)) << "there is no command: tessera " << word;
}

}  // namespace
