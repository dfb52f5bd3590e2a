#include "engine/digest.hpp"

#include <gtest/gtest.h>

namespace tessera::test {
namespace {

// Published values of FNV-1a. Configurations in clusters are called by the short one, and a tessera that
// worked it out otherwise would not know its own again.
TEST(Digest, IsFnv1aWhateverThisVersionIs) {
  EXPECT_EQ(digest(""), "cbf29ce484222325");
  EXPECT_EQ(digest("foobar"), "85944171f73967e8");
  EXPECT_EQ(short_digest(""), "811c9dc5");
  EXPECT_EQ(short_digest("a"), "e40c292c");
  EXPECT_EQ(short_digest("foobar"), "bf9cf968");
}

TEST(Digest, TellsWhereOneTextEndsAndTheNextBegins) {
  EXPECT_NE(Digest().add("ab").add("c").text(), Digest().add("a").add("bc").text());
}

}  // namespace
}  // namespace tessera::test
