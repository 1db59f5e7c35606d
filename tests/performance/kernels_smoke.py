#!/usr/bin/env python3
"""Runs every kernel of bench_kernels on its smallest size and checks what it says. Usage: kernels_smoke.py BENCH_KERNELS

How fast it is depends on the machine and is not looked at. What a pass has to move does not: the bytes of a visit follow
from the sizes of the structs.
"""
import json
import math
import subprocess
import sys

# 3^3 bodies that touch along the axes: 3 * 3^2 * 2 = 54 pairs. 2^3 bodies: 12 pairs, of four points: 48 contacts.
POINTS, MANIFOLDS = 54, 48
SWEEPS = ["single_sweep", "wide_sweep", "soft_bias", "soft_relax"]
OTHERS = ["single_pack", "audit_masses", "audit_squares", "audit_full"]
EXPECTED = {f"{name}/{kind}/{motion}/{POINTS if kind == 'point' else MANIFOLDS}"
            for name in SWEEPS + OTHERS for kind in ("point", "manifold") for motion in ("stick", "slide")
            if motion == "stick" or name in SWEEPS}
EXPECTED |= {f"ball_sweep/point/{motion}/{POINTS}" for motion in ("stick", "slide")}
EXPECTED |= {f"ball_{way}/point/stick/{POINTS}" for way in ("pack", "write")}
EXPECTED |= {f"sphere_sphere/{POINTS}", f"box_box_axes/{POINTS}"}

done = subprocess.run([sys.argv[1], f"--benchmark_filter=/({POINTS}|{MANIFOLDS})$", "--benchmark_min_time=0.001",
                       "--benchmark_format=json"], capture_output=True, text=True, check=True)
found = {entry["name"]: entry for entry in json.loads(done.stdout)["benchmarks"]}
assert set(found) == EXPECTED, set(found) ^ EXPECTED
for name, entry in found.items():
    for column in ("ns/visit", "bytes/visit", "KiB", "GB/s", "limit_GB/s", "roofline"):
        assert math.isfinite(entry[column]) and entry[column] > 0, (name, column, entry[column])
    visits = int(name.rsplit("/", 1)[1])
    assert math.isclose(entry["bytes/visit"] * visits, 1024 * entry["KiB"], rel_tol=1e-6), name
    assert math.isclose(entry["GB/s"], entry["bytes/visit"] / entry["ns/visit"], rel_tol=1e-6), name

# A pair is 8 bytes; 27 shapes have 128 bytes each, of which a sphere needs half.
assert math.isclose(found[f"sphere_sphere/{POINTS}"]["bytes/visit"], 8 + 27 * 64 / 54)
assert math.isclose(found[f"box_box_axes/{POINTS}"]["bytes/visit"], 8 + 27 * 128 / 54)
# A contact block of 144 bytes, impulse 24 and mass 8; 28 bodies, the world among them, with a velocity of 48.
assert math.isclose(found[f"audit_squares/point/stick/{POINTS}"]["bytes/visit"], 144 + 24 + 8 + 28 * 48 / 54)
print(f"{len(found)} kernels and sizes")
