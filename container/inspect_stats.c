/* SPDX-License-Identifier: Apache-2.0 */
/* Static figures of a kernel: instruction mix, messages, registers, loops. */
#include <stdlib.h>
#include <string.h>

#include "isa/format.h"
#include "container/inspect_file.h"
#include "isa/message.h"

#define MAX_GRF 256

struct stats {
    xk_inspect *f;
    const struct xk_platform *p;
    struct xk_kernel_stats *out;
    struct xk_code_step *step; /* all instructions */
    unsigned n_steps;
    uint32_t n_of[XK_N_OPCODES];
    bool used[MAX_GRF];
    struct xk_str names; /* texts of the sends, NUL behind each */
    uint32_t cap_loops;
};

static bool is_fma(enum xk_opcode op)
{
    return op == XK_OPC_MAD || op == XK_OPC_MAC || op == XK_OPC_DP4A ||
           xk_opcode_is_dpas(op);
}

static enum xk_opcode step_opcode(const struct xk_code_step *s)
{
    return (enum xk_opcode)s->inst.op;
}

static enum xk_status decode_steps(struct stats *s, const struct xk_zkernel *k)
{
    struct xk_code_step step;
    const size_t most = k->code_b / (XK_INST_B / 2) + 1;
    s->step = xk_calloc(s->f->c, most, sizeof *s->step);
    if (!s->step)
        return XK_ENOMEM;
    for (size_t at = 0; xk_code_next(s->p, k->code, k->code_b, &at, &step);)
        s->step[s->n_steps++] = step;
    return XK_OK;
}

/* Counts direct GRF operands. Indirect operands are left out, since they may be
 * anywhere. */
static void note_operand_grfs(struct stats *s, const struct xk_inst *i)
{
    for (int k = -1; k < 3; k++) {
        const struct xk_operand *const o = k < 0 ? &i->dst : &i->src[k];
        if (o->file != XK_FILE_GRF || o->indirect)
            continue;
        const struct xk_footprint b = xk_inst_footprint(s->p, i, k);
        for (uint32_t r = b.first_b / s->p->grf_b;
             b.end_b > b.first_b && r <= (b.end_b - 1) / s->p->grf_b &&
             r < MAX_GRF;
             r++)
            s->used[r] = true;
    }
}

static void note_message(struct stats *s, const struct xk_inst *i)
{
    struct xk_msg m;
    xk_msg_decode(s->p, i, &m);
    xk_msg_print(s->p, &m, &s->names);
    xk_str_write(&s->names, "", 1);
}

static void count_steps(struct stats *s)
{
    struct xk_kernel_stats *const o = s->out;
    for (unsigned k = 0; k < s->n_steps; k++) {
        const struct xk_code_step *const st = &s->step[k];
        o->n_inst++;
        if (!st->good) {
            o->n_undecoded++;
            continue;
        }
        const enum xk_opcode op = step_opcode(st);
        s->n_of[op]++;
        o->n_compacted += st->inst.compacted;
        o->n_fma += is_fma(op);
        o->n_sync += op == XK_OPC_SYNC;
        o->n_branch += xk_opcode_is_branch(op);
        o->n_send += xk_opcode_is_send(op);
        note_operand_grfs(s, &st->inst);
        if (xk_opcode_is_send(op))
            note_message(s, &st->inst);
    }
    for (unsigned r = 0; r < MAX_GRF; r++) {
        o->grf_used += s->used[r];
        if (s->used[r])
            o->grf_top = r + 1;
    }
}

static int by_frequency(const void *a, const void *b)
{
    const struct xk_count *const x = a, *const y = b;
    if (x->n != y->n)
        return x->n < y->n ? 1 : -1;
    return strcmp(x->what, y->what);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(((const struct xk_count *)a)->what,
                  ((const struct xk_count *)b)->what);
}

static enum xk_status list_opcodes(struct stats *s)
{
    s->f->opcode = xk_calloc(s->f->c, XK_N_OPCODES, sizeof *s->f->opcode);
    if (!s->f->opcode)
        return XK_ENOMEM;
    for (unsigned op = 0; op < XK_N_OPCODES; op++)
        if (s->n_of[op])
            s->f->opcode[s->out->n_opcodes++] = (struct xk_count){
                xk_opcode_name((enum xk_opcode)op), s->n_of[op]};
    qsort(s->f->opcode, s->out->n_opcodes, sizeof *s->f->opcode, by_frequency);
    return XK_OK;
}

/* Merges equal neighbours of a sorted list and adds their counts. */
static uint32_t merge_equal(struct xk_count *list, uint32_t n)
{
    uint32_t to = 0;
    for (uint32_t k = 0; k < n; k++) {
        if (to && !strcmp(list[to - 1].what, list[k].what))
            list[to - 1].n += list[k].n;
        else
            list[to++] = list[k];
    }
    return to;
}

