/* SPDX-License-Identifier: Apache-2.0 */
/* Messages: descriptors measured elsewhere (isa.md 6, seen in compiled kernels)
 * and what must be refused. Names are checked in test_isa_iga.c. */
#include <stdio.h>
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
    /* nGEN's, of oneDNN's gemm_kernel: 512 bytes, 16 registers */
    {{LSC(LOAD, SLM, 4, 8, 8, 64, 1), .transpose = true}, 0x0300f700, 0},
    /* nGEN's, of oneDNN's kernels: 1, 2 and 8 hwords and the same registers */
    {{.kind = XK_MSG_DC1_A64_HWORD_LOAD,
      .exec = 16,
      .bti = 255,
      .vec = 1,
      .header = true},
     0x021d19ff,
     0},
    {{.kind = XK_MSG_DC1_A64_HWORD_LOAD,
      .exec = 16,
      .bti = 255,
      .vec = 2,
      .header = true},
     0x022d1aff,
     0},
    {{.kind = XK_MSG_DC1_A64_HWORD_LOAD,
      .exec = 16,
      .bti = 255,
      .vec = 8,
      .header = true},
     0x028d1cff,
     0},
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
    /* 8 registers on DG2 (IGC's verifier): 32 bytes of 8 lanes, 16 of 16 */
    {{LSC(LOAD, UGM, 8, 8, 8, 8, 16)}, "32 registers of data"},
    {{LSC(LOAD, UGM, 8, 4, 4, 8, 16)}, "16 registers of data, 16 lanes by 8"},
    {{LSC(STORE, SLM, 4, 4, 4, 8, 16)}, "16 registers of data"},
    {{LSC(STORE, UGM, 8, 8, 8, 3, 16)}, "12 registers of data"},
    {{LSC(LOAD, UGM, 8, 8, 8, 8, 8)}, "16 registers of data, 8 lanes"},
    {{LSC(LOAD, UGM, 8, 4, 4, 8, 16), .transpose = true}, "transposed"},
    {{LSC(LOAD, UGM, 8, 1, 4, 8, 1), .transpose = true}, "1-byte data"},
    {{LSC(LOAD, UGM, 8, 4, 4, 1, 16), .cache = 8}, "cache code 8"},
    {{LSC(LOAD, UGM, 8, 4, 4, 1, 16), .bti = 3}, "bti 3"},
    {{LSC(LOAD, UGM, 8, 4, 4, 1, 16), .cmask = 1}, "cmask 1, but LSC_LOAD"},
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

START_TEST(what_is_not_ours_has_lengths_only)
{
    struct xk_inst i = {.op = XK_OPC_SEND, .exec = 16};
    struct xk_msg m;

    i.send.sfid = XK_SFID_SMPL; /* 2 registers out, 2 back */
    i.send.desc = 0x04205E00;
    xk_msg_decode(p, &i, &m);
    ck_assert_uint_eq(m.kind, XK_MSG_OTHER);
    ck_assert_uint_eq(m.src0_grf, 2);
    ck_assert_uint_eq(m.dst_grf, 2);
    ck_assert_int_eq(xk_msg_check(p, &i, NULL), XK_EPARSE);
    i.send.sfid = XK_SFID_DC1;
    i.send.desc = 0x0427DE00; /* message type 31 */
    xk_msg_decode(p, &i, &m);
    ck_assert_uint_eq(m.kind, XK_MSG_UNKNOWN);
    ck_assert_uint_eq(m.src0_grf, 2);
    i.send.desc_reg = true;
    xk_msg_decode(p, &i, &m);
    ck_assert_uint_eq(m.kind, XK_MSG_UNKNOWN);
    ck_assert_uint_eq(m.dst_grf, 0);
}
END_TEST

/* Sends of compiled kernels (ocloc 22.43, tests/opencl and inline vISA), with
 * what iga64 says of them in the assembler's comments, and our words. */
