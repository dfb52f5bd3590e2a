// The MIG catalogue: which products can be cut, into which profiles, and where those may start.
//
// Data, not code: engine/mig/data/*.yaml, embedded in the binary and checked at load; a site file may add
// or replace products. Every product says where its figures come from and which are inferred. The form of
// the files is described in docs/catalogue.md.
// Threads: immutable after load; share freely by const reference.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"
#include "engine/mig/profile_name.hpp"
#include "engine/model/units.hpp"

namespace tessera::mig {

// Largest GPU that the geometry handles; the largest one built so far has 12 units.
inline constexpr int kMaxUnits = 16;
inline constexpr std::size_t kMaxProfiles = 32;

// Media engines of one instance, or of a whole GPU (the budget). nullopt: not published.
struct Engines {
  std::optional<int> copy, decoder, encoder, jpeg, ofa;
  friend bool operator==(const Engines&, const Engines&) = default;
};

struct Profile {
  ProfileName name;       // "1g.10gb", "1g.24gb+me.all"
  std::optional<int> id;  // as `nvidia-smi mig -lgip` prints it; differs between products
  std::string nvml;       // NVML enum tail: "1_SLICE_REV2"
  int compute_slices = 0;
  int memory_slices = 0;    // length of its placement, in placement units; 0: not published
  std::vector<int> starts;  // legal starts, ascending; empty: not published
  int max = 0;              // at most so many on one GPU
  std::optional<int> sm;    // streaming multiprocessors
  std::optional<Mib> memory;
  std::optional<double> display_gib;  // the "Memory GiB" column; drifts between drivers: for display only
  Engines engines;
  std::vector<std::string> compute_profiles;  // widths of compute instances inside: "1c", "2c"
  std::string min_driver;                     // empty: that of the product
  std::string note;
  bool inferred = false;  // not seen in a public dump of this very product

  bool has_attribute() const { return name.text.find_first_of("+-") != std::string::npos; }
};

struct Product {
  ProductKey key;
  std::vector<std::string> aliases;      // further keys by which it may be asked for
  std::vector<std::string> smi_names;    // as `nvidia-smi -L` prints them; a last '*' stands for any rest
  std::vector<std::string> gfd_labels;   // nvidia.com/gpu.product without suffixes
  std::vector<std::string> pci_ids;      // "0x233010DE"
  std::vector<std::string> slurm_types;  // words that sites use as a GRES type for it: "h100"
  std::string architecture;              // "hopper"
  std::string compute_capability;
  std::optional<int> memory_gb;  // marketing size
  bool mig_capable = false;
  int units = 0;           // placement units of the GPU: 8, 4 (A30), 12 (RTX PRO 6000); 0: not published
  int compute_slices = 0;  // 0: not published
  int max_instances = 0;   // 0: not published
  std::string min_driver;
  bool placements_known = false;  // false: MIG-capable, but no public placements; no layouts
  bool placements_inferred = false;
  std::string placements_source;
  std::vector<std::string> sources;
  std::vector<std::string> notes;
  std::vector<Profile> profiles;  // as listed: 1g first
  Engines budget;                 // what the whole GPU has, for the media-engine rule
  std::string file;               // where this row was read
  int line = 0;

  // Any spelling that canonical_profile understands.
  const Profile* find(std::string_view profile) const;
  std::optional<int> index_of(std::string_view profile) const;
};

struct NameIndex;  // names.hpp: every spelling of every product, folded

class Catalogue {
 public:
  Catalogue();  // knows no product
  // Errors name file and line. text is one YAML document with a `products:` list.
  static Result<Catalogue> parse(std::string_view text, std::string_view file);
  // The catalogue that is built into this binary. Takes some milliseconds: load it once.
  static Result<Catalogue> built_in();
  // Adds the site's products; one with a key that exists replaces it.
  Result<Catalogue> with_site(std::string_view text, std::string_view file) const;

  std::span<const Product> products() const { return products_; }

  // All return nullptr when the name is unknown or fits more than one product. Case does not matter.
  const Product* by_key(std::string_view key) const;  // or alias
  // "NVIDIA H100 80GB HBM3", with or without "NVIDIA "; a name written out wins over one with '*'.
  const Product* by_smi_name(std::string_view name) const;
  const Product* by_gfd_label(std::string_view label) const;  // strips -MIG-<profile>, -MIG-INVALID, -SHARED
  const Product* by_pci_id(std::string_view id) const;        // "0x233010DE", "10DE:2330"
  // Any of the above, tried in turn, then a Slurm type that means one product only: what an admin may type.
  const Product* by_any(std::string_view text) const;

  // Products that a Slurm GRES type and the node's features may mean, in catalogue order. "h100" → the H100
  // GPUs; "a100_3g.20gb" → A100-40GB; "1g.10gb" with feature "h100" → those H100 GPUs that have the
  // profile. Also NVML's form, "nvidia_h100_80gb_hbm3", and a part of it, as Slurm allows. Features only
  // narrow the choice: words that are no type of any product say nothing.
  std::vector<const Product*> by_slurm_type(std::string_view type,
                                            std::span<const std::string> features) const;

 private:
  explicit Catalogue(std::vector<Product> products);
  const Product* only(std::span<const int> rows) const;
  std::vector<Product> products_;
  std::shared_ptr<const NameIndex> names_;  // of products_; never changes, so copies share it
};

}  // namespace tessera::mig
