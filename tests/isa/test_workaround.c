/* SPDX-License-Identifier: Apache-2.0 */
/* Each lint rule of isa/workaround.def: a program that lacks the action and one
 * that does not. Values are those of the vendors' sources named there. */
#include "isa/workaround.h"

#include <string.h>

#include "base/alloc.h"
#include "isa/dispatch_limits.h"
#include "tests/isa/rule_cases.h"
#include "tests/isa/tests.h"

#define EOT(r, swsb)                                                           \
    "send.gtwy (8|M0) null " r " null:0 0x0 0x02000010 {EOT," swsb "}\n"
#define STORE "(W) send.ugm (1|M0) null r57 r72:4 0x3000000 0x6200E504 {$0}\n"
#define FENCE(desc) "(W) send.ugm (1|M0) r6 r0 null:0 0x0 " desc " {$1}\n"
#define WAIT "(W) sync.nop null {$1.dst}\n"
#define CSELS                                                                  \
    "(W) csel (4|M0) (eq)f0.0 r1.0<1>:w r1.0<1;1>:w r1.0<1;1>:w r1.0<1>:w\n"   \
    "(W) csel (4|M0) (eq)f0.0 r1.4<1>:f r1.4<1;1>:f r1.4<1;1>:f r1.4<1>:f\n"

#define EOT_TS "send.ts (8|M0) null r112 null 0x0 0x02000010 {EOT,@1}\n"
#define DC0_FENCE "(W) send.dc0 (8|M0) r6 r0 null 0x0 0x0219E000 {$1}\n"
#define DC0_SLM_FENCE "(W) send.dc0 (8|M0) r6 r0 null 0x0 0x0219E0FE {$1}\n"
#define DC1_STORE "send.dc1 (8|M0) null r2 r3 0x40 0x02026E00 {$0}\n"
#define DC1_SLM_STORE "send.dc1 (8|M0) null r2 r3 0x40 0x02026EFE {$0}\n"
#define MOV8 "mov (8|M0) r2.0<1>:ud 0x0:ud\n"
#define MOV8W "(W) mov (8|M0) r2.0<1>:ud 0x0:ud\n"
#define UGM_LOAD(swsb)                                                         \
    "send.ugm (8|M0) r10 r4 null:0 0x0 0x04100580 {" swsb "}\n"
#define DPAS "dpas.8x8 (8|M0) r40:f r40:f r20:hf r30.0:hf {$3}\n"
/* What adds to dst; and two of them. */
#define ALONE(dst, src1)                                                       \
    "dpas.8x8 (8|M0) " dst ":f " dst ":f " src1 ":hf r30.0:hf {$4}\n"
#define CHAIN(first, second)                                                   \
    "dpas.8x8 (8|M0) r70:f r70:f " first ":hf r30.0:hf {Atomic}\n"             \
    "dpas.8x8 (8|M0) r80:f r80:f " second ":hf r30.0:hf {$5}\n"
#define MOV24 "(W) mov (8|M0) r24.0<1>:ud 0x0:ud\n"
#define DUMMY "dpas.8x8 (8|M0) r50:f null:f r30:hf r30.0:hf {Atomic}\n"
#define LOAD_SRC1 "(W) send.slm (8|M0) r20 r119 null:0 0x0 0x02804500 {$2}\n"
#define SLM_STORE "send.slm (8|M0) null r2 r3:1 0x0 0x02000504 {$3}\n"
#define SLM_FENCE "(W) send.slm (1|M0) r6 r0 null:0 0x0 0x0210011F {$4}\n"
#define SIGNAL "(W) send.gtwy (1|M0) null r5 null:0 0x0 0x02000004 {$4}\n"
#define SLM_WAIT "(W) sync.nop null {$4.dst}\n"
#define SLM_ONE "(W) send.slm (1|M0) r20 r119 null:0 0x0 0x0210C500 {$2}\n"
#define MOV21 "(W) mov (8|M0) r21.0<1>:ud 0x0:ud\n"
#define CLEAR_ACC "(W) mov (16|M0) acc0.0<1>:f 0.0:f\n"
#define CSEL_R0                                                                \
    "(W) csel (4|M0) (eq)f0.0 r0.0<1>:w r0.0<4;1>:w r0.0<4;1>:w r0.0<1>:w\n"
#define DC1_LOAD "send.dc1 (8|M0) r10 r2 null 0x0 0x02106E00 {$0}\n"
#define A64_LOAD(desc) "send.dc1 (8|M0) r10 r2 null 0x0 " desc " {$0}\n"
#define MOV16 "(W) mov (16|M0) r2.0<1>:ud 0x0:ud\n"
#define MUL_ACC(lanes)                                                         \
    "mul (" lanes ") acc0.0<1>:d r2.0<1;1,0>:d r3.0<2;1,0>:uw\n"
#define MACL(lanes) "macl (" lanes ") r1.0<1>:d r2.0<1;1,0>:d r3.0<1;1,0>:d\n"
#define MATH23 "math.inv (4|M0) r23.4<1>:f r11.0<4;4,1>:f {$4}\n"
#define PART3 "(W) mov (1|M0) r3.0<1>:d 0x0:d\n"
#define ROWS(n, src2)                                                          \
    "dpas.8x" n " (16|M0) r90:f r90:f r80:bf " src2 ".0:bf {$7}\n"
#define LOAD32 "send.ugm (16|M0) r32 r4 null:0 0x0 0x04100580 {$6}\n"
#define ADD7 "(W) add (16|M0) r7.14<1>:f r61.14<1;1,0>:f r9.14<1;1,0>:f\n"
#define MAD6(src1, swsb)                                                       \
    "(W) mad (16|M0) r26.10<1>:f r20.10<1;0>:f " src1                          \
    "<1;0>:f r101.10<1>:f {" swsb "}\n"
#define HF_MOV "mov (8|M0) r5.0<1>:hf r2.0<1;1,0>:hf\n"
#define CSEL_F                                                                 \
    "(W) csel (4|M0) (eq)f0.0 r1.0<1>:f r1.0<1;1>:f r1.0<1;1>:f r1.0<1>:f\n"
#define IN_BLOCK(text)                                                         \
    "if (8|M0) 32 32\n(W) mov (8|M0) r2.0<1>:ud 0x0:ud\n" text                 \
    "endif (8|M0) 16\n"
#define MOV5(swsb) "(W) mov (16|M0) r5.0<1>:ud 0x0:ud {" swsb "}\n"
#define STORE_A64 "send.ugm (16|M0) null r4 r6:1 0x0 0x04000584 {$0}\n"
#define PRED_LOAD "(f0.0) " UGM_LOAD("$0")

