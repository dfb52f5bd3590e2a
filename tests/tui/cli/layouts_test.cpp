// What tessera layouts says of products that it does not know.
#include "tui/cli/layouts.hpp"

#include <gtest/gtest.h>

#include "tests/engine/plan/boards.hpp"

namespace tessera::cli {
namespace {

std::string hint_for(const std::string& name) { return unknown_product(name, test::catalogue()).hint; }

TEST(UnknownProduct, TheKeysOfThatModelAreNamed) {
  EXPECT_EQ(hint_for("a100"), "one of: A100-40GB, A100-80GB");
  EXPECT_EQ(hint_for("A100-80GB-SXM4"), "one of: A100-80GB")
      << "and not the H100, which is spelled nearly so";
  EXPECT_EQ(hint_for("h100-sxm"), hint_for("h100"));
}

TEST(UnknownProduct, ASlipIsPutRightAndNonsenseIsPointedAtTheList) {
  EXPECT_EQ(hint_for("a100-8ogb"), "one of: A100-40GB, A100-80GB");
  EXPECT_EQ(hint_for("h2o0-141gb"), "did you mean H200-141GB?");
  EXPECT_EQ(hint_for("zzz"), "tessera layouts lists the products");
  EXPECT_EQ(hint_for(""), "tessera layouts lists the products");
}

}  // namespace
}  // namespace tessera::cli
