/* SPDX-License-Identifier: Apache-2.0 */
/* Random nests of tile functions as text: contractions of one or two indices a
 * role, with padding, steps of any sign and tails, in random layouts, walks and
 * tiles; and calls of passes for them. */
#ifndef XK_TESTS_RANDOM_NEST_H
#define XK_TESTS_RANDOM_NEST_H

#include <stddef.h>
#include <stdint.h>

#define XK_NEST_BUFFER_B 65536 /* of src, wei and dst each */

struct xk_random_nest {
    char text[4096];
    char passes[200]; /* in front of expand */
    const char *type; /* of src and wei: "f32", "f16", "u8", "s8" */
    int groups, threads;
};

void xk_random_nest(uint64_t seed, struct xk_random_nest *out);
/* Fills src or wei with small integers of the type. */
void xk_random_nest_fill(const struct xk_random_nest *g, uint64_t *rng,
                         uint8_t *bytes);

#endif
