/* SPDX-License-Identifier: Apache-2.0 */
/* A zebin put together by hand from the format's description, for readers. */
#ifndef XK_TESTS_CONTAINER_MAKE_ZEBIN_H
#define XK_TESTS_CONTAINER_MAKE_ZEBIN_H

#include <stddef.h>
#include <stdint.h>

struct zebin_parts {
    const char *kernel;  /* NULL: "k" */
    const char *ze_info; /* NULL: a kernel with all kinds of arguments */
    uint32_t family;     /* of the note; 0: 1270, DG2 */
    const char *symbol;  /* its address is written to the code's byte 8; NULL:
                            no relocation */
    uint16_t defined_in; /* that symbol's section; 0: undefined */
};

/* malloc'd; the code copies r0 and ends the thread. */
uint8_t *make_zebin(const struct zebin_parts *p, size_t *n_b);

extern const uint8_t make_zebin_code[32];

#endif
