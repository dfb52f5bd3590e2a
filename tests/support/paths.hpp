// Where the source tree and the binary under test are: the one file that is compiled with their paths, so
// that a compiler cache serves every checkout.
#pragma once

#include <string>

namespace tessera::test {

std::string source_dir();
std::string binary();     // tessera
std::string simulator();  // tessera-sim

}  // namespace tessera::test
