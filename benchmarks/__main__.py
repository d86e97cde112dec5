"""``python -m benchmarks [SCENARIO ...] [--cases N] [--repeat N]``: prints ratios, asserts nothing."""

from __future__ import annotations

import argparse

from benchmarks import judging, screen

SCENARIOS = {
    "check": judging.check,
    "memory": judging.memory,
    "first-frame": screen.first_frame,
    "keys": screen.keys,
    "long-runs": screen.long_runs,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("scenario", nargs="*", metavar="SCENARIO", help=" ".join(SCENARIOS))
    parser.add_argument("--cases", type=int, default=100_000, help="size of the data (default %(default)s)")
    parser.add_argument(
        "--repeat", type=int, default=5, help="runs to take the median of (default %(default)s)"
    )
    options = parser.parse_args()
    for name in options.scenario or SCENARIOS:
        if name not in SCENARIOS:
            parser.error(f"no scenario {name!r}; there are {', '.join(SCENARIOS)}")
        SCENARIOS[name](options.cases, options.repeat)


if __name__ == "__main__":
    main()