static const struct {
    enum xk_platform_id on;
    uint8_t sfid, exec, src1;
    uint32_t desc;
    enum xk_msg_kind kind;
    enum xk_msg_op op;
    enum xk_msg_space space;
    uint8_t data_b, vec, cmask, simd;
    uint16_t mem_b;
    const char *words;
} compiled[] = {
    {XK_PLATFORM_XELP, XK_SFID_DC1, 16, 0, 0x04205e01, XK_MSG_DC1_UNTYPED_LOAD,
     XK_MOP_LOAD_QUAD, XK_MSPACE_SURFACE, 4, 1, 1, 16, 4,
     "load_quad.dc1.d32.x.a32 bti[1] simd16 (untyped_load) src0:2 src1:0 "
     "dst:2"},
    {XK_PLATFORM_XELP, XK_SFID_DC1, 16, 8, 0x04025000, XK_MSG_DC1_UNTYPED_STORE,
     XK_MOP_STORE_QUAD, XK_MSPACE_SURFACE, 4, 4, 15, 16, 16,
     "store_quad.dc1.d32.xyzw.a32 bti[0] simd16 (untyped_store) src0:2 src1:8 "
     "dst:0"},
    {XK_PLATFORM_XELP, XK_SFID_DC1, 16, 0, 0x04205efe, XK_MSG_DC1_UNTYPED_LOAD,
     XK_MOP_LOAD_QUAD, XK_MSPACE_SLM, 4, 1, 1, 16, 4,
     "load_quad.dc1.d32.x.a32 slm simd16 (untyped_load) src0:2 src1:0 dst:2"},
    {XK_PLATFORM_XELP, XK_SFID_DC0, 1, 0, 0x02110800, XK_MSG_DC0_BYTE_LOAD,
     XK_MOP_LOAD, XK_MSPACE_SURFACE, 4, 1, 0, 8, 4,
     "load.dc0.d32.a32 bti[0] simd8 src0:1 src1:0 dst:1"},
    {XK_PLATFORM_XELP, XK_SFID_DC0, 16, 2, 0x04030502, XK_MSG_DC0_BYTE_STORE,
     XK_MOP_STORE, XK_MSPACE_SURFACE, 2, 1, 0, 16, 2,
     "store.dc0.d16u32.a32 bti[2] simd16 src0:2 src1:2 dst:0"},
    {XK_PLATFORM_XELP, XK_SFID_DC0, 16, 4, 0x020a0400, XK_MSG_DC0_OWORD_STORE,
     XK_MOP_STORE, XK_MSPACE_SURFACE, 16, 8, 0, 0, 128,
     "store.dc0.d128x8t.a32 bti[0] (store_block) header src0:1 src1:4 dst:0"},
    {XK_PLATFORM_XELP, XK_SFID_DC1, 16, 2, 0x020d43ff,
     XK_MSG_DC1_A64_OWORD_STORE_BYTES, XK_MOP_STORE, XK_MSPACE_FLAT, 16, 4, 0,
     0, 64,
     "store.dc1.d128x4t.a64 flat (store_block) header src0:1 src1:2 dst:0"},
    /* oneDNN's: registers that come back say what the size code means */
    {XK_PLATFORM_XEHPG, XK_SFID_DC1, 1, 0, 0x021d19ff,
     XK_MSG_DC1_A64_HWORD_LOAD, XK_MOP_LOAD, XK_MSPACE_FLAT, 32, 1, 0, 0, 32,
     "load.dc1.d256x1t.a64 flat (load_block) header src0:1 src1:0 dst:1"},
    {XK_PLATFORM_XEHPG, XK_SFID_DC1, 1, 0, 0x022d1aff,
     XK_MSG_DC1_A64_HWORD_LOAD, XK_MOP_LOAD, XK_MSPACE_FLAT, 32, 2, 0, 0, 64,
     "load.dc1.d256x2t.a64 flat (load_block) header src0:1 src1:0 dst:2"},
    {XK_PLATFORM_XEHPG, XK_SFID_DC1, 1, 0, 0x028d1cff,
     XK_MSG_DC1_A64_HWORD_LOAD, XK_MOP_LOAD, XK_MSPACE_FLAT, 32, 8, 0, 0, 256,
     "load.dc1.d256x8t.a64 flat (load_block) header src0:1 src1:0 dst:8"},
    {XK_PLATFORM_XELP, XK_SFID_DC1, 8, 2, 0x0414aeff, XK_MSG_DC1_A64_ATOMIC_INT,
     XK_MOP_ATOMIC_ICAS, XK_MSPACE_FLAT, 4, 1, 0, 8, 4,
     "atomic_icas.dc1.d32.a64 flat simd8 (untyped) return src0:2 src1:2 "
     "dst:1"},
    {XK_PLATFORM_XELP, XK_SFID_DC1, 8, 1, 0x0414e7ff,
     XK_MSG_DC1_A64_ATOMIC_INT16, XK_MOP_ATOMIC_IADD, XK_MSPACE_FLAT, 2, 1, 0,
     8, 2,
     "atomic_iadd.dc1.d16u32.a64 flat simd8 (untyped) return src0:2 src1:1 "
     "dst:1"},
    {XK_PLATFORM_XELP, XK_SFID_DC0, 8, 0, 0x0219e000, XK_MSG_DC0_FENCE,
     XK_MOP_FENCE, XK_MSPACE_NONE, 0, 0, 0, 0, 0,
     "fence.dc0 global commit header src0:1 src1:0 dst:1"},
    {XK_PLATFORM_XELP, XK_SFID_DC0, 8, 0, 0x0219e0fe, XK_MSG_DC0_FENCE,
     XK_MOP_FENCE, XK_MSPACE_NONE, 0, 0, 0, 0, 0,
     "fence.dc0 slm commit header src0:1 src1:0 dst:1"},
    {XK_PLATFORM_XEHPG, XK_SFID_DC0, 16, 2, 0x020f1008,
     XK_MSG_DC0_SCRATCH_STORE, XK_MOP_STORE, XK_MSPACE_SCRATCH, 32, 2, 0, 0, 64,
     "store.dc0.d256x2t.a32 scratch+256 (store_block) header dword_channels "
     "src0:1 src1:2 dst:0"},
    {XK_PLATFORM_XEHPG, XK_SFID_DC0, 8, 0, 0x022843fd,
     XK_MSG_DC0_OWORD_LOAD_BYTES, XK_MOP_LOAD, XK_MSPACE_STATELESS, 16, 4, 0, 0,
     64,
     "load.dc0.d128x4t.a32 stateless incoherent (aligned_load_block) header "
     "src0:1 src1:0 dst:2"},
    {XK_PLATFORM_XEHPG, XK_SFID_UGM, 1, 0, 0x0214031f, XK_MSG_LSC_FENCE,
     XK_MOP_FENCE, XK_MSPACE_NONE, 0, 0, 0, 1, 0,
     "fence.ugm.none.local cache 2 src0:1 src1:0 dst:1"},
    {XK_PLATFORM_XEHPG, XK_SFID_UGM, 16, 0, 0x08883580, XK_MSG_LSC_LOAD,
     XK_MOP_LOAD, XK_MSPACE_FLAT, 4, 4, 0, 16, 16,
     "load.ugm.d32x4.a64.ca.ca flat src0:4 src1:0 dst:8"},
    {XK_PLATFORM_XEHPG, XK_SFID_UGM, 16, 0, 0x08083580, XK_MSG_LSC_LOAD,
     XK_MOP_LOAD, XK_MSPACE_FLAT, 4, 4, 0, 16, 16,
     "prefetch.ugm.d32x4.a64.ca.ca flat src0:4 src1:0 dst:0"},
    {XK_PLATFORM_XEHPG, XK_SFID_SLM, 1, 2, 0x0200d504, XK_MSG_LSC_STORE,
     XK_MOP_STORE, XK_MSPACE_SLM, 4, 16, 0, 1, 64,
     "store.slm.d32x16t.a32 slm src0:1 src1:2 dst:0"},
    {XK_PLATFORM_XEHPG, XK_SFID_SLM, 16, 2, 0x040e0504, XK_MSG_LSC_STORE,
     XK_MOP_STORE, XK_MSPACE_SLM, 4, 1, 0, 16, 4,
     "store.slm.d32.a32 slm src0:2 src1:2 dst:0"},
    {XK_PLATFORM_XEHPG, XK_SFID_UGM, 16, 0, 0x08405582, XK_MSG_LSC_LOAD_CMASK,
     XK_MOP_LOAD_QUAD, XK_MSPACE_FLAT, 4, 2, 5, 16, 8,
     "load_quad.ugm.d32.xz.a64 flat src0:4 src1:0 dst:4"},
    {XK_PLATFORM_XEHPC, XK_SFID_DC1, 1, 1, 0x020087fe, XK_MSG_DC1_ATOMIC_INT,
     XK_MOP_ATOMIC_IADD, XK_MSPACE_SLM, 4, 1, 0, 16, 4,
     "atomic_iadd.dc1.d32.a32 slm simd16 (untyped) src0:1 src1:1 dst:0"},
    {XK_PLATFORM_XEHPC, XK_SFID_DC1, 1, 1, 0x0414a7ff,
     XK_MSG_DC1_A64_ATOMIC_INT, XK_MOP_ATOMIC_IADD, XK_MSPACE_FLAT, 4, 1, 0, 16,
     4,
     "atomic_iadd.dc1.d32.a64 flat simd16 (untyped) return src0:2 src1:1 "
     "dst:1"},
    {XK_PLATFORM_XEHPC, XK_SFID_UGM, 1, 0, 0x02800283, XK_MSG_LSC_LOAD_BLOCK2D,
     XK_MOP_LOAD_BLOCK2D, XK_MSPACE_FLAT, 2, 1, 0, 1, 0,
     "load_block2d.ugm.d16v.a64 flat src0:1 src1:0 dst:8"},
    {XK_PLATFORM_XEHPC, XK_SFID_UGM, 1, 8, 0x02000407, XK_MSG_LSC_STORE_BLOCK2D,
     XK_MOP_STORE_BLOCK2D, XK_MSPACE_FLAT, 4, 1, 0, 1, 0,
     "store_block2d.ugm.d32.a64 flat src0:1 src1:8 dst:0"},
};

