/* SPDX-License-Identifier: Apache-2.0 */
#include "binary/launches_text.h"

#include <inttypes.h>

#include "base/launch_list.h"

static void print_arg(const struct xk_program_arg_info *a, struct xk_str *out)
{
    xk_str_printf(out, "arg %" PRIu32 " %s %s", a->number, a->name,
                  xk_value_type_word(a->type));
    if (a->type == XK_VALUE_NONE)
        xk_str_printf(out, " %" PRIu64 " %s", a->size_b,
                      a->written ? "write" : "read");
    xk_str_putc(out, '\n');
}

static void print_bind(const struct xk_launch_arg_info *a, struct xk_str *out)
{
    xk_str_printf(out, "bind %s ", a->name);
    if (a->binding == XK_BIND_CONSTANT)
        xk_str_printf(out, "constant %" PRIu32 " %" PRIu64 "\n", a->size_b,
                      a->bits);
    else
        xk_str_printf(out, "%s %" PRIu32,
                      a->binding == XK_BIND_SCRATCH ? "scratch" : "arg",
                      a->number);
    if (a->bits &&
        (a->binding == XK_BIND_TENSOR || a->binding == XK_BIND_SCRATCH))
        xk_str_printf(out, " at %" PRIu64, a->bits);
    if (a->binding != XK_BIND_CONSTANT)
        xk_str_putc(out, '\n');
}

static void print_launch_step(const struct xk_launch_step *s,
                              struct xk_str *out)
{
    xk_str_printf(out,
                  "launch %s groups %" PRIu32 " %" PRIu32 " %" PRIu32
                  " local %" PRIu32 " %" PRIu32 " %" PRIu32 "\n",
                  s->kernel, s->groups[0], s->groups[1], s->groups[2],
                  s->local[0], s->local[1], s->local[2]);
    for (uint32_t i = 0; i < s->n_args; i++)
        print_bind(&s->args[i], out);
}

void xk_launches_print(const struct xk_launch_list *l, struct xk_str *out)
{
    xk_str_puts(out, "xekern launches 1\n");
    for (uint32_t i = 0; i < l->n_args; i++)
        print_arg(&l->args[i], out);
    if (l->n_scratch)
        xk_str_printf(out, "block %" PRIu64 " align %" PRIu32 "\n",
                      l->scratch_b, l->scratch_align_b);
    for (uint32_t i = 0; i < l->n_scratch; i++)
        xk_str_printf(out, "scratch %" PRIu64 " at %" PRIu64 "\n",
                      l->scratch[i].size_b, l->scratch[i].offset_b);
    for (uint32_t i = 0; i < l->n_launches; i++)
        print_launch_step(&l->launches[i], out);
}
