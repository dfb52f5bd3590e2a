#include "engine/mig/names.hpp"

#include <algorithm>
#include <charconv>
#include <span>

#include "engine/text.hpp"

namespace tessera::mig {

namespace {

void add(RowsByText& map, std::string name, int row) {
  Rows& rows = map[std::move(name)];
  if (rows.empty() || rows.back() != row) rows.push_back(row);
}

void add(Names& names, std::string_view name, int row) {
  if (name.ends_with('*')) {
    names.prefixes.emplace_back(name.substr(0, name.size() - 1), row);
  } else {
    add(names.exact, std::string(name), row);
  }
}

// As GPU feature discovery makes a label from a name: other characters dropped, blanks to dashes.
std::string label_of(std::string_view folded_smi_name) {
  std::string label;
  for (const char c : folded_smi_name) {
    const bool kept =
        (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == '*';
    if (kept) label += c;
    if (c == ' ') label += '-';
  }
  return label;
}

std::optional<std::uint32_t> hex(std::string_view digits) {
  std::uint32_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, code] = std::from_chars(digits.data(), end, value, 16);
  if (code != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace

Rows Names::find(std::string_view folded) const {
  if (const auto found = exact.find(folded); found != exact.end()) return found->second;
  Rows rows;
  for (const auto& [prefix, row] : prefixes) {
    if (folded.starts_with(prefix) && (rows.empty() || rows.back() != row)) rows.push_back(row);
  }
  return rows;
}

std::string_view without_prefix(std::string_view text, std::string_view prefix) {
  if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  return text;
}

std::string slurm_word(std::string_view text) {
  std::string word = lower(text);
  std::replace(word.begin(), word.end(), ' ', '_');
  std::replace(word.begin(), word.end(), '-', '_');
  return word;
}

std::optional<std::uint32_t> pci_number(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) {
    text.remove_prefix(2);
    text = text.substr(0, text.find(':'));
    return text.size() == 8 ? hex(text) : std::nullopt;
  }
  if (text.size() != 9 || text[4] != ':') return std::nullopt;
  const auto vendor = hex(text.substr(0, 4));
  const auto device = hex(text.substr(5));
  if (!vendor || !device) return std::nullopt;
  return *device << 16 | *vendor;
}

NameIndex make_names(std::span<const Product> products) {
  NameIndex index;
  for (std::size_t i = 0; i < products.size(); ++i) {
    const Product& product = products[i];
    const int row = static_cast<int>(i);
    add(index.keys, lower(product.key.text), row);
    add(index.slurm, slurm_word(product.key.text), row);
    for (const std::string& alias : product.aliases) add(index.aliases, lower(alias), row);
    for (const std::string& name : product.smi_names) {
      const std::string folded = lower(name);
      add(index.smi, without_prefix(folded, "nvidia "), row);
      add(index.labels, without_prefix(label_of(folded), "nvidia-"), row);
      add(index.words, without_prefix(slurm_word(name), "nvidia_"), row);
    }
    for (const std::string& label : product.gfd_labels) {
      add(index.labels, without_prefix(lower(label), "nvidia-"), row);
    }
    for (const std::string& type : product.slurm_types) add(index.slurm, slurm_word(type), row);
    for (const std::string& id : product.pci_ids) {
      if (const auto number = pci_number(id)) index.pci[*number].push_back(row);
    }
  }
  return index;
}

}  // namespace tessera::mig
