/* SPDX-License-Identifier: Apache-2.0 */
/* The words of --check and --timing, which xk run and xk vgpu share. They come
 * from the library's tables. */
#ifndef XK_TOOLS_XK_LOOK_WORDS_H
#define XK_TOOLS_XK_LOOK_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "xekern/status.h"

/* Checks that every word of a --check list is known. */
enum xk_status xk_look_checks_known(const char *list, struct xk_error *err);
/* True if a list of known words asks for this checker, also by a word that
 * includes it. The list may be NULL. */
bool xk_look_checks_has(const char *list, const char *check);

/* Checks that value is a machine of --timing or "", the platform's own. */
enum xk_status xk_look_machine_known(const char *value, struct xk_error *err);
/* The same; the machine must also be of this platform. NULL: no machine. */
enum xk_status xk_look_machine_fits(const char *value, const char *platform,
                                    struct xk_error *err);

/* For help texts: "a, b, c". */
void xk_look_check_words(char *out, size_t out_b);
void xk_look_machine_words(char *out, size_t out_b);

#endif
