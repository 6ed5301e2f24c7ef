/* SPDX-License-Identifier: Apache-2.0 */
/* The scoreboard on hand-made lists: what each platform's annotations look
 * like, chains of dpas, and what is taken off compiled code. */
#include <check.h>
#include <string.h>

#include "base/alloc.h"
#include "codegen/scoreboard.h"
#include "suites.h"

#define REG(t, r)                                                              \
    {                                                                          \
        .file = XK_FILE_GRF, .type = XK_RT_##t, .reg = r, .rgn = { 1, 1, 1 }   \
    }
#define NUMBER                                                                 \
    {                                                                          \
        .file = XK_FILE_IMM, .type = XK_RT_UD                                  \
    }
#define MOVE(t, d, s)                                                          \
    {                                                                          \
        .op = XK_OPC_MOV, .exec = 8, .dst = REG(t, d), .src = { s }            \
    }
#define DESC_LOAD 0x02100580  /* one register there, one back */
#define DESC_STORE 0x02000584 /* one register of addresses */
#define LOAD(sf, d, s)                                                         \
    {                                                                          \
        .op = XK_OPC_SEND, .exec = 8, .dst = REG(UD, d), .src = {REG(UD, s)},  \
        .send = {                                                              \
            .sfid = XK_SFID_##sf,                                              \
            .desc = DESC_LOAD                                                  \
        }                                                                      \
    }
#define STORE(sf, s, v)                                                        \
    {                                                                          \
        .op = XK_OPC_SEND, .exec = 8, .dst = {.file = XK_FILE_ARF},            \
        .src = {REG(UD, s), REG(UD, v)}, .send = {                             \
            .sfid = XK_SFID_##sf,                                              \
            .desc = DESC_STORE,                                                \
            .src1_len = 1                                                      \
        }                                                                      \
    }
#define SQT(d, s)                                                              \
    {                                                                          \
        .op = XK_OPC_MATH, .math_fn = XK_MATH_SQT, .exec = 8,                  \
        .dst = REG(F, d), .src = {                                             \
            REG(F, s),                                                         \
            {.file = XK_FILE_ARF}                                              \
        }                                                                      \
    }
#define DPAS(d, b, a)                                                          \
    {                                                                          \
        .op = XK_OPC_DPAS, .exec = 8, .sdepth = 8, .rcount = 8,                \
        .dst = REG(F, d), .src = {                                             \
            REG(F, d),                                                         \
            REG(HF, b),                                                        \
            REG(HF, a)                                                         \
        }                                                                      \
    }

