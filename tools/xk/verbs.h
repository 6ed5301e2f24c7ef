/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs of xk. Each gets the arguments behind its name and returns the
 * exit code: 0 fine, 1 failed, 2 usage. */
#ifndef XK_TOOLS_XK_VERBS_H
#define XK_TOOLS_XK_VERBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "xekern/status.h"

int xk_verb_gen(int n, const char *const *args);
int xk_verb_opt(int n, const char *const *args);
int xk_verb_dis(int n, const char *const *args);
int xk_verb_asm(int n, const char *const *args);
int xk_verb_lint(int n, const char *const *args);
int xk_verb_diff(int n, const char *const *args);
int xk_verb_run(int n, const char *const *args);
int xk_verb_vgpu(int n, const char *const *args);

/* Says why the arguments of a verb, of which there were n, cannot be used.
 * True: there were none, and its help should follow on stderr. */
bool xk_verb_misused(const char *name, const struct xk_error *why, int n);

/* "-" is stdin. A whole input, to be freed; NULL says why in *err. */
void *xk_tool_read(const char *path, size_t *n_b, struct xk_error *err);
/* An xk_write_fn; user is a FILE. */
void xk_tool_print(void *user, const char *text, size_t n);

#endif
