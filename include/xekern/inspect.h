/* SPDX-License-Identifier: Apache-2.0 */
/* Looks into kernels, whoever made them: assembler, disassembler, checker,
 * statistics. The header is for tools and may change until 1.0. No function
 * keeps state between calls. One thread at a time may use an xk_inspect. */
#ifndef XK_XEKERN_INSPECT_H
#define XK_XEKERN_INSPECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xekern/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Receives text in pieces; n bytes, no NUL. */
typedef void (*xk_write_fn)(void *user, const char *text, size_t n);

/* Disassembles n_b bytes through write(), one line an instruction. The bytes
 * are raw instructions, a zebin, or the compiler's older container; the two
 * containers are recognised. Raw code needs the platform's name, such as
 * "xehpg"; otherwise it may be NULL. */
XK_API enum xk_status xk_disassemble(const char *platform, const void *bytes,
                                     size_t n_b, xk_write_fn write, void *user,
                                     struct xk_error *err);

/* A program in the vendor assembler's syntax, labels included. */
struct xk_asm_text {
    const char *platform; /* "xehpg" */
    const char *text;
    size_t n_b;       /* without a NUL */
    const char *file; /* its name, for messages; may be NULL */
};

/* Makes machine code of it; compact takes the 64-bit form wherever there is
 * one. The caller frees *code with free(). Errors name file, line, column, the
 * word and the field with its range. */
XK_API enum xk_status xk_assemble(const struct xk_asm_text *text, bool compact,
                                  XK_GIVE void **code, size_t *code_b,
                                  struct xk_error *err);

/* What the library knows about a kind of post-op (enum xk_post_op_kind). */
struct xk_post_op_info {
    uint32_t kind, n_numbers;   /* how many of alpha, beta have a meaning */
    const char *name, *aliases; /* words in problem strings; "" or "a b" */
    const char *syntax;         /* the rest of the word: "[:alpha[:beta]]" */
    const char *meaning; /* a formula of x, alpha, beta, zero, old, rhs */
    const char *limit;   /* a condition on its numbers, a sentence; "": none */
    bool reads_old, reads_rhs; /* the old destination, a right-hand side */
};
/* The i-th kind; false behind the last. */
XK_API bool xk_post_op_at(uint32_t i, struct xk_post_op_info *out);

/* A field of a schedule, as XK_SCHEDULE and what is printed of a program name
 * it. */
struct xk_schedule_field_info {
    const char *name;
    const char *values; /* its words, or numbers that are worth a try, some more
                           than once; blanks between */
    bool words;         /* no other values than these */
    char between;       /* the sign between its two numbers; 0: it has one */
    const char *meaning;
};
/* The i-th field; false behind the last. */
XK_API bool xk_schedule_field_at(uint32_t i,
                                 struct xk_schedule_field_info *out);

/* An opened file. It borrows the bytes it was made from. */
typedef struct xk_inspect xk_inspect;

/* platform: as for xk_disassemble. */
XK_API enum xk_status xk_inspect_open(const void *bytes, size_t n_b,
                                      const char *platform,
                                      XK_GIVE xk_inspect **out,
                                      struct xk_error *err);
XK_API void xk_inspect_close(xk_inspect *f); /* NULL is fine */
XK_API const char *xk_inspect_container(const xk_inspect *f);
XK_API const char *xk_inspect_platform(const xk_inspect *f);
/* The hardware for which xk_inspect_lint judges: the product and stepping that
 * the container names ("DG2-G11 B1"). Where it leaves them open, all that are
 * in cards count ("all steppings sold", "DG1, all steppings sold"). The string
 * lives as long as f. */
XK_API const char *xk_inspect_device(const xk_inspect *f);
/* Judges for this device (xk_attr.device) instead; "": every stepping.
 * XK_EINVAL if the file's platform has none of that name. */
XK_API enum xk_status xk_inspect_judge_for(xk_inspect *f, const char *device,
                                           struct xk_error *err);
