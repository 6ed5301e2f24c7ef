/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that Intel's compiler made, on the simulator, beside the same in C.
 * Every kernel is compiled for two devices: acm-g10 gives LSC messages, dg2 the
 * older data port's; and once more in SIMD8. */
#ifndef XK_TESTS_RUNTIME_OPENCL_LAB_H
#define XK_TESTS_RUNTIME_OPENCL_LAB_H

#include <check.h>
#include <stdbool.h>

#include "xekern/device.h"

#define N 200 /* work items of most tests */

/* The last one forces SIMD8. */
enum { OPENCL_DEVICES = 3, OPENCL_UNFORCED = 2 };
enum { ARITH, MEMORY, FLOW, FLOATS, N_FILES };

extern xk_module *opencl_module[OPENCL_DEVICES][N_FILES];
extern uint8_t *opencl_memory_zebin[OPENCL_DEVICES]; /* memory.cl as compiled */
extern size_t opencl_memory_b[OPENCL_DEVICES];
/* False after a line about what does not compile or load. */
bool opencl_load(void);
void opencl_unload(void);

uint32_t opencl_rnd(void);
/* Numbers of all magnitudes and the corners; i counts them. */
int32_t opencl_any_int(unsigned i);
float opencl_any_float(unsigned i);

/* Filled from data, or not written; the caller's to unref. */
xk_buffer *opencl_buffer(const void *data, size_t n_b);

/* An argument of a kernel: a buffer of n_b bytes, filled from `from` (NULL: not
 * written) and read into `to` at the end (NULL: not read). */
struct opencl_arg {
    const void *from;
    void *to;
    uint32_t n_b;
    bool bare; /* no buffer but a value; without `from`, local memory */
};
enum { OPENCL_MAX_ARGS = 8 };
/* Launches, and asserts that all of it went well. */
void opencl_run(xk_module *m, const char *name, const uint32_t groups[3],
                const uint32_t local[3], unsigned n,
                const struct opencl_arg *args);
/* The same in one dimension; items is a multiple of local. */
void opencl_run_line(xk_module *m, const char *name, uint32_t items,
                     uint32_t local, unsigned n, const struct opencl_arg *args);

/* Arrays. */
#define FROM_TO(a, b)                                                          \
    {                                                                          \
        .from = (a), .to = (b), .n_b = sizeof(b)                               \
    }
#define IN(a)                                                                  \
    {                                                                          \
        .from = (a), .n_b = sizeof(a)                                          \
    }
#define OUT(a)                                                                 \
    {                                                                          \
        .to = (a), .n_b = sizeof(a)                                            \
    }
#define VAL(v)                                                                 \
    {                                                                          \
        .from = &(v), .n_b = sizeof(v), .bare = true                           \
    }
#define LOCAL(size_b)                                                          \
    {                                                                          \
        .n_b = (size_b), .bare = true                                          \
    }
#define RUN_BY(run, file, name, size, local, ...)                              \
    do {                                                                       \
        const struct opencl_arg a_[] = {__VA_ARGS__};                          \
        run(opencl_module[_i][file], name, size, local,                        \
            sizeof(a_) / sizeof(a_[0]), a_);                                   \
    } while (0)
#define RUN(file, name, items, local, ...)                                     \
    RUN_BY(opencl_run_line, file, name, items, local, __VA_ARGS__)
#define RUN_3D(file, name, groups, local, ...)                                 \
    RUN_BY(opencl_run, file, name, groups, local, __VA_ARGS__)

/* Where they differ is kept for the macros below. */
extern size_t opencl_diff_at;
extern unsigned long long opencl_diff_got, opencl_diff_want;
int opencl_same(const void *got, const void *want, size_t n_b, size_t each_b);
/* All NaNs are alike, and zero may have either sign. */
int opencl_same_float(const float *g, const float *w, size_t n);

#define SAME(name, got, want)                                                  \
    ck_assert_msg(opencl_same(got, want, sizeof(want), sizeof((want)[0])),     \
                  "%s: element %zu is 0x%llx, not 0x%llx", name,               \
                  opencl_diff_at, opencl_diff_got, opencl_diff_want)

#define SAME_FLOAT(name, got, want)                                            \
    ck_assert_msg(opencl_same_float(got, want, sizeof(want) / 4),              \
                  "%s: element %zu is 0x%llx, not 0x%llx", name,               \
                  opencl_diff_at, opencl_diff_got, opencl_diff_want)

#define ALL(test) tcase_add_loop_test(t, test, 0, OPENCL_DEVICES)
#define UNFORCED(test) tcase_add_loop_test(t, test, 0, OPENCL_UNFORCED)

void opencl_arith_tests(TCase *t);
void opencl_memory_tests(TCase *t);
void opencl_damage_tests(TCase *t);
void opencl_flow_tests(TCase *t);
void opencl_float_tests(TCase *t);

#endif
