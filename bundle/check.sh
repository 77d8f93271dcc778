#!/usr/bin/env bash
# One line: whether this machine can run what is in this folder, and what is missing.
cd "$(dirname "$0")" || exit 1
if ! said=$(./warpwave info 2>&1); then
    echo "missing: a Linux that runs these programs ($said)"
    exit 1
fi
devices=$(sed -n 's/^\(cuda:[0-9]*: .*\)/\1/p' <<<"$said" | paste -sd, -)
if [ -z "$devices" ]; then
    echo "missing: $(sed -n '/^cuda: not there/,/^[a-z]/{/^hip/d;p}' <<<"$said" | tr -s ' \n' ' ')"
    exit 1
fi
echo "ready: $devices"
