#include "backends/slurm/explain.hpp"

#include <algorithm>

#include "backends/last_line.hpp"
#include "engine/text.hpp"

namespace tessera::slurm {
namespace {

// Slurm's words, most telling first: an authentication error ends in a vague last line.
struct KnownTrouble {
  std::string_view words;
  std::string_view what;
  std::string_view hint;
};
constexpr KnownTrouble kKnownTroubles[] = {
    {"Munge encode failed", "munged is not running or refuses us", "systemctl status munge"},
    {"Munge decode failed", "munge credentials are refused",
     "the munge key or the clock differs between this machine and the controller"},
    {"Protocol authentication error", "Slurm refuses our credentials",
     "systemctl status munge; the munge key must be the controller's"},
    {"Unable to contact slurm controller", "slurmctld does not answer",
     "scontrol ping; systemctl status slurmctld on the controller"},
    {"Connection refused", "slurmctld does not answer",
     "scontrol ping; systemctl status slurmctld on the controller"},
    {"Zero Bytes were transmitted", "slurmctld broke off the answer",
     "its log has the reason; the versions of client and controller may differ too much"},
    {"Incompatible versions", "client and controller are of too different versions",
     "use the commands of the controller's release"},
    {"Socket timed out", "slurmctld is overloaded or hangs",
     "sdiag shows its load; systemctl status slurmctld on the controller"},
    {"in standby mode", "this controller is a backup in standby",
     "the primary has not handed over yet; scontrol ping"},
    {"Access/permission denied", "Slurm does not let us see this",
     "PrivateData in slurm.conf, or a site policy, forbids it"},
    {"Invalid user id", "Slurm does not let us see this",
     "PrivateData in slurm.conf, or a site policy, forbids it"},
    {"Permission denied", "a file of Slurm's configuration may not be read",
     "slurm.conf and the files that it includes must be readable"},
    {"Could not establish a configuration source", "Slurm has no configuration here",
     "name slurm.conf with --slurm-conf or SLURM_CONF"},
    {"Unable to process configuration file", "Slurm cannot read its configuration",
     "name another slurm.conf with --slurm-conf or SLURM_CONF"},
};

// The line that holds the known words, without "scontrol: error: ".
std::string complaint_with(std::string_view text, std::string_view words) {
  std::size_t at = text.find(words);
  std::size_t start = text.rfind('\n', at);
  start = start == std::string_view::npos ? 0 : start + 1;
  std::string_view line = text.substr(start, text.find('\n', at) - start);
  for (std::string_view prefix : {"scontrol: ", "error: ", "fatal: "})
    if (line.starts_with(prefix)) line.remove_prefix(prefix.size());
  return clean(line, 400);
}

// A tool that fails half-way has printed data, which is no complaint.
std::string_view complaints_in(std::string_view out) {
  for (std::string_view record :
       {"NodeName=", "JobId=", "PartitionName=", "ReservationName=", "Configuration"})
    if (out.starts_with(record)) return {};
  return out.substr(0, 4096);
}

std::string how_it_ended(const Outcome& outcome) {
  return outcome.signal != 0 ? "scontrol was killed by signal " + std::to_string(outcome.signal)
                             : "scontrol ended with status " + std::to_string(outcome.exit_code);
}

}  // namespace

std::optional<Error> distrust(std::string what, std::string_view text) {
  if (text.find_first_not_of(" \r\n") == std::string_view::npos)
    return Error{std::move(what), "scontrol ended with status 0 and printed nothing", ""};
  if (text.back() == '\n') return std::nullopt;
  std::string_view last = text.substr(text.size() - std::min<std::size_t>(text.size(), 40));
  return Error{std::move(what), "scontrol's answer is cut off: it ends with \"" + clean(last, 80) + "\"", ""};
}

std::optional<Error> explain(std::string what, const Outcome& outcome, Duration deadline) {
  if (outcome.succeeded()) return std::nullopt;
  const std::string_view said = complaints_in(outcome.out);
  for (const KnownTrouble& known : kKnownTroubles) {
    for (std::string_view text : {std::string_view(outcome.err), said}) {
      if (text.find(known.words) == std::string_view::npos) continue;
      return Error{std::string(known.what), complaint_with(text, known.words), std::string(known.hint)};
    }
  }
  if (outcome.timed_out)
    return Error{std::move(what), "no answer within " + std::to_string(deadline.count() / 1000) + " s",
                 "slurmctld or munged hangs; sdiag shows the controller's load"};
  if (outcome.truncated)
    return Error{std::move(what), "it printed more than " + std::to_string(outcome.out.size() >> 20) + " MiB",
                 std::string(kAnotherProgram)};
  std::string words = last_line(outcome.err.empty() ? said : std::string_view(outcome.err));
  if (words.empty())
    words = how_it_ended(outcome);
  else if (outcome.signal != 0)
    words = how_it_ended(outcome) + ": " + words;
  return Error{std::move(what), std::move(words), ""};
}

}  // namespace tessera::slurm
