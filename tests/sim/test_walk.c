/* SPDX-License-Identifier: Apache-2.0 */
/* Every opcode and every kind of message of isa/ on every platform: whatever
 * can be encoded and the validator has nothing against must have an executor.
 * Exceptions stand in the tables below, each with its reason; docs/run.md says
 * the same in words. A row that is never met is an error, too. */
#include <stdio.h>
#include <string.h>

#include "isa/format.h"
#include "isa/message_sampler.h"
#include "isa/message_table.h"
#include "sim/exec/select.h"
#include "sim/message/message_typed.h"
#include "tests/tap.h"

static const char *const platforms[] = {"xelp", "xehpg", "xehpc"};
enum { N_PLATFORMS = 3, MAX_TYPES = XK_RT_TF32 + 1 };

static bool has_header(const struct xk_msg *m)
{
    return m->header;
}

static bool is_upper(const struct xk_msg *m)
{
    return m->slot_high;
}

/* Coordinates and channels of the load/store cache's typed messages. */
static bool is_not_32_bit(const struct xk_msg *m)
{
    return m->addr_b != 4 || m->data_b != 4 || m->reg_b != 4;
}

static bool is_transposed(const struct xk_msg *m)
{
    return m->transpose;
}

/* Messages that are refused at execution. */
static struct refused {
    unsigned kind;
    unsigned sfid;                        /* 0: any */
    bool (*only)(const struct xk_msg *m); /* NULL: always */
    const char *why;
    bool met;
} refused[] = {
    {XK_MSG_LSC_LOAD_STRIDED, 0, is_transposed, "lanes or a block", false},
    {XK_MSG_LSC_STORE_STRIDED, 0, is_transposed, "lanes or a block", false},
    {XK_MSG_LSC_CCS, 0, NULL, "compression is not modelled", false},
    {XK_MSG_LSC_LOAD_STATUS, XK_SFID_TGM, NULL, "status of typed loads", false},
    {XK_MSG_LSC_STORE_UNCOMPRESSED, XK_SFID_TGM, NULL,
     "vectors to typed surfaces", false},
    {XK_MSG_LSC_LOAD_CMASK, XK_SFID_TGM, is_not_32_bit, "narrow or wide",
     false},
    {XK_MSG_LSC_STORE_CMASK, XK_SFID_TGM, is_not_32_bit, "narrow or wide",
     false},
    {XK_MSG_LSC_STORE_UNCOMPRESSED_CMASK, XK_SFID_TGM, is_not_32_bit,
     "narrow or wide", false},
    {XK_MSG_LSC_ATOMIC, XK_SFID_TGM, is_not_32_bit, "narrow or wide", false},
    {XK_MSG_DC1_TYPED_LOAD, 0, has_header, "sample mask", false},
    {XK_MSG_DC1_TYPED_STORE, 0, has_header, "sample mask", false},
    {XK_MSG_DC1_TYPED_ATOMIC_INT, 0, has_header, "sample mask", false},
    {XK_MSG_DCRO_TYPED_STORE, 0, has_header, "sample mask", false},
    {XK_MSG_DC1_TYPED_LOAD, 0, is_upper, "upper slots", false},
    {XK_MSG_DC1_TYPED_STORE, 0, is_upper, "upper slots", false},
    {XK_MSG_DC1_TYPED_ATOMIC_INT, 0, is_upper, "upper slots", false},
    {XK_MSG_DCRO_TYPED_STORE, 0, is_upper, "upper slots", false},
    {XK_MSG_DC1_TYPED_LOAD_STATUS, 0, NULL, "where the status goes", false},
    {XK_MSG_DC1_TYPED_ATOMIC_INT16, 0, NULL, "which formats it takes", false},
    {XK_MSG_DC1_TYPED_COUNTER, 0, NULL, "where a counter lies", false},
    {XK_MSG_DC1_TYPED_COUNTER16, 0, NULL, "where a counter lies", false},
    {XK_MSG_GTWY_SIGNAL, 0, NULL, "event numbers of the gateway", false},
    {XK_MSG_GTWY_MONITOR, 0, NULL, "event numbers of the gateway", false},
    {XK_MSG_GTWY_UNMONITOR, 0, NULL, "event numbers of the gateway", false},
    {XK_MSG_GTWY_WAIT, 0, NULL, "event numbers of the gateway", false},
    {XK_MSG_OTHER, XK_SFID_SMPL, NULL, "samplers: what OpenCL does not use",
     false},
    {XK_MSG_OTHER, 0, NULL, "functions of 3D", false},
};

/* The sampler's operations that OpenCL needs; xehpc says that it has none. */
static bool is_sampled(const struct xk_inst *i)
{
    struct xk_sampler_msg m;
    return xk_sampler_decode(i, &m) && m.simd && !m.other &&
           (m.op == XK_SMP_SAMPLE_L || m.op == XK_SMP_SAMPLE_LZ ||
            m.op == XK_SMP_LD_LZ);
}

