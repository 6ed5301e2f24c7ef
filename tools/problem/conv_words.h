/* SPDX-License-Identifier: Apache-2.0 */
/* A convolution as the command line writes it: a problem and a word for each
 * option of conv_option.def. */
#ifndef XK_TOOLS_PROBLEM_CONV_WORDS_H
#define XK_TOOLS_PROBLEM_CONV_WORDS_H

#include "tools/problem/words.h"

enum xk_conv_option_id {
#define XK_CONV_OPTION(id, name, initial, fields, read, words, help)           \
    XK_OPT_##id,
#include "tools/problem/conv_option.def"
#undef XK_CONV_OPTION
    XK_N_CONV_OPTIONS
};

/* The content of the words. The values of scales and zero points are not in the
 * descriptor, since they are given when the kernel runs. */
struct xk_conv_request {
    struct xk_conv_desc desc;
    float scale[XK_N_CONV_ARGS];        /* 1 without */
    int32_t zero_point[XK_N_CONV_ARGS]; /* 0 without */
    int32_t seed;                       /* of stochastic rounding */
};

/* An option reads one word. XK_EINVAL: the word is unknown. XK_EUNSUPPORTED:
 * benchdnn has the word, but a descriptor cannot say it. The request's sizes
 * must have been read before. */
struct xk_conv_option {
    const char *name, *initial, *fields, *help;
    void (*words)(char *out, size_t out_b); /* may be NULL */
    enum xk_status (*read)(const struct xk_conv_option *o, const char *word,
                           struct xk_conv_request *r, struct xk_error *err);
};
extern const struct xk_conv_option xk_conv_options[XK_N_CONV_OPTIONS];

/* Reads the problem, then all words, and stops at the first error. name
 * receives the problem's name and has room for the problem's text. After an
 * error r->desc has what was read so far. */
enum xk_status xk_conv_request_read(const char *problem,
                                    const char *const word[XK_N_CONV_OPTIONS],
                                    struct xk_conv_request *r, char *name,
                                    struct xk_error *err);
/* Checks that the option knows the word, for any problem. */
enum xk_status xk_conv_word_check(enum xk_conv_option_id id, const char *word,
                                  struct xk_error *err);

/* Appends to a message of the library what its fields are called here:
 * "src_tag: tag ..." gets "; src_tag is --stag". */
void xk_conv_name_options(struct xk_error *err);

/* attr_words.c, the functions of the rows. */
#define XK_CONV_READ(f)                                                        \
    enum xk_status f(const struct xk_conv_option *o, const char *word,         \
                     struct xk_conv_request *r, struct xk_error *err)
XK_CONV_READ(xk_read_scales);
XK_CONV_READ(xk_read_zero_points);
XK_CONV_READ(xk_read_precomputed);
XK_CONV_READ(xk_read_scratchpad);
XK_CONV_READ(xk_read_fpmath);
XK_CONV_READ(xk_read_acc_mode);
XK_CONV_READ(xk_read_deterministic);
XK_CONV_READ(xk_read_dropout);
XK_CONV_READ(xk_read_rounding);
/* "1", "0", "true" or "false" in any case. */
bool xk_word_bool(const char *word, bool *out);
/* A whole number of digits alone, with a minus. */
bool xk_word_digits(const char *word, int64_t *out);

#endif
