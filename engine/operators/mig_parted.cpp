#include "engine/operators/mig_parted.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/digest.hpp"
#include "engine/mig/geometry.hpp"
#include "engine/mig/names.hpp"
#include "engine/mig/profile_name.hpp"
#include "engine/operators/labels.hpp"
#include "engine/text.hpp"
#include "engine/yaml.hpp"

namespace tessera::operators {
namespace {

constexpr std::string_view kReadingParted = "cannot read the MIG configurations";
constexpr std::size_t kMostConfigs = 10'000;
constexpr int kMostCount = 64;
constexpr int kMostDevices = 256;

class Reader {
 public:
  explicit Reader(std::string_view file) : file_(file) {}

  Result<MigDocument> run(const Yaml& root) {
    MigDocument document;
    read(root, document);
    if (error_) return *error_;
    return document;
  }

 private:
  bool fail(const Yaml& at, std::string message) {
    if (!error_) error_ = yaml_error(kReadingParted, file_, at, std::move(message));
    return false;
  }

  bool read(const Yaml& root, MigDocument& document) {
    const Yaml* version = root.find("version");
    if (!version) return fail(root, "missing 'version' field");
    if (version->scalar != "v1") return fail(*version, "unknown version: " + clean(version->scalar, 40));
    const Yaml* configs = root.find("mig-configs");
    if (!configs || configs->kind != Yaml::Kind::map || configs->fields.empty())
      return fail(configs ? *configs : root, "'mig-configs' must be a map that is not empty");
    for (const auto& field : root.fields)
      if (field.first != "version" && field.first != "mig-configs")
        return fail(field.second, "unexpected field: " + clean(field.first, 64));
    if (configs->fields.size() > kMostConfigs) return fail(*configs, "more than 10,000 entries");
    for (const auto& field : configs->fields) {
      MigConfig config{field.first, {}};
      if (field.second.kind != Yaml::Kind::list || field.second.items.empty())
        return fail(field.second,
                    fmt::format("'{}' must be a list that is not empty", clean(field.first, 64)));
      for (const Yaml& item : field.second.items)
        if (!read(item, config.rows.emplace_back())) return false;
      document.configs.push_back(std::move(config));
    }
    return true;
  }

  bool read(const Yaml& item, MigRow& row) {
    if (item.kind != Yaml::Kind::map) return fail(item, "a row must be a map");
    for (const auto& field : item.fields)
      if (field.first != "device-filter" && field.first != "devices" && field.first != "mig-enabled" &&
          field.first != "mig-devices")
        return fail(field.second, "unexpected field: " + clean(field.first, 64));
    if (const Yaml* filter = item.find("device-filter"))
      if (!read_filter(*filter, row)) return false;
    const Yaml* devices = item.find("devices");
    if (!devices) return fail(item, "missing required field 'devices'");
    if (!read_devices(*devices, row)) return false;
    const Yaml* enabled = item.find("mig-enabled");
    if (!enabled || !enabled->as_bool()) return fail(item, "'mig-enabled' must be true or false");
    row.enabled = *enabled->as_bool();
    const Yaml* counts = item.find("mig-devices");
    if (counts && counts->is_null()) counts = nullptr;
    if (!counts && row.enabled)
      return fail(item, "missing required field 'mig-devices' when 'mig-enabled' is true");
    if (counts && !read_counts(*counts, row)) return false;
    if (!row.enabled && !row.counts.empty())
      return fail(item, "MIG devices included when 'mig-enabled' is false");
    return true;
  }

