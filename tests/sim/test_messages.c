/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind of message on the simulator, on all platforms, against what it
 * does written down plainly here. The descriptors come
 * from isa/, which iga64 checks elsewhere. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/half.h"
#include "tests/sim/message_lab.h"
#include "tests/tap.h"

static uint8_t before[MEM_B], want_mem[MEM_B], want[N_DUMPED * 64];
static uint8_t known[N_DUMPED * 64]; /* bytes of want that are defined */
static unsigned n_done;

static void begin(unsigned platform)
{
    ml_begin(platform);
    memcpy(before, ml.mem, MEM_B);
    memcpy(want_mem, ml.mem, MEM_B);
    memcpy(want, ml.regs + DST * ml.p->grf_b, N_DUMPED * ml.p->grf_b);
    memset(known, 1, sizeof known);
}

static void run(uint32_t mask)
{
    struct xk_error err = {.message = ""};
    ck_assert_msg(ml_run(mask, &err) == XK_OK, "%s", err.message);
}

static void check(const struct xk_msg *m)
{
    struct xk_str s;
    xk_str_init(&s, &xk_alloc_default);
    xk_msg_print(ml.p, m, &s);
    for (unsigned i = 0; i < MEM_B; i++)
        ck_assert_msg(ml.mem[i] == want_mem[i],
                      "%s %s exec %u: memory byte %u is %02x, not %02x",
                      ml.p->name, xk_str_get(&s), m->exec, i, ml.mem[i],
                      want_mem[i]);
    for (unsigned i = 0; i < N_DUMPED * ml.p->grf_b; i++)
        ck_assert_msg(!known[i] || ml.dump[i] == want[i],
                      "%s %s exec %u: register r%u byte %u is %02x, not %02x",
                      ml.p->name, xk_str_get(&s), m->exec,
                      DST + i / ml.p->grf_b, i % ml.p->grf_b, ml.dump[i],
                      want[i]);
    xk_str_fini(&s);
    n_done++;
}

/* A byte of the message's memory, or NULL beyond the surface's end. */
static uint8_t *byte_of(uint8_t *m, enum place at, uint32_t off)
{
    return at == SURFACE && off >= SURFACE_B ? NULL : m + off;
}

static unsigned plane_b(const struct xk_msg *m)
{
    const unsigned n_b = m->simd * m->reg_b;
    return (n_b + ml.p->grf_b - 1) / ml.p->grf_b * ml.p->grf_b;
}

/* One element of a gather or scatter between want_mem and want or regs. */
static void model_element(const struct xk_msg *m, enum place at, uint32_t off,
                          unsigned reg, bool store)
{
    const unsigned up = m->data_high ? 2 : 0;
    const bool inside = at != SURFACE || off + m->data_b <= SURFACE_B;
    const bool by_bytes = m->kind == XK_MSG_DC0_BYTE_LOAD;
    if (!store && !inside)
        memset(want + reg, 0, m->reg_b);
    for (unsigned b = 0; b < m->data_b; b++) {
        uint8_t *const x =
            inside || by_bytes ? byte_of(want_mem, at, off + b) : NULL;
        if (store && x)
            *x = ml.regs[DATA * ml.p->grf_b + reg + up + b];
        else if (!store)
            want[reg + up + b] = x ? before[off + b] : 0;
    }
    if (!store && !m->data_high && inside)
        memset(known + reg + m->data_b, 0, m->reg_b - m->data_b);
}

static void model_gather(const struct xk_msg *m, enum place at,
                         const uint32_t *off, uint32_t mask, bool store)
{
    const unsigned comps = m->cmask ? 4 : m->vec;
    for (unsigned l = 0; l < m->exec && l < m->simd; l++) {
        unsigned k = 0;
        for (unsigned v = 0; v < comps; v++) {
            if (m->cmask && !(m->cmask >> v & 1))
                continue;
            if (mask >> l & 1)
                model_element(m, at, off[l] + v * m->data_b,
                              k * plane_b(m) + l * m->reg_b, store);
            k++;
        }
    }
}

/* Near the surface's end in every second try, so that lanes are beyond. */
static void one_gather(unsigned platform, struct xk_msg m, enum place at)
{
    uint32_t off[32];
    begin(platform);
    ml.checks |= at == SURFACE ? 0 : XK_CHECK_MEM;
    struct xk_msg probe = m;
    struct xk_inst i = {.op = XK_OPC_SEND, .exec = m.exec};
    struct xk_error err;
    i.src[0] = ml_grf(ADDR);
    i.dst = ml_grf(DST);
    if (xk_msg_build(ml.p, &probe, &i, &err) < 0)
        return; /* not on this platform, or too long */
    const uint32_t mask = ml_rnd() % 3 ? ml_rnd() | ml_rnd() << 16 : UINT32_MAX;
    const unsigned comps = probe.cmask ? 4 : probe.vec;
    if (probe.dst_grf > N_DUMPED || probe.src1_grf > 29)
        return;
    ml_choose_offsets(off, 32, comps * probe.data_b, ml_alignment(&probe),
                      at == SURFACE ? SURFACE_B + 400 : MEM_B);
    ml_place_addresses(&probe, at, off, mask);
    ck_assert(ml_send(&m, ADDR, DATA, DST, false));
    ml_finish_code();
    run(mask);
    model_gather(&probe, at, off, mask, ml_is_store(&probe));
    check(&probe);
}

