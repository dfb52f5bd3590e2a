// Named layouts, each explained as instances and places: those that the GPU operator makes by rule for every
// product, the "mixed-…" names of HyperPod, and a managed platform's tables.
//
// The tables are data: engine/sharing/data/presets.yaml, embedded.
// Threads: pure functions of values; the tables are read by the caller once and passed in.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"
#include "engine/sharing/platform.hpp"
#include "engine/sharing/shape.hpp"

namespace tessera::sharing {

struct Preset {
  std::string name;  // as the platform calls it: "all-balanced", "all-1g.10gb.me"
  Platform platform = Platform::gpu_operator;
  std::optional<MigStrategy> strategy;  // nullopt: the platform leaves it to the operator's own setting
  bool mig = false;                     // MIG mode on
  std::vector<int> profiles;            // indices into the product's profiles, one for each instance
  std::optional<mig::Layout> layout;    // where they stand on an empty GPU; nullopt: places not published
  bool offers_nothing = false;          // no device plugin runs: 0 GPUs, whatever the layout
  std::string text;                     // "7 × 1g.10gb", "whole GPU"
  std::string note;                     // what the source got wrong, or what to know; may be empty
};

// all-disabled, all-enabled, all-<profile> for each profile, all-balanced; in that order. Empty for a product
// without MIG.
std::vector<Preset> operator_presets(const mig::Product& product);

// The operator's name for a layout, where one of its presets has exactly these instances.
std::optional<std::string> operator_name(const mig::Product& product, std::span<const int> profiles);

// "mixed-2-1g.10gb-1-2g.20gb-1-3g.40gb". Errors name the part that is wrong, or why it cannot stand.
Result<Preset> hyperpod_mixed(const mig::Product& product, std::string_view name);
// The name for a multiset, smallest profile first.
std::string hyperpod_name(const mig::Product& product, std::span<const int> profiles);

// A platform's own tables.
struct PresetRow {
  std::string name;
  MigStrategy strategy = MigStrategy::none;
  std::vector<std::pair<ProfileName, int>> instances;
  std::string note;
  bool offers_nothing = false;
  std::vector<ProfileName> misprints;  // what the platform's documents print instead of its only profile
  std::vector<ProfileName> of_others;  // those of them that are profiles of another product
};
struct PresetTable {
  Platform platform = Platform::fpt;
  std::vector<ProductKey> products;
  std::string title;
  std::vector<PresetRow> rows;
};
Result<std::vector<PresetTable>> parse_presets(std::string_view text, std::string_view file);
Result<std::vector<PresetTable>> built_in_presets();

// What a platform offers for a product: its own table where it has one (a managed platform without a table
// for this GPU offers nothing), else the operator's names.
std::vector<Preset> presets(const mig::Product& product, Platform platform,
                            std::span<const PresetTable> tables);
// A profile that documents of a platform print and no such product has, and what is meant by it.
struct Misprint {
  ProfileName printed, meant;
  int count = 0;       // of those on one GPU
  std::string preset;  // the layout that has them
  Platform platform = Platform::fpt;
  ProductKey of;           // another product: the documents print it for that one only
  bool of_others = false;  // another product has that profile
};
std::optional<Misprint> misprint_of(const mig::Product& product, std::string_view profile,
                                    std::span<const PresetTable> tables);
std::string to_text(const Misprint& misprint, const mig::Product& product);
// A layout as it is typed, with what is meant in the place of misprints; a sentence for each. A name that is
// a profile of another product (4g.20gb of an A100 of 40 GB) is taken so on the platform that prints it, and
// where nothing but a question is asked (platform: nullopt): elsewhere `refused` says what could be meant.
struct Corrected {
  std::string layout;
  std::vector<std::string> notes;
  std::optional<Error> refused = std::nullopt;
};
Corrected corrected(std::string_view layout, const mig::Product& product, std::optional<Platform> platform,
                    std::span<const PresetTable> tables);

// By name; '+' and '.' are one, case does not matter. A misprint finds what is meant, with a note, as in a
// layout that is typed. Errors list what there is.
Result<Preset> find_preset(const mig::Product& product, Platform platform, std::string_view name,
                           std::span<const PresetTable> tables);

}  // namespace tessera::sharing