static struct xk_inst compiled_send(int k)
{
    struct xk_inst i = {.op = XK_OPC_SEND, .exec = compiled[k].exec};

    i.dst.file = compiled[k].desc >> 20 & 31 ? XK_FILE_GRF : XK_FILE_ARF;
    i.send.sfid = compiled[k].sfid;
    i.send.desc = compiled[k].desc;
    i.send.src1_len = compiled[k].src1;
    i.send.exdesc = compiled[k].src1 * 64u;
    return i;
}

START_TEST(a_compiled_send_is_read_and_built_again)
{
    const struct xk_platform *const on = xk_platform_get(compiled[_i].on);
    const struct xk_inst i = compiled_send(_i);
    struct xk_inst again = {.op = i.op, .exec = i.exec, .dst = i.dst};
    struct xk_error err = {0};
    struct xk_str out;
    struct xk_msg m;

    xk_msg_decode(on, &i, &m);
    ck_assert_str_eq(xk_msg_kind_name(m.kind),
                     xk_msg_kind_name(compiled[_i].kind));
    ck_assert_uint_eq(m.op, compiled[_i].op);
    ck_assert_uint_eq(m.space, compiled[_i].space);
    ck_assert_uint_eq(m.data_b, compiled[_i].data_b);
    ck_assert_uint_eq(m.vec, compiled[_i].vec);
    ck_assert_uint_eq(m.cmask, compiled[_i].cmask);
    ck_assert_uint_eq(m.simd, compiled[_i].simd);
    ck_assert_uint_eq(m.mem_b, compiled[_i].mem_b);
    xk_str_init(&out, NULL);
    xk_msg_print(on, &m, &out);
    ck_assert_str_eq(xk_str_get(&out), compiled[_i].words);
    xk_str_fini(&out);
    ck_assert_msg(xk_msg_check(on, &i, &err) == XK_OK, "%s", err.message);
    ck_assert_msg(xk_msg_build(on, &m, &again, &err) == XK_OK, "%s",
                  err.message);
    ck_assert_mem_eq(&again.send, &i.send, sizeof(i.send));
}
END_TEST