static const struct row_case {
    enum xk_wa row;
    enum xk_platform_id platform;
    unsigned grf_count;
    const char *good, *bad;
} cases[] = {
    {XK_WA_eot_ugm_fence, XK_PLATFORM_XEHPG, 128,
     STORE FENCE("0x0210651F") WAIT EOT("r127", "A@1"),
     STORE EOT("r127", "A@1")},
    {XK_WA_eot_ugm_fence, XK_PLATFORM_XEHPG, 128,
     STORE FENCE("0x0210641F") WAIT EOT("r127", "A@1"),
     STORE FENCE("0x0210651F") EOT("r127", "A@1")},
    {XK_WA_eot_ugm_fence, XK_PLATFORM_XEHPG, 128,
     FENCE("0x0210651F") WAIT EOT("r127", "A@1"),
     FENCE("0x0210651F") WAIT STORE EOT("r127", "A@1")},
    {XK_WA_eot_ugm_fence, XK_PLATFORM_XEHPG, 128,
     STORE FENCE("0x0210651F") "sync.allwr null\n" EOT("r127", "A@1"),
     STORE "(W) send.ugm (1|M0) r6 r0 null:0 0x0 0x0210651F\n"
           "sync.allwr null\n" EOT("r127", "A@1")},
    {XK_WA_eot_ugm_fence, XK_PLATFORM_XEHPG, 128,
     STORE FENCE("0x0210651F") "sync.allwr 0x2\n" EOT("r127", "A@1"),
     STORE FENCE("0x0210651F") "sync.allwr 0x4\n" EOT("r127", "A@1")},
    {XK_WA_eot_ugm_fence, XK_PLATFORM_XEHPG, 128,
     STORE FENCE("0x0210651F") "sync.allwr null\n" EOT("r127", "A@1"),
     STORE
     "(W&f0.0) send.ugm (1|M0) r6 r0 null:0 0x0 0x0210651F {$1}\n" WAIT EOT(
         "r127", "A@1")},
    /* The jump skips the store; the fence and the wait for it. */
    {XK_WA_eot_ugm_fence, XK_PLATFORM_XEHPG, 128,
     "(W&f0.0) jmpi 32\n" STORE FENCE("0x0210651F") WAIT EOT("r127", "A@1"),
     STORE "(W&f0.0) jmpi 48\n" FENCE("0x0210651F") WAIT EOT("r127", "A@1")},
    {XK_WA_eot_ugm_fence, XK_PLATFORM_XEHPG, 128,
     STORE FENCE("0x0210651F") "(W&f0.0) jmpi 16\n" WAIT EOT("r127", "A@1"),
     STORE FENCE("0x0210651F") "(W&f0.0) jmpi 32\n" WAIT EOT("r127", "A@1")},
    /* What stands behind the end in memory jumps back to it. */
    {XK_WA_eot_ugm_fence, XK_PLATFORM_XEHPG, 128,
     STORE "(W) jmpi 32\n" EOT("r127", "A@1") FENCE("0x0210651F") WAIT
     "(W) jmpi -48\n",
     "(W) jmpi 32\n" EOT("r127", "A@1") STORE "(W) jmpi -32\n"},
    /* A function that is called by its place, or by a register. */
    {XK_WA_eot_ugm_fence, XK_PLATFORM_XEHPG, 128,
     STORE "call (16|M0) r10.0 32\n" EOT("r127", "A@1") FENCE("0x0210651F") WAIT
     "ret (16|M0) r10.0\n",
     "call (16|M0) r10.0 32\n" EOT("r127", "A@1") STORE "ret (16|M0) r10.0\n"},
    {XK_WA_eot_ugm_fence, XK_PLATFORM_XEHPG, 128,
     STORE "call (16|M0) r10.0 r2.0\n" EOT("r127", "A@1") FENCE("0x0210651F")
         WAIT "ret (16|M0) r10.0\n",
     "call (16|M0) r10.0 r2.0\n" EOT("r127", "A@1") STORE
     "ret (16|M0) r10.0\n"},
    {XK_WA_eot_hdc_fence, XK_PLATFORM_XELP, 128,
     DC1_STORE DC0_FENCE WAIT EOT_TS, DC1_STORE EOT_TS},
    {XK_WA_eot_hdc_fence, XK_PLATFORM_XELP, 128,
     DC1_STORE DC0_FENCE WAIT EOT_TS, DC1_STORE DC0_FENCE EOT_TS},
    {XK_WA_eot_hdc_fence, XK_PLATFORM_XELP, 128,
     DC1_SLM_STORE DC0_SLM_FENCE WAIT EOT_TS,
     DC1_SLM_STORE DC0_FENCE WAIT EOT_TS},
    {XK_WA_eot_hdc_fence, XK_PLATFORM_XELP, 128,
     "(W&f0.0) jmpi 32\n" DC1_STORE DC0_FENCE WAIT EOT_TS,
     DC1_STORE DC0_SLM_FENCE WAIT EOT_TS},
    /* With LSC its own fences stand for that (insertFenceBeforeEOT); one of UGM
     * is for SLM, too. */
    {XK_WA_eot_hdc_fence, XK_PLATFORM_XEHPG, 128,
     STORE FENCE("0x0214031F") WAIT EOT("r127", "A@1"),
     STORE SLM_FENCE SLM_WAIT EOT("r127", "A@1")},
    {XK_WA_eot_hdc_fence, XK_PLATFORM_XEHPG, 128,
     SLM_STORE SLM_FENCE SLM_WAIT EOT("r127", "A@1"),
     SLM_STORE SLM_FENCE EOT("r127", "A@1")},
    {XK_WA_eot_hdc_fence, XK_PLATFORM_XEHPG, 128,
     SLM_STORE FENCE("0x0214031F") WAIT EOT("r127", "A@1"),
     SLM_STORE EOT("r127", "A@1")},
    {XK_WA_eot_hdc_fence, XK_PLATFORM_XEHPC, 128,
     "send.tgm (16|M0) null r2 r4:1 0x0 0x6400F506 {$0}\n"
     "(W) send.tgm (1|M0) r6 r0 null:0 0x0 0x0210001F {$1}\n" WAIT EOT("r127",
                                                                       "A@1"),
     "send.tgm (16|M0) null r2 r4:1 0x0 0x6400F506 {$0}\n" FENCE("0x0210001F")
         WAIT EOT("r127", "A@1")},
    {XK_WA_eot_acc_clear, XK_PLATFORM_XELP, 128, CLEAR_ACC DC0_FENCE EOT_TS,
     EOT_TS},
    {XK_WA_eot_acc_clear, XK_PLATFORM_XELP, 128,
     CLEAR_ACC "(W&f0.0) jmpi 32\n" DC0_FENCE EOT_TS,
     "(W&f0.0) jmpi 32\n" CLEAR_ACC EOT_TS},
    {XK_WA_eot_acc_clear, XK_PLATFORM_XELP, 128, CLEAR_ACC EOT_TS,
     CLEAR_ACC "mul (8|M0) acc0.0<1>:d r2.0<8;8,1>:d r3.0<0;1,0>:uw\n" EOT_TS},
    /* What ocloc 22.43 writes for tgllp; csel of one pipe. */
    {XK_WA_rs_generic, XK_PLATFORM_XELP, 128,
     CSEL_R0 "sync.nop null {@1}\n(f0.0) " DC1_LOAD,
     CSEL_R0 MOV8W "(f0.0) " DC1_LOAD},
    {XK_WA_rs_generic, XK_PLATFORM_XELP, 128,
     CSEL_R0 "(~f0.0) goto (8|M0) 16 16\n" MOV8,
     MOV8W "(~f0.0) goto (8|M0) 16 16\n" MOV8},
    {XK_WA_rs_generic, XK_PLATFORM_XELP, 128,
     "(W&f0.0) jmpi 32\n" MOV8W CSEL_R0 "(f0.0) " DC1_LOAD,
     "(W&f0.0) jmpi 32\n" CSEL_R0 "(f0.0) " DC1_LOAD},
    {XK_WA_eot_scratch, XK_PLATFORM_XELP, 128,
     "(W) send.dc0 (8|M0) null r0 r3 0x40 0x020E0000 {$0}\n" DC0_FENCE WAIT
         EOT_TS,
     "(W) send.dc0 (8|M0) null r0 r3 0x40 0x020E0000 {$0}\n" EOT_TS},
    {XK_WA_eot_scratch, XK_PLATFORM_XELP, 128,
     "(W) send.dc0 (8|M0) null r0 r3 0x40 0x020E0000 {$0}\n" DC0_FENCE WAIT
         EOT_TS,
     "(W) send.dc0 (8|M0) null r0 r3 0x40 0x020E0000 {$0}\n"
     "(W&f0.0) jmpi 48\n" DC0_FENCE WAIT EOT_TS},
    {XK_WA_eot_barrier, XK_PLATFORM_XEHPG, 128,
     SIGNAL "(W) sync.bar null\n" EOT("r127", "A@1"),
     SIGNAL EOT("r127", "A@1")},
    {XK_WA_eot_barrier, XK_PLATFORM_XEHPG, 128,
     "(W&f0.0) jmpi 48\n" SIGNAL "(W) sync.bar null\n" EOT("r127", "A@1"),
     SIGNAL "(W&f0.0) jmpi 32\n(W) sync.bar null\n" EOT("r127", "A@1")},
    {XK_WA_eot_distance, XK_PLATFORM_XEHPG, 128, EOT("r127", "A@1"),
     EOT("r127", "A@2")},
    {XK_WA_eot_file_end, XK_PLATFORM_XEHPG, 256, EOT("r240", "A@1"),
     EOT("r112", "A@1")},
    {XK_WA_eot_file_end, XK_PLATFORM_XEHPG, 128, EOT("r112", "A@1"),
     EOT("r240", "A@1")},
    {XK_WA_fence_flush, XK_PLATFORM_XEHPG, 128, FENCE("0x0210651F"),
     FENCE("0x0210051F")},
    {XK_WA_ugm_fence_scope, XK_PLATFORM_XEHPG, 128, FENCE("0x0210251F"),
     FENCE("0x0210231F")},
    {XK_WA_lsc_half_lanes, XK_PLATFORM_XEHPG, 128,
     "send.ugm (8|M0) r10 r4 null:0 0x0 0x08200580 {$0}\n", UGM_LOAD("$0")},
    {XK_WA_lsc_half_lanes, XK_PLATFORM_XEHPG, 128,
     "send.slm (16|M0) null r2 r4:2 0x0 0x04000504 {$3}\n", SLM_STORE},
    {XK_WA_fence_commit, XK_PLATFORM_XELP, 128, DC0_FENCE,
     "(W) send.dc0 (8|M0) null r0 null 0x0 0x0209C000 {$1}\n"},
    {XK_WA_fence_commit, XK_PLATFORM_XELP, 128, DC0_FENCE WAIT DC1_LOAD,
     DC0_FENCE DC1_LOAD},
    {XK_WA_fence_commit, XK_PLATFORM_XELP, 128,
     DC0_FENCE "mov (8|M0) r2.0<1>:ud r6.0<8;8,1>:ud {$1.dst}\n"
               "(W) sync.bar null\n" EOT_TS,
     DC0_FENCE "(W) sync.bar null\n" WAIT EOT_TS},
    {XK_WA_fence_commit, XK_PLATFORM_XELP, 128,
     DC0_FENCE "(W&f0.0) jmpi 16\n" WAIT EOT_TS,
     DC0_FENCE "(W&f0.0) jmpi 32\n" WAIT EOT_TS},
    {XK_WA_first_no_mask, XK_PLATFORM_XEHPG, 128, MOV8W, MOV8},
    {XK_WA_eot_csel, XK_PLATFORM_XEHPG, 256, CSELS EOT("r250", "A@1"),
     EOT("r250", "A@1")},
    {XK_WA_eot_csel, XK_PLATFORM_XEHPG, 256,
     "(W&f0.0) jmpi 32\n" MOV8W CSELS EOT("r250", "A@1"),
     "(W&f0.0) jmpi 32\n" CSELS EOT("r250", "A@1")},
    {XK_WA_split_barrier_r0, XK_PLATFORM_XEHPG, 128, MOV8 "(W) sync.bar null\n",
     "mov (8|M0) r0.0<1>:ud 0x0:ud\n(W) sync.bar null\n"},
    {XK_WA_split_barrier_r0, XK_PLATFORM_XELP, 128,
     "(W) csel (4|M0) (eq)f0.0 r0.0<1>:w r0.0<4;1>:w r0.0<4;1>:w r0.0<1>:w\n"
     "(W) sync.bar null\n",
     "(W) csel (4|M0) (eq)f0.0 r0.0<1>:w r1.0<4;1>:w r0.0<4;1>:w r0.0<1>:w\n"
     "(W) sync.bar null\n"},
    {XK_WA_rs_dpas, XK_PLATFORM_XEHPG, 128,
     PRED_LOAD "(W) mov (8|M0) r20.0<1>:ud r20.0<1;1,0>:ud\n" DPAS,
     PRED_LOAD DPAS},
    {XK_WA_rs_dpas, XK_PLATFORM_XEHPG, 128,
     PRED_LOAD "(W&~f0.0) jmpi 16\n"
               "(W) mov (8|M0) r20.0<1>:ud r20.0<1;1,0>:ud\n" DPAS DPAS,
     PRED_LOAD "(W) mov (8|M0) r20.0<1>:ud r20.0<1;1,0>:ud\n"
               "(W&~f0.0) jmpi 16\n" DPAS},
    /* IGC's order: the mov, the dummy, the dpas. */
    {XK_WA_rs_dpas, XK_PLATFORM_XEHPG, 128,
     PRED_LOAD "(W) mov (8|M0) r20.0<1>:ud r20.0<1;1,0>:ud\n" DUMMY DPAS,
     PRED_LOAD "(W) mov (8|M0) r30.0<1>:ud r30.0<1;1,0>:ud\n" DUMMY DPAS},
    /* A branch at which lanes part counts as such a load (hasNonUniformBranch);
     * a scalar jump does not. */
    {XK_WA_rs_dpas, XK_PLATFORM_XEHPG, 128, "(W&~f0.0) jmpi 16\n" DPAS DPAS,
     "(~f0.0) goto (8|M0) 16 16\n" DPAS DPAS},
    {XK_WA_rs_dpas_fused, XK_PLATFORM_XEHPG, 128, LOAD_SRC1 DPAS, DPAS},
    /* The vendor's dummy has a src1 that the next has not. */
    {XK_WA_rs_dpas_fused, XK_PLATFORM_XEHPG, 128, DUMMY DPAS,
     "dpas.8x8 (8|M0) r50:f null:f r20:hf r20.0:hf {Atomic}\n" DPAS},
    /* A load that leaves lanes alone leaves what was there. */
    {XK_WA_rs_dpas_fused, XK_PLATFORM_XEHPG, 128, LOAD_SRC1 DPAS,
     "(f0.0) send.slm (8|M0) r20 r119 null:0 0x0 0x02804500 {$2}\n" DPAS},
    /* Behind the first of its block: a chain whose first two share src1, and a
     * dpas behind one alone that shares it and is not read; not other ones
     * (SWSB_G4IR.cpp, needWA). */
    {XK_WA_rs_dpas_fused, XK_PLATFORM_XEHPG, 128,
     LOAD_SRC1 DPAS CHAIN("r60", "r68") DPAS,
     LOAD_SRC1 DPAS CHAIN("r60", "r60")},
    {XK_WA_rs_dpas_fused, XK_PLATFORM_XEHPG, 128,
     LOAD_SRC1 DPAS MOV24 ALONE("r40", "r20"),
     LOAD_SRC1 DPAS MOV24 ALONE("r80", "r20")},
    {XK_WA_rs_dpas_fused, XK_PLATFORM_XEHPG, 128, MOV24 LOAD_SRC1 DPAS,
     LOAD_SRC1 MOV24 DPAS},
    /* Only what jumps over the load jumps over the dpas, or not. */
    {XK_WA_rs_dpas_fused, XK_PLATFORM_XEHPG, 128,
     "(W&~f0.0) jmpi 32\n" LOAD_SRC1 "(W&~f0.0) jmpi 32\n" DPAS MOV8W,
     "(W&~f0.0) jmpi 32\n" LOAD_SRC1 "(W&f0.0) jmpi 32\n" DPAS MOV8W},
    {XK_WA_rs_dpas_fused, XK_PLATFORM_XEHPG, 128,
     "(W&~f0.0) jmpi 32\n" LOAD_SRC1 MOV8W "(W&~f0.0) jmpi 32\n" DPAS MOV8W,
     "(W&~f0.0) jmpi 32\n" LOAD_SRC1 "(W) mov (1|M0) f0.0<1>:uw 0x1:uw\n"
     "(W&~f0.0) jmpi 32\n" DPAS MOV8W},
    {XK_WA_eot_is_last, XK_PLATFORM_XEHPG, 128, EOT("r127", "A@1") "nop\n",
     "nop\n" EOT("r127", "A@1")},
    {XK_WA_slm_war, XK_PLATFORM_XEHPG, 128,
     LOAD_SRC1 "(W) sync.nop null {$2.dst}\n" SLM_STORE,
     LOAD_SRC1 "(W) sync.nop null {$2.src}\n" SLM_STORE},
    {XK_WA_slm_war, XK_PLATFORM_XEHPG, 128,
     LOAD_SRC1 "sync.allwr 0x4\n" SLM_FENCE,
     LOAD_SRC1 "sync.allwr 0x8\n" SLM_FENCE},
    /* The load is behind the store, and before it in the next round. */
    {XK_WA_slm_war, XK_PLATFORM_XEHPG, 128,
     SLM_STORE LOAD_SRC1 "(W) sync.nop null {$2.dst}\n(W&f0.0) jmpi -48\n",
     SLM_STORE LOAD_SRC1 MOV8W "(W&f0.0) jmpi -48\n"},
    /* Lanes that go to UIP do not wait. */
    {XK_WA_slm_war, XK_PLATFORM_XEHPG, 128,
     LOAD_SRC1
     "(~f0.0) goto (8|M0) 48 16\n(W) sync.nop null {$2.dst}\n" SLM_STORE
     "join (8|M0) 16\n" MOV8,
     LOAD_SRC1
     "(~f0.0) goto (8|M0) 48 32\n(W) sync.nop null {$2.dst}\n" SLM_STORE
     "join (8|M0) 16\n" MOV8},
    {XK_WA_dpas_src1_8, XK_PLATFORM_XEHPC, 128,
     "dpas.8x8 (16|M0) r10:f r18:f r30:bf r40.0:bf {$1}\n",
     "dpas.4x8 (16|M0) r10:f r18:f r30:bf r40.0:bf {$1}\n"},
    {XK_WA_acc_war, XK_PLATFORM_XEHPG, 128,
     "mov (8|M0) r1.0<1>:f acc0.0<1;1,0>:f\n"
     "mov (8|M0) acc0.0<1>:d r2.0<1;1,0>:d {F@1}\n",
     "mov (8|M0) r1.0<1>:f acc0.0<1;1,0>:f\n"
     "mov (8|M0) acc0.0<1>:d r2.0<1;1,0>:d {I@1}\n"},
    {XK_WA_acc_war, XK_PLATFORM_XEHPG, 128,
     "mov (8|M0) r1.0<1>:f acc0.0<1;1,0>:f\n"
     "mov (8|M0) r2.0<1>:f r3.0<1;1,0>:f\n"
     "mov (8|M0) acc0.0<1>:d r2.0<1;1,0>:d {F@2}\n",
     "mov (8|M0) r1.0<1>:f acc0.0<1;1,0>:f\n"
     "mov (8|M0) acc0.0<1>:d r2.0<1;1,0>:d {F@2}\n"},
    {XK_WA_dead_block, XK_PLATFORM_XELP, 128,
     "if (8|M0) 32 32\n(W&f0.0) send.dc1 (8|M0) r10 r2 null 0x0 0x02106E00\n"
     "endif (8|M0) 16\n",
     "if (8|M0) 32 32\n(W) send.dc1 (8|M0) r10 r2 null 0x0 0x02106E00\n"
     "endif (8|M0) 16\n"},
    {XK_WA_call_distance, XK_PLATFORM_XEHPG, 128,
     "call (16|M0) r10.0 16 {A@1}\n", "call (16|M0) r10.0 16 {I@1}\n"},
    {XK_WA_call_distance, XK_PLATFORM_XELP, 128, "ret (8|M0) r10.0 {@1}\n",
     "ret (8|M0) r10.0 {@2}\n"},
    {XK_WA_call_distance, XK_PLATFORM_XEHPC, 128, /* as ocloc 22.43 writes it */
     "sync.nop null {A@1}\nsync.allrd 0x60\nret (16|M0) r10.0 {$4.src}\n",
     "sync.nop null {A@2}\nret (16|M0) r10.0 {$4.src}\n"},
    {XK_WA_call_distance, XK_PLATFORM_XEHPC, 128,
     "(W&f0.0) jmpi 16\nsync.nop null {A@1}\nret (16|M0) r10.0\n",
     "(W&f0.0) jmpi 32\nsync.nop null {A@1}\nret (16|M0) r10.0\n"},
    {XK_WA_fused_call, XK_PLATFORM_XEHPG, 128, "call (16|M0) r10.0 16\n",
     "call (16|M0) r10.0 r2.2\n"},
    {XK_WA_call_register, XK_PLATFORM_XEHPG, 128, "calla (16|M0) r10.0 r2.0\n",
     "calla (16|M0) r10.0 r2.2\n"},
    {XK_WA_dpas_atomic_8, XK_PLATFORM_XEHPG, 128,
     "dpas.8x8 (8|M0) r40:f r40:f r20:hf r30.0:hf {Atomic}\n" DPAS,
     "dpas.8x4 (8|M0) r40:f r40:f r20:hf r30.0:hf {Atomic}\n" DPAS},
    {XK_WA_dpas_compact, XK_PLATFORM_XEHPG, 128, DPAS,
     "dpas.8x8 (8|M0) r40:f r40:f r20:hf r30.0:hf {Compacted,$3}\n"},
    {XK_WA_dpas_src0_half, XK_PLATFORM_XEHPC, 128,
     "dpas.8x8 (16|M0) r10:f r10:f r20:bf r30.0:bf {$3}\n",
     "dpas.8x8 (16|M0) r10:bf r10:bf r20:bf r30.0:bf {$3}\n"},
    {XK_WA_dpas_src2_half_grf, XK_PLATFORM_XEHPC, 128,
     "dpas.8x8 (16|M0) r10:f r10:f r20:bf r30.0:bf {$3}\n",
     "dpas.8x8 (16|M0) r10:f r10:f r20:bf r30.16:bf {$3}\n"},
    {XK_WA_math_hf_packed, XK_PLATFORM_XEHPC, 128,
     "math.inv (16|M0) r1.0<1>:hf r2.0<1;1,0>:hf {$3}\n",
     "math.inv (16|M0) r1.16<1>:hf r2.0<1;1,0>:hf {$3}\n"},
    {XK_WA_math_hf_packed, XK_PLATFORM_XEHPC, 128,
     "math.inv (16|M0) r1.16<2>:hf r2.16<1;1,0>:hf {$3}\n",
     "math.inv (16|M0) r1.0<1>:hf r2.16<1;1,0>:hf {$3}\n"},
    {XK_WA_mul_narrow_mods, XK_PLATFORM_XEHPG, 128,
     "mul (8|M0) r1.0<1>:d r2.0<1;1,0>:d r3.0<2;1,0>:w\n",
     "mul (8|M0) r1.0<1>:d -r2.0<1;1,0>:d r3.0<2;1,0>:w\n"},
    {XK_WA_mul_narrow_mods, XK_PLATFORM_XEHPG, 128,
     "mul (8|M0) r1.0<2>:w -r2.0<1;1,0>:w r3.0<2;1,0>:w\n",
     "mul (8|M0) r1.0<1>:d r2.0<1;1,0>:d -r3.0<2;1,0>:w\n"},
    {XK_WA_mul_narrow_mods, XK_PLATFORM_XEHPG, 128,
     "mad (8|M0) r1.0<1>:d -r2.0<1;0>:d r3.0<1;0>:d r4.0<1>:w\n",
     "mad (8|M0) r1.0<1>:d r2.0<1;0>:d -r3.0<1;0>:d r4.0<1>:w\n"},
    {XK_WA_xl_mac, XK_PLATFORM_XEHPC, 128,
     "mac (16|M0) r1.0<1>:f r2.0<1;1,0>:f r3.0<1;1,0>:f\n",
     "mac (16|M0) r1.0<1>:d r2.0<1;1,0>:d r3.0<1;1,0>:d\n"},
    {XK_WA_q_cond, XK_PLATFORM_XEHPC, 128,
     "mov (8|M0) r1.0<1>:q r2.0<1;1,0>:df\n"
     "mov (8|M0) (ne)f0.0 null<1>:q r1.0<1;1,0>:q\n",
     "mov (8|M0) (ne)f0.0 r1.0<1>:q r2.0<1;1,0>:df\n"},
    {XK_WA_shl_q, XK_PLATFORM_XEHPC, 128,
     "shl (8|M0) r1.0<1>:q r2.0<1;1,0>:q r3.0<2;1,0>:d\n",
     "shl (8|M0) r1.0<1>:q r2.0<2;1,0>:d r3.0<2;1,0>:d\n"},
    {XK_WA_shift_by_q, XK_PLATFORM_XEHPC, 128,
     "shr (8|M0) r1.0<2>:ud r2.0<1;1,0>:uq r3.0<1;1,0>:uq\n",
     "shr (8|M0) r1.0<2>:ud r2.0<2;1,0>:ud r3.0<1;1,0>:uq\n"},
    {XK_WA_rs_indirect, XK_PLATFORM_XELP, 128,
     "mov (8|M0) r4.0<1>:d r[a0.0,16]<8;8,1>:d\n"
     "(f0.0) mov (8|M0) r10.0<1>:d r4.0<8;8,1>:d {@1}\n",
     "(f0.0) mov (8|M0) r10.0<1>:d r[a0.0,16]<8;8,1>:d\n"},
    {XK_WA_rs_indirect_next, XK_PLATFORM_XELP, 128,
     "mov (8|M0) r4.0<1>:d r[a0.0,16]<8;8,1>:d\n"
     "sync.nop null {@1}\n" MOV8 MOV8,
     "mov (8|M0) r4.0<1>:d r[a0.0,16]<8;8,1>:d\n" MOV8},
    {XK_WA_rs_indirect_next, XK_PLATFORM_XELP, 128,
     "mov (8|M0) r4.0<1>:d r[a0.0,16]<8;8,1>:d\n"
     "mov (8|M0) r10.0<1>:d r4.0<8;8,1>:d {@1}\n",
     "mov (8|M0) r4.0<1>:d r[a0.0,16]<8;8,1>:d\n" MOV8W
     "mov (8|M0) r10.0<1>:d r4.0<8;8,1>:d {@1}\n"},
    /* The math writes half of r23, what is read is the other half. */
    {XK_WA_rs_math, XK_PLATFORM_XELP, 128,
     MATH23 "mov (1|M0) r2.0<1>:f r23.0<0;1,0>:f {$4.dst}\n",
     MATH23 "mov (1|M0) r2.0<1>:f r23.0<0;1,0>:f\n"},
    {XK_WA_rs_math, XK_PLATFORM_XELP, 128,
     MATH23 "mov (1|M0) r2.0<1>:f r24.0<0;1,0>:f\n"
            "math.inv (1|M0) r2.0<1>:f r23.0<0;1,0>:f {$5}\n"
            "sync.allwr 0x10\n"
            "mov (1|M0) r2.0<1>:f r23.0<0;1,0>:f\n",
     MATH23 "sync.allwr 0x20\n"
            "mov (1|M0) r2.0<1>:f r23.0<0;1,0>:f\n"},
    {XK_WA_rs_intra, XK_PLATFORM_XELP, 128,
     PART3 "add (1|M0) r2.0<1>:d r3.1<0;1,0>:d r3.2<0;1,0>:d {@1}\n",
     PART3 "add (1|M0) r2.0<1>:d r3.1<0;1,0>:d r3.2<0;1,0>:d\n"},
    {XK_WA_rs_intra, XK_PLATFORM_XELP, 128,
     PART3 "add (1|M0) r2.0<1>:d r3.1<0;1,0>:d r4.2<0;1,0>:d\n" PART3
           "(W) mov (1|M0) r5.0<1>:d 0x0:d\n"
           "add (1|M0) r2.0<1>:d r3.1<0;1,0>:d r3.2<0;1,0>:d {@2}\n",
     PART3 "(W) mov (1|M0) r5.0<1>:d 0x0:d\n"
           "add (1|M0) r2.0<1>:d r3.1<0;1,0>:d r3.2<0;1,0>:d {@3}\n"},
    {XK_WA_rs_dpas_xl, XK_PLATFORM_XEHPC, 128,
     ROWS("4", "r30") ROWS("4", "r32") ROWS("8", "r50") ROWS("8", "r60"),
     ROWS("8", "r50")},
    {XK_WA_rs_dpas_xl, XK_PLATFORM_XEHPC, 128,
     ROWS("4", "r30") ROWS("8", "r50") ROWS("4", "r50") ROWS("8", "r50"),
     ROWS("4", "r30") ROWS("8", "r50") ROWS("8", "r50")},
    /* The four rows have two registers, eight would have four. */
    {XK_WA_rs_src2_xl, XK_PLATFORM_XEHPC, 128,
     LOAD32 "sync.nop null {$6.dst}\n" ROWS("4", "r30"),
     LOAD32 ROWS("4", "r30")},
    {XK_WA_rs_src2_xl, XK_PLATFORM_XEHPC, 128, LOAD32 ROWS("4", "r28"),
     LOAD32 ROWS("4", "r29")},
    /* The vendor's example: src1 from r6.10 on, r7.14 is written. */
    {XK_WA_rs_src1_xl, XK_PLATFORM_XEHPC, 128, ADD7 MAD6("r6.10", "F@1"),
     ADD7 MAD6("r6.10", "I@1")},
    {XK_WA_rs_src1_xl, XK_PLATFORM_XEHPC, 128, ADD7 MAD6("r6.0", "I@1"),
     ADD7 MAD6("r6.10", "F@2")},
    {XK_WA_rs_fpu0, XK_PLATFORM_XEHPC, 128,
     HF_MOV CSEL_F "add (8|M0) r6.0<1>:hf r2.0<1;1,0>:hf r3.0<1;1,0>:hf\n",
     HF_MOV "mov (8|M0) r9.0<1>:d r8.0<1;1,0>:d\n"
            "add (8|M0) r6.0<1>:hf r2.0<1;1,0>:hf r3.0<1;1,0>:hf\n"},
    {XK_WA_rs_fpu0, XK_PLATFORM_XEHPC, 128,
     HF_MOV HF_MOV "add (8|M0) r6.0<1>:hf r3.0<1;1,0>:hf r2.0<1;1,0>:hf\n",
     "add (8|M0) r6.0<1>:f r2.0<1;1,0>:df r3.0<1;1,0>:df\n"
     "mov (8|M0) r6.0<1>:df r2.0<1;1,0>:df\n"},
    {XK_WA_dead_block_sync, XK_PLATFORM_XELP, 128,
     IN_BLOCK("(W) sync.nop null {@1}\n" MOV8),
     IN_BLOCK("mov (8|M0) r3.0<1>:ud r2.0<8;8,1>:ud {@1}\n")},
    /* The instruction that is named has the mask. */
    {XK_WA_dead_block_sync, XK_PLATFORM_XELP, 128,
     IN_BLOCK(MOV8 "mov (8|M0) r3.0<1>:ud r2.0<8;8,1>:ud {@1}\n"),
     IN_BLOCK(MOV8 "mov (8|M0) r3.0<1>:ud r2.0<8;8,1>:ud {@2}\n")},
    {XK_WA_dead_block_sync, XK_PLATFORM_XELP, 128,
     "(W) " DC1_LOAD "mov (8|M0) r3.0<1>:ud r10.0<8;8,1>:ud {$0.dst}\n",
     "(W) " DC1_LOAD "if (8|M0) 32 32\n"
     "mov (8|M0) r3.0<1>:ud r10.0<8;8,1>:ud {$0.dst}\nendif (8|M0) 16\n"},
    /* The payload is r4 and r5; today's compiler of the vendor reads it again.
     */
    {XK_WA_send_war, XK_PLATFORM_XEHPC, 128, LOAD32 MOV5("$6.dst"),
     LOAD32 MOV5("$6.src")},
    {XK_WA_send_war, XK_PLATFORM_XEHPC, 128,
     LOAD32 "(W) mov (1|M0) null<1>:ud 0x1:ud {$6.src}\n"
            "(W) mov (1|M0) null<1>:ud r4.0<0;1,0>:ud\n"
            "(W) mov (1|M0) null<1>:ud r5.0<0;1,0>:ud\n"
            "sync.nop null {I@1}\n" MOV5("I@1"),
     LOAD32 "(W) mov (1|M0) null<1>:ud 0x1:ud {$6.src}\n"
            "(W) mov (1|M0) null<1>:ud r4.0<0;1,0>:ud\n"
            "sync.nop null {I@1}\n" MOV5("I@1")},
    {XK_WA_send_war, XK_PLATFORM_XEHPC, 128,
     STORE_A64 "sync.allrd 0x1\n"
               "(W) mov (16|M0) r4.0<1>:ud 0x0:ud\n",
     STORE_A64 "sync.allrd 0x1\n"
               "(W) mov (16|M0) r6.0<1>:ud 0x0:ud\n"},
    {XK_WA_send_war, XK_PLATFORM_XEHPC, 128, STORE_A64 MOV5("$0.dst"),
     STORE_A64 MOV5("$0.src")},
    {XK_WA_xl_lsc_block, XK_PLATFORM_XEHPC, 128,
     "send.ugm (32|M0) r10 r2 null:0 0x0 0x08200580 {$0}\n",
     "(W) send.ugm (1|M0) r10 r2 null:0 0x0 0x0210D580 {$0}\n"},
    {XK_WA_math_hf_scalar, XK_PLATFORM_XEHPC, 128,
     "math.inv (16|M0) r1.0<1>:hf r2.0<1;1,0>:hf {$3}\n"
     "math.inv (1|M0) r1.0<1>:hf r2.0<0;1,0>:hf {$3}\n",
     "math.inv (16|M0) r1.0<1>:hf r2.0<0;1,0>:hf {$3}\n"},
    {XK_WA_math_hf_scalar, XK_PLATFORM_XEHPC, 128,
     "math.inv (16|M0) r1.0<1>:f r3.0<0;1,0>:f {$3}\n",
     "math.inv (16|M0) r1.0<1>:hf 0x3C00:hf {$3}\n"},
    {XK_WA_mul_pair, XK_PLATFORM_XEHPC, 128,
     MUL_ACC("16|M0") "sync.nop null {I@1}\n" MACL("16|M0") MOV16,
     MUL_ACC("16|M0") MOV16 MACL("16|M0")},
    {XK_WA_mul_pair, XK_PLATFORM_XEHPC, 128,
     MUL_ACC("16|M0") MACL("16|M0") MUL_ACC("16|M16") MACL("16|M16"),
     MUL_ACC("16|M0") MUL_ACC("16|M16") MACL("16|M0") MACL("16|M16")},
    {XK_WA_q_scalar, XK_PLATFORM_XEHPC, 128,
     "add (8|M0) r1.0<1>:q r2.0<1;1,0>:q r3.0<0;1,0>:q\n"
     "add (1|M0) r1.0<1>:q r2.0<0;1,0>:q r3.0<0;1,0>:d\n"
     "add (8|M0) r1.0<1>:q r2.0<1;1,0>:q 0x1:d\n",
     "add (8|M0) r1.0<1>:q r2.0<1;1,0>:q r3.0<0;1,0>:d\n"},
    {XK_WA_q_scalar, XK_PLATFORM_XEHPC, 128,
     "mov (8|M0) r2.0<1>:q r4.0<2;1,0>:d\n",
     "mov (16|M0) r2.0<1>:q r4.0<2;1,0>:d\n"},
    {XK_WA_word_src1, XK_PLATFORM_XEHPC, 128,
     "add (16|M0) r1.0<2>:b r2.0<2;1,0>:w r3.0<1;1,0>:w\n",
     "add (16|M0) r1.0<2>:b r2.0<1;1,0>:w r3.0<2;1,0>:w\n"},
    {XK_WA_word_src1, XK_PLATFORM_XEHPC, 128,
     "add (16|M0) r1.0<2>:w r2.0<1;1,0>:w r3.0<2;1,0>:w\n",
     "add (16|M0) r1.0<2>:ub r2.0<1;1,0>:uw r3.0<16;8,2>:uw\n"},
    {XK_WA_xl_bytes, XK_PLATFORM_XEHPC, 128,
     "mov (8|M0) r1.0<2>:b r2.0<4;1,0>:b\n"
     "mov (8|M0) r1.32<2>:b r2.0<2;1,0>:b\n"
     "mov (8|M0) r1.32<1>:b r2.0<4;2,1>:b\n",
     "mov (8|M0) r1.32<2>:b r2.0<4;1,0>:b\n"},
    {XK_WA_xl_bytes, XK_PLATFORM_XEHPC, 128,
     "mov (8|M0) r1.31<1>:b r2.0<4;2,2>:b\n"
     "mov (8|M0) r1.32<4>:b r2.0<4;1,0>:b\n",
     "mov (8|M0) r1.32<1>:b r2.0<4;2,2>:b\n"},
    {XK_WA_xl_odd_bytes, XK_PLATFORM_XEHPC, 128,
     "add (8|M0) r1.0<2>:b r2.0<2;1,0>:b r3.0<1;1,0>:b\n"
     "add (8|M0) r1.1<2>:b r2.0<1;1,0>:b r3.0<1;1,0>:b\n"
     "add (8|M0) r1.1<2>:b r2.0<2;1,0>:b r3.0<1;1,0>:d\n",
     "add (8|M0) r1.1<2>:b r2.0<2;1,0>:b r3.0<1;1,0>:b\n"},
    {XK_WA_xl_odd_bytes, XK_PLATFORM_XEHPC, 128,
     "mov (16|M0) r1.1<4>:b r4.0<1;1,0>:b\n"
     "mov (32|M0) r1.0<4>:b r4.0<1;1,0>:b\n",
     "mov (32|M0) r1.1<4>:b r4.0<1;1,0>:b\n"},
    {XK_WA_xl_sat_bytes, XK_PLATFORM_XEHPC, 128,
     "mov (8|M0) (sat)r1.0<4>:b r2.0<1;1,0>:d\n"
     "mov (8|M0) r1.0<4>:b r2.0<4;1,0>:ub\n",
     "mov (8|M0) (sat)r1.0<4>:b r2.0<4;1,0>:ub\n"},
    {XK_WA_xt_sel_words, XK_PLATFORM_XEHPC, 128,
     "(f0.0) sel (8|M0) r1.4<2>:w r2.0<1;1,0>:d r3.0<1;1,0>:d\n"
     "(f0.0) sel (8|M0) r1.2<2>:w r2.0<1;1,0>:w r3.0<1;1,0>:w\n",
     "(f0.0) sel (1|M0) r1.2<1>:w r2.0<0;1,0>:d r3.0<0;1,0>:w\n"},
    {XK_WA_xt_odd_src1, XK_PLATFORM_XEHPC, 128,
     "add (8|M0) r1.0<4>:b r2.1<2;1,0>:w r3.2<2;1,0>:w\n"
     "add (8|M0) r1.0<2>:b r2.0<1;1,0>:w r3.1<1;1,0>:w\n",
     "add (8|M0) r1.0<4>:b r2.0<2;1,0>:w r3.1<2;1,0>:w\n"},
    {XK_WA_xt_hf_int, XK_PLATFORM_XEHPC, 128,
     "mov (8|M0) r1.0<1>:f r2.0<2;1,0>:hf\n"
     "mov (8|M0) r1.0<1>:ud r2.0<2;1,0>:hf\n",
     "mov (8|M0) r1.0<1>:d r2.0<2;1,0>:hf\n"},
    {XK_WA_xelp_div, XK_PLATFORM_XELP, 128,
     "math.inv (8|M0) r1.0<1>:f r2.0<8;8,1>:f\n",
     "math.iqot (8|M0) r1.0<1>:d r2.0<8;8,1>:d r3.0<8;8,1>:d\n"},
    {XK_WA_dst_src_half, XK_PLATFORM_XEHPG, 128,
     "mul (16|M0) r10.0<1>:f r10.0<1;1,0>:f r12.0<0;1,0>:f\n",
     "mul (16|M0) r10.0<1>:f r10.0<1;1,0>:f r10.0<0;1,0>:f\n"},
    {XK_WA_dst_src_half, XK_PLATFORM_XEHPG, 128,
     "mov (16|M0) r10.0<1>:f r11.0<1;1,0>:f\n"
     "mul (8|M0) r10.0<1>:f r10.0<1;1,0>:f r10.0<0;1,0>:f {F@1}\n",
     "mov (16|M0) r11.0<1>:f r10.0<1;1,0>:f\n"},
    {XK_WA_dst_src_half, XK_PLATFORM_XEHPG, 128, /* hf of both halves below */
     "mov (16|M0) r10.0<1>:f r10.0<1;1,0>:f\n",
     "mov (16|M0) r10.0<1>:f r10.0<1;1,0>:hf\n"},
    {XK_WA_dst_src_half, XK_PLATFORM_XEHPG, 128,
     "mad (16|M0) r10.0<1>:f r12.0<1;0>:f r14.0<0;0>:f r11.0<0>:f\n",
     "mad (16|M0) r10.0<1>:f r12.0<1;0>:f r14.0<1;0>:f r10.7<0>:f\n"},
    {XK_WA_dst_src_half, XK_PLATFORM_XEHPC, 128,
     "mul (16|M0) r10.0<1>:f r10.0<1;1,0>:f r10.0<0;1,0>:f\n",
     "mul (32|M0) r10.0<1>:f r10.0<1;1,0>:f r10.0<0;1,0>:f\n"},
    {XK_WA_acc_stride, XK_PLATFORM_XELP, 128,
     "mov (8|M0) acc0.0<1>:w r2.0<8;8,1>:w\n",
     "mov (8|M0) acc0.0<2>:w r2.0<8;8,1>:w\n"},
    {XK_WA_send_overlap, XK_PLATFORM_XEHPC, 128,
     "send.ugm (16|M0) r10 r2 null:0 0x0 0x04100580 {$0}\n",
     "send.ugm (16|M0) r3 r2 null:0 0x0 0x04100580 {$0}\n"},
    {XK_WA_state_distance, XK_PLATFORM_XEHPG, 128,
     "(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x4C0:uw {A@1}\n"
     "(W) mov (8|M0) r2.0<1>:ud 0x0:ud {A@1}\n",
     "(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x4C0:uw {A@1}\n"
     "(W) mov (8|M0) r2.0<1>:ud 0x0:ud {I@1}\n"},
    {XK_WA_state_distance, XK_PLATFORM_XEHPG, 128,
     "(W) mov (1|M0) r2.0<1>:ud tm0.0<0;1,0>:ud {A@1}\n"
     "(W) mov (8|M0) r3.0<1>:ud 0x0:ud {A@1}\n",
     "(W) mov (1|M0) r2.0<1>:ud tm0.0<0;1,0>:ud\n"
     "(W) mov (8|M0) r3.0<1>:ud 0x0:ud {A@1}\n"},
    {XK_WA_state_distance, XK_PLATFORM_XEHPC, 128,
     "(W) or (1|M0) dbg0.0<1>:ud dbg0.0<0;1,0>:ud 0x1:uw {A@1}\n"
     "(W) mov (8|M0) r2.0<1>:ud 0x0:ud {A@1}\n",
     "(W) or (1|M0) dbg0.0<1>:ud dbg0.0<0;1,0>:ud 0x1:uw {A@1}\n"
     "(W) mov (8|M0) r2.0<1>:ud 0x0:ud\n"},
    {XK_WA_state_distance, XK_PLATFORM_XELP, 128,
     "(W) mov (1|M0) sp.0<1>:uq r2.0<0;1,0>:uq {@1}\n"
     "(W) mov (8|M0) r3.0<1>:ud 0x0:ud {@1}\n",
     "(W) mov (1|M0) sp.0<1>:uq r2.0<0;1,0>:uq {@1}\n"
     "(W) mov (8|M0) r3.0<1>:ud 0x0:ud\n"},
    {XK_WA_a0_war, XK_PLATFORM_XEHPG, 128,
     MOV8W "(W) mov (1|M0) a0.0<1>:ud r2.0<0;1,0>:ud {A@1}\n",
     MOV8W "(W) mov (1|M0) a0.0<1>:ud r2.0<0;1,0>:ud {I@1}\n"},
    {XK_WA_early_send, XK_PLATFORM_XEHPG, 128, MOV8W EOT("r127", "A@1"),
     MOV8W EOT("r127", "I@1")},
    {XK_WA_plain_distance, XK_PLATFORM_XEHPC, 128,
     "mov (16|M0) r2.0<1>:ud r3.0<1;1,0>:ud {I@1}\n",
     "mov (16|M0) r2.0<1>:ud r3.0<1;1,0>:ud {@1}\n"},
    {XK_WA_scratch_d32x8, XK_PLATFORM_XEHPG, 128,
     "send.ugm (8|M0) r10 r2 null:0 a0.2 0x42403500 {$0}\n",
     "send.ugm (8|M0) r10 r2 null:0 a0.2 0x42804500 {$0}\n"},
    {XK_WA_scratch_d64, XK_PLATFORM_XEHPG, 128,
     "send.ugm (8|M0) r10 r2 null:0 a0.2 0x42403500 {$0}\n",
     "send.ugm (8|M0) r10 r2 null:0 a0.2 0x42401700 {$0}\n"},
    {XK_WA_slm_block, XK_PLATFORM_XEHPG, 128,
     "(W) send.slm (1|M0) r10 r2 null:0 0x0 0x0220D500 {$0}\n",
     "(W) send.slm (1|M0) r10 r2 null:0 0x0 0x0240E500 {$0}\n"},
    /* One register of data: the one behind it is written, too. */
    {XK_WA_slm_two_grf, XK_PLATFORM_XEHPG, 128,
     SLM_ONE "(W) sync.nop null {$2.dst}\n" MOV21, SLM_ONE MOV21},
    {XK_WA_slm_two_grf, XK_PLATFORM_XEHPG, 128,
     SLM_ONE MOV24 "(W) sync.nop null {$2.dst}\n",
     SLM_ONE MOV24 "(W) mov (8|M0) r2.0<1>:ud r21.0<1;1,0>:ud\n"},
    {XK_WA_ugm_backup, XK_PLATFORM_XEHPG, 128, FENCE("0x0214031F"),
     FENCE("0x0210651F")},
    {XK_WA_ugm_backup, XK_PLATFORM_XEHPG, 128, SLM_ONE, UGM_LOAD("$0")},
    {XK_WA_a64_uniform, XK_PLATFORM_XELP, 128, "(f0.0) " A64_LOAD("0x04140100"),
     A64_LOAD("0x04140100")},
    {XK_WA_a64_bytes8, XK_PLATFORM_XELP, 128, A64_LOAD("0x04140800"),
     A64_LOAD("0x04140C00")},
    {XK_WA_a64_atomic8, XK_PLATFORM_XELP, 128,
     "send.dc1 (8|M0) null r2 r4 0x40 0x04048700 {$0}\n",
     "send.dc1 (16|M0) null r2 r6 0x80 0x08048700 {$0}\n"},
    {XK_WA_vxh_bounds, XK_PLATFORM_XEHPG, 128,
     "mov (8|M0) r10.0<1>:d r[a0.0,16]<8;8,1>:d\n",
     "mov (8|M0) r10.0<1>:d r[a0.0,16]<1,0>:d\n"},
    {XK_WA_vxh_bounds, XK_PLATFORM_XEHPG, 128,
     "(W) mov (16|M0) a0.0<1>:uw 0x0:uw\n"
     "mov (8|M0) r10.0<1>:d r[a0.0,16]<1,0>:d\n",
     "(W) mov (8|M0) a0.0<1>:uw 0x0:uw\n"
     "mov (8|M0) r10.0<1>:d r[a0.0,16]<1,0>:d\n"},
    {XK_WA_slm_fence_scope, XK_PLATFORM_XEHPG, 128,
     "(W) send.slm (1|M0) r6 r0 null:0 0x0 0x0210011F {$1}\n",
     "(W) send.slm (1|M0) r6 r0 null:0 0x0 0x0210051F {$1}\n"},
};

