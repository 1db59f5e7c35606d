#!/usr/bin/env python3
"""Counts the work of a few small scenes and fails when it has grown.

    counts.py COUNT_STEPS             compare with counts.json beside this file
    counts.py COUNT_STEPS --refresh   write counts.json anew

Instructions are counted by callgrind (package valgrind), which gives the same number on every run: timings on a shared
machine do not show 3 %. A change that needs more work on purpose refreshes the file in the same commit and says why.
Fewer is fine; far fewer is worth a refresh, or the gain can be lost again unnoticed.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys

SCENES = {
    "wall": ["wall", "10", "bricks=40", "ball=1"],
    "pile": ["pile", "60", "grains=60"],
    "chain": ["chain", "30", "links=10"],
    "hexagons": ["hexagons", "60", "bodies=525"],
}
ALLOWED = 0.03  # growth
SKIPPED = 77
FILE = pathlib.Path(__file__).parent / "counts.json"


def count(program, words):
    """What the scene took; None when this machine cannot count it."""
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=count_these_steps", program, *words],
        capture_output=True, text=True)
    if done.returncode == SKIPPED:
        return None
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not collected:
        sys.exit(f"{' '.join(words)}: {done.returncode}\n{done.stderr}")
    return {"instructions": int(collected[1]), **json.loads(done.stdout)}


def main():
    program = sys.argv[1]
    if not shutil.which("valgrind"):
        print("skipped: no valgrind; the work of a step is not counted")
        return SKIPPED
    found = {name: count(program, words) for name, words in SCENES.items()}
    if None in found.values():
        print("skipped: this processor has no AVX2; the counts are of its instructions")
        return SKIPPED
    compiler = {entry.pop("compiler") for entry in found.values()}.pop()
    if "--refresh" in sys.argv:
        FILE.write_text(json.dumps({"compiler": compiler, "scenes": found}, indent=2) + "\n")
        print(f"wrote {FILE}")
        return 0
    expected = json.loads(FILE.read_text())
    if expected["compiler"] != compiler:
        print(f"skipped: the counts are of the compiler {expected['compiler']}, this is {compiler}")
        return SKIPPED
    grown = []
    for name, now in found.items():
        before = expected["scenes"][name]
        for what in ("instructions", "iterations"):
            ratio = now[what] / max(1, before[what])
            print(f"{name}: {now[what]} {what}, {100 * (ratio - 1):+.2f} % against {before[what]}")
            if ratio > 1 + ALLOWED:
                grown.append(f"{name}: {what} grew by {100 * (ratio - 1):.1f} %")
        if now["converged"] < before["converged"]:
            grown.append(f"{name}: {now['converged']} steps met the tolerance, before {before['converged']}")
    print("\n".join(grown + ["If that is meant: counts.py COUNT_STEPS --refresh, in the same commit."]) if grown else "no growth")
    return 1 if grown else 0


sys.exit(main())
