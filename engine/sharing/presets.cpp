#include "engine/sharing/presets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "engine/mig/profile_name.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/text.hpp"

namespace tessera::sharing {

namespace {

const mig::Profile& at(const mig::Product& product, int index) {
  return product.profiles.at(static_cast<std::size_t>(index));
}

// "2 × 1g.10gb + 1 × 3g.40gb", in the order in which they are listed.
std::string describe(const mig::Product& product, std::span<const int> profiles) {
  std::vector<std::pair<int, int>> counts;
  for (int index : profiles) {
    auto found = std::find_if(counts.begin(), counts.end(), [&](auto& pair) { return pair.first == index; });
    if (found == counts.end()) {
      counts.emplace_back(index, 1);
    } else {
      ++found->second;
    }
  }
  std::vector<std::string> parts;
  for (const auto& [index, count] : counts) {
    parts.push_back(fmt::format("{} × {}", count, at(product, index).name.text));
  }
  return fmt::format("{}", fmt::join(parts, " + "));
}

Preset cut(const mig::Product& product, std::string name, std::vector<int> profiles) {
  Preset preset;
  preset.name = std::move(name);
  preset.mig = true;
  preset.profiles = std::move(profiles);
  preset.text = describe(product, preset.profiles);
  if (product.placements_known) preset.layout = mig::place(product, preset.profiles);
  return preset;
}

Preset switch_preset(std::string name, bool on) {
  Preset preset;
  preset.name = std::move(name);
  preset.mig = on;
  if (on) preset.layout = mig::Layout{};
  preset.text = on ? "MIG on, no instances" : "MIG off, whole GPU";
  return preset;
}

// The operator's choice among the plain profiles of one width: the one that fits most often, the smallest.
std::optional<int> base_of_width(const mig::Product& product, int width) {
  std::optional<int> best;
  for (std::size_t i = 0; i < product.profiles.size(); ++i) {
    const mig::Profile& profile = product.profiles[i];
    if (profile.has_attribute() || profile.compute_slices != width) continue;
    if (!best || profile.max > at(product, *best).max) best = static_cast<int>(i);
  }
  return best;
}

std::optional<Preset> balanced(const mig::Product& product) {
  const std::optional<int> one = base_of_width(product, 1), two = base_of_width(product, 2),
                           three = base_of_width(product, 3);
  if (!one || !two) return std::nullopt;
  if (product.compute_slices == 7 && three) return cut(product, "all-balanced", {*one, *one, *two, *three});
  if (product.compute_slices == 4) return cut(product, "all-balanced", {*one, *one, *two});
  return std::nullopt;
}

// Takes "<number>-" off the front.
std::optional<int> take_count(std::string_view& text) {
  int count = 0;
  const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), count);
  const auto digits = static_cast<std::size_t>(stop - text.data());
  if (code != std::errc() || digits >= text.size() || text[digits] != '-' || count < 1 || count > 99) {
    return std::nullopt;
  }
  text.remove_prefix(digits + 1);
  return count;
}

// Length of the profile that `text` begins with: the longest prefix up to a "-<digit>" or the end, since
// names such as 1g.24gb-me hold a dash themselves.
std::size_t profile_length(std::string_view text) {
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] == '-' && text[i + 1] >= '0' && text[i + 1] <= '9') return i;
  }
  return text.size();
}

Error bad_name(std::string_view name, std::string reason) {
  return {fmt::format("cannot use the layout \"{}\"", clean(name, 128)), std::move(reason),
          "the form is mixed-<count>-<profile>-<count>-<profile>…, for example "
          "mixed-2-1g.10gb-1-2g.20gb-1-3g.40gb"};
}

std::string folded(std::string_view name) {
  std::string text = lower(name);
  std::replace(text.begin(), text.end(), '+', '.');
  return text;
}

