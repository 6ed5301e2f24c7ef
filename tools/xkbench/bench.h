/* SPDX-License-Identifier: Apache-2.0 */
/* xkbench: runs convolution problems on a device, compares them with an
 * independent reference and prints a line for each. Grammar, options, statuses
 * and the closing line follow oneDNN's benchdnn.
 *
 *   options.c  the option state machine
 *   peer_options.c  those of benchdnn that change no result
 *   problems.c  settings -> problems
 *   batch.c    files of arguments
 *   fill.c     random numbers, and the way between plain arrays and layouts
 *   roles.c    what a direction writes, and how long its sums are
 *   ranges.c   which data a problem gets
 *   types.c    data types as numbers; scale, post-ops, rounding
 *   meaning.c  the value of a post-op by its definition
 *   reference.c  the expected result, from oneDNN's CPU library
 *   own_reference.c  the same by the definition, where that has not the case
 *   run.c      one problem in one mode, with operands.c and judge.c (work.h)
 *   loop_figures.c  executed instructions of the loop that multiplies
 *   template.c the --perf-template language
 *   report.c   lines, progress, the closing line, the exit code */
#ifndef XK_TOOLS_XKBENCH_BENCH_H
#define XK_TOOLS_XKBENCH_BENCH_H

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/problem/conv_words.h"
#include "xekern/device.h"
#include "xekern/simulate.h"
#include "xekern/timing.h"
#include "xekern/xekern.h"

#define XK_COUNTOF(a) (sizeof(a) / sizeof((a)[0]))

/* Options whose lists make a cross product: the convolution's (enum
 * xk_conv_option_id), then this tool's. Items are separated by commas, those of
 * schedules by semicolons. */
enum xk_bench_axis { XK_AXIS_SCHEDULE = XK_N_CONV_OPTIONS, XK_N_AXES };
enum xk_bench_peer_option {
#define XK_PEER_OPTION(id, name, letter, kind, scope, words, keeps, modes,     \
                       help)                                                   \
    XK_PEER_##id,
#include "tools/xkbench/peer_option.def"
#undef XK_PEER_OPTION
    XK_N_PEER_OPTIONS
};

enum xk_bench_state {
    XK_LISTED,
    XK_SKIPPED,
    XK_INVALID_ARGUMENTS,
    XK_UNIMPLEMENTED,
    XK_INITIALIZED,
    XK_EXECUTED,
    XK_PASSED,
    XK_MISTRUSTED,
    XK_FAILED,
    XK_N_STATES
};

/* One problem with all its settings. status < 0: the text or a setting did not
 * make a descriptor; err says why and text is the original. */
struct xk_bench_problem {
    struct xk_conv_desc desc;
    float scale[XK_N_CONV_ARGS]; /* values that the text gives, or 1, 0 */
    int32_t zero_point[XK_N_CONV_ARGS], seed;
    char *name;
    char engine[8];
    char mode;         /* C R I L P B */
    bool own_platform; /* no --platform: what the device is */
    bool hash;
    const char *timing; /* mode P: machine and hypotheses; lives in xk_bench */
    bool time_only;     /* mode P: the predicted time of one creation */
    bool bound;         /* its lower bound */
    uint32_t waves;     /* of a core, to model; 0: some */
    enum xk_status status;
    struct xk_error err;
    char *dt, *attr;    /* as they were given */
    char *schedule;     /* "": the library's own */
    char *text;         /* canonical, with the name */
    char *repro;        /* non-default options and text */
    uint32_t fix_times; /* mode P: runs to measure; 0: as many as fit */
    uint64_t max_ns;    /* into this time; 0: some */
};

struct xk_bench_time {
    uint64_t min_ns, max_ns, total_ns, n;
};

/* What a launch on the simulator executed, an instruction each. */
struct xk_bench_count {
    uint32_t offset_b;
    uint8_t kind; /* loop_figures.c's */
    uint64_t executed;
};
struct xk_bench_counts {
    struct xk_bench_count *at;
    size_t n, room;
};

/* The innermost loop with at least 80 % of the executed multiply-adds of the
 * most powerful kind; without such a loop all of the code. */
struct xk_bench_loop {
    bool whole;
    uint32_t head_b, tail_b;           /* first and last instruction */
    uint64_t instructions, fma, syncs; /* executed */
};

