/* SPDX-License-Identifier: Apache-2.0 */
/* The outsider: Intel's assembler iga64, run once per batch. */
#ifndef XK_TESTS_ISA_IGA_H
#define XK_TESTS_ISA_IGA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/isa.h"

/* False if iga64 is not installed; the tests that need it are then left out. */
bool iga_available(void);

/* One instruction per line, 16 bytes each; *n_b is set. NULL if iga64 refuses
 * (its words go to stderr). Free with free(). */
uint8_t *iga_assemble(const struct xk_platform *p, const char *text,
                      size_t *n_b);

struct iga_lines {
    size_t n;
    char **line;
    char *text;
};

/* The disassembly, one line per instruction, white space collapsed, targets as
 * numbers, bfn functions as numbers; comments (what a send does) on request. */
bool iga_disassemble(const struct xk_platform *p, const uint8_t *bytes,
                     size_t n_b, bool comments, struct iga_lines *out);
void iga_lines_fini(struct iga_lines *l);

/* Which of n native instructions iga64 does not decode; how many. */
unsigned iga_refusals(const struct xk_platform *p, const uint8_t *bytes,
                      unsigned n, bool *refused);

/* Reads a whole file, NUL terminated; NULL if it cannot. */
char *iga_read_file(const char *path, size_t *n_b);

#endif
