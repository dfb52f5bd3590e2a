// Catalogue::by_slurm_type: a GRES type is a word that a site chose, or a part of NVML's name.
#include <algorithm>

#include "engine/mig/catalogue.hpp"
#include "engine/mig/names.hpp"

namespace tessera::mig {

namespace {

// What stands before the profile: "a100" of "a100_3g.20gb", "nvidia_a100" of "nvidia_a100_mig_1g.5gb".
std::string board_part(std::string_view type) {
  std::string word = slurm_word(type);
  for (std::size_t at = 0; at < type.size(); ++at) {
    if ((at == 0 || word[at - 1] == '_') && canonical_profile(type.substr(at))) {
      word.resize(at);
      break;
    }
  }
  while (word.ends_with('_')) word.pop_back();
  if (word.ends_with("_mig")) word.resize(word.size() - 4);
  return word == "mig" ? std::string() : word;
}

// Whether `part` stands in `name` as whole words.
bool has_words(std::string_view name, std::string_view part) {
  for (std::size_t at = name.find(part); at != std::string_view::npos; at = name.find(part, at + 1)) {
    const std::size_t end = at + part.size();
    if ((at == 0 || name[at - 1] == '_') && (end == name.size() || name[end] == '_')) return true;
  }
  return false;
}

void merge(Rows& rows, const Rows& more) {
  rows.insert(rows.end(), more.begin(), more.end());
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
}

// Products that one word means. "nvidia_h200" is a whole name as NVML has it; "h200" may be that one too, or
// the word that a site chose for any H200. Only when nothing of that kind is known, a part of a name counts
// ("sxm4_80gb"), which Slurm accepts as a type.
Rows meant_by(const NameIndex& names, std::string_view word) {
  const std::string_view bare = without_prefix(word, "nvidia_");
  if (bare.empty()) return {};
  Rows rows;
  if (const auto whole = names.words.exact.find(bare); whole != names.words.exact.end()) {
    rows = whole->second;
    if (bare != word) return rows;
  }
  if (const auto own = names.slurm.find(bare); own != names.slurm.end()) merge(rows, own->second);
  if (rows.empty()) rows = names.words.find(bare);
  if (!rows.empty()) return rows;
  for (const auto& [name, owners] : names.words.exact) {
    if (has_words(name, bare)) merge(rows, owners);
  }
  return rows;
}

// Each feature that names some of the candidates narrows the choice; other words say nothing.
Rows narrowed(Rows rows, const NameIndex& names, std::span<const std::string> features) {
  for (const std::string& feature : features) {
    if (rows.size() <= 1) break;
    if (feature.size() > 256) continue;
    const Rows meant = meant_by(names, slurm_word(feature));
    Rows both;
    std::set_intersection(rows.begin(), rows.end(), meant.begin(), meant.end(), std::back_inserter(both));
    if (!both.empty()) rows = std::move(both);
  }
  return rows;
}

}  // namespace

std::vector<const Product*> Catalogue::by_slurm_type(std::string_view type,
                                                     std::span<const std::string> features) const {
  if (type.empty() || type.size() > 256) return {};
  std::optional<ProfileName> profile = profile_of_slurm_type(type);
  const std::string board = profile ? board_part(type) : slurm_word(type);
  Rows rows;
  if (!board.empty()) {
    rows = meant_by(*names_, board);
  } else if (profile) {
    for (std::size_t i = 0; i < products_.size(); ++i) rows.push_back(static_cast<int>(i));
  }
  if (profile) {
    // "1c.3g.20gb" is a part of a 3g.20gb.
    ProfileParts parts = *parse_profile(profile->view());
    parts.compute_width.reset();
    const std::string instance = to_text(parts);
    std::erase_if(
        rows, [&](int row) { return products_[static_cast<std::size_t>(row)].find(instance) == nullptr; });
  }
  std::vector<const Product*> found;
  for (const int row : narrowed(std::move(rows), *names_, features)) {
    found.push_back(&products_[static_cast<std::size_t>(row)]);
  }
  return found;
}

}  // namespace tessera::mig
