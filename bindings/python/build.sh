#!/usr/bin/env bash
# Builds the Python packages, the wheel and that of the sources, with the licences of what is in them.
#
#     bindings/python/build.sh OUT [options of maturin, like --release]
set -euo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
shift
cd "$(dirname "$0")"
root=../..
case " $* " in *' --release '*) . ../remap.sh ;; esac
python3 ../notices.py Cargo.toml THIRD-PARTY.txt --filter-platform "$(rustc -vV | sed -n 's/^host: //p')"
rm -f "$out"/bone_layer-*
"${MATURIN:-maturin}" sdist --out "$out"
"${MATURIN:-maturin}" build --locked --out "$out" "$@"
