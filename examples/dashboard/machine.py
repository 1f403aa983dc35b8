"""How busy this machine is, from the counters that Linux keeps in `/proc`."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
GIGABYTE = 1024 * 1024  # in the kilobytes of /proc/meminfo


@dataclass
class Counters:
    """What only grows: seconds since the start, ticks of each core, bytes of the network."""

    seconds: float
    busy: list[int]
    total: list[int]
    received: int
    sent: int


@dataclass
class Reading:
    """What happened between two looks at the counters, in per cent, gigabytes and kB/s."""

    host: str
    cpu: float
    cores: list[float]
    memory: float
    memory_total: float
    load: float
    received: float
    sent: float
    counters: Counters


def read_counters(proc: Path = PROC) -> Counters:
    """Look at the counters.

    Raises:
        OSError: This is no Linux.
    """
    if not (proc / "stat").exists():
        message = "This example reads /proc, which only Linux has."
        raise OSError(message)
    lines = [line.split() for line in (proc / "stat").read_text().splitlines()]
    # user nice system idle iowait irq softirq steal; what follows is counted among them
    cores = [[int(n) for n in ticks[:8]] for name, *ticks in lines if name[:3] == "cpu" < name]
    # received bytes packets … (eight figures), sent bytes packets …
    network = [
        [int(n) for n in line.partition(":")[2].split()]
        for line in (proc / "net" / "dev").read_text().splitlines()[2:]
        if line.split(":")[0].strip() != "lo"
    ]
    return Counters(
        seconds=float((proc / "uptime").read_text().split()[0]),
        busy=[sum(ticks) - ticks[3] - ticks[4] for ticks in cores],
        total=[sum(ticks) for ticks in cores],
        received=sum(figures[0] for figures in network),
        sent=sum(figures[8] for figures in network),
    )


def reading_since(before: Counters, proc: Path = PROC) -> Reading:
    """Tell what happened since an earlier look at the counters."""
    now = read_counters(proc)
    memory = {
        name: int(figure.split()[0]) / GIGABYTE
        for name, _, figure in (
            line.partition(":") for line in (proc / "meminfo").read_text().splitlines()
        )
    }
    seconds = max(now.seconds - before.seconds, 0.01)

    def per_second(after: int, earlier: int) -> float:
        return round(max(after - earlier, 0) / 1000 / seconds, 1)

    cores = zip(now.busy, before.busy, now.total, before.total, strict=False)
    return Reading(
        host=platform.node(),
        cpu=_share(sum(now.busy) - sum(before.busy), sum(now.total) - sum(before.total)),
        cores=[_share(busy - was, total - of) for busy, was, total, of in cores],
        memory=round(memory["MemTotal"] - memory["MemAvailable"], 1),
        memory_total=round(memory["MemTotal"], 1),
        load=float((proc / "loadavg").read_text().split()[0]),
        received=per_second(now.received, before.received),
        sent=per_second(now.sent, before.sent),
        counters=now,
    )


def _share(part: int, whole: int) -> float:
    # A core may tell a tick fewer than it did before.
    return min(max(round(100 * part / max(whole, 1), 1), 0.0), 100.0)
