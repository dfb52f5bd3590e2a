#include "engine/sharing/presets.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/sharing/vgpu.hpp"
#include "tests/engine/sharing/sharing_build.hpp"

namespace tessera::sharing {
namespace {

using test::product;

const std::vector<PresetTable>& tables() {
  static const std::vector<PresetTable> all = [] {
    auto read = built_in_presets();
    EXPECT_TRUE(read.ok()) << to_line(read.error());
    return std::move(read).value();
  }();
  return all;
}

std::vector<std::string> names(const std::vector<Preset>& all) {
  std::vector<std::string> found;
  for (const Preset& preset : all) found.push_back(preset.name);
  return found;
}

Preset preset(const std::string& key, Platform platform, const std::string& name) {
  auto found = find_preset(product(key), platform, name, tables());
  EXPECT_TRUE(found.ok()) << to_line(found.error());
  return found.ok() ? *found : Preset{};
}

TEST(Presets, TheOperatorNamesEveryProfileOfABoard) {
  const std::vector<std::string> found = names(operator_presets(product("RTX-PRO-6000-Blackwell-96GB")));
  for (const char* name : {"all-disabled", "all-enabled", "all-1g.24gb", "all-1g.24gb.me.all",
                           "all-1g.24gb-me", "all-4g.96gb.gfx", "all-balanced"}) {
    EXPECT_NE(std::find(found.begin(), found.end(), name), found.end()) << name;
  }
}

TEST(Presets, BalancedFollowsTheSlicesOfTheBoard) {
  EXPECT_EQ(preset("H100-80GB-SXM5", Platform::gpu_operator, "all-balanced").text,
            "2 × 1g.10gb + 1 × 2g.20gb + 1 × 3g.40gb");
  EXPECT_EQ(preset("H200-141GB", Platform::gpu_operator, "all-balanced").text,
            "2 × 1g.18gb + 1 × 2g.35gb + 1 × 3g.71gb");
  EXPECT_EQ(preset("A100-40GB", Platform::gpu_operator, "all-balanced").text,
            "2 × 1g.5gb + 1 × 2g.10gb + 1 × 3g.20gb");
  EXPECT_EQ(preset("A30-24GB", Platform::gpu_operator, "all-balanced").text, "2 × 1g.6gb + 1 × 2g.12gb");
}

TEST(Presets, ABoardWithoutPlainTwoHasNoBalancedOne) {
  const auto found = names(operator_presets(product("RTX-PRO-5000-Blackwell-48GB")));
  EXPECT_EQ(std::find(found.begin(), found.end(), "all-balanced"), found.end());
}

TEST(Presets, BoardsWithoutMigHaveNone) { EXPECT_TRUE(operator_presets(product("A10")).empty()); }

TEST(Presets, EveryGeneratedOneStandsOnItsBoard) {
  for (const mig::Product& board : test::catalogue().products()) {
    if (!board.placements_known) continue;
    for (const Preset& one : operator_presets(board)) {
      if (!one.mig) continue;
      ASSERT_TRUE(one.layout) << board.key.text << " " << one.name;
      EXPECT_TRUE(mig::is_legal(board, *one.layout)) << board.key.text << " " << one.name;
      EXPECT_EQ(one.layout->size(), one.profiles.size());
    }
  }
}

TEST(Presets, TheOperatorsNameOfALayoutIsFound) {
  const mig::Product& h100 = product("H100-80GB-SXM5");
  const Preset balanced = preset("H100-80GB-SXM5", Platform::gpu_operator, "all-balanced");
  std::vector<int> turned(balanced.profiles.rbegin(), balanced.profiles.rend());
  EXPECT_EQ(operator_name(h100, turned), "all-balanced");
  EXPECT_EQ(operator_name(h100, std::vector<int>{*h100.index_of("3g.40gb")}), std::nullopt);
}

TEST(Presets, FourOfTheDoubleMemoryOnes) {
  // The published example calls this all-1g.40gb with devices of 10 GB; it is four of 1g.20gb.
  for (const char* key : {"H100-80GB-SXM5", "A100-80GB"}) {
    const Preset one = preset(key, Platform::fpt, "all-1g.20gb");
    EXPECT_EQ(one.text, "4 × 1g.20gb") << key;
    EXPECT_EQ(one.strategy, MigStrategy::single);
    const mig::Product& board = product(key);
    const NodeShape node = test::shape({test::cut_board(key, {"1g.20gb", "1g.20gb", "1g.20gb", "1g.20gb"})});
    ASSERT_TRUE(one.layout);
    EXPECT_EQ(instances_of(board, *one.layout), node.boards[0].instances);
  }
}

TEST(Presets, TheH200HasTwoGOfThirtyFive) {
  const Preset one = preset("H200-141GB", Platform::fpt, "all-2g.35gb");
  EXPECT_EQ(one.text, "3 × 2g.35gb");
  EXPECT_FALSE(one.note.empty());
  EXPECT_FALSE(find_preset(product("H200-141GB"), Platform::fpt, "all-2g.26gb", tables()).ok());
}

TEST(Presets, ThePlatformsTablesAreWhole) {
  EXPECT_EQ(presets(product("H100-80GB-SXM5"), Platform::fpt, tables()).size(), 8u);
  EXPECT_EQ(presets(product("H200-141GB"), Platform::fpt, tables()).size(), 8u);
  EXPECT_EQ(presets(product("A100-80GB"), Platform::fpt, tables()).size(), 8u);
  EXPECT_TRUE(presets(product("A30-24GB"), Platform::fpt, tables()).empty()) << "not in its tables";
}

TEST(Presets, EveryRowOfTheTablesStandsOnEveryBoardItIsFor) {
  for (const PresetTable& table : tables()) {
    for (const ProductKey& key : table.products) {
      const mig::Product& board = product(key.text);
      for (const PresetRow& row : table.rows) {
        int count = 0;
        for (const auto& [profile, times] : row.instances) {
          EXPECT_TRUE(board.find(profile.text)) << key.text << " " << profile.text;
          count += times;
        }
        const Preset one = preset(key.text, table.platform, row.name);
        EXPECT_EQ(one.profiles.size(), static_cast<std::size_t>(count)) << row.name;
        if (count > 0) {
          ASSERT_TRUE(one.layout) << key.text << " " << row.name;
          EXPECT_TRUE(mig::is_legal(board, *one.layout));
        }
      }
    }
  }
}

TEST(Presets, HyperPodNamesAreReadAndWritten) {
  const mig::Product& h100 = product("H100-80GB-SXM5");
  const std::string name = "mixed-2-1g.10gb-1-2g.20gb-1-3g.40gb";
  auto read = hyperpod_mixed(h100, name);
  ASSERT_TRUE(read.ok()) << to_line(read.error());
  EXPECT_EQ(read->text, "2 × 1g.10gb + 1 × 2g.20gb + 1 × 3g.40gb");
  EXPECT_EQ(hyperpod_name(h100, read->profiles), name);
  EXPECT_TRUE(hyperpod_mixed(product("H200-141GB"), "mixed-1-3g.71gb-1-4g.71gb").ok());
  EXPECT_TRUE(hyperpod_mixed(product("RTX-PRO-6000-Blackwell-96GB"), "mixed-2-1g.24gb-me-1-2g.48gb-me").ok());
}

TEST(Presets, BrokenHyperPodNamesSayWhatIsWrong) {
  const mig::Product& h100 = product("H100-80GB-SXM5");
  const auto reason = [&](const std::string& name) {
    auto read = hyperpod_mixed(h100, name);
    return read.ok() ? std::string("accepted") : read.error().reason;
  };
  EXPECT_NE(reason("mixed-").find("names no profile"), std::string::npos);
  EXPECT_NE(reason("balanced").find("mixed-"), std::string::npos);
  EXPECT_NE(reason("mixed-1g.10gb").find("count"), std::string::npos);
  EXPECT_NE(reason("mixed-2-1g.5gb").find("no profile"), std::string::npos);
  EXPECT_NE(reason("mixed-3-3g.40gb").find("do not fit"), std::string::npos);
  EXPECT_NE(reason("mixed-99-1g.10gb").find("more instances"), std::string::npos);
  EXPECT_NE(reason("mixed-0-1g.10gb").find("count"), std::string::npos);
}

TEST(Presets, AnUnknownNameListsWhatThereIs) {
  auto found = find_preset(product("A30-24GB"), Platform::gpu_operator, "all-9g.1gb", tables());
  ASSERT_FALSE(found.ok());
  EXPECT_NE(found.error().hint.find("all-balanced"), std::string::npos);
}

TEST(Presets, PlusAndDotAreOneInNames) {
  EXPECT_EQ(preset("H100-80GB-SXM5", Platform::gpu_operator, "ALL-1g.10gb+me").name, "all-1g.10gb.me");
}

TEST(PresetTables, AreRefusedWithTheirLine) {
  const auto reason = [](const std::string& rows) {
    auto read = parse_presets(
        "tables:\n  - platform: fpt\n    title: t\n    products: [A]\n    layouts:\n" + rows, "site.yaml");
    return read.ok() ? std::string("accepted") : read.error().reason;
  };
  EXPECT_EQ(reason("      - {name: x, strategy: none}\n"), "accepted");
  EXPECT_EQ(reason("      - {name: x, strategy: some}\n").find("site.yaml:6: strategy"), 0u);
  EXPECT_EQ(reason("      - {name: x, strategy: single}\n").find("site.yaml:6:"), 0u);
  EXPECT_EQ(reason("      - {name: x, strategy: single, instances: {1g.10gb: 0}}\n").find("site.yaml:6:"),
            0u);
  EXPECT_EQ(reason("      - {name: x, strategy: single, instances: {one: 1}}\n").find("site.yaml:6:"), 0u);
  EXPECT_EQ(
      reason("      - {name: x, strategy: none}\n      - {name: x, strategy: none}\n").find("site.yaml:7:"),
      0u);
  EXPECT_EQ(reason("      - {name: x, colour: red, strategy: none}\n").find("site.yaml:6:"), 0u);
}

std::vector<VgpuBoard> vgpu_table() {
  auto table = built_in_vgpu_types();
  EXPECT_TRUE(table.ok()) << to_line(table.error());
  return table.ok() ? std::move(*table) : std::vector<VgpuBoard>{};
}

TEST(VgpuTypes, EveryBoardIsInTheCatalogueAndHoldsNoMoreThanItsLargestType) {
  for (const VgpuBoard& board : vgpu_table()) {
    const mig::Product* known = test::catalogue().by_key(board.product.text);
    ASSERT_NE(known, nullptr) << board.product.text;
    int most = 0;
    for (const VgpuType& type : board.types) most = std::max(most, type.gigabytes);
    for (const VgpuType& type : board.types) {
      // The gigabytes of an instance are rounded in its name.
      int rounding = type.compute_slices > 0 ? type.per_board : 0;
      EXPECT_LE(type.gigabytes * type.per_board, most + rounding) << type.name.text;
      if (type.compute_slices > 0) {
        bool cut = std::any_of(
            known->profiles.begin(), known->profiles.end(),
            [&](const mig::Profile& profile) { return profile.compute_slices == type.compute_slices; });
        EXPECT_TRUE(cut) << type.name.text << " needs an instance that " << board.product.text << " has not";
      }
    }
  }
}

TEST(VgpuTypes, AreThoseOfTheBoard) {
  std::vector<VgpuBoard> table = vgpu_table();
  auto find = [&](const char* product, const char* model, const char* name) -> std::string {
    for (const VgpuType& type : vgpu_types(table, ProductKey(product), model))
      if (type.name.text == name) return to_text(type);
    return "";
  };
  EXPECT_EQ(find("A10", "NVIDIA A10", "A10-4Q"), "6 on a GPU, 4 GB each, in turns");
  EXPECT_EQ(find("A10", "NVIDIA A10", "A10-24C"), "1 on a GPU, 24 GB each");
  EXPECT_EQ(find("H100-80GB-SXM5", "", "H100XM-1-10C"),
            "7 on a GPU, 10 GB each, each a MIG instance of 1 compute slice");
  EXPECT_EQ(find("A100-80GB", "NVIDIA A100 80GB PCIe", "A100DX-40C"), "") << "that is the SXM GPU";
  EXPECT_NE(find("A100-80GB", "a100", "A100DX-40C"), "") << "which of the two is not told";
  EXPECT_TRUE(vgpu_types(table, ProductKey("B200-180GB"), "NVIDIA B200").empty());
}

TEST(VgpuTypes, ABadTableIsRefusedWithItsPlace) {
  auto refused = [](const std::string& types) {
    auto read = parse_vgpu_types("boards:\n  - {product: A10, prefix: A10,\n     types: {" + types + "}}\n",
                                 "t.yaml");
    return read ? std::string("read") : read.error().reason;
  };
  EXPECT_EQ(refused("4Q: 6"), "read");
  for (const char* types :
       {"4: 6", "Q: 6", "4Q: 0", "4Q: many", "4Q: 100", "0Q: 1", "1-: 2", "99999999999Q: 1"})
    EXPECT_NE(refused(types).find("t.yaml:3"), std::string::npos) << types << ": " << refused(types);
}

}  // namespace
}  // namespace tessera::sharing

