/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "isa/format.h"
#include "tests/sim/check_mutants.h"

unsigned read_code(const struct subject *s, struct line *lines)
{
    unsigned n = 0;
    const uint8_t *const code = s->file + s->code_at;
    for (uint32_t at = 0; at < s->code_b && n < MAX_INSTS;) {
        struct xk_error err;
        size_t used_b = 0;
        if (xk_inst_decode(s->platform, code + at, s->code_b - at, &lines[n].in,
                           &used_b, &err) < 0)
            break;
        lines[n].at_b = at;
        lines[n].n_b = (uint32_t)used_b;
        xk_msg_decode(s->platform, &lines[n].in, &lines[n].msg);
        at += (uint32_t)used_b;
        n++;
    }
    return n;
}

bool write_inst(const struct subject *s, const struct line *l,
                const struct xk_inst *in)
{
    struct xk_inst copy = *in;
    struct xk_error err = {.message = ""};
    size_t used_b;
    copy.compacted = l->n_b == 8;
    copy.compact_as = 0;
    if (xk_inst_encode_as_marked(s->platform, &copy,
                                 s->file + s->code_at + l->at_b, &used_b,
                                 &err) == XK_OK)
        return true;
    printf("# cannot write: %s\n", err.message);
    return false;
}

void remove_inst(const struct subject *s, const struct line *l)
{
    struct xk_inst nop = {.op = XK_OPC_NOP, .exec = 1};
    if (l->n_b == 8) {
        nop = (struct xk_inst){.op = XK_OPC_SYNC,
                               .exec = 1,
                               .no_mask = true,
                               .sync_fn = XK_SYNC_NOP};
        nop.src[0].file = XK_FILE_ARF;
        nop.src[0].arf = XK_ARF_NULL;
        nop.dst.file = XK_FILE_ARF;
        nop.dst.arf = XK_ARF_NULL;
    }
    write_inst(s, l, &nop);
}

void restore(const struct subject *s, const uint8_t *saved)
{
    memcpy(s->file + s->code_at, saved, s->code_b);
}

const char *text_of(const struct subject *s, const struct line *l)
{
    static char out[160];
    struct xk_str t;
    xk_str_init(&t, &xk_alloc_default);
    xk_inst_print(s->platform, &l->in, &t);
    snprintf(out, sizeof out, "%.150s", xk_str_get(&t));
    xk_str_fini(&t);
    return out;
}

bool is_wait(const struct line *l)
{
    return l->in.op == XK_OPC_SYNC && l->in.sync_fn == XK_SYNC_BAR;
}

bool is_signal(const struct line *l)
{
    return xk_inst_is_send(&l->in) && l->msg.op == XK_MOP_BARRIER;
}

bool is_load(const struct line *l)
{
    return xk_inst_is_send(&l->in) &&
           xk_msg_op_class(l->msg.op) == XK_MCLASS_LOAD;
}

bool is_slm_fence(const struct line *l)
{
    const unsigned sfid = l->in.send.sfid;
    return xk_inst_is_send(&l->in) && l->msg.op == XK_MOP_FENCE &&
           (sfid == XK_SFID_SLM ||
            (sfid == XK_SFID_DC0 && (l->in.send.desc & 0xff) == 0xfe));
}

/* -- Group numbers -- */

static bool is_copy_of_r0(const struct xk_inst *in)
{
    return in->op == XK_OPC_MOV && in->exec == 8 &&
           in->src[0].file == XK_FILE_GRF && in->src[0].reg == 0 &&
           in->src[0].sub_b == 0 && in->dst.file == XK_FILE_GRF &&
           in->dst.sub_b == 0;
}

static bool reads_number(const struct xk_operand *o, const bool *is_r0,
                         unsigned axis)
{
    static const uint16_t at_b[] = {4, 24, 28}; /* r0.1, r0.6, r0.7 */
    return o->file == XK_FILE_GRF && !o->indirect && is_r0[o->reg] &&
           o->sub_b / 4 == at_b[axis] / 4;
}

static bool is_product(unsigned op)
{
    return op == XK_OPC_MUL || op == XK_OPC_MACH || op == XK_OPC_MACL ||
           op == XK_OPC_AND;
}

static struct xk_operand zero_like(const struct xk_operand *o)
{
    return (struct xk_operand){.file = XK_FILE_IMM, .type = o->type};
}

static void make_mov(struct xk_inst *in, struct xk_operand of)
{
    in->op = XK_OPC_MOV;
    in->src[0] = of;
    memset(&in->src[1], 0, sizeof in->src[1]);
}

/* The same with zero for source k; false if there is no such instruction. */
static bool zero_source(struct xk_inst *in, unsigned k)
{
    const struct xk_operand zero = zero_like(&in->src[k]);
    const unsigned n = xk_inst_n_srcs(in);
    if (n == 1 || (k == 0 && in->op == XK_OPC_SHL)) {
        make_mov(in, zero);
        return n == 1 || in->op == XK_OPC_MOV;
    }
    if (n != 2 || !(is_product(in->op) || in->op == XK_OPC_ADD))
        return false;
    if (in->src[1 - k].file == XK_FILE_IMM) {
        make_mov(in, is_product(in->op) ? zero : in->src[1 - k]);
        return true;
    }
    if (k == 0)
        in->src[0] = in->src[1];
    in->src[1] = zero;
    return true;
}

bool forget_group(const struct subject *s, const struct line *lines, unsigned n,
                  unsigned axis)
{
    bool is_r0[1 << 16] = {true}, any = false;
    for (unsigned i = 0; i < n; i++) {
        struct xk_inst in = lines[i].in;
        bool here = false;
        if (is_copy_of_r0(&in))
            is_r0[in.dst.reg] = true;
        if (is_copy_of_r0(&in) || xk_inst_is_send(&lines[i].in))
            continue;
        for (unsigned k = 0; k < xk_inst_n_srcs(&in); k++)
            if (reads_number(&in.src[k], is_r0, axis)) {
                if (!zero_source(&in, k))
                    return false;
                here = true;
                break;
            }
        if (here && !write_inst(s, &lines[i], &in))
            return false;
        any |= here;
    }
    return any;
}
