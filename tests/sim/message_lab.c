/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/message_lab.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

struct message_lab ml;

uint32_t ml_rnd(void)
{
    ml.seed = ml.seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(ml.seed >> 33);
}

void ml_emit(struct xk_inst *i)
{
    struct xk_error err = {.message = ""};
    ck_assert_msg(xk_inst_encode(ml.p, i, ml.code + 16 * ml.n_code, &err) ==
                      XK_OK,
                  "%s", err.message);
    ml.n_code++;
}

struct xk_operand ml_grf(unsigned r)
{
    return (struct xk_operand){
        .file = XK_FILE_GRF, .type = XK_RT_UD, .reg = (uint8_t)r};
}

struct xk_operand ml_null(void)
{
    return (struct xk_operand){
        .file = XK_FILE_ARF, .type = XK_RT_UD, .arf = XK_ARF_NULL};
}

/* Everything that is under way. */
static void wait(void)
{
    struct xk_inst i = {.op = XK_OPC_SYNC, .exec = 1, .sync_fn = XK_SYNC_ALLWR};
    i.dst = i.src[0] = ml_null();
    ml_emit(&i);
}

bool ml_send(struct xk_msg *m, unsigned src0, unsigned src1, unsigned dst,
             bool all)
{
    struct xk_error err = {.message = ""};
    struct xk_inst i = {.op = XK_OPC_SEND, .exec = m->exec, .no_mask = all};
    i.src[0] = ml_grf(src0);
    i.src[1] = src1 ? ml_grf(src1) : ml_null();
    i.dst = dst ? ml_grf(dst) : ml_null();
    i.swsb.mode = XK_SBID_SET;
    i.swsb.sbid = ml.n_code % 16;
    if (xk_msg_build(ml.p, m, &i, &err) < 0)
        return false;
    if (!m->src1_grf)
        i.src[1] = ml_null();
    if (!m->dst_grf)
        i.dst = ml_null();
    ml_emit(&i);
    wait();
    return true;
}

void ml_put32(uint8_t *at, uint32_t v)
{
    memcpy(at, &v, 4);
}

void ml_finish_code(void)
{
    const unsigned chunk_b = 128, n = N_DUMPED * ml.p->grf_b / chunk_b;
    for (unsigned k = 0; k < n; k++) {
        struct xk_msg m = {.kind = XK_MSG_DC1_A64_OWORD_STORE_BYTES,
                           .exec = 8,
                           .bti = XK_BTI_STATELESS,
                           .vec = 8,
                           .header = true};
        const uint64_t va = DUMP_VA + k * chunk_b;
        memcpy(ml.regs + (HEAD + k) * ml.p->grf_b, &va, 8);
        ck_assert(
            ml_send(&m, HEAD + k, DST + k * chunk_b / ml.p->grf_b, 0, true));
    }
    struct xk_msg end = {.kind = xk_msg_exists(ml.p, XK_MSG_EOT, XK_SFID_GTWY)
                                     ? XK_MSG_EOT
                                     : XK_MSG_TS_EOT,
                         .exec = 8};
    ck_assert(ml_send(&end, END, 0, 0, true));
}

static void write_state(uint32_t at, uint64_t va, uint32_t size_b)
{
    uint8_t *const s = ml.state + at;
    const uint32_t last = size_b - 1;
    ml_put32(s, 4u << 29 | 0x1ffu << 18);
    ml_put32(s + 8, (last & 127) | (last >> 7 & 0x3fff) << 16);
    ml_put32(s + 12, last >> 21 << 21);
    memcpy(s + 32, &va, 8);
}

static void say(void *user, const struct xk_sim_finding *f)
{
    char line[900];
    (void)user;
    if (ml.quiet)
        return;
    xk_sim_finding_print(f, line, sizeof line);
    printf("# %s\n", line);
}

enum xk_status ml_run(uint32_t mask, struct xk_error *err)
{
    xk_sim_kernel *k;
    const struct xk_zkernel z = {.name = "message",
                                 .simd = 32,
                                 .grf_count = 128,
                                 .slm_b = SLM_B,
                                 .barriers = 1,
                                 .code = ml.code,
                                 .code_b = 16 * ml.n_code};
    ck_assert_msg(xk_sim_kernel_create(NULL, ml.p, &z, &k, err) == XK_OK, "%s",
                  err->message);
    struct xk_sim_region r[3] = {
        {MEM_VA, MEM_B, ml.mem, XK_SIM_BUFFER},
        {DUMP_VA, sizeof ml.dump, ml.dump, XK_SIM_BUFFER},
        {STATE_VA, sizeof ml.state, ml.state, XK_SIM_STATE}};
    const struct xk_sim_dispatch d = {.kernel = k,
                                      .groups = {1, 1, 1},
                                      .simd = 32,
                                      .n_threads = 1,
                                      .last_mask = mask,
                                      .thread_data = ml.regs + ml.p->grf_b,
                                      .thread_data_b = 127 * ml.p->grf_b,
                                      .general_va = GENERAL_VA,
                                      .surface_va = STATE_VA,
                                      .bindless_va = STATE_VA,
                                      .binding_table_va = STATE_VA + TABLE_B,
                                      .slm_b = SLM_B,
                                      .n_barriers = 1,
                                      .regions = r,
                                      .n_regions = 3,
                                      .n_host_threads = 1,
                                      .scratch_field = 0x1000,
                                      .scratch_surface =
                                          ml.p->id != XK_PLATFORM_XELP,
                                      .scratch_slot_b = SLOT_B,
                                      .check = {.on = ml.checks, .found = say}};
    const enum xk_status s = xk_sim_dispatch(&d, NULL, err);
    xk_sim_kernel_destroy(k);
    return s;
}

