// What a run of a fleet file is called: "as FILE says", one for a window of it "as FILE says from TIME". FILE
// is its whole path; in runs of earlier versions, and of a console that was given no whole path, its name
// alone. Threads: pure functions.
#pragma once

#include <optional>
#include <string>

#include "engine/model/run_news.hpp"

namespace tessera::fleet {

struct OfWindow {
  std::string file;
  TimePoint from{};  // its opening
};
std::string words_of(const std::string& file);
std::string words_of(const OfWindow& window);

// nullopt: it is called otherwise.
std::optional<std::string> file_of(const RunHead& head);
std::optional<OfWindow> window_of(const std::string& words);
std::optional<OfWindow> window_of(const RunHead& head);
// Begun by fleet run on the very file that its words name, for one of its windows.
bool is_for_a_window(const RunHead& head);
// Whether it may be of the file that this path names, by the path alone: where either is no whole path, by
// the name.
bool may_be_of(const RunHead& head, const std::string& path);

}  // namespace tessera::fleet