static struct refused *find_refused(const struct xk_msg *m)
{
    for (size_t i = 0; i < XK_COUNTOF(refused); i++)
        if (refused[i].kind == m->kind &&
            (!refused[i].sfid || refused[i].sfid == m->sfid) &&
            (!refused[i].only || refused[i].only(m)))
            return &refused[i];
    return NULL;
}

/* Instructions that are refused: illegal raises an exception on hardware; where
 * idiv leaves the remainder is not established, and no compiler uses it. */
static bool is_refused_opcode(const struct xk_inst *i)
{
    return i->op == XK_OPC_ILLEGAL ||
           (i->op == XK_OPC_MATH && i->math_fn == XK_MATH_IDIV);
}

/* Kernels of one instruction. NULL: it does not decode. */
static xk_sim_kernel *kernel_of(const struct xk_platform *p,
                                const struct xk_inst *i)
{
    uint8_t code[2 * XK_INST_B] = {0};
    struct xk_error err = {.message = ""};
    xk_sim_kernel *k = NULL;
    if (xk_inst_encode(p, i, code, &err) < 0)
        return NULL;
    const struct xk_zkernel z = {.name = "walk",
                                 .simd = 16,
                                 .grf_count = 128,
                                 .code = code,
                                 .code_b = sizeof code};
    ck_assert_msg(xk_sim_kernel_create(NULL, p, &z, &k, &err) == XK_OK, "%s",
                  err.message);
    return k;
}

static struct xk_operand grf(unsigned reg, unsigned type, unsigned exec)
{
    return (struct xk_operand){
        .file = XK_FILE_GRF,
        .type = (uint8_t)type,
        .reg = (uint16_t)reg,
        .rgn = exec == 1 ? (struct xk_region){0, 1, 0}
                         : (struct xk_region){(uint8_t)exec, (uint8_t)exec, 1}};
}

static bool is_ternary(unsigned op)
{
    return xk_opcode_n_srcs((enum xk_opcode)op) == 3;
}

static void shape(struct xk_inst *i, unsigned op, unsigned dst, unsigned a,
                  unsigned b)
{
    const unsigned n = xk_opcode_n_srcs((enum xk_opcode)op);
    const unsigned types[3] = {a, b, b};
    i->op = (uint16_t)op;
    i->no_mask = true;
    i->dst = grf(20, dst, i->exec);
    i->dst.rgn = (struct xk_region){0, 0, 1};
    for (unsigned k = 0; k < n; k++) {
        i->src[k] = grf(40 + 20 * k, types[k], i->exec);
        if (is_ternary(op)) {
            i->src[k].rgn.width = 0;
            i->src[k].rgn.vs = i->exec == 1 ? 0 : 1;
            i->src[k].rgn.hs = i->exec == 1 ? 0 : 1;
        }
    }
}

/* What single opcodes need besides types. */
static void complete(const struct xk_platform *p, struct xk_inst *i,
                     unsigned variant)
{
    switch ((enum xk_opcode)i->op) {
    case XK_OPC_MATH:
        i->math_fn = (uint8_t)(1 + variant % 15);
        if (i->math_fn < XK_MATH_FDIV)
            i->src[1] = (struct xk_operand){.file = XK_FILE_NONE};
        break;
    case XK_OPC_ADDC:
    case XK_OPC_SUBB:
        i->acc_wr_en = p->has_acc_wr_en;
        break;
    case XK_OPC_CMP:
    case XK_OPC_CMPN:
    case XK_OPC_CSEL:
    case XK_OPC_SEL:
        i->cond = XK_COND_GT;
        break;
    case XK_OPC_DPAS:
    case XK_OPC_DPASW:
        i->sdepth = 8;
        i->rcount = (uint8_t)(1 + variant % 8);
        i->src[0].type = i->dst.type; /* sums */
        for (unsigned k = 0; k < 3; k++)
            i->src[k].rgn = (struct xk_region){1, 1, 0};
        break;
    case XK_OPC_BFN:
        i->bfn = 0x1e;
        break;
    default:
        break;
    }
}

static unsigned n_tried[XK_N_OPCODES], n_run[XK_N_OPCODES];

static bool is_int(unsigned type)
{
    return type < XK_RT_HF;
}

/* What the validator leaves open: math on integers, or on f and hf. */
static bool fits_math(const struct xk_inst *i)
{
    const bool on_ints =
        i->math_fn >= XK_MATH_IDIV && i->math_fn <= XK_MATH_IREM;
    if (i->op != XK_OPC_MATH)
        return true;
    return on_ints == is_int(i->dst.type) &&
           on_ints == is_int(i->src[0].type) &&
           (i->src[1].file == XK_FILE_NONE ||
            on_ints == is_int(i->src[1].type));
}

