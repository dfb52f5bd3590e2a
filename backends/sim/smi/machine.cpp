#include "backends/sim/smi/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "backends/sim/random.hpp"
#include "engine/mig/built_in.hpp"
#include "engine/number.hpp"
#include "engine/text.hpp"

namespace tessera::sim {
namespace {

constexpr std::string_view kWhat = "cannot read the state of the simulated GPUs";
constexpr int kMostCards = 32;
constexpr std::array<std::string_view, 7> kFaults = {"in-use",      "insufficient", "pending", "no-device",
                                                     "answer-lost", "unknown",      "hang"};
constexpr std::array<std::string_view, 4> kModes = {"disabled", "enabled", "enable-pending",
                                                    "disable-pending"};

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

Error bad_fault(std::string reason) {
  std::string kinds;
  for (std::string_view kind : kFaults) kinds.append(kinds.empty() ? "" : ", ").append(kind);
  return {"cannot read the fault", clean(reason, 200),
          "KIND [verb=-cgi|apply|…] [nth=N] [times=N|always]; kinds: " + kinds};
}

std::string hex(std::uint64_t a, std::uint64_t b) {
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", a >> 32, (a >> 16) & 0xFFFF, a & 0xFFFF, b >> 48,
                     b & 0xFFFFFFFFFFFF);
}

// A name without the '*' that stands for any rest.
std::string name_of(const mig::Product& product) {
  if (product.smi_names.empty()) return product.key.text;
  std::string name = product.smi_names.front();
  if (name.ends_with('*')) name.pop_back();
  while (name.ends_with(' ') || name.ends_with('-')) name.pop_back();
  return name;
}

std::string yaml_quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : clean(text, 4000)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// Reads one file; the first trouble is kept, and reading goes on with defaults.
class MachineReader {
 public:
  MachineReader(std::string_view file, const mig::Catalogue& catalogue)
      : file_(file), catalogue_(catalogue) {}

  Result<Machine> machine(const Yaml& root) {
    Machine all;
    if (!root.find("version") || whole(root, "version", 1, 0) != 1) refuse(root, "version: 1 is expected");
    all.driver = whole(root, "driver", 100000, 580);
    all.devices = text(root, "devices");
    const Yaml* gpus = root.find("gpus");
    if (!gpus || gpus->kind != Yaml::Kind::list || gpus->items.size() > kMostCards)
      refuse(root, "gpus: a list of at most 32 is expected");
    else
      for (const Yaml& item : gpus->items) all.cards.push_back(card(item));
    if (const Yaml* faults = root.find("faults"))
      for (const Yaml& item : faults->items) {
        Result<ArmedFault> fault = parse_smi_fault(item.scalar);
        if (fault)
          all.faults.push_back(*fault);
        else
          refuse(item, fault.error().reason);
      }
    if (trouble_) return *trouble_;
    return all;
  }

 private:
  void refuse(const Yaml& at, std::string_view why) {
    if (!trouble_) trouble_ = yaml_error(kWhat, file_, at, why);
  }
  int whole(const Yaml& in, std::string_view key, int most, int otherwise) {
    const Yaml* value = in.find(key);
    if (!value) return otherwise;
    std::optional<std::int64_t> read = value->as_int();
    if (!read || *read < 0 || *read > most) {
      refuse(*value, fmt::format("{}: a number up to {} is expected", key, most));
      return otherwise;
    }
    return static_cast<int>(*read);
  }
  bool flag(const Yaml& in, std::string_view key, bool otherwise) {
    const Yaml* value = in.find(key);
    if (!value) return otherwise;
    if (!value->as_bool()) refuse(*value, fmt::format("{}: true or false is expected", key));
    return value->as_bool().value_or(otherwise);
  }
  std::string text(const Yaml& in, std::string_view key) {
    const Yaml* value = in.find(key);
    if (value && value->kind != Yaml::Kind::scalar) refuse(*value, fmt::format("{}: text is expected", key));
    return value ? clean(value->scalar, 4000) : "";
  }

