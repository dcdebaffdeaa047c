#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A leaderboard that stays sorted while a kernel changes it.

  leaderboard.py [--players N] [--rounds N] [--svg FILE]

Each work-item is a player. In every round it plays a game and moves itself in a red-black tree of (score, player), while
all others do the same. Then it asks for its rank, while others still move. After a round the host asks the tree for the
first ten, and for the ranks of some players. The picture shows those ranks over time.
"""
import argparse

import numpy as np
import pyclade
import pyopencl as cl

KERNEL = """
#define CLADE_RBTREE board
#include "clade/rbtree.clh"

uint points_of(uint player, uint round)   /* a game: most win little, few win much */
{
    uint x = player * 0x9e3779b1u ^ round * 0x85ebca77u;
    x = (x ^ x >> 15) * 0x2c1b3c6du;
    x = (x ^ x >> 12) * 0x297a2d39u;
    x ^= x >> 15;
    return 1u + (x & 15u) * (x >> 28) * (x >> 28);
}

__kernel void play(__global clade_rbtree_head *tree, __global uint *scores, uint round, __global uint *ranks, __global int *failed)
{
    const uint player = get_global_id(0);
    const ulong before = (ulong)scores[player] << 32 | player;
    const uint score = scores[player] + points_of(player, round);
    uint unused, rank = 0;
    if ((round > 0 && board_erase_wi(tree, before, &unused) != CLADE_OK) ||
        board_insert_wi(tree, (ulong)score << 32 | player, 0) != CLADE_OK ||
        board_rank_wi(tree, (ulong)score << 32 | player, &rank) != CLADE_OK)
        atomic_inc(failed);
    scores[player] = score;
    ranks[player] = rank;   /* as it was just now: others move */
}
"""


def simulate(players, rounds, watched):
    """Play; returns the ranks of the watched players after each round (0 is the best), the scores, the first ten."""
    context = pyclade.Context()
    board = pyclade.RBTree(context, 2 * players, np.uint64, ranked=True)
    play = context.build(KERNEL, board).play
    queue, flags = context.cl_queue, cl.mem_flags
    scores = np.zeros(players, np.uint32)
    on_device = cl.Buffer(context.cl_context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=scores)
    live = cl.Buffer(context.cl_context, flags.WRITE_ONLY, scores.nbytes)
    failed = cl.Buffer(context.cl_context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=np.zeros(1, np.int32))
    ranks = []
    for round_ in range(rounds):
        play(queue, (players,), None, board.mem, on_device, np.uint32(round_), live, failed)
        cl.enqueue_copy(queue, scores, on_device)
        keys = scores[watched].astype(np.uint64) << np.uint64(32) | np.asarray(watched, np.uint64)
        ranks.append(players - 1 - board.rank(keys).astype(int))
    count = np.zeros(1, np.int32)
    cl.enqueue_copy(queue, count, failed)
    seen = np.empty(players, np.uint32)
    cl.enqueue_copy(queue, seen, live)
    if count[0] or seen.max() >= players:
        raise RuntimeError(f"{count[0]} moves failed")
    keys, _, _ = board.select(players - 1 - np.arange(min(10, players)))
    best = [(int(k) & 0xFFFFFFFF, int(k) >> 32) for k in keys]
    return np.array(ranks), scores, best


def draw(ranks, watched, players, file):
    """The ranks over time as an SVG."""
    width, height, left, top = 720, 320, 70, 30
    colours = ["#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#a463f2", "#97bbf5"]

    def x(round_):
        return left + (width - left - 80) * round_ / max(len(ranks) - 1, 1)

    def y(rank):
        return top + (height - top - 50) * rank / max(players - 1, 1)

    with open(file, "w", encoding="utf-8") as f:
        f.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
                f'font-size="13"><rect width="100%" height="100%" fill="white"/>\n')
        for rank in np.linspace(0, players - 1, 5).astype(int):
            f.write(f'<line x1="{left}" x2="{width - 80}" y1="{y(rank):.1f}" y2="{y(rank):.1f}" stroke="#ddd"/>'
                    f'<text x="{left - 8}" y="{y(rank) + 4:.1f}" text-anchor="end">{rank + 1:,}</text>\n')
        f.write(f'<text x="{left}" y="18">rank of six players among {players:,}</text>\n')
        f.write(f'<text x="{(left + width - 80) / 2}" y="{height - 12}" text-anchor="middle">games played</text>\n')
        label = top
        for i in np.argsort(ranks[-1]):
            player, label = watched[i], max(label + 15, y(ranks[-1, i]) + 4)
            path = " ".join(f"{x(r):.1f},{y(k):.1f}" for r, k in enumerate(ranks[:, i]))
            f.write(f'<polyline points="{path}" fill="none" stroke="{colours[i % 6]}" stroke-width="2"/>'
                    f'<text x="{width - 74}" y="{label:.1f}" fill="{colours[i % 6]}">#{player}</text>\n')
        f.write("</svg>\n")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--players", type=int, default=20000)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--svg")
    given = parser.parse_args(arguments)
    watched = [i * given.players // 6 for i in range(6)]
    ranks, scores, best = simulate(given.players, given.rounds, watched)
    for place, (player, score) in enumerate(best, 1):
        print(f"{place:3}.  player {player:<8} {score} points")
    if given.svg:
        draw(ranks, watched, given.players, given.svg)
    return ranks, scores, best


if __name__ == "__main__":
    main()
