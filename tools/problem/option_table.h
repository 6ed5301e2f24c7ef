/* SPDX-License-Identifier: Apache-2.0 */
/* Command line options as a table: "--name=value", "--name", and for options
 * with a letter "-x value". The table also prints the help text. */
#ifndef XK_TOOLS_PROBLEM_OPTION_TABLE_H
#define XK_TOOLS_PROBLEM_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "xekern/status.h"

typedef enum xk_status (*xk_tool_set_fn)(void *user, const char *value,
                                         struct xk_error *err);

struct xk_tool_option {
    const char *name;  /* without the dashes */
    char letter;       /* 0: none */
    const char *value; /* the value's name in the help; NULL: a flag */
    const char *help;  /* a {} becomes the value's words */
    /* value is "" for a flag. */
    xk_tool_set_fn set;
    bool apart; /* "--name value" is understood, too */
    bool maybe; /* "--name" alone is, too; value is "" then */
    bool many;  /* may be given twice */
    /* Writes the value's words, from the table that knows them. */
    void (*words)(char *out, size_t out_b);
    /* Used instead of set for an option that is a row of another table. */
    enum xk_status (*set_row)(void *user, uint32_t row, const char *value,
                              struct xk_error *err);
    uint32_t row;
};

/* What a command line may contain. */
struct xk_tool_syntax {
    const struct xk_tool_option *option;
    size_t n_options;
    xk_tool_set_fn other; /* gets what is no option; "-" is none: stdin */
    bool in_turn;         /* options hold for what follows, so each is `many` */
};

/* Applies n arguments in order until one fails: an option that is given twice
 * and is not `many` does. user goes to all functions of
 * the syntax. */
enum xk_status xk_tool_arguments(const struct xk_tool_syntax *syntax, int n,
                                 const char *const *args, void *user,
                                 struct xk_error *err);

/* "a, b, c" of the words of a table: at(k) is word k, NULL behind the last. */
void xk_tool_join_words(const char *(*at)(uint32_t k), char *out, size_t out_b);

void xk_tool_option_help(const struct xk_tool_option *table, size_t n,
                         FILE *out);

#endif