Preset from_row(const mig::Product& product, const PresetTable& table, const PresetRow& row) {
  std::vector<int> profiles;
  for (const auto& [profile, count] : row.instances) {
    if (const auto index = product.index_of(profile.text)) {
      profiles.insert(profiles.end(), static_cast<std::size_t>(count), *index);
    }
  }
  Preset preset = profiles.empty() ? switch_preset(row.name, false) : cut(product, row.name, profiles);
  preset.platform = table.platform;
  preset.strategy = row.strategy;
  preset.note = row.note;
  preset.offers_nothing = row.offers_nothing;
  if (profiles.empty()) preset.text = row.offers_nothing ? "whole GPU, not offered" : "whole GPU";
  return preset;
}

bool has_table(Platform platform, std::span<const PresetTable> tables) {
  return std::any_of(tables.begin(), tables.end(),
                     [&](const PresetTable& table) { return table.platform == platform; });
}

}  // namespace

std::vector<Preset> operator_presets(const mig::Product& product) {
  std::vector<Preset> all;
  if (!product.mig_capable) return all;
  all.push_back(switch_preset("all-disabled", false));
  all.push_back(switch_preset("all-enabled", true));
  for (std::size_t i = 0; i < product.profiles.size(); ++i) {
    const mig::Profile& profile = product.profiles[i];
    if (profile.max < 1) continue;
    all.push_back(cut(product, "all-" + kubernetes_spelling(profile.name),
                      std::vector<int>(static_cast<std::size_t>(profile.max), static_cast<int>(i))));
  }
  if (auto preset = balanced(product)) all.push_back(std::move(*preset));
  return all;
}

std::optional<std::string> operator_name(const mig::Product& product, std::span<const int> profiles) {
  std::vector<int> wanted(profiles.begin(), profiles.end());
  std::sort(wanted.begin(), wanted.end());
  for (Preset& preset : operator_presets(product)) {
    std::sort(preset.profiles.begin(), preset.profiles.end());
    if (preset.mig && preset.profiles == wanted) return preset.name;
  }
  return std::nullopt;
}

Result<Preset> hyperpod_mixed(const mig::Product& product, std::string_view name) {
  constexpr std::string_view kPrefix = "mixed-";
  if (name.size() > 256 || !name.starts_with(kPrefix)) {
    return bad_name(name, "it does not begin with mixed-");
  }
  std::string_view rest = name.substr(kPrefix.size());
  std::vector<int> profiles;
  while (!rest.empty()) {
    const std::optional<int> count = take_count(rest);
    if (!count) return bad_name(name, fmt::format("a count is expected before \"{}\"", clean(rest, 64)));
    const std::size_t length = profile_length(rest);
    const std::string_view profile = rest.substr(0, length);
    const std::optional<int> index = product.index_of(profile);
    if (!index) {
      return bad_name(name, fmt::format("{} has no profile \"{}\"", product.key.text, clean(profile, 64)));
    }
    profiles.insert(profiles.end(), static_cast<std::size_t>(*count), *index);
    if (profiles.size() > mig::kMaxUnits) return bad_name(name, "more instances than any GPU has room for");
    rest.remove_prefix(std::min(rest.size(), length + 1));
  }
  if (profiles.empty()) return bad_name(name, "it names no profile");
  Preset preset = cut(product, std::string(name), profiles);
  preset.platform = Platform::hyperpod_eks;
  preset.strategy = MigStrategy::mixed;
  if (product.placements_known && !preset.layout) {
    return bad_name(name, fmt::format("{} do not fit on one {}", preset.text, product.key.text));
  }
  return preset;
}

std::string hyperpod_name(const mig::Product& product, std::span<const int> profiles) {
  std::vector<int> sorted(profiles.begin(), profiles.end());
  std::stable_sort(sorted.begin(), sorted.end(), [&](int left, int right) {
    return std::pair(at(product, left).compute_slices, left) <
           std::pair(at(product, right).compute_slices, right);
  });
  std::string name = "mixed";
  for (std::size_t i = 0; i < sorted.size();) {
    const std::size_t first = i;
    while (i < sorted.size() && sorted[i] == sorted[first]) ++i;
    name += fmt::format("-{}-{}", i - first, kubernetes_spelling(at(product, sorted[first]).name));
  }
  return name;
}

