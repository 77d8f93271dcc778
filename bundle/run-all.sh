#!/usr/bin/env bash
# Runs everything in this folder on this machine's GPU, and writes each report into one folder: `./run-all.sh [FOLDER] [SEED]`, reports and 1 if
# they are not named. With SOAK=1 the soak runs too (WARPWAVE_SOAK_MINUTES, 8).
#
# Ends with 1 if anything failed.
cd "$(dirname "$0")" || exit 1
out=$(mkdir -p "${1:-reports}" && cd "${1:-reports}" && pwd) || exit 1
seed=${2:-1}
failed=0

# The name of a report, and what makes it.
report() {
    local name=$1 start=$SECONDS
    shift
    "$@" >"$out/$name.txt" 2>&1
    local status=$?
    echo "$name: exit $status, $((SECONDS - start)) s"
    [ "$status" -eq 0 ] || failed=1
}

./check.sh || exit 1
report info ./warpwave info
report gpu-tests env WARPWAVE_REQUIRE=cuda ./gpu-tests
report conformance-cuda ./warpwave conformance --device cuda:0 --level full --seed "$seed" --json "$out/conformance-cuda.json"
report conformance-cpu ./warpwave conformance --device cpu --level full --seed "$seed" --json "$out/conformance-cpu.json"
mkdir -p "$out/examples"
for example in examples/*; do
    name=$(basename "$example")
    # Where a picture may be written.
    report "examples/$name" env -C "$out/examples" "$PWD/$example"
done
report bench ./gpu-bench --json "$out/bench.json"
if [ -n "${SOAK:-}" ]; then report soak ./gpu-tests --ignored soak --nocapture; fi
exit "$failed"