/* What the last instruction must carry, and how many syncs are written. */
/* clang-format off */
static const struct {
    enum xk_platform_id id;
    unsigned n;
    struct xk_inst in[3];
    unsigned n_out;
    struct xk_swsb want; /* sbid: that of the first; of the last if it sets */
} lists[] = {
    /* one pipe without a name */
    {XK_PLATFORM_XELP, 2, {MOVE(UD, 10, NUMBER), MOVE(F, 20, REG(F, 10))}, 2,
     {.dist = 1}},
    {XK_PLATFORM_XELP, 2, {MOVE(UD, 10, NUMBER), LOAD(UGM, 20, 10)}, 2,
     {.dist = 1, .mode = XK_SBID_SET}},
    {XK_PLATFORM_XELP, 3,
     {LOAD(UGM, 12, 11), MOVE(UD, 10, NUMBER),
      {.op = XK_OPC_ADD, .exec = 8, .dst = REG(UD, 20),
       .src = {REG(UD, 10), REG(UD, 12)}}}, 3,
     {.dist = 1, .mode = XK_SBID_DST}},
    /* math waits by its sources' pipe and sets a token */
    {XK_PLATFORM_XEHPG, 2, {MOVE(F, 10, NUMBER), SQT(20, 10)}, 2,
     {.dist = 1, .mode = XK_SBID_SET}},
    {XK_PLATFORM_XEHPG, 2, {MOVE(UD, 10, NUMBER), SQT(20, 10)}, 3,
     {.mode = XK_SBID_SET}},
    /* math is a pipe of xehpc */
    {XK_PLATFORM_XEHPC, 2, {SQT(10, 9), MOVE(F, 20, REG(F, 10))}, 2,
     {.pipe = XK_PIPE_MATH, .dist = 1}},
    /* a message names the pipe it waits for, if it is float or int */
    {XK_PLATFORM_XEHPC, 2, {MOVE(F, 10, NUMBER), LOAD(UGM, 20, 10)}, 2,
     {.pipe = XK_PIPE_FLOAT, .dist = 1, .mode = XK_SBID_SET}},
    {XK_PLATFORM_XEHPC, 2, {SQT(10, 9), LOAD(UGM, 20, 10)}, 2,
     {.pipe = XK_PIPE_ALL, .dist = 1, .mode = XK_SBID_SET}},
    {XK_PLATFORM_XEHPG, 2, {MOVE(F, 10, NUMBER), LOAD(UGM, 20, 10)}, 2,
     {.pipe = XK_PIPE_ALL, .dist = 1, .mode = XK_SBID_SET}},
    /* a message's payload: free when it is read, on xehpc when it is done */
    {XK_PLATFORM_XEHPG, 2, {LOAD(UGM, 20, 10), MOVE(F, 10, NUMBER)}, 2,
     {.mode = XK_SBID_SRC}},
    {XK_PLATFORM_XEHPC, 2, {LOAD(UGM, 20, 10), MOVE(F, 10, NUMBER)}, 2,
     {.mode = XK_SBID_DST}},
    /* other pipe than its own beside a token: a sync, but on xehpc */
    {XK_PLATFORM_XEHPG, 3,
     {LOAD(UGM, 12, 11), MOVE(UD, 10, NUMBER),
      {.op = XK_OPC_ADD, .exec = 8, .dst = REG(F, 20),
       .src = {REG(F, 10), REG(F, 12)}}}, 4,
     {.pipe = XK_PIPE_INT, .dist = 1}},
    {XK_PLATFORM_XEHPC, 3,
     {LOAD(UGM, 12, 11), MOVE(UD, 10, NUMBER),
      {.op = XK_OPC_ADD, .exec = 8, .dst = REG(F, 20),
       .src = {REG(F, 10), REG(F, 12)}}}, 3,
     {.pipe = XK_PIPE_ALL, .dist = 1, .mode = XK_SBID_DST}},
    /* bytes: xehpc writes the word around them, others do not */
    {XK_PLATFORM_XEHPC, 2, {MOVE(UW, 10, NUMBER), MOVE(UB, 10, NUMBER)}, 2,
     {.pipe = XK_PIPE_INT, .dist = 1}},
    {XK_PLATFORM_XEHPG, 2, {MOVE(UW, 10, NUMBER), MOVE(UB, 10, NUMBER)}, 2,
     {.dist = 0}},
    /* a0 waits for all pipes, for a fault of xehpg and xehpc */
    {XK_PLATFORM_XEHPG, 2,
     {MOVE(F, 10, NUMBER),
      {.op = XK_OPC_MOV, .exec = 1,
       .dst = {.file = XK_FILE_ARF, .arf = XK_ARF_A, .type = XK_RT_UD,
               .rgn = {0, 0, 1}}, .src = {NUMBER}}}, 2,
     {.pipe = XK_PIPE_ALL, .dist = 1}},
    /* SLM: what was read there is back before it is written */
    {XK_PLATFORM_XEHPG, 2, {LOAD(SLM, 12, 11), STORE(SLM, 14, 15)}, 2,
     {.mode = XK_SBID_SET}},
    {XK_PLATFORM_XEHPG, 3,
     {LOAD(SLM, 12, 11), LOAD(SLM, 13, 11), STORE(SLM, 14, 15)}, 4,
     {.mode = XK_SBID_SET}},
    {XK_PLATFORM_XELP, 3,
     {LOAD(SLM, 12, 11), LOAD(SLM, 13, 11), STORE(SLM, 14, 15)}, 3,
     {.mode = XK_SBID_SET}},
    /* who reads a message's answer takes its token over: no sync */
    {XK_PLATFORM_XEHPG, 2, {LOAD(UGM, 12, 11), STORE(UGM, 14, 12)}, 2,
     {.mode = XK_SBID_SET}},
    /* before a call or return everything is complete */
    {XK_PLATFORM_XEHPG, 3,
     {LOAD(UGM, 12, 11), MOVE(F, 10, NUMBER),
      {.op = XK_OPC_RET, .exec = 8, .src = {REG(UD, 1)}}}, 4,
     {.pipe = XK_PIPE_ALL, .dist = 1}},
};
/* clang-format on */

START_TEST(each_platform_says_it_its_way)
{
    struct xk_inst *out = NULL;
    struct xk_inst last;
    unsigned n = 0;
    xk_ctx *const c = xk_ctx_create(NULL);
    const struct xk_swsb *const want = &lists[_i].want;
    ck_assert_int_eq(xk_scoreboard(c, xk_platform_get(lists[_i].id),
                                   lists[_i].in, lists[_i].n, &out, &n),
                     XK_OK);
    ck_assert_uint_eq(n, lists[_i].n_out);
    last = out[n - 1];
    ck_assert_uint_eq(last.swsb.dist, want->dist);
    ck_assert_uint_eq(last.swsb.mode, want->mode);
    ck_assert_uint_eq(last.swsb.pipe, want->pipe);
    if (want->mode == XK_SBID_DST || want->mode == XK_SBID_SRC)
        ck_assert_uint_eq(last.swsb.sbid, out[0].swsb.sbid);
    xk_free(c, out);
    xk_ctx_destroy(c);
}
END_TEST

