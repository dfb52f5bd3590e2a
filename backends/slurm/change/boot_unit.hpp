// Whether systemd on a node will apply the layout for its next boot: what `systemctl is-enabled` says there
// (systemctl(1) 219 to 257; it reads unit files and needs no running systemd).
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>

#include "backends/runner.hpp"
#include "engine/model/event.hpp"

namespace tessera::slurm {

struct BootUnit {
  enum class State {
    enabled,   // or always started: static, an alias, made by a generator
    disabled,  // `systemctl enable` is all that it takes
    unusable,  // not there, masked, or not to be read
    absent,    // the node has no systemctl
  };
  State state = State::unusable;
  std::string words;  // systemctl's own: "disabled", "masked", "not-found"
};
BootUnit boot_unit_of(const NodeAnswer& answer);

// What is wrong with it, for doctor; nullopt: nothing. cut: the node has instances, which a boot takes away.
std::optional<Remark> unit_remark(const BootUnit& unit, const NodeName& node,
                                  const slurmconf::SlurmSetup& said, bool cut);

}  // namespace tessera::slurm