/* One change each to a send that is right. */
static const struct {
    enum xk_platform_id on;
    uint8_t sfid, exec, src1;
    uint32_t desc;
    const char *says;
} inexact[] = {
    {XK_PLATFORM_XELP, XK_SFID_DC1, 16, 0, 0x84205e01, "bit 31"},
    {XK_PLATFORM_XELP, XK_SFID_DC1, 16, 0, 0x04205f01, "components: 0"},
    {XK_PLATFORM_XELP, XK_SFID_DC1, 16, 0, 0x04207e01, "SIMD mode code 3"},
    {XK_PLATFORM_XELP, XK_SFID_DC1, 16, 0, 0x04105e01, "response of 1"},
    {XK_PLATFORM_XELP, XK_SFID_DC1, 16, 0, 0x02205e01, "payload of 1"},
    {XK_PLATFORM_XELP, XK_SFID_DC1, 16, 1, 0x04205e01, "second payload of 1"},
    {XK_PLATFORM_XELP, XK_SFID_DC0, 8, 0, 0x0211e000, "bit 19"},
    {XK_PLATFORM_XELP, XK_SFID_DC0, 8, 0, 0x0219e001, "bti 1, need 0 or 254"},
    {XK_PLATFORM_XELP, XK_SFID_DC0, 8, 0, 0x0219e1fe, "bit 8"},
    {XK_PLATFORM_XELP, XK_SFID_DC1, 8, 1, 0x0414a7f0, "bti 240, need 253"},
    {XK_PLATFORM_XELP, XK_SFID_DC1, 16, 2, 0x0406c400, "0x4 is no atomic"},
    {XK_PLATFORM_XELP, XK_SFID_UGM, 16, 0, 0x08200580, "means nothing on xelp"},
    {XK_PLATFORM_XELP, XK_SFID_DC0, 8, 0, 0x028845fd, "size code 5"},
    {XK_PLATFORM_XEHPG, XK_SFID_UGM, 1, 0, 0x02800283,
     "means nothing on xehpg"},
    {XK_PLATFORM_XEHPG, XK_SFID_UGM, 16, 0, 0x08210580, "bit 16"},
    {XK_PLATFORM_XEHPG, XK_SFID_UGM, 16, 0, 0x08200500, "response of 2"},
    {XK_PLATFORM_XEHPG, XK_SFID_UGM, 16, 0, 0x08200e80, "data size code 7"},
    {XK_PLATFORM_XEHPG, XK_SFID_SMPL, 16, 0, 0x04220500, "only the lengths"},
    {XK_PLATFORM_XEHPC, XK_SFID_UGM, 1, 0, 0x02808e83, "code 7"},
    {XK_PLATFORM_XEHPC, XK_SFID_UGM, 1, 0, 0x02800383, "bit 8"},
    {XK_PLATFORM_XEHPC, XK_SFID_UGM, 1, 0, 0x02808203, "transpose 1, vnni 0"},
    {XK_PLATFORM_XEHPC, XK_SFID_DC1, 1, 1, 0x020097fe, "SIMD mode code 1"},
};

START_TEST(what_a_record_does_not_say_is_told)
{
    const struct xk_platform *const on = xk_platform_get(inexact[_i].on);
    struct xk_inst i = {.op = XK_OPC_SEND, .exec = inexact[_i].exec};
    struct xk_error err = {0};

    i.dst.file = XK_FILE_GRF;
    i.send.sfid = inexact[_i].sfid;
    i.send.desc = inexact[_i].desc;
    i.send.src1_len = inexact[_i].src1;
    i.send.exdesc = inexact[_i].src1 * 64u;
    ck_assert_int_eq(xk_msg_check(on, &i, &err), XK_EPARSE);
    ck_assert_msg(strstr(err.message, inexact[_i].says) != NULL, "%s",
                  err.message);
}
END_TEST

