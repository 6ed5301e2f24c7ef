/* SPDX-License-Identifier: Apache-2.0 */
/* The 64-bit form without another program: words that iga64 made once, and what
 * must hold for any instruction and any word. test_compact.py asks iga64. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "isa/compact.h"
#include "tests/isa/random_inst.h"
#include "tests/tap.h"

#define N_RANDOM 100000

static uint64_t seed;

static const struct xk_platform *platform(int k)
{
    return xk_platform_get((enum xk_platform_id)(XK_PLATFORM_XELP + k));
}

static void store(uint64_t v, uint8_t *b)
{
    for (unsigned k = 0; k < 8; k++)
        b[k] = (uint8_t)(v >> 8 * k);
}

static uint64_t load(const uint8_t *b)
{
    uint64_t v = 0;

    for (unsigned k = 0; k < 8; k++)
        v |= (uint64_t)b[k] << 8 * k;
    return v;
}

/* iga64 -a, and iga64 -a -Xautocompact: native bits 63:0 and 127:64, and the
 * compact word, 0 where it leaves the native form. */
/* clang-format off */
static const struct {
    enum xk_platform_id p;
    uint64_t lo, hi, word;
} golden[] = {
    /* mov (8|M0) r10.0<1>:f r20.0<8;8,1>:f */
    {XK_PLATFORM_XELP, 0x0a050aa000030061, 0x0000000000461405,
     0x00101400610a0061},
    /* mov (8|M0) r10.0<1>:d -5:w */
    {XK_PLATFORM_XELP, 0x0a05456000030061, 0xfffbfffb00000000,
     0x0000000000000000},
    /* add (16|M0) r10.0<1>:f r12.0<8;8,1>:f r14.0<8;8,1>:f {$3.dst} */
    {XK_PLATFORM_XELP, 0x0a050aa000042340, 0x00460e050a460c05,
     0x0e000c00200a2340},
    /* add (8|M0) r10.0<1>:d r12.0<8;8,1>:d -77:w */
    {XK_PLATFORM_XELP, 0x0a05866000030040, 0xffb3ffb305460c05,
     0xfb300c02610a0040},
    /* (W) and (1|M0) r10.0<1>:ud r0.0<0;1,0>:ud 0xFFF:ud */
    {XK_PLATFORM_XELP, 0x0a05822080000065, 0x00000fff02000004,
     0xfff10003e20a0065},
    /* mul (16|M0) r10.0<1>:f r12.0<8;8,1>:f 2.0:f */
    {XK_PLATFORM_XELP, 0x0a058aa000040041, 0x400000000a460c05,
     0x40000c00e00a0041},
    /* cmp (16|M0) (lt)f0.0 null<1>:d r12.0<8;8,1>:d r14.0<0;1,0>:d */
    {XK_PLATFORM_XELP, 0x0001066000040070, 0x00000e0456460c05,
     0x0000000000000000},
    /* mad (8|M0) r10.0<1>:f r12.0<8;1>:f r14.0<8;1>:f r16.0<1>:f */
    {XK_PLATFORM_XELP, 0x0a040aa80003005b, 0x10050e050a0a0c05,
     0x0e100c00a10a005b},
    /* sync.nop null {@1} */
    {XK_PLATFORM_XELP, 0x0001000000000101, 0x0000000000000000,
     0x00110001e8000101},
    /* add (8|M0) r10.1<1>:d r12.0<8;8,1>:d 0x1000:w */
    {XK_PLATFORM_XELP, 0x0a25866000030040, 0x1000100005460c05,
     0x0000000000000000},
    /* mul (8|M0) r10.0<1>:f r12.0<8;8,1>:f 2.1:f */
    {XK_PLATFORM_XELP, 0x0a058aa000030041, 0x400666660a460c05,
     0x0000000000000000},
    /* nop */
    {XK_PLATFORM_XELP, 0x0000000000000060, 0x0000000000000000,
     0x0000000000000000},
    /* mov (8|M0) r10.0<1>:f r20.0<1;1,0>:f */
    {XK_PLATFORM_XEHPG, 0x0a050aa000030061, 0x0000000000101404,
     0x00101400610a0061},
    /* mov (8|M0) r10.0<1>:d -5:w */
    {XK_PLATFORM_XEHPG, 0x0a05456000030061, 0xfffbfffb00000000,
     0x0000000000000000},
    /* add (16|M0) r10.0<1>:f r12.0<1;1,0>:f r14.0<1;1,0>:f {$3.dst} */
    {XK_PLATFORM_XEHPG, 0x0a050aa000042340, 0x00100e040a100c04,
     0x0e000c00200a2340},
    /* add (8|M0) r10.0<1>:d r12.0<1;1,0>:d -77:w */
    {XK_PLATFORM_XEHPG, 0x0a05866000030040, 0xffb3ffb305100c04,
     0xfb300c02610a0040},
    /* (W) and (1|M0) r10.0<1>:ud r0.0<0;1,0>:ud 0xFFF:ud */
    {XK_PLATFORM_XEHPG, 0x0a05822080000065, 0x00000fff02000004,
     0xfff10003e20a0065},
    /* (W) and (16|M0) r10.0<1>:uw r4.0<1;1,0>:uw 0x7F:uw */
    {XK_PLATFORM_XEHPG, 0x0a05811080040065, 0x007f007f01100404,
     0x07f00405630a0065},
    /* mul (16|M0) r10.0<1>:f r12.0<1;1,0>:f 2.0:f */
    {XK_PLATFORM_XEHPG, 0x0a058aa000040041, 0x400000000a100c04,
     0x40000c00e00a0041},
    /* cmp (16|M0) (lt)f0.0 null<1>:d r12.0<1;1,0>:d r14.0<0;1,0>:d */
    {XK_PLATFORM_XEHPG, 0x0001066000040070, 0x00000e0456100c04,
     0x0000000000000000},
    /* mad (8|M0) r10.0<1>:f r12.0<1;0>:f r14.0<1;0>:f r16.0<1>:f */
    {XK_PLATFORM_XEHPG, 0x0a0402a80003005b, 0x10050e04020a0c04,
     0x0e100c00a10a005b},
    /* dpas.8x1 (8|M0) r40:f r40:f r60:bf r80.0:bf {Atomic} */
    {XK_PLATFORM_XEHPG, 0x280702a100030059, 0x50043c0405052804,
     0x3c502804be280059},
    /* dpas.8x8 (8|M0) r40:f r40:f r60:bf r80.0:bf {Atomic} */
    {XK_PLATFORM_XEHPG, 0x28073aa100030059, 0x50043c0405052804,
     0x0000000000000000},
    /* sync.nop null {A@1} */
    {XK_PLATFORM_XEHPG, 0x0001000000000901, 0x0000000000000000,
     0x00110001e8000901},
    /* add (8|M0) r10.1<1>:d r12.0<1;1,0>:d 0x1000:w */
    {XK_PLATFORM_XEHPG, 0x0a25866000030040, 0x1000100005100c04,
     0x0000000000000000},
    /* math.inv (8|M0) r10.0<1>:f r12.0<1;1,0>:f */
    {XK_PLATFORM_XEHPG, 0x0a050aa000030038, 0x0000000010100c04,
     0x0000000000000000},
    /* mov (16|M0) r10.0<1>:f r20.0<1;1,0>:f */
    {XK_PLATFORM_XEHPC, 0x0a050aa000100061, 0x0000000000101404,
     0x0000140a34000061},
    /* mov (16|M0) r10.0<1>:d -5:w */
    {XK_PLATFORM_XEHPC, 0x0a05456000100061, 0xfffbfffb00000000,
     0xffb0000a7c800061},
    /* add (16|M0) r10.0<1>:f r12.0<1;1,0>:f r14.0<1;1,0>:f {$3.dst} */
    {XK_PLATFORM_XEHPC, 0x0a050aa000108340, 0x00100e040a100c04,
     0x0e100c0a2c008340},
    /* add (16|M0) r10.0<1>:d r12.0<1;1,0>:d -77:w */
    {XK_PLATFORM_XEHPC, 0x0a05866000100040, 0xffb3ffb305100c04,
     0xfb300c0a70000040},
    /* (W) and (1|M0) r10.0<1>:ud r0.0<0;1,0>:ud 0xFFF:ud */
    {XK_PLATFORM_XEHPC, 0x0a05822080000065, 0x00000fff02000004,
     0xfff0000afc840065},
    /* mul (32|M0) r10.0<1>:f r12.0<1;1,0>:f 2.0:f */
    {XK_PLATFORM_XEHPC, 0x0a058aa000140041, 0x400000000a100c04,
     0x0000000000000000},
    /* add (16|M0) r10.0<1>:q r12.0<1;1,0>:q r14.0<0;1,0>:d */
    {XK_PLATFORM_XEHPC, 0x0a05077000100040, 0x00000e0406100c04,
     0x0000000000000000},
    /* cmp (32|M0) (lt)f0.0 null<1>:d r12.0<1;1,0>:d r14.0<0;1,0>:d */
    {XK_PLATFORM_XEHPC, 0x0001066000140070, 0x00000e0456100c04,
     0x0000000000000000},
    /* mad (16|M0) r10.0<1>:df r12.0<1;0>:df r14.0<1;0>:df r16.0<1>:df */
    {XK_PLATFORM_XEHPC, 0x0a0403b80010005b, 0x10050e04030b0c04,
     0x0e100c0a2040005b},
    /* mad (16|M0) r10.0<1>:f r12.0<1;0>:f r14.0<1;0>:f r16.0<1>:f */
    {XK_PLATFORM_XEHPC, 0x0a0402a80010005b, 0x10050e04020a0c04,
     0x0e100c0a2058005b},
    /* dpas.8x8 (16|M0) r40:f r40:f r60:hf r80.0:hf {Atomic} */
    {XK_PLATFORM_XEHPC, 0x28073aa100100059, 0x50043c0401012804,
     0x3c50282823ac0059},
    /* dpas.8x8 (16|M0) r40:f r40:f r60:bf r80.0:bf */
    {XK_PLATFORM_XEHPC, 0x28073aa000100059, 0x50043c0405052804,
     0x3c50282823a80059},
    /* sync.nop null {A@1} */
    {XK_PLATFORM_XEHPC, 0x0001000000000901, 0x0000000000000000,
     0x00000000248c0901},
    /* sync.allwr null */
    {XK_PLATFORM_XEHPC, 0x0001000000000001, 0x0000000030000000,
     0x0000000024cc0001},
    /* add (16|M0) r10.1<1>:d r12.0<1;1,0>:d 0x1000:w */
    {XK_PLATFORM_XEHPC, 0x0a15866000100040, 0x1000100005100c04,
     0x0000000000000000},
    /* math.inv (16|M0) r10.0<1>:f r12.0<1;1,0>:f */
    {XK_PLATFORM_XEHPC, 0x0a050aa000100038, 0x0000000010100c04,
     0x0000000000000000},
};
/* clang-format on */

