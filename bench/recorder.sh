#!/bin/bash
# What `tessera record` costs as a process, the asking included: a simulated API server with NODES nodes of eight GPUs and
# their exporters, the real kubectl as its proxy, a round each minute. Told are processor time in per cent of a core (of the
# recorder, and of the kubectl that it runs), the most memory of each, requests and the size of the file. The first round
# lists everything and is told apart. Of 1,000 nodes and fewer the recorder holds its aims, or this ends with 1: 2 % of a core and
# 150 MB. TESSERA_BINARY: what is measured; TESSERA_SIM: left out, the tessera-sim beside it.
set -eu
: "${TESSERA_BINARY:?names the tessera that is measured}"
simulator=${TESSERA_SIM:-$(dirname "$TESSERA_BINARY")/tessera-sim}
nodes=${NODES:-1000}
minutes=${MINUTES:-10}
command -v kubectl >/dev/null || { echo "MISSED  recorder: not measured, it needs kubectl"; exit 1; }
folder=$(mktemp -d)
stop() { jobs -p | xargs -r kill 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$folder"; }
trap stop EXIT

last=$(printf '%05d' "$nodes")
cat >"$folder/world.yaml" <<S
clusters:
  - name: bench
    scheduler: kubernetes
    version: kubernetes v1.32.2
    users: [ann, ben, cat, dan]
    daemons: [{name: gpu-operator, host: gpu-operator, detail: v26.3.0}, {name: nvidia-dcgm-exporter, host: gpu-operator}]
    nodes:
      - {names: "w[00001-$last]", product: H100-80GB-SXM5, cpus: 192, memory_gib: 2048, driver: 570.124.06, agent: v1.32.2,
         features: ["mig.strategy=mixed", "mig.config=all-disabled"]}
    jobs:
      - {count: $((nodes * 5)), namespace: work, want: "nvidia.com/gpu", names: [train, tune, eval], does: training, runs: [2h, 2d]}
    arrivals:
      - {every: $((4320 / nodes + 1))s, namespace: work, want: "nvidia.com/gpu", names: [train, tune, eval], does: training,
         runs: [10m, 12h], at_most: 100}
S
"$simulator" serve --kubernetes --sim="$folder/world.yaml" --kubeconfig-out "$folder/kubeconfig" \
  >"$folder/server" 2>&1 &
for _ in $(seq 200); do [ -s "$folder/kubeconfig" ] && break; sleep 0.1; done
[ -s "$folder/kubeconfig" ] || { cat "$folder/server"; exit 1; }
XDG_STATE_HOME=$folder XDG_CONFIG_HOME=$folder XDG_CACHE_HOME=$folder "$TESSERA_BINARY" record --kubeconfig "$folder/kubeconfig" \
  --every 60s --folder "$folder/recording" >"$folder/out" 2>&1 &
recorder=$!

ticks() { # of a process and of its children that ended; per cent need the clock's ticks
  sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | awk '{ print $12 + $13 + $14 + $15 }'
}
peak() { awk '/VmHWM/ { print $2 / 1000 }' "/proc/$1/status"; }
bytes() { find "$folder/recording" -type f -printf '%s\n' 2>/dev/null | awk '{ all += $1 } END { print all + 0 }'; }
children() { pgrep -P "$recorder" || true; }
of_children() { local all=0 one; for one in $(children); do all=$((all + $(ticks "$one"))); done; echo "$all"; }

begin=$(date +%s%N)
until [ "$(bytes)" -gt 0 ]; do kill -0 "$recorder" || { cat "$folder/out"; exit 1; }; sleep 0.2; done
echo "$nodes nodes: first round after $((($(date +%s%N) - begin) / 1000000)) ms, $(ticks "$recorder") ticks of processor time"
sleep 60
before=$(ticks "$recorder") proxy=$(of_children) size=$(bytes)
sleep $((minutes * 60))
hertz=$(getconf CLK_TCK)
per_cent() { awk -v t="$1" -v s=$((minutes * 60)) -v h="$hertz" 'BEGIN { printf "%.2f", 100 * t / h / s }'; }
# One that has ended, or writes nothing, costs little and holds no aim.
if ! kill -0 "$recorder" || [ "$(bytes)" -le "$size" ]; then
  cat "$folder/out"
  echo "MISSED  recorder: it records nothing"
  exit 1
fi
core=$(per_cent $(($(ticks "$recorder") - before))) memory=$(peak "$recorder")
echo "recorder: $core % of a core, $memory MB at most"
for one in $(children); do echo "  $(cat "/proc/$one/comm"): $(peak "$one") MB at most"; done
echo "its kubectl: $(per_cent $(($(of_children) - proxy))) % of a core"
echo "file: $((($(bytes) - size) * 1440 / minutes / 1000)) kB a day at this pace, without key frames beyond those in this time"
kill -INT "$recorder"; wait "$recorder" || true
tail -3 "$folder/out"

[ "$nodes" -le 1000 ] || { echo "no aim is set for these figures"; exit 0; }
is_held() { # what, figure, limit, unit
  awk -v what="$1" -v figure="$2" -v limit="$3" -v unit="$4" 'BEGIN {
    held = figure ~ /^[0-9]+([.][0-9]+)?$/ && figure + 0 <= limit
    printf "%s recorder %s: %s %s, the aim is at most %s %s (%.0f %%)\n", held ? "held   " : "MISSED ", what, figure, unit,
      limit, unit, 100 * figure / limit
    exit !held }'
}
missed=0
is_held core "$core" 2 "%" || missed=1
is_held memory "$memory" 150 MB || missed=1
exit "$missed"