  Card card(const Yaml& item) {
    Card card;
    card.product = catalogue_.by_key(text(item, "product"));
    if (!card.product) {
      refuse(item, "product: a key of the catalogue is expected");
      return card;
    }
    card.name = name_of(*card.product);
    card.uuid = text(item, "uuid");
    card.pci = text(item, "pci");
    if (card.uuid.empty() || card.pci.empty()) refuse(item, "uuid and pci are expected");
    if (item.find("compute-mode")) card.compute_mode = text(item, "compute-mode");
    card.persistence = flag(item, "persistence", true);
    card.timeslice = whole(item, "timeslice", 3, 0);
    card.board.hidden = flag(item, "held", false);
    std::string word = text(item, "mode");
    auto mode = std::find(kModes.begin(), kModes.end(), word.empty() ? kModes[0] : std::string_view(word));
    if (mode == kModes.end())
      refuse(item, "mode: disabled, enabled, enable-pending or disable-pending is expected");
    else
      card.board.mode = static_cast<MigMode>(mode - kModes.begin());
    card.board.strategy = card.board.cut() ? Strategy::mig : Strategy::whole;
    if (const Yaml* instances = item.find("instances")) add_instances(card, *instances);
    return card;
  }

  void add_instances(Card& card, const Yaml& list) {
    for (const Yaml& item : list.items) {
      std::optional<int> profile = card.product->index_of(text(item, "profile"));
      if (!profile) return refuse(item, "profile: one of the product is expected");
      Instance one{*profile,
                   whole(item, "start", mig::kMaxUnits, 0),
                   whole(item, "id", 4095, 0),
                   {},
                   {},
                   flag(item, "held", false)};
      if (!mig::fits(*card.product, layout_of(card.board), {one.profile, one.start}) ||
          card.board.find(one.id))
        return refuse(item, "there is no room for this instance");
      if (const Yaml* compute = item.find("compute"))
        for (const Yaml& entry : compute->items) add_compute(one, entry);
      auto place = std::find_if(card.board.instances.begin(), card.board.instances.end(),
                                [&](const Instance& other) { return other.start > one.start; });
      card.board.instances.insert(place, std::move(one));
    }
    if (!card.board.instances.empty() && !card.board.cut()) refuse(list, "instances while MIG is off");
  }

  // "0:3": id and width
  void add_compute(Instance& instance, const Yaml& entry) {
    std::vector<std::string_view> parts = split(entry.scalar, ':');
    std::optional<int> id = whole_number(parts[0], 7), width;
    if (parts.size() == 2) width = whole_number(parts[1], 8);
    if (!id || !width || *width == 0) return refuse(entry, "compute: ID:WIDTH is expected");
    instance.compute.push_back({*id, *width});
  }

  std::string_view file_;
  const mig::Catalogue& catalogue_;
  std::optional<Error> trouble_;
};

}  // namespace

Result<ArmedFault> parse_smi_fault(std::string_view text) {
  std::vector<std::string_view> words = split(text, ' ');
  auto kind = std::find(kFaults.begin(), kFaults.end(), words[0]);
  if (kind == kFaults.end()) return bad_fault(fmt::format("'{}' is no kind of fault", words[0]));
  ArmedFault fault;
  fault.kind = static_cast<SmiFault>(kind - kFaults.begin());
  for (std::size_t i = 1; i < words.size(); ++i) {
    std::size_t equals = words[i].find('=');
    if (equals == std::string_view::npos)
      return bad_fault(fmt::format("'{}': KEY=VALUE is expected", words[i]));
    std::string_view key = words[i].substr(0, equals), value = words[i].substr(equals + 1);
    std::optional<int> count = whole_number(value, 1'000'000);
    if (key == "verb" && (value.starts_with('-') || value == "apply"))
      fault.verb = clean(value, 32);
    else if (key == "nth" && count && *count > 0)
      fault.nth = *count;
    else if (key == "times" && value == "always")
      fault.times.reset();
    else if (key == "times" && count && *count > 0)
      fault.times = count;
    else if (key == "seen" && count)
      fault.seen = *count;
    else
      return bad_fault(fmt::format("'{}' is not known here", words[i]));
  }
  return fault;
}

