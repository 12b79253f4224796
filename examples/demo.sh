#!/bin/sh
# The demo: score 250 human captions, compare them with a degraded copy, explain one. The first time METEOR's index of
# paraphrases is built.
set -e
caplens="$1"
data="src/caplens/data/example"
run() { printf '\n$ caplens'; for word in "$@"; do case "$word" in *[!A-Za-z0-9_./=:-]*) printf ' "%s"' "$word" ;; *) printf ' %s' "$word" ;; esac; done; printf '\n'; "$caplens" "$@"; }
run score "$data/human.json" -r "$data/references.json" 
run compare "$data/human.json" "$data/degraded.json" -r "$data/references.json" -m "bleu(n=4), meteor, rouge, cider, spice"
run explain "$data/human.json" -r "$data/references.json" --id 283904 -m "meteor, spice"
run doctor
