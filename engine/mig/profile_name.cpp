#include "engine/mig/profile_name.hpp"

#include <algorithm>
#include <charconv>

#include "engine/text.hpp"

namespace tessera::mig {

namespace {

// Takes "<digits><unit>" off the front; at most four digits, none of them leading zeros.
std::optional<int> take_number(std::string_view& text, std::string_view unit) {
  std::size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  if (digits == 0 || digits > 4 || text[0] == '0') return std::nullopt;
  if (!text.substr(digits).starts_with(unit)) return std::nullopt;
  int number = 0;
  std::from_chars(text.data(), text.data() + digits, number);
  text.remove_prefix(digits + unit.size());
  return number;
}

// "+me", ".me.all", "_gfx", "-me": a sign and a word of at most 16 letters, digits and dots.
bool take_attribute(std::string_view text, ProfileParts& parts) {
  if (text.empty()) return true;
  const char sign = text.front();
  if (sign != '+' && sign != '-' && sign != '.' && sign != '_') return false;
  parts.sign = sign == '-' ? '-' : '+';
  parts.attribute = text.substr(1);
  std::replace(parts.attribute.begin(), parts.attribute.end(), '_', '.');
  const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto allowed = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '.'; };
  const std::string& word = parts.attribute;
  return !word.empty() && word.size() <= 16 && letter(word.front()) && word.back() != '.' &&
         word.find("..") == std::string::npos && std::all_of(word.begin(), word.end(), allowed);
}

}  // namespace

std::optional<ProfileParts> parse_profile(std::string_view text) {
  if (text.size() > 64) return std::nullopt;
  const std::string folded = lower(text);
  std::string_view rest = folded;
  if (rest.starts_with("mig ") || rest.starts_with("mig-")) rest.remove_prefix(4);
  ProfileParts parts;
  parts.compute_width = take_number(rest, "c.");
  const std::optional<int> slices = take_number(rest, "g.");
  if (!slices) return std::nullopt;
  const std::optional<int> gigabytes = take_number(rest, "gb");
  if (!gigabytes || !take_attribute(rest, parts)) return std::nullopt;
  parts.slices = *slices;
  parts.gigabytes = *gigabytes;
  return parts;
}

std::string to_text(const ProfileParts& parts) {
  std::string text;
  if (parts.compute_width) text += std::to_string(*parts.compute_width) + "c.";
  text += std::to_string(parts.slices) + "g." + std::to_string(parts.gigabytes) + "gb";
  if (parts.sign != '\0') text += parts.sign + parts.attribute;
  return text;
}

std::optional<ProfileName> canonical_profile(std::string_view text) {
  const std::optional<ProfileParts> parts = parse_profile(text);
  if (!parts) return std::nullopt;
  return ProfileName(to_text(*parts));
}

std::optional<ProfileName> profile_of_slurm_type(std::string_view type) {
  // The profile ends the type and begins where a part of it begins.
  for (std::size_t at = 0; at < type.size(); ++at) {
    const bool boundary = at == 0 || type[at - 1] == '_' || type[at - 1] == '-' || type[at - 1] == ' ';
    if (!boundary || type[at] < '1' || type[at] > '9') continue;
    if (auto profile = canonical_profile(type.substr(at))) return profile;
  }
  return std::nullopt;
}

}  // namespace tessera::mig