std::string to_text(const ArmedFault& fault) {
  std::string text(kFaults[static_cast<std::size_t>(fault.kind)]);
  if (!fault.verb.empty()) text += " verb=" + fault.verb;
  if (fault.nth != 1) text += fmt::format(" nth={}", fault.nth);
  if (!fault.times) text += " times=always";
  if (fault.times.value_or(1) != 1) text += fmt::format(" times={}", *fault.times);
  if (fault.seen != 0) text += fmt::format(" seen={}", fault.seen);
  return text;
}

Result<Machine> make_machine(std::string_view spec, int driver, const mig::Catalogue& catalogue,
                             std::string_view salt) {
  Machine machine;
  machine.driver = driver;
  for (std::string_view part : split(spec, ',')) {
    std::size_t colon = part.rfind(':');
    std::optional<int> count =
        colon == std::string_view::npos ? 1 : whole_number(part.substr(colon + 1), kMostCards);
    std::string_view name = part.substr(0, colon);
    const mig::Product* product = catalogue.by_any(name);
    if (!product) {
      auto several = catalogue.by_slurm_type(name, {});
      if (!several.empty()) product = several.front();
    }
    if (!product || !count || *count == 0)
      return Error{"cannot make the simulated GPUs", "'" + clean(part, 80) + "': PRODUCT:COUNT is expected",
                   "such as h100:8; tessera layouts lists the products"};
    for (int i = 0; i < *count; ++i) {
      if (machine.cards.size() >= kMostCards)
        return Error{"cannot make the simulated GPUs", fmt::format("more than {}", kMostCards), ""};
      std::uint64_t a = draw(hash_text(salt), machine.cards.size()), b = mix(a);
      Card card;
      card.product = product;
      card.name = name_of(*product);
      card.uuid = "GPU-" + hex(a, b);
      card.pci = fmt::format("00000000:{:02X}:00.0", 0x1B + 6 * machine.cards.size());
      machine.cards.push_back(std::move(card));
    }
  }
  return machine;
}

Result<Machine> parse_machine(std::string_view text, std::string_view file, const mig::Catalogue& catalogue) {
  Result<Yaml> root = parse_yaml(text, file);
  if (!root) return root.error();
  return read_machine(*root, file, catalogue);
}

Result<mig::Catalogue> products_of(const Yaml& root) {
  std::vector<std::string> keys;
  if (const Yaml* gpus = root.find("gpus"))
    for (const Yaml& gpu : gpus->items)
      if (const Yaml* product = gpu.find("product")) keys.push_back(product->scalar);
  return mig::built_in_of(keys);
}

Result<Machine> read_machine(const Yaml& root, std::string_view file, const mig::Catalogue& catalogue) {
  return MachineReader(file, catalogue).machine(root);
}

std::string to_text(const Machine& machine) {
  std::string text = fmt::format("version: 1\ndriver: {}\n", machine.driver);
  if (!machine.devices.empty()) text += fmt::format("devices: {}\n", yaml_quoted(machine.devices));
  text += "gpus:\n";
  for (const Card& card : machine.cards) {
    text += fmt::format("  - product: {}\n    uuid: {}\n    pci: {}\n    mode: {}\n    held: {}\n",
                        yaml_quoted(card.product->key.text), yaml_quoted(card.uuid), yaml_quoted(card.pci),
                        kModes[static_cast<std::size_t>(card.board.mode)], card.board.hidden);
    text += fmt::format("    persistence: {}\n    compute-mode: {}\n    timeslice: {}\n", card.persistence,
                        yaml_quoted(card.compute_mode), card.timeslice);
    if (!card.board.instances.empty()) text += "    instances:\n";
    for (const Instance& one : card.board.instances) {
      std::string compute;
      for (const Compute& inside : one.compute)
        compute += fmt::format("{}\"{}:{}\"", compute.empty() ? "" : ", ", inside.id, inside.slices);
      text +=
          fmt::format("      - {{profile: {}, start: {}, id: {}, held: {}, compute: [{}]}}\n",
                      yaml_quoted(card.product->profiles[static_cast<std::size_t>(one.profile)].name.text),
                      one.start, one.id, one.hidden, compute);
    }
  }
  if (!machine.faults.empty()) text += "faults:\n";
  for (const ArmedFault& fault : machine.faults) text += fmt::format("  - {}\n", yaml_quoted(to_text(fault)));
  return text;
}

}  // namespace tessera::sim