/* Values that a field or a platform has not. */
static const struct {
    enum xk_platform_id on;
    struct xk_msg m;
    const char *says;
} not_here[] = {
#define HDC(k) .kind = XK_MSG_##k
    {XK_PLATFORM_XELP, {LSC(LOAD, UGM, 8, 4, 4, 1, 16)}, "not exist on xelp"},
    {XK_PLATFORM_XELP, {.kind = XK_MSG_EOT, .exec = 8}, "not exist on xelp"},
    {XK_PLATFORM_XEHPG,
     {.kind = XK_MSG_TS_EOT, .exec = 8},
     "not exist on xehpg"},
    {XK_PLATFORM_XEHPG,
     {LSC(LOAD_BLOCK2D, UGM, 8, 2, 2, 0, 1)},
     "not exist on xehpg"},
    {XK_PLATFORM_XEHPG,
     {.kind = XK_MSG_OTHER, .sfid = XK_SFID_SMPL},
     "message kind"},
    {XK_PLATFORM_XELP,
     {HDC(DC0_DWORD_LOAD), .sfid = XK_SFID_DC1, .vec = 1, .exec = 16},
     "shared function 12 (dc1)"},
    {XK_PLATFORM_XELP, {HDC(DC1_UNTYPED_LOAD), .exec = 16}, "mask 0x0"},
    {XK_PLATFORM_XELP,
     {HDC(DC1_UNTYPED_LOAD), .cmask = 31, .exec = 16},
     "mask 0x1f"},
    {XK_PLATFORM_XELP,
     {HDC(DC1_UNTYPED_LOAD), .cmask = 1, .exec = 32},
     "SIMD width 32"},
    {XK_PLATFORM_XEHPC,
     {HDC(DC1_UNTYPED_LOAD), .cmask = 1, .simd = 8, .exec = 8},
     "SIMD width 8"},
    {XK_PLATFORM_XELP,
     {HDC(DC0_OWORD_LOAD), .vec = 16, .exec = 8},
     "owords in a block: 16"},
    {XK_PLATFORM_XEHPG,
     {HDC(DC0_OWORD_LOAD), .vec = 3, .exec = 8},
     "owords in a block: 3"},
    {XK_PLATFORM_XELP,
     {HDC(DC0_BYTE_LOAD), .data_b = 8, .exec = 8},
     "data bytes 8"},
    {XK_PLATFORM_XELP,
     {HDC(DC0_BYTE_LOAD), .data_b = 4, .vec = 2, .exec = 8},
     "vec 2"},
    {XK_PLATFORM_XELP,
     {HDC(DC0_DWORD_LOAD), .vec = 3, .exec = 8},
     "vector of 3"},
    {XK_PLATFORM_XELP,
     {HDC(DC0_DWORD_LOAD), .vec = 1, .cache = 2, .exec = 8},
     "cache 2"},
    {XK_PLATFORM_XELP,
     {HDC(DC0_SCRATCH_LOAD), .vec = 1, .scratch_b = 40, .exec = 8},
     "scratch offset 40"},
    {XK_PLATFORM_XELP,
     {HDC(DC0_SCRATCH_LOAD), .vec = 1, .scratch_b = 1 << 17, .exec = 8},
     "4096 in 12 bits"},
    {XK_PLATFORM_XELP,
     {HDC(DC1_ATOMIC_FLOAT), .op = XK_MOP_ATOMIC_FADD, .exec = 8},
     "no atomic on xelp"},
    {XK_PLATFORM_XEHPG,
     {HDC(DC1_ATOMIC_INT), .op = XK_MOP_ATOMIC_FADD, .exec = 8},
     "no atomic"},
    {XK_PLATFORM_XEHPG,
     {HDC(DC1_ATOMIC_INT), .op = XK_MOP_ATOMIC_IADD, .lsc_op = 8, .exec = 8},
     "0x8 is not atomic_iadd"},
    {XK_PLATFORM_XEHPG,
     {HDC(DC1_A64_ATOMIC_INT), .op = XK_MOP_ATOMIC_IADD, .data_b = 2,
      .bti = 255, .exec = 8},
     "data bytes 2"},
    {XK_PLATFORM_XEHPG,
     {HDC(DC1_A64_DWORD_LOAD), .vec = 1, .bti = 3, .exec = 8},
     "bti 3, need 253"},
    {XK_PLATFORM_XEHPG,
     {HDC(DC1_A64_QWORD_LOAD), .vec = 8, .bti = 255, .exec = 16},
     "32 registers of data"},
    {XK_PLATFORM_XEHPG,
     {HDC(DC0_FENCE), .flush_l1 = 1, .flush_l3 = 8, .exec = 8},
     "flush of L1 1 beside L3 0x8"},
    {XK_PLATFORM_XELP,
     {LSC(LOAD, UGML, 8, 4, 4, 1, 16)},
     "LSC_LOAD does not exist on xelp through ugml"},
    {XK_PLATFORM_XEHPG,
     {LSC(ATOMIC, UGM, 8, 4, 4, 1, 16), .op = XK_MOP_ATOMIC_IADD, .cache = 4},
     "cache control wt (code 4)"},
    {XK_PLATFORM_XEHPC, {LSC(LOAD, UGM, 8, 4, 4, 1, 64)}, "exec size 64"},
    {XK_PLATFORM_XEHPC,
     {LSC(LOAD_CMASK, TGM, 4, 4, 4, 0, 16), .cmask = 1},
     "tgm with address type 0"},
    {XK_PLATFORM_XEHPC,
     {LSC(LOAD, UGM, 8, 4, 4, 1, 16), .addr_type = XK_LSC_BTI,
      .surf_off = 0x800},
     "surface offset 0x800"},
    {XK_PLATFORM_XEHPC,
     {LSC(LOAD, UGM, 8, 4, 4, 1, 16), .addr_type = 4},
     "address type 4"},
    {XK_PLATFORM_XEHPC,
     {LSC(LOAD, UGM, 8, 4, 4, 1, 16), .vnni = true},
     "vnni 1"},
    {XK_PLATFORM_XEHPC,
     {LSC(LOAD_BLOCK2D, UGM, 8, 2, 2, 0, 16)},
     "exec size 16"},
    {XK_PLATFORM_XEHPC,
     {LSC(LOAD_BLOCK2D, UGM, 8, 4, 4, 0, 1), .vnni = true},
     "vnni 1 with 4-byte"},
    {XK_PLATFORM_XEHPC,
     {LSC(STORE_BLOCK2D, UGM, 8, 4, 4, 0, 1), .transpose = true},
     "transpose 1"},
    {XK_PLATFORM_XEHPC,
     {LSC(LOAD, UGM, 4, 8, 8, 64, 1), .transpose = true, .bti = 9},
     "bti 9"},
};