START_TEST(words_are_those_the_assembler_makes)
{
    const struct xk_platform *const p = xk_platform_get(golden[_i].p);
    uint8_t native[XK_INST_B], word[8], again[XK_INST_B];
    struct xk_error err;
    struct xk_inst i, c;
    size_t used_b;

    store(golden[_i].lo, native);
    store(golden[_i].hi, native + 8);
    ck_assert_int_eq(xk_inst_decode(p, native, XK_INST_B, &i, &used_b, &err),
                     XK_OK);
    ck_assert_int_eq(xk_inst_compact(p, &i, word), golden[_i].word != 0);
    if (!golden[_i].word)
        return;
    ck_assert_uint_eq(load(word), golden[_i].word);
    ck_assert_int_eq(xk_inst_decode(p, word, 8, &c, &used_b, &err), XK_OK);
    ck_assert_uint_eq(used_b, 8);
    ck_assert(c.compacted && c.compact_as == 0);
    c.compacted = false;
    ck_assert_int_eq(xk_inst_encode(p, &c, again, &err), XK_OK);
    ck_assert_mem_eq(again, native, XK_INST_B);
}
END_TEST

/* What is compacted decodes to the same record; the rest is refused. */
START_TEST(compacting_loses_nothing)
{
    const struct xk_platform *const p = platform(_i);
    struct rng r = {seed};
    unsigned n_compact = 0;

    for (unsigned k = 0; k < N_RANDOM; k++) {
        struct xk_error err = {XK_OK, ""};
        struct xk_inst i, back;
        uint8_t out[XK_INST_B];
        size_t used_b;
        bool can;

        random_inst(p, &r, random_opcode(p, &r), &i);
        can = xk_inst_compact(p, &i, out);
        i.compacted = true;
        ck_assert_int_eq(xk_inst_encode_as_marked(p, &i, out, &used_b, &err),
                         can ? XK_OK : XK_EINVAL);
        ck_assert_uint_eq(used_b, 8);
        ck_assert(can || strstr(err.message, "no compacted form"));
        if (!can)
            continue;
        n_compact++;
        ck_assert_int_eq(xk_inst_decode(p, out, 8, &back, &used_b, &err),
                         XK_OK);
        ck_assert_mem_eq(&back, &i, sizeof(i));
    }
    ck_assert_uint_gt(n_compact, 10);
}
END_TEST

