/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels to be broken, and the means to do it. */
#ifndef XK_TESTS_SIM_CHECK_MUTANTS_H
#define XK_TESTS_SIM_CHECK_MUTANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/message.h"

#define MAX_ARGS 8
#define MAX_INSTS 4096

struct arg {
    uint32_t buffer_b; /* 0: a value, or local memory */
    uint32_t element_b;
    bool full;           /* used to its last element */
    const uint8_t *data; /* of the buffer, or of the value; NULL: local */
    uint32_t size_b;
};

struct subject {
    const struct xk_platform *platform;
    char name[160];
    uint8_t *file; /* the container, private */
    size_t file_b, code_at, code_b;
    const char *kernel;
    uint32_t groups[3], local[3];
    unsigned n_args;
    struct arg arg[MAX_ARGS];
    bool guarded; /* its first goto keeps lanes inside of buffers */
};

struct line {
    struct xk_inst in;
    struct xk_msg msg;
    uint32_t at_b, n_b;
};

/* -- check_mutants_code.c -- */

/* lines[] has room for MAX_INSTS; returns how many there are. */
unsigned read_code(const struct subject *s, struct line *lines);
/* Puts *in where *l is; false, with a line on stdout, if it has no room. */
bool write_inst(const struct subject *s, const struct line *l,
                const struct xk_inst *in);
/* A wait for what the instruction would have waited for, and no more. */
void remove_inst(const struct subject *s, const struct line *l);
void restore(const struct subject *s, const uint8_t *saved);
/* Makes every read of a group's number along an axis one of zero; false if
 * there is none, or one that cannot be. */
bool forget_group(const struct subject *s, const struct line *lines, unsigned n,
                  unsigned axis);
/* Lives until the next call. */
const char *text_of(const struct subject *s, const struct line *l);
bool is_load(const struct line *l);
bool is_wait(const struct line *l);
bool is_signal(const struct line *l);
bool is_slm_fence(const struct line *l);

/* -- check_mutants_kernels.c: each calls `use` for all of its kernels and
 * returns how many it could not make, with a line on stdout for each -- */

typedef void use_fn(const struct subject *s);
unsigned all_generated(use_fn *use);
/* Those of a platform, from Intel's compiler. */
unsigned all_compiled(const struct xk_platform *p, use_fn *use);

#endif
