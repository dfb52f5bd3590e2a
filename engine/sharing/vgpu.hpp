// Types of virtual GPU: which ones a GPU can be divided into, and how many of each it holds.
//
// A GPU holds one type at a time. The table is data: engine/sharing/data/vgpu.yaml, embedded, which names
// its source. Threads: pure functions of values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"
#include "engine/model/units.hpp"

namespace tessera::sharing {

struct VgpuType {
  ProfileName name;        // "A10-4Q"
  int gigabytes = 0;       // of frame buffer, each
  std::string series;      // "Q" workstation, "C" compute; "CME": compute with the media engines
  int compute_slices = 0;  // backed by a MIG instance of so many; 0: shares the GPU in turns
  int per_board = 0;       // how many a GPU holds at once
  friend bool operator==(const VgpuType&, const VgpuType&) = default;
};

struct VgpuBoard {
  ProductKey product;
  std::string model;  // this GPU alone among those of the product; empty: all of them
  std::vector<VgpuType> types;
};

// Errors name file and line.
Result<std::vector<VgpuBoard>> parse_vgpu_types(std::string_view text, std::string_view file);
Result<std::vector<VgpuBoard>> built_in_vgpu_types();

// Those of a GPU, in the table's order. Where the model's name tells no GPU of the product apart: those
// of all of them. Empty: the table does not know this GPU.
std::vector<VgpuType> vgpu_types(const std::vector<VgpuBoard>& table, const ProductKey& product,
                                 std::string_view model);

// "6 on a GPU, 4 GB each, in turns"
std::string to_text(const VgpuType& type);

}  // namespace tessera::sharing
