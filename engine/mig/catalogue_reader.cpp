#include "engine/mig/catalogue_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <set>

#include "engine/text.hpp"
#include "engine/yaml.hpp"

namespace tessera::mig {

namespace {

constexpr std::size_t kMaxProducts = 500;
// An upper bound of layouts per GPU; GPUs that exist stay below 10,000. Beyond it, listing them all
// would take seconds.
constexpr double kMaxLayouts = 1e6;

// Reads fields of one file. The first error stays; what is read after it is not looked at.
class Reader {
 public:
  explicit Reader(std::string_view file) : file_(file) {}

  const std::optional<Error>& error() const { return error_; }
  bool failed() const { return error_.has_value(); }

  void fail(int line, std::string_view message, std::string hint = {}) {
    if (error_) return;
    Yaml at;
    at.line = line;
    error_ = yaml_error("cannot read the catalogue", file_, at, message);
    error_->hint = std::move(hint);
  }

  // Whether `map` is a map with known keys only; the message lists them.
  bool expect_map(const Yaml& map, std::string_view what, std::initializer_list<std::string_view> known) {
    if (map.kind != Yaml::Kind::map) {
      fail(map.line, fmt::format("{}: a map is expected here", what));
      return false;
    }
    for (const auto& [key, value] : map.fields) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      fail(value.key_line, fmt::format("{}: unknown key \"{}\"", what, key),
           fmt::format("known here: {}", fmt::join(known, ", ")));
      return false;
    }
    return true;
  }

  const Yaml* need(const Yaml& map, std::string_view key) {
    const Yaml* found = map.find(key);
    if (found == nullptr) fail(map.line, fmt::format("\"{}\" is missing", key));
    return found;
  }

  std::string text(const Yaml* yaml, std::string_view key, std::size_t limit) {
    if (yaml == nullptr || failed()) return {};
    if (yaml->kind != Yaml::Kind::scalar || yaml->scalar.empty()) {
      fail(yaml->line, fmt::format("{}: a text is expected here", key));
    } else if (yaml->scalar.size() > limit) {
      fail(yaml->line, fmt::format("{}: longer than {} bytes", key, limit));
    } else if (clean(yaml->scalar, limit) != yaml->scalar) {
      fail(yaml->line, fmt::format("{}: holds control characters", key));
    } else {
      return yaml->scalar;
    }
    return {};
  }

  std::vector<std::string> texts(const Yaml* yaml, std::string_view key, std::size_t limit) {
    std::vector<std::string> words;
    if (yaml == nullptr || failed()) return words;
    if (yaml->kind != Yaml::Kind::list) {
      fail(yaml->line, fmt::format("{}: a list is expected here", key), "write it in brackets: [one, two]");
      return words;
    }
    std::set<std::string> seen;
    for (const Yaml& item : yaml->items) {
      words.push_back(text(&item, key, limit));
      if (failed()) break;
      if (!seen.insert(lower(words.back())).second) {
        fail(item.line, fmt::format("{}: \"{}\" is listed twice", key, words.back()));
      }
    }
    return words;
  }

  std::optional<int> integer(const Yaml* yaml, std::string_view key, int low, int high) {
    if (yaml == nullptr || failed()) return std::nullopt;
    const std::optional<std::int64_t> value = yaml->as_int();
    if (!value || *value < low || *value > high) {
      fail(yaml->line, fmt::format("{}: a whole number from {} to {} is expected here", key, low, high),
           "leave the key out where the figure is unknown");
      return std::nullopt;
    }
    return static_cast<int>(*value);
  }

  bool boolean(const Yaml* yaml, std::string_view key) {
    if (yaml == nullptr || failed()) return false;
    const std::optional<bool> value = yaml->as_bool();
    if (!value) fail(yaml->line, fmt::format("{}: true or false is expected here", key));
    return value.value_or(false);
  }

