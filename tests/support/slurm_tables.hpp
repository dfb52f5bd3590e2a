// slurmdbd's tables in the MariaDB of a lab, changed beside slurmdbd as another client would change them.
//
// By the library to which slurmdbd's own plugin is linked: a client program would be one package more, and a
// database that is stopped for the change takes slurmdbd's connection with it. Blocking; for the test's own
// thread.
#pragma once

#include <string>
#include <vector>

namespace tessera::test {

// The library is there.
bool can_change_tables();

// Carries them out as one change. The answer is what went wrong, then nothing is changed; empty: it is done.
// An update that finds no row is wrong.
std::string change_tables(const std::string& socket, const std::vector<std::string>& statements);

}  // namespace tessera::test
