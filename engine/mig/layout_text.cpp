// Layouts as text and as observed: parse_wish, parse_layout, to_text, observed_layout.
#include <fmt/format.h>

#include <algorithm>

#include "engine/ascii.hpp"
#include "engine/mig/load.hpp"
#include "engine/number.hpp"
#include "engine/text.hpp"

namespace tessera::mig {

namespace {

constexpr std::size_t kMaxText = 4096;
constexpr std::string_view kWhat = "cannot read the layout";

std::string known_profiles(const Product& product) {
  std::vector<std::string_view> names;
  for (const Profile& profile : product.profiles) names.push_back(profile.name.view());
  if (names.empty()) return "no profiles of " + product.key.text + " are known";
  return fmt::format("{} has {}", product.key.text, fmt::join(names, ", "));
}

// Takes "3x" off the front; 1 without it.
int take_count(std::string_view& part) {
  const std::size_t x = part.find('x');
  if (x == std::string_view::npos) return 1;
  const std::optional<int> count = whole_number(part.substr(0, x), 99);
  if (!count) return 1;
  part.remove_prefix(x + 1);
  return *count;
}

// Adds one part to the wish; the sentence says what is wrong with it.
std::optional<std::string> read_part(const Product& product, std::string_view part, Wish& wish) {
  std::string_view rest = part;
  const int count = take_count(rest);
  const std::size_t at = rest.find('@');
  const std::optional<int> profile = product.index_of(trimmed(rest.substr(0, at)));
  if (!profile) return "no profile of this product";
  if (count < 1 || wish.open.size() + wish.fixed.size() + static_cast<std::size_t>(count) > kMaxUnits) {
    return fmt::format("a GPU holds 1 to {} instances", kMaxUnits);
  }
  if (at == std::string_view::npos) {
    wish.open.insert(wish.open.end(), static_cast<std::size_t>(count), *profile);
    return std::nullopt;
  }
  const std::optional<int> start = whole_number(trimmed(rest.substr(at + 1)), 99);
  if (!start) return "after @ the number of a memory slice is expected";
  if (count != 1) return "several instances cannot have the same start";
  wish.fixed.push_back({*profile, *start});
  return std::nullopt;
}

}  // namespace

Result<Wish> parse_wish(const Product& product, std::string_view text) {
  Wish wish;
  if (text.size() > kMaxText) return Error{std::string(kWhat), "it is longer than 4096 bytes", {}};
  if (trimmed(text).empty()) return wish;
  for (int number = 1;; ++number) {
    const std::size_t comma = text.find(',');
    const std::string_view part = trimmed(text.substr(0, comma));
    if (const auto wrong = read_part(product, part, wish)) {
      return Error{std::string(kWhat), fmt::format("part {}, \"{}\": {}", number, clean(part, 80), *wrong),
                   known_profiles(product)};
    }
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  std::sort(wish.fixed.begin(), wish.fixed.end());
  return wish;
}

Result<Layout> parse_layout(const Product& product, std::string_view text) {
  Result<Wish> wish = parse_wish(product, text);
  if (!wish) return wish.error();
  if (wish->open.empty()) return std::move(wish->fixed);
  if (auto layout = place(product, wish->open, wish->fixed)) return std::move(*layout);
  return Error{"there is no place for this layout",
               why_no_place(product, wish->open, wish->fixed).value_or("it does not fit"),
               "tessera layouts shows what fits"};
}

std::string to_text(const Product& product, const Layout& layout) {
  std::string text;
  for (const Placed placed : layout) {
    if (!text.empty()) text += ',';
    const bool known =
        placed.profile >= 0 && static_cast<std::size_t>(placed.profile) < product.profiles.size();
    text += known ? profile_of(product, placed).name.text : "?";
    text += '@' + std::to_string(placed.start);
  }
  return text;
}

std::optional<Layout> observed_layout(const Product& product, const Gpu& gpu) {
  Layout layout;
  for (const Slice& slice : gpu.slices) {
    if (slice.kind != SliceKind::gpu_instance || !slice.placement) return std::nullopt;
    const std::optional<int> profile = product.index_of(slice.profile.view());
    if (!profile) return std::nullopt;
    const Placed placed{*profile, slice.placement->start};
    if (!is_placeable(product, placed) ||
        profile_of(product, placed).memory_slices != slice.placement->size) {
      return std::nullopt;
    }
    layout.push_back(placed);
  }
  std::sort(layout.begin(), layout.end());
  return layout;
}

}  // namespace tessera::mig