 private:
  std::string_view file_;
  std::optional<Error> error_;
};

Engines read_engines(Reader& in, const Yaml* yaml) {
  Engines engines;
  if (yaml == nullptr || !in.expect_map(*yaml, "engines", {"copy", "decoder", "encoder", "jpeg", "ofa"})) {
    return engines;
  }
  const auto count = [&](std::string_view key) { return in.integer(yaml->find(key), key, 0, 64); };
  engines.copy = count("copy");
  engines.decoder = count("decoder");
  engines.encoder = count("encoder");
  engines.jpeg = count("jpeg");
  engines.ofa = count("ofa");
  return engines;
}

void read_starts(Reader& in, const Yaml* yaml, Profile& profile) {
  if (yaml == nullptr || in.failed()) return;
  if (yaml->kind != Yaml::Kind::list || yaml->items.empty()) {
    in.fail(yaml->line, "starts: a list of numbers is expected here", "for example [0, 2, 4]");
    return;
  }
  for (const Yaml& item : yaml->items) {
    const std::optional<int> start = in.integer(&item, "starts", 0, kMaxUnits - 1);
    if (!start) return;
    if (!profile.starts.empty() && *start <= profile.starts.back()) {
      in.fail(item.line, "starts: not in ascending order");
      return;
    }
    profile.starts.push_back(*start);
  }
}

void read_compute_profiles(Reader& in, const Yaml* yaml, Profile& profile) {
  profile.compute_profiles = in.texts(yaml, "inside", 8);
  if (in.failed()) return;
  for (const std::string& width : profile.compute_profiles) {
    const auto parts = parse_profile(width + "." + profile.name.text);
    if (!parts || *parts->compute_width > profile.compute_slices) {
      in.fail(yaml->line, fmt::format("inside: \"{}\" is no width of a compute instance of a {}", width,
                                      profile.name.text));
      return;
    }
  }
}

void read_name(Reader& in, const Yaml& row, Profile& profile) {
  const Yaml* yaml = in.need(row, "name");
  const std::string name = in.text(yaml, "name", 64);
  if (in.failed()) return;
  const std::optional<ProfileParts> parts = parse_profile(name);
  if (!parts || parts->compute_width || to_text(*parts) != name) {
    in.fail(yaml->line, fmt::format("name: \"{}\" is no profile", name), "for example 1g.10gb or 1g.10gb+me");
  } else if (profile.compute_slices != parts->slices) {
    in.fail(yaml->line,
            fmt::format("compute: {} does not go with the name {}", profile.compute_slices, name));
  }
  profile.name = ProfileName(name);
}

void read_figures(Reader& in, const Yaml& row, Profile& profile) {
  profile.id = in.integer(row.find("id"), "id", 0, 255);
  profile.nvml = in.text(row.find("nvml"), "nvml", 32);
  profile.sm = in.integer(row.find("sm"), "sm", 1, 4096);
  if (const auto mib = in.integer(row.find("mib"), "mib", 1, 16 << 20)) profile.memory = Mib{*mib};
  if (const Yaml* gib = row.find("gib"); gib != nullptr && !in.failed()) {
    profile.display_gib = gib->as_number();
    if (!profile.display_gib || *profile.display_gib <= 0 || *profile.display_gib > 16384) {
      in.fail(gib->line, "gib: a number above 0 is expected here");
    }
  }
  profile.engines = read_engines(in, row.find("engines"));
  profile.min_driver = in.text(row.find("min_driver"), "min_driver", 32);
  profile.note = in.text(row.find("note"), "note", 500);
  profile.inferred = in.boolean(row.find("inferred"), "inferred");
}

// How many can stand side by side by place alone: starts ascend and all are equally long, so the leftmost
// choice is the best one.
int side_by_side(const Profile& profile) {
  int count = 0;
  int end = 0;
  for (const int start : profile.starts) {
    if (start < end) continue;
    ++count;
    end = start + profile.memory_slices;
  }
  return count;
}

void check_profile(Reader& in, const Yaml& row, const Product& product, const Profile& profile) {
  const auto fail = [&](const std::string& message) {
    in.fail(row.line, fmt::format("{}: {}", profile.name.text, message));
  };
  for (const Profile& other : product.profiles) {
    if (other.name == profile.name) fail("this profile is listed twice");
    if (profile.id && other.id == profile.id) {
      fail(fmt::format("id {} is also that of {}", *profile.id, other.name.text));
    }
  }
  if (product.compute_slices > 0 && profile.max * profile.compute_slices > product.compute_slices &&
      product.placements_known) {
    fail(fmt::format("{} of them need {} compute slices and the GPU has {}", profile.max,
                     profile.max * profile.compute_slices, product.compute_slices));
  }
  if (!product.placements_known) return;
  if (profile.max > product.max_instances) {
    fail(fmt::format("max is {}, but the GPU holds {} instances", profile.max, product.max_instances));
  }
  if (profile.starts.back() + profile.memory_slices > product.units) {
    fail(fmt::format("at {} its {} memory slices reach beyond the GPU's {} units", profile.starts.back(),
                     profile.memory_slices, product.units));
  }
  if (side_by_side(profile) < profile.max) {
    fail(fmt::format("max is {}, but only {} can stand side by side", profile.max, side_by_side(profile)));
  }
}

void read_profile(Reader& in, const Yaml& row, Product& product) {
  if (!in.expect_map(row, "profiles",
                     {"name", "id", "nvml", "compute", "memory", "starts", "max", "sm", "mib", "gib",
                      "engines", "inside", "min_driver", "note", "inferred"})) {
    return;
  }
  Profile profile;
  profile.compute_slices = in.integer(in.need(row, "compute"), "compute", 1, kMaxUnits).value_or(0);
  profile.max = in.integer(in.need(row, "max"), "max", 1, kMaxUnits).value_or(0);
  read_name(in, row, profile);
  if (product.placements_known) {
    profile.memory_slices = in.integer(in.need(row, "memory"), "memory", 1, kMaxUnits).value_or(0);
    read_starts(in, in.need(row, "starts"), profile);
  } else if (row.find("memory") != nullptr || row.find("starts") != nullptr) {
    in.fail(row.line, "memory and starts are given, but the product says placements: unknown");
  }
  read_figures(in, row, profile);
  if (!in.failed()) read_compute_profiles(in, row.find("inside"), profile);
  if (!in.failed()) check_profile(in, row, product, profile);
  product.profiles.push_back(std::move(profile));
}

// What the GPU has, where the file does not say: what its largest instance gets. A figure that is not
// published for the whole GPU limits nothing.
Engines budget_of(const Product& product, const Engines& given) {
  const Profile* whole = nullptr;
  for (const Profile& profile : product.profiles) {
    if (product.units == 0 || profile.memory_slices != product.units) continue;
    if (whole == nullptr || profile.compute_slices > whole->compute_slices) whole = &profile;
  }
  const auto pick = [&](std::optional<int> Engines::*engine) {
    if (given.*engine || whole == nullptr) return given.*engine;
    const std::optional<int> board = whole->engines.*engine;
    for (const Profile& profile : product.profiles) {
      // A part that has more than the whole: the figures do not tell a budget.
      if (board && (profile.engines.*engine).value_or(0) > *board) return std::optional<int>{};
    }
    return board;
  };
  return {pick(&Engines::copy), pick(&Engines::decoder), pick(&Engines::encoder), pick(&Engines::jpeg),
          pick(&Engines::ofa)};
}

// Ways to fill a GPU by place alone: never fewer than its legal layouts.
double layouts_at_most(const Product& product) {
  std::array<double, kMaxUnits + 1> ways{};
  ways[static_cast<std::size_t>(product.units)] = 1;
  for (int at = product.units - 1; at >= 0; --at) {
    double sum = ways[static_cast<std::size_t>(at) + 1];
    for (const Profile& profile : product.profiles) {
      if (std::binary_search(profile.starts.begin(), profile.starts.end(), at)) {
        sum += ways[static_cast<std::size_t>(at + profile.memory_slices)];
      }
    }
    ways[static_cast<std::size_t>(at)] = sum;
  }
  return ways[0];
}

void read_placements_word(Reader& in, const Yaml& row, Product& product) {
  const Yaml* yaml = in.need(row, "placements");
  const std::string word = in.text(yaml, "placements", 16);
  if (in.failed()) return;
  if (word != "verified" && word != "inferred" && word != "unknown") {
    in.fail(yaml->line, fmt::format("placements: \"{}\" is none of verified, inferred, unknown", word));
  }
  product.placements_known = word != "unknown";
  product.placements_inferred = word == "inferred";
  product.placements_source = in.text(in.need(row, "placements_source"), "placements_source", 500);
}

void read_board(Reader& in, const Yaml& row, Product& product, Engines& given) {
  const Yaml* board = in.need(row, "board");
  if (in.failed() || !in.expect_map(*board, "board", {"units", "compute", "instances", "engines"})) return;
  const auto count = [&](std::string_view key) {
    const Yaml* yaml = product.placements_known ? in.need(*board, key) : board->find(key);
    return in.integer(yaml, key, 1, kMaxUnits).value_or(0);
  };
  product.units = count("units");
  product.compute_slices = count("compute");
  product.max_instances = count("instances");
  given = read_engines(in, board->find("engines"));
  if (!product.placements_known && product.units > 0) {
    in.fail(board->line, "units are given, but the product says placements: unknown");
  }
}

void read_mig(Reader& in, const Yaml& row, Product& product) {
  Engines given;
  read_placements_word(in, row, product);
  read_board(in, row, product, given);
  const Yaml* list = product.placements_known ? in.need(row, "profiles") : row.find("profiles");
  if (in.failed() || list == nullptr) return;
  if (list->kind != Yaml::Kind::list || (product.placements_known && list->items.empty())) {
    in.fail(list->key_line, "profiles: a list is expected here");
    return;
  }
  if (list->items.size() > kMaxProfiles) {
    in.fail(list->key_line, fmt::format("profiles: more than {}", kMaxProfiles));
  }
  for (const Yaml& item : list->items) {
    if (in.failed()) return;
    read_profile(in, item, product);
  }
  if (in.failed()) return;
  product.budget = budget_of(product, given);
  if (layouts_at_most(product) > kMaxLayouts) {
    in.fail(list->key_line, "profiles: together they make more layouts than can be listed");
  }
}

bool is_key(std::string_view key) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  return !key.empty() && std::all_of(key.begin(), key.end(), allowed);
}

