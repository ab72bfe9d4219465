#!/usr/bin/env bash
# Installs the players that judge files: Chromium, lottie-web, Skottie, ThorVG, rlottie, the schema of Lottie, Phaser 3 and 4
# and PixiJS.
#
#     tests/judges/install.sh FOLDER
set -euo pipefail
folder=$1
missing=()
command -v chromium > /dev/null || missing+=(chromium)
command -v node > /dev/null || missing+=(nodejs)
command -v npm > /dev/null || missing+=(npm)
if [ ${#missing[@]} -gt 0 ]; then
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends "${missing[@]}"
fi
python3 -c 'import numpy, PIL, rlottie_python, thorvg_python' 2> /dev/null ||
    python3 -m pip install --quiet numpy pillow rlottie-python==1.3.8 thorvg-python==1.1.3
mkdir -p "$folder"
cd "$folder"
[ -f package.json ] || echo '{"private": true}' > package.json
{ [ -d node_modules/lottie-web ] && [ -d node_modules/phaser4 ]; } ||
    npm install --silent --no-audit --no-fund lottie-web@5.13.0 puppeteer-core@25 canvaskit-wasm@0.42.0 \
        @lottie-animation-community/lottie-specs@0.3.2 phaser@3.90.0 phaser4@npm:phaser@4.2.1 pixi.js@8.22
