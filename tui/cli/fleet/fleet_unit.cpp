#include "tui/cli/fleet/fleet.hpp"

namespace tessera::cli {

std::string fleet_unit() {
  return R"(# /etc/systemd/system/tessera-fleet.service
[Unit]
Description=tessera: make what the windows of the fleet file say
Documentation=man:tessera-fleet(1)
After=network-online.target
Wants=network-online.target

[Service]
Type=oneshot
# Try it with --dry-run first. tessera fleet pause stops it without touching this file.
ExecStart=/usr/bin/tessera fleet run /etc/tessera/fleet.yaml --write --yes
# A user who may change the clusters: for Slurm an administrator of it, for Kubernetes a kubeconfig with the role
# that `tessera doctor --rbac --write` prints (Environment=KUBECONFIG=/etc/tessera/kubeconfig).
User=tessera
StateDirectory=tessera
Environment=XDG_STATE_HOME=/var/lib
# Exit code 1 is a finding: a pool that was skipped, a node that waits for a person. It is shown as a failure.
NoNewPrivileges=yes
ProtectSystem=full
PrivateTmp=yes

# /etc/systemd/system/tessera-fleet.timer
[Unit]
Description=tessera: look every five minutes whether a window of the fleet file is due

[Timer]
OnCalendar=*:0/5
AccuracySec=10

[Install]
WantedBy=timers.target
)";
}

}  // namespace tessera::cli