void check_pci(Reader& in, const Yaml* yaml, const std::vector<std::string>& ids) {
  for (const std::string& id : ids) {
    const bool hex =
        id.size() == 10 && id.starts_with("0x") && std::all_of(id.begin() + 2, id.end(), [](char c) {
          return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f');
        });
    if (!hex) in.fail(yaml->line, fmt::format("pci: \"{}\" does not look like 0x233010DE", id));
  }
}

void read_names(Reader& in, const Yaml& row, Product& product) {
  const Yaml* key = in.need(row, "key");
  product.key = ProductKey(in.text(key, "key", 64));
  product.aliases = in.texts(row.find("aliases"), "aliases", 64);
  if (in.failed()) return;
  if (!is_key(product.key.text) || !std::all_of(product.aliases.begin(), product.aliases.end(), is_key)) {
    in.fail(key->line, "key: letters, digits, '-', '_' and '.' only");
  }
  product.smi_names = in.texts(in.need(row, "names"), "names", 128);
  for (const std::string& name : product.smi_names) {
    if (name.find('*') < name.size() - 1 || name == "*") {
      in.fail(row.find("names")->line, fmt::format("names: \"{}\" may have a '*' at its end only", name));
    }
  }
  product.gfd_labels = in.texts(row.find("labels"), "labels", 128);
  product.pci_ids = in.texts(row.find("pci"), "pci", 16);
  check_pci(in, row.find("pci"), product.pci_ids);
  product.slurm_types = in.texts(row.find("slurm"), "slurm", 64);
}

