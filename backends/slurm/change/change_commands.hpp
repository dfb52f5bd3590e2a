// The argument vectors with which Slurm is changed, and the names of tessera's reservations.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/process.hpp"
#include "backends/slurm/commands.hpp"
#include "engine/plan/facts.hpp"
#include "engine/plan/run/actuator.hpp"

namespace tessera::slurm {

// Names and ids that begin with a dash are never read as options: they stand behind "=" or "--".
// Reason must not be empty: Slurm refuses a drain without one.
Command drain(const SlurmClient& site, const std::string& node, const std::string& reason);
Command open(const SlurmClient& site, const std::string& node);
// Precondition: plan::is_reboot(act).
Command reboot_or_not(const SlurmClient& site, const plan::Special& act, const plan::Order& order);
Command requeue(const SlurmClient& site, const std::string& job);
Command cancel(const SlurmClient& site, const std::string& job);
Command reconfigure(const SlurmClient& site);
// Drives other work away; `user` may go on using the node by naming the reservation.
Command reserve(const SlurmClient& site, const std::string& reservation, const std::string& node,
                const std::string& user);
Command free_reservation(const SlurmClient& site, const std::string& reservation);
// The site's own command that restarts a daemon; {node} in a word stands for the node. The daemon stays,
// whatever becomes of the command.
Command restart_command(const std::vector<std::string>& argv, const std::string& node);

// "tessera+RUN+who+from": a mark where no blanks may stand.
std::string reservation_name(const plan::RunMark& mark);
std::optional<plan::RunMark> mark_of_reservation(std::string_view name);

// What a command that changes something said against it, with the way out; nullopt: nothing.
std::optional<Error> explain_change(std::string what, const Outcome& outcome, Duration deadline);

}  // namespace tessera::slurm
