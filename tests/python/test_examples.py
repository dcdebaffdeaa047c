# SPDX-License-Identifier: Apache-2.0
"""The programs of docs/examples/python, against numpy."""
import os
import runpy

import numpy as np

EXAMPLES = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "examples", "python")


def test_leaderboard(cl, tmp_path):
    program = runpy.run_path(os.path.join(EXAMPLES, "leaderboard.py"))
    svg = tmp_path / "ranks.svg"
    ranks, scores, best = program["main"](["--players", "600", "--rounds", "5", "--svg", str(svg)])
    order = np.lexsort((np.arange(600), scores))[::-1]
    assert best == [(int(p), int(scores[p])) for p in order[:10]]
    assert ranks[-1].tolist() == [int(np.where(order == p)[0][0]) for p in range(0, 600, 100)]
    assert scores.min() >= 5 and svg.read_text().startswith("<svg")
