// nvidia-smi mig: listing, creating, destroying.
#include <fmt/format.h>

#include <algorithm>

#include "backends/sim/smi/call.hpp"
#include "backends/sim/smi/print.hpp"
#include "engine/mig/profile_name.hpp"
#include "engine/number.hpp"

namespace tessera::sim {
namespace {

constexpr std::string_view kInUseByClient = "In use by another client";

// By the driver's number or by name; -1: the product has none such.
int profile_index(const mig::Product& product, std::string_view word) {
  if (std::optional<int> wanted = whole_number(word)) {
    for (std::size_t i = 0; i < product.profiles.size(); ++i)
      if (product.profiles[i].id.value_or(static_cast<int>(i)) == *wanted) return static_cast<int>(i);
    return -1;
  }
  return product.index_of(word).value_or(-1);
}

// Collects what each card answers, and stops at the first that refuses.
class Acts {
 public:
  Acts(Machine& machine, const Call& call, const ArmedFault* fault)
      : machine_(machine), call_(call), fault_(fault) {}

  SmiAnswer create(const std::vector<int>& cards) {
    for (int gpu : cards)
      if (!create_on(gpu)) break;
    return std::move(answer_);
  }

  SmiAnswer create_compute(const std::vector<int>& cards) {
    bool found = false;
    for (int gpu : cards)
      for (int id : instances_of(gpu)) {
        found = found || card(gpu).board.find(id);
        if (!create_compute_in(gpu, id)) return std::move(answer_);
      }
    if (!found) say("No GPU instances found.", 6);
    return std::move(answer_);
  }

  SmiAnswer destroy(const std::vector<int>& cards) {
    bool found = false;
    for (int gpu : cards) {
      std::vector<int> ids = instances_of(gpu);
      if (ids.empty()) continue;
      found = true;
      if (struck(SmiFault::in_use)) {
        say(fmt::format("Unable to destroy GPU instance ID {:>2} from GPU {:>2}: {}", ids[0], gpu,
                        kInUseByClient),
            19);
        say(fmt::format("Failed to destroy GPU instances: {}", kInUseByClient), 19);
        break;
      }
      if (!tell(destroy_instances(card(gpu).board, *card(gpu).product, gpu, ids))) break;
    }
    if (!found) say("No GPU instances found.", 6);
    return std::move(answer_);
  }

  SmiAnswer destroy_compute(const std::vector<int>& cards) {
    bool found = false;
    for (int gpu : cards)
      for (int id : instances_of(gpu)) {
        Instance* instance = card(gpu).board.find(id);
        if (!instance || instance->compute.empty()) continue;
        found = true;
        if (!destroy_compute_in(gpu, *instance)) return std::move(answer_);
      }
    if (!found) say("No compute instances found.", 6);
    return std::move(answer_);
  }

 private:
  Card& card(int gpu) { return machine_.cards[static_cast<std::size_t>(gpu)]; }
  bool struck(SmiFault kind) const { return fault_ && fault_->kind == kind; }

  void say(const std::string& line, int code) {
    answer_.out += line + "\n";
    if (code != 0) answer_.exit_code = code;
  }
  bool tell(const Outcome& outcome) {
    answer_.out += lines_of(outcome.lines);
    if (!outcome.ok()) answer_.exit_code = code_of(outcome.refusal);
    return outcome.ok();
  }

  // Those of -gi, else all of the GPU; ids that it does not have are kept, so that they are missed.
  std::vector<int> instances_of(int gpu) {
    std::vector<int> ids;
    if (!call_.instances) {
      for (const Instance& one : card(gpu).board.instances) ids.push_back(one.id);
      return ids;
    }
    for (const std::string& word : list_of(*call_.instances)) ids.push_back(whole_number(word).value_or(-1));
    return ids;
  }

  bool invalid(int gpu, std::string_view word) {
    say(fmt::format("Unable to create a GPU instance on GPU {:>2} using profile {}: Invalid Argument", gpu,
                    word),
        2);
    say("Failed to create GPU instances: Invalid Argument", 2);
    return false;
  }

  bool create_on(int gpu) {
    const mig::Product& product = *card(gpu).product;
    std::vector<std::string> words = list_of(call_.value);
    std::vector<Wanted> wanted;
    for (const std::string& word : words) {
      std::size_t colon = word.find(':');
      int profile = profile_index(product, word.substr(0, colon));
      std::optional<int> start;
      if (colon != std::string::npos) start = whole_number(word.substr(colon + 1));
      // The older generation takes no place.
      if (profile < 0 || (colon != std::string::npos && (!start || !is_new(machine_)))) break;
      wanted.push_back({profile, start});
    }
    if (struck(SmiFault::in_use)) {
      say(fmt::format("Unable to create a GPU instance on GPU {:>2} using profile {}: {}", gpu, words[0],
                      kInUseByClient),
          19);
      say(fmt::format("Failed to create GPU instances: {}", kInUseByClient), 19);
      return false;
    }
    std::size_t fit = struck(SmiFault::insufficient) ? words.size() / 2 : words.size();
    Outcome outcome = make(gpu, std::span(wanted).first(std::min(fit, wanted.size())));
    if (!tell(outcome)) return false;
    if (fit < words.size()) {
      say(fmt::format("Unable to create a GPU instance on GPU {:>2} using profile {}: Insufficient Resources",
                      gpu, words[fit]),
          23);
      say("Failed to create GPU instances: Insufficient Resources", 23);
      return false;
    }
    return wanted.size() == words.size() || invalid(gpu, words[wanted.size()]);
  }