static void try_one(const struct xk_platform *p, const struct xk_inst *i)
{
    struct xk_isa_violation v[4];
    struct xk_str s;
    if (xk_inst_validate(p, i, v, 4) || !fits_math(i))
        return;
    xk_sim_kernel *const k = kernel_of(p, i);
    if (!k)
        return;
    n_tried[i->op]++;
    xk_str_init(&s, &xk_alloc_default);
    xk_inst_print(p, i, &s);
    ck_assert_msg(k->inst[0].fn != xk_sim_exec_undecodable,
                  "%s: '%s' does not decode", p->name, xk_str_get(&s));
    ck_assert_msg((k->inst[0].fn == xk_sim_exec_unsupported) ==
                      is_refused_opcode(i),
                  "%s: '%s' is refused, or listed as refused and executed",
                  p->name, xk_str_get(&s));
    n_run[i->op]++;
    xk_str_fini(&s);
    xk_sim_kernel_destroy(k);
}

static void walk_types(const struct xk_platform *p, unsigned op, unsigned exec)
{
    for (unsigned dst = 0; dst < MAX_TYPES; dst++)
        for (unsigned a = 0; a < MAX_TYPES; a++)
            for (unsigned b = 0; b < MAX_TYPES; b++)
                for (unsigned variant = 0; variant < 16; variant++) {
                    struct xk_inst i = {.exec = (uint8_t)exec};
                    if (variant && op != XK_OPC_MATH && op != XK_OPC_DPAS &&
                        op != XK_OPC_DPASW)
                        break;
                    if (b && xk_opcode_n_srcs((enum xk_opcode)op) < 2)
                        break;
                    shape(&i, op, dst, a, b);
                    complete(p, &i, variant);
                    try_one(p, &i);
                }
}

static void try_branch(const struct xk_platform *p, unsigned op)
{
    for (unsigned form = 0; form < 16; form++) {
        struct xk_inst i = {.op = (uint16_t)op, .jip_b = 16};
        i.exec = op == XK_OPC_JMPI ? 1 : form & 1 ? 16 : 8;
        i.no_mask = form & 2 || op == XK_OPC_JMPI;
        i.uip_b = form & 4 ? 16 : 0;
        if (op == XK_OPC_WHILE)
            i.jip_b = -16;
        if (op == XK_OPC_CALL || op == XK_OPC_CALLA)
            i.dst = grf(20, XK_RT_UD, 1), i.dst.rgn.hs = 1;
        if (op == XK_OPC_RET)
            i.src[0] = grf(20, XK_RT_UD, 1);
        if (form & 8) {
            i.src[0] = grf(30, XK_RT_D, 1);
            i.jip_b = 0;
        }
        try_one(p, &i);
    }
}

START_TEST(every_opcode_has_an_executor)
{
    const struct xk_platform *const p = xk_platform_find(platforms[_i]);
    memset(n_tried, 0, sizeof n_tried);
    memset(n_run, 0, sizeof n_run);
    for (unsigned op = 0; op < XK_N_OPCODES; op++) {
        struct xk_inst plain = {.op = (uint16_t)op, .exec = 1};
        if (xk_opcode_is_send((enum xk_opcode)op))
            continue; /* below */
        if (op == XK_OPC_ILLEGAL || op == XK_OPC_NOP || op == XK_OPC_SYNC)
            try_one(p, &plain);
        else if (xk_opcode_is_branch((enum xk_opcode)op))
            try_branch(p, op);
        else
            for (unsigned exec = 1; exec <= 16;
                 exec *= p->dpas_exec ? p->dpas_exec : 8)
                walk_types(p, op, exec);
    }
    for (unsigned op = 0; op < XK_N_OPCODES; op++) {
        struct xk_inst any = {.op = (uint16_t)op, .exec = 1};
        uint8_t code[XK_INST_B];
        struct xk_error err = {.message = ""};
        const bool absent = xk_inst_encode(p, &any, code, &err) < 0 &&
                            strstr(err.message, "does not exist on") != NULL;
        printf("# %s %s: %u forms\n", p->name,
               xk_opcode_name((enum xk_opcode)op), n_run[op]);
        /* sends: below; movi: no record that the rules take is made here */
        ck_assert_msg(absent || n_run[op] ||
                          xk_opcode_is_send((enum xk_opcode)op) ||
                          op == XK_OPC_ILLEGAL || op == XK_OPC_MOVI,
                      "%s: no form of %s was tried: %s", p->name,
                      xk_opcode_name((enum xk_opcode)op), err.message);
    }
}
END_TEST

static uint32_t rnd(void)
{
    static uint64_t seed = 4711;
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) ^ (uint32_t)(seed >> 13);
}

/* A send whose descriptor is of the kind, with random other fields; false: that
 * is no message. */
