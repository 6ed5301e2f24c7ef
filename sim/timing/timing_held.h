/* SPDX-License-Identifier: Apache-2.0 */
/* Caches of the timing model that replace what was used least recently: a line
 * carries the number of lines that had been brought in at its last use, and is
 * still there while fewer than fit have come since. That needs no sets and no
 * search; lines that only other cores use may be counted without being known.
 */
#ifndef XK_SIM_TIMING_HELD_H
#define XK_SIM_TIMING_HELD_H

#include <stdbool.h>
#include <stdint.h>

/* The stamp of a line used now; 0 is that of a line never used. Lines brought
 * in may be a fraction: a share of what all cores bring in. */
static inline uint64_t xk_tm_stamp(double brought)
{
    return (uint64_t)brought + 1;
}

/* Whether a cache of n_lines holds the line still. */
static inline bool xk_tm_holds(uint64_t stamp, double brought, double n_lines)
{
    return stamp && brought - (double)(stamp - 1) < n_lines;
}

#endif
