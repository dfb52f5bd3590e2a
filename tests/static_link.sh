#!/usr/bin/env bash
# A static binary must not call what loads shared libraries at run time: names of users and hosts (NSS), dlopen, iconv. The
# linker warns of most of these, and the build of packages fails on that; this asks the objects of any build, so that a
# change which brings such a call fails in the tests already.
#
# usage: static_link.sh COMPILER OBJECT-OR-ARCHIVE...
set -euo pipefail

compiler=$1
shift
libc=$("$compiler" -print-file-name=libc.a)
[ -f "$libc" ] || { printf 'static_link: there is no libc.a: install libc6-dev\n' >&2; exit 1; }

# The C library marks them itself; it has no mark for iconv, which loads its tables.
forbidden=$(mktemp)
trap 'rm -f "$forbidden"' EXIT
{
  objdump -h "$libc" 2>/dev/null | sed -n 's/.*[.]gnu[.]warning[.]\([A-Za-z0-9_]*\).*/\1/p'
  printf '%s\n' iconv_open dlsym
} | sort -u >"$forbidden"
grep -qx getaddrinfo "$forbidden" || { printf 'static_link: the marks of libc.a were not understood\n' >&2; exit 1; }

called=$(nm -u "$@" 2>/dev/null | awk '{ print $2 }' | sort -u)
[ "$(wc -l <<<"$called")" -gt 100 ] || { printf 'static_link: no symbols were read\n' >&2; exit 1; }
if found=$(comm -12 "$forbidden" - <<<"$called") && [ -n "$found" ]; then
  printf 'static_link: a static binary cannot call: %s\n' "$(tr '\n' ' ' <<<"$found")" >&2
  nm -uA "$@" 2>/dev/null | grep -wF "$found" | head >&2
  exit 1
fi
printf 'static_link: none of %d calls is among the %d that a static binary cannot make\n' "$(wc -l <<<"$called")" \
  "$(wc -l <"$forbidden")"