std::vector<Preset> presets(const mig::Product& product, Platform platform,
                            std::span<const PresetTable> tables) {
  std::vector<Preset> all;
  for (const PresetTable& table : tables) {
    if (table.platform != platform) continue;
    if (std::find(table.products.begin(), table.products.end(), product.key) == table.products.end()) {
      continue;
    }
    for (const PresetRow& row : table.rows) all.push_back(from_row(product, table, row));
  }
  return has_table(platform, tables) ? all : operator_presets(product);
}

namespace {

// A product that is in no table, where the documents print that profile for another one of its series:
// A100-40GB beside A100-80GB.
std::optional<Misprint> of_another(const mig::Product& product, const ProfileName& printed,
                                   std::span<const PresetTable> tables) {
  const std::string series = product.key.text.substr(0, product.key.text.find('-') + 1);
  for (const PresetTable& table : tables)
    for (const ProductKey& other : table.products) {
      if (!other.text.starts_with(series)) continue;
      for (const PresetRow& row : table.rows) {
        if (std::find(row.misprints.begin(), row.misprints.end(), printed) == row.misprints.end()) continue;
        const auto& [meant, count] = row.instances.front();
        return Misprint{printed, meant, count, row.name, table.platform, other};
      }
    }
  return std::nullopt;
}

}  // namespace

std::optional<Misprint> misprint_of(const mig::Product& product, std::string_view profile,
                                    std::span<const PresetTable> tables) {
  const auto printed = mig::canonical_profile(profile);
  if (!printed || product.index_of(printed->text)) return std::nullopt;
  for (const PresetTable& table : tables) {
    if (std::find(table.products.begin(), table.products.end(), product.key) == table.products.end())
      continue;
    for (const PresetRow& row : table.rows) {
      if (std::find(row.misprints.begin(), row.misprints.end(), *printed) == row.misprints.end()) continue;
      const auto& [meant, count] = row.instances.front();
      const bool others =
          std::find(row.of_others.begin(), row.of_others.end(), *printed) != row.of_others.end();
      return Misprint{*printed, meant, count, row.name, table.platform, {}, others};
    }
  }
  return of_another(product, *printed, tables);
}

std::string to_text(const Misprint& misprint, const mig::Product& product) {
  return fmt::format(
      "{} is a misprint in the documents of {}: no {} has such a profile. Meant is {} (layout {}: {} × {})",
      misprint.printed.text, title(misprint.platform), product.key.text, misprint.meant.text, misprint.preset,
      misprint.count, misprint.meant.text);
}

namespace {

// The profile of which a GPU of this product holds as many as are meant.
Error printed_of_another(const Misprint& misprint, const mig::Product& product) {
  Error error{
      fmt::format("there is no profile {}", misprint.printed.text),
      fmt::format("no {} has it; in the documents of {} it is a misprint for {} of an {}, {} on one GPU",
                  product.key.text, title(misprint.platform), misprint.meant.text, misprint.of.text,
                  misprint.count),
      fmt::format("tessera layouts {} lists the profiles", product.key.text)};
  for (const mig::Profile& profile : product.profiles)
    if (!profile.has_attribute() && profile.max == misprint.count)
      error.hint = fmt::format("{} on one {} are {}x{} (layout all-{})", misprint.count, product.key.text,
                               misprint.count, profile.name.text, kubernetes_spelling(profile.name));
  return error;
}

// What may be meant by a profile that the product lacks: those of the same width, without attributes.
Error not_printed_here(const Misprint& misprint, const mig::Product& product) {
  int width = 0;
  const std::string& printed = misprint.printed.text;
  std::from_chars(printed.data(), printed.data() + printed.size(), width);
  if (!misprint.of.empty()) return printed_of_another(misprint, product);
  std::vector<std::string> near;
  for (const mig::Profile& profile : product.profiles)
    if (!profile.has_attribute() && profile.compute_slices == width) near.push_back(profile.name.text);
  Error error{fmt::format("there is no profile {}", printed),
              fmt::format("no {} has it; in the documents of {} it stands for {}", product.key.text,
                          title(misprint.platform), misprint.meant.text),
              fmt::format("tessera layouts {} lists the profiles", product.key.text)};
  if (!near.empty()) error.hint = fmt::format("did you mean {}?", fmt::join(near, " or "));
  return error;
}

bool is_taken(const Misprint& misprint, std::optional<Platform> platform) {
  if (!misprint.of.empty()) return false;
  return !platform || misprint.platform == *platform || !misprint.of_others;
}

}  // namespace