static bool draw(const struct xk_platform *p, unsigned kind, unsigned sfid,
                 struct xk_inst *i, struct xk_msg *m)
{
    static const struct xk_operand null = {
        .file = XK_FILE_ARF, .type = XK_RT_UD, .arf = XK_ARF_NULL};
    const struct xk_msg_row *const r = xk_msg_row(kind);
    struct xk_error err;
    static const uint8_t lengths[] = {0, 1, 2, 3, 4, 6, 8, 16};
    const uint32_t mlen = lengths[1 + rnd() % 6], rlen = lengths[rnd() % 8];
    /* few bits half of the time: most fields have reserved values */
    static const uint8_t btis[] = {0, 1, 0x10, 0xfd, 0xfe, 0xff};
    const uint32_t few = rnd() & rnd() & rnd() & 0x600fff00;
    const uint32_t bits =
        rnd() % 2 ? rnd() : few | btis[rnd() % XK_COUNTOF(btis)];
    *i = (struct xk_inst){.op = XK_OPC_SEND, .no_mask = true};
    i->exec = (uint8_t)(1u << rnd() % 6);
    i->send.sfid = (uint8_t)sfid;
    i->send.desc =
        r->value | (bits & ~r->match & 0x600fffff) | mlen << 25 | rlen << 20;
    i->send.src1_len = lengths[rnd() % 8];
    i->send.exdesc = (uint32_t)i->send.src1_len << 6;
    i->send.eot = kind == XK_MSG_EOT || kind == XK_MSG_TS_EOT;
    i->src[0] = grf(i->send.eot ? 112 : 10, XK_RT_UD, 1);
    i->src[1] = i->send.src1_len ? grf(30, XK_RT_UD, 1) : null;
    i->dst = rlen ? grf(60, XK_RT_UD, 1) : null;
    xk_msg_decode(p, i, m);
    if (m->kind != kind || kind == XK_MSG_OTHER)
        return m->kind == kind;
    if (rnd() % 2) { /* else few of millions have lengths that fit */
        struct xk_msg full = *m;
        full.exec = i->exec;
        if (xk_msg_build(p, &full, i, &err) < 0)
            return false;
        xk_msg_decode(p, i, m);
        if (m->kind != kind)
            return false;
    }
    return xk_msg_check(p, i, &err) == XK_OK;
}

static void judge(const struct xk_platform *p, const struct xk_inst *i)
{
    struct xk_str s;
    xk_sim_kernel *const k = kernel_of(p, i);
    if (!k)
        return;
    const struct xk_msg *const m = &k->inst[0].msg;
    const bool done = k->inst[0].fn != xk_sim_exec_refused;
    struct refused *const r = is_sampled(i) ? NULL : find_refused(m);
    xk_str_init(&s, &xk_alloc_default);
    xk_msg_print(p, m, &s);
    ck_assert_msg(done == !r, "%s: %s, %s (desc 0x%x) is %s", p->name,
                  xk_msg_kind_name((enum xk_msg_kind)m->kind), xk_str_get(&s),
                  i->send.desc,
                  done ? "executed, but listed as refused" : "refused");
    if (r)
        r->met = true;
    xk_str_fini(&s);
    xk_sim_kernel_destroy(k);
}

static void try_message(const struct xk_platform *p, unsigned kind,
                        unsigned sfid, unsigned *n)
{
    struct xk_msg m;
    struct xk_inst i;
    unsigned found = 0;
    if (!xk_msg_exists(p, (enum xk_msg_kind)kind, sfid))
        return;
    for (unsigned k = 0; k < 6000000 && found < 8; k++)
        if (draw(p, kind, sfid, &i, &m)) {
            judge(p, &i);
            found++;
        }
    ck_assert_msg(found, "%s: no descriptor found for %s.%s", p->name,
                  xk_msg_kind_name((enum xk_msg_kind)kind),
                  xk_msg_sfid_name(sfid));
    *n += found;
}

START_TEST(every_message_has_an_executor)
{
    unsigned n = 0;
    for (unsigned k = 0; k < N_PLATFORMS; k++)
        for (unsigned kind = 1; kind < XK_N_MSG_KINDS; kind++)
            for (unsigned sfid = 0; sfid < 16; sfid++)
                try_message(xk_platform_find(platforms[k]), kind, sfid, &n);
    for (size_t i = 0; i < XK_COUNTOF(refused); i++)
        ck_assert_msg(refused[i].met, "%s: refused here, but never met",
                      xk_msg_kind_name((enum xk_msg_kind)refused[i].kind));
    printf("# %u messages tried, %zu rows of refused ones\n", n,
           XK_COUNTOF(refused));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("walk");
    TCase *t = tcase_create("walk");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, every_opcode_has_an_executor, 0, N_PLATFORMS);
    tcase_add_test(t, every_message_has_an_executor);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
