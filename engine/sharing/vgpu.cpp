#include "engine/sharing/vgpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/embedded.hpp"
#include "engine/number.hpp"
#include "engine/sharing/read_yaml.hpp"

namespace tessera::sharing {
namespace {

constexpr std::size_t kMaxBoards = 200;
constexpr int kMaxGigabytes = 1024;

std::optional<int> take_gigabytes(std::string_view& text) {
  const auto value = take_number(text, kMaxGigabytes);
  return value && *value > 0 ? value : std::nullopt;
}

// "4Q", "1-10CME": what follows the GPU in the name of a type.
std::optional<VgpuType> parse_size(std::string_view text) {
  VgpuType type;
  auto first = take_gigabytes(text);
  if (!first) return std::nullopt;
  type.gigabytes = *first;
  if (text.starts_with('-')) {
    text.remove_prefix(1);
    auto second = take_gigabytes(text);
    if (!second) return std::nullopt;
    type.compute_slices = *first;
    type.gigabytes = *second;
  }
  bool letters = !text.empty() && text.size() <= 6 &&
                 std::all_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  if (!letters) return std::nullopt;
  type.series = text;
  return type;
}

VgpuBoard read_board(FieldReader& in, const Yaml& yaml) {
  VgpuBoard board;
  if (!in.map(yaml, "board", {"product", "prefix", "model", "types"})) return board;
  board.product = ProductKey(in.text(yaml, "product", 100));
  const std::string prefix = in.text(yaml, "prefix", 30);
  board.model = in.optional_text(yaml, "model", 100);
  const Yaml* types = yaml.find("types");
  if (!types || types->kind != Yaml::Kind::map || types->fields.empty()) {
    in.fail(yaml.line, "types: a map of size and series to count is expected here");
    return board;
  }
  for (const auto& [key, value] : types->fields) {
    std::optional<VgpuType> type = parse_size(key);
    const std::optional<std::int64_t> count = value.as_int();
    if (!type || !count || *count < 1 || *count > 99) {
      in.fail(value.key_line, fmt::format("types: \"{}\" is no type with a count, like 4Q: 6", key));
      return board;
    }
    type->name = ProfileName(prefix + "-" + key);
    type->per_board = static_cast<int>(*count);
    board.types.push_back(std::move(*type));
  }
  return board;
}

}  // namespace

Result<std::vector<VgpuBoard>> parse_vgpu_types(std::string_view text, std::string_view file) {
  Result<Yaml> root = parse_yaml(text, file);
  if (!root) return root.error();
  FieldReader in("cannot read the types of vGPU", file);
  std::vector<VgpuBoard> boards;
  if (in.map(*root, "file", {"boards"}))
    for (const Yaml& yaml : in.list(*root, "boards", kMaxBoards)) boards.push_back(read_board(in, yaml));
  if (in.failed()) return *in.error();
  return boards;
}

Result<std::vector<VgpuBoard>> built_in_vgpu_types() {
  for (const embedded::File& file : embedded::sharing())
    if (file.name == "vgpu.yaml") return parse_vgpu_types(file.text, file.name);
  return Error{"cannot read the types of vGPU", "vgpu.yaml is not part of this binary", {}};
}

std::vector<VgpuType> vgpu_types(const std::vector<VgpuBoard>& table, const ProductKey& product,
                                 std::string_view model) {
  std::vector<VgpuType> all;
  for (const VgpuBoard& board : table) {
    if (board.product != product) continue;
    if (!board.model.empty() && board.model == model) return board.types;
    all.insert(all.end(), board.types.begin(), board.types.end());
  }
  return all;
}

std::string to_text(const VgpuType& type) {
  std::string text = fmt::format("{} on a GPU, {} GB each", type.per_board, type.gigabytes);
  if (type.compute_slices > 0)
    return text + fmt::format(", each a MIG instance of {} compute {}", type.compute_slices,
                              type.compute_slices == 1 ? "slice" : "slices");
  return text + (type.per_board > 1 ? ", in turns" : "");
}

}  // namespace tessera::sharing
