/* SPDX-License-Identifier: Apache-2.0 */
/* Field tables, refusals, and random bits through decoder and encoder. */
#include <string.h>

#include "base/alloc.h"
#include "isa/format.h"
#include "tests/isa/random_inst.h"
#include "tests/isa/tests.h"

#define N_RANDOM 100000

static const struct xk_platform *p;
static struct xk_error err;

static void setup(void)
{
    p = xk_platform_get(XK_PLATFORM_XEHPG);
    memset(&err, 0, sizeof(err));
}

/* Bits of a field as a 128-bit mask; also checks its parts. */
static void field_mask(const struct xk_field *f, uint64_t mask[2])
{
    unsigned sum = 0;

    mask[0] = mask[1] = 0;
    for (unsigned k = 0; k < f->n_parts; k++) {
        const unsigned first = f->part[k].first, count = f->part[k].count;
        const uint64_t m = ((UINT64_C(1) << count) - 1) << (first & 63);

        ck_assert_uint_lt(first, 128);
        ck_assert_uint_le((first & 63) + count, 64);
        ck_assert(!(mask[first >> 6] & m));
        mask[first >> 6] |= m;
        sum += count;
    }
    ck_assert_uint_eq(sum, f->n_bits);
}

/* Header fields the compact forms have, too. */
static bool in_compact(unsigned id)
{
    return id == XK_FLD_OPCODE || id == XK_FLD_SWSB || id == XK_FLD_COMPACT;
}

static bool can_meet(unsigned a, unsigned b)
{
    const struct xk_field_row *const x = &xk_field_rows[a];
    const struct xk_field_row *const y = &xk_field_rows[b];

    if (x->format != y->format && x->format != XK_FMT_HEADER &&
        y->format != XK_FMT_HEADER)
        return false;
    if (x->format == XK_FMT_HEADER && y->format >= XK_FMT_COMPACT2)
        return in_compact(a);
    return x->view == y->view;
}

START_TEST(fields_of_one_form_do_not_overlap)
{
    const struct xk_field *const f = xk_isa_fields((enum xk_family_id)_i);

    for (unsigned a = 0; a < XK_N_FIELDS; a++) {
        uint64_t ma[2], mb[2];

        field_mask(&f[a], ma);
        for (unsigned b = a + 1; b < XK_N_FIELDS; b++) {
            field_mask(&f[b], mb);
            ck_assert_msg(
                !can_meet(a, b) || (!(ma[0] & mb[0]) && !(ma[1] & mb[1])),
                "%s and %s", xk_field_rows[a].text, xk_field_rows[b].text);
        }
    }
}
END_TEST

START_TEST(platforms_are_found_by_name_and_id)
{
    static const char *const names[] = {"xelp", "xehpg", "xehpc"};

    for (unsigned k = 0; k < XK_COUNTOF(names); k++) {
        const struct xk_platform *const q = xk_platform_find(names[k]);

        ck_assert_ptr_nonnull(q);
        ck_assert_str_eq(q->name, names[k]);
        ck_assert_ptr_eq(xk_platform_get(q->id), q);
    }
    ck_assert_ptr_null(xk_platform_find("dg2"));
    ck_assert_ptr_null(xk_platform_find(NULL));
    ck_assert_ptr_null(xk_platform_get(XK_PLATFORM_NONE));
    ck_assert_uint_eq(p->grf_b, 32);
    ck_assert_uint_eq(p->n_sbid, 16);
    ck_assert_uint_eq(p->product_family, 1270);
}
END_TEST

START_TEST(other_platforms_say_that_they_are_not_done)
{
    const struct xk_inst i = {.op = XK_OPC_NOP, .exec = 1};
    uint8_t bytes[XK_INST_B] = {0x60};
    struct xk_inst back;
    size_t used_b;

    p = xk_platform_find("xehpc");
    ck_assert_int_eq(xk_inst_encode(p, &i, bytes, &err), XK_EUNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(err.message, "xehpc"));
    ck_assert_int_eq(
        xk_inst_decode(p, bytes, sizeof(bytes), &back, &used_b, &err),
        XK_EUNSUPPORTED);
}
END_TEST

static struct xk_inst add_inst(void)
{
    struct xk_inst i = {.op = XK_OPC_ADD, .exec = 8};

