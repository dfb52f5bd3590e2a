#!/bin/bash
# What a run on 32 nodes costs Slurm's controller and the nodes: calls of scontrol, ssh started, logins made.
# Slurm, ssh and the nodes' nvidia-smi are stand-ins that count; the command line's own binary makes the run. All nodes
# are drained at once. JOBS: seconds after which the last node's job ends, the others before, one after the other; 0: the
# nodes are empty, and what is counted is the work itself. NVIDIA_STAND_IN: the program that stands in for
# nvidia-smi; left out: the tessera-sim beside TESSERA_BINARY.
set -eu
: "${TESSERA_BINARY:?names the tessera that is measured}"
simulator=${NVIDIA_STAND_IN:-$(dirname "$TESSERA_BINARY")/tessera-sim}
nodes=${NODES:-32}
jobs=${JOBS:-180}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder"/{slurm,bin,node,gpus,state,run}
export D=$folder

program() { # name; text on stdin
  { echo '#!/bin/bash'; cat; } >"$folder/$1"
  chmod +x "$folder/$1"
}
program slurm/scontrol <<'S'
echo "$*" >>"$D/calls"
[ "$1" = -- ] && shift
set_node() { # names with commas, state, reason
  while ! mkdir "$D/lock" 2>/dev/null; do :; done
  for name in ${1//,/ }; do
    sed -i "s|^\(NodeName=$name .*\) State=.*|\1 State=$2 BootTime=2026-01-01T00:00:00 SlurmdStartTime=2026-01-01T00:00:00$3|" "$D/nodes"
  done
  rmdir "$D/lock"
}
list_nodes() {
  awk -v now="$(date +%s)" 'FNR == NR { if ($2 > now) busy["NodeName=" $1]; next }
    # A job that began right before the drain: 0.1 stopped at nodes where one ran before.
    $1 in busy && /DRAIN/ { sub(/CPUAlloc=0/, "CPUAlloc=8"); sub(/State=IDLE/, "State=MIXED") } { print }' "$D/busy" "$D/nodes"
}
case "$*" in
  --version) echo 'slurm 24.11.5';;
  ping) echo 'Slurmctld(primary) at ctl is UP';;
  *config) cat "$D/config";;
  *'show node') list_nodes;;
  *'show node '*) list_nodes | grep "^NodeName=${!#} ";; # as 0.1 asked
  *'show job')
    awk -v now="$(date +%s)" '$2 > now { print "JobId=" $3 " JobName=train UserId=al(1) JobState=RUNNING Requeue=1 " \
      "Partition=main NodeList=" $1 " BatchHost=" $1 " NumNodes=1 NumCPUs=8 Nodes=" $1 " CPU_IDs=0-7 Mem=1 GRES=gpu:h100:1(IDX:0)" }' \
      "$D/busy" | grep . || echo 'No jobs in the system';;
  *'show partition') cat "$D/partitions";;
  *'show reservation') echo 'No reservations in the system';;
  reconfigure)
    awk 'FNR == NR { for (i = 1; i <= NF; ++i) if (sub(/^Gres=/, "", $i)) gres[$1] = $i; next }
         $1 in gres { for (i = 2; i <= NF; ++i) if ($i ~ /^Gres=/) $i = "Gres=" gres[$1] } { print }' \
      "$D/slurm.conf" "$D/nodes" >"$D/nodes.new"
    mv "$D/nodes.new" "$D/nodes";;
  update*)
    for word; do case $word in NodeName=*) name=${word#*=};; State=*) state=${word#*=};; Reason=*) reason=${word#*=};; esac; done
    case $state in
      DRAIN) set_node "$name" IDLE+DRAIN " Reason=$reason [root@$(date +%FT%T)]";;
      *) set_node "$name" IDLE "";;
    esac;;
esac
S
program bin/ssh <<'S'
for word; do last=$word; case $word in ControlPath=*) path=${word#*=};; esac; done
while [ "$1" != -- ] && [ $# -gt 1 ]; do
  case $1 in -G) echo 'controlmaster false'; exit;; -O) rm -f "$path"; exit;; esac
  shift