/* A compact word with an opcode of the platform, sparse so that it decodes. */
static uint64_t random_word(const struct xk_platform *p, struct rng *r)
{
    const struct xk_isa_tables *const t = xk_isa_tables_get(p, NULL);
    const uint64_t v = rng_bits(r) & (rng_bits(r) | rng_bits(r));
    const uint64_t keep = UINT64_C(0x7f) | UINT64_C(1) << 29 |
                          (rng_below(r, 2) ? UINT64_C(0x3ff00) : 0);

    return (v & ~keep) | UINT64_C(1) << 29 | t->op_code[random_opcode(p, r)];
}

START_TEST(what_decodes_is_written_again)
{
    const struct xk_platform *const p = platform(_i);
    struct rng r = {seed};
    unsigned n = 0, n_other = 0;

    for (unsigned k = 0; k < N_RANDOM; k++) {
        struct xk_error err = {XK_OK, ""};
        uint8_t word[8], out[XK_INST_B], own[8];
        struct xk_inst i;
        size_t used_b;

        store(random_word(p, &r), word);
        if (xk_inst_decode(p, word, 8, &i, &used_b, &err) < 0) {
            ck_assert_uint_gt(strlen(err.message), 8);
            continue;
        }
        n++;
        ck_assert_int_eq(xk_inst_encode_as_marked(p, &i, out, &used_b, &err),
                         XK_OK);
        ck_assert_mem_eq(out, word, 8);
        /* a mov may use a row with a second source, where none is without */
        ck_assert_int_eq(!xk_inst_compact(p, &i, own) ||
                             memcmp(own, word, 8) != 0,
                         i.compact_as != 0);
        n_other += i.compact_as != 0;
    }
    ck_assert_uint_gt(n, N_RANDOM / 50);
    ck_assert_uint_gt(n_other, 100);
}
END_TEST

