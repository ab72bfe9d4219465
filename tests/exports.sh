#!/usr/bin/env bash
# Shows files of all frames to programs that are not ours, and measures them beside the files of others.
#
#     tests/exports.sh target/release/render-frames [--judge]
#
# Judges are Pillow, webpinfo, pngcheck, gifsicle, psd-tools and ImageMagick; other programs are ffmpeg, apngasm and img2webp. One
# that is missing is skipped with a line. With --judge nothing is measured, and a missing judge is an error.
set -uo pipefail
program=$(realpath "$1")
mode=${2:-}
runs=3
[ "$mode" = --judge ] && runs=1
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
skipped=0 failed=0

has() {
    if command -v "$1" > /dev/null; then return 0; fi
    printf 'SKIPPED: %s is not installed\n' "$1"
    skipped=$((skipped + 1))
    return 1
}
fail() {
    printf 'FAILED: %s\n' "$*"
    failed=$((failed + 1))
}
# The processor time of a command in seconds, the least of some runs: it depends less on other work on the machine
# than the time that passes.
timed() {
    local best=999 TIMEFORMAT='%U %S'
    for ((run = 0; run < runs; run++)); do
        { time "$@" > /dev/null 2> "$work/errors"; } 2> "$work/time" || { cat "$work/errors"; fail "$*"; return; }
        best=$(awk "{ t = \$1 + \$2; print t < $best ? t : $best }" "$work/time")
    done
    printf '%s' "$best"
}
row() { printf '%-28s %9s bytes %8.2f s %s\n' "$1" "$(stat -c %s "$2" 2> /dev/null || echo -)" "$3" "${4:-}"; }

walk=("$program" "$root/examples/walk/rig.ron" --clip walk --scale 0.5 --background white -q)
clear=("$program" "$root/examples/walk/rig.ron" --clip walk --scale 0.3 -q)
frames=$(timed "${walk[@]}" -o png/)
printf '%-28s %9s bytes %8.2f s\n' 'PNG frames' "$(cat png/*.png | wc -c)" "$frames"
"${walk[@]}" -o - --format rgba > walk.rgba
for kind in gif apng webp; do
    took=$(timed "${walk[@]}" -o "walk.$kind")
    row "ours: $kind" "walk.$kind" "$took" "$(awk "BEGIN { printf \"%.1f times the PNG frames\", $took / $frames }")"
done
"${walk[@]}" -o dithered.gif --dither ordered
for rig in first-bone face; do
    "$program" "$root/examples/$rig/rig.ron" -q --scale 0.4 -o "$rig.gif"
    "$program" "$root/examples/$rig/rig.ron" -q --scale 0.4 -o "$rig.apng"
    "$program" "$root/examples/$rig/rig.ron" -q --scale 0.4 -o "$rig.webp"
    "$program" "$root/examples/$rig/rig.ron" -q --scale 0.4 -o - --format rgba > "$rig.rgba"
done

has webpinfo && for file in *.webp; do webpinfo -quiet "$file" > webpinfo.txt || { cat webpinfo.txt; fail "webpinfo $file"; }; done
has pngcheck && for file in *.apng; do pngcheck -q "$file" || fail "pngcheck $file"; done
has gifsicle && for file in *.gif; do gifsicle --no-warnings "$file" -o /dev/null || fail "gifsicle $file"; done
if python3 -c 'import PIL' 2> /dev/null; then
    python3 "$root/tests/exports.py" walk.rgba walk.gif walk.apng walk.webp dithered.gif || fail Pillow
    for rig in first-bone face; do
        python3 "$root/tests/exports.py" "$rig.rgba" "$rig.gif" "$rig.apng" "$rig.webp" || fail "Pillow: $rig"
    done
else
    printf 'SKIPPED: Pillow is not installed\n'
    skipped=$((skipped + 1))
fi

if ! has convert; then
    :
elif python3 -c 'import numpy, psd_tools' 2> /dev/null; then
    python3 "$root/tests/judges/layers.py" "$program" "$root"/examples/*/rig.ron || fail layers
else
    printf 'SKIPPED: psd-tools is not installed\n'
    skipped=$((skipped + 1))
fi

rivals() {
    [ "$mode" != --judge ] && has "$1"
}
if rivals ffmpeg; then
    input=(-v error -y -framerate 24 -i png/frame_%04d.png)
    took=$(timed ffmpeg "${input[@]}" -vf 'split[a][b];[a]palettegen[p];[b][p]paletteuse=dither=none' rival.gif)
    row 'ffmpeg: palettegen' rival.gif "$took"
    took=$(timed ffmpeg "${input[@]}" -plays 0 -f apng rival.apng)
    row 'ffmpeg: apng' rival.apng "$took"
    python3 "$root/tests/exports.py" walk.rgba rival.gif 2> /dev/null
fi
if rivals apngasm; then
    took=$(timed apngasm rival-asm.png png/frame_0000.png 1 24 -z1)
    row 'apngasm -z1' rival-asm.png "$took"
fi
if rivals img2webp; then
    took=$(timed img2webp -lossless -d 42 png/*.png -o rival.webp)
    row 'img2webp -lossless' rival.webp "$took"
fi
printf '%d passed, %d failed, %d skipped\n' "$([ "$failed" -eq 0 ] && echo 1 || echo 0)" "$failed" "$skipped"
[ "$failed" -eq 0 ] && { [ "$mode" != --judge ] || [ "$skipped" -eq 0 ]; }
