#include "tui/cli/help/as_taken.hpp"

namespace tessera::cli {

unsigned printing_rows(unsigned takes) {
  return takes & (kLists | kLayouts | kUsers | kDoctor | kDiff | kUsed | kWaste);
}

Flag as_taken(Flag flag, unsigned takes) {
  if (flag.name != "output" || printing_rows(takes) != 0) return flag;
  flag.words = "table json yaml";
  flag.help = "how to print: table, json or yaml";
  return flag;
}

}  // namespace tessera::cli