struct xk_bench_result {
    enum xk_bench_state state;
    char reason[640];
    uint64_t wall_ns; /* everything done for this problem */
    struct xk_conv_info info;
    /* run: on the device, by its own clock; simulated: by the host's */
    struct xk_bench_time query, create, run;
    struct xk_launch_stats stats; /* all launches */
    /* Predicted by the simulator's timing model, all launches; 0: not asked. */
    double predicted_us, predicted_cycles;
    double best_us, worst_us; /* with the hypotheses that were asked for */
    char worst[48];           /* the one that takes the longest; nominal */
    char hypotheses[4096];    /* "gather=component:61.20 ...", us */
    double hypothesis_us[XK_TIMING_ALTERNATIVES]; /* the same, all launches */
    double touched_b;                             /* of memory */
    double peak_fmas, memory_rate; /* limits of the machine: a second */
    char shares[256]; /* where the last launch's cycles went, the most first */
    struct xk_bench_counts counts; /* of the launch that runs */
    struct xk_bench_loop loop;     /* of all launches; engine sim only */
    uint64_t code_b, static_instructions, static_fma, peak_b;
    uint64_t number;     /* of the problem, from 0 */
    uint32_t peak_grf;   /* the most of all launches */
    char schedule[2048]; /* of each launch that has one; equal ones once */
    uint32_t groups, threads_per_group;
    const char *reference; /* mode C: whose; NULL: nobody was asked */
    bool hashed;
    uint64_t hash;      /* of the destination's bytes */
    char code_hash[20]; /* of all launches' instructions */
};

#define XK_BENCH_USAGE "usage: xkbench [OPTION | PROBLEM]...\n"

struct xk_bench {
    char *list[XK_N_AXES]; /* comma separated words */
    char engine[8];
    char mode;
    char perf_template[512];
    char timing[160];   /* words of --timing */
    char *env_schedule; /* XK_SCHEDULE as it was; NULL: not set */
    bool has_match;
    regex_t match;
    unsigned batch_depth;
    bool batch_failed; /* a file that the command line names */
    /* The last option of a batch file, with its place, if no problem has
     * followed it yet; else "". */
    char unused[400];
    bool help, hash, time_only, bound;
    uint32_t waves;
    uint32_t fix_times, max_ms; /* 0: not given */
    int64_t start, repeats;     /* the first index, runs of each problem */
    bool no_reference;          /* --mode-modifier=M */
    bool deconv;                /* the driver */
    /* Why no problem is run: values of benchdnn's options, the engine; "":
     * problems are run. */
    char refused[XK_N_PEER_OPTIONS][80], refusal[80];
    char *folder[30]; /* of batch files so far, where others are looked for */
    size_t n_folders;
    uint64_t n_tests, n_seen;
    uint64_t count[XK_N_STATES];
    bool template_shown, progress;
    xk_device *device; /* the last one, for (engine, platform) below */
    char device_engine[8];
    uint32_t device_platform; /* 0: its own */
};

/* problems.c. The word of a list without its option. */
const char *xk_bench_default(int axis);
/* Item i of a list, to be freed; NULL behind the last, or without memory. */
char *xk_bench_list_item(int axis, const char *list, size_t i);
/* Runs the problem with each combination of the lists' words. False: no
 * memory. */
bool xk_bench_run_product(struct xk_bench *b, const char *text);

/* peer_options.c. An xk_tool_option's set_row. */
enum xk_status xk_bench_set_peer_option(void *user, uint32_t row,
                                        const char *value,
                                        struct xk_error *err);
void xk_bench_reset_peer_options(struct xk_bench *b);
/* XK_EUNSUPPORTED: with these options no problem is run. */
enum xk_status xk_bench_peer_refuses(const struct xk_bench *b,
                                     struct xk_error *err);

/* batch.c: the arguments in a file. A line with a wrong argument counts as an
 * invalid problem, and reading goes on. An error is one of the file itself. */
enum xk_status xk_bench_batch(struct xk_bench *b, const char *path,
                              struct xk_error *err);

/* options.c: applies all arguments in order and runs each problem where it
 * stands. A negative status is a usage error. */
void xk_bench_init(struct xk_bench *b);
void xk_bench_fini(struct xk_bench *b);
/* Refuses options behind the last problem, since they would have no effect. */
enum xk_status xk_bench_check_order(int n, const char *const *args,
                                    struct xk_error *err);
/* Does the option do something only for problems behind it? */
bool xk_bench_waits(const char *word);
/* The error about such an option that no problem follows. */
enum xk_status xk_bench_unused(const char *option, struct xk_error *err);
enum xk_status xk_bench_arguments(struct xk_bench *b, int n,
                                  const char *const *args,
                                  struct xk_error *err);
void xk_bench_help(FILE *out);

/* run.c. A result without a run. */
void xk_bench_skip(struct xk_bench_result *r, const char *why);
void xk_bench_invalid(struct xk_bench_result *r, const char *why);
/* own_platform becomes the device's platform. */
void xk_bench_run(struct xk_bench *b, struct xk_bench_problem *p,
                  struct xk_bench_result *r);
/* 2 * multiply-adds that touch no padding (benchdnn's %ops%). */
uint64_t xk_bench_ops(const struct xk_conv_desc *d);

