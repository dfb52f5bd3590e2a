#include "backends/slurm/change/change_commands.hpp"

#include <algorithm>

#include "backends/slurm/explain.hpp"
#include "engine/plan/node_reboot.hpp"
#include "engine/replaced.hpp"
#include "engine/text.hpp"

namespace tessera::slurm {
namespace {

// What is asked of the controller must not be cut off half-way.
Command change(const SlurmClient& site, std::vector<std::string> arguments) {
  Command command = scontrol(site, std::move(arguments));
  command.dies_with_us = false;
  return command;
}

std::string spaced(std::string_view text) {
  std::string words(text);
  std::replace(words.begin(), words.end(), '+', ' ');
  return words;
}

struct Known {
  std::string_view words;
  std::string_view hint;
};
constexpr Known kKnown[] = {
    {"Invalid user id",
     "only root, SlurmUser and Slurm's administrators may do this: run tessera as one of them"},
    {"Access/permission denied",
     "only root, SlurmUser and Slurm's administrators may do this: run tessera as one of them"},
    {"Permission denied",
     "only root, SlurmUser and Slurm's administrators may do this: run tessera as one of them"},
    {"Invalid node name", "is it still in slurm.conf?"},
    {"Invalid node state",
     "scontrol show node prints its state; INVALID_REG goes away with a good registration"},
};

std::string line_with(std::string_view text, std::string_view words) {
  std::size_t at = text.find(words);
  std::size_t start = text.rfind('\n', at);
  start = start == std::string_view::npos ? 0 : start + 1;
  return clean(text.substr(start, text.find('\n', at) - start), 400);
}

}  // namespace

Command drain(const SlurmClient& site, const std::string& node, const std::string& reason) {
  return change(site, {"update", "NodeName=" + node, "State=DRAIN", "Reason=" + reason});
}
Command open(const SlurmClient& site, const std::string& node) {
  return change(site, {"update", "NodeName=" + node, "State=RESUME"});
}
Command reboot_or_not(const SlurmClient& site, const plan::Special& act, const plan::Order& order) {
  const std::string& node = order.node.text;
  if (act.verb == plan::reboots::kCancel) return change(site, {"cancel_reboot", node});
  // A closed node stays so: with ASAP or a next state Slurm opens it after the boot.
  if (!plan::argument_of(act, "found").empty()) return change(site, {"reboot", node});
  const plan::Closing why{clean(plan::argument_of(act, "words"), 400), order.mark};
  return change(site, {"reboot", "ASAP", "nextstate=RESUME", "reason=" + plan::to_text(why), node});
}
Command requeue(const SlurmClient& site, const std::string& job) {
  return change(site, {"--", "requeue", job});
}
Command cancel(const SlurmClient& site, const std::string& job) {
  Command command = change(site, {"--", job});
  command.argv.front() = site.bin.empty() ? "scancel" : site.bin + "/scancel";
  return command;
}
Command reconfigure(const SlurmClient& site) { return change(site, {"reconfigure"}); }
Command reserve(const SlurmClient& site, const std::string& reservation, const std::string& node,
                const std::string& user) {
  return change(site, {"create", "reservation", "ReservationName=" + reservation, "Nodes=" + node,
                       "StartTime=now", "Duration=UNLIMITED", "Flags=MAINT,IGNORE_JOBS", "Users=" + user});
}
Command free_reservation(const SlurmClient& site, const std::string& reservation) {
  return change(site, {"delete", "ReservationName=" + reservation});
}

Command restart_command(const std::vector<std::string>& argv, const std::string& node) {
  Command command;
  command.leaves_others = true;
  for (const std::string& word : argv) command.argv.push_back(replaced(word, "{node}", node));
  command.dies_with_us = false;
  command.deadline = std::chrono::minutes(2);
  return command;
}

std::string reservation_name(const plan::RunMark& mark) {
  std::string name = plan::to_text(mark);
  std::replace(name.begin(), name.end(), ' ', '+');
  name[name.rfind('@')] = '+';
  return name;
}

std::optional<plan::RunMark> mark_of_reservation(std::string_view name) {
  if (!name.starts_with("tessera+") || std::count(name.begin(), name.end(), '+') != 3) return std::nullopt;
  std::string text = spaced(name);
  text[text.rfind(' ')] = '@';
  return plan::parse_mark(text);
}

std::optional<Error> explain_change(std::string what, const Outcome& outcome, Duration deadline) {
  if (outcome.succeeded()) return std::nullopt;
  for (const Known& known : kKnown)
    if (outcome.err.find(known.words) != std::string::npos)
      return Error{std::move(what), line_with(outcome.err, known.words), std::string(known.hint)};
  return explain(std::move(what), outcome, deadline);
}

}  // namespace tessera::slurm
