/* SPDX-License-Identifier: Apache-2.0 */
/* The words of the command line for the fields of a convolution descriptor:
 * platforms, directions, data types, post-ops; both ways. A word that the
 * field's table does not have is an error that names the field and the word. */
#ifndef XK_TOOLS_PROBLEM_WORDS_H
#define XK_TOOLS_PROBLEM_WORDS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xekern/xekern.h"

/* Fills *err (may be NULL) and returns status. */
enum xk_status xk_tool_fail(struct xk_error *err, enum xk_status status,
                            const char *format, ...) XK_PRINTF(3, 4);

/* What turns a noun into that of n: "%u kernel%s", n, xk_tool_s(n). */
const char *xk_tool_s(uint64_t n);

/* One word each; the reverse direction answers "?" for an unknown value. The
 * option that has the word is called name. */
enum xk_status xk_word_platform(const char *name, const char *word,
                                uint32_t *out, struct xk_error *err);
enum xk_status xk_word_prop(const char *word, uint32_t *out,
                            struct xk_error *err);
enum xk_status xk_word_type(const char *name, const char *word, uint32_t *out,
                            struct xk_error *err);
/* For help texts: each value's first word, "a, b, c". */
void xk_words_of_platforms(char *out, size_t out_b);
void xk_words_of_devices(char *out, size_t out_b);
void xk_words_of_props(char *out, size_t out_b);
void xk_words_of_types(char *out, size_t out_b);
void xk_words_of_post_ops(char *out, size_t out_b);
void xk_words_of_algs(char *out, size_t out_b);
void xk_words_of_policies(char *out, size_t out_b);
void xk_words_of_scratchpads(char *out, size_t out_b);
void xk_words_of_maths(char *out, size_t out_b);
void xk_words_of_accs(char *out, size_t out_b);
void xk_words_of_roundings(char *out, size_t out_b);
const char *xk_platform_word(uint32_t platform);
const char *xk_prop_word(uint32_t prop);
const char *xk_type_word(uint32_t type);
/* The word of --platform, as a string that lives forever. */
enum xk_status xk_platform_option(const char *word, const char **out,
                                  struct xk_error *err);

/* "f32" for all three, "src:wei:dst", or "u8s8", which is u8:s8:u8. */
enum xk_status xk_word_types(const char *word, struct xk_conv_desc *d,
                             struct xk_error *err);

/* "", "relu", "sum:0.5+relu": fills post_ops, as xk_post_ops_parse. */
enum xk_status xk_word_post_ops(const char *word, struct xk_conv_desc *d,
                                struct xk_error *err);

/* "", "common" (1) or "common:2.5": the factor of convolution and bias.
 * benchdnn's other policies are XK_EUNSUPPORTED. */
enum xk_status xk_word_oscale(const char *word, struct xk_conv_desc *d,
                              struct xk_error *err);

/* Copies a layout tag for the option called name. A tag that is too long is an
 * error; its content is checked later. */
enum xk_status xk_word_tag(const char *name, const char *word,
                           char out[XK_TAG_MAX], struct xk_error *err);

/* A device's word, of any platform; "" is none. */
enum xk_status xk_word_device(const char *name, const char *word,
                              char out[XK_TAG_MAX], struct xk_error *err);

/* A whole decimal number in [least, most] for the option called name. */
enum xk_status xk_word_int(const char *name, const char *word, int64_t least,
                           int64_t most, int64_t *out, struct xk_error *err);

#endif