/* fill.c: plain arrays are row-major in the tensor's dims order. */
struct xk_bench_map {
    uint32_t ndims;
    int64_t dims[XK_MAX_NDIMS];
    int64_t *offset[XK_MAX_NDIMS]; /* elements; their sum is the offset */
    uint64_t n;                    /* logical elements */
    unsigned elem_bits;
};
/* False: no memory, no such type, or an offset outside size_b. */
bool xk_bench_map_init(struct xk_bench_map *m, const struct xk_tensor_info *t);
void xk_bench_map_fini(struct xk_bench_map *m);
/* plain: an element's bits in each; image: t->size_b bytes. */
void xk_bench_scatter(const struct xk_bench_map *m, const uint32_t *plain,
                      void *image);
void xk_bench_gather(const struct xk_bench_map *m, const void *image,
                     uint32_t *plain);
/* Marks the elements of image that hold a logical element. */
void xk_bench_mark(const struct xk_bench_map *m, bool *used);
/* Non-zero integers in [-range, range]. In each run of k_n elements only every
 * every-th has a value; the others are 0. */
void xk_bench_fill(float *plain, uint64_t n, int32_t range, int64_t k_n,
                   int64_t every, uint64_t seed);

/* roles.c: A gradient takes the place of its tensor. */
bool xk_bench_is_gradient(const struct xk_conv_desc *d);
bool xk_bench_is_deconv(const struct xk_conv_desc *d);
/* BWD_WB writes two tensors, other directions one. */
bool xk_bench_writes(const struct xk_conv_desc *d, int arg);
uint32_t xk_bench_type_of(const struct xk_conv_desc *d, int arg);
/* Terms of one element of C, those in the padding too. */
int64_t xk_bench_terms(const struct xk_conv_desc *d);

/* ranges.c: the largest magnitude of each tensor, in steps of its unit. A sum
 * has k_n terms. Forward only each b_step-th has a weight that is not 0, so
 * that any partial sum stays within 2^24. */
struct xk_bench_ranges {
    int64_t k_n; /* terms of one element of C */
    int32_t a, b, bia, dst;
    int64_t b_step;
    bool a_half_zero; /* an unsigned one, as behind a relu */
    float bia_unit;
    int32_t dst_unit; /* of the old destination that a sum adds */
    bool splits_zero; /* the zero point of src is too large for exact sums: the
                         expected result is that of src less that of ones */
    bool beyond_s32;  /* with zero points sums may be, and then they wrap */
};
struct xk_bench_ranges xk_bench_choose_ranges(const struct xk_conv_desc *d);
/* Whether sums are so long that they cannot be exact, which can only be of
 * gradients. */
bool xk_bench_sum_too_long(const struct xk_conv_desc *d,
                           const struct xk_bench_ranges *r);
/* Narrower ones, so that sums stay exact with zero points of src and wei; where
 * no ranges are narrow enough for that, so that they are s32. */
void xk_bench_allow_zero_points(const struct xk_bench_problem *p,
                                struct xk_bench_ranges *r);
/* False if they are as narrow as they get. */
bool xk_bench_narrow_ranges(struct xk_bench_ranges *r);
/* True if the scale and the numbers of post-ops are short binary fractions and
 * no post-op is a function. */
bool xk_bench_attributes_exact(const struct xk_conv_desc *d);
/* Values of the tensor's type (plain: n of them). */
void xk_bench_fill_tensor(const struct xk_conv_desc *d, enum xk_conv_arg arg,
                          const struct xk_bench_ranges *r, float *plain,
                          uint64_t n, uint64_t seed);

/* A scale or zero point, by its argument's number: as the text says, or small
 * powers of two, small integers. */
void xk_bench_fill_quant(const struct xk_bench_problem *p, uint32_t number,
                         float *plain, uint64_t n, uint64_t seed);
/* The right-hand side of a post-op. */
void xk_bench_fill_rhs(const struct xk_conv_desc *d, uint32_t post_op,
                       float *plain, uint64_t n, uint64_t seed);

/* types.c. Bits of an element; 0: no data of this type. Two elements of 4
 * bits are a byte, the even one in its low half. */
unsigned xk_bench_type_bits(uint32_t type);
/* The nearest value of the type, ties to even, integers saturated. */
double xk_bench_round(uint32_t type, double v);
/* The bits of the rounded value, and back. */
uint32_t xk_bench_encode(uint32_t type, double v);
double xk_bench_decode(uint32_t type, uint32_t bits);
/* What the destination holds where nothing was written. */
uint32_t xk_bench_unwritten(uint32_t type);
bool xk_bench_has_sum(const struct xk_conv_desc *d);

/* Values that the kernel may compute. */
struct xk_bench_span {
    double lo, hi;
    bool nan; /* or a NaN */
};

