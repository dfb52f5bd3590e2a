#!/usr/bin/env bash
# Runs the tests of a real Slurm against another release than this machine's.
#
#   tests/slurm_suite.sh SUITE [FILTER]
#
# SUITE is a Debian suite: trixie has Slurm 24.11, sid the newest. Its Slurm is installed once by debootstrap into
# build/slurm-SUITE (about 400 MB); the tests then find wrappers of its programs first in PATH. FILTER is one of
# GoogleTest (all that reads and changes unless given). Needs root, debootstrap, setcap and the debug build of
# ./bootstrap test. Changes nothing outside build/: mounts are made in a namespace that ends with the tests.
set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
suite=${1:?usage: tests/slurm_suite.sh SUITE [FILTER]}
filter=${2:-SlurmPicture.*:SlurmChange.*:SlurmEdits.*:SlurmUnreadFiles.*:SlurmForgotten.*:SlurmProcesses.*}
root=$top/build/slurm-$suite
wrappers=$top/build/slurm-$suite.path
program=${TESSERA_TEST_E2E:-$top/build/debug/tests/test_e2e}

for tool in debootstrap setcap unshare; do
  PATH=$PATH:/usr/sbin command -v "$tool" >/dev/null || { echo "$0: $tool is missing: apt-get install debootstrap libcap2-bin" >&2; exit 2; }
done
[ -x "$program" ] || { echo "$0: $program is missing: run ./bootstrap test first" >&2; exit 2; }

# A machine may have no sources.list, or nothing else.
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
  sed -n 's/^URIs: *\([^ ]*\).*/\1/p; s/^deb \(\[[^]]*\] \)\?\([^ ]*\) .*/\2/p' | head -n 1 || true)
if [ ! -e "$root/.installed" ] || [ ! -e "$root/usr/sbin/slurmdbd" ]; then
  rm -rf "$root"
  debootstrap --variant=minbase --include=slurmctld,slurmd,slurm-client,munge,slurmdbd "$suite" "$root" ${mirror:+"$mirror"}
  touch "$root/.installed"
fi

# chroot keeps the caller's user, so that jobs of others can be submitted: only this copy of it may be used by them.
mkdir -p "$wrappers"
cp /usr/sbin/chroot "$wrappers/.chroot"
setcap cap_sys_chroot+ep "$wrappers/.chroot"
for name in scontrol squeue sinfo sbatch srun scancel salloc sacct sacctmgr sprio sdiag slurmctld slurmd slurmdbd munged; do
  real=/usr/bin/$name
  [ -e "$root$real" ] || [ -L "$root$real" ] || real=/usr/sbin/$name  # links of Debian's alternatives lead nowhere here
  cat >"$wrappers/$name" <<END
#!/bin/bash
here=\$PWD
[ -d "$root\$here" ] || here=/
PATH=/usr/sbin:/usr/bin:/sbin:/bin exec $wrappers/.chroot $root /usr/bin/env -C "\$here" $real "\$@"
END
  chmod +x "$wrappers/$name"
done

echo "Slurm of $suite: $(chroot "$root" /usr/sbin/slurmctld -V)"
exec unshare -m --propagation private bash -c '
  for folder in tmp proc sys dev run; do mount --rbind "/$folder" "$0/$folder"; done
  cp /etc/hosts /etc/hostname "$0/etc/"
  PATH=$1:$PATH exec "$2" --gtest_filter="$3"' "$root" "$wrappers" "$program" "$filter"
