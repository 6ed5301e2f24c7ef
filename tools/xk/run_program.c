/* SPDX-License-Identifier: Apache-2.0 */
/* xk run of a program: which word is which of its arguments. */
#include <stdlib.h>
#include <string.h>

#include "tools/problem/words.h"
#include "tools/xk/run_verb.h"

static const struct xk_program_arg_info *
find_program_arg(const struct xk_launch_list *l, const char *name, size_t n)
{
    for (uint32_t i = 0; i < l->n_args; i++)
        if (strlen(l->args[i].name) == n && !memcmp(l->args[i].name, name, n))
            return &l->args[i];
    return NULL;
}

/* " src, wei, dst" */
static void join_names(const struct xk_launch_list *l, char *out, size_t out_b)
{
    size_t at = 0;
    *out = 0;
    for (uint32_t i = 0; i < l->n_args && at < out_b; i++)
        at += (size_t)snprintf(out + at, out_b - at, "%s %s", i ? "," : "",
                               l->args[i].name);
}

static enum xk_status no_such(const struct xk_launch_list *l, const char *what,
                              const char *word, struct xk_error *err)
{
    char names[300];
    join_names(l, names, sizeof names);
    return xk_tool_fail(err, XK_EINVAL,
                        "%s%.100s: the program has no such argument, but%s",
                        what, word, names);
}

/* As the tool calls it. */
static const char *type_word(uint32_t type)
{
    return type == XK_VALUE_NONE ? "a buffer" : xk_run_value_word(type);
}

static enum xk_status check_kind(const struct xk_program_arg_info *p,
                                 const struct xk_run_arg *a,
                                 struct xk_error *err)
{
    const bool buffer = p->type == XK_VALUE_NONE;
    if (buffer ? a->is_buffer : a->type && !strcmp(a->type, type_word(p->type)))
        return XK_OK;
    return xk_tool_fail(err, XK_EINVAL,
                        "argument %u, '%s': takes %s; '%.100s' was given",
                        p->number, p->name, type_word(p->type), a->word);
}

/* The word for argument p. */
static enum xk_status set_arg(const struct xk_program_arg_info *p,
                              const char *word, struct xk_run_arg *a,
                              struct xk_error *err)
{
    if (a->word)
        return xk_tool_fail(err, XK_EINVAL,
                            "argument %u, '%s': '%.100s' is given, and "
                            "'%.100s'",
                            p->number, p->name, a->word, word);
    const enum xk_status s = xk_run_arg_parse(
        word, p->number, p->type == XK_VALUE_NONE ? p->size_b : 0, a, err);
    return s < 0 ? s : check_kind(p, a, err);
}

/* No word is for the argument. */
static enum xk_status set_missing(const struct xk_program_arg_info *p,
                                  struct xk_run_arg *a, struct xk_error *err)
{
    if (!p->written)
        return xk_tool_fail(err, XK_EINVAL,
                            "argument %u, '%s', %s: is not given", p->number,
                            p->name, type_word(p->type));
    return xk_run_arg_parse("buf:zero", p->number, p->size_b, a, err);
}

enum xk_status xk_run_program_args(const struct xk_run_request *r,
                                   const struct xk_launch_list *l,
                                   struct xk_run_arg arg[XK_RUN_ARGS_MAX],
                                   struct xk_error *err)
{
    uint32_t next = 0; /* of l->args, for a word without a name */
    for (unsigned k = 0; k < r->n_words; k++) {
        const char *const word = r->word[k];
        const size_t n = strcspn(word, "=:");
        const bool named = word[n] == '=';
        const struct xk_program_arg_info *const p =
            named              ? find_program_arg(l, word, n)
            : next < l->n_args ? &l->args[next++]
                               : NULL;
        if (!p && named)
            return no_such(l, "", word, err);
        if (!p)
            return xk_tool_fail(err, XK_EINVAL,
                                "%.100s: the program has %u arguments", word,
                                l->n_args);
        if (set_arg(p, word + (named ? n + 1 : 0), &arg[p->number], err) < 0)
            return err->status;
    }
    for (uint32_t i = 0; i < l->n_args; i++)
        if (!arg[l->args[i].number].word &&
            set_missing(&l->args[i], &arg[l->args[i].number], err) < 0)
            return err->status;
    return XK_OK;
}

enum xk_status xk_run_program_outs(struct xk_run_request *r,
                                   const struct xk_launch_list *l,
                                   struct xk_error *err)
{
    for (unsigned k = 0; k < r->n_outs; k++) {
        struct xk_run_out *const o = &r->out[k];
        const struct xk_program_arg_info *p =
            find_program_arg(l, o->name, strlen(o->name));
        for (uint32_t i = 0; !*o->name && i < l->n_args; i++)
            if (l->args[i].number == o->number)
                p = &l->args[i];
        char number[24];
        snprintf(number, sizeof number, "%llu", (unsigned long long)o->number);
        if (!p)
            return no_such(l, "out=", *o->name ? o->name : number, err);
        o->number = p->number;
    }
    return XK_OK;
}
