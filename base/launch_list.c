/* SPDX-License-Identifier: Apache-2.0 */
#include "base/launch_list.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static const struct {
    const char *word;
    uint32_t size_b;
} types[] = {{"buffer", 0}, {"f32", 4}, {"s32", 4}, {"s64", 8}};
#define N_TYPES (sizeof types / sizeof types[0])

const char *xk_value_type_word(uint32_t type)
{
    return type < N_TYPES ? types[type].word : NULL;
}

uint32_t xk_value_type_b(uint32_t type)
{
    return type < N_TYPES ? types[type].size_b : 0;
}

const struct xk_program_arg_info *
xk_launch_list_arg(const struct xk_launch_list *l, uint32_t number)
{
    for (uint32_t i = 0; i < l->n_args; i++)
        if (l->args[i].number == number)
            return &l->args[i];
    return NULL;
}

static enum xk_status wrong(struct xk_error *err, const char *fmt, ...)
    XK_PRINTF(2, 3);
static enum xk_status wrong(struct xk_error *err, const char *fmt, ...)
{
    const int n = snprintf(err->message, sizeof err->message, "program: ");
    va_list ap;
    err->status = XK_EINVAL;
    va_start(ap, fmt);
    vsnprintf(err->message + n, sizeof err->message - (size_t)n, fmt, ap);
    va_end(ap);
    return XK_EINVAL;
}

#define TRY(call)                                                              \
    do {                                                                       \
        if ((call) < 0)                                                        \
            return err->status;                                                \
    } while (0)

static enum xk_status check_count(const char *what, uint32_t n, uint32_t most,
                                  struct xk_error *err)
{
    return n <= most
               ? XK_OK
               : wrong(err, "%" PRIu32 " %s, at most %" PRIu32, n, what, most);
}

static enum xk_status check_list_args(const struct xk_launch_list *l,
                                      struct xk_error *err)
{
    TRY(check_count("arguments", l->n_args, XK_MAX_LAUNCH_ARGS, err));
    for (uint32_t i = 0; i < l->n_args; i++) {
        const struct xk_program_arg_info *const a = &l->args[i];
        const uint32_t value_b = xk_value_type_b(a->type);
        if (!xk_is_identifier(a->name, sizeof a->name))
            return wrong(err, "argument %" PRIu32 " has no name", i);
        if (a->number >= XK_MAX_LAUNCH_ARGS ||
            (i && a->number <= l->args[i - 1].number))
            return wrong(err,
                         "argument '%s': number %" PRIu32 ": numbers ascend "
                         "and are below %d",
                         a->name, a->number, XK_MAX_LAUNCH_ARGS);
        if (!xk_value_type_word(a->type) || !a->size_b ||
            (value_b && a->size_b != value_b) || a->written > !value_b)
            return wrong(err,
                         "argument '%s': type %" PRIu32 ", %" PRIu64
                         " bytes, written %" PRIu32,
                         a->name, a->type, a->size_b, a->written);
    }
    return XK_OK;
}

static enum xk_status check_scratch(const struct xk_launch_list *l,
                                    struct xk_error *err)
{
    const uint32_t align_b = l->scratch_align_b;
    TRY(check_count("scratch buffers", l->n_scratch, XK_MAX_SCRATCH, err));
    if (!l->n_scratch && !l->scratch_b)
        return XK_OK;
    if (!align_b || align_b & (align_b - 1))
        return wrong(err, "scratch: alignment %" PRIu32 " is no power of two",
                     align_b);
    for (uint32_t i = 0; i < l->n_scratch; i++) {
        const struct xk_scratch_info *const s = &l->scratch[i];
        if (!s->size_b || s->offset_b % align_b || s->offset_b > l->scratch_b ||
            s->size_b > l->scratch_b - s->offset_b)
            return wrong(err,
                         "scratch %" PRIu32 ": %" PRIu64 " bytes at %" PRIu64
                         " of %" PRIu64 ", aligned to %" PRIu32,
                         i, s->size_b, s->offset_b, l->scratch_b, align_b);
    }
    return XK_OK;
}

