/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors of sampler messages against the sentence that iga64 prints beside
 * each. Exits with 77 where iga64 is missing. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "isa/message_sampler.h"
#include "tests/isa/iga.h"
#include "tests/tap.h"

enum { N = 300 };

/* How iga64 calls the operations that have a name here. */
static const struct {
    uint8_t op;
    const char *name, *words;
} ops[] = {
    {XK_SMP_SAMPLE, "sample", "sample"},
    {XK_SMP_SAMPLE_L, "sample_l", "sample override LOD"},
    {XK_SMP_SAMPLE_D, "sample_d", "sample gradient"},
    {XK_SMP_LD, "ld", "sample load"},
    {XK_SMP_RESINFO, "resinfo", "sample res info"},
    {XK_SMP_SAMPLE_LZ, "sample_lz", "sample with lod forced to 0"},
    {XK_SMP_LD_LZ, "ld_lz", "sample load with lod forced to 0"},
};

static uint32_t rnd(void)
{
    static uint64_t seed = 3;
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33);
}

static const char *words_of(const struct xk_sampler_msg *m)
{
    for (size_t k = 0; k < XK_COUNTOF(ops); k++)
        if (ops[k].op == m->op) {
            ck_assert_str_eq(xk_sampler_op_name(m->op), ops[k].name);
            return ops[k].words;
        }
    return "?";
}

static struct xk_inst draw(void)
{
    static const struct xk_operand null = {
        .file = XK_FILE_ARF, .type = XK_RT_UD, .arf = XK_ARF_NULL};
    struct xk_inst i = {.op = XK_OPC_SEND, .exec = 8};
    const uint32_t mlen = 1 + rnd() % 4, rlen = 1 + rnd() % 8;
    i.send.sfid = XK_SFID_SMPL;
    i.send.src1_len = (uint8_t)(rnd() % 5);
    i.send.exdesc = (uint32_t)i.send.src1_len << 6;
    i.send.desc = rnd() % 200 | rnd() % 16 << 8 |
                  (uint32_t)ops[rnd() % XK_COUNTOF(ops)].op << 12 |
                  (1 + rnd() % 2) << 17 | rnd() % 2 << 19 | rlen << 20 |
                  mlen << 25 | rnd() % 2 << 30;
    i.dst = (struct xk_operand){
        .file = XK_FILE_GRF, .type = XK_RT_UD, .reg = 60, .rgn = {0, 0, 1}};
    i.src[0] = (struct xk_operand){
        .file = XK_FILE_GRF, .type = XK_RT_UD, .reg = 10, .rgn = {0, 1, 0}};
    i.src[1] = i.src[0];
    i.src[1].reg = 30;
    if (!i.send.src1_len)
        i.src[1] = null;
    return i;
}

START_TEST(descriptors_say_what_iga64_says)
{
    const struct xk_platform *const p = xk_platform_get(XK_PLATFORM_XEHPG);
    static uint8_t code[N * XK_INST_B];
    static struct xk_inst inst[N];
    struct xk_error err = {.message = ""};
    struct iga_lines lines;
    for (unsigned k = 0; k < N; k++) {
        inst[k] = draw();
        ck_assert_msg(xk_inst_encode(p, &inst[k], code + k * XK_INST_B, &err) ==
                          XK_OK,
                      "%s", err.message);
    }
    ck_assert(iga_disassemble(p, code, sizeof code, true, &lines));
    ck_assert_uint_eq(lines.n, N);
    for (unsigned k = 0; k < N; k++) {
        struct xk_sampler_msg m;
        char want[200];
        ck_assert(xk_sampler_decode(&inst[k], &m));
        snprintf(want, sizeof want,
                 "wr:%u%s+%u, rd:%u; simd%u %s%s using sampler index %u",
                 m.src0_grf, m.header ? "h" : "", m.src1_grf, m.dst_grf, m.simd,
                 m.half ? "16b " : "", words_of(&m), m.sampler);
        const char *const said = strstr(lines.line[k], "wr:");
        ck_assert_msg(said && !strcmp(said, want), "0x%08x: '%s', not '%s'",
                      inst[k].send.desc, said ? said : lines.line[k], want);
        ck_assert_uint_eq(m.bti, inst[k].send.desc & 0xff);
    }
    iga_lines_fini(&lines);
}
END_TEST

START_TEST(other_sends_are_none)
{
    struct xk_inst i = draw();
    struct xk_sampler_msg m;
    i.send.desc_reg = true;
    ck_assert(!xk_sampler_decode(&i, &m));
    i = draw();
    i.send.sfid = XK_SFID_DC1;
    ck_assert(!xk_sampler_decode(&i, &m));
    i = draw();
    i.send.desc |= 1u << 29;
    ck_assert(xk_sampler_decode(&i, &m) && m.other);
    i.send.desc = 3u << 17;
    ck_assert(xk_sampler_decode(&i, &m) && !m.simd && !m.other);
    ck_assert_str_eq(xk_sampler_op_name(0x1e), "");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("message_sampler");
    TCase *t = tcase_create("message_sampler");
    if (!iga_available()) {
        puts("# iga64 is not installed");
        return 77;
    }
    tcase_add_test(t, descriptors_say_what_iga64_says);
    tcase_add_test(t, other_sends_are_none);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