    i.dst.file = i.src[0].file = i.src[1].file = XK_FILE_GRF;
    i.dst.type = i.src[0].type = i.src[1].type = XK_RT_D;
    i.dst.rgn.hs = i.src[0].rgn.vs = i.src[1].rgn.vs = 1;
    i.src[0].rgn.width = i.src[1].rgn.width = 1;
    return i;
}

/* clang-format off */
/* One spoilt byte of the record, and what the message must name. */
#define AT(m) offsetof(struct xk_inst, m)
static const struct {
    size_t at;
    uint8_t value;
    const char *says;
} refusals[] = {
    {AT(exec), 3, "exec size 3"},
    {AT(exec), 0, "exec size 0"},
    {AT(exec), 64, "exec size 64"},
    {AT(chan_off), 6, "channel offset 6"},
    {AT(chan_off), 32, "channel offset 8"},
    {AT(pred), 14, "predicate 14"},
    {AT(pred_inv), 1, "predicate 0, inverse 1"},
    {AT(flag_reg), 1, "flag f1.0 without"},
    {AT(cond), 7, "condition 7"},
    {AT(cond), 15, "condition 15"},
    {AT(branch_ctrl), 1, "branch control 1"},
    {AT(compacted), 1, "compacted"},
    {AT(swsb.mode), 4, "swsb: mode 4"},
    {AT(swsb.dist), 8, "distance 8"},
    {AT(swsb.no_acc_sb), 1, "NoAccSBSet"},
    {AT(dst.type), XK_RT_U4, "dst: type u4"},
    {AT(dst.type), XK_RT_TF32, "dst: type tf32"},
    {AT(dst.type), 200, "dst: type ?"},
    {AT(dst.file), XK_FILE_NONE, "dst register: file 0"},
    {AT(dst.file), XK_FILE_TILE, "dst register: file 4"},
    {AT(dst.file), XK_FILE_IMM, "dst register: file 3"},
    {AT(dst.sub_b), 32, "dst subregister byte 32"},
    {AT(dst.rgn.hs), 3, "dst stride 3"},
    {AT(src[0].rgn.vs), 3, "src0 vstride 3"},
    {AT(src[0].rgn.vs), XK_VS_VXH, "src0 vstride 255"},
    {AT(src[0].rgn.width), 0, "src0 width 0"},
    {AT(src[1].rgn.width), 32, "src1 width 32"},
    {AT(src[1].rgn.hs), 8, "src1 hstride 8"},
    {AT(src[0].file), XK_FILE_IMM, "src0 cannot be immediate"},
    {AT(src[1].type), XK_RT_VF, "src1: type vf"},
    {AT(src[2].file), 0, NULL}, /* unused: accepted as it is */
};
/* clang-format on */

START_TEST(what_does_not_fit_is_refused_by_name)
{
    struct xk_inst i = add_inst();
    uint8_t bytes[XK_INST_B];

    ck_assert_int_eq(xk_inst_encode(p, &i, bytes, &err), XK_OK);
    ((uint8_t *)&i)[refusals[_i].at] = refusals[_i].value;
    memset(bytes, 0xee, sizeof(bytes));
    if (!refusals[_i].says) {
        ck_assert_int_eq(xk_inst_encode(p, &i, bytes, &err), XK_OK);
        return;
    }
    ck_assert_int_lt(xk_inst_encode(p, &i, bytes, &err), 0);
    ck_assert_msg(strstr(err.message, refusals[_i].says) != NULL, "%s",
                  err.message);
    for (unsigned k = 0; k < XK_INST_B; k++)
        ck_assert_uint_eq(bytes[k], 0xee);
    ck_assert_int_lt(xk_inst_encode(p, &i, bytes, NULL), 0);
}
END_TEST

START_TEST(wide_numbers_are_refused)
{
    struct xk_inst i = add_inst();
    uint8_t bytes[XK_INST_B];

    i.dst.reg = 256;
    ck_assert_int_eq(xk_inst_encode(p, &i, bytes, &err), XK_EINVAL);
    ck_assert_str_eq(err.message, "add: dst register 256 does not fit 8 bits");
    i = add_inst();
    i.src[1].file = XK_FILE_IMM;
    i.src[1].imm = UINT64_C(1) << 32;
    ck_assert_int_eq(xk_inst_encode(p, &i, bytes, &err), XK_EINVAL);
    i.src[1].type = XK_RT_W;
    i.src[1].imm = 0xffff8000; /* sign extended: not the zero-extended form */
    ck_assert_int_eq(xk_inst_encode(p, &i, bytes, &err), XK_EINVAL);
    i.src[1].imm = 0x8000;
    ck_assert_int_eq(xk_inst_encode(p, &i, bytes, &err), XK_OK);
    i = add_inst();
    i.src[0].indirect = true;
    i.src[0].a0_off_b = 512;
    ck_assert_int_eq(xk_inst_encode(p, &i, bytes, &err), XK_EINVAL);
}
END_TEST

