// What concerns a GPU as a whole: MIG mode, reset, compute mode, persistence, time slices.
#include <fmt/format.h>

#include <algorithm>

#include "backends/sim/smi/call.hpp"
#include "backends/sim/smi/print.hpp"

namespace tessera::sim {
namespace {

constexpr std::string_view kInUseByProcess = "In use by another client";

// nvidia-smi names GPUs by their address here.
std::string with_address(std::string line, int gpu, const Card& card) {
  std::string number = fmt::format("GPU {:>2}", gpu);
  for (std::size_t at = line.find(number); at != std::string::npos;
       at = line.find(number, at + card.pci.size()))
    line.replace(at, number.size(), "GPU " + card.pci);
  return line;
}

class Boards {
 public:
  Boards(Machine& machine, const ArmedFault* fault) : machine_(machine), fault_(fault) {}

  SmiAnswer set_mode(const std::vector<int>& cards, const std::string& value) {
    if (value != "0" && value != "1") return {2, "Invalid MIG mode\n", "", false};
    bool on = value == "1";
    for (int gpu : cards) {
      if (struck(SmiFault::in_use)) {
        refuse(fmt::format("Unable to {} MIG Mode for GPU {}: {}", on ? "enable" : "disable", card(gpu).pci,
                           kInUseByProcess));
        return std::move(answer_);
      }
      if (struck(SmiFault::pending) && card(gpu).board.cut() != on && card(gpu).board.instances.empty()) {
        pend(gpu, on);
        continue;
      }
      if (!tell(gpu, sim::set_mode(card(gpu).board, *card(gpu).product, gpu, on))) return std::move(answer_);
    }
    answer_.out += "All done.\n";
    return std::move(answer_);
  }

  SmiAnswer reset(const std::vector<int>& cards) {
    for (int gpu : cards) {
      if (struck(SmiFault::in_use)) {
        refuse(fmt::format("GPU {} could not be reset: {}", card(gpu).pci, kInUseByProcess));
        return std::move(answer_);
      }
      if (!tell(gpu, sim::reset(card(gpu).board, gpu))) return std::move(answer_);
    }
    answer_.out += "All done.\n";
    return std::move(answer_);
  }

 private:
  Card& card(int gpu) { return machine_.cards[static_cast<std::size_t>(gpu)]; }
  bool struck(SmiFault kind) const { return fault_ && fault_->kind == kind; }
  void refuse(const std::string& line) {
    answer_.out += line + "\n";
    answer_.exit_code = 19;
  }
  void pend(int gpu, bool on) {
    card(gpu).board.mode = on ? MigMode::enable_pending : MigMode::disable_pending;
    answer_.out += fmt::format("Warning: MIG mode is in pending {} state for GPU {}:{}\n",
                               on ? "enable" : "disable", card(gpu).pci, kInUseByProcess);
    answer_.out += fmt::format(
        "{} is currently being used by one or more other processes (e.g. CUDA application or a monitoring "
        "application such as another instance of nvidia-smi). Please first kill all processes using the "
        "device and "
        "retry the command or reboot the system to make MIG mode effective.\n",
        card(gpu).pci);
  }
  bool tell(int gpu, const Outcome& outcome) {
    for (const std::string& line : outcome.lines)
      if (line != "All done.") answer_.out += with_address(line, gpu, card(gpu)) + "\n";
    answer_.exit_code = code_of(outcome.refusal);
    return outcome.ok();
  }

  Machine& machine_;
  const ArmedFault* fault_;
  SmiAnswer answer_;
};

SmiAnswer compute_mode(Machine& machine, const std::vector<int>& cards, const std::string& value) {
  std::string mode = value == "DEFAULT" || value == "0"             ? "Default"
                     : value == "EXCLUSIVE_PROCESS" || value == "3" ? "Exclusive_Process"
                     : value == "PROHIBITED" || value == "2"        ? "Prohibited"
                                                                    : "";
  if (mode.empty()) return {2, "Invalid compute mode\n", "", false};
  SmiAnswer answer;
  for (int gpu : cards) {
    Card& card = machine.cards[static_cast<std::size_t>(gpu)];
    card.compute_mode = mode;
    answer.out += fmt::format("Set compute mode to {} for GPU {}.\n", value, card.pci);
  }
  answer.out += "All done.\n";
  return answer;
}

SmiAnswer persistence(Machine& machine, const std::vector<int>& cards, const std::string& value) {
  if (value != "0" && value != "1") return {2, "Invalid persistence mode\n", "", false};
  SmiAnswer answer;
  for (int gpu : cards) {
    Card& card = machine.cards[static_cast<std::size_t>(gpu)];
    card.persistence = value == "1";
    answer.out +=
        fmt::format("{} persistence mode for GPU {}.\n", card.persistence ? "Enabled" : "Disabled", card.pci);
  }
  answer.out += "All done.\n";
  return answer;
}

SmiAnswer timeslice(Machine& machine, const std::vector<int>& cards, const std::string& value) {
  if (value.size() != 1 || value[0] < '0' || value[0] > '3') return {2, "Invalid timeslice\n", "", false};
  SmiAnswer answer;
  for (int gpu : cards) {
    Card& card = machine.cards[static_cast<std::size_t>(gpu)];
    card.timeslice = value[0] - '0';
    answer.out += fmt::format("Successfully set compute policy on GPU {}.\n", gpu);
  }
  return answer;
}

}  // namespace

SmiAnswer board_call(Machine& machine, const Call& call, const std::vector<int>& cards,
                     const ArmedFault* fault) {
  if (call.verb == "-mig") return Boards(machine, fault).set_mode(cards, call.value);
  if (call.verb == "--gpu-reset") return Boards(machine, fault).reset(cards);
  if (call.verb == "-c") return compute_mode(machine, cards, call.value);
  if (call.verb == "-pm") return persistence(machine, cards, call.value);
  if (call.value.empty()) return {0, print_policies(machine, cards), "", false};
  return timeslice(machine, cards, call.value);
}

}  // namespace tessera::sim