START_TEST(what_a_platform_has_not_is_refused_by_name)
{
    const struct xk_platform *const on = xk_platform_get(not_here[_i].on);
    struct xk_msg m = not_here[_i].m;
    struct xk_inst i = {.op = XK_OPC_SEND, .exec = m.exec}, before = i;
    struct xk_error err = {0};

    ck_assert_int_lt(xk_msg_build(on, &m, &i, &err), 0);
    ck_assert_msg(strstr(err.message, not_here[_i].says) != NULL, "%s",
                  err.message);
    ck_assert_mem_eq(&i, &before, sizeof(i)); /* untouched */
    ck_assert_mem_eq(&m, &not_here[_i].m, sizeof(m));
}
END_TEST

static uint32_t rnd(uint64_t *s)
{
    *s = *s * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(*s >> 32);
}

/* Exact is exact, and what is built is exact and read as its record. */
static void one_random_send(const struct xk_platform *on, uint64_t *s,
                            unsigned *exact, unsigned *built)
{
    struct xk_inst i = {.op = XK_OPC_SEND, .exec = (uint8_t)(1 << rnd(s) % 6)};
    struct xk_inst again;
    struct xk_msg m, back;

    i.dst.file = rnd(s) % 4 ? XK_FILE_GRF : XK_FILE_ARF;
    i.send.sfid = rnd(s) % 16;
    i.send.desc = rnd(s) % 2 ? rnd(s) : rnd(s) & rnd(s);
    i.send.eot = rnd(s) % 16 == 0;
    i.send.src1_len = rnd(s) % 32;
    i.send.exdesc = i.send.src1_len * 64u | (rnd(s) & 0xff000000);
    if (rnd(s) % 4 == 0) {
        i.send.exdesc_reg = i.send.exbso = true;
        i.send.exdesc = 0;
        i.send.exdesc_sub = rnd(s) % 8;
    }
    xk_msg_decode(on, &i, &m);
    again = i;
    if (xk_msg_check(on, &i, NULL) == XK_OK) {
        (*exact)++;
        ck_assert_int_eq(xk_msg_build(on, &m, &again, NULL), XK_OK);
        ck_assert_mem_eq(&again.send, &i.send, sizeof(i.send));
    }
    xk_msg_decode(on, &i, &m);
    if (xk_msg_build(on, &m, &again, NULL) < 0)
        return;
    (*built)++;
    xk_msg_decode(on, &again, &back);
    ck_assert_mem_eq(&m, &back, sizeof(m));
    ck_assert_int_eq(xk_msg_check(on, &again, NULL), XK_OK);
}

START_TEST(random_sends_never_lose_a_bit)
{
    const struct xk_platform *const on =
        xk_platform_get((enum xk_platform_id)_i);
    uint64_t seed = 20260101;
    unsigned exact = 0, built = 0;

    for (unsigned k = 0; k < 200000; k++)
        one_random_send(on, &seed, &exact, &built);
    ck_assert_uint_ge(built, 1000);
    printf("# %s: 200000 random sends, %u exact, %u built anew\n", on->name,
           exact, built);
}
END_TEST

