#!/bin/bash
# bench/record.cpp at 10,000 nodes, four hours of a day: a size that is to be usable, with aims of its own (docs/time.md).
set -eu
: "${TESSERA_BINARY:?names the tessera beside which the benches are built}"
program=$(dirname "$TESSERA_BINARY")/bench/bench_record
[ -x "$program" ] || { echo "record_large.sh: $program is not built"; exit 1; }
TESSERA_BENCH_NODES=10000 TESSERA_BENCH_ROUNDS=240 exec "$program"
