#include "backends/sim/smi/parted.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

#include "backends/files.hpp"
#include "backends/sim/mig_parted.hpp"
#include "backends/sim/smi/call.hpp"
#include "engine/plan/run/journal.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::sim {
namespace {

constexpr std::size_t kMostConfig = 1u << 20;

struct PartedCall {
  std::string verb, file, config;
  std::string format = "yaml";
  bool debug = false, mode_only = false, valid = false;
};

Error unfit(std::string reason) { return {"cannot run nvidia-mig-parted", std::move(reason), ""}; }

Result<PartedCall> take_parted(const std::vector<std::string>& words) {
  PartedCall call;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string& word = words[at];
    auto is = [&](std::string_view brief, std::string_view full) { return word == brief || word == full; };
    std::string* value = nullptr;
    if (is("-d", "--debug"))
      call.debug = true;
    else if (is("-m", "--mode-only"))
      call.mode_only = true;
    else if (is("-a", "--valid-config"))
      call.valid = true;
    else if (is("-f", "--config-file"))
      value = &call.file;
    else if (is("-c", "--selected-config"))
      value = &call.config;
    else if (is("-o", "--output-format"))
      value = &call.format;
    else if (call.verb.empty() && (word == "apply" || word == "assert" || word == "export"))
      call.verb = word;
    else
      return unfit(fmt::format("'{}' is not played here", clean(word, 80)));
    if (!value) continue;
    if (++at == words.size()) return unfit(fmt::format("flag needs an argument: {}", word));
    *value = words[at];
  }
  if (call.verb.empty()) return unfit("apply, assert or export is expected");
  if (call.verb != "export" && call.file.empty()) return unfit("missing required flags 'config-file'");
  if (call.format != "yaml")
    return unfit(fmt::format("output as '{}' is not played here", clean(call.format, 80)));
  return call;
}

// One call on one machine.
class Parted {
 public:
  Parted(Machine& machine, const PartedCall& call, TimePoint at) : machine_(machine), call_(call), at_(at) {
    for (Card& card : machine.cards) {
      boards_.push_back(card.board);
      products_.push_back(card.product);
    }
  }

  SmiAnswer run(const std::string& config) {
    if (call_.verb == "export") return {0, current(), "", false};
    Result<Targets> targets = wanted(config);
    if (!targets) return fatal("error selecting MIG config: " + targets.error().reason);
    return call_.verb == "assert" ? check(*targets) : apply(*targets);
  }
  SmiAnswer fatal(const std::string& why) {
    log("fatal", why);
    return {1, "", std::move(logged_), false};
  }

 private:
  void log(std::string_view level, const std::string& words) {
    std::string quoted;
    for (char c : words) quoted += c == '"' ? std::string("\\\"") : std::string(1, c);
    logged_ += fmt::format("time=\"{}\" level={} msg=\"{}\"\n", utc_text_ms(at_), level, quoted);
  }

  Result<Targets> wanted(const std::string& config) const {
    std::string name = call_.config;
    if (name.empty()) {
      auto document = operators::parse_mig_document(config, call_.file);
      if (!document) return document.error();
      if (document->configs.size() != 1)
        return unfit("missing required flag 'selected-config' when more than one config available");
      name = document->configs.front().name;
    }
    return select_config(config, call_.file, name, products_);
  }

  SmiAnswer check(const Targets& targets) {
    if (call_.valid) return {0, "Selected MIG configuration is valid\n", "", false};
    if (!(call_.mode_only ? modes_stand(boards_, targets) : all_stands(boards_, targets)))
      return fatal("Assertion failure: selected configuration not currently applied");
    return {0,
            call_.mode_only ? "Selected MIG mode settings from configuration currently applied\n"
                            : "Selected MIG configuration currently applied\n",
            "", false};
  }

