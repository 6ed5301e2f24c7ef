/* SPDX-License-Identifier: Apache-2.0 */
/* A program before it has kernels: launches in their order, what they take, and
 * scratch buffers between them. Who has a list of these gets a program. */
#ifndef XK_GEN_MAKE_LAUNCHES_H
#define XK_GEN_MAKE_LAUNCHES_H

#include "gen/contract.h"
#include "lower/copy.h"
#include "lower/pattern.h"
#include "lower/reduce.h"
#include "lower/sums.h"
#include "xekern/xekern.h"

enum xk_launch_kind {
    XK_LAUNCH_CONTRACT,
    XK_LAUNCH_FILL,
    XK_LAUNCH_REDUCE,
    XK_LAUNCH_SUMS,
    XK_LAUNCH_COPY,
    XK_LAUNCH_IR, /* a kernel that is IR already */
};

/* What an argument of a kernel takes, by the argument's name. */
struct xk_bind {
    char name[32];
    uint8_t binding; /* enum xk_binding */
    uint8_t number;  /* TENSOR, VALUE: the caller's; SCRATCH: from 0 */
    uint64_t bits;   /* CONSTANT */
};
#define XK_MAX_BINDS 64

struct xk_launch {
    uint8_t kind;  /* enum xk_launch_kind */
    char name[64]; /* of the kernel; each in the program another */
    union {
        struct xk_contract contract;
        struct xk_fill fill;
        struct xk_reduce reduce;
        struct xk_sums sums;
        const struct xk_copy *copy;
        struct xk_kernel_job ir; /* its name is that of the kernel */
    } u;
    /* Arguments without a row: those of a contraction take the caller's tensor
     * of the number that the nest says; of others it is an error. */
    unsigned n_binds;
    const struct xk_bind *bind;
};

struct xk_launches {
    unsigned n_args, n_scratch, n;
    const struct xk_program_arg_info *args; /* by number */
    const int64_t *scratch_b;
    const struct xk_launch *at;
    /* By argument: the scratch buffer that takes the place of the caller's
     * tensor in all launches but copies, -1: none does. NULL: none anywhere. */
    const int *copy_of;
    /* Above 1: all launches but the last n_behind are there so many times, and
     * those of part i begin at byte part_at_b(of_parts, i, number) of the
     * caller's buffer of that number, and at byte i * scratch_part_b[number] of
     * a scratch buffer. */
    unsigned n_parts, n_behind;
    const int64_t *scratch_part_b;
    uint64_t (*part_at_b)(const void *of_parts, unsigned i, unsigned number);
    const void *of_parts;
    bool
        addresses; /* fills and reductions take 64-bit addresses, no surfaces */
};

/* The sizes of the scratch buffers and of their block, into *info. */
void xk_launches_scratch(const struct xk_launches *l,
                         struct xk_scratch_info *each,
                         struct xk_launch_list *out);

/* Makes every kernel and the program; *out is in `heap`. The program's info is
 * *info with the number of launches and the scratch. XK_EINVAL: a list that
 * contradicts itself; else what a launch's kernel answers. */
enum xk_status xk_launches_make(struct xk_gen *g, const struct xk_launches *l,
                                const struct xk_conv_info *info,
                                const struct xk_alloc *heap, xk_program **out);

#endif
