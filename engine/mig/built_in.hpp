// Part of the built-in catalogue, for a program that is started for each call and would spend most of its
// time on reading products that it is not asked about. All others take the whole: Catalogue::built_in.
// Threads: pure.
#pragma once

#include <span>
#include <string>

#include "engine/mig/catalogue.hpp"

namespace tessera::mig {

// The products that have these keys, written as the catalogue writes them. The whole catalogue where one of
// them is no key in it, or none is given: an alias, or a word that means nothing, is then answered as
// everywhere else. The products' `file` and `line` count from the first of those read.
Result<Catalogue> built_in_of(std::span<const std::string> keys);

}  // namespace tessera::mig
