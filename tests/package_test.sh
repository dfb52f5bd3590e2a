#!/usr/bin/env bash
# Installs, runs and removes the packages in a small Debian with an older C library, as an account that no file
# knows. ./bootstrap package-test calls it. Needs root: it uses chroot.
#
# usage: package_test.sh PACKAGES SUITE SCRATCH
set -euo pipefail

packages=$1 suite=$2 scratch=$3
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

everything() { (cd "$root" && find . -xdev -path ./var/lib/dpkg -prune -o -path ./var/log -prune -o -print | sort); }

# The deb installs, answers, and leaves nothing behind.
everything >"$scratch/before.list"
cp "$packages"/*.deb "$root/tmp/tessera.deb"
inside dpkg -i /tmp/tessera.deb || fail "dpkg -i"
rm "$root/tmp/tessera.deb"
as_nobody_we_know tessera --version || fail "tessera --version"
as_nobody_we_know tessera nodes --sim -o json >"$scratch/nodes.json" || fail "tessera nodes --sim"
grep -q '"h100-03"' "$scratch/nodes.json" || fail "tessera nodes --sim does not list h100-03"
as_nobody_we_know tessera guide --compare >/dev/null || fail "tessera guide"
as_nobody_we_know tessera doctor --sim >/dev/null || [ $? = 1 ] || fail "tessera doctor --sim"
as_nobody_we_know tessera-sim scenarios | grep -q '^demo$' || fail "tessera-sim scenarios"
inside dpkg --purge tessera || fail "dpkg --purge"
everything >"$scratch/after.list"
diff "$scratch/before.list" "$scratch/after.list" || fail "dpkg --purge left something behind"

# The tarball holds the same binary.
mkdir "$root/tmp/tarball"
tar -xzf "$packages"/*.tar.gz -C "$root/tmp/tarball" --strip-components=1
[ -x "$root/tmp/tarball/bin/tessera" ] || [ -x "$root/tmp/tarball/usr/bin/tessera" ] || fail "the tarball has no bin/tessera"
binary=$(cd "$root" && find tmp/tarball -name tessera -path '*bin*' | head -n 1)
as_nobody_we_know "/$binary" slices --sim -o csv >/dev/null || fail "the binary of the tarball"
if ldd "$root/$binary" >/dev/null 2>&1; then fail "the binary asks for shared libraries"; fi

# The rpm names no library.
if command -v rpm >/dev/null; then
  if rpm -qpR "$packages"/*.rpm | grep -v '^rpmlib('; then fail "the rpm requires what is named above"; fi
fi
printf 'package_test: all of it passed in %s\n' "$suite"