/* A message of the load/store cache in its three places. */
static void lsc_places(unsigned platform, struct xk_msg m)
{
    m.sfid = XK_SFID_UGM;
    m.addr_type = XK_LSC_FLAT;
    m.addr_b = 8;
    one_gather(platform, m, FLAT);
    m.addr_b = 4;
    m.addr_type = XK_LSC_BTI;
    m.bti = XK_BTI_STATELESS;
    one_gather(platform, m, STATELESS);
    m.bti = BTI;
    one_gather(platform, m, SURFACE);
    m.bti = 0;
    m.surf_imm = true;
    m.surf_off = 0x140;
    m.addr_type = XK_LSC_SS;
    one_gather(platform, m, SURFACE);
    m.addr_type = XK_LSC_BSS;
    one_gather(platform, m, SURFACE);
}

START_TEST(lsc_gathers_and_scatters)
{
    static const struct {
        uint8_t data_b, reg_b;
        bool high;
    } sizes[] = {{1, 4, 0}, {2, 4, 0}, {2, 4, 1}, {4, 4, 0}, {8, 8, 0}};
    static const uint8_t vecs[] = {1, 2, 3, 4, 8},
                         execs[] = {1, 2, 4, 8, 16, 32};
    for (unsigned s = 0; s < 5; s++)
        for (unsigned v = 0; v < 5; v++)
            for (unsigned e = 0; e < 6; e++)
                for (unsigned st = 0; st < 2; st++)
                    lsc_places((unsigned)_i,
                               (struct xk_msg){.kind = st ? XK_MSG_LSC_STORE
                                                          : XK_MSG_LSC_LOAD,
                                               .data_b = sizes[s].data_b,
                                               .reg_b = sizes[s].reg_b,
                                               .data_high = sizes[s].high,
                                               .vec = vecs[v],
                                               .exec = execs[e]});
    ck_assert_int_eq(n_done > 400, _i > 0);
}
END_TEST

START_TEST(lsc_component_masks)
{
    for (unsigned c = 1; c < 16; c++)
        for (unsigned e = 8; e <= 32; e *= 2)
            for (unsigned st = 0; st < 2; st++)
                lsc_places((unsigned)_i,
                           (struct xk_msg){.kind = st ? XK_MSG_LSC_STORE_CMASK
                                                      : XK_MSG_LSC_LOAD_CMASK,
                                           .data_b = 4,
                                           .reg_b = 4,
                                           .cmask = (uint8_t)c,
                                           .exec = (uint8_t)e});
    ck_assert_int_eq(n_done > 150, _i > 0);
}
END_TEST

static void old_places(unsigned platform, struct xk_msg m)
{
    m.bti = XK_BTI_STATELESS;
    one_gather(platform, m, m.addr_b == 8 ? FLAT : STATELESS);
    if (m.addr_b == 8)
        return;
    m.bti = XK_BTI_STATELESS_NC;
    one_gather(platform, m, STATELESS);
    m.bti = BTI;
    one_gather(platform, m, SURFACE);
    m.header = true;
    one_gather(platform, m, SURFACE);
}

