/* SPDX-License-Identifier: Apache-2.0 */
/* How the kernels of one program are launched, in their order. xk_conv_create()
 * makes this list, the program's file contains it (docs/programs.md), and
 * xk_module_run() executes it. It is plain data; whoever gives it owns all of
 * it. */
#ifndef XK_XEKERN_LAUNCHES_H
#define XK_XEKERN_LAUNCHES_H

#include <stdint.h>

/* The most arguments of a kernel, and of a program. */
#define XK_MAX_LAUNCH_ARGS 64
#define XK_MAX_LAUNCHES 64
#define XK_MAX_SCRATCH 48
/* The alignment of parts of a buffer, such as scratch buffers in their block.
 * It is the base address alignment of OpenCL on Intel's GPUs, 1024 bits. */
#define XK_PART_ALIGN_B 128

/* What an argument of a program is. */
enum xk_value_type {
    XK_VALUE_NONE = 0, /* a buffer */
    XK_VALUE_F32 = 1,
    XK_VALUE_S32 = 2,
    XK_VALUE_S64 = 3,
};

/* An argument that the caller gives to the whole program. */
struct xk_program_arg_info {
    char name[32];    /* "src" */
    uint32_t number;  /* its number for the caller; in a convolution enum
                         xk_conv_arg. Numbers may be missing */
    uint32_t type;    /* enum xk_value_type */
    uint64_t size_b;  /* size of the value, or least size of the buffer */
    uint32_t written; /* 1: the program writes to the buffer */
};

/* Memory that only the program uses. Its content may be anything before and
 * after. The caller gives all of it in one block, or a buffer for each. */
struct xk_scratch_info {
    uint64_t offset_b, size_b; /* in the block */
};

/* The source of a kernel argument's value. */
enum xk_binding {
    XK_BIND_TENSOR = 0,  /* the caller's buffer */
    XK_BIND_SCRATCH = 1, /* a scratch buffer */
    XK_BIND_VALUE = 2,   /* the caller's value */
    XK_BIND_CONSTANT = 3 /* a value that the program fixes */
};

/* An argument of one kernel. */
struct xk_launch_arg_info {
    char name[32];    /* "src" */
    uint32_t tensor;  /* TENSOR: the number of the program's argument, else
                         UINT32_MAX */
    uint32_t binding; /* enum xk_binding */
    uint32_t number;  /* TENSOR, VALUE: of the program's argument; SCRATCH: of
                         the scratch buffer, from 0 */
    uint32_t size_b;  /* of a value: 4 or 8; of a buffer 0 */
    uint64_t bits;    /* CONSTANT: its bytes, the lowest first; TENSOR, SCRATCH:
                         at which byte of that buffer the kernel's begins */
};

struct xk_launch_step {
    char kernel[64];              /* its name in the file */
    uint32_t groups[3], local[3]; /* work items per group */
    uint32_t n_args;
    const struct xk_launch_arg_info *args; /* in the kernel's order */
};

struct xk_launch_list {
    uint32_t n_args, n_scratch, n_launches;
    const struct xk_program_arg_info *args; /* by number */
    const struct xk_scratch_info *scratch;
    uint64_t scratch_b;       /* of the block with all scratch buffers */
    uint32_t scratch_align_b; /* where the block begins: a power of two */
    const struct xk_launch_step *launches;
};

#endif