START_TEST(a_block_header_is_packed_and_read)
{
    /* base, width - 1, height - 1, pitch - 1, x, y, shape (isa.md 6.4) */
    const struct xk_block2d h = {.base = 0x123456789ab0,
                                 .width_b = 256,
                                 .height = 100,
                                 .pitch_b = 512,
                                 .x = -3,
                                 .y = 7,
                                 .block_w = 16,
                                 .block_h = 8,
                                 .n_blocks = 2};
    const uint32_t want[8] = {0x56789ab0, 0x1234, 255, 99,
                              511,        -3u,    7,   0x1070f};
    struct xk_error err = {0};
    struct xk_block2d back;
    uint32_t dw[8];

    ck_assert_int_eq(xk_block2d_pack(&h, dw, &err), XK_OK);
    ck_assert_mem_eq(dw, want, sizeof(want));
    ck_assert_int_eq(xk_block2d_unpack(dw, &back, &err), XK_OK);
    ck_assert(back.base == h.base && back.x == -3 && back.y == 7);
    ck_assert(back.width_b == 256 && back.height == 100);
    ck_assert(back.pitch_b == 512 && back.block_w == 16);
    ck_assert(back.block_h == 8 && back.n_blocks == 2);
    dw[7] |= 1u << 31;
    ck_assert_int_eq(xk_block2d_unpack(dw, &back, &err), XK_EPARSE);
    ck_assert_ptr_nonnull(strstr(err.message, "0x8001070f"));
}
END_TEST

START_TEST(a_block_header_has_limits)
{
    static const struct {
        struct xk_block2d h;
        const char *says;
    } bad[] = {
        {{.height = 1,
          .pitch_b = 64,
          .block_w = 1,
          .block_h = 1,
          .n_blocks = 1},
         "width_b 0"},
        {{.width_b = 64,
          .height = (1 << 24) + 1,
          .pitch_b = 64,
          .block_w = 1,
          .block_h = 1,
          .n_blocks = 1},
         "height 16777217"},
        {{.width_b = 64,
          .height = 1,
          .block_w = 1,
          .block_h = 1,
          .n_blocks = 1},
         "pitch_b 0"},
        {{.width_b = 64,
          .height = 1,
          .pitch_b = 64,
          .block_w = 65,
          .block_h = 1,
          .n_blocks = 1},
         "65x1"},
        {{.width_b = 64,
          .height = 1,
          .pitch_b = 64,
          .block_w = 4,
          .block_h = 4},
         "0 blocks"},
    };
    uint32_t dw[8];

    for (unsigned k = 0; k < XK_COUNTOF(bad); k++) {
        struct xk_error err = {0};

        ck_assert_int_eq(xk_block2d_pack(&bad[k].h, dw, &err), XK_EINVAL);
        ck_assert_msg(strstr(err.message, bad[k].says) != NULL, "%s",
                      err.message);
    }
}
END_TEST

/* Registers of the compiled 2D blocks of isa.md 6.4, and shapes it excludes. */
START_TEST(a_block_fills_whole_registers)
{
    static const struct {
        uint8_t store, data_b, vnni, transpose, w, h, n, grfs;
    } c[] = {
        {0, 2, 0, 0, 16, 8, 1, 4}, {0, 2, 1, 0, 16, 16, 1, 8},
        {1, 4, 0, 0, 16, 8, 1, 8}, {0, 2, 0, 0, 16, 32, 2, 32},
        {0, 2, 1, 0, 16, 5, 1, 3}, {0, 1, 0, 0, 12, 3, 1, 1},
        {0, 4, 0, 1, 8, 16, 1, 8}, {0, 2, 0, 0, 33, 8, 1, 0},
        {0, 4, 0, 0, 4, 33, 1, 0}, {0, 8, 0, 0, 4, 4, 2, 0},
        {1, 4, 0, 0, 16, 9, 1, 0}, {1, 2, 0, 0, 16, 8, 2, 0},
        {0, 2, 0, 0, 16, 8, 3, 0},
    };
    const struct xk_platform *const on = xk_platform_get(XK_PLATFORM_XEHPC);

    for (unsigned k = 0; k < XK_COUNTOF(c); k++) {
        const struct xk_msg m = {.op = c[k].store ? XK_MOP_STORE_BLOCK2D
                                                  : XK_MOP_LOAD_BLOCK2D,
                                 .data_b = c[k].data_b,
                                 .vnni = c[k].vnni,
                                 .transpose = c[k].transpose};
        const struct xk_block2d h = {
            .block_w = c[k].w, .block_h = c[k].h, .n_blocks = c[k].n};

        ck_assert_msg(xk_block2d_grfs(on, &m, &h) == c[k].grfs, "case %u: %u",
                      k, xk_block2d_grfs(on, &m, &h));
    }
}
END_TEST

