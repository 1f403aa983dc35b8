"""Every benchmark in one run, one after the other: ratios to FastMCP and to the official SDK.

    python tests/benchmarks

The last one needs Node and Chromium, and is left out by name where they are missing. The soak is
not among them, as it takes half an hour: `python tests/benchmarks/soak.py`.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
JS = HERE.parent / "view" / "js"
BENCHMARKS = (
    ("server_bench.py",),
    ("composition_bench.py",),
    ("../checks/bench.py", "100"),
    ("dev_ready.py",),
)


def main() -> int:
    """Run them all; the status is that of the worst."""
    status = 0
    for name, *arguments in BENCHMARKS:
        print(f"\n== {name.rpartition('/')[2]}", flush=True)
        done = subprocess.run([sys.executable, HERE / name, *arguments], check=False)
        status = max(status, done.returncode)
    npm = shutil.which("npm")
    if npm is None or not (JS / "node_modules").exists():
        print(f"\n== page library: left out, as there is no `npm install` in {JS}")
        return status
    print("\n== page library, against the official SDK", flush=True)
    done = subprocess.run([npm, "--prefix", JS, "run", "bench"], check=False)
    return max(status, done.returncode)


if __name__ == "__main__":
    sys.exit(main())