Corrected corrected(std::string_view layout, const mig::Product& product, std::optional<Platform> platform,
                    std::span<const PresetTable> tables) {
  Corrected result;
  for (std::size_t at = 0; at <= layout.size();) {
    const std::size_t comma = std::min(layout.find(',', at), layout.size());
    std::string_view part = layout.substr(at, comma - at);
    // "3x" before and "@4" behind the profile stay as they are.
    const std::size_t times = part.find_first_of("x*");
    std::size_t from = times == std::string_view::npos ? 0 : times + 1;
    while (from < part.size() && part[from] == ' ') ++from;
    const std::size_t to = std::min(part.find_first_of("@ ", from), part.size());
    result.layout += part.substr(0, from);
    const auto misprint = misprint_of(product, part.substr(from, to - from), tables);
    const bool here = misprint && is_taken(*misprint, platform);
    if (misprint && !here && !result.refused) result.refused = not_printed_here(*misprint, product);
    if (here) {
      result.layout += misprint->meant.text;
      std::string note = to_text(*misprint, product);
      if (std::find(result.notes.begin(), result.notes.end(), note) == result.notes.end())
        result.notes.push_back(std::move(note));
    } else {
      result.layout += part.substr(from, to - from);
    }
    result.layout += part.substr(to);
    if (comma < layout.size()) result.layout += ',';
    at = comma + 1;
  }
  return result;
}

namespace {

// "all-2g.25gb": the layout that has what is meant.
std::optional<Result<Preset>> by_misprint(const mig::Product& product, Platform platform,
                                          std::string_view name, std::span<const PresetTable> tables) {
  constexpr std::string_view kAll = "all-";
  if (!name.starts_with(kAll)) return std::nullopt;
  const auto misprint = misprint_of(product, name.substr(kAll.size()), tables);
  if (!misprint) return std::nullopt;
  if (!is_taken(*misprint, platform)) return not_printed_here(*misprint, product);
  Result<Preset> meant =
      find_preset(product, platform, std::string(kAll) + kubernetes_spelling(misprint->meant), tables);
  if (meant) meant->note = to_text(*misprint, product);
  return meant;
}

}  // namespace

Result<Preset> find_preset(const mig::Product& product, Platform platform, std::string_view name,
                           std::span<const PresetTable> tables) {
  if (platform == Platform::hyperpod_eks && name.starts_with("mixed-")) {
    return hyperpod_mixed(product, name);
  }
  std::vector<std::string> names;
  for (Preset& preset : presets(product, platform, tables)) {
    if (folded(preset.name) == folded(name)) return std::move(preset);
    names.push_back(preset.name);
  }
  if (auto meant = by_misprint(product, platform, name, tables)) return std::move(*meant);
  Error error{fmt::format("no preset \"{}\"", clean(name, 128)),
              fmt::format("{} offers no such layout for {}", title(platform), product.key.text),
              {}};
  error.hint =
      names.empty() ? "there is none for this GPU" : fmt::format("choose one of: {}", fmt::join(names, ", "));
  return error;
}

}  // namespace tessera::sharing
