/* SPDX-License-Identifier: Apache-2.0 */
/* xk run: what its parts share. */
#ifndef XK_TOOLS_XK_RUN_VERB_H
#define XK_TOOLS_XK_RUN_VERB_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "xekern/simulate.h"

/* A kernel has at most so many, and a program. */
#define XK_RUN_ARGS_MAX XK_MAX_LAUNCH_ARGS
#define XK_RUN_OUTS_MAX 64

/* An argument as the command line gives it. */
struct xk_run_arg {
    const char *word; /* as given; NULL: not given */
    const char *type; /* of a value, such as "s32" */
    bool is_buffer;
    uint8_t *bytes;  /* of a buffer, at first; NULL otherwise */
    uint64_t size_b; /* of the buffer, the value, the local memory */
    uint8_t value[8];
    bool is_local;
};

/* Parses "buf:FILE", "buf:zero:BYTES", "buf:rand:TYPE:COUNT[:SEED]",
 * "slm:BYTES" or "TYPE:VALUE". need_b is the buffer's size as its program gives
 * it; with it "buf:zero" and "buf:rand:TYPE[::SEED]" are understood too. 0: no
 * size is given. A malformed word is XK_EINVAL, a file that cannot be read
 * XK_EIO. Messages name the argument's number, the part and its value. */
enum xk_status xk_run_arg_parse(const char *word, unsigned number,
                                uint64_t need_b, struct xk_run_arg *out,
                                struct xk_error *err);
void xk_run_arg_fini(struct xk_run_arg *a);
/* The types of values and random data, "u8, u16, ...". */
void xk_run_type_words(char *out, size_t out_b);
/* That of a value of a program, XK_VALUE_...; "?" if it is none. */
const char *xk_run_value_word(uint32_t value);

/* Reads a whole text as an unsigned number, decimal or 0x. False: it is no
 * number or larger than max. */
bool xk_run_number(const char *text, uint64_t max, uint64_t *out);

/* The same for an option; the error names it, its value and the limit. */
enum xk_status xk_run_number_set(const char *name, const char *value,
                                 uint64_t max, uint64_t *out,
                                 struct xk_error *err);

/* The file into which a buffer is written after the run. */
struct xk_run_out {
    char name[32];   /* of a program's argument; "": it has a number */
    uint64_t number; /* of the argument; of a capture: the address */
    uint64_t size_b; /* of a capture */
    const char *path;
};

/* The command line. Without a kernel the file's program is run. */
struct xk_run_request {
    const char *file, *kernel, *capture, *trace, *output, *platform;
    uint32_t groups[3], local[3];
    uint64_t host_threads;
    struct xk_simulate_opts look;
    struct xk_simulate_code code;
    uint64_t timing_waves;
    uint64_t code_number[5]; /* simd, grf, barriers, scratch, inline */
    bool sets_number[5];     /* which of them were given */
    const char *word[XK_RUN_ARGS_MAX];
    unsigned n_words, n_outs;
    struct xk_run_out out[XK_RUN_OUTS_MAX];
    const char *sets_code; /* an option that only raw code needs, or NULL */
    bool stats, json, help, sets_groups, sets_seed, sets_waves;
};

/* Reads the arguments behind the verb; what is wrong is XK_EINVAL. */
enum xk_status xk_run_request_read(struct xk_run_request *r, int n,
                                   const char *const *args,
                                   struct xk_error *err);
void xk_run_request_help(FILE *out);

/* Assigns the words to a program's arguments; arg[k] is the one with number k.
 * Words "NAME=ARG" are assigned by name, others in the order of the numbers. A
 * buffer that the program only writes may be left out and is zeros. XK_EINVAL
 * names the argument and the word; XK_EIO as for xk_run_arg_parse. The caller
 * finishes the arguments, after an error too. */
enum xk_status xk_run_program_args(const struct xk_run_request *r,
                                   const struct xk_launch_list *l,
                                   struct xk_run_arg arg[XK_RUN_ARGS_MAX],
                                   struct xk_error *err);
/* Numbers for the names of --out. */
enum xk_status xk_run_program_outs(struct xk_run_request *r,
                                   const struct xk_launch_list *l,
                                   struct xk_error *err);

/* What is told of launches: text and JSON come from the same record. */
struct xk_run_report {
    bool stats, json;
    json_t *root;     /* an array of launches */
    json_t *insts;    /* of the launch in hand, or NULL */
    json_t *findings; /* of the launch in hand, or NULL */
    json_t *timing;   /* of the launch in hand, or NULL */
    unsigned n_findings;
    FILE *text;
};

enum xk_status xk_run_report_init(struct xk_run_report *r, bool stats,
                                  bool json, FILE *text, struct xk_error *err);
void xk_run_report_fini(struct xk_run_report *r);

/* Callbacks of struct xk_simulate_opts; user is the report. */
void xk_run_report_inst(void *user, const struct xk_simulate_inst *i);
void xk_run_report_finding(void *user, const struct xk_simulate_finding *f);

void xk_run_report_timing(void *user, const struct xk_timing *t);
void xk_run_timing_print(FILE *out, json_t *timing);

json_t *xk_run_json_of_stats(const struct xk_launch_stats *s);

/* One launch is over. */
struct xk_run_launch {
    const char *kernel, *platform;
    const uint32_t *groups, *local; /* [3]; local is NULL: not told */
    uint32_t simd;                  /* 0: not told */
    const struct xk_launch_stats *stats;
    const char *error; /* NULL: it ended well */
};
void xk_run_report_launch(struct xk_run_report *r,
                          const struct xk_run_launch *l);

#endif
