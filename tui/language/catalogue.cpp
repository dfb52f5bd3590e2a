#include "tui/language/catalogue.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <optional>

namespace tessera::tui {
namespace {

constexpr std::uint32_t kMagic = 0x950412de, kSwapped = 0xde120495;
constexpr std::uint32_t kMostEntries = 50'000;

class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}
  bool swapped = false;

  std::optional<std::uint32_t> number(std::uint64_t at) const {
    if (at + 4 > bytes_.size()) return std::nullopt;
    std::uint32_t value = 0;
    for (std::uint64_t i = 0; i < 4; ++i) {
      const auto byte = static_cast<unsigned char>(bytes_[at + (swapped ? 3 - i : i)]);
      value |= static_cast<std::uint32_t>(byte) << (8 * i);
    }
    return value;
  }
  // What row `index` of the table at `table` points at: a length and a place.
  std::optional<std::string_view> text(std::uint64_t table, std::uint64_t index) const {
    const auto length = number(table + 8 * index), at = number(table + 8 * index + 4);
    if (!length || !at || std::uint64_t{*at} + *length > bytes_.size()) return std::nullopt;
    return bytes_.substr(*at, *length);
  }

 private:
  std::string_view bytes_;
};

Error broken(std::string reason) {
  return Error{"cannot read the translations", std::move(reason), "build tessera again: msgfmt makes them"};
}

}  // namespace

Result<std::vector<CatalogueEntry>> read_catalogue(std::string_view text) {
  Bytes bytes(text);
  const auto magic = bytes.number(0);
  if (!magic || (*magic != kMagic && *magic != kSwapped)) return broken("this is no catalogue of gettext's");
  bytes.swapped = *magic == kSwapped;
  const auto revision = bytes.number(4), count = bytes.number(8), originals = bytes.number(12),
             translations = bytes.number(16);
  if (!translations || *revision >> 16 > 1) return broken("its head is cut short, or of a later revision");
  if (*count > kMostEntries) return broken(fmt::format("it announces {} texts", *count));
  std::vector<CatalogueEntry> entries;
  for (std::uint32_t i = 0; i < *count; ++i) {
    const auto original = bytes.text(*originals, i), translation = bytes.text(*translations, i);
    if (!original || !translation) return broken(fmt::format("text {} lies outside of it", i + 1));
    if (!original->empty() && !translation->empty()) entries.push_back({*original, *translation});
  }
  return entries;
}

}  // namespace tessera::tui