done
echo "$2" >>"$D/ssh-started"
[ -n "${path-}" ] && [ -e "$path" ] || echo "$2" >>"$D/ssh-logins"
[ -z "${path-}" ] || : >"$path"
NODE=$2 PATH=$D/node:$PATH exec sh -c "$last"
S
program node/nvidia-smi <<'S'
ASAN_OPTIONS=detect_leaks=0 TESSERA_GPUS=$D/gpus/$NODE exec "$D/real/nvidia-smi" "$@"
S
program node/id <<<'echo 0'
mkdir "$folder/real"
ln -s "$simulator" "$folder/real/nvidia-smi"

cat >"$folder/config" <<'S'
BOOT_TIME               = 2199-01-01T00:00:00
ClusterName             = bench
SLURM_VERSION           = 24.11.5
HASH_VAL                = Match
SlurmUser               = root(0)
AuthType                = auth/munge
AccountingStorageType   = (null)
S
printf 'ClusterName=bench\nGresTypes=gpu\n' >"$folder/slurm.conf"
for i in $(seq -w 1 "$nodes"); do
  echo "NodeName=n$i CPUs=64 Gres=gpu:h100:8" >>"$folder/slurm.conf"
  echo "NodeName=n$i Arch=x86_64 CPUAlloc=0 CPUTot=64 Gres=gpu:h100:8 State=IDLE BootTime=2026-01-01T00:00:00 SlurmdStartTime=2026-01-01T00:00:00"
  "$simulator" nvidia-smi --state "$folder/gpus/n$i" --new H100-NVL-94GB:8 >/dev/null
done >"$folder/nodes"
now=$(date +%s)
for i in $(seq 1 "$nodes"); do
  printf "n%0${#nodes}d %d %d\n" "$i" $((now + jobs * i / nodes)) $((100 + i))
done >"$folder/busy"
printf 'NodeName=n[%s] Name=gpu Type=h100 File=/dev/nvidia[0-7]\n' "$(seq -w 1 "$nodes" | sed -n '1p;$p' | paste -sd-)" >"$folder/gres.conf"
echo "PartitionName=main Nodes=n[$(seq -w 1 "$nodes" | sed -n '1p;$p' | paste -sd-)] Default=YES State=UP" >>"$folder/slurm.conf"
echo "PartitionName=main Nodes=n[$(seq -w 1 "$nodes" | sed -n '1p;$p' | paste -sd-)] Default=YES State=UP" >"$folder/partitions"

begin=$(date +%s)
PATH=$folder/slurm:$folder/bin:$PATH XDG_RUNTIME_DIR=$folder/run XDG_STATE_HOME=$folder/state XDG_CONFIG_HOME=$folder/state \
  "$TESSERA_BINARY" apply --slurm-conf "$folder/slurm.conf" -n "n[$(seq -w 1 "$nodes" | sed -n '1p;$p' | paste -sd-)]" \
  --gpu 0 --layout 7x1g.12gb --write --yes --slurm-runner ssh --slurm-devices nvml --canary 0 --batch "$nodes" >"$folder/out" 2>&1 ||
  { tail -40 "$folder/out"; exit 1; }
done=$(grep -c "State=IDLE.*BootTime" "$folder/nodes" || true)
cut=$(grep -c "Gres=gpu:1g.12gb:7,gpu:h100:7\|Gres=gpu:h100:7,gpu:1g.12gb:7" "$folder/nodes" || true)
echo "$nodes nodes, jobs for $jobs s, $cut cut, $done open again, $(($(date +%s) - begin)) s"
echo "calls of scontrol: $(wc -l <"$folder/calls"), of which changes: $(grep -c '^update\|reconfigure' "$folder/calls")"
echo "ssh started: $(wc -l <"$folder/ssh-started"), logins: $(wc -l <"$folder/ssh-logins")"
sed 's/NodeName=[^ ]*//;s/Reason=.*//' "$folder/calls" | sort | uniq -c | sort -rn | sed 's/^/  /'
