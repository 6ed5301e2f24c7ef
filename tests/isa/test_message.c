/* SPDX-License-Identifier: Apache-2.0 */
/* Messages: descriptors measured elsewhere (isa.md 6, seen in compiled kernels)
 * and what must be refused. Names are checked in test_isa_iga.c. */
#include <string.h>

#include "base/alloc.h"
#include "isa/message.h"
#include "tests/isa/tests.h"

static const struct xk_platform *p;

static void setup(void)
{
    p = xk_platform_get(XK_PLATFORM_XEHPG);
}

#define LSC(k, f, a, d, r, v, e)                                               \
    .kind = XK_MSG_LSC_##k, .sfid = XK_SFID_##f, .addr_b = a, .data_b = d,     \
    .reg_b = r, .vec = v, .exec = e

static const struct {
    struct xk_msg m;
    uint32_t desc, exdesc;
} known[] = {
    {{.kind = XK_MSG_BARRIER, .exec = 1}, 0x02000004, 0},
    {{.kind = XK_MSG_EOT, .exec = 8}, 0x02000010, 0},
    {{.kind = XK_MSG_LSC_FENCE, .sfid = XK_SFID_SLM, .exec = 1}, 0x0210011f, 0},
    {{LSC(LOAD, UGM, 8, 4, 4, 1, 16)}, 0x08200580, 0},
    {{LSC(STORE, UGM, 8, 4, 4, 1, 16)}, 0x08000584, 0x80},
};

START_TEST(the_descriptor_is_the_measured_one)
{
    struct xk_msg m = known[_i].m, back;
    struct xk_inst i = {.op = XK_OPC_SEND, .exec = m.exec};
    struct xk_error err = {0};

    ck_assert_msg(xk_msg_build(p, &m, &i, &err) == XK_OK, "%s", err.message);
    ck_assert_uint_eq(i.send.desc, known[_i].desc);
    ck_assert_uint_eq(i.send.exdesc, known[_i].exdesc);
    ck_assert_uint_eq(i.send.eot, m.kind == XK_MSG_EOT);
    xk_msg_decode(p, &i, &back);
    ck_assert_mem_eq(&m, &back, sizeof(m));
}
END_TEST

static const struct {
    struct xk_msg m;
    const char *says;
} refused[] = {
    {{.kind = XK_MSG_UNKNOWN}, "message kind 0"},
    {{.kind = 200}, "message kind 200"},
    {{LSC(LOAD, DC0, 8, 4, 4, 1, 16)}, "shared function 10"},
    {{LSC(LOAD, UGM, 2, 4, 4, 1, 16)}, "2-byte addresses"},
    {{LSC(LOAD, SLM, 8, 4, 4, 1, 16)}, "slm with 8-byte"},
    {{LSC(LOAD, UGM, 8, 4, 4, 1, 32)}, "exec size 32"},
    {{LSC(LOAD, UGM, 8, 4, 4, 1, 3)}, "exec size 3"},
    {{LSC(LOAD, UGM, 8, 2, 2, 1, 16)}, "data 2 bytes in memory, 2"},
    {{LSC(LOAD, UGM, 8, 4, 4, 5, 16)}, "vector 5"},
    {{LSC(LOAD, UGM, 8, 4, 4, 16, 8)}, "vector of 16 without"},
    {{LSC(LOAD, UGM, 8, 8, 8, 8, 16)}, "32 registers of data"},
    {{LSC(LOAD, UGM, 8, 4, 4, 8, 16), .transpose = true}, "transposed"},
    {{LSC(LOAD, UGM, 8, 1, 4, 8, 1), .transpose = true}, "1-byte data"},
    {{LSC(LOAD, UGM, 8, 4, 4, 1, 16), .cache = 8}, "cache code 8"},
    {{LSC(LOAD, UGM, 8, 4, 4, 1, 16), .bti = 3}, "bti 3"},
    {{LSC(LOAD, UGM, 8, 4, 4, 1, 16), .cmask = 1}, "component mask 0x1"},
    {{LSC(LOAD_CMASK, UGM, 8, 4, 4, 1, 16)}, "component mask 0x0"},
    {{LSC(LOAD_CMASK, UGM, 8, 4, 4, 3, 16), .cmask = 1}, "vector of 3"},
    {{LSC(ATOMIC, UGM, 8, 4, 4, 1, 16), .lsc_op = 4}, "0x4 is no atomic"},
    {{LSC(ATOMIC, UGM, 8, 4, 4, 2, 16), .lsc_op = 12}, "atomic vector of 2"},
    {{.kind = XK_MSG_LSC_FENCE, .sfid = XK_SFID_SLM, .fence_scope = 1},
     "scope 1"},
};

START_TEST(what_the_hardware_has_not_is_refused)
{
    struct xk_msg m = refused[_i].m;
    struct xk_inst i = {.op = XK_OPC_SEND, .exec = 16};
    struct xk_error err = {0};

    ck_assert_int_lt(xk_msg_build(p, &m, &i, &err), 0);
    ck_assert_msg(strstr(err.message, refused[_i].says) != NULL, "%s",
                  err.message);
    ck_assert_int_lt(xk_msg_build(p, &m, &i, NULL), 0);
}
END_TEST

START_TEST(a_load_without_destination_is_a_prefetch)
{
    struct xk_msg m = {LSC(LOAD, UGM, 8, 4, 4, 1, 16)}, back;
    struct xk_inst i = {.op = XK_OPC_SEND, .exec = 16};

    i.dst.file = XK_FILE_ARF;
    ck_assert_int_eq(xk_msg_build(p, &m, &i, NULL), XK_OK);
    ck_assert_uint_eq(i.send.desc, 0x08000580);
    xk_msg_decode(p, &i, &back);
    ck_assert_mem_eq(&m, &back, sizeof(m));
}
END_TEST

START_TEST(foreign_messages_are_unknown)
{
    struct xk_inst i = {.op = XK_OPC_SEND, .exec = 16};
    struct xk_msg m;

    i.send.sfid = XK_SFID_DC1;
    i.send.desc = 0x04205E00; /* untyped read: 2 registers out, 2 back */
    xk_msg_decode(p, &i, &m);
    ck_assert_uint_eq(m.kind, XK_MSG_UNKNOWN);
    ck_assert_uint_eq(m.src0_grf, 2);
    ck_assert_uint_eq(m.dst_grf, 2);
    i.send.desc_reg = true;
    xk_msg_decode(p, &i, &m);
    ck_assert_uint_eq(m.kind, XK_MSG_UNKNOWN);
    ck_assert_uint_eq(m.dst_grf, 0);
}
END_TEST

TCase *isa_message_case(void)
{
    TCase *const t = tcase_create("message");

    tcase_add_checked_fixture(t, setup, NULL);
    tcase_add_loop_test(t, the_descriptor_is_the_measured_one, 0,
                        XK_COUNTOF(known));
    tcase_add_loop_test(t, what_the_hardware_has_not_is_refused, 0,
                        XK_COUNTOF(refused));
    tcase_add_test(t, a_load_without_destination_is_a_prefetch);
    tcase_add_test(t, foreign_messages_are_unknown);
    return t;
}
