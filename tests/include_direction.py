#!/usr/bin/env python3
"""Fails when a folder of src/ includes one it must not know. Usage: include_direction.py ROOT"""
import pathlib
import re
import sys

ALLOWED = {
    "base": set(),
    "model": {"base"},
    "collision": {"base", "model"},
    "problem": {"base"},
    "solve": {"base", "problem"},
    "integrate": {"base", "model", "problem"},
    "record": {"base", "model", "problem"},
    "world": {"base", "model", "collision", "problem", "solve", "integrate", "record"},
    "lab": {"base", "problem", "solve", "record"},
    "bench": {"base", "model", "collision", "problem", "solve", "integrate", "record", "world", "lab"},
    "view": {"base", "model", "collision", "problem", "solve", "integrate", "record", "world"},
}
EXTRA = {"problem/assemble.cc": {"model", "collision"}, "problem/assemble.h": {"model", "collision"},
         "problem/joint_rows.cc": {"model"}, "problem/joint_rows.h": {"model"}}
# The stage each public header belongs to.
PUBLIC = {"math.h": "base", "error.h": "base", "scene.h": "model", "joint.h": "model", "problem.h": "problem", "matrix_problem.h": "problem", "choice.h": "problem", "solver.h": "problem", "plugin.h": "problem",
          "receipt.h": "problem", "world.h": "world", "scree.h": "world"}

root = pathlib.Path(sys.argv[1])
wrong = []
for path in sorted((root / "src").rglob("*")) + sorted((root / "include").rglob("*")):
    if path.suffix not in {".h", ".cc"}:
        continue
    if path.is_relative_to(root / "src"):
        name = str(path.relative_to(root / "src"))
        folder = name.split("/")[0]
    else:
        name = path.name
        folder = PUBLIC[name]
    allowed = ALLOWED[folder] | EXTRA.get(name, set()) | {folder}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'\s*#include "([^"]+)"', line)
        if not match or "/" not in match[1]:
            continue
        target, rest = match[1].split("/", 1)
        if target == "scree":
            target = PUBLIC[rest]
        if target not in ALLOWED or target not in allowed:
            wrong.append(f"{path.relative_to(root)}:{number}: {folder} must not include {match[1]}")
print("\n".join(wrong) if wrong else "includes point one way")
sys.exit(1 if wrong else 0)
