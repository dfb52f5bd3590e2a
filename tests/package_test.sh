#!/usr/bin/env bash
# Installs, runs and removes the packages in a small Debian with an older C library, as an account that no file
# knows. ./bootstrap package-test calls it. Needs root: it uses chroot.
#
# usage: package_test.sh PACKAGES SUITE SCRATCH
set -euo pipefail

packages=$(realpath "$1") suite=$2 scratch=$(realpath "$3")
base=$scratch/root-$suite
root=$scratch/root-$suite-now

fail() {
  printf 'package_test: failed: %s\n' "$1" >&2
  exit 1
}

[ "$(id -u)" = 0 ] || fail "only root may chroot"

mirror() { apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | grep -v security | sort -u | head -n 1; }

if [ ! -d "$base" ]; then
  debootstrap --variant=minbase "$suite" "$base.new" "$(mirror)" >"$scratch/debootstrap.log" 2>&1 ||
    fail "debootstrap of $suite (see $scratch/debootstrap.log)"
  mv "$base.new" "$base"
fi
rm -rf "$root"
cp -a "$base" "$root"
trap 'rm -rf "$root"' EXIT

inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LANG=C.UTF-8 TERM=xterm-256color "$@"; }
# An account that /etc/passwd does not know, where nsswitch.conf names a module that is not there.
as_nobody_we_know() {
  chroot --userspec=70001:70001 "$root" /usr/bin/env -i PATH=/usr/bin:/bin HOME=/tmp LANG=C.UTF-8 TERM=xterm-256color "$@"
}
sed -i 's/^passwd:.*/passwd: sss files/' "$root/etc/nsswitch.conf"

# Everything but what dpkg itself keeps: kind, rights, owner, target of links, and the bytes of files.
everything() {  # folder
  (cd "$1" && find . -xdev \( -path ./var/lib/dpkg -o -path ./var/log -o -path ./tmp \) -prune -o -print0 |
    xargs -0 stat -c '%n %F %a %u:%g %N' -- && find . -xdev \( -path ./var/lib/dpkg -o -path ./var/log -o -path ./tmp \) -prune \
    -o -type f -print0 | xargs -0 sha256sum --) | sort
}

# The console of a command on a terminal of 100 by 30: prints all that it drew. It is left with q once it has drawn.
console() {
  (sleep 4; printf q; sleep 2) | script -qec "stty cols 100 rows 30; chroot --userspec=70001:70001 $root /usr/bin/env -i \
    PATH=/usr/bin:/bin HOME=/tmp LANG=en_US.UTF-8 TERM=xterm-256color $*" /dev/null
}
draws() {  # what, command...: a frame in UTF-8 with colours
  local what=$1 drawn
  shift
  drawn=$(console "$@")
  case $drawn in *tessera*─*) ;; *) fail "$what: the console draws no UTF-8" ;; esac
  case $drawn in *$'\e['*'38;5;'*) ;; *) fail "$what: the console has no 256 colours" ;; esac
}

# A package with a lower version and other settings, as an earlier release would have been.
pack_earlier() {  # deb, result
  local unpacked=$scratch/earlier
  rm -rf "$unpacked"
  dpkg-deb -R "$1" "$unpacked"
  sed -i 's/^Version:.*/Version: 0.0.1/' "$unpacked/DEBIAN/control"
  printf '# of an earlier release\n' >"$unpacked/etc/tessera/config.yaml"
  dpkg-deb --root-owner-group -b "$unpacked" "$2" >/dev/null
  rm -rf "$unpacked"
}
installs() { inside dpkg --force-confdef --force-confold -i "$1" </dev/null || fail "dpkg -i $1"; }
settings=$root/etc/tessera/config.yaml

