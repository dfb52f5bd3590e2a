#include "engine/mig/catalogue.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/embedded.hpp"
#include "engine/mig/built_in.hpp"

namespace tessera::mig {
namespace {

const Catalogue& built_in() {
  static const Catalogue catalogue = *Catalogue::built_in();
  return catalogue;
}

std::string key(const Product* product) { return product == nullptr ? "none" : product->key.text; }

std::string keys(const std::vector<const Product*>& products) {
  std::string text;
  for (const Product* product : products) text += (text.empty() ? "" : " ") + product->key.text;
  return text;
}

TEST(BuiltIn, LoadsAndSaysWhereEachRowStands) {
  const Result<Catalogue> catalogue = Catalogue::built_in();
  ASSERT_TRUE(catalogue.ok()) << to_line(catalogue.error());
  for (const Product& product : catalogue->products()) {
    EXPECT_FALSE(product.sources.empty()) << product.key.text;
    EXPECT_GT(product.line, 1) << product.key.text;
    EXPECT_TRUE(product.file.ends_with(".yaml")) << product.file;
    if (product.mig_capable) {
      EXPECT_FALSE(product.placements_source.empty()) << product.key.text;
    }
  }
}

// What one product says, but for where it was read.
std::string told(const Product& one) {
  std::string text =
      one.key.text + one.architecture + one.compute_capability + one.min_driver + one.placements_source;
  for (const auto* words : {&one.aliases, &one.smi_names, &one.gfd_labels, &one.pci_ids, &one.slurm_types,
                            &one.sources, &one.notes})
    for (const std::string& word : *words) text += "," + word;
  for (const int number : {one.memory_gb.value_or(0), one.units, one.compute_slices, one.max_instances,
                           static_cast<int>(one.mig_capable), one.budget.copy.value_or(-1)})
    text += " " + std::to_string(number);
  for (const Profile& profile : one.profiles) {
    text += "\n" + profile.name.text + profile.nvml + profile.note + std::to_string(profile.max);
    for (const int start : profile.starts) text += "@" + std::to_string(start);
  }
  return text;
}

TEST(BuiltIn, APartOfItSaysOfItsProductsWhatTheWholeSays) {
  for (const Product& product : built_in().products()) {
    const std::vector<std::string> wanted{product.key.text};
    const Result<Catalogue> part = built_in_of(wanted);
    ASSERT_TRUE(part) << to_line(part.error());
    ASSERT_EQ(part->products().size(), 1u) << "all were read for " << product.key.text;
    EXPECT_EQ(told(part->products().front()), told(product));
  }
  const std::vector<std::string> some{"L4", "A30-24GB", "L4"}, strange{"L4", "no such product"};
  EXPECT_EQ(built_in_of(some)->products().size(), 2u);
  EXPECT_EQ(built_in_of(strange)->products().size(), built_in().products().size());
  EXPECT_EQ(built_in_of({})->products().size(), built_in().products().size());
}

TEST(BuiltIn, HasEveryMigProduct) {
  std::vector<std::string> mig;
  for (const Product& product : built_in().products()) {
    if (product.mig_capable) mig.push_back(product.key.text);
  }
  std::sort(mig.begin(), mig.end());
  EXPECT_EQ(mig, (std::vector<std::string>{"A100-40GB",
                                           "A100-80GB",
                                           "A30-24GB",
                                           "B200-180GB",
                                           "B300-288GB",
                                           "GB200-186GB",
                                           "GB300-288GB",
                                           "GH200-144GB",
                                           "GH200-96GB",
                                           "H100-64GB-SXM5",
                                           "H100-80GB-PCIe",
                                           "H100-80GB-SXM5",
                                           "H100-NVL-94GB",
                                           "H20-96GB",
                                           "H200-141GB",
                                           "H200-NVL-141GB",
                                           "RTX-PRO-4500-Blackwell-32GB",
                                           "RTX-PRO-5000-Blackwell-48GB",
                                           "RTX-PRO-6000-Blackwell-96GB",
                                           "Thor-iGPU"}));
}

TEST(BuiltIn, KeepsUnknownAndInferredApartFromKnown) {
  const Product& b200 = *built_in().by_key("B200-180GB");
  EXPECT_TRUE(b200.placements_known);
  EXPECT_TRUE(b200.placements_inferred);
  EXPECT_TRUE(b200.find("3g.90gb")->inferred);
  EXPECT_EQ(b200.find("3g.90gb")->sm, std::nullopt);
  EXPECT_EQ(b200.find("3g.90gb")->engines.decoder, std::nullopt);
  EXPECT_EQ(b200.find("3g.90gb")->engines.ofa, 0) << "none is not unknown";
  EXPECT_FALSE(b200.find("1g.23gb")->inferred);
  EXPECT_EQ(b200.budget.decoder, std::nullopt) << "the whole board's decoders are not published";

  const Product& h100 = *built_in().by_key("H100-80GB-SXM5");
  EXPECT_FALSE(h100.placements_inferred);
  EXPECT_EQ(h100.find("3g.40gb")->memory, Mib{40448});
  EXPECT_EQ(h100.find("3g.40gb")->sm, 60);
  EXPECT_EQ(h100.find("1g.20gb")->starts, (std::vector<int>{0, 2, 4, 6}));
  EXPECT_EQ(h100.find("7g.80gb")->compute_profiles, (std::vector<std::string>{"1c", "2c", "3c", "4c", "7c"}));
  EXPECT_EQ(h100.budget, (Engines{8, 7, 0, 7, 1}));

  const Product& rtx5000 = *built_in().by_key("RTX-PRO-5000-Blackwell-48GB");
  EXPECT_TRUE(rtx5000.mig_capable);
  EXPECT_FALSE(rtx5000.placements_known);
  EXPECT_TRUE(rtx5000.find("2g.24gb-me")->starts.empty());
  EXPECT_TRUE(built_in().by_key("Thor-iGPU")->profiles.empty());
}

TEST(LookUp, BySmiName) {
  EXPECT_EQ(key(built_in().by_smi_name("NVIDIA H100 80GB HBM3")), "H100-80GB-SXM5");
  EXPECT_EQ(key(built_in().by_smi_name("A100-SXM4-40GB")), "A100-40GB") << "old drivers leave NVIDIA out";
  EXPECT_EQ(key(built_in().by_smi_name("nvidia a100 80gb pcie")), "A100-80GB");
  EXPECT_EQ(key(built_in().by_smi_name("NVIDIA L40")), "L40");
  EXPECT_EQ(key(built_in().by_smi_name("NVIDIA L40S")), "L40S");
  EXPECT_EQ(key(built_in().by_smi_name("NVIDIA A10G")), "A10G");
  EXPECT_EQ(key(built_in().by_smi_name("NVIDIA GeForce RTX 4090 D")), "GeForce-40");
  EXPECT_EQ(key(built_in().by_smi_name("NVIDIA RTX A6000")), "RTX-A-series");
  EXPECT_EQ(key(built_in().by_smi_name("NVIDIA H100")), "none") << "which of them?";
  EXPECT_EQ(key(built_in().by_smi_name("NVIDIA ")), "none");
  EXPECT_EQ(key(built_in().by_smi_name("")), "none");
  EXPECT_EQ(key(built_in().by_smi_name(std::string(100'000, 'N'))), "none");
}

TEST(LookUp, ByGfdLabel) {
  EXPECT_EQ(key(built_in().by_gfd_label("NVIDIA-H100-80GB-HBM3-MIG-1g.10gb")), "H100-80GB-SXM5");
  EXPECT_EQ(key(built_in().by_gfd_label("A100-SXM4-40GB-MIG-1g.5gb-SHARED")), "A100-40GB");
  EXPECT_EQ(key(built_in().by_gfd_label("NVIDIA-A100-SXM4-80GB-MIG-1g.10gb.me")), "A100-80GB");
  EXPECT_EQ(key(built_in().by_gfd_label("NVIDIA-H200-MIG-INVALID")), "H200-141GB");
  EXPECT_EQ(key(built_in().by_gfd_label("Tesla-T4-SHARED")), "T4");
  EXPECT_EQ(key(built_in().by_gfd_label("NVIDIA-RTX-PRO-6000-Blackwell-Max-Q-Workstation-Edition")),
            "RTX-PRO-6000-Blackwell-96GB")
      << "made from the name, as the label is";
  EXPECT_EQ(key(built_in().by_gfd_label("NVIDIA-GeForce-RTX-3090")), "GeForce-30");
  EXPECT_EQ(key(built_in().by_gfd_label("NVIDIA-H100-80GB-HBM3-MIG-huh")), "none");
  EXPECT_EQ(key(built_in().by_gfd_label("-SHARED")), "none");
}

TEST(LookUp, ByPciId) {
  EXPECT_EQ(key(built_in().by_pci_id("0x233010DE")), "H100-80GB-SXM5");
  EXPECT_EQ(key(built_in().by_pci_id("10de:2330")), "H100-80GB-SXM5");
  EXPECT_EQ(key(built_in().by_pci_id("0x2bb510de:0x204E10DE")), "RTX-PRO-6000-Blackwell-96GB");
  EXPECT_EQ(key(built_in().by_pci_id("10DE:2236")), "A10");
  for (const char* no :
       {"", "0x", "0x2330", "10DE:", "233010DE", "0x233010DX", "::::::::::", "0x1234567890"}) {
    EXPECT_EQ(key(built_in().by_pci_id(no)), "none") << no;
  }
}

TEST(LookUp, ByKeyAliasOrAnything) {
  EXPECT_EQ(key(built_in().by_key("h100-nvl-94gb")), "H100-NVL-94GB");
  EXPECT_EQ(key(built_in().by_key("H100-96GB")), "GH200-96GB");
  EXPECT_EQ(key(built_in().by_any("a30")), "A30-24GB") << "a word that only one product answers to";
  EXPECT_EQ(key(built_in().by_any("NVIDIA H200 NVL")), "H200-NVL-141GB");
  EXPECT_EQ(key(built_in().by_any("10DE:2901")), "B200-180GB");
  EXPECT_EQ(key(built_in().by_any("a100_3g.20gb")), "A100-40GB");
  EXPECT_EQ(key(built_in().by_any("h100")), "none") << "several boards";
  EXPECT_EQ(key(built_in().by_any("")), "none");
}

TEST(LookUp, EveryNameFindsItsOwnProduct) {
  for (const Product& product : built_in().products()) {
    EXPECT_EQ(built_in().by_key(product.key.text), &product);
    for (const std::string& name : product.smi_names) {
      if (name.ends_with('*')) continue;
      EXPECT_EQ(built_in().by_smi_name(name), &product) << name;
      const auto meant = built_in().by_slurm_type(name, {});
      EXPECT_NE(std::find(meant.begin(), meant.end(), &product), meant.end()) << name;
    }
    for (const std::string& label : product.gfd_labels) {
      EXPECT_EQ(built_in().by_gfd_label(label), &product) << label;
    }
    for (const std::string& id : product.pci_ids) EXPECT_EQ(built_in().by_pci_id(id), &product) << id;
    for (const std::string& type : product.slurm_types) {
      const auto meant = built_in().by_slurm_type(type, {});
      EXPECT_NE(std::find(meant.begin(), meant.end(), &product), meant.end()) << type;
    }
  }
}

TEST(SlurmTypes, AreWordsThatSitesChose) {
  const auto meant = [](std::string_view type, std::vector<std::string> features = {}) {
    return keys(built_in().by_slurm_type(type, features));
  };
  EXPECT_EQ(meant("h100"), "H100-80GB-SXM5 H100-80GB-PCIe H100-NVL-94GB H100-64GB-SXM5");
  EXPECT_EQ(meant("a100"), "A100-40GB A100-80GB");
  EXPECT_EQ(meant("h200"), "H200-141GB H200-NVL-141GB")
      << "one board's whole name, and a site's word for both";
  EXPECT_EQ(meant("nvidia_h200"), "H200-141GB");
  EXPECT_EQ(meant("nvidia_h100_80gb_hbm3"), "H100-80GB-SXM5") << "as Slurm detects it";
  EXPECT_EQ(meant("nvidia_a100-sxm4-80gb"), "A100-80GB");
  EXPECT_EQ(meant("a100-sxm4-80gb"), "A100-80GB");
  EXPECT_EQ(meant("80gb_hbm3"), "H100-80GB-SXM5") << "Slurm takes any part of the name";
  EXPECT_EQ(meant("L40S"), "L40S");
  EXPECT_EQ(meant("nvidia_geforce_rtx_4090"), "GeForce-40");
  EXPECT_EQ(meant("tesla"), "M10 M60 T4 V100-16GB V100-32GB P100-12GB P100-16GB");
  EXPECT_EQ(meant("fpga"), "");
  EXPECT_EQ(meant(""), "");
  EXPECT_EQ(meant(std::string(100'000, 'a')), "");
}

TEST(SlurmTypes, WithAProfileAreMigTypes) {
  const auto meant = [](std::string_view type, std::vector<std::string> features = {}) {
    return keys(built_in().by_slurm_type(type, features));
  };
  EXPECT_EQ(meant("a100_3g.20gb"), "A100-40GB");
  EXPECT_EQ(meant("nvidia_a100_3g.40gb"), "A100-80GB");
  EXPECT_EQ(meant("nvidia_h200_nvl_4g.71gb"), "H200-NVL-141GB");
  EXPECT_EQ(meant("nvidia_a100-sxm4-40gb_mig_1c.3g.20gb"), "A100-40GB");
  EXPECT_EQ(meant("1g.6gb"), "A30-24GB");
  EXPECT_EQ(meant("1g.10gb", {"h100"}), "H100-80GB-SXM5 H100-80GB-PCIe");
  EXPECT_EQ(meant("1g.10gb", {"ib", "h100", "sxm4"}), "H100-80GB-SXM5 H100-80GB-PCIe")
      << "features that say nothing are passed over";
  EXPECT_EQ(meant("1g.10gb", {"nvidia_h100_pcie"}), "H100-80GB-PCIe");
  EXPECT_EQ(meant("1g.10gb"), "A100-40GB A100-80GB H100-80GB-SXM5 H100-80GB-PCIe");
  EXPECT_EQ(meant("h100_1g.5gb"), "") << "no H100 has it";
  EXPECT_EQ(meant("a100", {"80gb"}), "A100-80GB");
}

TEST(SlurmTypes, TheProfilePart) {
  const auto part = [](std::string_view type) {
    const auto profile = profile_of_slurm_type(type);
    return profile ? profile->text : "none";
  };
  EXPECT_EQ(part("nvidia_h200_nvl_4g.71gb"), "4g.71gb");
  EXPECT_EQ(part("a100_1g.5gb+me"), "1g.5gb+me");
  EXPECT_EQ(part("a100_1g.5gb_me"), "1g.5gb+me");
  EXPECT_EQ(part("1g.24gb_me_all"), "1g.24gb+me.all");
  EXPECT_EQ(part("1g.24gb-me"), "1g.24gb-me");
  EXPECT_EQ(part("a100_1c.3g.20gb"), "1c.3g.20gb");
  EXPECT_EQ(part("h100"), "none");
  EXPECT_EQ(part("a1001g.5gb"), "none");
  EXPECT_EQ(part(""), "none");
}

TEST(ProfileNames, HaveManySpellingsAndOneForm) {
  const auto form = [](std::string_view text) {
    const auto name = canonical_profile(text);
    return name ? name->text : "none";
  };
  EXPECT_EQ(form("MIG 1g.10gb"), "1g.10gb");
  EXPECT_EQ(form("mig-1g.5gb.me"), "1g.5gb+me");
  EXPECT_EQ(form("1G.24GB.ME.ALL"), "1g.24gb+me.all");
  EXPECT_EQ(form("4g.96gb+gfx"), "4g.96gb+gfx");
  EXPECT_EQ(form("1c.3g.40gb"), "1c.3g.40gb");
  for (const char* no : {"", "1g", "1g.10", "g.10gb", "0g.10gb", "01g.10gb", "1g.10gbx", "1g.10gb+",
                         "1g.10gb+me..all", "1g.10gb+me.", "99999g.1gb", "1g.10gb@0", "1g.10gb+\x1B"}) {
    EXPECT_EQ(form(no), "none") << no;
  }
}

// A GPU in the smallest words that the reader accepts, to be broken line by line.
constexpr std::string_view kSite = R"(products:
  - key: Site-Board
    names: [NVIDIA Site Board]
    architecture: hopper
    mig: true
    board: {units: 4, compute: 3, instances: 3}
    placements: verified
    placements_source: our own -lgipp
    sources: [our own -lgip]
    profiles:
      - {name: 1g.5gb, compute: 1, memory: 1, starts: [0, 1, 2, 3], max: 3}
      - {name: 3g.20gb, compute: 3, memory: 4, starts: [0], max: 1}
)";

std::string reason(std::string_view text) {
  const Result<Catalogue> result = Catalogue::parse(text, "site.yaml");
  return result.ok() ? "read without complaint" : result.error().reason;
}

std::string broken(std::string_view from, std::string_view to) {
  std::string text(kSite);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return reason(text.replace(at, from.size(), to));
}

TEST(Reading, AcceptsASmallBoard) {
  const Result<Catalogue> site = Catalogue::parse(kSite, "site.yaml");
  ASSERT_TRUE(site.ok()) << to_line(site.error());
  const Product& board = site->products()[0];
  EXPECT_EQ(board.file, "site.yaml");
  EXPECT_EQ(board.line, 2);
  EXPECT_EQ(board.profiles[0].engines, Engines{});
  EXPECT_EQ(board.profiles[0].id, std::nullopt);
}

TEST(Reading, RefusesWhatNoBoardCanBe) {
  EXPECT_EQ(broken("names:", "nmaes:"), "site.yaml:3: products: unknown key \"nmaes\"");
  EXPECT_EQ(broken("    names: [NVIDIA Site Board]\n", ""), "site.yaml:2: \"names\" is missing");
  EXPECT_EQ(broken("units: 4", "units: four"),
            "site.yaml:6: units: a whole number from 1 to 16 is expected here");
  EXPECT_EQ(broken("units: 4", "units: 99"),
            "site.yaml:6: units: a whole number from 1 to 16 is expected here");
  EXPECT_EQ(broken("units: 4, ", ""), "site.yaml:6: \"units\" is missing");
  EXPECT_EQ(broken("verified", "guessed"),
            "site.yaml:7: placements: \"guessed\" is none of verified, inferred, unknown");
  EXPECT_EQ(broken("verified", "unknown"),
            "site.yaml:6: units are given, but the product says placements: unknown");
  EXPECT_EQ(broken("[our own -lgip]", "[]"), "site.yaml:2: sources: at least one is needed");
  EXPECT_EQ(broken("name: 1g.5gb", "name: one"), "site.yaml:11: name: \"one\" is no profile");
  EXPECT_EQ(broken("name: 1g.5gb", "name: 1G.5gb"), "site.yaml:11: name: \"1G.5gb\" is no profile");
  EXPECT_EQ(broken("compute: 1,", "compute: 2,"),
            "site.yaml:11: compute: 2 does not go with the name 1g.5gb");
  EXPECT_EQ(broken("[0, 1, 2, 3]", "[0, 2, 1]"), "site.yaml:11: starts: not in ascending order");
  EXPECT_EQ(broken("[0, 1, 2, 3]", "[0, 0]"), "site.yaml:11: starts: not in ascending order");
  EXPECT_EQ(broken("[0, 1, 2, 3]", "0"), "site.yaml:11: starts: a list of numbers is expected here");
  EXPECT_EQ(broken("starts: [0]", "starts: [1]"),
            "site.yaml:12: 3g.20gb: at 1 its 4 memory slices reach beyond the GPU's 4 units");
  EXPECT_EQ(broken("max: 3", "max: 4"),
            "site.yaml:11: 1g.5gb: 4 of them need 4 compute slices and the GPU has 3");
  EXPECT_EQ(broken("[0, 1, 2, 3]", "[0, 1]"),
            "site.yaml:11: 1g.5gb: max is 3, but only 2 can stand side by side");
  EXPECT_EQ(broken("instances: 3", "instances: 2"),
            "site.yaml:11: 1g.5gb: max is 3, but the GPU holds 2 instances");
  EXPECT_EQ(broken("3g.20gb, compute: 3", "1g.5gb, compute: 1"),
            "site.yaml:12: 1g.5gb: this profile is listed twice");
  EXPECT_EQ(broken("max: 1}", "max: 1, inside: [4c]}"),
            "site.yaml:12: inside: \"4c\" is no width of a compute instance of a 3g.20gb");
  EXPECT_EQ(broken("max: 1}", "max: 1, engines: {dec: 1}}"), "site.yaml:12: engines: unknown key \"dec\"");
  EXPECT_EQ(broken("mig: true", "mig: false"), "site.yaml:6: \"board\" goes with mig: true only");
  EXPECT_EQ(broken("mig: true", "mig: yes"), "site.yaml:5: mig: true or false is expected here");
  EXPECT_EQ(broken("[NVIDIA Site Board]", "[NVIDIA*Board]"),
            "site.yaml:3: names: \"NVIDIA*Board\" may have a '*' at its end only");
  EXPECT_EQ(broken("[NVIDIA Site Board]", "[\"a\\e[31m\"]"), "site.yaml:3: names: holds control characters");
  EXPECT_EQ(broken("key: Site-Board", "key: Site Board"),
            "site.yaml:2: key: letters, digits, '-', '_' and '.' only");
  EXPECT_EQ(broken("architecture", "pci: [0x2330]\n    architecture"),
            "site.yaml:4: pci: \"0x2330\" does not look like 0x233010DE");
  EXPECT_EQ(reason("boards: []"), "site.yaml:1: catalogue: unknown key \"boards\"");
  EXPECT_EQ(reason("products: 1"), "site.yaml:1: products: a list is expected here");
  EXPECT_EQ(reason("[]"), "site.yaml:1: catalogue: a map is expected here");
  EXPECT_EQ(reason(""), "site.yaml:1: catalogue: a map is expected here");
  EXPECT_EQ(reason("products: [1]"), "site.yaml:1: products: a map is expected here");
  EXPECT_EQ(reason("products: ["), "site.yaml:1:1: end of sequence flow not found");
}

TEST(Reading, RefusesAKeyTwice) {
  const std::string twice = std::string(kSite) + std::string(kSite.substr(kSite.find("  - key")));
  EXPECT_EQ(reason(twice), "site.yaml:13: the key \"Site-Board\" is listed twice");
}

TEST(Reading, RefusesBoardsWithTooManyLayoutsToList) {
  std::string text =
      "products:\n  - key: Explosive\n    names: [X]\n    architecture: x\n    mig: true\n"
      "    board: {units: 16, compute: 16, instances: 16}\n    placements: verified\n"
      "    placements_source: x\n    sources: [x]\n    profiles:\n";
  for (int i = 1; i <= 30; ++i) {
    text += "      - {name: 1g." + std::to_string(i) +
            "gb, compute: 1, memory: 1, max: 16, "
            "starts: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]}\n";
  }
  EXPECT_EQ(reason(text), "site.yaml:10: profiles: together they make more layouts than can be listed");
}

TEST(SiteFile, AddsAndReplaces) {
  const Result<Catalogue> added = built_in().with_site(kSite, "/etc/tessera/catalogue.yaml");
  ASSERT_TRUE(added.ok()) << to_line(added.error());
  EXPECT_EQ(added->products().size(), built_in().products().size() + 1);
  EXPECT_EQ(key(added->by_smi_name("NVIDIA Site Board")), "Site-Board");
  EXPECT_EQ(key(built_in().by_smi_name("NVIDIA Site Board")), "none") << "the old one is unchanged";

  std::string text(kSite);
  text.replace(text.find("Site-Board"), 10, "a30-24gb");
  const Result<Catalogue> replaced = built_in().with_site(text, "site.yaml");
  ASSERT_TRUE(replaced.ok()) << to_line(replaced.error());
  EXPECT_EQ(replaced->products().size(), built_in().products().size());
  EXPECT_EQ(replaced->by_key("A30-24GB")->compute_slices, 3);
  EXPECT_EQ(key(replaced->by_smi_name("NVIDIA A30")), "none") << "the site's row is the only one";
}

TEST(SiteFile, AShippedProductCanBeCopiedIntoIt) {
  for (const embedded::File& file : embedded::catalogue()) {
    const Result<Catalogue> again = built_in().with_site(file.text, file.name);
    ASSERT_TRUE(again.ok()) << to_line(again.error());
    EXPECT_EQ(again->products().size(), built_in().products().size());
  }
}

TEST(SiteFile, ANameOfTwoProductsFindsNeither) {
  std::string text(kSite);
  text.replace(text.find("NVIDIA Site Board"), 17, "NVIDIA A30");
  const Result<Catalogue> merged = built_in().with_site(text, "site.yaml");
  ASSERT_TRUE(merged.ok());
  EXPECT_EQ(merged->by_smi_name("NVIDIA A30"), nullptr);
}

}  // namespace
}  // namespace tessera::mig
