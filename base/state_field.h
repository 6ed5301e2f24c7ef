/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of a hardware command or state that act, and whose values other than 0
 * are not modelled: refused by their names. */
#ifndef XK_BASE_STATE_FIELD_H
#define XK_BASE_STATE_FIELD_H

#include "base/bytes.h"

struct xk_state_field {
    uint8_t dword, first;
    uint32_t mask; /* at bit 0 */
    const char *what;
};

/* The first of n fields that is not 0, with its value; NULL: all are 0. state:
 * little endian dwords, as memory has them. */
static inline const struct xk_state_field *
xk_state_field_set(const void *state, const struct xk_state_field *fields,
                   size_t n, uint32_t *value)
{
    for (size_t k = 0; k < n; k++) {
        *value = xk_get_dword(state, fields[k].dword) >> fields[k].first &
                 fields[k].mask;
        if (*value)
            return &fields[k];
    }
    return NULL;
}

#endif