void read_product(Reader& in, const Yaml& row, Product& product) {
  if (!in.expect_map(row, "products",
                     {"key", "aliases", "names", "labels", "pci", "slurm", "architecture",
                      "compute_capability", "memory_gb", "min_driver", "mig", "board", "placements",
                      "placements_source", "sources", "notes", "profiles"})) {
    return;
  }
  product.line = row.line;
  read_names(in, row, product);
  product.architecture = in.text(in.need(row, "architecture"), "architecture", 32);
  product.compute_capability = in.text(row.find("compute_capability"), "compute_capability", 8);
  product.memory_gb = in.integer(row.find("memory_gb"), "memory_gb", 1, 16384);
  product.min_driver = in.text(row.find("min_driver"), "min_driver", 32);
  product.mig_capable = in.boolean(in.need(row, "mig"), "mig");
  product.sources = in.texts(in.need(row, "sources"), "sources", 500);
  if (!in.failed() && product.sources.empty()) in.fail(row.line, "sources: at least one is needed");
  product.notes = in.texts(row.find("notes"), "notes", 500);
  if (in.failed()) return;
  if (product.mig_capable) {
    read_mig(in, row, product);
    return;
  }
  for (const std::string_view key : {"board", "placements", "placements_source", "profiles"}) {
    if (const Yaml* yaml = row.find(key)) {
      in.fail(yaml->key_line, fmt::format("\"{}\" goes with mig: true only", key));
    }
  }
}

}  // namespace

Result<std::vector<Product>> read_products(std::string_view text, std::string_view file) {
  Result<Yaml> root = parse_yaml(text, file);
  if (!root) return Error{"cannot read the catalogue", root.error().reason, root.error().hint};
  Reader in(file);
  std::vector<Product> products;
  const Yaml* list = nullptr;
  if (in.expect_map(*root, "catalogue", {"products"})) list = in.need(*root, "products");
  if (list != nullptr && list->kind != Yaml::Kind::list)
    in.fail(list->key_line, "products: a list is expected here");
  if (list != nullptr && list->items.size() > kMaxProducts) {
    in.fail(list->key_line, fmt::format("products: more than {}", kMaxProducts));
  }
  std::set<std::string> keys;
  for (std::size_t i = 0; !in.failed() && i < list->items.size(); ++i) {
    Product product;
    product.file = clean(file, 512);
    read_product(in, list->items[i], product);
    std::vector<std::string> own = product.aliases;
    own.push_back(product.key.text);
    for (const std::string& key : own) {
      if (!keys.insert(lower(key)).second) {
        in.fail(list->items[i].line, fmt::format("the key \"{}\" is listed twice", key));
      }
    }
    products.push_back(std::move(product));
  }
  if (in.failed()) return *in.error();
  return products;
}

}  // namespace tessera::mig
