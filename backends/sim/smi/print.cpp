#include "backends/sim/smi/print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "backends/sim/random.hpp"

namespace tessera::sim {
namespace {

const Card& card_at(const Machine& machine, int gpu) { return machine.cards[static_cast<std::size_t>(gpu)]; }

const mig::Profile& profile_of(const Card& card, const Instance& instance) {
  return card.product->profiles[static_cast<std::size_t>(instance.profile)];
}

int number_of(const Card& card, int profile) {
  return card.product->profiles[static_cast<std::size_t>(profile)].id.value_or(profile);
}

std::string border(std::size_t width, char with = '-') {
  char end = with == '-' ? '+' : '|';
  return end + std::string(width - 2, with) + end + "\n";
}

std::string boxed(std::size_t width, std::string_view text) {
  return fmt::format("| {:<{}} |\n", text, width - 4);
}

// Names grew with Blackwell: one that is too long for its column moves the rest of its row.
std::string padded(const std::string& name, std::size_t width) {
  return name + std::string(name.size() < width ? width - name.size() : 1, ' ');
}

// Rows as -lgi sorts them: by profile, then id.
std::vector<const Instance*> sorted(const Card& card) {
  std::vector<const Instance*> all;
  for (const Instance& one : card.board.instances) all.push_back(&one);
  std::sort(all.begin(), all.end(), [](const Instance* a, const Instance* b) {
    return std::pair(a->profile, a->id) < std::pair(b->profile, b->id);
  });
  return all;
}

int start_of(const Instance& instance, const Compute& compute) {
  int start = 0;
  for (const Compute& other : instance.compute)
    if (other.id < compute.id) start += other.slices;
  return start;
}

// What -lci calls the size of a compute instance. Seen: 3g.40gb 0:4, 1g.24gb of an 8-unit GPU 0:2, 1g.24gb
// of a 12-unit GPU 0:1, 1c.2g.10gb 0:1.
int size_of(const Card& card, const Instance& instance, const Compute& compute) {
  const mig::Profile& profile = profile_of(card, instance);
  if (compute.slices != profile.compute_slices) return compute.slices;
  return card.product->units == 12 ? profile.memory_slices / 3 : profile.memory_slices;
}

// How many more of a profile could stand there.
int room_for(const Card& card, int profile) {
  mig::Layout layout = layout_of(card.board);
  int more = 0;
  for (int start : card.product->profiles[static_cast<std::size_t>(profile)].starts)
    if (mig::fits(*card.product, layout, {profile, start})) {
      layout.push_back({profile, start});
      std::sort(layout.begin(), layout.end());
      ++more;
    }
  return more;
}

}  // namespace

bool is_new(const Machine& machine) { return machine.driver >= 570; }

bool is_latest(const Machine& machine) { return machine.driver >= 580; }

std::string version_of(const Machine& machine) {
  return is_latest(machine) ? "580.159.04" : is_new(machine) ? "570.133.20" : "535.183.06";
}

std::int64_t memory_of(const Card& card) {
  std::int64_t most = 0;
  for (const mig::Profile& profile : card.product->profiles)
    if (profile.memory) most = std::max(most, profile.memory->value);
  return most > 0 ? most : std::int64_t{card.product->memory_gb.value_or(16)} * 1024;
}

std::int64_t memory_of(const Card& card, const Instance& instance) {
  const mig::Profile& profile = profile_of(card, instance);
  if (profile.memory) return profile.memory->value;
  return memory_of(card) * profile.memory_slices / std::max(1, card.product->units);
}

int compute_profile(int width) {
  if (width <= 4) return width - 1;
  return width == 7 ? 4 : width == 8 ? 5 : 6;
}

int compute_profile(const Card& card, const Instance& instance, const Compute& compute) {
  const mig::Profile& profile = profile_of(card, instance);
  bool wide = card.product->units == 8 && profile.compute_slices == 1 && profile.memory_slices == 2;
  return wide ? 7 : compute_profile(compute.slices);
}

std::vector<SmiDevice> devices_of(const Card& card) {
  std::vector<SmiDevice> all;
  for (const Instance& instance : card.board.instances)
    for (const Compute& compute : instance.compute)
      all.push_back({&instance, &compute, start_of(instance, compute)});
  std::sort(all.begin(), all.end(), [&](const SmiDevice& a, const SmiDevice& b) {
    auto key = [&](const SmiDevice& one) {
      return std::tuple(-one.compute->slices, -profile_of(card, *one.instance).memory_slices,
                        one.instance->id, one.compute->id);
    };
    return key(a) < key(b);
  });
  return all;
}

std::string device_uuid(const Card& card, const SmiDevice& device) {
  std::uint64_t a =
      draw(hash_text(card.uuid), device.instance->id, device.compute->id, device.instance->profile);
  std::uint64_t b = mix(a);
  return fmt::format("MIG-{:08x}-{:04x}-5{:03x}-{:04x}-{:012x}", a >> 32, (a >> 16) & 0xFFFF, a & 0xFFF,
                     b >> 48, b & 0xFFFFFFFFFFFF);
}

std::string print_list(const Machine& machine, CardNumbers cards) {
  std::string text;
  for (int gpu : cards) {
    const Card& card = card_at(machine, gpu);
    text += fmt::format("GPU {}: {} (UUID: {})\n", gpu, card.name, card.uuid);
    int index = 0;
    for (const SmiDevice& device : devices_of(card))
      text += fmt::format("  MIG {:<11} Device {:>2}: (UUID: {})\n",
                          compute_name(*card.product, *device.instance, *device.compute), index++,
                          device_uuid(card, device));
  }
  return text;
}

std::string print_instances(const Machine& machine, CardNumbers cards) {
  const std::size_t wide = is_new(machine) ? 2 : 0, width = 57 + wide;
  std::string rows;
  for (int gpu : cards) {
    const Card& card = card_at(machine, gpu);
    for (const Instance* one : sorted(card)) {
      const mig::Profile& profile = profile_of(card, *one);
      std::string place = fmt::format("{:>2}:{}", one->start, profile.memory_slices);
      rows +=
          fmt::format("| {:>3}  MIG {}{:>2}       {:>2}         {:<9}|\n", gpu,
                      padded(profile.name.text, 16 + wide), number_of(card, one->profile), one->id, place);
      rows += border(width);
    }
  }
  if (rows.empty()) return "";
  std::string gap(wide, ' ');
  return border(width) + boxed(width, "GPU instances:") +
         boxed(width, "GPU   Name             " + gap + "Profile  Instance   Placement ") +
         boxed(width, "                         " + gap + "ID       ID       Start:Size") +
         border(width, '=') + rows;
}

std::string print_compute(const Machine& machine, CardNumbers cards) {
  const bool places = is_new(machine);
  const std::size_t width = places ? 70 : 57;
  std::string rows;
  for (int gpu : cards) {
    const Card& card = card_at(machine, gpu);
    for (const Instance* one : sorted(card))
      for (const Compute& inside : one->compute) {
        rows += fmt::format("| {:>3}{:>7}       MIG {}{:>3}{:>10}", gpu, one->id,
                            padded(compute_name(*card.product, *one, inside), 15),
                            compute_profile(card, *one, inside), inside.id);
        rows += places ? fmt::format("         {:>2}:{}     |\n", start_of(*one, inside),
                                     size_of(card, *one, inside))
                       : "     |\n";
        rows += border(width);
      }
  }
  if (rows.empty()) return "";
  std::string head = border(width) + boxed(width, "Compute instances:");
  if (places)
    head += boxed(width, "GPU     GPU       Name             Profile   Instance   Placement ") +
            boxed(width, "      Instance                       ID        ID       Start:Size");
  else
    head += boxed(width, "GPU     GPU       Name             Profile   Instance") +
            boxed(width, "      Instance                       ID        ID");
  return head + boxed(width, "        ID") + border(width, '=') + rows;
}

std::string print_profiles(const Machine& machine, CardNumbers cards) {
  const std::size_t wide = is_new(machine) ? 2 : 0, width = 79 + wide;
  std::string gap(wide, ' '), rows;
  for (int gpu : cards) {
    const Card& card = card_at(machine, gpu);
    for (std::size_t i = 0; i < card.product->profiles.size(); ++i) {
      const mig::Profile& profile = card.product->profiles[i];
      double gib =
          profile.display_gib.value_or(static_cast<double>(profile.memory.value_or(Mib{0}).value) / 1024.0);
      rows += fmt::format("| {:>3}  MIG {}{:>2}     {}/{}        {:<11.2f}No     {:<7}{:<6}{:<4}|\n", gpu,
                          padded(profile.name.text, 14 + wide), number_of(card, static_cast<int>(i)),
                          room_for(card, static_cast<int>(i)), profile.max, gib, profile.sm.value_or(0),
                          profile.engines.decoder.value_or(0), profile.engines.encoder.value_or(0));
      rows += fmt::format("|{:>{}}{:<6}{:<6}{:<4}|\n", "", 61 + wide, profile.engines.copy.value_or(0),
                          profile.engines.jpeg.value_or(0), profile.engines.ofa.value_or(0));
      rows += border(width);
    }
  }
  return border(width) + boxed(width, "GPU instance profiles:") +
         boxed(width,
               "GPU   Name             " + gap + "ID    Instances   Memory     P2P    SM    DEC   ENC ") +
         boxed(width,
               "                       " + gap + "      Free/Total   GiB              CE    JPEG  OFA ") +
         border(width, '=') + rows;
}

std::string print_placements(const Machine& machine, CardNumbers cards) {
  std::string text;
  for (int gpu : cards) {
    const Card& card = card_at(machine, gpu);
    for (std::size_t i = 0; i < card.product->profiles.size(); ++i) {
      const mig::Profile& profile = card.product->profiles[i];
      if (profile.starts.empty() || profile.memory_slices == 0) continue;
      std::string starts;
      for (int start : profile.starts) starts += fmt::format("{}{}", starts.empty() ? "" : ",", start);
      text += fmt::format(
          "GPU {:>2} Profile ID {:>2} {}: {{{}}}:{}\n", gpu, number_of(card, static_cast<int>(i)),
          profile.starts.size() == 1 ? "Placement " : "Placements", starts, profile.memory_slices);
    }
  }
  return text;
}

std::string print_policies(const Machine& machine, CardNumbers cards) {
  constexpr const char* kLengths[] = {"Default", "Short", "Medium", "Long"};
  const bool narrow = is_latest(machine);
  const std::size_t width = narrow ? 39 : 43;
  const int name = narrow ? 15 : 17, value = narrow ? 14 : 15;
  const std::string_view before = narrow ? "   " : "     ";
  std::string text = border(width) + boxed(width, "GPU compute policies:") +
                     boxed(width, fmt::format("GPU     {:<{}}Value", "Name", name)) + border(width, '=');
  for (int gpu : cards)
    text += fmt::format("| {:>3}{}{:<{}}{:<{}}|\n", gpu, before, "Timeslice", name + (narrow ? 1 : 0),
                        kLengths[card_at(machine, gpu).timeslice & 3], value) +
            border(width);
  return text;
}

}  // namespace tessera::sim
