#!/bin/bash
# The baseline of bench/slurmconf.cpp's fold and unfold: scontrol on the same names, median of 5 runs. It needs no
# running cluster. The start of scontrol is in it, and measured by a list of one name.
set -eu
command -v scontrol >/dev/null || { echo "hostlist.sh: no scontrol, no baseline"; exit 0; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
TESSERA_WRITE=$folder "$(dirname "$TESSERA_BINARY")/bench/bench_slurmconf"
export SLURM_CONF=$folder/slurm.conf
unset SLURM_CLUSTERS

median() { # command...
  for _ in 1 2 3 4 5; do
    begin=$(date +%s%N)
    "$@" >"$folder/out"
    echo $(((($(date +%s%N) - begin)) / 1000))
  done | sort -n | sed -n 3p
}
echo "scontrol show hostlist, 1 name: $(median scontrol show hostlist n1) us"
for names in all gaps; do
  echo "scontrol show hostlist, 100,000 names, $names: $(median scontrol show hostlist "$folder/$names.txt") us"
done
# Slurm takes no more than 65,536 hosts in one range.
hosts='gpu[000000-049999],gpu[050000-099999]'
echo "scontrol show hostnames, 100,000 names, folded: $(median scontrol show hostnames "$hosts") us"
