#include "backends/sim/smi/smi.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "backends/sim/saved/state_file.hpp"
#include "backends/sim/smi/call.hpp"
#include "backends/sim/smi/print.hpp"
#include "engine/number.hpp"
#include "engine/text.hpp"
#include "engine/yaml.hpp"

namespace tessera::sim {
namespace {

// The cards that -i names; nullopt: one of them is not there.
std::optional<std::vector<int>> chosen(const Machine& machine, const std::optional<std::string>& which) {
  std::vector<int> all;
  if (!which) {
    for (std::size_t i = 0; i < machine.cards.size(); ++i) all.push_back(static_cast<int>(i));
    return all;
  }
  for (const std::string& word : list_of(*which)) {
    auto found = std::find_if(machine.cards.begin(), machine.cards.end(), [&](const Card& card) {
      return word == card.uuid || lower(word) == lower(card.pci) ||
             word == std::to_string(&card - machine.cards.data());
    });
    if (found == machine.cards.end()) return std::nullopt;
    all.push_back(static_cast<int>(found - machine.cards.begin()));
  }
  std::sort(all.begin(), all.end());
  if (all.empty()) return std::nullopt;
  return all;
}

bool concerns(const ArmedFault& fault, const Call& call) {
  if (!fault.verb.empty()) return fault.verb == call.verb;
  switch (fault.kind) {
    case SmiFault::in_use:
      return call.verb == "-dgi" || call.verb == "-dci" || call.verb == "-mig" ||
             call.verb == "--gpu-reset" || call.verb == "apply";
    case SmiFault::insufficient: return call.verb == "-cgi" || call.verb == "apply";
    case SmiFault::pending: return call.verb == "-mig" || call.verb == "apply";
    case SmiFault::no_device:
    case SmiFault::answer_lost:
    case SmiFault::unknown:
    case SmiFault::hang: return changes(call);
  }
  return false;
}

SmiAnswer list(const Machine& machine, const Call& call, const std::vector<int>& cards) {
  if (call.verb == "-L") return {0, print_list(machine, cards), "", false};
  if (call.verb == "-q") return {0, print_xml(machine, cards), "", false};
  // Without a count it goes on until it is stopped.
  if (call.verb == "pmon")
    return {0, print_pmon(machine, cards, whole_number(call.value).value_or(1)), "", call.value.empty()};
  std::vector<std::string> format = list_of(call.format);
  auto has = [&](std::string_view word) {
    return std::find(format.begin(), format.end(), word) != format.end();
  };
  if (!has("csv")) return {2, "\"--format=csv\" is required with --query-*\n", "", false};
  std::string unknown;
  auto text = print_csv(machine, cards, call.value, !has("noheader"), !has("nounits"), unknown);
  if (!text) return {2, fmt::format("Field \"{}\" is not a valid field to query.\n\n", unknown), "", false};
  return {0, std::move(*text), "", false};
}

SmiAnswer act(Machine& machine, const Call& call, const std::vector<int>& cards, const ArmedFault* fault) {
  for (std::string_view listing : {"-L", "-q", "--query-gpu", "pmon"})
    if (call.verb == listing) return list(machine, call, cards);
  for (std::string_view board : {"-mig", "--gpu-reset", "-c", "-pm", "compute-policy"})
    if (call.verb == board) return board_call(machine, call, cards, fault);
  return mig_call(machine, call, cards, fault);
}

SmiAnswer failed(const Error& error) { return {255, "", to_line(error) + "\n", false}; }

}  // namespace

std::optional<ArmedFault> strike(Machine& machine, const Call& call) {
  std::optional<ArmedFault> first;
  for (ArmedFault& fault : machine.faults) {
    if (!concerns(fault, call)) continue;
    ++fault.seen;
    if (fault.seen >= fault.nth && !first) first = fault;
  }
  std::erase_if(machine.faults, [](const ArmedFault& fault) {
    return fault.times && fault.seen >= fault.nth - 1 + *fault.times;
  });
  return first;
}

SmiAnswer answer(Machine& machine, const std::vector<std::string>& words) {
  Misread why;
  std::optional<Call> call = take_apart(words, why);
  if (!call) return {why.exit_code, std::move(why.words), "", false};
  auto cards = chosen(machine, call->which);
  if (!cards) return {6, "No devices were found\n", "", false};
  std::optional<ArmedFault> fault = strike(machine, *call);
  if (!fault) return act(machine, *call, *cards, nullptr);
  const SmiAnswer unknown{255, "Failed to complete the request: Unknown Error\n", "", false};
  switch (fault->kind) {
    case SmiFault::hang: return {255, "", "", true};
    case SmiFault::unknown: return unknown;
    case SmiFault::answer_lost: act(machine, *call, *cards, nullptr); return unknown;
    case SmiFault::no_device: {
      Machine elsewhere = machine;
      return act(elsewhere, *call, *cards, nullptr);
    }
    case SmiFault::in_use:
    case SmiFault::insufficient:
    case SmiFault::pending: break;
  }
  return act(machine, *call, *cards, &*fault);
}

SmiAnswer on_machine(const std::string& file, const std::function<SmiAnswer(Machine&)>& act) {
  auto lock = StateFile::open(file);
  if (!lock) return failed(lock.error());
  auto saved = read_state(file);
  if (!saved) return failed(saved.error());
  if (!*saved)
    return failed({"there are no simulated GPUs", file + " does not exist",
                   "make it: tessera-sim nvidia-smi --state FILE --new h100:8"});
  auto root = parse_yaml((*saved)->text, file);
  if (!root) return failed(root.error());
  auto catalogue = products_of(*root);
  if (!catalogue) return failed(catalogue.error());
  auto machine = read_machine(*root, file, *catalogue);
  if (!machine) return failed(machine.error());
  SmiAnswer said = act(*machine);
  std::string text = to_text(*machine);
  if (text == (*saved)->text) return said;
  if (auto written = lock->write(text); !written) return failed(written.error());
  if (Status shown = show_devices(*machine); !shown) return failed(shown.error());
  return said;
}

SmiAnswer answer_from(const std::string& file, const std::vector<std::string>& words) {
  return on_machine(file, [&](Machine& machine) { return answer(machine, words); });
}

}  // namespace tessera::sim