  // The driver makes the compute instance of each (-C) right after it.
  Outcome make(int gpu, std::span<const Wanted> wanted) {
    Card& on = card(gpu);
    Outcome all = create_instances(on.board, *on.product, gpu, wanted, call_.compute);
    if (!call_.compute) return all;
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < all.lines.size(); ++i) {
      lines.push_back(all.lines[i]);
      if (i >= all.done.size()) continue;
      const Instance* made = on.board.find(all.done[i]);
      lines.push_back(created(gpu, *made, made->compute.front()));
    }
    all.lines = std::move(lines);
    return all;
  }

  std::string created(int gpu, const Instance& instance, const Compute& compute) {
    return fmt::format(
        "Successfully created compute instance ID {:>2} on GPU {:>2} GPU instance ID {:>2} using profile MIG "
        "{} (ID "
        "{:>2})",
        compute.id, gpu, instance.id, compute_name(*card(gpu).product, instance, compute),
        compute_profile(card(gpu), instance, compute));
  }

  // Widths for -cci: numbers of compute profiles or names; none: full width.
  std::vector<int> widths(int gpu, const Instance& instance) {
    const mig::Profile& profile = card(gpu).product->profiles[static_cast<std::size_t>(instance.profile)];
    std::vector<int> all;
    for (const std::string& word : list_of(call_.value)) {
      int width = 0;
      if (std::optional<int> id = whole_number(word)) {
        for (int i = 1; i <= profile.compute_slices; ++i)
          if (compute_profile(card(gpu), instance, {0, i}) == *id) width = i;
      } else if (auto parts = mig::parse_profile(word)) {
        width = parts->compute_width.value_or(parts->slices);
      }
      all.push_back(width);
    }
    if (all.empty()) all.push_back(profile.compute_slices);
    return all;
  }

  bool create_compute_in(int gpu, int id) {
    Instance* instance = card(gpu).board.find(id);
    if (!instance) return true;
    int room = card(gpu).product->profiles[static_cast<std::size_t>(instance->profile)].compute_slices;
    for (const Compute& one : instance->compute) room -= one.slices;
    for (int width : widths(gpu, *instance)) {
      if (width <= 0 || width > room) {
        std::string_view why = width <= 0 ? "Invalid Argument" : "Insufficient Resources";
        int code = width <= 0 ? 2 : 23;
        say(fmt::format("Unable to create a compute instance on GPU {:>2} GPU instance ID {:>2}: {}", gpu, id,
                        why),
            code);
        say(fmt::format("Failed to create compute instances: {}", why), code);
        return false;
      }
      Compute made{free_id(*instance), width};
      instance->compute.push_back(made);
      room -= width;
      say(created(gpu, *instance, made), 0);
    }
    return true;
  }

  static int free_id(const Instance& instance) {
    int id = 0;
    while (std::any_of(instance.compute.begin(), instance.compute.end(),
                       [&](const Compute& one) { return one.id == id; }))
      ++id;
    return id;
  }

  bool destroy_compute_in(int gpu, Instance& instance) {
    std::vector<std::string> only = call_.computes ? list_of(*call_.computes) : std::vector<std::string>();
    for (std::size_t i = 0; i < instance.compute.size();) {
      int id = instance.compute[i].id;
      if (!only.empty() && std::find(only.begin(), only.end(), std::to_string(id)) == only.end()) {
        ++i;
        continue;
      }
      if (instance.hidden || struck(SmiFault::in_use)) {
        say(fmt::format(
                "Unable to destroy compute instance ID {:>2} from GPU {:>2} GPU instance ID {:>2}: {}", id,
                gpu, instance.id, kInUseByClient),
            19);
        say(fmt::format("Failed to destroy compute instances: {}", kInUseByClient), 19);
        return false;
      }
      instance.compute.erase(instance.compute.begin() + static_cast<std::ptrdiff_t>(i));
      say(fmt::format("Successfully destroyed compute instance ID {:>2} from GPU {:>2} GPU instance ID {:>2}",
                      id, gpu, instance.id),
          0);
    }
    return true;
  }

  Machine& machine_;
  const Call& call_;
  const ArmedFault* fault_;
  SmiAnswer answer_;
};

SmiAnswer listing(std::string text, std::string_view none) {
  if (text.empty()) return {6, std::string(none) + "\n", "", false};
  return {0, std::move(text), "", false};
}

}  // namespace

SmiAnswer mig_call(Machine& machine, const Call& call, const std::vector<int>& cards,
                   const ArmedFault* fault) {
  std::vector<int> on, able;
  for (int gpu : cards) {
    const Card& card = machine.cards[static_cast<std::size_t>(gpu)];
    if (card.board.cut()) on.push_back(gpu);
    if (card.product->mig_capable) able.push_back(gpu);
  }
  // Later drivers tell the profiles of a GPU that is not in MIG mode yet.
  bool profiles = call.verb == "-lgip" || call.verb == "-lgipp";
  if (profiles && is_new(machine)) on = able;
  if (on.empty()) return {is_latest(machine) ? 0 : 6, "No MIG-enabled devices found.\n", "", false};
  if (call.verb == "-lgip") return listing(print_profiles(machine, on), "");
  if (call.verb == "-lgipp") return listing(print_placements(machine, on), "");
  if (call.verb == "-lgi") return listing(print_instances(machine, on), "No GPU instances found.");
  if (call.verb == "-lci") return listing(print_compute(machine, on), "No compute instances found.");
  Acts acts(machine, call, fault);
  if (call.verb == "-cgi") return acts.create(on);
  if (call.verb == "-cci") return acts.create_compute(on);
  if (call.verb == "-dgi") return acts.destroy(on);
  return acts.destroy_compute(on);
}

}  // namespace tessera::sim