struct heard {
    const char *rule;
    bool any;
};

static void hear(void *user, unsigned at, const struct xk_isa_violation *v)
{
    struct heard *const h = user;

    (void)at;
    h->any |= !strcmp(v->rule, h->rule);
}

static bool lacks(const struct row_case *c, const char *text)
{
    struct xk_inst inst[8];
    struct xk_error err = {0};
    struct heard h = {xk_workaround_get(c->row)->text.rule, false};
    struct xk_wa_program g = {
        .device = {c->platform, XK_PRODUCT_ANY, XK_STEP_ANY},
        .p = xk_platform_get(c->platform),
        .inst = inst,
        .grf_count = c->grf_count};

    g.n = program_case_parse(g.p, text, inst, XK_COUNTOF(inst), &err);
    ck_assert_msg(g.n > 0, "%s: %s: %s", h.rule, text, err.message);
    xk_wa_validate(&g, hear, &h);
    return h.any;
}

START_TEST(a_lack_is_found)
{
    const struct row_case *const c = &cases[_i];
    const char *const name = xk_workaround_get(c->row)->name;

    ck_assert_msg(!lacks(c, c->good), "%s: %s", name, c->good);
    ck_assert_msg(lacks(c, c->bad), "%s: %s", name, c->bad);
}
END_TEST