static enum xk_status list_messages(struct stats *s)
{
    const uint32_t n = s->out->n_send;
    if (!n)
        return XK_OK;
    if (s->names.failed)
        return xk_fail(s->f->c, XK_ENOMEM, "out of memory");
    s->f->message = xk_calloc(s->f->c, n, sizeof *s->f->message);
    s->f->names = xk_malloc(s->f->c, s->names.len);
    if (!s->f->message || !s->f->names)
        return XK_ENOMEM;
    memcpy(s->f->names, xk_str_get(&s->names), s->names.len);
    const char *at = s->f->names;
    for (uint32_t k = 0; k < n; k++, at += strlen(at) + 1)
        s->f->message[k] = (struct xk_count){at, 1};
    qsort(s->f->message, n, sizeof *s->f->message, by_text);
    s->out->n_messages = merge_equal(s->f->message, n);
    qsort(s->f->message, s->out->n_messages, sizeof *s->f->message,
          by_frequency);
    return XK_OK;
}

/* The offset to which a backward branch jumps; false for other instructions.
 * goto, cont and while have two targets; the one before the branch counts. */
static bool branches_back(const struct xk_code_step *st, size_t *head_b)
{
    if (!st->good || !xk_opcode_is_branch(step_opcode(st)))
        return false;
    int64_t off = st->inst.jip_b;
    if (st->inst.uip_b < off && step_opcode(st) == XK_OPC_GOTO)
        off = st->inst.uip_b;
    if (off >= 0 || -off > (int64_t)st->at_b)
        return false;
    *head_b = (size_t)((int64_t)st->at_b + off);
    return true;
}

/* Each loop head counts once: the last of several backward branches to it is
 * the tail. */
static enum xk_status note_loop(struct stats *s, size_t head_b, size_t tail_b)
{
    for (uint32_t k = 0; k < s->out->n_loops; k++) {
        if (s->f->loop[k].head_b == head_b) {
            s->f->loop[k].tail_b = (uint32_t)tail_b;
            return XK_OK;
        }
    }
    if (!xk_grow(s->f->c, &s->f->loop, s->out->n_loops, &s->cap_loops,
                 sizeof *s->f->loop))
        return XK_ENOMEM;
    s->f->loop[s->out->n_loops++] = (struct xk_loop_facts){
        .head_b = (uint32_t)head_b, .tail_b = (uint32_t)tail_b};
    return XK_OK;
}

static void fill_loop(const struct stats *s, struct xk_loop_facts *l)
{
    for (unsigned k = 0; k < s->n_steps; k++) {
        const struct xk_code_step *const st = &s->step[k];
        if (st->at_b < l->head_b || st->at_b > l->tail_b)
            continue;
        l->n_inst++;
        if (!st->good)
            continue;
        l->n_fma += is_fma(step_opcode(st));
        l->n_send += xk_opcode_is_send(step_opcode(st));
        l->n_sync += step_opcode(st) == XK_OPC_SYNC;
    }
    for (uint32_t k = 0; k < s->out->n_loops; k++) {
        const struct xk_loop_facts *const o = &s->f->loop[k];
        l->depth += o->head_b <= l->head_b && o->tail_b >= l->tail_b;
    }
}

static int by_head(const void *a, const void *b)
{
    const struct xk_loop_facts *const x = a, *const y = b;
    return x->head_b < y->head_b ? -1 : x->head_b > y->head_b;
}

static enum xk_status list_loops(struct stats *s)
{
    size_t head_b;
    for (unsigned k = 0; k < s->n_steps; k++)
        if (branches_back(&s->step[k], &head_b))
            XK_TRY(note_loop(s, head_b, s->step[k].at_b));
    if (s->out->n_loops)
        qsort(s->f->loop, s->out->n_loops, sizeof *s->f->loop, by_head);
    for (uint32_t k = 0; k < s->out->n_loops; k++)
        fill_loop(s, &s->f->loop[k]);
    return XK_OK;
}

static enum xk_status collect_stats(struct stats *s, const struct xk_zkernel *k)
{
    s->out->code_b = k->code_b;
    XK_TRY(decode_steps(s, k));
    count_steps(s);
    XK_TRY(list_opcodes(s));
    XK_TRY(list_messages(s));
    return list_loops(s);
}

static void free_stats(xk_inspect *f)
{
    xk_free(f->c, f->opcode);
    xk_free(f->c, f->message);
    xk_free(f->c, f->loop);
    xk_free(f->c, f->names);
    f->opcode = f->message = NULL;
    f->loop = NULL;
    f->names = NULL;
}

enum xk_status xk_inspect_stats(xk_inspect *f, uint32_t kernel,
                                struct xk_kernel_stats *out,
                                struct xk_error *err)
{
    struct stats s = {.f = f, .p = f->file.platform, .out = out};
    const struct xk_zkernel *const k = xk_inspect_get(f, kernel);
    *out = (struct xk_kernel_stats){.code_b = 0};
    free_stats(f);
    xk_str_init(&s.names, &f->c->alloc);
    if (k && collect_stats(&s, k) == XK_OK) {
        out->opcode = f->opcode;
        out->message = f->message;
        out->loop = f->loop;
    }
    xk_str_fini(&s.names);
    xk_free(f->c, s.step);
    return xk_inspect_end(f, err);
}