  bool read_filter(const Yaml& filter, MigRow& row) {
    std::vector<const Yaml*> words;
    if (filter.kind == Yaml::Kind::list)
      for (const Yaml& item : filter.items) words.push_back(&item);
    else
      words.push_back(&filter);
    for (const Yaml* word : words) {
      if (word->kind != Yaml::Kind::scalar || !mig::pci_number(word->scalar))
        return fail(*word, "'device-filter' must be PCI ids such as 0x233010DE");
      row.filters.push_back(word->scalar);
    }
    return true;
  }
  bool read_devices(const Yaml& devices, MigRow& row) {
    if (devices.kind == Yaml::Kind::scalar)
      return devices.scalar == "all" || fail(devices, "invalid string input for 'devices'");
    if (devices.kind != Yaml::Kind::list) return fail(devices, "'devices' must be all or a list of numbers");
    row.all = false;
    for (const Yaml& item : devices.items) {
      auto index = item.quoted ? std::nullopt : item.as_int();
      if (!index || *index < 0 || *index >= kMostDevices)
        return fail(item, "'devices' must be all or a list of numbers");
      row.devices.push_back(static_cast<int>(*index));
    }
    return true;
  }
  bool read_counts(const Yaml& counts, MigRow& row) {
    if (counts.kind != Yaml::Kind::map) return fail(counts, "'mig-devices' must be a map");
    int sum = 0;
    for (const auto& field : counts.fields) {
      auto count = field.second.as_int();
      if (!count || *count < 0 || *count > kMostCount)
        return fail(field.second, "a count must be a number from 0 to 64");
      // With "1c.3g.40gb" compute instances are meant, of which the geometry knows nothing.
      if (field.first.empty() || field.first.size() > 64) return fail(field.second, "no profile name");
      if (*count > 0) row.counts[field.first] += static_cast<int>(*count);
      sum += static_cast<int>(*count);
    }
    if (sum == 0 && !counts.fields.empty()) return fail(counts, "all counts for all MigProfiles are 0");
    return true;
  }