/* The first word of an id is a number of workarounds.md; section 5 has several
 * faults, which their bugs tell apart. */
START_TEST(an_id_names_one_row)
{
    for (unsigned k = 0; k < XK_N_WORKAROUNDS; k++) {
        const char *const id = xk_workaround_get(k)->id;
        const size_t n = id[0] == 'W' ? strcspn(id, " ") : strlen(id);

        for (unsigned j = 0; j < k; j++) {
            const char *const other = xk_workaround_get(j)->id;
            ck_assert_msg(strncmp(id, other, n) ||
                              (other[n] && other[n] != ' '),
                          "%s, %s", id, other);
        }
    }
}
END_TEST

/* A rule without a pair of programs proves nothing. */
START_TEST(each_rule_has_a_pair)
{
    for (unsigned k = 0; k < XK_N_WORKAROUNDS; k++) {
        const struct xk_workaround *const w = xk_workaround_get(k);
        unsigned n = 0;

        for (unsigned c = 0; c < XK_COUNTOF(cases); c++)
            n += cases[c].row == k;
        ck_assert_msg(!w->lacks == !n, "%s: %u pairs", w->name, n);
    }
}
END_TEST

/* Ranges of the vendor's tables (IGC 98fff716, skuwa, SI_WA_BETWEEN): from one
 * stepping up to another one, which is fixed; EVER: none is. */
