/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that reach buffers through pointers in memory, of which one buffer is
 * freed before the launch. */
#ifndef XK_TESTS_SIM_CHECK_MUTANTS_FREED_H
#define XK_TESTS_SIM_CHECK_MUTANTS_FREED_H

struct xk_platform;

struct freed_score {
    unsigned made, found, clean, alarms;
};

/* Compiles `cl_path` for a platform at two widths and adds to *score; what is
 * missed, or not said to be freed, or a false alarm goes to stdout. */
void freed_buffers(const char *cl_path, const struct xk_platform *p,
                   struct freed_score *score);

#endif
