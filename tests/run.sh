#!/usr/bin/env bash
# Builds Stele and runs its tests: bash tests/run.sh [--long] [--preset NAME] [ctest's arguments]
#   --long     the long forms, and the fuzzers a minute each, under the address and undefined-behaviour sanitizers
#   --preset   a preset of CMakePresets.json (default release; with --long asan)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=
while [ $# -gt 0 ]; do
  case $1 in
    --long) export STELE_LONG=1; preset=${preset:-asan}; shift ;;
    --preset) preset=$2; shift 2 ;;
    *) break ;;
  esac
done
preset=${preset:-release}

bash app/install.sh
cmake --preset "$preset" --log-level=WARNING
cmake --build --preset "$preset" --parallel "$(nproc)"

status=0
ctest --preset "$preset" --parallel "$(nproc)" --no-tests=error "$@" || status=$?
skipped=$(grep -h '^SKIPPED ' "build/$preset/Testing/Temporary/LastTest.log" | sort -u || true)
[ -z "$skipped" ] || printf '\nNot run here:\n%s\n' "$skipped"
exit "$status"