/* meaning.c: a definition of post_op.def as a list of operators. */
struct xk_bench_instruction {
    uint8_t op;
    double number;
    double (*f)(double);
};
struct xk_bench_code {
    unsigned n;
    bool has_function; /* division and powers are */
    struct xk_bench_instruction at[64];
};
struct xk_bench_values {
    struct xk_bench_span x;
    double old, rhs, alpha, beta, zero;
};
/* False: the text is none. */
bool xk_bench_code_read(const char *text, struct xk_bench_code *code);
struct xk_bench_span xk_bench_code_run(const struct xk_bench_code *c,
                                       const struct xk_bench_values *v);

/* types.c: what follows conv + bias: the scale (0: none) and the post-ops. */
struct xk_bench_step {
    struct xk_bench_code code;
    struct xk_bench_values values; /* the numbers alone */
    uint32_t old_type;             /* a sum reads the old destination as this */
};
struct xk_bench_chain {
    uint32_t dst_type, old_type, n;
    double scale;
    struct xk_bench_code scaling;
    struct xk_bench_step step[XK_MAX_POST_OPS];
    bool dequantizes; /* scales of src or weights: before the bias */
    bool requantizes; /* scale or zero point of dst: behind the post-ops */
    bool stochastic;  /* rounded by random numbers */
    struct xk_bench_code before, behind;
};
/* The operands of an element: of each post-op, then these. */
enum {
    XK_BENCH_SCALE_SRC = XK_MAX_POST_OPS,
    XK_BENCH_SCALE_WEI,
    XK_BENCH_BIAS,
    XK_BENCH_SCALE_DST,
    XK_BENCH_ZERO_DST,
    XK_BENCH_NUMBER, /* the element's, in the order of dst's dims */
    XK_BENCH_SEED,
    XK_BENCH_N_RHS
};
/* The type of the old destination's data: that of the first sum that has one,
 * else dst's. */
uint32_t xk_bench_old_type(const struct xk_conv_desc *d);
/* False: a kind is unknown, or its definition cannot be read. */
bool xk_bench_chain_init(struct xk_bench_chain *c,
                         const struct xk_conv_desc *d);
/* The value of a destination element after scale, post-ops and rounding. v is
 * the exact conv + bias (if there are scales: conv alone), old the destination
 * before, rhs[XK_BENCH_N_RHS] the operands (NULL: none). Both ends are equal if
 * each intermediate result is an f32 value. Otherwise the span allows for the
 * kernel's roundings in f32, half a unit each. */
struct xk_bench_span xk_bench_finish(const struct xk_bench_chain *c, double v,
                                     double old, const double *rhs);
/* True if every step is exact and the destination's type holds the result. A
 * tie, or a value outside an integer type's range, is not exact. */
bool xk_bench_is_exact(const struct xk_bench_chain *c, double v, double old,
                       const double *rhs);

/* own_reference.c: what the direction makes, in plain nchw and oihw, f32, by
 * argument: forward dst = conv(src, wei) + bia, where bia may be NULL. It is
 * oneDNN's result where that has the case, else our own; *by, if not NULL,
 * says whose. */
enum xk_status xk_bench_reference(const struct xk_conv_desc *d,
                                  float *const tensor[XK_N_CONV_ARGS],
                                  const char **by, struct xk_error *err);
enum xk_status xk_bench_own_reference(const struct xk_conv_desc *d,
                                      float *const tensor[XK_N_CONV_ARGS],
                                      struct xk_error *err);
/* reference.c. XK_EABSENT: oneDNN is not there, or does not have the case. */
enum xk_status xk_bench_library_reference(const struct xk_conv_desc *d,
                                          float *const tensor[XK_N_CONV_ARGS],
                                          struct xk_error *err);

/* loop_figures.c. xk_bench_note_inst is an xk_simulate_inst_fn whose user is
 * the result. xk_bench_add_loop finds the launch's loop from its notes and adds
 * it to r->loop. */
void xk_bench_note_inst(void *user, const struct xk_simulate_inst *inst);
void xk_bench_add_loop(struct xk_bench_result *r,
                       const struct xk_launch_info *l);

/* template.c */
void xk_bench_template_help(FILE *out);
enum xk_status xk_bench_template_check(const char *text, struct xk_error *err);
/* "def" and "csv" become their texts; others stay as they are. */
const char *xk_bench_template_text(const char *text);
void xk_bench_template_print(const char *text, const struct xk_bench_problem *p,
                             const struct xk_bench_result *r, FILE *out);

/* report.c */
void xk_bench_progress(struct xk_bench *b, const struct xk_bench_problem *p);
void xk_bench_report(struct xk_bench *b, const struct xk_bench_problem *p,
                     const struct xk_bench_result *r);
void xk_bench_close(const struct xk_bench *b);
int xk_bench_exit_code(const struct xk_bench *b);
const char *xk_bench_state_name(enum xk_bench_state s);

#endif
