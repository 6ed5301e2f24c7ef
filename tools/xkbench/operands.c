/* SPDX-License-Identifier: Apache-2.0 */
/* The tensors of one problem, on the host and on the device. */
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "tools/problem/words.h"
#include "tools/xkbench/work.h"

#define GUARD_B 4096

const struct xk_tensor_info *xk_bench_tensor(const struct xk_conv_info *info,
                                             int arg)
{
    static const struct xk_tensor_info none;
    if (arg < XK_N_CONV_ARGS)
        return &info->tensor[arg];
    if (arg < XK_ARG_RHS || arg >= XK_ARG_SEED)
        return &none;
    return arg < XK_ARG_SCALE ? &info->rhs[arg - XK_ARG_RHS]
           : arg < XK_ARG_ZERO_POINT
               ? &info->scale[arg - XK_ARG_SCALE]
               : &info->zero_point[arg - XK_ARG_ZERO_POINT];
}

bool xk_bench_memory_suffices(struct xk_bench_work *w)
{
    uint64_t tensors_b = 0;
    for (int i = 0; i < XK_BENCH_OPERANDS; i++) {
        const struct xk_tensor_info *const t = xk_bench_tensor(&w->r->info, i);
        const unsigned bits = xk_bench_type_bits(t->type);
        tensors_b += bits ? t->size_b * 8 / bits * sizeof(float) : t->size_b;
    }
    const uint64_t have_b =
        (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    if (tensors_b < have_b / 5)
        return true;
    return xk_bench_end(w, XK_SKIPPED,
                        "tensors of %" PRIu64 " MiB, %" PRIu64 " MiB of memory",
                        tensors_b >> 20, have_b >> 20);
}

static bool make_operand_buffer(struct xk_bench_work *w,
                                struct xk_bench_operand *o)
{
    if (!(o->size_b + o->guard_b)) /* empty */
        return true;
    const enum xk_status st = xk_buffer_create(
        w->device, o->size_b + o->guard_b, &o->buffer, &w->err);
    return st < 0 ? xk_bench_end_status(w, st) : true;
}

bool xk_bench_make_operand(struct xk_bench_work *w, int arg)
{
    const struct xk_tensor_info *const t = xk_bench_tensor(&w->r->info, arg);
    struct xk_bench_operand *const o = &w->op[arg];
    o->present = t->ndims;
    if (!o->present)
        return true;
    if (!xk_bench_type_bits(t->type))
        return xk_bench_end(w, XK_SKIPPED, "xkbench has no data of type %s yet",
                            xk_type_word(t->type));
    for (uint32_t i = 0; i < t->n_blocks; i++)
        if (t->blocks[i].size > 1 && !t->blocks[i].stride)
            return xk_bench_end(w, XK_SKIPPED,
                                "xkbench has no data whose elements share "
                                "memory");
    o->type = t->type;
    o->gaps = !*t->tag;
    o->size_b = t->size_b;
    o->written = xk_bench_writes(&w->p->desc, arg);
    o->guard_b = o->written ? GUARD_B : 0;
    if (xk_bench_time_only(w))
        return make_operand_buffer(w, o);
    if (!xk_bench_map_init(&o->map, t))
        return xk_bench_end(w, XK_FAILED,
                            "tensor %d: layout %s reaches outside "
                            "%" PRIu64 " bytes",
                            arg, t->tag, t->size_b);
    o->plain = malloc((o->map.n + 1) * sizeof *o->plain);
    o->image = calloc(1, o->size_b + o->guard_b + 1);
    if (!o->plain || !o->image)
        return xk_bench_end(w, XK_SKIPPED, "no host memory for tensor %d", arg);
    return make_operand_buffer(w, o);
}

unsigned char xk_bench_unwritten_byte(uint32_t type, uint64_t i)
{
    const unsigned bits = xk_bench_type_bits(type);
    return (unsigned char)(xk_bench_unwritten(type) >>
                           (bits > 8 ? i * 8 % bits : 0));
}

/* Values around the tensor's zero point, as far as its type has them, so that
 * results do not all saturate. */
static void shift_to_zero_point(const struct xk_bench_work *w, int arg)
{
    const struct xk_bench_operand *const o = &w->op[arg];
    const struct xk_quant *const q = &w->p->desc.attr.zero_point[arg];
    if (!q->source || q->mask || w->ranges.splits_zero)
        return;
    const double zero = q->source == XK_QUANT_HOST || !q->type
                            ? w->p->zero_point[arg]
                            : xk_bench_round(q->type, w->p->zero_point[arg]);
    for (uint64_t i = 0; i < o->map.n; i++)
        o->plain[i] =
            (float)xk_bench_round(o->type, (double)o->plain[i] + zero);
}

void xk_bench_fill_operands(struct xk_bench_work *w, uint64_t seed)
{
    for (int i = 0; i < XK_BENCH_OPERANDS; i++)
        if (w->op[i].present && i >= XK_ARG_SCALE)
            xk_bench_fill_quant(w->p, (uint32_t)i, w->op[i].plain,
                                w->op[i].map.n, seed);
        else if (w->op[i].present && i >= XK_ARG_RHS)
            xk_bench_fill_rhs(&w->p->desc, (uint32_t)(i - XK_ARG_RHS),
                              w->op[i].plain, w->op[i].map.n, seed);
        else if (w->op[i].present)
            xk_bench_fill_tensor(&w->p->desc, i, &w->ranges, w->op[i].plain,
                                 w->op[i].map.n, seed);
    if (w->op[XK_ARG_SRC].present)
        shift_to_zero_point(w, XK_ARG_SRC);
    if (w->op[XK_ARG_WEI].present)
        shift_to_zero_point(w, XK_ARG_WEI);
}

/* Makes the memory image of an operand. A destination that no sum reads, and
 * the memory behind it, get a pattern that shows what the kernel did not
 * write. */
static bool make_image(struct xk_bench_work *w, int arg)
{
    struct xk_bench_operand *const o = &w->op[arg];
    const bool pattern = o->written && !xk_bench_has_sum(&w->p->desc);
    for (uint64_t i = pattern ? 0 : o->size_b; i < o->size_b + o->guard_b; i++)
        o->image[i] = xk_bench_unwritten_byte(o->type, i);
    if (pattern)
        return true;
    uint32_t *const bits = malloc((o->map.n + 1) * sizeof *bits);
    if (!bits)
        return xk_bench_end(w, XK_SKIPPED, "no host memory for tensor %d", arg);
    const uint32_t type = o->written ? xk_bench_old_type(&w->p->desc) : o->type;
    for (uint64_t i = 0; i < o->map.n; i++)
        bits[i] = xk_bench_encode(type, (double)o->plain[i]);
    xk_bench_scatter(&o->map, bits, o->image);
    free(bits);
    return true;
}

bool xk_bench_upload(struct xk_bench_work *w)
{
    for (int i = 0; i < XK_BENCH_OPERANDS; i++) {
        struct xk_bench_operand *const o = &w->op[i];
        if (!o->present)
            continue;
        if (!make_image(w, i))
            return false;
        if (!o->buffer)
            continue;
        const enum xk_status st = xk_buffer_write(
            o->buffer, 0, o->image, o->size_b + o->guard_b, &w->err);
        if (st < 0)
            return xk_bench_end_status(w, st);
    }
    return true;
}

bool xk_bench_download(struct xk_bench_work *w)
{
    for (int i = 0; i < XK_N_CONV_ARGS; i++) {
        struct xk_bench_operand *const o = &w->op[i];
        if (!o->written)
            continue;
        const enum xk_status st = xk_buffer_read(
            o->buffer, 0, o->image, o->size_b + o->guard_b, &w->err);
        if (st < 0)
            return xk_bench_end_status(w, st);
    }
    return true;
}