  SmiAnswer apply(const Targets& targets) {
    Call struck;
    struck.verb = "apply";
    std::optional<ArmedFault> fault = strike(machine_, struck);
    const auto is = [&](SmiFault kind) { return fault && fault->kind == kind; };
    if (is(SmiFault::hang)) return {1, "", "", true};
    if (is(SmiFault::unknown)) return fatal("error initializing NVML: Unknown Error");
    Sabotage sabotage;
    sabotage.in_use = is(SmiFault::in_use);
    sabotage.half = is(SmiFault::insufficient);
    sabotage.pends = is(SmiFault::pending);
    sabotage.nothing = is(SmiFault::no_device);
    PartedNode node{boards_, {}, {}};
    for (const Card& card : machine_.cards) {
      node.products.push_back(card.product->mig_capable ? card.product : nullptr);
      node.models.push_back(card.name);
    }
    PartedRun run = (call_.mode_only ? apply_modes : apply_all)(node, targets, sabotage);
    for (std::size_t i = 0; i < boards_.size(); ++i) machine_.cards[i].board = boards_[i];
    for (const std::string& line : run.lines) {
      const bool grave = line.starts_with("The following GPUs could not be reset");
      if (grave || call_.debug) log(grave ? "error" : "debug", line);
    }
    if (run.fails) return fatal("Error applying MIG configuration with hooks: " + *run.fails);
    if (is(SmiFault::answer_lost)) return fatal("error shutting NVML down: Unknown Error");
    return {0, "MIG configuration applied successfully\n", std::move(logged_), false};
  }

  std::string current() const {
    std::map<std::string, std::vector<std::size_t>> alike;
    for (std::size_t i = 0; i < boards_.size(); ++i) {
      std::map<std::string, int> counts;
      for (const Instance& one : boards_[i].instances)
        for (const Compute& compute : one.compute) ++counts[compute_name(*products_[i], one, compute)];
      std::string text = fmt::format("      mig-enabled: {}\n", boards_[i].cut());
      text += counts.empty() ? "      mig-devices: {}\n" : "      mig-devices:\n";
      for (const auto& [name, count] : counts) text += fmt::format("        {}: {}\n", name, count);
      alike[text].push_back(i);
    }
    std::string text = "version: v1\nmig-configs:\n  current:\n";
    for (const auto& [state, gpus] : alike)
      text += (alike.size() == 1 ? std::string("    - devices: all\n")
                                 : fmt::format("    - devices: [{}]\n", fmt::join(gpus, ", "))) +
              state;
    return text;
  }

  Machine& machine_;
  const PartedCall& call_;
  TimePoint at_;
  std::vector<Board> boards_;
  operators::NodeBoards products_;
  std::string logged_;
};

Result<std::string> read_config(const std::string& path) {
  Descriptor file(path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.ok()) return unfit(fmt::format("open {}: {}", clean(path, 300), std::strerror(errno)));
  std::optional<std::string> text = read_to_end(file.get(), kMostConfig);
  if (text) return *text;
  return unfit(errno == EFBIG ? fmt::format("{} is larger than a configuration can be", clean(path, 300))
                              : fmt::format("read {}: {}", clean(path, 300), std::strerror(errno)));
}

SmiAnswer misused(const Error& error) { return {1, "", error.reason + "\n", false}; }

// config: what the call's file holds, or why it cannot be read.
SmiAnswer answer_parted(Machine& machine, const PartedCall& call, const Result<std::string>& config,
                        TimePoint at) {
  Parted parted(machine, call, at);
  if (!config) return parted.fatal("error parsing config file: " + config.error().reason);
  return parted.run(*config);
}

}  // namespace

SmiAnswer parted_answer(Machine& machine, const std::vector<std::string>& words, const ReadConfig& read,
                        TimePoint at) {
  Result<PartedCall> call = take_parted(words);
  if (!call) return misused(call.error());
  return answer_parted(machine, *call, call->verb == "export" ? Result<std::string>("") : read(call->file),
                       at);
}

SmiAnswer parted_answer_from(const std::string& file, const std::vector<std::string>& words, TimePoint at) {
  Result<PartedCall> call = take_parted(words);
  if (!call) return misused(call.error());
  // Before the lock: whoever writes to us may take its time.
  Result<std::string> config = call->verb == "export" ? Result<std::string>("") : read_config(call->file);
  return on_machine(file, [&](Machine& machine) { return answer_parted(machine, *call, config, at); });
}

SmiAnswer play_parted(const std::string& file, std::vector<std::string> words, TimePoint at) {
  std::string state = file;
  if (words.size() > 1 && words[0] == "--state") {
    state = words[1];
    words.erase(words.begin(), words.begin() + 2);
  }
  if (state.empty())
    return {2, "", "tessera: whose GPUs? tessera-sim nvidia-mig-parted --state FILE apply -f FILE -c NAME\n",
            false};
  return parted_answer_from(state, words, at);
}

}  // namespace tessera::sim