START_TEST(short_input_is_refused)
{
    const uint8_t compact[XK_INST_B] = {0x61, 0, 0, 0x20};
    const uint8_t compact_nop[XK_INST_B] = {0x60, 0, 0, 0x20};
    const uint8_t nop[XK_INST_B] = {0x60};
    struct xk_inst i;
    size_t used_b;

    for (size_t n = 0; n < XK_INST_B; n++)
        ck_assert_int_eq(xk_inst_decode(p, nop, n, &i, &used_b, &err),
                         XK_EPARSE);
    ck_assert_int_eq(xk_inst_decode(p, nop, XK_INST_B, &i, &used_b, &err),
                     XK_OK);
    ck_assert_uint_eq(used_b, XK_INST_B);
    ck_assert_int_eq(xk_inst_decode(p, compact, 7, &i, &used_b, &err),
                     XK_EPARSE);
    ck_assert_uint_eq(used_b, 0);
    ck_assert_int_eq(xk_inst_decode(p, compact, 8, &i, &used_b, &err), XK_OK);
    ck_assert_uint_eq(used_b, 8);
    ck_assert(i.compacted);
    ck_assert_int_eq(xk_inst_decode(p, compact_nop, 8, &i, &used_b, &err),
                     XK_EPARSE);
    ck_assert_uint_eq(used_b, 8);
}
END_TEST

START_TEST(decode_gives_back_what_was_encoded)
{
    struct rng r = {rng_seed()};

    for (unsigned k = 0; k < N_RANDOM; k++) {
        struct xk_inst i, back;
        uint8_t bytes[XK_INST_B];
        size_t used_b;

        random_inst(&r, random_opcode(&r), &i);
        ck_assert_msg(xk_inst_encode(p, &i, bytes, &err) == XK_OK, "%s",
                      err.message);
        ck_assert_msg(xk_inst_decode(p, bytes, sizeof(bytes), &back, &used_b,
                                     &err) == XK_OK,
                      "%s", err.message);
        ck_assert_mem_eq(&i, &back, sizeof(i));
    }
}
END_TEST

/* Decodes; what decodes must encode to the same bytes. */
static bool check_bits(const uint8_t *bytes)
{
    struct xk_isa_violation v[4];
    struct xk_inst i;
    uint8_t again[XK_INST_B];
    size_t used_b;

    if (xk_inst_decode(p, bytes, XK_INST_B, &i, &used_b, &err) < 0) {
        ck_assert_uint_gt(strlen(err.message), 8);
        return false;
    }
    if (!i.compacted) {
        ck_assert_msg(xk_inst_encode(p, &i, again, &err) == XK_OK, "%s",
                      err.message);
        ck_assert_mem_eq(bytes, again, XK_INST_B);
    }
    xk_inst_validate(p, &i, v, XK_COUNTOF(v)); /* must not crash */
    for (int k = -1; k < 3; k++)
        xk_inst_footprint(p, &i, k);
    return true;
}

START_TEST(random_bits_decode_to_themselves_or_not_at_all)
{
    struct rng r = {rng_seed()};
    unsigned n_ok = 0;

    for (unsigned k = 0; k < N_RANDOM; k++) {
        uint64_t w[2] = {rng_bits(&r), rng_bits(&r)};
        uint8_t bytes[XK_INST_B];

        /* sparse patterns decode more often */
        if (k & 1)
            w[0] &= rng_bits(&r), w[1] &= rng_bits(&r);
        memcpy(bytes, w, sizeof(bytes));
        bytes[3] &= 0xdf; /* not compacted */
        n_ok += check_bits(bytes);
    }
    ck_assert_uint_gt(n_ok, 50);
}
END_TEST

