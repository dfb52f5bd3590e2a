// What tessera layouts says of products that it does not know.
#include "tui/cli/layouts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/engine/plan/boards.hpp"
#include "tui/cli/settings.hpp"

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

struct Checked {
  int code = 0;
  std::string out, err;
};

Checked check(std::vector<std::string> words) {
  words.insert(words.begin(), "layouts");
  auto parsed = parse_arguments(words);
  EXPECT_TRUE(parsed.ok()) << (parsed.ok() ? "" : to_line(parsed.error()));
  auto settings = gather(*parsed, {}, {});
  auto options = to_options(*parsed, *settings);
  EXPECT_TRUE(options.ok()) << (options.ok() ? "" : to_line(options.error()));
  std::ostringstream out, err;
  const int code = run_layouts(*options, test::catalogue(), {out, err});
  return {code, out.str(), err.str()};
}

// B300-288GB has 269: NVIDIA's name of the profile that is the whole GPU (7g.269gb), not the one on the box.
TEST(LayoutsList, TheMemoryIsWhatMigHandsOutAndIsCalledSo) {
  const Checked all = check({});
  EXPECT_EQ(all.code, 0) << all.err;
  EXPECT_NE(all.out.find("MIG GB"), std::string::npos) << all.out;
  for (const mig::Product& product : test::catalogue().products()) {
    if (!product.mig_capable || !product.memory_gb || product.profiles.empty()) continue;
    const std::string whole = "." + std::to_string(*product.memory_gb) + "gb";
    EXPECT_TRUE(std::any_of(product.profiles.begin(), product.profiles.end(),
                            [&](const mig::Profile& one) { return one.name.text.ends_with(whole); }))
        << product.key.text << " has no profile " << whole;
  }
}

TEST(LayoutsCheck, TakesWhatDocumentsMisprintAndSaysWhatIsMeant) {
  for (const auto& [product, typed, meant] :
       {std::tuple("H200-141GB", "2g.25gb", "2g.35gb"), std::tuple("H200-141GB", "3x2g.25gb", "2g.35gb"),
        std::tuple("H200-141GB", "all-2g.25gb", "2g.35gb"), std::tuple("A100-80GB", "4g.20gb", "1g.20gb"),
        std::tuple("A100-80GB", "all-4g.20gb", "1g.20gb"),
        std::tuple("H100-80GB-SXM5", "4x1g.40gb", "1g.20gb"),
        std::tuple("H100-80GB-SXM5", "all-1g.40gb", "1g.20gb")}) {
    const Checked answer = check({product, "--check", typed});
    EXPECT_EQ(answer.code, 0) << typed << ": " << answer.out;
    EXPECT_NE(answer.out.find(meant), std::string::npos) << answer.out;
    EXPECT_NE(answer.err.find("misprint"), std::string::npos) << typed;
  }
  const Checked other = check({"A100-80GB", "--check", "4g.20gb", "--platform", "slurm"});
  EXPECT_EQ(other.code, 1) << "a profile of the A100 of 40 GB";
  EXPECT_NE(other.out.find("stands for 1g.20gb"), std::string::npos) << other.out;
  EXPECT_EQ(check({"A100-80GB", "--check", "4g.20gb", "--platform", "fpt"}).code, 0);
}

// An error is told part by part: as one line it fits no translation.
TEST(LayoutsCheck, ARefusalIsInTheReadersLanguage) {
  const Checked answer =
      check({"A100-80GB", "--check", "4g.20gb", "--platform", "slurm", "--language", "ja"});
  EXPECT_EQ(
      answer.out,
      "not legal: プロファイル4g.20gbはありません: A100-80GBにそのプロファイルはありません。FPT managed "
      "Kubernetesの文書では1g.20gbを指します (4g.40gbのことですか？)\n");
}

}  // namespace
}  // namespace tessera::cli
