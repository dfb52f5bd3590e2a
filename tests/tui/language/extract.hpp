// The texts that explain, found where they stand in the sources, for po/tessera.pot.
//
// xgettext finds what is marked by a function's name. Here a text is marked by the file that it stands in
// (po/POTFILES): each literal there that reads like prose has to be in the catalogue, or among those that
// stay as they are (po/untranslated.txt). So no text can be forgotten. Threads: pure functions; read_sources
// reads the tree.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::test {

// The literals of a C++ file as finished texts: adjacent ones joined, "a " + name + " b" as "a {} b", without
// what joins them to others (", " and the like at the ends).
std::vector<std::string> texts_of(std::string_view source);
// It has a blank, words of letters, and is no command.
bool is_prose(std::string_view text);
// Every text of the files that po/POTFILES names, and of the N_ marks elsewhere in tui, with the files where
// it stands.
std::map<std::string, std::set<std::string>> texts_of_tree();
// Figures of two characters or more ("48", "1.20", "130000"), which say the same in every language.
std::set<std::string> figures_of(const std::string& text);
// The lines of a file in po/, without comments and empty ones.
std::vector<std::string> lines_of(const std::string& file);
// What texts_of_tree finds, as a template of gettext's.
std::string as_template(const std::map<std::string, std::set<std::string>>& texts);

}  // namespace tessera::test
