/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that reach buffers through pointers in memory, of which one buffer is
 * freed before the launch. */
#ifndef XK_TESTS_SIM_CHECK_MUTANTS_FREED_H
#define XK_TESTS_SIM_CHECK_MUTANTS_FREED_H

struct freed_score {
    unsigned made, found, clean, alarms;
};

/* Compiles `cl_path` for xehpg at a width and adds to *score; what is missed or
 * a false alarm goes to stdout. */
void freed_buffers(const char *cl_path, unsigned simd,
                   struct freed_score *score);

#endif
