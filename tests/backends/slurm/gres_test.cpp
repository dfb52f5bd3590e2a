#include "backends/slurm/parse/gres.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tessera::slurm {
namespace {

std::vector<Gres> read(std::string_view text) {
  std::vector<Gres> gres;
  auto problem = parse_gres(text, gres);
  EXPECT_EQ(problem, std::nullopt) << text;
  return gres;
}

Gres one(std::string_view text) {
  auto gres = read(text);
  EXPECT_EQ(gres.size(), 1u) << text;
  return gres.empty() ? Gres{} : gres.front();
}

TEST(SlurmGres, ReadsEveryWayToNameAResource) {
  struct Case {
    const char *text, *name, *type;
    std::int64_t count;
  };
  for (const Case& c : {Case{"gpu:h100:8", "gpu", "h100", 8},
                        Case{"gpu:8", "gpu", "", 8},
                        Case{"gpu", "gpu", "", 1},
                        Case{"gpu:h100", "gpu", "h100", 1},
                        Case{"gpu:(null):4(IDX:0-3)", "gpu", "", 4},
                        Case{"gres:gpu:h100:2", "gpu", "h100", 2},
                        Case{"gres/gpu:h100=2", "gpu", "h100", 2},
                        Case{"gres/gpu=3", "gpu", "", 3},
                        Case{"gres:gpu", "gpu", "", 1},
                        Case{"gres/gpu:h100:4", "gpu", "h100", 4},
                        Case{"gpu:1g.10gb+me:7", "gpu", "1g.10gb+me", 7},
                        Case{"gpu:a100_3g.20gb:2(S:0-1)", "gpu", "a100_3g.20gb", 2},
                        Case{"gpu:1080ti:1(IDX:0)", "gpu", "1080ti", 1},
                        Case{"gpu:1g.10gb", "gpu", "1g.10gb", 1},
                        Case{"gpu:tesla:no_consume:2", "gpu", "tesla", 2},
                        Case{"gpu:no_consume:2", "gpu", "", 2},
                        Case{"bandwidth:lustre:4G", "bandwidth", "lustre", 4ll << 30},
                        Case{"shard:4k", "shard", "", 4096},
                        Case{"gpu:h100:5(CNT:5)", "gpu", "h100", 5},
                        Case{"gpu:0", "gpu", "", 0}}) {
    Gres gres = one(c.text);
    EXPECT_EQ(gres.name, c.name) << c.text;
    EXPECT_EQ(gres.type, c.type) << c.text;
    EXPECT_EQ(gres.count, c.count) << c.text;
  }
}

// Slurm 26.05: a GPU that is held as a whole hands out none of its shares.
TEST(SlurmGres, AWholeGpuAmongSharesIsAllHeld) {
  Gres first = one("mps:h100:0(-/100,0/100)");
  ASSERT_TRUE(first.devices_told);
  ASSERT_EQ(first.shares.size(), 2u);
  EXPECT_EQ(first.shares[0].used, 100);
  EXPECT_EQ(first.shares[0].total, 100);
  EXPECT_EQ(first.shares[1].used, 0);
  Gres second = one("shard:h100:4(4/4,-/4,0/4)");
  ASSERT_EQ(second.shares.size(), 3u);
  EXPECT_EQ(second.shares[1].used, 4);
  Gres untold = one("mps:0(-,0/100)");
  EXPECT_FALSE(untold.devices_told) << "a dash alone tells no total";
  EXPECT_TRUE(untold.shares.empty());
}

TEST(SlurmGres, ReadsIndicesAndTellsNoneFromUntold) {
  EXPECT_EQ(one("gpu:h100:7(IDX:0,2-7)").devices, (std::vector{0, 2, 3, 4, 5, 6, 7}));
  Gres free = one("gpu:h100:0(IDX:N/A)");
  EXPECT_TRUE(free.devices_told);
  EXPECT_TRUE(free.devices.empty());
  EXPECT_FALSE(one("gpu:h100:6").devices_told);
  EXPECT_FALSE(one("gpu:h100:8(S:0-1)").devices_told);
  EXPECT_FALSE(one("gpu:h100:5(CNT:5)").devices_told);
  EXPECT_EQ(one("gpu:h100:2(S:0-1)(IDX:3)").devices, (std::vector{3}));
}

TEST(SlurmGres, ReadsSharesOfEachDevice) {
  Gres mps = one("mps:h100:75(75/100,0/100)");
  EXPECT_EQ(mps.shares, (std::vector<Gres::Share>{{75, 100}, {0, 100}}));
  EXPECT_EQ(one("shard:h100:4(4/4,0/4,0/4,0/4)").shares.size(), 4u);
}

TEST(SlurmGres, SplitsListsOutsideOfParenthesesOnly) {
  auto gres = read("gpu:h100:2(IDX:0,3),gpu:1g.10gb:1(IDX:5),mps:h100:75(75/100,0/100),shard:0");
  ASSERT_EQ(gres.size(), 4u);
  EXPECT_EQ(gres[0].devices, (std::vector{0, 3}));
  EXPECT_EQ(gres[1].type, "1g.10gb");
  EXPECT_EQ(gres[3].name, "shard");
  EXPECT_TRUE(read("").empty());
  EXPECT_TRUE(read("(null)").empty());
  EXPECT_TRUE(read("N/A").empty());
}

TEST(SlurmGres, KeepsWhatItCanReadAndNamesWhatItCannot) {
  std::vector<Gres> gres;
  auto problem = parse_gres("gpu:h100:2(IDX:0-99999999),:3,gpu:a100:1(IDX:7),gpu:x=y", gres);
  ASSERT_TRUE(problem);
  EXPECT_NE(problem->find("gpu:h100:2(IDX:0-99999999)"), std::string::npos) << *problem;
  ASSERT_EQ(gres.size(), 2u);
  EXPECT_EQ(gres[0].count, 2);
  EXPECT_FALSE(gres[0].devices_told);
  EXPECT_EQ(gres[1].devices, (std::vector{7}));
}

TEST(SlurmGres, HalfATruthAboutDevicesIsNone) {
  std::vector<Gres> gres;
  EXPECT_TRUE(parse_gres("gpu:2(IDX:x)(IDX:2)", gres));
  ASSERT_EQ(gres.size(), 1u);
  EXPECT_FALSE(gres[0].devices_told);
  EXPECT_TRUE(gres[0].devices.empty());
}

TEST(SlurmGres, RefusesNumbersThatAreNone) {
  for (std::string_view text : {"", "x", "-1", "1x", "1KK", "99999999999999999999", "9000000P", "+1", " 1"})
    EXPECT_EQ(parse_count(text), std::nullopt) << text;
  EXPECT_EQ(parse_count("2M"), 2 << 20);
  for (std::string_view text :
       {"gpu:h100:2(IDX:3-1)", "gpu:h100:2(IDX:a)", "mps:1(1/)", "gpu:h(x:1", "gpu:h 1:2"}) {
    std::vector<Gres> gres;
    EXPECT_TRUE(parse_gres(text, gres)) << text;
  }
}

// "gpu:h100:-5" was one GPU, of a type of that name.
TEST(SlurmGres, ACountThatCannotBeReadIsNotOneGpu) {
  for (std::string_view text :
       {"gpu:h100:-5", "gpu:-5", "gpu:+5", "gpu:h100:", "gpu:", "gpu=", "gres/gpu:h100=", "gpu:9000000P",
        "gpu:99999999999999999999", "gpu:h100:99999999999999999999", "gpu:h100:1e3", "gpu:h100:5x",
        "gpu:h100:NaN", "gpu:h100:0x10", "gpu:h100:no_consume:-5"}) {
    std::vector<Gres> gres;
    EXPECT_TRUE(parse_gres(text, gres)) << text;
    EXPECT_TRUE(gres.empty()) << text;
  }
  EXPECT_EQ(one("gpu:3090:8").type, "3090") << "a type may be a number where a count follows it";
  EXPECT_EQ(one("gpu:h100:1K").count, 1024);
}

RC_GTEST_PROP(SlurmGres, SurvivesAnything, (const std::string& text)) {
  std::vector<Gres> gres;
  parse_gres(text, gres);
  for (const Gres& entry : gres)
    RC_ASSERT(!entry.name.empty() && entry.devices.size() <= kMostDevices && entry.count >= 0);
}

}  // namespace
}  // namespace tessera::slurm
