#!/usr/bin/env python3
"""Counts the work of a few small scenes, and of one visit of a contact, and fails when it has grown.

    counts.py COUNT_STEPS COUNT_KERNELS             compare with counts.json beside this file
    counts.py COUNT_STEPS COUNT_KERNELS --refresh   write counts.json anew

Instructions are counted by callgrind (package valgrind), which gives the same number on every run: timings on a shared
machine do not show 3 %. A change that needs more work on purpose refreshes the file in the same commit and says why.
Fewer is fine; far fewer is worth a refresh, or the gain can be lost again unnoticed. `scree run --profile` prints the
instructions per visit from counts.json, which was compiled into it.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys

SCENES = {
    "wall": ["wall", "10", "bricks=40", "ball=1"],
    "pile": ["pile", "80", "grains=300"],
    "chain": ["chain", "30", "links=10"],
    "hexagons": ["hexagons", "60", "bodies=525"],
}
# Of the sweeps in single and double precision and the pass of soft-step: a contact that is alone between two bodies, and
# one of four; sticking, or most of them sliding.
KERNELS = ["ball point", "ball point slide", "single point", "single point slide", "single manifold", "single manifold slide",
           "double point", "double point slide", "double manifold", "double manifold slide",
           "soft point", "soft manifold"]
ALLOWED = 0.03  # growth
SKIPPED = 77
FILE = pathlib.Path(__file__).parent / "counts.json"


def count(program, function, words):
    """What the scene took inside the function; None when this machine cannot count it."""
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"--toggle-collect={function}", program, *words],
        capture_output=True, text=True)
    if done.returncode == SKIPPED:
        return None
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not collected:
        sys.exit(f"{' '.join(words)}: {done.returncode}\n{done.stderr}")
    return {"instructions": int(collected[1]), **json.loads(done.stdout)}


def count_kernel(program, name):
    found = count(program, "count_these_visits", [name])
    return found and {"instructions_per_visit": round(found["instructions"] / found["visits"], 2)}


def main():
    steps_program, kernels_program = sys.argv[1:3]
    if not shutil.which("valgrind"):
        print("skipped: no valgrind; the work of a step is not counted")
        return SKIPPED
    found = {name: count(steps_program, "count_these_steps", words) for name, words in SCENES.items()}
    kernels = {name: count_kernel(kernels_program, name) for name in KERNELS}
    if None in found.values() or None in kernels.values():
        print("skipped: this processor has no AVX2; the counts are of its instructions")
        return SKIPPED
    compiler = {entry.pop("compiler") for entry in found.values()}.pop()
    if "--refresh" in sys.argv:
        FILE.write_text(json.dumps({"compiler": compiler, "scenes": found, "kernels": kernels}, indent=2) + "\n")
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
    for name, now in kernels.items():
        before = expected["kernels"][name]["instructions_per_visit"]
        ratio = now["instructions_per_visit"] / before
        print(f"{name}: {now['instructions_per_visit']} instructions per visit, {100 * (ratio - 1):+.2f} % against {before}")
        if ratio > 1 + ALLOWED:
            grown.append(f"{name}: instructions per visit grew by {100 * (ratio - 1):.1f} %")
    print("\n".join(grown + ["If that is meant: counts.py COUNT_STEPS COUNT_KERNELS --refresh, in the same commit."]) if grown else "no growth")
    return 1 if grown else 0


sys.exit(main())
