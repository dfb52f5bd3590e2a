#include "tui/cli/fleet/fleet.hpp"

namespace tessera::cli {

// ProtectSystem= would make /etc read-only, where slurm.conf and gres.conf lie that a run edits; under
// NoNewPrivileges= sudo cannot be used, which a site's own commands may name. A state folder of its own:
// systemd gives all of that folder to User= at a start, and tessera-record has another user.
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
# A user who may change the clusters: for Slurm an administrator of it who can write slurm.conf and gres.conf,
# for Kubernetes a kubeconfig with the role that `tessera doctor --rbac --write` prints
# (Environment=KUBECONFIG=/etc/tessera/kubeconfig).
User=tessera
# The journals of its runs lie in /var/lib/tessera-fleet/tessera/runs, for this user alone. For one list of runs
# that admins and this unit share, with resume and undo of each, name a shared folder in
# /etc/tessera/config.yaml (runs: DIR, with chmod 2770 and the admins' group).
# tessera fleet log shows admins what it skips, too, where it may write the log beside the file:
# install -m 0664 -o tessera -g ADMINS /dev/null /etc/tessera/fleet.yaml.log
StateDirectory=tessera-fleet
StateDirectoryMode=0700
Environment=XDG_STATE_HOME=/var/lib/tessera-fleet
# Exit code 1 is a finding: a pool that was skipped, a node that waits for a person. It is shown as a failure.
# A run writes slurm.conf and gres.conf, so that no ProtectSystem= stands here. Where no command of the settings
# uses sudo, and no configuration of Slurm is written on this host, these two may be added:
# NoNewPrivileges=yes
# ProtectSystem=full
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
