// Results of the verbs that change something.
#include <array>

#include "backends/nvidia/parse.hpp"
#include "backends/nvidia/words.hpp"
#include "engine/text.hpp"

namespace tessera::nvidia {
namespace {

using Refusal = Change::Refusal;

struct Known {
  std::string_view words;  // folded
  Refusal refusal;
};
constexpr std::array kKnown = {
    Known{"in use by another client", Refusal::in_use},
    Known{"currently being used by", Refusal::in_use},
    Known{"insufficient resources", Refusal::insufficient},
    Known{"insufficient permissions", Refusal::no_permission},
    Known{"permission denied", Refusal::no_permission},
    Known{"invalid argument", Refusal::invalid},
    Known{"invalid combination of input", Refusal::invalid},
    Known{"is not recognized", Refusal::invalid},
    Known{"is not a valid", Refusal::invalid},
    Known{"not supported", Refusal::not_supported},
    Known{"no mig-enabled devices", Refusal::mig_off},
    Known{"no gpu instances found", Refusal::none_found},
    Known{"no compute instances found", Refusal::none_found},
};

Refusal known_refusal(std::string_view line) {
  for (const Known& one : kKnown)
    if (contains_folded(line, one.words)) return one.refusal;
  return Refusal::unknown;
}

// Lines that say that something was not done.
bool is_refusal(std::string_view line) {
  for (std::string_view start :
       {"Unable to", "Failed to", "No MIG-enabled", "No GPU instances", "No compute instances",
        "Resetting GPU", "Insufficient", "Invalid", "Option"})
    if (line.starts_with(start)) return true;
  return contains_folded(line, "insufficient permissions") || contains_folded(line, "is not recognized") ||
         contains_folded(line, "could not be reset") || contains_folded(line, "couldn't run") ||
         // Of a reset: each GPU on a line of its own.
         (trimmed(line).starts_with("GPU ") && contains_folded(line, "in use by another client")) ||
         contains_folded(line, "must also be reset");
}

void refuse(Change& change, std::string_view line) {
  Refusal refusal = known_refusal(line);
  // The first line that can be told apart decides; later ones repeat it.
  if (change.refusal == Refusal::none || change.refusal == Refusal::unknown) change.refusal = refusal;
  if (change.words.size() > 2000) return;
  change.words += (change.words.empty() ? "" : "; ") + clean(line, 300);
}

Change::Instance instance_of(const Words& words, bool compute) {
  constexpr std::array<std::string_view, 3> kGpuId{"GPU", "instance", "ID"},
      kComputeId{"compute", "instance", "ID"};
  constexpr std::array<std::string_view, 2> kOn{"on", "GPU"}, kFrom{"from", "GPU"}, kProfile{"profile", "ID"},
      kBracket{"(ID", ""};
  Change::Instance made;
  made.gpu = number_after(words, kOn);
  if (!made.gpu) made.gpu = number_after(words, kFrom);
  made.id = number_after(words, kGpuId);
  // Before R470 a compute instance has no id in these words.
  if (compute) made.compute = number_after(words, kComputeId);
  made.profile_id = number_after(words, std::span(kBracket).first(1));
  if (!made.profile_id) made.profile_id = number_after(words, kProfile);
  return made;
}

// "Warning: MIG mode is in pending enable state for GPU 00000000:00:03.0:In use by another client"
std::optional<Change::Pending> pending_of(std::string_view line) {
  constexpr std::string_view kOn = "pending enable state for GPU ", kOff = "pending disable state for GPU ";
  std::size_t on = line.find(kOn), off = line.find(kOff);
  if (on == std::string_view::npos && off == std::string_view::npos) return std::nullopt;
  bool is_on = on != std::string_view::npos;
  std::string_view rest = trimmed(line.substr(is_on ? on + kOn.size() : off + kOff.size()));
  std::size_t colon = rest.rfind(':');
  // The last part of a PCI address is digits: without a reason the whole is the address.
  bool reason = colon != std::string_view::npos && colon + 1 < rest.size() &&
                !(rest[colon + 1] >= '0' && rest[colon + 1] <= '9');
  return Change::Pending{clean(reason ? rest.substr(0, colon) : rest, 64), is_on,
                         clean(reason ? trimmed(rest.substr(colon + 1)) : "", 200)};
}

std::string behind(std::string_view line, std::string_view words) {
  std::string_view rest = trimmed(line.substr(words.size()));
  return clean(rest.substr(0, rest.find(' ')), 64);
}

constexpr std::size_t kMost = 4096;  // of anything in one answer

void read_line(Change& change, std::string_view line) {
  if (change.created.size() + change.destroyed.size() + change.warnings.size() > kMost) return;
  if (line.starts_with("Successfully created") || line.starts_with("Successfully destroyed")) {
    bool compute = line.find("compute instance") < line.find("GPU");
    Change::Instance one = instance_of(words_of(line), compute);
    if (compute && !one.compute) one.compute = 0;
    (line.starts_with("Successfully created") ? change.created : change.destroyed).push_back(one);
  } else if (line.starts_with("Enabled MIG Mode for GPU")) {
    change.switched.push_back(behind(line, "Enabled MIG Mode for GPU"));
  } else if (line.starts_with("Disabled MIG Mode for GPU")) {
    change.switched.push_back(behind(line, "Disabled MIG Mode for GPU"));
  } else if (line.starts_with("GPU ") && line.find("was successfully reset") != std::string_view::npos) {
    change.reset.push_back(behind(line, "GPU"));
  } else if (auto pending = pending_of(line)) {
    change.pending.push_back(std::move(*pending));
  } else if (line.starts_with("Warning")) {
    change.warnings.push_back(clean(line, 300));
  } else if (is_refusal(line)) {
    refuse(change, line);
  }
}

std::string_view hint(Refusal refusal) {
  switch (refusal) {
    case Refusal::in_use:
      return "a program or an instance still uses it; monitoring agents count, too: see nvidia-smi -q -d "
             "PIDS";
    case Refusal::insufficient:
      return "what was made before it in the list stays; look at the GPU before going on";
    case Refusal::no_permission: return "nvidia-smi must run as root, outside of any job's cgroup";
    case Refusal::mig_off: return "MIG mode is off on this GPU, or waits for a reset";
    case Refusal::invalid: return "this driver may not know the profile or the form of the command";
    case Refusal::none:
    case Refusal::not_supported:
    case Refusal::none_found:
    case Refusal::unknown: break;
  }
  return "";
}

}  // namespace

Change parse_change(std::string_view out, std::string_view err, int exit_code) {
  Change change;
  for (std::string_view text : {out.substr(0, kMostText), err.substr(0, kMostText)})
    for (Lines lines(text); lines.next();)
      if (!lines.line().empty()) read_line(change, lines.line());
  if (exit_code != 0 && change.refusal == Refusal::none) {
    change.refusal = exit_code == 2   ? Refusal::invalid
                     : exit_code == 6 ? Refusal::none_found
                                      : Refusal::unknown;
    std::string_view said = trimmed(err.find_first_not_of(" \r\n\t") != std::string_view::npos ? err : out);
    change.words = clean(said.substr(0, 400), 400) + (said.empty() ? "" : " ") + "(exit code " +
                   std::to_string(exit_code) + ")";
  }
  return change;
}

std::optional<Error> refusal_of(const Change& change, std::string_view what) {
  if (change.refusal == Refusal::none) return std::nullopt;
  return Error{std::string(what), change.words, std::string(hint(change.refusal))};
}

}  // namespace tessera::nvidia