#define EVER XK_N_STEPPINGS
#define NEW_DG2(row)                                                           \
    {XK_WA_##row, XK_DG2_G10, XK_STEP_C0, EVER},                               \
        {XK_WA_##row, XK_DG2_G11, XK_STEP_B0, EVER},                           \
    {                                                                          \
        XK_WA_##row, XK_DG2_G12, XK_STEP_A0, EVER                              \
    }
#define DG2_FROM_B0(row)                                                       \
    {XK_WA_##row, XK_DG2_G10, XK_STEP_B0, EVER},                               \
        {XK_WA_##row, XK_DG2_G11, XK_STEP_A0, EVER},                           \
    {                                                                          \
        XK_WA_##row, XK_DG2_G12, XK_STEP_A0, EVER                              \
    }
#define ALL_DG2(row)                                                           \
    {XK_WA_##row, XK_DG2_G10, XK_STEP_A0, EVER},                               \
        {XK_WA_##row, XK_DG2_G11, XK_STEP_A0, EVER},                           \
    {                                                                          \
        XK_WA_##row, XK_DG2_G12, XK_STEP_A0, EVER                              \
    }
#define OLD_G10(row)                                                           \
    {                                                                          \
        XK_WA_##row, XK_DG2_G10, XK_STEP_A0, XK_STEP_B0                        \
    }

static const struct {
    enum xk_wa row;
    enum xk_product product;
    enum xk_stepping from, before;
} ranges[] = {
    NEW_DG2(eot_csel),
    NEW_DG2(rs_dpas_fused),
    NEW_DG2(split_barrier_r0),
    DG2_FROM_B0(eot_ugm_fence),
    DG2_FROM_B0(scratch_d32x8),
    DG2_FROM_B0(scratch_d64),
    DG2_FROM_B0(chicken_read_suppression),
    ALL_DG2(eot_distance),
    ALL_DG2(eot_is_last),
    ALL_DG2(fence_flush),
    ALL_DG2(rs_dpas),
    ALL_DG2(dpas_src1_8),
    ALL_DG2(call_register),
    OLD_G10(eot_hdc_fence),
    OLD_G10(ugm_backup),
    OLD_G10(dpas_atomic_8),
    OLD_G10(dpas_compact),
    OLD_G10(slm_two_grf),
    OLD_G10(slm_block),
    OLD_G10(group_threads),
    OLD_G10(lsc_half_lanes), /* Platform.hpp, hasHalfSIMDLSC */
    {XK_WA_dpas_atomic_8, XK_DG2_G11, XK_STEP_A0, XK_STEP_B0},
    {XK_WA_eot_ugm_fence, XK_PVC_XT, XK_STEP_A0, XK_STEP_C0},
    {XK_WA_dpas_src1_8, XK_PVC_XT, XK_STEP_A0, XK_STEP_B0},
    {XK_WA_mul_pair, XK_PVC_XT, XK_STEP_A0, XK_STEP_B0},
    {XK_WA_q_scalar, XK_PVC_XT, XK_STEP_A0, XK_STEP_B0},
    {XK_WA_q_cond, XK_PVC_XT, XK_STEP_A0, XK_STEP_B0},
    /* Platform.hpp, forceQwAtSrc0ForQwShlWA; HWConformity.cpp, fixShiftInsts */
    {XK_WA_shl_q, XK_PVC_XT, XK_STEP_A0, XK_STEP_B0},
    {XK_WA_shift_by_q, XK_PVC_XT, XK_STEP_A0, EVER},
    {XK_WA_math_hf_packed, XK_PVC_XT, XK_STEP_A0, EVER},
    {XK_WA_word_src1, XK_PVC_XT, XK_STEP_A0, EVER},
    {XK_WA_word_src1, XK_PVC_XL, XK_STEP_A0, EVER},
    {XK_WA_xl_bytes, XK_PVC_XL, XK_STEP_A0, EVER},
    {XK_WA_xl_bytes, XK_PVC_XT, EVER, EVER},
    {XK_WA_xl_odd_bytes, XK_PVC_XT, EVER, EVER},
    {XK_WA_xl_sat_bytes, XK_PVC_XT, EVER, EVER},
    {XK_WA_eot_is_last, XK_PVC_XT, XK_STEP_A0, EVER},
    {XK_WA_a64_uniform, XK_TGL, XK_STEP_A0, XK_STEP_C0},
    {XK_WA_a64_uniform, XK_RKL, XK_STEP_A0, XK_STEP_C0},
    {XK_WA_a64_uniform, XK_ADL_S, XK_STEP_A0, XK_STEP_B0},
    {XK_WA_a64_uniform, XK_ADL_P, XK_STEP_A0, XK_STEP_B0},
    {XK_WA_a64_uniform, XK_DG1, XK_STEP_A0, EVER},
    {XK_WA_a64_uniform, XK_ADL_N, EVER, EVER},
    /* NEO gen12lp, isForceEmuInt32DivRemSPWARequired */
    {XK_WA_xelp_div, XK_TGL, XK_STEP_A0, XK_STEP_B0},
    {XK_WA_xelp_div, XK_RKL, XK_STEP_A0, XK_STEP_C0},
    {XK_WA_xelp_div, XK_DG1, XK_STEP_A0, XK_STEP_B0},
    {XK_WA_xelp_div, XK_ADL_S, EVER, EVER},
    {XK_WA_eot_acc_clear, XK_ADL_N, XK_STEP_A0, EVER},
    {XK_WA_dead_block, XK_RKL, XK_STEP_A0, EVER},
};

static const struct {
    enum xk_product product;
    enum xk_stepping stepping;
} existing[] = {
#define XK_PRODUCT(...)
#define XK_REVISION(product, number, step) {XK_##product, XK_STEP_##step},
#include "isa/product.def"
#undef XK_PRODUCT
#undef XK_REVISION
};

START_TEST(a_range_is_the_vendors)
{
    for (unsigned k = 0; k < XK_COUNTOF(existing); k++) {
        const struct xk_wa_device d = {xk_product_platform(ranges[_i].product),
                                       ranges[_i].product,
                                       existing[k].stepping};
        if (existing[k].product == d.product)
            ck_assert_msg(xk_wa_applies(ranges[_i].row, &d) ==
                              (d.stepping >= ranges[_i].from &&
                               d.stepping < ranges[_i].before),
                          "%s: %s, stepping %u",
                          xk_workaround_get(ranges[_i].row)->name,
                          xk_product_name(d.product), d.stepping);
    }
}
END_TEST

/* A device that is named, and what is left open. */
START_TEST(steppings)
{
    const enum xk_platform_id hpg = XK_PLATFORM_XEHPG;
    const enum xk_platform_id hpc = XK_PLATFORM_XEHPC;
    struct xk_wa_device d = {hpg, XK_DG2_G10, XK_STEP_A1};

    ck_assert(!xk_wa_applies(XK_WA_eot_ugm_fence, &d));
    d.stepping = XK_STEP_B0;
    ck_assert(xk_wa_applies(XK_WA_eot_ugm_fence, &d));
    d = (struct xk_wa_device){hpc, XK_PVC_XT, XK_STEP_C0};
    ck_assert(!xk_wa_applies(XK_WA_eot_ugm_fence, &d));
    d = (struct xk_wa_device){hpc, XK_PRODUCT_ANY, XK_STEP_ANY};
    ck_assert(xk_wa_applies(XK_WA_eot_ugm_fence, &d));
    d = (struct xk_wa_device){XK_PLATFORM_XELP, XK_PRODUCT_ANY, XK_STEP_ANY};
    ck_assert(!xk_wa_applies(XK_WA_eot_ugm_fence, &d));
}
END_TEST

/* Families and revisions as ocloc 22.43 writes them for -device; IP versions of
 * NEO's AOT::PRODUCT_CONFIG. The older container has no family. */
START_TEST(a_container_names_the_device)
{
    static const struct {
        enum xk_platform_id platform;
        struct xk_told_device told;
        enum xk_product product;
        enum xk_stepping stepping;
    } known[] = {
        {XK_PLATFORM_XELP, {30, 0, 0}, XK_RKL, XK_STEP_SOLD},
        {XK_PLATFORM_XEHPG, {1270, 8, 0}, XK_PRODUCT_ANY, XK_STEP_C0},
        {XK_PLATFORM_XEHPG, {1270, 5, 0}, XK_DG2_G11, XK_STEP_B1},
        {XK_PLATFORM_XEHPG, {1270, 9, 0}, XK_DG2_G10, XK_STEP_C1},
        {XK_PLATFORM_XEHPG, {1270, 0, 0}, XK_PRODUCT_ANY, XK_STEP_SOLD},
        /* Shared with A1 and B0 of G10, which were never sold. */
        {XK_PLATFORM_XEHPG, {1270, 1, 0}, XK_DG2_G12, XK_STEP_A1},
        {XK_PLATFORM_XEHPG, {1270, 4, 0}, XK_DG2_G11, XK_STEP_B0},
        {XK_PLATFORM_XEHPG, {1270, 1, 0x030dc001}, XK_DG2_G10, XK_STEP_A1},
        {XK_PLATFORM_XEHPC, {1271, 7, 0}, XK_PVC_XT, XK_STEP_C0},
        {XK_PLATFORM_XEHPC, {0, 7, 0}, XK_PVC_XT, XK_STEP_C0},
        /* 0x2f: bits 5:3 are the base die's (NEO, pvcSteppingBits). */
        {XK_PLATFORM_XEHPC, {1271, 0x2f, 0}, XK_PVC_XT, XK_STEP_C0},
        {XK_PLATFORM_XEHPC, {0, 0, 0}, XK_PRODUCT_ANY, XK_STEP_SOLD},
        {XK_PLATFORM_XEHPG, {0, 5, 0}, XK_DG2_G11, XK_STEP_B1},
        {XK_PLATFORM_XEHPG, {0, 8, 0}, XK_PRODUCT_ANY, XK_STEP_C0},
        /* B0 of TGL, RKL and DG1; C0 of RKL, B0 of ADL. */
        {XK_PLATFORM_XELP, {0, 1, 0}, XK_PRODUCT_ANY, XK_STEP_B0},
        {XK_PLATFORM_XELP, {0, 4, 0}, XK_PRODUCT_ANY, XK_STEP_SOLD},
        {XK_PLATFORM_XEHPG, {1270, 4, 0x030dc004}, XK_DG2_G10, XK_STEP_B0},
        {XK_PLATFORM_XEHPG, {1270, 0, 0x030e0000}, XK_DG2_G11, XK_STEP_A0},
        {XK_PLATFORM_XEHPG, {0, 0, 0x030e4000}, XK_DG2_G12, XK_STEP_A0},
        {XK_PLATFORM_XEHPC, {1271, 0, 0x030f0007}, XK_PVC_XT, XK_STEP_C0},
        {XK_PLATFORM_XELP, {29, 3, 0x03000000}, XK_TGL, XK_STEP_C0},
        {XK_PLATFORM_XELP, {29, 0, 0x03000000}, XK_TGL, XK_STEP_SOLD},
    };

    for (unsigned k = 0; k < XK_COUNTOF(known); k++) {
        const struct xk_wa_device d = xk_product_device(
            xk_platform_get(known[k].platform), &known[k].told);
        ck_assert_msg(
            d.product == known[k].product && d.stepping == known[k].stepping,
            "row %u: product %u, stepping %u", k, d.product, d.stepping);
        ck_assert_msg(xk_product_is_known(xk_platform_get(known[k].platform),
                                          &known[k].told),
                      "row %u", k);
        if (known[k].told.ip_version && known[k].platform != XK_PLATFORM_XELP)
            ck_assert_uint_eq(xk_product_ip_version(&d),
                              known[k].told.ip_version);
    }
}
END_TEST

/* Revisions and IP versions that no product of the platform, or of the family,
 * has. */
START_TEST(a_container_may_name_an_unknown_device)
{
    static const struct {
        enum xk_platform_id platform;
        struct xk_told_device told;
    } unknown[] = {
        {XK_PLATFORM_XELP, {29, 2, 0}},    /* TGL has 0, 1, 3 */
        {XK_PLATFORM_XELP, {0, 2, 0}},     /* nobody on xelp has 2 */
        {XK_PLATFORM_XEHPG, {1270, 3, 0}}, /* DG2 has 0, 1, 4, 5, 8, 9 */
        {XK_PLATFORM_XEHPC, {1271, 4, 0}}, /* PVC has 0, 1, 3, 5, 6, 7 */
        {XK_PLATFORM_XEHPG, {1234, 8, 0}}, /* another family's */
        {XK_PLATFORM_XEHPG, {1270, 4, 0x030dc003}}, /* G10's revision 3 */
        {XK_PLATFORM_XEHPG, {1270, 4, 0x030e8004}}, /* 12.58.4: none */
        {XK_PLATFORM_XEHPG, {1270, 4, 0x030f0007}}, /* PVC XT C0 */
        {XK_PLATFORM_XELP, {29, 0, 0x03014000}},    /* 12.5.0: none */
        {XK_PLATFORM_XEHPG, {1270, 4, 0x050dc004}}, /* 20.55.4 */
    };
    const struct xk_told_device nothing = {1234, 0, 0};

    for (unsigned k = 0; k < XK_COUNTOF(unknown); k++)
        ck_assert_msg(!xk_product_is_known(xk_platform_get(unknown[k].platform),
                                           &unknown[k].told),
                      "row %u", k);
    ck_assert(
        xk_product_is_known(xk_platform_get(XK_PLATFORM_XEHPG), &nothing));
}
END_TEST

/* As ocloc's acronyms of single steppings, which NEO's table rtlIdAcronyms
 * has, but for dg2-g12-a1. */
START_TEST(a_word_names_a_device)
{
    static const struct {
        enum xk_platform_id platform;
        const char *word;
        enum xk_product product;
        enum xk_stepping stepping;
        uint32_t revision;
    } known[] = {
        {XK_PLATFORM_XEHPG, "", XK_PRODUCT_ANY, XK_STEP_ANY, 0},
        {XK_PLATFORM_XEHPG, "dg2-g10", XK_DG2_G10, XK_STEP_SOLD, 0},
        {XK_PLATFORM_XEHPG, "dg2-g10-a1", XK_DG2_G10, XK_STEP_A1, 1},
        {XK_PLATFORM_XEHPG, "dg2-g10-c0", XK_DG2_G10, XK_STEP_C0, 8},
        {XK_PLATFORM_XEHPG, "dg2-g11-b1", XK_DG2_G11, XK_STEP_B1, 5},
        {XK_PLATFORM_XEHPG, "dg2-g12-a1", XK_DG2_G12, XK_STEP_A1, 1},
        {XK_PLATFORM_XEHPC, "pvc-xl", XK_PVC_XL, XK_STEP_ANY, 0},
        {XK_PLATFORM_XEHPC, "pvc-xl-a0", XK_PVC_XL, XK_STEP_A0, 0},
        {XK_PLATFORM_XEHPC, "pvc-xt-b1", XK_PVC_XT, XK_STEP_B1, 6},
        {XK_PLATFORM_XELP, "adl-s-b0", XK_ADL_S, XK_STEP_B0, 4},
    };
    static const char *const unknown[] = {"dg2-g10-b1", "dg2-g12-c0", "dg2",
                                          "dg2-g10-",   "DG2-G10",    "pvc-xt"};
    const struct xk_platform *const dg2 = xk_platform_get(XK_PLATFORM_XEHPG);
    struct xk_wa_device d;
    char word[XK_PRODUCT_WORD_B];

    for (unsigned k = 0; k < XK_COUNTOF(known); k++) {
        ck_assert(xk_product_find(xk_platform_get(known[k].platform),
                                  known[k].word, &d));
        ck_assert_uint_eq(d.platform, known[k].platform);
        ck_assert_uint_eq(d.product, known[k].product);
        ck_assert_uint_eq(d.stepping, known[k].stepping);
        ck_assert_uint_eq(xk_product_revision(&d), known[k].revision);
        xk_product_word(&d, word);
        ck_assert_str_eq(word, known[k].word);
    }
    for (unsigned k = 0; k < XK_COUNTOF(unknown); k++)
        ck_assert_msg(!xk_product_find(dg2, unknown[k], &d), "%s", unknown[k]);
    char all[16];
    ck_assert_uint_eq(xk_product_words(dg2, NULL, 0),
                      157); /* 3 of 7 letters, 11 of 10, 13 times ", " */
    xk_product_words(dg2, all, sizeof all);
    ck_assert_str_eq(all, "dg2-g10, dg2-g1");
}
END_TEST

/* NEO's limits, workarounds.md 5: what is taken, and what is one too many. */
static const struct {
    enum xk_platform_id platform;
    struct xk_dispatch good, bad;
    const char *text;
} dispatches[] = {
    {XK_PLATFORM_XELP,
     {.threads = 112, .grf_count = 128},
     {.threads = 113, .grf_count = 128},
     "dispatch: threads of 128 registers in a group=113, but TGL takes at "
     "most 112"},
    {XK_PLATFORM_XELP,
     {.threads = 1, .grf_count = 128},
     {.threads = 1, .grf_count = 256},
     "dispatch: grf_count=256, but TGL takes at most 128"},
    {XK_PLATFORM_XEHPG,
     {.threads = 64, .grf_count = 256},
     {.threads = 65, .grf_count = 256},
     "dispatch: threads of 256 registers in a group=65, but DG2-G10 takes "
     "at most 64"},
    {XK_PLATFORM_XEHPG,
     {.threads = 128, .grf_count = 128, .barriers = 1},
     {.threads = 128, .grf_count = 128, .barriers = 2},
     "dispatch: barriers=2, but DG2-G10 takes at most 1"},
    {XK_PLATFORM_XEHPC,
     {.threads = 64, .grf_count = 128, .barriers = 32},
     {.threads = 65, .grf_count = 128, .barriers = 32},
     "dispatch: threads of 128 registers in a group=65, but PVC-XL takes "
     "at most 64"},
    {XK_PLATFORM_XEHPC,
     {.grf_count = 128, .slm_b = 131072},
     {.grf_count = 128, .slm_b = 131073},
     "dispatch: bytes of shared local memory=131073, but PVC-XL takes at "
     "most 131072"},
    {XK_PLATFORM_XEHPG,
     {.grf_count = 128, .inline_b = 32},
     {.grf_count = 128, .inline_b = 33},
     "dispatch: inline_b=33, but DG2-G10 takes at most 32"},
    {XK_PLATFORM_XEHPG,
     {.grf_count = 128, .walk_order = 5},
     {.grf_count = 128, .walk_order = 6},
     "dispatch: walk_order=6, but DG2-G10 takes at most 5"},
    {XK_PLATFORM_XEHPG,
     {.grf_count = 256, .simd = 16, .items = 512},
     {.grf_count = 256, .simd = 16, .items = 513},
     "dispatch: work items of a group=513, but DG2-G10 takes at most 512"},
    {XK_PLATFORM_XEHPG,
     {.grf_count = 256, .simd = 32, .items = 1024},
     {.grf_count = 256, .simd = 32, .items = 1025},
     "dispatch: work items of a group=1025, but DG2-G10 takes at most "
     "1024"},
    /* All together; one barrier more. */
    {XK_PLATFORM_XEHPG,
     {64, 256, 1, 65536, 32, 5, 512, 8},
     {64, 256, 2, 65536, 32, 5, 512, 8},
     "dispatch: barriers=2, but DG2-G10 takes at most 1"},
};

START_TEST(a_dispatch_keeps_limits)
{
    for (unsigned k = 0; k < XK_COUNTOF(dispatches); k++) {
        const struct xk_platform *const p =
            xk_platform_get(dispatches[k].platform);
        struct xk_error err = {0};
        ck_assert_int_eq(
            xk_dispatch_check(p, XK_PRODUCT_ANY, &dispatches[k].good, &err),
            XK_OK);
        ck_assert_int_eq(
            xk_dispatch_check(p, XK_PRODUCT_ANY, &dispatches[k].bad, &err),
            XK_EINVAL);
        ck_assert_str_eq(err.message, dispatches[k].text);
    }
    const struct xk_platform *const dg2 = xk_platform_get(XK_PLATFORM_XEHPG),
                                    *const pvc =
                                        xk_platform_get(XK_PLATFORM_XEHPC);
    ck_assert_uint_eq(xk_dispatch_padding_b(dg2, XK_DG2_G10), 512);
    ck_assert_uint_eq(xk_dispatch_padding_b(dg2, XK_PVC_XT), 0);
    ck_assert_uint_eq(xk_dispatch_padding_b(pvc, XK_PRODUCT_ANY), 3584);
}
END_TEST

/* What is generated runs on every stepping of DG2 that a descriptor names: all
 * else is refused (tests/tools/ir_tool.py, tests/conv). */
static bool is_reached(enum xk_wa id)
{
    const struct xk_wa_device d = {XK_PLATFORM_XEHPG, XK_PRODUCT_ANY,
                                   XK_STEP_ANY};

    return xk_wa_applies(id, &d);
}

/* A row of what is generated that nobody sees to, since the vendor does not
 * apply it by default. */
static bool needs_nothing(enum xk_wa id)
{
    return id == XK_WA_barrier_race;
}

/* What is never emitted, and what is not reached, has a rule that proves it. */
START_TEST(rows_are_whole)
{
    for (unsigned k = 0; k < XK_N_WORKAROUNDS; k++) {
        const struct xk_workaround *const w = xk_workaround_get(k);

        ck_assert_msg(w->name && w->id[0] && w->by[0] && w->action[0] &&
                          w->text.why[0] && w->text.source[0],
                      "row %u", k);
        ck_assert_msg(w->handling != XK_WA_NEVER || w->lacks, "%s", w->name);
        ck_assert_msg(w->handling != XK_WA_UNREACHED ||
                          (w->lacks && !is_reached(k)),
                      "%s", w->name);
        ck_assert_msg(w->handling != XK_WA_NOT_OURS || needs_nothing(k) ||
                          !is_reached(k),
                      "%s", w->name);
    }
}
END_TEST

/* LSC's messages are forbidden where the device can be nothing else. */
START_TEST(all_that_is_meant_has_the_row)
{
    static const struct {
        const char *word;
        bool always;
    } meant[] = {{"dg2-g10-a0", true},  {"dg2-g10-a1", true},
                 {"dg2-g10-b0", false}, {"dg2-g10", false},
                 {"dg2-g11-a0", false}, {"", false}};
    const struct xk_platform *const p = xk_platform_get(XK_PLATFORM_XEHPG);
    const struct xk_wa_device none = {XK_PLATFORM_NONE, XK_PRODUCT_ANY,
                                      XK_STEP_ANY};
    for (unsigned k = 0; k < XK_COUNTOF(meant); k++) {
        struct xk_wa_device d;
        ck_assert(xk_product_find(p, meant[k].word, &d));
        ck_assert_msg(xk_wa_always_applies(XK_WA_ugm_backup, &d) ==
                          meant[k].always,
                      "%s", meant[k].word);
    }
    ck_assert(!xk_wa_always_applies(XK_WA_ugm_backup, &none));
}
END_TEST

/* NEO's limits of each product: threads of 128 and of 256 registers, barriers,
 * bytes of SLM, inline bytes, walk orders, work items. */
static const struct {
    enum xk_platform_id platform;
    uint32_t most[7];
} families[] = {
    {XK_PLATFORM_XELP, {112, 0, 1, 65536, 0, 5, 512}},
    {XK_PLATFORM_XEHPG, {128, 64, 1, 65536, 32, 5, 1024}},
    {XK_PLATFORM_XEHPC, {64, 32, 32, 131072, 32, 5, 1024}},
};

static struct xk_dispatch asked_for(unsigned field, uint32_t value)
{
    struct xk_dispatch d = {.grf_count = field == 1 ? 256 : 128, .simd = 16};
    uint32_t *const at[] = {&d.threads,  &d.threads,    &d.barriers, &d.slm_b,
                            &d.inline_b, &d.walk_order, &d.items};

    *at[field] = value;
    return d;
}

START_TEST(each_product_has_its_limits)
{
    const enum xk_product product = (enum xk_product)_i;
    const struct xk_platform *const p =
        xk_platform_get(xk_product_platform(product));
    unsigned f = 0;

    while (families[f].platform != p->id)
        f++;
    for (unsigned k = 0; k < XK_COUNTOF(families[f].most); k++) {
        const uint32_t most = families[f].most[k];
        const struct xk_dispatch good = asked_for(k, most);
        const struct xk_dispatch bad = asked_for(k, most + 1);
        struct xk_error err = {0};

        if (k != 1 || most) /* xelp has no threads of 256 registers */
            ck_assert_msg(xk_dispatch_check(p, product, &good, &err) == XK_OK,
                          "%s", err.message);
        ck_assert_int_eq(xk_dispatch_check(p, product, &bad, &err), XK_EINVAL);
        ck_assert_msg(strstr(err.message, xk_product_name(product)), "%s",
                      err.message);
    }
}
END_TEST

TCase *isa_workaround_case(void)
{
    TCase *const t = tcase_create("workarounds");

    tcase_add_loop_test(t, a_lack_is_found, 0, XK_COUNTOF(cases));
    tcase_add_test(t, an_id_names_one_row);
    tcase_add_test(t, each_rule_has_a_pair);
    tcase_add_loop_test(t, a_range_is_the_vendors, 0, XK_COUNTOF(ranges));
    tcase_add_test(t, steppings);
    tcase_add_test(t, a_dispatch_keeps_limits);
    tcase_add_loop_test(t, each_product_has_its_limits, 0, XK_N_PRODUCTS);
    tcase_add_test(t, a_container_names_the_device);
    tcase_add_test(t, a_container_may_name_an_unknown_device);
    tcase_add_test(t, a_word_names_a_device);
    tcase_add_test(t, rows_are_whole);
    tcase_add_test(t, all_that_is_meant_has_the_row);
    return t;
}