  std::string_view file_;
  std::optional<Error> error_;
};

Error would_fail(const MigConfig& config, std::string reason) {
  return {fmt::format("the MIG configuration {} fails there", clean(config.name, 64)), std::move(reason), ""};
}

bool matches(const std::vector<std::string>& filters, const mig::Product& product) {
  return std::any_of(filters.begin(), filters.end(), [&](const std::string& filter) {
    auto wanted = mig::pci_number(filter);
    return std::any_of(product.pci_ids.begin(), product.pci_ids.end(),
                       [&](const std::string& id) { return wanted && mig::pci_number(id) == wanted; });
  });
}

Result<BoardTarget> target_of(const MigConfig& config, const MigRow& row, const mig::Product& product) {
  BoardTarget target{row.enabled, {}};
  for (const auto& [name, count] : row.counts) {
    auto index = product.index_of(name);
    if (!index)
      return would_fail(config,
                        fmt::format("MIG profile \"{}\" not found on {}", clean(name, 64), product.key.text));
    target.profiles.insert(target.profiles.end(), static_cast<std::size_t>(count), *index);
    if (target.profiles.size() > mig::kMaxUnits)
      return would_fail(config, fmt::format("more instances than {} has room for", product.key.text));
  }
  std::sort(target.profiles.begin(), target.profiles.end());
  if (product.placements_known)
    if (auto why = mig::why_no_place(product, target.profiles); why && !target.profiles.empty())
      return would_fail(config, fmt::format("{}: {}", product.key.text, *why));
  return target;
}

// Names that a MIG manager makes by itself come first: they are there after any change of hands.
int rank(std::string_view name) {
  if (name.starts_with("all-")) return 0;
  return name.starts_with(kOurs) ? 2 : 1;
}

}  // namespace

const MigConfig* MigDocument::find(std::string_view name) const {
  for (const MigConfig& config : configs)
    if (config.name == name) return &config;
  return nullptr;
}

Result<MigDocument> parse_mig_document(std::string_view text, std::string_view file) {
  Result<Yaml> root = parse_yaml(text, file);
  if (!root) {
    Error error = root.error();
    error.what = kReadingParted;
    return error;
  }
  return Reader(file).run(*root);
}

Result<NodeTarget> evaluate(const MigConfig& config, const NodeBoards& boards) {
  NodeTarget all(boards.size());
  for (const MigRow& row : config.rows) {
    for (std::size_t i = 0; i < boards.size(); ++i) {
      bool meant = row.all || std::find(row.devices.begin(), row.devices.end(), static_cast<int>(i)) !=
                                  row.devices.end();
      if (!meant) continue;
      if (!boards[i]) {
        if (row.filters.empty() && !row.enabled) {
          all[i] = BoardTarget{};
          continue;
        }
        return would_fail(
            config, fmt::format("GPU {} is not in the catalogue, so what it would become is unknown", i));
      }
      if (!row.filters.empty() && !matches(row.filters, *boards[i])) continue;
      if (!boards[i]->mig_capable) {
        if (row.all || !row.enabled) continue;
        return would_fail(config, fmt::format("GPU {}: cannot set MIG mode on non MIG-capable GPU", i));
      }
      Result<BoardTarget> target = target_of(config, row, *boards[i]);
      if (!target) return target.error();
      all[i] = std::move(*target);
    }
  }
  return all;
}

bool meets(const NodeTarget& is, const NodeTarget& wanted, const NodeBoards& boards) {
  if (is.size() != wanted.size() || is.size() != boards.size()) return false;
  for (std::size_t i = 0; i < is.size(); ++i) {
    bool fixed = boards[i] && !boards[i]->mig_capable;
    if (!fixed && is[i] != wanted[i]) return false;
  }
  return true;
}

std::optional<std::string> find_config(const MigDocument& document, const NodeBoards& boards,
                                       const NodeTarget& wanted, std::string_view current) {
  std::optional<std::string> best;
  for (const MigConfig& config : document.configs) {
    if (best && config.name != current && rank(config.name) >= rank(*best)) continue;
    Result<NodeTarget> target = evaluate(config, boards);
    if (!target || !meets(*target, wanted, boards)) continue;
    if (config.name == current) return config.name;
    best = config.name;
  }
  return best;
}

MigConfig make_config(const NodeBoards& boards, const NodeTarget& wanted) {
  MigConfig config;
  bool uniform = true;  // one row for all, so that a node with fewer GPUs can use it, too
  for (std::size_t i = 0; i < boards.size(); ++i)
    uniform = uniform && boards[i] == boards[0] && wanted[i] == wanted[0];
  for (std::size_t i = 0; i < boards.size(); ++i) {
    if (!boards[i] || !boards[i]->mig_capable || !wanted[i]) continue;
    MigRow row;
    row.all = uniform;
    row.enabled = wanted[i]->mig;
    for (int profile : wanted[i]->profiles)
      ++row.counts[boards[i]->profiles[static_cast<std::size_t>(profile)].name.text];
    auto same = std::find_if(config.rows.begin(), config.rows.end(), [&](const MigRow& other) {
      return other.enabled == row.enabled && other.counts == row.counts;
    });
    if (same == config.rows.end()) same = config.rows.insert(config.rows.end(), row);
    if (!uniform) same->devices.push_back(static_cast<int>(i));
  }
  config.name = name_of(config.rows);
  return config;
}

std::string name_of(const std::vector<MigRow>& rows) {
  return std::string(kOurs) + short_digest(to_yaml({"", rows}, 0));
}

FleetAnswer ask_fleet(std::span<const FleetNode> nodes, const MigDocument& after) {
  FleetAnswer answer;
  for (const FleetNode& node : nodes) {
    if (node.label.empty()) continue;
    const MigConfig* now = node.before ? node.before->find(node.label) : nullptr;
    const MigConfig* then = after.find(node.label);
    if (!then) {
      // One that fails today already is no worse off.
      if (node.before && !now)
        ++answer.same;
      else
        answer.fails.push_back(
            fmt::format("{}: selected mig-config not present: {}", node.name, clean(node.label, 64)));
      continue;
    }
    if (now && now->rows == then->rows) {
      ++answer.same;
      continue;
    }
    Result<NodeTarget> will = evaluate(*then, node.boards);
    if (!will) {
      // What fails there today is no worse off; of a GPU that nothing is known of, neither can be told.
      bool known = std::find(node.boards.begin(), node.boards.end(), nullptr) == node.boards.end();
      Result<NodeTarget> is = now ? evaluate(*now, node.boards) : will;
      if (now && !is && known)
        ++answer.same;
      else
        answer.fails.push_back(fmt::format("{}: {}", node.name, will.error().reason));
      continue;
    }
    Result<NodeTarget> is = now ? evaluate(*now, node.boards) : Result<NodeTarget>(NodeTarget{});
    if (is && meets(*is, *will, node.boards))
      ++answer.same;
    else
      answer.changes.push_back(
          fmt::format("{}: {} stands for another layout there", node.name, clean(node.label, 64)));
  }
  return answer;
}

}  // namespace tessera::operators
