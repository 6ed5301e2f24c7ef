/* SPDX-License-Identifier: Apache-2.0 */
/* The words of --check and --timing, which xk run and xk vgpu share. They come
 * from the library's tables. */
#ifndef XK_TOOLS_XK_LOOK_WORDS_H
#define XK_TOOLS_XK_LOOK_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "xekern/status.h"

/* Is every word of a --check list one of the checkers'? */
enum xk_status xk_look_checks_known(const char *list, struct xk_error *err);
/* Does a list of known words, or NULL, ask for this checker, also by a word
 * that contains it? */
bool xk_look_checks_has(const char *list, const char *check);

/* Is it a machine of --timing, or "", the platform's own? */
enum xk_status xk_look_machine_known(const char *value, struct xk_error *err);
/* The same, and is the machine of this platform? NULL is none. */
enum xk_status xk_look_machine_fits(const char *value, const char *platform,
                                    struct xk_error *err);

/* For help texts: "a, b, c". */
void xk_look_check_words(char *out, size_t out_b);
void xk_look_machine_words(char *out, size_t out_b);

#endif