static void write_surfaces(void)
{
    const uint64_t va = MEM_VA;
    memset(ml.state, 0, sizeof ml.state);
    write_state(0x140, MEM_VA, SURFACE_B);
    ml_put32(ml.state + TABLE_B + 4 * BTI, 0x140);
    ml_put32(ml.state + 0x100, 6u << 29);
    ml_put32(ml.state + 0x100 + 12, SLOT_B - 1);
    memcpy(ml.state + 0x100 + 32, &va, 8);
}

void ml_begin(unsigned platform)
{
    static const char *const platforms[N_PLATFORMS] = {"xelp", "xehpg",
                                                       "xehpc"};
    ml.p = xk_platform_find(platforms[platform]);
    ml.n_code = 0;
    /* what nobody wrote is stored, surfaces are left: both on purpose */
    ml.checks = XK_CHECK_ALL & ~(XK_CHECK_INIT | XK_CHECK_MEM);
    for (size_t i = 0; i < sizeof ml.regs; i++)
        ml.regs[i] = (uint8_t)ml_rnd();
    for (size_t i = 0; i < MEM_B; i++)
        ml.mem[i] = (uint8_t)ml_rnd();
    write_surfaces();
}

uint64_t ml_address(enum place at, uint32_t off)
{
    return at == FLAT ? MEM_VA + off : at == STATELESS ? off + 0x1000u : off;
}

bool ml_in_owords(unsigned kind)
{
    return kind == XK_MSG_DC0_OWORD_LOAD || kind == XK_MSG_DC0_OWORD_STORE ||
           kind == XK_MSG_DCRO_OWORD_LOAD;
}

void ml_choose_offsets(uint32_t *off, unsigned n, unsigned room_b,
                       unsigned align_b, uint32_t limit_b)
{
    uint32_t slot[32];
    const uint32_t slack_b = align_b == 1 ? 7 : 0;
    const uint32_t each_b = (room_b + slack_b + 7) / 8 * 8;
    for (unsigned l = 0; l < n; l++)
        slot[l] = l;
    for (unsigned l = n - 1; l; l--) {
        const unsigned k = ml_rnd() % (l + 1);
        const uint32_t x = slot[l];
        slot[l] = slot[k];
        slot[k] = x;
    }
    const uint32_t span_b = each_b * n;
    const uint32_t room = span_b < limit_b ? limit_b - span_b : 1;
    const uint32_t back = limit_b > SURFACE_B && ml_rnd() % 2 ? 128 : room;
    const uint32_t first =
        (room - 1 - ml_rnd() % (back < room ? back : room)) / 8 * 8;
    for (unsigned l = 0; l < n; l++)
        off[l] = first + slot[l] * each_b + ml_rnd() % (slack_b + 1);
}

unsigned ml_alignment(const struct xk_msg *m)
{
    const bool bytes = m->kind == XK_MSG_DC0_BYTE_LOAD ||
                       m->kind == XK_MSG_DC0_BYTE_STORE ||
                       m->kind == XK_MSG_DC1_A64_BYTE_LOAD ||
                       m->kind == XK_MSG_DC1_A64_BYTE_STORE;
    return bytes || m->data_b < 4 ? 1 : m->data_b;
}

static bool scaled(const struct xk_msg *m, enum place at)
{
    return at == SURFACE && (m->kind == XK_MSG_DC0_DWORD_LOAD ||
                             m->kind == XK_MSG_DC0_DWORD_STORE ||
                             m->kind == XK_MSG_DCRO_DWORD_LOAD);
}

bool ml_is_store(const struct xk_msg *m)
{
    const enum xk_msg_op op = (enum xk_msg_op)m->op;
    return xk_msg_op_class(op) == XK_MCLASS_STORE;
}

/* The address in a lane that is off: nowhere, and at no element's place. */
#define GARBAGE UINT64_C(0x7bad0badf00dbad1)

void ml_place_addresses(const struct xk_msg *m, enum place at,
                        const uint32_t *off, uint32_t mask)
{
    uint8_t *const first = ml.regs + (ADDR + m->header) * ml.p->grf_b;
    const unsigned unit_b = scaled(m, at) ? 4 : 1;
    for (unsigned l = 0; l < m->exec; l++) {
        const uint64_t a =
            mask >> l & 1 ? ml_address(at, off[l]) / unit_b : GARBAGE;
        memcpy(first + l * m->addr_b, &a, m->addr_b);
    }
}