/* The word a record was read from counts only while it says the same. */
START_TEST(a_changed_record_forgets_its_word)
{
    /* mov with a src1 index and register, which a mov does not read */
    const uint64_t word = UINT64_C(0x0500000020000061) | UINT64_C(1) << 54;
    const struct xk_platform *const p = platform(_i);
    const uint64_t stale[] = {~UINT64_C(0), 1, word ^ UINT64_C(1) << 29,
                              word ^ 4};
    uint8_t in[8], out[XK_INST_B], own[8];
    struct xk_error err = {XK_OK, ""};
    struct xk_inst i;
    size_t used_b;

    store(word, in);
    ck_assert_int_eq(xk_inst_decode(p, in, 8, &i, &used_b, &err), XK_OK);
    ck_assert_uint_eq(i.compact_as, word);
    for (unsigned k = 0; k < XK_COUNTOF(stale); k++) {
        i.compact_as = stale[k];
        ck_assert(xk_inst_compact(p, &i, own));
        ck_assert_int_eq(xk_inst_encode_as_marked(p, &i, out, &used_b, &err),
                         XK_OK);
        ck_assert_mem_eq(out, own, 8);
    }
    i.compact_as = word;
    i.dst.reg++;
    ck_assert(xk_inst_compact(p, &i, own));
    ck_assert_int_eq(xk_inst_encode_as_marked(p, &i, out, &used_b, &err),
                     XK_OK);
    ck_assert_mem_eq(out, own, 8);
}
END_TEST

static unsigned overlap(const struct xk_compact_bits *a,
                        const struct xk_compact_bits *b)
{
    return (a->lo & b->lo) || (a->hi & b->hi);
}

static bool same_row(const struct xk_compact *c,
                     const struct xk_compact_lookup *l, unsigned a, unsigned b)
{
    const struct xk_compact_bits *const row = c->row[l->table];

    return !((row[a].lo ^ row[b].lo) & l->care.lo) &&
           !((row[a].hi ^ row[b].hi) & l->care.hi);
}

/* Indices of a form govern different bits; and two rows of a table differ in
 * them, unless an immediate hides the difference. */
START_TEST(rows_say_different_things)
{
    const struct xk_isa_tables *const t = xk_isa_tables_get(platform(_i), NULL);
    const struct xk_compact *const c = t->compact;

    for (unsigned form = 1; form < XK_N_COMPACT_FORMS; form++) {
        const struct xk_compact_lookup *const l = c->form[form].lookup;

        for (unsigned k = 0; k < XK_COMPACT_MAX_LOOKUPS && l[k].index; k++) {
            const unsigned n = 1U << t->field[l[k].index].n_bits;

            ck_assert_uint_le(n, XK_COMPACT_MAX_ROWS);
            for (unsigned j = 0; j < k; j++)
                ck_assert(!overlap(&l[k].care, &l[j].care));
            if (form == XK_COMPACT_BASIC_IMM0 || form == XK_COMPACT_BASIC_IMM1)
                continue;
            for (unsigned b = 1; b < n; b++) {
                for (unsigned a = 0; a < b; a++)
                    ck_assert_msg(!same_row(c, &l[k], a, b),
                                  "form %u, lookup %u, rows %u and %u", form, k,
                                  a, b);
            }
        }
    }
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("isa_compact");
    TCase *const t = tcase_create("compact");

    seed = rng_seed();
    printf("# XK_TEST_SEED=%" PRIu64 "\n", seed);
    fflush(stdout);
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, words_are_those_the_assembler_makes, 0,
                        XK_COUNTOF(golden));
    tcase_add_loop_test(t, compacting_loses_nothing, 0, 3);
    tcase_add_loop_test(t, what_decodes_is_written_again, 0, 3);
    tcase_add_loop_test(t, a_changed_record_forgets_its_word, 0, 3);
    tcase_add_loop_test(t, rows_say_different_things, 0, 3);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
