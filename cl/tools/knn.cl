/* SPDX-License-Identifier: Apache-2.0 */
/* Squared distances of all queries to all vectors of a piece of a base; launched by `clade knn`.
 *
 * KNN_BYTES: elements are bytes and distances exact integers; else floats, summed one dimension
 * after the other with nothing contracted, so that the host computes the very same.
 * An item takes one base vector and KNN_QUERIES queries. The base lies dimension by dimension, so
 * that neighbouring items read neighbouring elements. */
#pragma OPENCL FP_CONTRACT OFF

#include "clade/shared/base.h"

/* The host always says; these are for compiling without one. */
#ifndef KNN_BYTES
#define KNN_BYTES 1
#endif
#ifndef KNN_QUERIES
#define KNN_QUERIES 4
#endif

#if KNN_BYTES
typedef uchar knn_element;
typedef uint knn_distance;
#else
typedef float knn_element;
typedef float knn_distance;
#endif

static inline knn_distance knn_square(knn_element a, knn_element b)
{
#if KNN_BYTES
    const int difference = (int)a - (int)b;
    return (uint)(difference * difference);
#else
    const float difference = a - b;
    return difference * difference;
#endif
}

/* distances[q * count + v] for `queries` queries and `count` base vectors. The second dimension of
 * the launch counts blocks of KNN_QUERIES queries; past the last query the last is taken again. */
__kernel void knn_distances(__global const knn_element *base, __global const knn_element *query,
                            __global knn_distance *distances, uint count, uint queries,
                            uint dimensions)
{
    const uint v = (uint)get_global_id(0), first = (uint)get_global_id(1) * KNN_QUERIES;
    __global const knn_element *from[KNN_QUERIES];
    knn_distance sum[KNN_QUERIES];
    if (v >= count)
        return;
    for (uint q = 0; q < KNN_QUERIES; q++) {
        from[q] = query + (size_t)min(first + q, queries - 1u) * dimensions;
        sum[q] = 0;
    }
    for (uint d = 0; d < dimensions; d++) {
        const knn_element element = base[(size_t)d * count + v];
        for (uint q = 0; q < KNN_QUERIES; q++) {
            const knn_distance square = knn_square(from[q][d], element);
            sum[q] = sum[q] + square;
        }
    }
    for (uint q = 0; q < KNN_QUERIES && first + q < queries; q++)
        distances[(size_t)(first + q) * count + v] = sum[q];
}