# The deb installs and answers.
everything "$root" >"$scratch/before.list"
cp "$packages"/*_amd64.deb "$root/tmp/tessera.deb"
pack_earlier "$root/tmp/tessera.deb" "$root/tmp/earlier.deb"
inside dpkg -i /tmp/tessera.deb || fail "dpkg -i"
as_nobody_we_know tessera --version | grep -q ', static)$' || fail "tessera --version does not say static"
as_nobody_we_know tessera nodes --sim -o json >"$scratch/nodes.json" || fail "tessera nodes --sim"
grep -q '"h100-03"' "$scratch/nodes.json" || fail "tessera nodes --sim does not list h100-03"
as_nobody_we_know tessera guide --compare >/dev/null || fail "tessera guide"
as_nobody_we_know tessera doctor --sim >/dev/null || [ $? = 1 ] || fail "tessera doctor --sim"
as_nobody_we_know tessera doctor --self >/dev/null || fail "tessera doctor --self"
as_nobody_we_know tessera about -o json | grep -q '"linkage": *"static"' || fail "tessera about does not say static"
as_nobody_we_know tessera-sim scenarios | grep -q '^demo$' || fail "tessera-sim scenarios"
for file in man/man1/tessera.1 man/man1/tessera-plan.1 man/man1/tessera-sim.1 man/man5/tessera-config.5 \
  bash-completion/completions/tessera zsh/site-functions/_tessera fish/vendor_completions.d/tessera.fish \
  doc/tessera/LICENSE doc/tessera/docs/README.md doc/tessera/docs/pictures/overview-120.svg; do
  [ -s "$root/usr/share/$file" ] || [ -s "$root/usr/share/$file.gz" ] || fail "the deb has no $file"
done
grep -q '^ExecStart=/usr/bin/tessera record' "$root/usr/lib/systemd/system/tessera-record.service" ||
  fail "the deb has no unit of the recorder"
grep -q '^ExecStart=/usr/bin/tessera fleet run' "$root/usr/lib/systemd/system/tessera-fleet.service" ||
  fail "the deb has no unit of the fleet"
grep -q '^OnCalendar=' "$root/usr/lib/systemd/system/tessera-fleet.timer" || fail "the deb has no timer of the fleet"
grep -q '^\[Timer\]' "$root/usr/lib/systemd/system/tessera-fleet.service" && fail "the fleet's service holds its timer"
while read -r library _; do
  [ -s "$root/usr/share/doc/tessera/licences/$library" ] || fail "the deb has no licence of $library"
done <"$scratch/static/linked_in"
draws "simulator" tessera --sim

# An upgrade brings new settings where the admin has changed none, and leaves the file alone where there is an edit.
inside dpkg -s tessera | grep ' /etc/tessera/config.yaml' >/dev/null || fail "/etc/tessera/config.yaml is no conffile"
inside dpkg --purge tessera || fail "dpkg --purge"
installs /tmp/earlier.deb
installs /tmp/tessera.deb
grep -q '^# of an earlier release$' "$settings" && fail "the upgrade left the settings of the earlier release"
inside dpkg --purge tessera || fail "dpkg --purge"
installs /tmp/earlier.deb
echo 'theme: mono' >>"$settings"
installs /tmp/tessera.deb
grep -q '^theme: mono$' "$settings" || fail "the upgrade replaced an edited configuration"
as_nobody_we_know tessera config print | grep -q 'mono' || fail "the edited configuration does not count"
# Removal leaves the settings and nothing else; a purge leaves nothing.
inside dpkg --remove tessera || fail "dpkg --remove"
grep -q '^theme: mono$' "$settings" || fail "removal took the edited configuration away"
left=$(cd "$root" && find . -xdev -path ./var/lib/dpkg -prune -o -path ./tmp -prune -o -path '*tessera*' -type f -print | grep -v '^./etc/tessera/') &&
  fail "removal left $left"
installs /tmp/tessera.deb
rm "$root"/tmp/*.deb
inside dpkg --purge tessera || fail "dpkg --purge"
everything "$root" >"$scratch/after.list"
diff "$scratch/before.list" "$scratch/after.list" || fail "dpkg --purge left or changed what is named above"
compgen -G "$root/var/lib/dpkg/info/tessera.*" && fail "dpkg still knows tessera"

# The tarball holds the same binary. From here on the host has neither terminals nor locales.
mkdir "$root/tmp/tarball"
tar -xzf "$packages"/*-x86_64.tar.gz -C "$root/tmp/tarball" --strip-components=1
binary=/$(cd "$root" && find tmp/tarball -name tessera -path '*bin*' -type f | head -n 1)
[ -x "$root$binary" ] || fail "the tarball has no bin/tessera"
if grep -aqF "$(dirname "$scratch")" "$root$binary" "$root$binary-sim"; then fail "the binary names the folder that it was built in"; fi
if ldd "$root$binary" >/dev/null 2>&1; then fail "the binary asks for shared libraries"; fi
rm -rf "$root"/lib/terminfo "$root"/usr/share/terminfo "$root"/etc/terminfo "$root"/usr/lib/locale
as_nobody_we_know "$binary" slices --sim -o csv >/dev/null || fail "the binary of the tarball"
draws "no terminals, no locales" "$binary" --sim

# krew would find what its manifest names.
grep -q "sha256: $(sha256sum "$packages"/*-x86_64.tar.gz | cut -d ' ' -f 1)$" "$packages/tessera.yaml" || fail "krew's manifest: sha256"
for file in usr/bin/tessera usr/share/doc/tessera/LICENSE; do
  [ -s "$root/tmp/tarball/$file" ] || fail "krew's manifest names $file, which the tarball lacks"
done

# A container from scratch: one file and nothing else.
mkdir "$root/tmp/empty"
cp "$root$binary" "$root/tmp/empty/tessera"
env -i TERM=xterm-256color /usr/sbin/chroot --userspec=70001:70001 "$root/tmp/empty" /tessera nodes --sim -o json >"$scratch/empty.json" ||
  fail "a root of one file: nodes --sim"
cmp "$scratch/nodes.json" "$scratch/empty.json" >/dev/null || grep -q '"h100-03"' "$scratch/empty.json" ||
  fail "a root of one file: another answer"

# Slurm's commands, as a real 22.05 answered them.
mkdir "$root/tmp/slurm"
cp "$(dirname "$0")"/fixtures/slurm-22.05/*.txt "$root/tmp/slurm"
cat >"$root/usr/bin/scontrol" <<'TEXT'
#!/bin/sh
for last; do :; done
[ -f "/tmp/slurm/$last.txt" ] && exec cat "/tmp/slurm/$last.txt"
exit 1
TEXT
chmod 755 "$root/usr/bin/scontrol"
printf 'ClusterName=recorded\nAuthType=auth/none\n' >"$root/tmp/slurm/slurm.conf"
as_nobody_we_know "$binary" nodes --slurm-conf /tmp/slurm/slurm.conf -o json >"$scratch/slurm.json" ||
  [ $? = 3 ] || fail "nodes of recorded Slurm commands"
grep -q '"slurm"' "$scratch/slurm.json" || fail "recorded Slurm commands: no node was read"
draws "recorded Slurm commands" "$binary" --slurm-conf /tmp/slurm/slurm.conf

# Kubernetes: the API server of tessera-sim, through the kubectl of this machine where that needs no library.
kubectl=$(readlink -f "$(command -v kubectl)" || true)
if [ -n "$kubectl" ] && ! ldd "$kubectl" >/dev/null 2>&1; then
  cp "$kubectl" "$root/usr/bin/kubectl"
  as_nobody_we_know "${binary}-sim" serve --kubernetes --kubeconfig-out /tmp/kubeconfig >"$scratch/serve.log" 2>&1 &
  server=$!
  trap 'kill $server 2>/dev/null || true; rm -rf "$root"' EXIT
  for _ in $(seq 100); do [ -s "$root/tmp/kubeconfig" ] && break; sleep 0.1; done
  as_nobody_we_know "$binary" nodes --kubeconfig /tmp/kubeconfig -o json >"$scratch/kube.json" || fail "nodes of a served cluster"
  grep -q '"kubernetes"' "$scratch/kube.json" || fail "a served cluster: no node was read"
  draws "served cluster" "$binary" --kubeconfig /tmp/kubeconfig
  ln -s "$binary" "$root/usr/bin/kubectl-tessera"
  as_nobody_we_know kubectl tessera nodes --kubeconfig /tmp/kubeconfig -o json >"$scratch/plugin.json" || fail "kubectl tessera"
  grep -q '"kubernetes"' "$scratch/plugin.json" || fail "kubectl tessera: no node was read"
  as_nobody_we_know kubectl tessera --help | grep -q '^usage: kubectl tessera' || fail "kubectl tessera calls itself otherwise"
  kill "$server"
  wait "$server" || true
  trap 'rm -rf "$root"' EXIT
else
  printf 'package_test: kubectl of this machine needs shared libraries: the served cluster is left out\n' >&2
fi

# The rpm names no library; it installs, keeps an edited configuration, and leaves that alone.
if command -v rpm >/dev/null; then
  if rpm -qpR "$packages"/*.x86_64.rpm | grep -v '^rpmlib('; then fail "the rpm requires what is named above"; fi
  # A folder of the system's in two packages is a conflict where their rights differ.
  if rpm -qpl "$packages"/*.x86_64.rpm | grep -xE '/usr/share/(man|bash-completion|zsh|fish)(/[^/]*)?'; then
    fail "the rpm owns the folders named above"
  fi
  rpms=$scratch/root-rpm
  rm -rf "$rpms"
  mkdir -p "$rpms"
  rpm_in() { rpm --root "$rpms" --force-debian "$@"; }
  rpm_in -i "$packages"/*.x86_64.rpm || fail "rpm -i"
  rpm_in -V tessera || fail "rpm -V: files differ from the package"
  echo 'theme: mono' >>"$rpms/etc/tessera/config.yaml"
  rpm_in -U --replacepkgs "$packages"/*.x86_64.rpm || fail "rpm -U"
  grep -q '^theme: mono$' "$rpms/etc/tessera/config.yaml" || fail "rpm -U replaced an edited configuration"
  chroot --userspec=70001:70001 "$rpms" /usr/bin/tessera nodes --sim >/dev/null || fail "the binary of the rpm"
  rpm_in -e tessera || fail "rpm -e"
  left=$(cd "$rpms" && find . \( -path ./var/lib/rpm -o -path '*/.rpmdb' \) -prune -o -type f -print)
  [ "$left" = ./etc/tessera/config.yaml.rpmsave ] || fail "rpm -e left: $left"
  rm -rf "$rpms"
fi

printf 'package_test: all of it passed in %s\n' "$suite"