START_TEST(flipped_bits_decode_to_themselves_or_not_at_all)
{
    struct rng r = {rng_seed()};
    unsigned n_ok = 0, n_refused = 0;

    for (unsigned k = 0; k < N_RANDOM / 16; k++) {
        struct xk_inst i;
        uint8_t bytes[XK_INST_B];

        random_inst(&r, random_opcode(&r), &i);
        ck_assert_int_eq(xk_inst_encode(p, &i, bytes, &err), XK_OK);
        for (unsigned j = 0; j < 16; j++) {
            const unsigned bit = rng_below(&r, 128);

            bytes[bit / 8] ^= 1u << bit % 8;
            if (check_bits(bytes))
                n_ok++;
            else
                n_refused++;
            bytes[bit / 8] ^= 1u << bit % 8;
        }
    }
    ck_assert_uint_gt(n_ok, 1000);
    ck_assert_uint_gt(n_refused, 1000);
}
END_TEST

/* A compact form is a native one: without its mark it encodes, and decodes to
 * the same record. */
START_TEST(random_compact_bits_decode_to_native_instructions)
{
    struct rng r = {rng_seed()};
    unsigned n_ok = 0;

    for (unsigned k = 0; k < N_RANDOM; k++) {
        const uint64_t w = rng_bits(&r);
        struct xk_inst i, back;
        uint8_t bytes[XK_INST_B] = {0};
        size_t used_b;

        memcpy(bytes, &w, sizeof(w));
        bytes[3] |= 0x20;
        if (xk_inst_decode(p, bytes, 8, &i, &used_b, &err) < 0)
            continue;
        ck_assert(i.compacted);
        ck_assert_int_eq(xk_inst_encode(p, &i, bytes, &err), XK_EUNSUPPORTED);
        i.compacted = false;
        ck_assert_msg(xk_inst_encode(p, &i, bytes, &err) == XK_OK, "%s",
                      err.message);
        ck_assert_int_eq(
            xk_inst_decode(p, bytes, XK_INST_B, &back, &used_b, &err), XK_OK);
        ck_assert_mem_eq(&i, &back, sizeof(i));
        n_ok++;
    }
    ck_assert_uint_gt(n_ok, N_RANDOM / 20);
}
END_TEST

/* Reserved bits, from the manual's layouts: bit 7 everywhere; 49 of three
 * sources; 32 of branches; 35 of nop. */
START_TEST(reserved_bits_are_refused)
{
    static const struct {
        uint8_t op, bit;
        const char *says;
    } cases[] = {
        {XK_OPC_ADD, 7, "add: bit 7 (no field)"},
        {XK_OPC_MAD, 49, "mad: bit 49 (no field)"},
        {XK_OPC_ENDIF, 32, "endif: bit 32 (no field)"},
        {XK_OPC_ENDIF, 64, "endif: bit 64 (uip)"},
        {XK_OPC_NOP, 35, "nop: bit 35 (no field)"},
        {XK_OPC_NOP, 16, "nop: bit 16 (exec size)"},
    };
    struct rng r = {1};

    for (unsigned k = 0; k < XK_COUNTOF(cases); k++) {
        struct xk_inst i;
        uint8_t bytes[XK_INST_B];
        size_t used_b;

        random_inst(&r, cases[k].op, &i);
        ck_assert_int_eq(xk_inst_encode(p, &i, bytes, &err), XK_OK);
        bytes[cases[k].bit / 8] ^= 1u << cases[k].bit % 8;
        ck_assert_int_eq(xk_inst_decode(p, bytes, XK_INST_B, &i, &used_b, &err),
                         XK_EPARSE);
        ck_assert_msg(strstr(err.message, cases[k].says) != NULL, "%s",
                      err.message);
    }
}
END_TEST

TCase *isa_codec_case(void)
{
    TCase *const t = tcase_create("codec");

    tcase_set_timeout(t, 120);
    tcase_add_checked_fixture(t, setup, NULL);
    tcase_add_loop_test(t, fields_of_one_form_do_not_overlap, 0, XK_N_FAMILIES);
    tcase_add_test(t, platforms_are_found_by_name_and_id);
    tcase_add_test(t, other_platforms_say_that_they_are_not_done);
    tcase_add_loop_test(t, what_does_not_fit_is_refused_by_name, 0,
                        XK_COUNTOF(refusals));
    tcase_add_test(t, wide_numbers_are_refused);
    tcase_add_test(t, short_input_is_refused);
    tcase_add_test(t, decode_gives_back_what_was_encoded);
    tcase_add_test(t, random_bits_decode_to_themselves_or_not_at_all);
    tcase_add_test(t, flipped_bits_decode_to_themselves_or_not_at_all);
    tcase_add_test(t, random_compact_bits_decode_to_native_instructions);
    tcase_add_test(t, reserved_bits_are_refused);
    return t;
}