/* A chain: the wait at its first, the token at its last. */
START_TEST(a_chain_of_dpas_is_one)
{
    struct xk_inst in[] = {LOAD(UGM, 30, 29), DPAS(40, 20, 50),
                           DPAS(60, 20, 30),  DPAS(70, 20, 50),
                           DPAS(80, 100, 50), MOVE(F, 90, REG(F, 40))};
    struct xk_inst *out = NULL;
    unsigned n = 0;
    xk_ctx *const c = xk_ctx_create(NULL);
    xk_scoreboard_chain(xk_platform_get(XK_PLATFORM_XEHPG), in, XK_COUNTOF(in));
    ck_assert(in[1].atomic && in[2].atomic && !in[3].atomic && !in[4].atomic);
    ck_assert_int_eq(xk_scoreboard(c, xk_platform_get(XK_PLATFORM_XEHPG), in,
                                   XK_COUNTOF(in), &out, &n),
                     XK_OK);
    ck_assert_uint_eq(n, XK_COUNTOF(in));
    ck_assert(out[1].atomic && out[1].swsb.mode == XK_SBID_DST &&
              out[1].swsb.sbid == out[0].swsb.sbid);
    ck_assert(out[2].atomic && out[2].swsb.mode == XK_SBID_NONE);
    ck_assert(!out[3].atomic && out[3].swsb.mode == XK_SBID_SET);
    ck_assert(out[5].swsb.mode == XK_SBID_DST &&
              out[5].swsb.sbid == out[3].swsb.sbid);
    xk_free(c, out);
    xk_ctx_destroy(c);
}
END_TEST

/* jmpi over a sync.nop {$1.dst} to an allwr, both compacted; a barrier stays */
START_TEST(annotations_come_off)
{
    struct xk_inst in[] = {
        {.op = XK_OPC_JMPI, .exec = 1, .jip_b = 16 + 8},
        {.op = XK_OPC_SYNC,
         .compacted = true,
         .swsb = {.mode = XK_SBID_DST, .sbid = 1}},
        {.op = XK_OPC_SYNC, .sync_fn = XK_SYNC_ALLWR, .compacted = true},
        {.op = XK_OPC_SYNC, .sync_fn = XK_SYNC_BAR, .swsb = {.dist = 1}},
        DPAS(10, 20, 30)};
    struct xk_inst *out = NULL;
    unsigned n = 0;
    xk_ctx *const c = xk_ctx_create(NULL);
    in[4].atomic = true;
    ck_assert_int_eq(xk_scoreboard_strip(c, in, XK_COUNTOF(in), &out, &n),
                     XK_OK);
    ck_assert_uint_eq(n, 3);
    ck_assert_int_eq(out[0].jip_b, 1);
    ck_assert(out[1].sync_fn == XK_SYNC_BAR && !out[1].swsb.dist);
    ck_assert(!out[2].atomic);
    xk_free(c, out);
    in[0].jip_b = 16 + 16 + 8; /* the middle of the barrier */
    ck_assert_int_eq(xk_scoreboard_strip(c, in, XK_COUNTOF(in), &out, &n),
                     XK_EINVAL);
    ck_assert_ptr_nonnull(strstr(c->error.message, "jumps by 40 bytes"));
    ck_assert_ptr_null(out);
    xk_ctx_destroy(c);
}
END_TEST

START_TEST(a_jump_to_a_register_is_refused)
{
    struct xk_inst in[] = {{.op = XK_OPC_JMPI, .exec = 1, .src = {REG(D, 1)}},
                           MOVE(F, 1, NUMBER)};
    struct xk_inst *out = NULL;
    unsigned n = 0;
    xk_ctx *const c = xk_ctx_create(NULL);
    ck_assert_int_eq(
        xk_scoreboard(c, xk_platform_get(XK_PLATFORM_XEHPG), in, 2, &out, &n),
        XK_EUNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(c->error.message, "instruction 0"));
    xk_ctx_destroy(c);
}
END_TEST

TCase *cg_scoreboard_list_tests(void)
{
    TCase *const t = tcase_create("scoreboard_lists");
    tcase_add_loop_test(t, each_platform_says_it_its_way, 0,
                        (int)XK_COUNTOF(lists));
    tcase_add_test(t, a_chain_of_dpas_is_one);
    tcase_add_test(t, annotations_come_off);
    tcase_add_test(t, a_jump_to_a_register_is_refused);
    return t;
}
