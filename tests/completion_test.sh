#!/usr/bin/env bash
# The completions of tessera in their own shells: each line below is typed, and each shell must offer the word behind it.
# ./bootstrap package-test calls it.
#
# usage: completion_test.sh TESSERA
set -euo pipefail

tessera=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for shell in bash zsh fish; do "$tessera" completion "$shell" >"$work/$shell"; done
mkdir "$work/bin" "$work/functions" "$work/home"
ln -s "$(readlink -f "$tessera")" "$work/bin/tessera"
mv "$work/zsh" "$work/functions/_tessera"
touch "$work/home/a-file.yaml"
# Journals of two runs, one of them of a simulated world. They are found by their names: no cluster is asked.
export XDG_STATE_HOME=$work/state
unset TESSERA_RUNS
mkdir -p "$XDG_STATE_HOME/tessera/runs" "$XDG_STATE_HOME/tessera/simulated-runs"
touch "$XDG_STATE_HOME/tessera/runs/20261121-1403-n0031.journal" \
  "$XDG_STATE_HOME/tessera/runs/\$(touch made).journal" \
  "$XDG_STATE_HOME/tessera/simulated-runs/20261122-0900-h1.journal"

# What the last listings told of a real cluster and of a simulated one; a name that is none is never offered.
export XDG_CACHE_HOME=$work/cache
mkdir -p "$XDG_CACHE_HOME/tessera/names" "$XDG_CACHE_HOME/tessera/simulated-names"
printf 'n0031\nm0032\n$(touch made)\n' >"$XDG_CACHE_HOME/tessera/names/hpc.nodes"
printf 'gpu-a.example\n' >"$XDG_CACHE_HOME/tessera/names/prod.nodes"
printf 'alice\nbob\n' >"$XDG_CACHE_HOME/tessera/names/hpc.users"
printf 'h100-03\n' >"$XDG_CACHE_HOME/tessera/simulated-names/demo.nodes"

# What is typed, and what it becomes.
cases='work|workloads
nodes --outp|--output
nodes --output=ya|yaml
nodes -o js|json
layouts A100-40|A100-40GB
guide --product H200-14|H200-141GB
completion fi|fish
--sim=bro|broken
--theme=mo|mono
plan --pre|--preset
doctor --se|--self
config exa|example
nodes --columns heal|health
nodes --columns node,heal|node,health
gpus --columns=tempe|temperature
slices --sort prof|profile
workloads -s use|user
plan --preset all-bal|all-balanced
plan --preset=all-1g.10gb.m|all-1g.10gb.me
undo 20|20261121-1403-n0031
journal 20|20261121-1403-n0031
resume --sim 20|20261122-0900-h1
plan --node n00|n0031
plan -n m00|m0032
plan --node n0031,m00|n0031,m0032
plan --node=gpu|gpu-a.example
plan --sim --node h1|h100-03
node drain n00|n0031
node restart-plugin gpu|gpu-a.example
fleet explain m00|m0032
fleet exp|explain
slices --filter user=al|alice
workloads -f node=n00|n0031'

# The line as bash hands it over: its words are split at = as well.
bash_offers() {  # line
  bash --norc -c '
    source "$1"
    words=${2//=/ = }
    read -ra COMP_WORDS <<<"$words"
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$2 COMP_POINT=${#2} COMP_TYPE=9
    compopt() { :; }
    _tessera
    printf "%s\n" "${COMPREPLY[@]}"' bash "$work/bash" "$1"
}

fish_offers() {  # line
  HOME=$work/home fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$work/fish" "$1" | cut -f 1
}

# zsh completes in an editor only: one in a pseudo-terminal, with a key that prints what the line has become.
zsh_offers() {  # line
  (cd "$work/home" && HOME=$work/home WORK=$work LINE_TYPED=$1 PATH=$work/bin:$PATH zsh -f -c '
    zmodload zsh/zpty
    zpty editor "WORK=$WORK zsh -f -i"
    zpty -w editor "PS1= ; fpath=($WORK/functions \$fpath); autoload -Uz compinit; compinit -u -d $WORK/dump"
    zpty -w editor "tell() { print -r -- \"[[line:\$BUFFER]]\" }; zle -N tell; bindkey \"^X\" tell; print rea\"\"dy"
    zpty -r -m editor got "*ready*"
    zpty -w -n editor "$LINE_TYPED"$'"'\\t\\x18'"'
    zpty -r -m editor got "*\[\[line:*\]\]*"
    got=${got##*\[\[line:} ; print -r -- ${got%%\]\]*}
    zpty -d editor')
}

failures=0
checked=0
while IFS='|' read -r typed wanted; do
  for shell in bash zsh fish; do
    offered=$("${shell}_offers" "tessera $typed" </dev/null)
    checked=$((checked + 1))
    if ! grep -qE -- "(^|[ =])$wanted" <<<"$offered"; then
      printf 'completion_test: %s: "tessera %s" does not offer %s, but: %s\n' "$shell" "$typed" "$wanted" \
        "$(head -n 5 <<<"$offered" | tr '\n' ' ')" >&2
      failures=$((failures + 1))
    fi
  done
done <<<"$cases"
[ -z "$(find "$work" -name made)" ] || { echo 'completion_test: a name was run as a command' >&2; failures=1; }
[ "$failures" = 0 ] || exit 1
printf 'completion_test: %d lines completed by bash, zsh and fish\n' "$checked"