namespace tessera::sharing {
namespace {

TEST(Misprints, AreTakenForWhatIsMeantWithTheReason) {
  const auto tables = built_in_presets();
  ASSERT_TRUE(tables.ok());
  const mig::Product& h200 = test::product("H200-141GB");
  const auto found = find_preset(h200, Platform::fpt, "all-2g.25gb", *tables);
  ASSERT_TRUE(found.ok()) << to_line(found.error());
  EXPECT_EQ(found->name, "all-2g.35gb");
  EXPECT_EQ(
      found->note,
      "2g.25gb is a misprint in the documents of FPT managed Kubernetes: no H200-141GB has such a profile. "
      "Meant is 2g.35gb (layout all-2g.35gb: 3 × 2g.35gb)");
  EXPECT_EQ(find_preset(test::product("A100-80GB"), Platform::fpt, "all-4g.20gb", *tables)->name,
            "all-1g.20gb");
  // The worked example: four parts of a GPU.
  for (const auto& [product, meant] :
       {std::pair("H100-80GB-SXM5", "all-1g.20gb"), std::pair("A100-80GB", "all-1g.20gb"),
        std::pair("H200-141GB", "all-1g.35gb")})
    EXPECT_EQ(find_preset(test::product(product), Platform::fpt, "all-1g.40gb", *tables)->name, meant)
        << product;
  EXPECT_FALSE(find_preset(test::product("H100-80GB-SXM5"), Platform::fpt, "all-2g.25gb", *tables).ok());
}

// The documents print it for a GPU of twice the memory.
TEST(Misprints, OfAnotherProductOfTheSeriesSayWhatIsMeantThereAndHere) {
  const auto tables = built_in_presets();
  ASSERT_TRUE(tables.ok());
  const auto preset = find_preset(test::product("A100-40GB"), Platform::fpt, "all-1g.40gb", *tables);
  const Corrected typed = corrected("4x1g.40gb", test::product("A100-40GB"), Platform::slurm, *tables);
  ASSERT_FALSE(preset.ok());
  ASSERT_TRUE(typed.refused);
  for (const Error& error : {preset.error(), *typed.refused}) {
    EXPECT_EQ(
        error.reason,
        "no A100-40GB has it; in the documents of FPT managed Kubernetes it is a misprint for 1g.20gb of an "
        "A100-80GB, 4 on one GPU");
    EXPECT_EQ(error.hint, "4 on one A100-40GB are 4x1g.10gb (layout all-1g.10gb)");
  }
}

TEST(Misprints, InALayoutThatIsTypedKeepTheirPlaces) {
  const auto tables = built_in_presets();
  ASSERT_TRUE(tables.ok());
  const Corrected text =
      corrected("2 x 2g.25gb, 2G.25GB@4,1g.18gb", test::product("H200-141GB"), Platform::fpt, *tables);
  EXPECT_EQ(text.layout, "2 x 2g.35gb, 2g.35gb@4,1g.18gb");
  EXPECT_EQ(text.notes.size(), 1u);
  const Corrected plain =
      corrected("3g.40gb@4,none,", test::product("H100-80GB-SXM5"), Platform::fpt, *tables);
  EXPECT_EQ(plain.layout, "3g.40gb@4,none,");
  EXPECT_TRUE(plain.notes.empty());
  EXPECT_EQ(corrected("", test::product("A100-80GB"), Platform::fpt, *tables).layout, "");
  EXPECT_EQ(corrected("4x4g.20gb", test::product("A100-80GB"), Platform::fpt, *tables).layout, "4x1g.20gb");
}

// 4g.20gb is a profile of the A100 of 40 GB: whoever has both kinds means 4g.40gb by it.
TEST(Misprints, ThatAreProfilesOfAnotherProductAreNoNamesOfOtherPlatforms) {
  const auto tables = built_in_presets();
  ASSERT_TRUE(tables.ok());
  const mig::Product& a100 = test::product("A100-80GB");
  const Corrected text = corrected("4g.20gb,1g.10gb", a100, Platform::gpu_operator, *tables);
  EXPECT_EQ(text.layout, "4g.20gb,1g.10gb");
  EXPECT_TRUE(text.notes.empty());
  ASSERT_TRUE(text.refused);
  EXPECT_EQ(to_line(*text.refused),
            "there is no profile 4g.20gb: no A100-80GB has it; in the documents of FPT managed Kubernetes it "
            "stands for 1g.20gb (did you mean 4g.40gb?)");
  const auto preset = find_preset(a100, Platform::gpu_operator, "all-4g.20gb", *tables);
  ASSERT_FALSE(preset.ok());
  EXPECT_EQ(preset.error().hint, "did you mean 4g.40gb?");
  EXPECT_FALSE(corrected("4g.20gb", test::product("A100-40GB"), Platform::gpu_operator, *tables).refused);
  EXPECT_EQ(corrected("4g.20gb", a100, std::nullopt, *tables).layout, "1g.20gb") << "a question cuts nothing";
}

TEST(Misprints, ThatAreNoProfileOfAnyProductAreTakenOnEveryPlatform) {
  const auto tables = built_in_presets();
  ASSERT_TRUE(tables.ok());
  for (int i = 0; i < kPlatforms; ++i) {
    const auto platform = static_cast<Platform>(i);
    const Corrected text = corrected("3x2g.25gb", test::product("H200-141GB"), platform, *tables);
    EXPECT_EQ(text.layout, "3x2g.35gb") << word(platform);
    EXPECT_EQ(text.notes.size(), 1u) << word(platform);
    EXPECT_FALSE(text.refused) << word(platform);
    EXPECT_EQ(corrected("4x1g.40gb", test::product("H100-80GB-SXM5"), platform, *tables).layout, "4x1g.20gb");
  }
  const auto preset =
      find_preset(test::product("H200-141GB"), Platform::gpu_operator, "all-2g.25gb", *tables);
  ASSERT_TRUE(preset.ok());
  EXPECT_EQ(preset->name, "all-2g.35gb");
  EXPECT_NE(preset->note.find("misprint"), std::string::npos);
}

TEST(Misprints, TheTablesKnowWhichOfThemAreProfilesOfAnotherProduct) {
  const auto tables = built_in_presets();
  ASSERT_TRUE(tables.ok());
  for (const PresetTable& table : *tables)
    for (const PresetRow& row : table.rows)
      for (const ProfileName& printed : row.misprints) {
        const auto& all = test::catalogue().products();
        const bool elsewhere = std::any_of(all.begin(), all.end(), [&](const mig::Product& product) {
          return product.index_of(printed.text).has_value();
        });
        const bool told = std::count(row.of_others.begin(), row.of_others.end(), printed) > 0;
        EXPECT_EQ(told, elsewhere) << table.title << " " << printed.text;
      }
}

}  // namespace
}  // namespace tessera::sharing
