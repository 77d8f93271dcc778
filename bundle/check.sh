#!/usr/bin/env bash
# One line: whether this machine can run what is in this folder, and what is missing.
cd "$(dirname "$0")" || exit 1
if ! why=$(./warpwave info 2>&1 >/dev/null); then
    echo "missing: a Linux that runs these programs ($why)"
    exit 1
fi
missing=$(./warpwave info | sed -n '/^cuda: not there/,/^[a-z]/{/^hip/d;p}' | tr -s ' \n' ' ')
if [ -n "$missing" ]; then
    echo "missing: $missing"
    exit 1
fi
echo "ready: $(./warpwave info | sed -n 's/^\(cuda:[0-9]*: .*\)/\1/p' | paste -sd, -)"
