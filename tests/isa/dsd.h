/* SPDX-License-Identifier: Apache-2.0 */
/* What iga64 -Xdsd says of one pair of descriptors, line by line. */
#ifndef XK_TESTS_ISA_DSD_H
#define XK_TESTS_ISA_DSD_H

#include <stdbool.h>
#include <stdint.h>

/* What iga64 said. */
struct dsd_facts {
    char op[40], symbol[120], addr_type[12], surface[80], channels[8];
    char l1[32], l3[32];
    unsigned addr_bits, reg_bits, mem_bits, elems, width, payload;
    bool transposed, slm, returns;
    uint32_t spare, ex_spare; /* set bits that it calls undefined ... */
    uint32_t defined;         /* ... and the fields that it lists anyway */
    bool no_header;           /* demanded and absent */
    char complaint[120];      /* the first of the others */
};

/* Takes one line of its output into *f, which begins as zeros. */
void dsd_read_line(const char *line, struct dsd_facts *f);

#endif
