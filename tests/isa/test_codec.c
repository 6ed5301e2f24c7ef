/* SPDX-License-Identifier: Apache-2.0 */
/* Field tables, refusals, and random bits through decoder and encoder. */
#include <string.h>

#include "base/alloc.h"
#include "isa/format.h"
#include "tests/isa/codec_check.h"
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

START_TEST(a_platform_without_tables_is_refused)
{
    const struct xk_platform later = {.id = XK_PLATFORM_XEHPC + 1,
                                      .name = "later"};
    const struct xk_inst i = {.op = XK_OPC_NOP, .exec = 1};
    uint8_t bytes[XK_INST_B] = {0x60};
    struct xk_inst back;
    size_t used_b;

    ck_assert_int_eq(xk_inst_encode(&later, &i, bytes, &err), XK_EUNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(err.message, "later"));
    ck_assert_int_eq(
        xk_inst_decode(&later, bytes, sizeof(bytes), &back, &used_b, &err),
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
    {AT(pred), 16, "predicate 16"},
    {AT(flag_reg), 1, "flag f1.0 without"},
    {AT(cond), 7, "condition 7"},
    {AT(cond), 15, "condition 15"},
    {AT(branch_ctrl), 1, "branch control 1"},
    {AT(compacted), 1, "compacted"},
    {AT(swsb.mode), 4, "SBID mode 4"},
    {AT(swsb.dist), 8, "distance 8"},
    {AT(swsb.pipe), 9, NULL}, /* without a distance: no pipe */
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

/* The platform of a loop test. */
static void use_platform(int k)
{
    static const char *const names[] = {"xelp", "xehpg", "xehpc"};

    p = xk_platform_find(names[k]);
}

START_TEST(decode_gives_back_what_was_encoded)
{
    struct rng r = {rng_seed()};

    use_platform(_i);

    for (unsigned k = 0; k < N_RANDOM; k++) {
        struct xk_inst i, back;
        uint8_t bytes[XK_INST_B];
        size_t used_b;

        random_inst(p, &r, random_opcode(p, &r), &i);
        ck_assert_msg(xk_inst_encode(p, &i, bytes, &err) == XK_OK, "%s",
                      err.message);
        ck_assert_msg(xk_inst_decode(p, bytes, sizeof(bytes), &back, &used_b,
                                     &err) == XK_OK,
                      "%s", err.message);
        ck_assert_mem_eq(&i, &back, sizeof(i));
    }
}
END_TEST

START_TEST(random_bits_decode_to_themselves_or_not_at_all)
{
    struct codec_counts c = {0};

    use_platform(_i);
    check_random_bits(p, rng_seed(), N_RANDOM, &c);
    ck_assert_uint_eq(c.n, N_RANDOM);
    ck_assert_uint_eq(c.wrong, 0);
    ck_assert_uint_gt(c.refused, N_RANDOM / 10);
    ck_assert_uint_gt(c.n - c.refused, N_RANDOM / 20);
    ck_assert_uint_gt(c.compact, N_RANDOM / 100);
}
END_TEST

/* What one platform has and another has not. */
static const struct {
    const char *platform;
    struct xk_inst i;
    const char *says;
} absent[] = {
    {"xelp", {.op = XK_OPC_DPAS, .exec = 8}, "dpas does not exist on xelp"},
    {"xelp", {.op = XK_OPC_BFN, .exec = 8}, "bfn does not exist on xelp"},
    {"xelp",
     {.op = XK_OPC_SEND, .exec = 8, .send = {.sfid = XK_SFID_UGM}},
     "sfid 15 does not exist on xelp"},
    {"xelp",
     {.op = XK_OPC_SEND,
      .exec = 8,
      .send = {.sfid = XK_SFID_DC0, .exdesc_reg = true, .exbso = true}},
     "exbso does not exist on xelp"},
    {"xelp",
     {.op = XK_OPC_NOP, .swsb = {.pipe = XK_PIPE_FLOAT, .dist = 1}},
     "swsb: distance 1 on pipe 2"},
    {"xelp",
     {.op = XK_OPC_NOP, .swsb = {.mode = XK_SBID_SET, .sbid = 16}},
     "SBID 16"},
    {"xehpg", {.op = XK_OPC_MACL, .exec = 8}, "macl does not exist on xehpg"},
    {"xehpg",
     {.op = XK_OPC_SYNC, .exec = 1, .sync_fn = XK_SYNC_FENCE},
     "sync: function 13"},
    {"xehpg",
     {.op = XK_OPC_NOP, .swsb = {.pipe = XK_PIPE_MATH, .dist = 1}},
     "swsb: distance 1 on pipe 5"},
    {"xehpg",
     {.op = XK_OPC_ENDIF, .exec = 8, .pred = XK_PRED_ANY},
     "predicate 14"},
    {"xehpc", {.op = XK_OPC_DPASW, .exec = 8}, "dpasw does not exist on xehpc"},
    {"xehpc",
     {.op = XK_OPC_ENDIF, .exec = 8, .pred = XK_PRED_ANY8H},
     "predicate 8"},
    {"xehpc",
     {.op = XK_OPC_ENDIF, .exec = 8, .chan_off = 4},
     "channel offset 4, need a multiple of 8"},
    {"xehpc",
     {.op = XK_OPC_SEND, .exec = 8, .send = {.fused_serialize = true}},
     "serialize does not exist on xehpc"},
    {"xehpc",
     {.op = XK_OPC_NOP, .swsb = {.dist = 1, .mode = XK_SBID_SET, .sbid = 3}},
     "swsb: distance 1 on pipe 0 with SBID mode 1"},
    {"xehpc",
     {.op = XK_OPC_NOP, .swsb = {.dist = 1, .no_acc_sb = true}},
     "NoAccSBSet 1"},
    {"xehpg",
     {.op = XK_OPC_ENDIF, .exec = 8, .pred = XK_PRED_NORMAL},
     "endif: there is no predicate with this opcode"},
    {"xehpc",
     {.op = XK_OPC_SEND, .exec = 8, .src = {{.neg = true}}},
     "not a whole register"},
};

START_TEST(what_a_platform_lacks_is_refused_by_name)
{
    uint8_t bytes[XK_INST_B];

    p = xk_platform_find(absent[_i].platform);
    ck_assert_int_lt(xk_inst_encode(p, &absent[_i].i, bytes, &err), 0);
    ck_assert_msg(strstr(err.message, absent[_i].says) != NULL, "%s",
                  err.message);
}
END_TEST

/* The run of bits of xehpc's narrow fields: half bytes are no offsets. */
START_TEST(odd_bytes_are_refused_where_a_field_counts_words)
{
    struct xk_inst i = add_inst();
    uint8_t bytes[XK_INST_B];

    p = xk_platform_find("xehpc");
    i.dst.sub_b = i.src[0].sub_b = 63;
    ck_assert_int_eq(xk_inst_encode(p, &i, bytes, &err), XK_OK);
    i.src[1].sub_b = 63;
    ck_assert_int_eq(xk_inst_encode(p, &i, bytes, &err), XK_EINVAL);
    ck_assert_str_eq(err.message,
                     "add: src1 subregister 63, need a multiple of 2");
}
END_TEST

/* Reserved bits, from the manual's layouts: bit 7 everywhere; 49 of three
 * sources; 34 of branches; 35 of nop. */
START_TEST(reserved_bits_are_refused)
{
    static const struct {
        uint8_t op, bit;
        const char *says;
    } cases[] = {
        {XK_OPC_ADD, 7, "add: bit 7 (no field)"},
        {XK_OPC_MAD, 49, "mad: bit 49 (no field)"},
        {XK_OPC_ENDIF, 34, "endif: bit 34 (no field)"},
        {XK_OPC_ENDIF, 64, "endif: bit 64 (uip)"},
        {XK_OPC_NOP, 35, "nop: bit 35 (no field)"},
        {XK_OPC_NOP, 16, "nop: bit 16 (exec size)"},
        {XK_OPC_ENDIF, 24, "endif: predicate is set but reserved"},
        {XK_OPC_BFREV, 34, "bfrev: saturate is set but reserved"},
    };
    struct rng r = {1};

    for (unsigned k = 0; k < XK_COUNTOF(cases); k++) {
        struct xk_inst i;
        uint8_t bytes[XK_INST_B];
        size_t used_b;

        random_inst(p, &r, cases[k].op, &i);
        ck_assert_int_eq(xk_inst_encode(p, &i, bytes, &err), XK_OK);
        bytes[cases[k].bit / 8] ^= 1u << cases[k].bit % 8;
        ck_assert_int_eq(xk_inst_decode(p, bytes, XK_INST_B, &i, &used_b, &err),
                         XK_EPARSE);
        ck_assert_msg(strstr(err.message, cases[k].says) != NULL, "%s",
                      err.message);
    }
}
END_TEST

/* iga64's bytes of dpas.8x8 (8|M0) r10:d r10:d r20:b r30.0:b, one operand an
 * architecture register. It says "non grf src0 register file must be null" and
 * "invalid register file" of src1 and src2. */
START_TEST(dpas_reads_no_architecture_register)
{
    static const struct {
        uint8_t file_bit, reg_byte, reg;
        const char *says; /* NULL: iga64 takes it */
    } cases[] = {
        {66, 9, 0x00, NULL}, /* null */
        {66, 9, 0x20,
         "dpas: src0 register 0x20 is no general register and "
         "not null"},
        {98, 13, 0x00, "dpas: src1 register 0x0 is no general register"},
        {98, 13, 0x20, "dpas: src1 register 0x20 is no general register"},
        {114, 15, 0x20, "dpas: src2 register 0x20 is no general register"},
    };
    static const uint8_t good[XK_INST_B] = {
        0x59, 0x00, 0x03, 0x00, 0x60, 0x3e, 0x07, 0x0a,
        0x04, 0x0a, 0x04, 0x04, 0x04, 0x14, 0x04, 0x1e,
    };

    p = xk_platform_find("xehpg");
    for (unsigned k = 0; k < XK_COUNTOF(cases); k++) {
        struct xk_inst i;
        uint8_t bytes[XK_INST_B];
        size_t used_b;

        memcpy(bytes, good, sizeof(bytes));
        bytes[cases[k].file_bit / 8] &= ~(1u << cases[k].file_bit % 8);
        bytes[cases[k].reg_byte] = cases[k].reg;
        ck_assert_int_eq(xk_inst_decode(p, bytes, XK_INST_B, &i, &used_b, &err),
                         cases[k].says ? XK_EPARSE : XK_OK);
        if (cases[k].says)
            ck_assert_str_eq(err.message, cases[k].says);
    }
}
END_TEST

/* An instruction of nGEN's; iga64 -d says the same words of it. */
START_TEST(an_inversion_of_no_predicate_is_no_predicate)
{
    static const uint8_t mov[XK_INST_B] = {0x61, 0x00, 0x03, 0x90,
                                           0xa0, 0x4a, 0x05, 0x2a};
    struct xk_str text;
    struct xk_inst i;
    size_t used_b;

    p = xk_platform_find("xehpg");
    ck_assert_int_eq(xk_inst_decode(p, mov, XK_INST_B, &i, &used_b, &err),
                     XK_OK);
    xk_str_init(&text, NULL);
    xk_inst_print(p, &i, &text);
    ck_assert_msg(strstr(xk_str_get(&text), "mov (8|M0) r42.0<1>:f 0.0:f") &&
                      !strchr(xk_str_get(&text), '~'),
                  "%s", xk_str_get(&text));
    xk_str_fini(&text);
}
END_TEST

TCase *isa_codec_case(void)
{
    TCase *const t = tcase_create("codec");

    tcase_set_timeout(t, 120);
    tcase_add_checked_fixture(t, setup, NULL);
    tcase_add_loop_test(t, fields_of_one_form_do_not_overlap, 0, XK_N_FAMILIES);
    tcase_add_test(t, platforms_are_found_by_name_and_id);
    tcase_add_test(t, a_platform_without_tables_is_refused);
    tcase_add_loop_test(t, what_does_not_fit_is_refused_by_name, 0,
                        XK_COUNTOF(refusals));
    tcase_add_test(t, wide_numbers_are_refused);
    tcase_add_test(t, short_input_is_refused);
    tcase_add_loop_test(t, decode_gives_back_what_was_encoded, 0, 3);
    tcase_add_loop_test(t, random_bits_decode_to_themselves_or_not_at_all, 0,
                        3);
    tcase_add_loop_test(t, what_a_platform_lacks_is_refused_by_name, 0,
                        XK_COUNTOF(absent));
    tcase_add_test(t, odd_bytes_are_refused_where_a_field_counts_words);
    tcase_add_test(t, reserved_bits_are_refused);
    tcase_add_test(t, dpas_reads_no_architecture_register);
    tcase_add_test(t, an_inversion_of_no_predicate_is_no_predicate);
    return t;
}
