/* SPDX-License-Identifier: Apache-2.0 */
/* Where an element of a tensor lies, as the public header says. */
#ifndef XK_TESTS_ELEMENT_H
#define XK_TESTS_ELEMENT_H

#include "xekern/xekern.h"

/* The tensor's element at so many places along its dims. */
static inline int64_t element_at(const struct xk_tensor_info *t,
                                 const int64_t *at)
{
    int64_t e = 0;
    for (uint32_t b = 0; b < t->n_blocks; b++)
        e += at[t->blocks[b].dim] / t->blocks[b].div % t->blocks[b].size *
             t->blocks[b].stride;
    return e;
}

#endif