/* A compiled barrier copies r0.2[31:24], the group's threads, into bytes 10 and
 * 11 on xehpg and xehpc, and r0.2 & 0x7f000000 on xelp. */
START_TEST(a_barrier_payload_is_packed_and_read)
{
    static const struct {
        enum xk_platform_id on;
        struct xk_barrier b;
        uint32_t dw2; /* 0: refused */
        const char *says;
    } c[] = {
        {XK_PLATFORM_XEHPG, {0, 0, 16, 16}, 0x10100000, ""},
        {XK_PLATFORM_XEHPC, {5, 1, 4, 12}, 0x0c044005, ""},
        {XK_PLATFORM_XEHPC, {31, 2, 1, 1}, 0x0101801f, ""},
        {XK_PLATFORM_XELP, {3, 0, 0, 0}, 0x03000000, ""},
        {XK_PLATFORM_XELP, {3, 0, 8, 8}, 0x03008800, ""},
        /* nGEN rejects named barriers below XeHPC, and the interface descriptor
         * has room for one (workarounds.md 2). */
        {XK_PLATFORM_XEHPG, {1, 0, 1, 1}, 0, "id 1, xehpg has 0 to 0"},
        {XK_PLATFORM_XEHPC, {32, 0, 1, 1}, 0, "id 32"},
        {XK_PLATFORM_XEHPC, {0, 3, 1, 1}, 0, "type 3"},
        {XK_PLATFORM_XELP, {0, 1, 0, 0}, 0, "type 1 on xelp"},
        {XK_PLATFORM_XEHPC, {0, 0, 0, 1}, 0, "0 producers, 1 consumers"},
        {XK_PLATFORM_XELP, {0, 0, 2, 1}, 0, "2 producers, 1 consumers"},
    };

    for (unsigned k = 0; k < XK_COUNTOF(c); k++) {
        const struct xk_platform *const on = xk_platform_get(c[k].on);
        struct xk_error err = {0};
        struct xk_barrier back;
        uint32_t dw2 = 0;

        ck_assert_int_eq(xk_barrier_pack(on, &c[k].b, &dw2, &err) == XK_OK,
                         c[k].dw2 != 0);
        ck_assert_uint_eq(dw2, c[k].dw2);
        ck_assert_msg(strstr(err.message, c[k].says) != NULL, "%s",
                      err.message);
        if (!dw2)
            continue;
        ck_assert_int_eq(xk_barrier_unpack(on, dw2, &back, &err), XK_OK);
        ck_assert_mem_eq(&back, &c[k].b, sizeof(back));
        ck_assert_int_eq(xk_barrier_unpack(on, dw2 | 0x80000080, &back, NULL),
                         XK_EPARSE);
    }
}
END_TEST

START_TEST(names_are_found_again)
{
    for (unsigned k = 1; k < XK_N_MSG_OPS; k++)
        ck_assert_uint_eq(xk_msg_op_find(xk_msg_op_name(k)), k);
    ck_assert_uint_eq(xk_msg_op_find("load_sideways"), XK_MOP_NONE);
    ck_assert_int_eq(
        xk_msg_cache_code(p, XK_MOP_LOAD, XK_CACHE_RI, XK_CACHE_CA), 7);
    ck_assert_int_eq(
        xk_msg_cache_code(p, XK_MOP_STORE, XK_CACHE_RI, XK_CACHE_CA), -1);
    ck_assert_int_eq(
        xk_msg_cache_code(p, XK_MOP_ATOMIC_IADD, XK_CACHE_UC, XK_CACHE_WB), 2);
    ck_assert_int_eq(xk_msg_cache_code(xk_platform_get(XK_PLATFORM_XELP),
                                       XK_MOP_LOAD, XK_CACHE_UC, XK_CACHE_UC),
                     -1);
    ck_assert_str_eq(xk_msg_kind_name(XK_N_MSG_KINDS), "?");
    ck_assert_str_eq(xk_msg_sfid_name(99), "?");
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
    tcase_add_test(t, what_is_not_ours_has_lengths_only);
    tcase_add_loop_test(t, a_compiled_send_is_read_and_built_again, 0,
                        XK_COUNTOF(compiled));
    tcase_add_loop_test(t, what_a_record_does_not_say_is_told, 0,
                        XK_COUNTOF(inexact));
    tcase_add_loop_test(t, what_a_platform_has_not_is_refused_by_name, 0,
                        XK_COUNTOF(not_here));
    tcase_add_loop_test(t, random_sends_never_lose_a_bit, XK_PLATFORM_XELP,
                        XK_PLATFORM_XEHPC + 1);
    tcase_add_test(t, a_block_header_is_packed_and_read);
    tcase_add_test(t, a_block_header_has_limits);
    tcase_add_test(t, a_block_fills_whole_registers);
    tcase_add_test(t, a_barrier_payload_is_packed_and_read);
    tcase_add_test(t, names_are_found_again);
    return t;
}