XK_API uint32_t xk_inspect_n_kernels(const xk_inspect *f);

/* What the container says about a kernel; 0: it does not say. */
struct xk_kernel_facts {
    const char *name;
    const void *code; /* inside the file */
    size_t code_b;
    uint32_t simd, grf_count, slm_b, barriers, scratch_b, n_args;
    uint32_t required[3]; /* the size that a group must have, in work items; 0:
                             any */
};
XK_API enum xk_status xk_inspect_kernel(const xk_inspect *f, uint32_t kernel,
                                        struct xk_kernel_facts *out,
                                        struct xk_error *err);

/* The text of one kernel. */
struct xk_text_opts {
    bool messages; /* sends spelled out as loads and stores */
    bool offsets;  /* byte offset in a comment behind each instruction */
    bool numeric;  /* branch targets as byte offsets, no labels */
};
XK_API enum xk_status xk_inspect_text(const xk_inspect *f, uint32_t kernel,
                                      const struct xk_text_opts *opts,
                                      xk_write_fn write, void *user,
                                      struct xk_error *err);

/* One instruction, or bytes that do not decode. Strings live during the
 * call. */
struct xk_inst_facts {
    uint32_t offset_b, size_b; /* in the kernel's code; size 16 or 8 */
    const char *text;          /* NULL: does not decode */
    const char *opcode;        /* "send" */
    const char *message;       /* of a send, in words; "" otherwise */
    const char *pipe;          /* "float", "int", "send", ...; "" if none */
    const char *error;         /* why it does not decode; NULL: it does */
};
typedef void (*xk_inst_fn)(void *user, const struct xk_inst_facts *inst);
XK_API enum xk_status xk_inspect_each(const xk_inspect *f, uint32_t kernel,
                                      xk_inst_fn fn, void *user,
                                      struct xk_error *err);

/* One broken rule. Strings live during the call. */
struct xk_lint_finding {
    const char *rule;   /* "SEND_NO_OVERLAP"; "DECODE" for bytes that are no
                           instruction */
    const char *why;    /* what the manual demands */
    const char *source; /* where that is written */
    const char *text;   /* the instruction */
    uint32_t offset_b;
};
typedef void xk_lint_fn(void *user, const struct xk_lint_finding *finding);
/* All violations of a kernel, in the order of their offsets. XK_EUNSUPPORTED if
 * the container names a device that the library does not know, and
 * xk_inspect_judge_for has named no other one. */
XK_API enum xk_status xk_inspect_lint(const xk_inspect *f, uint32_t kernel,
                                      xk_lint_fn *fn, void *user,
                                      struct xk_error *err);

/* Static figures of a kernel. */
struct xk_count {
    const char *what; /* opcode, or message in words */
    uint32_t n;
};
struct xk_loop_facts {
    uint32_t head_b, tail_b; /* offsets of first and last instruction */
    uint32_t depth;          /* 1: not inside another */
    uint32_t n_inst, n_fma, n_send, n_sync;
};
struct xk_kernel_stats {
    size_t code_b;
    uint32_t n_inst, n_compacted, n_undecoded;
    uint32_t n_fma; /* mad, mac, dp4a, dpas, dpasw */
    uint32_t n_sync, n_branch, n_send;
    uint32_t grf_used; /* registers that appear as direct operands */
    uint32_t grf_top;  /* 1 + the highest of them */
    uint32_t n_opcodes, n_messages, n_loops;
    const struct xk_count *opcode;    /* most frequent first */
    const struct xk_count *message;   /* most frequent first */
    const struct xk_loop_facts *loop; /* in the order of their heads */
};
/* *out points into memory of f, which the next call for f uses again. */
XK_API enum xk_status xk_inspect_stats(xk_inspect *f, uint32_t kernel,
                                       struct xk_kernel_stats *out,
                                       struct xk_error *err);

#ifdef __cplusplus
}
#endif
#endif