START_TEST(old_ports_gather_and_scatter)
{
    static const struct {
        uint8_t kind, addr_b;
        bool bytes, quad, elems;
    } kinds[] = {{XK_MSG_DC0_BYTE_LOAD, 4, 1, 0, 0},
                 {XK_MSG_DC0_BYTE_STORE, 4, 1, 0, 0},
                 {XK_MSG_DC0_DWORD_LOAD, 4, 0, 0, 1},
                 {XK_MSG_DC0_DWORD_STORE, 4, 0, 0, 1},
                 {XK_MSG_DCRO_DWORD_LOAD, 4, 0, 0, 1},
                 {XK_MSG_DC0_QWORD_LOAD, 4, 0, 0, 1},
                 {XK_MSG_DC0_QWORD_STORE, 4, 0, 0, 1},
                 {XK_MSG_DC1_UNTYPED_LOAD, 4, 0, 1, 0},
                 {XK_MSG_DC1_UNTYPED_STORE, 4, 0, 1, 0},
                 {XK_MSG_DC1_A64_UNTYPED_LOAD, 8, 0, 1, 0},
                 {XK_MSG_DC1_A64_UNTYPED_STORE, 8, 0, 1, 0},
                 {XK_MSG_DC1_A64_BYTE_LOAD, 8, 1, 0, 0},
                 {XK_MSG_DC1_A64_BYTE_STORE, 8, 1, 0, 0},
                 {XK_MSG_DC1_A64_DWORD_LOAD, 8, 0, 0, 1},
                 {XK_MSG_DC1_A64_DWORD_STORE, 8, 0, 0, 1},
                 {XK_MSG_DC1_A64_QWORD_LOAD, 8, 0, 0, 1},
                 {XK_MSG_DC1_A64_QWORD_STORE, 8, 0, 0, 1}};
    for (unsigned k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (unsigned simd = 8; simd <= 16; simd *= 2)
            for (unsigned c = 1; c < 16; c++) {
                struct xk_msg m = {.kind = kinds[k].kind,
                                   .addr_b = kinds[k].addr_b,
                                   .exec = (uint8_t)simd,
                                   .simd = (uint8_t)simd};
                if (kinds[k].quad)
                    m.cmask = (uint8_t)c;
                else if (c > 4 || (kinds[k].bytes && c > 3))
                    continue;
                else if (kinds[k].bytes)
                    m.data_b = (uint8_t)(1 << (c - 1));
                else
                    m.vec = (uint8_t)(1 << (c - 1));
                old_places((unsigned)_i, m);
            }
    ck_assert_uint_gt(n_done, 150);
}
END_TEST

/* An element may begin in the surface and end behind it. */
START_TEST(byte_messages_stop_at_the_surface_s_last_byte)
{
    for (unsigned k = 0; k < 400; k++)
        one_gather((unsigned)_i,
                   (struct xk_msg){.kind = k % 2 ? XK_MSG_DC0_BYTE_LOAD
                                                 : XK_MSG_DC0_BYTE_STORE,
                                   .addr_b = 4,
                                   .exec = 8,
                                   .simd = 8,
                                   .data_b = (uint8_t)(2 + k / 2 % 2 * 2),
                                   .bti = BTI},
                   SURFACE);
}
END_TEST

START_TEST(strided_messages_step_from_lane_to_lane)
{
    for (unsigned st = 0; st < 2; st++)
        for (unsigned vec = 1; vec <= 4; vec++) {
            begin((unsigned)_i);
            struct xk_msg m = {.kind = st ? XK_MSG_LSC_STORE_STRIDED
                                          : XK_MSG_LSC_LOAD_STRIDED,
                               .sfid = XK_SFID_UGM,
                               .addr_b = 8,
                               .data_b = 4,
                               .reg_b = 4,
                               .vec = (uint8_t)vec,
                               .exec = 16,
                               .src0_grf = 1};
            const unsigned planes = (64 + ml.p->grf_b - 1) / ml.p->grf_b * vec;
            if (st)
                m.src1_grf = (uint8_t)planes;
            else
                m.dst_grf = (uint8_t)planes;
            uint32_t off[32];
            const uint64_t base = MEM_VA + 64;
            memcpy(ml.regs + ADDR * ml.p->grf_b, &base, 8);
            ml_put32(ml.regs + ADDR * ml.p->grf_b + 8, 36);
            for (unsigned l = 0; l < 16; l++)
                off[l] = 64 + 36 * l;
            if (!ml_send(&m, ADDR, DATA, DST, false))
                continue;
            ml_finish_code();
            run(0xa5f3);
            m.simd = 16;
            model_gather(&m, FLAT, off, 0xa5f3, st);
            check(&m);
        }
    ck_assert_int_eq(n_done, _i ? 8 : 0);
}
END_TEST

/* n_b bytes at off, and of the registers from byte reg of DST or DATA on. */
struct model_block {
    enum place at;
    uint32_t off;
    unsigned n_b, reg;
    bool store;
};

/* unit_b: what a channel of mask covers, 0: everything. */
static void model_block(struct model_block k, unsigned unit_b, uint32_t mask,
                        unsigned exec)
{
    for (unsigned b = 0; b < k.n_b; b++) {
        uint8_t *const x = byte_of(want_mem, k.at, k.off + b);
        if (unit_b && !(mask >> b / unit_b % exec & 1))
            continue;
        if (k.store && x)
            *x = ml.regs[DATA * ml.p->grf_b + k.reg + b];
        else if (!k.store)
            want[k.reg + b] = x ? before[k.off + b] : 0;
    }
}

START_TEST(lsc_blocks)
{
    static const uint8_t vecs[] = {1, 2, 3, 4, 8, 16, 32, 64};
    for (unsigned v = 0; v < 8; v++)
        for (unsigned data_b = 4; data_b <= 8; data_b += 4)
            for (unsigned k = 0; k < 6; k++) {
                const enum place at = k / 2 == 0   ? FLAT
                                      : k / 2 == 1 ? STATELESS
                                                   : SURFACE;
                begin((unsigned)_i);
                struct xk_msg m = {
                    .kind = k & 1 ? XK_MSG_LSC_STORE : XK_MSG_LSC_LOAD,
                    .sfid = XK_SFID_UGM,
                    .data_b = (uint8_t)data_b,
                    .reg_b = (uint8_t)data_b,
                    .vec = vecs[v],
                    .exec = 1,
                    .transpose = true,
                    .addr_b = at == FLAT ? 8 : 4,
                    .addr_type = at == FLAT ? XK_LSC_FLAT : XK_LSC_BTI,
                    .bti = at == FLAT        ? 0
                           : at == STATELESS ? XK_BTI_STATELESS
                                             : BTI};
                const uint32_t off =
                    at == SURFACE ? SURFACE_B - 64 : ml_rnd() % 4000 / 8 * 8;
                const uint64_t a = ml_address(at, off);
                memcpy(ml.regs + ADDR * ml.p->grf_b, &a, m.addr_b);
                if (!ml_send(&m, ADDR, DATA, DST, true))
                    continue;
                ml_finish_code();
                run(ml_rnd() | 1);
                model_block(
                    (struct model_block){at, off, vecs[v] * data_b, 0, k & 1},
                    0, 0, 1);
                check(&m);
            }
    ck_assert_int_eq(n_done > 60, _i > 0);
}
END_TEST

/* A channel masks a dword, but not in the "aligned" reads
 * (oneDNN, gemm/jit/generator/pieces/register_layout.cpp). */
static bool obeys_mask(unsigned kind)
{
    return kind != XK_MSG_DC0_OWORD_LOAD_BYTES &&
           kind != XK_MSG_DC1_A64_OWORD_LOAD &&
           kind != XK_MSG_DCRO_OWORD_LOAD_BYTES;
}

START_TEST(old_ports_move_blocks)
{
    static const uint8_t kinds[] = {XK_MSG_DC0_OWORD_LOAD,
                                    XK_MSG_DC0_OWORD_LOAD_BYTES,
                                    XK_MSG_DC0_OWORD_STORE,
                                    XK_MSG_DCRO_OWORD_LOAD,
                                    XK_MSG_DCRO_OWORD_LOAD_BYTES,
                                    XK_MSG_DC1_A64_OWORD_LOAD_BYTES,
                                    XK_MSG_DC1_A64_OWORD_LOAD,
                                    XK_MSG_DC1_A64_HWORD_LOAD,
                                    XK_MSG_DC1_A64_OWORD_STORE_BYTES,
                                    XK_MSG_DC1_A64_OWORD_STORE,
                                    XK_MSG_DC1_A64_HWORD_STORE};
    for (unsigned k = 0; k < sizeof kinds; k++)
        for (unsigned v = 1; v <= 16; v *= 2)
            for (unsigned t = 0; t < 8; t++) {
                begin((unsigned)_i);
                const bool a64 = k >= 5;
                const enum place at = a64 ? FLAT : t & 1 ? SURFACE : STATELESS;
                struct xk_msg m = {.kind = kinds[k],
                                   .exec = t & 2 ? 16 : 8,
                                   .vec = (uint8_t)v,
                                   .header = true,
                                   .data_high = v == 1 && t & 4,
                                   .bti =
                                       at == SURFACE ? BTI : XK_BTI_STATELESS};
                const uint32_t off = at == SURFACE ? SURFACE_B / 16 * 16 - 64
                                                   : ml_rnd() % 4000 / 32 * 32;
                const uint64_t a = ml_address(at, off);
                const uint32_t o =
                    (uint32_t)a / (ml_in_owords(kinds[k]) ? 16 : 1);
                if (a64)
                    memcpy(ml.regs + ADDR * ml.p->grf_b, &a, 8);
                else
                    ml_put32(ml.regs + ADDR * ml.p->grf_b + 8, o);
                if (!ml_send(&m, ADDR, DATA, DST, false))
                    continue;
                ml_finish_code();
                const uint32_t mask = ml_rnd() | 1;
                run(mask);
                model_block((struct model_block){at, off, v * m.data_b,
                                                 m.data_high ? 16 : 0,
                                                 ml_is_store(&m)},
                            obeys_mask(kinds[k]) ? 4 : 0, mask, m.exec);
                check(&m);
            }
    ck_assert_uint_gt(n_done, 200);
}
END_TEST

START_TEST(scratch_blocks_lie_in_the_threads_slot)
{
    for (unsigned v = 1; v <= 4; v *= 2)
        for (unsigned t = 0; t < 8; t++) {
            begin((unsigned)_i);
            const bool store = t & 1, dw = t & 2;
            struct xk_msg m = {.kind = store ? XK_MSG_DC0_SCRATCH_STORE
                                             : XK_MSG_DC0_SCRATCH_LOAD,
                               .exec = t & 4 ? 16 : 8,
                               .vec = (uint8_t)v,
                               .header = true,
                               .channel_dw = dw,
                               .scratch_b = 96};
            /* xelp: an offset from the general base; then MEM begins there */
            ml_put32(ml.regs + ADDR * ml.p->grf_b + 20, 0x1000);
            if (!ml_send(&m, ADDR, DATA, DST, false))
                continue;
            ml_finish_code();
            const uint32_t mask = ml_rnd() | 1;
            run(mask);
            model_block((struct model_block){FLAT, 96, v * 32, 0, store},
                        dw ? 4 : 16, mask, m.exec);
            check(&m);
        }
    ck_assert_uint_gt(n_done, 20);
}
END_TEST

static double as_double(uint64_t v, unsigned n_b)
{
    float f;
    double d;
    const uint32_t w = (uint32_t)v;
    if (n_b == 2)
        return (double)xk_half_to_float((uint16_t)v);
    memcpy(&f, &w, 4);
    memcpy(&d, &v, 8);
    return n_b == 8 ? d : (double)f;
}

static uint64_t as_bits(double d, unsigned n_b)
{
    uint64_t q = 0;
    const float f = (float)d;
    if (n_b == 2)
        return xk_half_from_float(f);
    memcpy(&q, n_b == 8 ? (const void *)&d : (const void *)&f, n_b);
    return q;
}

static int64_t as_signed(uint64_t v, unsigned n_b)
{
    return n_b == 2 ? (int16_t)v : n_b == 4 ? (int32_t)v : (int64_t)v;
}

/* What the memory holds afterwards. */
static uint64_t model_atomic(unsigned op, uint64_t old, uint64_t a, uint64_t b,
                             unsigned n_b)
{
    const int64_t so = as_signed(old, n_b), sa = as_signed(a, n_b);
    const double x = as_double(old, n_b), y = as_double(a, n_b);
    switch (op) {
    case XK_MOP_ATOMIC_LOAD:
        return old;
    case XK_MOP_ATOMIC_STORE:
        return a;
    case XK_MOP_ATOMIC_IINC:
        return old + 1;
    case XK_MOP_ATOMIC_IDEC:
    case XK_MOP_ATOMIC_IPDEC:
        return old - 1;
    case XK_MOP_ATOMIC_IADD:
        return old + a;
    case XK_MOP_ATOMIC_ISUB:
        return old - a;
    case XK_MOP_ATOMIC_IRSUB:
        return a - old;
    case XK_MOP_ATOMIC_SMIN:
        return so < sa ? old : a;
    case XK_MOP_ATOMIC_SMAX:
        return so > sa ? old : a;
    case XK_MOP_ATOMIC_UMIN:
        return old < a ? old : a;
    case XK_MOP_ATOMIC_UMAX:
        return old > a ? old : a;
    case XK_MOP_ATOMIC_ICAS:
        return old == a ? b : old;
    case XK_MOP_ATOMIC_AND:
        return old & a;
    case XK_MOP_ATOMIC_OR:
        return old | a;
    case XK_MOP_ATOMIC_XOR:
        return old ^ a;
    case XK_MOP_ATOMIC_FADD:
        return as_bits(x + y, n_b);
    case XK_MOP_ATOMIC_FSUB:
        return as_bits(x - y, n_b);
    case XK_MOP_ATOMIC_FMIN:
        return x < y ? old : a;
    case XK_MOP_ATOMIC_FMAX:
        return x > y ? old : a;
    case XK_MOP_ATOMIC_FCAS:
        return x == y ? b : old;
    default:
        ck_abort_msg("no model for op %u", op);
        return 0;
    }
}

static bool is_float_op(unsigned op)
{
    return op >= XK_MOP_ATOMIC_FADD && op <= XK_MOP_ATOMIC_FCAS;
}

/* Numbers that float sums cannot spoil. */
static void tame_floats(uint8_t *at, unsigned n, unsigned n_b, unsigned each_b)
{
    for (unsigned i = 0; i < n; i++) {
        const uint64_t v =
            as_bits((double)((int)(ml_rnd() % 64) - 32) / 4, n_b);
        memcpy(at + i * each_b, &v, n_b);
    }
}

/* All lanes at places of their own; every third comparison succeeds. */
static void one_atomic(unsigned platform, struct xk_msg m, enum place at)
{
    uint32_t off[32];
    begin(platform);
    ml.checks |= at == SURFACE ? 0 : XK_CHECK_MEM;
    m.returns = true;
    struct xk_msg probe = m;
    struct xk_inst i = {.op = XK_OPC_SEND, .exec = m.exec};
    struct xk_error err;
    i.src[0] = ml_grf(ADDR);
    i.dst = ml_grf(DST);
    if (xk_msg_build(ml.p, &probe, &i, &err) < 0)
        return;
    const unsigned n_b = probe.data_b;
    const unsigned n = probe.exec < probe.simd ? probe.exec : probe.simd;
    const uint32_t mask = ml_rnd() | 1;
    ml_choose_offsets(off, 32, n_b, n_b,
                      at == SURFACE ? SURFACE_B + 200 : MEM_B);
    uint8_t *const data = ml.regs + DATA * ml.p->grf_b;
    if (is_float_op(probe.op)) {
        for (unsigned l = 0; l < 32; l++)
            tame_floats(ml.mem + off[l], 1, n_b, n_b);
        tame_floats(data, 512u / probe.reg_b, n_b, probe.reg_b);
        memcpy(before, ml.mem, MEM_B);
        memcpy(want_mem, ml.mem, MEM_B);
    }
    ml_place_addresses(&probe, at, off, mask);
    for (unsigned l = 0; l < n; l++) {
        if (l % 3 == 0)
            memcpy(data + l * probe.reg_b, before + off[l], n_b);
        if (!(mask >> l & 1))
            continue;
        uint64_t old = 0, x = 0, y = 0;
        const bool inside = at != SURFACE || off[l] + n_b <= SURFACE_B;
        if (inside)
            memcpy(&old, before + off[l], n_b);
        memcpy(&x, data + l * probe.reg_b, n_b);
        memcpy(&y, data + plane_b(&probe) + l * probe.reg_b, n_b);
        const uint64_t now = model_atomic(probe.op, old, x, y, n_b);
        const uint64_t back =
            probe.op == XK_MOP_ATOMIC_IPDEC && inside ? old - 1 : old;
        if (inside)
            memcpy(want_mem + off[l], &now, n_b);
        memcpy(want + l * probe.reg_b, &back, n_b);
        memset(known + l * probe.reg_b + n_b, 0, probe.reg_b - n_b);
    }
    ck_assert(ml_send(&m, ADDR, DATA, DST, false));
    ml_finish_code();
    run(mask);
    check(&probe);
}

START_TEST(lsc_atomics)
{
    static const struct {
        uint8_t data_b, reg_b;
    } sizes[] = {{2, 4}, {4, 4}, {8, 8}};
    for (unsigned op = XK_MOP_ATOMIC_IINC; op <= XK_MOP_ATOMIC_XOR; op++)
        for (unsigned s = 0; s < 3; s++)
            for (unsigned e = 8; e <= 32; e *= 2) {
                struct xk_msg m = {.kind = XK_MSG_LSC_ATOMIC,
                                   .sfid = XK_SFID_UGM,
                                   .op = (uint8_t)op,
                                   .addr_b = 8,
                                   .data_b = sizes[s].data_b,
                                   .reg_b = sizes[s].reg_b,
                                   .vec = 1,
                                   .exec = (uint8_t)e};
                one_atomic((unsigned)_i, m, FLAT);
                m.addr_b = 4;
                m.addr_type = XK_LSC_BTI;
                m.bti = BTI;
                one_atomic((unsigned)_i, m, SURFACE);
            }
    ck_assert_int_eq(n_done > 200, _i > 0);
}
END_TEST

START_TEST(old_ports_do_atomics)
{
    static const struct {
        uint8_t kind, data_b, addr_b;
    } kinds[] = {{XK_MSG_DC1_ATOMIC_INT, 4, 4},
                 {XK_MSG_DC1_ATOMIC_INT16, 2, 4},
                 {XK_MSG_DC1_A64_ATOMIC_INT, 4, 8},
                 {XK_MSG_DC1_A64_ATOMIC_INT, 8, 8},
                 {XK_MSG_DC1_A64_ATOMIC_INT16, 2, 8},
                 {XK_MSG_DC1_ATOMIC_FLOAT, 4, 4},
                 {XK_MSG_DC1_ATOMIC_HALF, 2, 4},
                 {XK_MSG_DC1_A64_ATOMIC_FLOAT, 4, 8},
                 {XK_MSG_DC1_A64_ATOMIC_HALF, 2, 8}};
    for (unsigned op = XK_MOP_ATOMIC_IINC; op <= XK_MOP_ATOMIC_XOR; op++)
        for (unsigned k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
            for (unsigned e = 8; e <= 16; e *= 2) {
                const bool a64 = kinds[k].addr_b == 8;
                struct xk_msg m = {.kind = kinds[k].kind,
                                   .op = (uint8_t)op,
                                   .data_b = kinds[k].data_b,
                                   .reg_b = kinds[k].data_b == 8 ? 8 : 4,
                                   .addr_b = kinds[k].addr_b,
                                   .vec = 1,
                                   .bti = XK_BTI_STATELESS,
                                   .simd = (uint8_t)e,
                                   .exec = (uint8_t)e};
                one_atomic((unsigned)_i, m, a64 ? FLAT : STATELESS);
                m.bti = BTI;
                if (!a64)
                    one_atomic((unsigned)_i, m, SURFACE);
            }
    ck_assert_uint_gt(n_done, 80);
}
END_TEST

/* Stores to shared local memory, then loads from it at the same addresses. */
static void through_slm(unsigned platform, struct xk_msg store,
                        struct xk_msg load)
{
    uint32_t off[32];
    begin(platform);
    struct xk_msg probe = store;
    struct xk_inst i = {.op = XK_OPC_SEND, .exec = store.exec};
    struct xk_error err;
    i.src[0] = ml_grf(ADDR);
    if (xk_msg_build(ml.p, &probe, &i, &err) < 0)
        return;
    const uint32_t mask = ml_rnd() | 1;
    ml_choose_offsets(off, 32, 4u * probe.data_b, 4, SLM_B);
    ml_place_addresses(&probe, LOCAL, off, mask);
    ck_assert(ml_send(&store, ADDR, DATA, 0, false));
    ck_assert(ml_send(&load, ADDR, 0, DST, false));
    ml_finish_code();
    run(mask);
    const unsigned comps = probe.vec;
    for (unsigned l = 0; l < probe.simd && l < probe.exec; l++)
        for (unsigned v = 0; v < comps && mask >> l & 1; v++) {
            const unsigned at = v * plane_b(&probe) + l * probe.reg_b;
            memcpy(want + at, ml.regs + DATA * ml.p->grf_b + at, probe.data_b);
            memset(known + at + probe.data_b, 0, probe.reg_b - probe.data_b);
        }
    check(&load);
}

START_TEST(shared_local_memory)
{
    for (unsigned e = 8; e <= 32; e *= 2) {
        for (unsigned addr_b = 2; addr_b <= 4; addr_b += 2)
            for (unsigned vec = 1; vec <= 4; vec++) {
                struct xk_msg m = {.kind = XK_MSG_LSC_STORE,
                                   .sfid = XK_SFID_SLM,
                                   .addr_b = (uint8_t)addr_b,
                                   .data_b = 4,
                                   .reg_b = 4,
                                   .vec = (uint8_t)vec,
                                   .exec = (uint8_t)e};
                struct xk_msg l = m;
                l.kind = XK_MSG_LSC_LOAD;
                through_slm((unsigned)_i, m, l);
            }
        for (unsigned c = 1; c < 16 && e < 32; c++) {
            struct xk_msg m = {.kind = XK_MSG_DC1_UNTYPED_STORE,
                               .addr_b = 4,
                               .cmask = (uint8_t)c,
                               .bti = XK_BTI_SLM,
                               .exec = (uint8_t)e,
                               .simd = (uint8_t)e};
            struct xk_msg l = m;
            l.kind = XK_MSG_DC1_UNTYPED_LOAD;
            through_slm((unsigned)_i, m, l);
        }
        for (unsigned n_b = 1; n_b < 8 && e < 32; n_b *= 2) {
            struct xk_msg m = {.kind = XK_MSG_DC0_BYTE_STORE,
                               .addr_b = 4,
                               .data_b = (uint8_t)n_b,
                               .bti = XK_BTI_SLM,
                               .exec = (uint8_t)e,
                               .simd = (uint8_t)e};
            struct xk_msg l = m;
            l.kind = XK_MSG_DC0_BYTE_LOAD;
            through_slm((unsigned)_i, m, l);
        }
    }
    ck_assert_uint_gt(n_done, 15);
}
END_TEST

static unsigned pow2(unsigned v)
{
    unsigned n = 1;
    while (n < v)
        n *= 2;
    return n;
}

/* A block's element (x, y) of block b: its byte in the registers. */
static unsigned place_2d(const struct xk_msg *m, const struct xk_block2d *h,
                         unsigned b, unsigned x, unsigned y)
{
    const unsigned row =
        pow2(m->transpose ? h->block_h : h->block_w) * m->data_b;
    const unsigned per = m->vnni ? 4u / m->data_b : 1;
    const unsigned rows =
        m->transpose ? h->block_w : (h->block_h + per - 1) / per * per;
    const unsigned block =
        (row * rows + ml.p->grf_b - 1) / ml.p->grf_b * ml.p->grf_b * b;
    if (m->transpose)
        return block + x * row + y * m->data_b;
    return block + y / per * row * per + x * per * m->data_b +
           y % per * m->data_b;
}

static void one_2d(struct xk_msg m, struct xk_block2d h)
{
    struct xk_error err = {.message = ""};
    uint32_t dw[8];
    begin(2);
    const bool store = m.kind == XK_MSG_LSC_STORE_BLOCK2D;
    m.sfid = XK_SFID_UGM;
    m.exec = 1;
    m.addr_b = 8;
    m.reg_b = m.data_b;
    m.op = store ? XK_MOP_STORE_BLOCK2D : XK_MOP_LOAD_BLOCK2D;
    const unsigned grfs = xk_block2d_grfs(ml.p, &m, &h);
    if (!grfs || grfs > 31)
        return;
    m.src0_grf = 1;
    *(store ? &m.src1_grf : &m.dst_grf) = (uint8_t)grfs;
    ck_assert_int_eq(xk_block2d_pack(&h, dw, &err), XK_OK);
    memcpy(ml.regs + ADDR * ml.p->grf_b, dw, sizeof dw);
    if (!ml_send(&m, ADDR, DATA, DST, true))
        return;
    ml_finish_code();
    run(UINT32_MAX);
    if (!store)
        memset(want, 0, grfs * ml.p->grf_b);
    for (unsigned b = 0; b < h.n_blocks; b++)
        for (unsigned y = 0; y < h.block_h; y++)
            for (unsigned x = 0; x < h.block_w; x++) {
                const int64_t c = (h.x + (int)(b * h.block_w + x)) * m.data_b;
                const int64_t r = h.y + (int)y;
                if (c < 0 || c >= h.width_b || r < 0 || r >= (int)h.height)
                    continue;
                const unsigned at = place_2d(&m, &h, b, x, y);
                uint8_t *const e =
                    want_mem + h.base - MEM_VA + r * h.pitch_b + c;
                if (store)
                    memcpy(e, ml.regs + DATA * ml.p->grf_b + at, m.data_b);
                else
                    memcpy(want + at, e, m.data_b);
            }
    check(&m);
}

START_TEST(blocks_2d)
{
    for (unsigned n = 0; n < 3000; n++) {
        struct xk_msg m = {.kind = n % 3 ? XK_MSG_LSC_LOAD_BLOCK2D
                                         : XK_MSG_LSC_STORE_BLOCK2D,
                           .data_b = (uint8_t)(1u << ml_rnd() % 4)};
        if (n % 3 && ml_rnd() % 2)
            *(m.data_b < 4 ? &m.vnni : &m.transpose) = true;
        const unsigned most_w = 64u / m.data_b;
        const unsigned w = 1 + ml_rnd() % most_w;
        struct xk_block2d h = {.base = MEM_VA + 64 * (ml_rnd() % 8),
                               .width_b = 64 + 8 * (ml_rnd() % 16),
                               .height = 1 + ml_rnd() % 24,
                               .pitch_b = 192,
                               .x = (int)(ml_rnd() % 60) - 20,
                               .y = (int)(ml_rnd() % 40) - 12,
                               .block_w = (uint8_t)w,
                               .block_h = (uint8_t)(1 + ml_rnd() % 32),
                               .n_blocks = (uint8_t)(1u << ml_rnd() % 3)};
        one_2d(m, h);
    }
    ck_assert_uint_gt(n_done, 400);
}
END_TEST

/* Loads and stores, with one register less and one more than the block has. */
START_TEST(a_2d_block_has_as_many_registers_as_its_message)
{
    const bool store = _i % 2;
    const int more = _i / 2 ? 1 : -1;
    struct xk_msg m = {.kind = store ? XK_MSG_LSC_STORE_BLOCK2D
                                     : XK_MSG_LSC_LOAD_BLOCK2D,
                       .op = store ? XK_MOP_STORE_BLOCK2D : XK_MOP_LOAD_BLOCK2D,
                       .sfid = XK_SFID_UGM,
                       .exec = 1,
                       .addr_b = 8,
                       .data_b = 4,
                       .reg_b = 4,
                       .src0_grf = 1};
    const struct xk_block2d h = {.base = MEM_VA,
                                 .width_b = 128,
                                 .height = 16,
                                 .pitch_b = 192,
                                 .block_w = 16,
                                 .block_h = 4,
                                 .n_blocks = 1};
    struct xk_error err = {.message = ""};
    uint32_t dw[8];
    begin(2);
    ck_assert_uint_eq(xk_block2d_grfs(ml.p, &m, &h), 4);
    *(store ? &m.src1_grf : &m.dst_grf) = (uint8_t)(4 + more);
    ck_assert_int_eq(xk_block2d_pack(&h, dw, &err), XK_OK);
    memcpy(ml.regs + ADDR * ml.p->grf_b, dw, sizeof dw);
    ck_assert(ml_send(&m, ADDR, DATA, DST, true));
    ml_finish_code();
    ml.quiet = true;
    ck_assert_int_eq(ml_run(UINT32_MAX, &err), XK_EFAULT);
    ml.quiet = false;
    ck_assert_msg(strstr(err.message, more > 0 ? "5 registers of data, whose "
                                                 "blocks have 4"
                                               : "256 bytes, but"),
                  "%s", err.message);
}
END_TEST

START_TEST(a_prefetch_changes_nothing)
{
    begin((unsigned)_i);
    struct xk_msg m = {.kind = XK_MSG_LSC_LOAD,
                       .sfid = XK_SFID_UGM,
                       .addr_b = 8,
                       .data_b = 4,
                       .reg_b = 4,
                       .vec = 1,
                       .exec = 16};
    const bool have = xk_msg_exists(ml.p, XK_MSG_LSC_LOAD, XK_SFID_UGM);
    ck_assert_int_eq(ml_send(&m, ADDR, 0, 0, false), have);
    ml_finish_code();
    run(UINT32_MAX); /* random addresses: nobody looks at them */
    check(&m);
}
END_TEST

START_TEST(compressed_buffers_are_refused)
{
    static const struct {
        unsigned dword;
        uint32_t value;
        const char *says;
    } rows[] = {{6, 5, "an auxiliary one, mode 5"},
                {7, 1u << 30, "compressed memory 1"}};
    for (unsigned k = 0; k < XK_COUNTOF(rows); k++) {
        struct xk_error err = {.message = ""};
        uint32_t off[32];
        struct xk_msg m = {.kind = XK_MSG_DC1_UNTYPED_LOAD,
                           .addr_b = 4,
                           .exec = 8,
                           .simd = 8,
                           .cmask = 1,
                           .bti = BTI};
        const struct xk_msg lsc = {.kind = XK_MSG_LSC_LOAD,
                                   .sfid = XK_SFID_UGM,
                                   .addr_type = XK_LSC_BTI,
                                   .addr_b = 4,
                                   .data_b = 4,
                                   .reg_b = 4,
                                   .vec = 1,
                                   .exec = 16,
                                   .bti = BTI};
        begin((unsigned)_i);
        ml.quiet = true;
        if (_i > 0)
            m = lsc;
        ml_choose_offsets(off, 32, 16, 4, SURFACE_B);
        ml_place_addresses(&m, SURFACE, off, UINT32_MAX);
        ck_assert(ml_send(&m, ADDR, DATA, DST, false));
        ml_finish_code();
        run(UINT32_MAX);
        ml_put32(ml.state + 0x140 + 4 * rows[k].dword, rows[k].value);
        ck_assert_int_eq(ml_run(UINT32_MAX, &err), XK_EFAULT);
        ck_assert_msg(strstr(err.message, rows[k].says), "%s", err.message);
        ml.quiet = false;
    }
}
END_TEST

START_TEST(a_state_can_be_read)
{
    begin((unsigned)_i);
    struct xk_msg m = {.kind = XK_MSG_LSC_READ_STATE,
                       .sfid = XK_SFID_UGM,
                       .addr_type = XK_LSC_BTI,
                       .bti = BTI,
                       .exec = 1};
    if (!ml_send(&m, ADDR, 0, DST, true)) {
        ck_assert_int_eq(_i, 0);
        return;
    }
    ml_finish_code();
    run(1);
    memcpy(want, ml.state + 0x140, 64);
    check(&m);
}
END_TEST

static void fresh(void)
{
    ml.seed = 4711;
    n_done = 0;
}

static void add(TCase *t, const TTest *test)
{
    tcase_add_loop_test(t, test, 0, N_PLATFORMS);
}

int main(void)
{
    Suite *s = suite_create("messages");
    TCase *t = tcase_create("messages");
    tcase_set_timeout(t, 120);
    tcase_add_checked_fixture(t, fresh, NULL);
    add(t, lsc_gathers_and_scatters);
    add(t, lsc_component_masks);
    add(t, old_ports_gather_and_scatter);
    add(t, byte_messages_stop_at_the_surface_s_last_byte);
    add(t, strided_messages_step_from_lane_to_lane);
    add(t, lsc_blocks);
    add(t, old_ports_move_blocks);
    add(t, scratch_blocks_lie_in_the_threads_slot);
    add(t, lsc_atomics);
    add(t, old_ports_do_atomics);
    add(t, shared_local_memory);
    tcase_add_test(t, blocks_2d);
    tcase_add_loop_test(t, a_2d_block_has_as_many_registers_as_its_message, 0,
                        4);
    add(t, a_prefetch_changes_nothing);
    add(t, compressed_buffers_are_refused);
    add(t, a_state_can_be_read);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
