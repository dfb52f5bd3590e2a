#include "engine/mig/catalogue.hpp"

#include "engine/embedded.hpp"
#include "engine/mig/catalogue_reader.hpp"
#include "engine/mig/names.hpp"
#include "engine/text.hpp"

namespace tessera::mig {

namespace {

constexpr std::size_t kMaxName = 256;  // longer than any name that a driver or a site gives

std::string_view strip_label(std::string_view folded) {
  constexpr std::string_view kShared = "-shared";
  constexpr std::string_view kMig = "-mig-";
  if (folded.ends_with(kShared)) folded.remove_suffix(kShared.size());
  const std::size_t at = folded.rfind(kMig);
  if (at == std::string_view::npos || at == 0) return folded;
  const std::string_view tail = folded.substr(at + kMig.size());
  return tail == "invalid" || parse_profile(tail) ? folded.substr(0, at) : folded;
}

Rows rows_of(const RowsByText& map, std::string_view name) {
  const auto found = map.find(name);
  return found == map.end() ? Rows{} : found->second;
}

}  // namespace

const Profile* Product::find(std::string_view profile) const {
  const std::optional<int> index = index_of(profile);
  return index ? &profiles[static_cast<std::size_t>(*index)] : nullptr;
}

std::optional<int> Product::index_of(std::string_view profile) const {
  const std::optional<ProfileName> name = canonical_profile(profile);
  for (std::size_t i = 0; name && i < profiles.size(); ++i) {
    if (profiles[i].name == *name) return static_cast<int>(i);
  }
  return std::nullopt;
}

Catalogue::Catalogue() : Catalogue(std::vector<Product>{}) {}

Catalogue::Catalogue(std::vector<Product> products)
    : products_(std::move(products)), names_(std::make_shared<const NameIndex>(make_names(products_))) {}

Result<Catalogue> Catalogue::parse(std::string_view text, std::string_view file) {
  Result<std::vector<Product>> products = read_products(text, file);
  if (!products) return products.error();
  return Catalogue(std::move(*products));
}

Result<Catalogue> Catalogue::built_in() {
  std::vector<Product> all;
  for (const embedded::File& file : embedded::catalogue()) {
    Result<std::vector<Product>> more = read_products(file.text, file.name);
    if (!more) return more.error();
    for (Product& product : *more) {
      for (const Product& twin : all) {
        if (lower(twin.key.text) != lower(product.key.text)) continue;
        return Error{"cannot read the catalogue",
                     product.file + ":" + std::to_string(product.line) + ": the key \"" + product.key.text +
                         "\" is already in " + twin.file,
                     "give it another key"};
      }
      all.push_back(std::move(product));
    }
  }
  return Catalogue(std::move(all));
}

Result<Catalogue> Catalogue::with_site(std::string_view text, std::string_view file) const {
  Result<std::vector<Product>> site = read_products(text, file);
  if (!site) return site.error();
  std::vector<Product> merged = products_;
  for (Product& product : *site) {
    const Rows same = rows_of(names_->keys, lower(product.key.text));
    if (same.empty()) {
      merged.push_back(std::move(product));
    } else {
      merged[static_cast<std::size_t>(same.front())] = std::move(product);
    }
  }
  return Catalogue(std::move(merged));
}

const Product* Catalogue::only(std::span<const int> rows) const {
  return rows.size() == 1 ? &products_[static_cast<std::size_t>(rows.front())] : nullptr;
}

const Product* Catalogue::by_key(std::string_view key) const {
  if (key.size() > kMaxName) return nullptr;
  const std::string folded = lower(key);
  if (const Product* product = only(rows_of(names_->keys, folded))) return product;
  return only(rows_of(names_->aliases, folded));
}

const Product* Catalogue::by_smi_name(std::string_view name) const {
  if (name.size() > kMaxName) return nullptr;
  const std::string folded = lower(name);
  return only(names_->smi.find(without_prefix(folded, "nvidia ")));
}

const Product* Catalogue::by_gfd_label(std::string_view label) const {
  if (label.size() > kMaxName) return nullptr;
  const std::string folded = lower(label);
  return only(names_->labels.find(without_prefix(strip_label(folded), "nvidia-")));
}

const Product* Catalogue::by_pci_id(std::string_view id) const {
  const std::optional<std::uint32_t> number = pci_number(id);
  if (!number) return nullptr;
  const auto found = names_->pci.find(*number);
  return found == names_->pci.end() ? nullptr : only(found->second);
}

const Product* Catalogue::by_any(std::string_view text) const {
  if (const Product* product = by_key(text)) return product;
  if (const Product* product = by_smi_name(text)) return product;
  if (const Product* product = by_gfd_label(text)) return product;
  if (const Product* product = by_pci_id(text)) return product;
  const std::vector<const Product*> meant = by_slurm_type(text, {});
  return meant.size() == 1 ? meant.front() : nullptr;
}

}  // namespace tessera::mig
