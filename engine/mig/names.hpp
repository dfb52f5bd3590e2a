// Every spelling of every product, folded once at load, so that a look-up for each of 80,000 GPUs is cheap.
// Threads: immutable after make_names. Used by the catalogue only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/mig/catalogue.hpp"

namespace tessera::mig {

using Rows = std::vector<int>;  // indices into the products, ascending

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
using RowsByText = std::unordered_map<std::string, Rows, TextHash, std::equal_to<>>;

// Names of one kind: written out, and those that end in '*' without it.
struct Names {
  RowsByText exact;
  std::vector<std::pair<std::string, int>> prefixes;
  // Rows for a folded name; one written out wins over a prefix.
  Rows find(std::string_view folded) const;
};

struct NameIndex {
  RowsByText keys;
  RowsByText aliases;
  Names smi;     // without "nvidia "
  Names labels;  // given or made from the names; without "nvidia-"
  Names words;   // names as NVML words for Slurm, without "nvidia_"
  RowsByText slurm;
  std::unordered_map<std::uint32_t, Rows> pci;
};

NameIndex make_names(std::span<const Product> products);

std::string_view without_prefix(std::string_view text, std::string_view prefix);
// Lower case, blanks and dashes to underscores: "NVIDIA A100-SXM4-40GB" → "nvidia_a100_sxm4_40gb".
std::string slurm_word(std::string_view text);
// device << 16 | vendor, from "0x233010DE" (a subsystem behind it is ignored) or "10DE:2330".
std::optional<std::uint32_t> pci_number(std::string_view text);

}  // namespace tessera::mig