/* Whether what a kernel's argument takes is there. */
static bool binds(const struct xk_launch_list *l,
                  const struct xk_launch_arg_info *a)
{
    const struct xk_program_arg_info *const p =
        xk_launch_list_arg(l, a->number);
    const bool is_tensor = a->binding == XK_BIND_TENSOR;
    if (a->tensor != (is_tensor ? a->number : UINT32_MAX))
        return false;
    switch (a->binding) {
    case XK_BIND_TENSOR:
        return p && p->type == XK_VALUE_NONE && !a->size_b &&
               a->bits < p->size_b;
    case XK_BIND_VALUE:
        return p && p->type != XK_VALUE_NONE && a->size_b == p->size_b &&
               !a->bits;
    case XK_BIND_SCRATCH:
        return a->number < l->n_scratch && !a->size_b &&
               a->bits < l->scratch[a->number].size_b;
    case XK_BIND_CONSTANT:
        return a->size_b == 8 || (a->size_b == 4 && a->bits <= UINT32_MAX);
    default:
        return false;
    }
}

static enum xk_status check_step(const struct xk_launch_list *l, uint32_t i,
                                 struct xk_error *err)
{
    const struct xk_launch_step *const s = &l->launches[i];
    if (!xk_is_identifier(s->kernel, sizeof s->kernel))
        return wrong(err, "launch %" PRIu32 " names no kernel", i);
    TRY(check_count("arguments of a kernel", s->n_args, XK_MAX_LAUNCH_ARGS,
                    err));
    for (unsigned d = 0; d < 3; d++)
        if (!s->groups[d] || !s->local[d])
            return wrong(err, "launch %" PRIu32 ", %s: %s is 0 in %c", i,
                         s->kernel, s->groups[d] ? "local" : "groups",
                         "xyz"[d]);
    for (uint32_t k = 0; k < s->n_args; k++)
        if (!xk_is_identifier(s->args[k].name, sizeof s->args[k].name) ||
            !binds(l, &s->args[k]))
            return wrong(err,
                         "launch %" PRIu32 ", %s: argument %" PRIu32
                         " takes what the program does not have (binding "
                         "%" PRIu32 ", number %" PRIu32 ", %" PRIu32 " bytes)",
                         i, s->kernel, k, s->args[k].binding, s->args[k].number,
                         s->args[k].size_b);
    return XK_OK;
}

enum xk_status xk_launch_list_check(const struct xk_launch_list *l,
                                    struct xk_error *err)
{
    TRY(check_list_args(l, err));
    TRY(check_scratch(l, err));
    TRY(check_count("launches", l->n_launches, XK_MAX_LAUNCHES, err));
    if (!l->n_launches)
        return wrong(err, "it has no launches");
    for (uint32_t i = 0; i < l->n_launches; i++)
        TRY(check_step(l, i, err));
    return XK_OK;
}

/* The next n_b bytes of a block, filled from `from`. */
static void *put_block(char **at, const void *from, size_t n_b)
{
    void *const to = *at;
    if (n_b)
        memcpy(to, from, n_b);
    *at += n_b;
    return to;
}

struct xk_launch_list *xk_launch_list_copy(const struct xk_alloc *a,
                                           const struct xk_launch_list *l)
{
    /* Every struct's size is a multiple of 8, so each part is aligned. */
    const size_t steps_b = l->n_launches * sizeof *l->launches;
    const size_t args_b = l->n_args * sizeof *l->args;
    const size_t scratch_b = l->n_scratch * sizeof *l->scratch;
    size_t n_b = sizeof *l + steps_b + args_b + scratch_b;
    for (uint32_t i = 0; i < l->n_launches; i++)
        n_b += l->launches[i].n_args * sizeof *l->launches[i].args;
    struct xk_launch_list *const to = a->realloc(a->user, NULL, n_b);
    if (!to)
        return NULL;
    char *at = (char *)(to + 1);
    *to = *l;
    struct xk_launch_step *const steps = put_block(&at, l->launches, steps_b);
    to->launches = steps;
    to->args = put_block(&at, l->args, args_b);
    to->scratch = put_block(&at, l->scratch, scratch_b);
    for (uint32_t i = 0; i < l->n_launches; i++)
        steps[i].args = put_block(&at, l->launches[i].args,
                                  steps[i].n_args * sizeof *steps[i].args);
    return to;
}
_Static_assert(sizeof(struct xk_launch_list) % 8 == 0, "a copy's parts");
_Static_assert(sizeof(struct xk_launch_step) % 8 == 0, "a copy's parts");
_Static_assert(sizeof(struct xk_launch_arg_info) % 8 == 0, "a copy's parts");
_Static_assert(sizeof(struct xk_program_arg_info) % 8 == 0, "a copy's parts");
_Static_assert(sizeof(struct xk_scratch_info) % 8 == 0, "a copy's parts");
