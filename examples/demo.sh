#!/bin/sh
# The demo: what is installed, scores of 250 human captions, why one has its scores, and a comparison with a degraded copy,
# also as a page. The first time METEOR's index of paraphrases is built.
set -e
caplens="$1"
data="src/caplens/data/example"
run() { printf '\n$ caplens'; for word in "$@"; do case "$word" in *[!A-Za-z0-9_./=:-]*) printf ' "%s"' "$word" ;; *) printf ' %s' "$word" ;; esac; done; printf '\n'; "$caplens" "$@"; }
page="build/demo/report.html"
mkdir -p build/demo
run doctor
run score "$data/human.json" -r "$data/references.json"
run explain "$data/human.json" -r "$data/references.json" --id 283904 -m "meteor, spice, lens"
run compare "$data/human.json" "$data/degraded.json" -r "$data/references.json" -m "bleu(n=4), meteor, rouge, cider, spice, lens" -o "$page"
printf '\nOpen %s in a browser: the same comparison as a page, with every caption and why it has its scores.\n' "$page"
printf 'For captions of your own: %s compare OURS.json THEIRS.json -r REFERENCES.json -o report.html\n' "$caplens"
