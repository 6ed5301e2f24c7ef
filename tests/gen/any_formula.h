/* SPDX-License-Identifier: Apache-2.0 */
/* Random contractions as text. */
#ifndef XK_TESTS_GEN_ANY_FORMULA_H
#define XK_TESTS_GEN_ANY_FORMULA_H

#define ANY_FORMULA_SIZE 1600

/* One formula of a seed, into out (ANY_FORMULA_SIZE). Batch b d, rows x y,
 * columns n o, K c k l, some of each, with declared extents. In A and B an
 * index is a coordinate, or a part of another index's, with any sign, and
 * begins anywhere; elements of all three may be beside the tensor, and
 * conditions may fail. Fills are any small number. Layouts are in any order,
 * some in blocks. */
void any_formula(unsigned seed, char *out);

#endif
