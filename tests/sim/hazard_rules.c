/* SPDX-License-Identifier: Apache-2.0 */
/* One rule of isa.md 5.3 a row: a few instructions, the way through them, and
 * what the checker must say. Nothing is executed. */
#include <stdio.h>
#include <string.h>

#include "isa/asm.h"
#include "tests/sim/hazard_tests.h"
#include "tests/sim/hazard_walk.h"

#define LP "xelp"
#define HPG "xehpg"
#define HPC "xehpc"
#define NONE "", 0, 0
#define STRICT true
#define MAX_INST 40

/* want: kind of the first finding, "" for none; instructions from 0. way:
 * digits and letters are instructions 0..35; NULL: straight through. */
struct row {
    const char *name, *platform, *text, *want;
    unsigned first, second;
    const char *way;
    bool strict;
};

#define FILL_F(n, r) "mad (8|M0) " r ":f r100:f r101:f r102:f\n"
#define FILL4                                                                  \
    FILL_F(0, "r110") FILL_F(0, "r111") FILL_F(0, "r112") FILL_F(0, "r113")
#define FILL12 FILL4 FILL4 FILL4
#define ADD_F(d, a, b, s)                                                      \
    "add (8|M0) " d "<1>:f " a "<1;1,0>:f " b "<1;1,0>:f " s "\n"
#define ADD_D(d, a, b, s)                                                      \
    "add (8|M0) " d "<1>:d " a "<1;1,0>:d " b "<1;1,0>:d " s "\n"
#define MOV_D(d, a, s) "mov (8|M0) " d "<1>:d " a "<1;1,0>:d " s "\n"
#define MOV_F(d, a, s) "mov (8|M0) " d "<1>:f " a "<1;1,0>:f " s "\n"
#define INV(d, a, s) "math.inv (8|M0) " d "<1>:f " a "<1;1,0>:f " s "\n"
/* One register of addresses; load: one register back, store: r<data>. */
#define LOAD(d, a, s)                                                          \
    "send.ugm (8|M0) " d " " a " null:0 0x0 0x02100500 " s "\n"
#define STORE(a, data, s)                                                      \
    "send.ugm (8|M0) null " a " " data ":1 0x0 0x02000504 " s "\n"
#define SLM_LOAD(d, a, s)                                                      \
    "send.slm (8|M0) " d " " a " null:0 0x0 0x02100500 " s "\n"
#define SLM_STORE(a, data, s)                                                  \
    "send.slm (8|M0) null " a " " data ":1 0x0 0x02000504 " s "\n"
/* The old ports: a load of r<d>, a store of r<data> (untyped, surface 1). */
#define HDC_LOAD(d, a, s)                                                      \
    "send.dc1 (8|M0) " d " " a " null 0x0 0x02106E01 " s "\n"
#define HDC_STORE(a, data, s)                                                  \
    "send.dc1 (8|M0) null " a " " data " 0x40 0x02026E01 " s "\n"
#define DPAS8(d, a, b, c, s)                                                   \
    "dpas.8x8 (8|M0) " d ":f " a ":f " b ":hf " c ":hf " s "\n"

/* clang-format off */
static const struct row rows[] = {
    /* in order, one pipe */
    {"raw own pipe", LP, ADD_F("r10", "r1", "r2", "") ADD_F("r11", "r10", "r2", ""), "RAW", 0, 1},
    {"raw own pipe waits", LP, ADD_F("r10", "r1", "r2", "") ADD_F("r11", "r10", "r2", "{@1}"), NONE},
    {"int and float are one pipe on xelp", LP, ADD_D("r10", "r1", "r2", "") ADD_F("r11", "r10", "r2", "{@1}"), NONE},
    {"raw int to float on xelp", LP, ADD_D("r10", "r1", "r2", "") ADD_F("r11", "r10", "r2", ""), "RAW", 0, 1},
    {"war in one pipe is in order", LP, ADD_F("r10", "r1", "r2", "") ADD_D("r1", "r3", "r4", ""), NONE},
    {"waw in one pipe is in order", LP, ADD_F("r10", "r1", "r2", "") ADD_D("r10", "r3", "r4", ""), NONE},
    {"distance too large", LP, ADD_F("r10", "r1", "r2", "") ADD_F("r12", "r1", "r2", "") ADD_F("r11", "r10", "r2", "{@3}"), "RAW", 0, 2},
    {"distance exact", LP, ADD_F("r10", "r1", "r2", "") ADD_F("r12", "r1", "r2", "") ADD_F("r11", "r10", "r2", "{@2}"), NONE},
    {"an earlier wait was enough", LP, ADD_F("r10", "r1", "r2", "") ADD_F("r12", "r1", "r2", "{@1}") ADD_F("r11", "r10", "r2", ""), NONE},
    {"an earlier wait was too early", LP, ADD_F("r12", "r1", "r2", "{@1}") ADD_F("r10", "r1", "r2", "") ADD_F("r11", "r10", "r2", ""), "RAW", 1, 2},
    {"other registers", LP, ADD_F("r10", "r1", "r2", "") ADD_F("r11", "r9", "r12", ""), NONE},
    {"the window", LP, ADD_F("r10", "r1", "r2", "") FILL4 FILL4 FILL_F(0, "r114") FILL_F(0, "r115") ADD_F("r11", "r10", "r2", ""), NONE},
    {"just inside the window", LP, ADD_F("r10", "r1", "r2", "") FILL4 FILL4 FILL_F(0, "r114") ADD_F("r11", "r10", "r2", ""), "RAW", 0, 10},
    {"the window is the vendor's", LP, ADD_F("r10", "r1", "r2", "") FILL12 ADD_F("r11", "r10", "r2", ""), "RAW", 0, 13, NULL, STRICT},
    {"sync.nop carries a distance", LP, ADD_F("r10", "r1", "r2", "") "sync.nop null {@1}\n" ADD_F("r11", "r10", "r2", ""), NONE},

    /* pipes */
    {"raw float to int", HPG, ADD_F("r10", "r1", "r2", "") MOV_D("r11", "r10", ""), "RAW", 0, 1},
    {"raw float to int, own distance", HPG, ADD_F("r10", "r1", "r2", "") MOV_D("r11", "r10", "{I@1}"), "RAW", 0, 1},
    {"raw float to int waits", HPG, ADD_F("r10", "r1", "r2", "") MOV_D("r11", "r10", "{F@1}"), NONE},
    {"raw float to int waits for all", HPG, ADD_F("r10", "r1", "r2", "") MOV_D("r11", "r10", "{A@1}"), NONE},
    {"raw in the float pipe", HPG, ADD_F("r10", "r1", "r2", "") ADD_F("r11", "r10", "r2", ""), "RAW", 0, 1},
    {"raw in the float pipe waits", HPG, ADD_F("r10", "r1", "r2", "") ADD_F("r11", "r10", "r2", "{F@1}"), NONE},
    {"war across pipes", HPG, ADD_F("r10", "r1", "r2", "") MOV_D("r1", "r3", ""), "WAR", 0, 1},
    {"war across pipes waits", HPG, ADD_F("r10", "r1", "r2", "") MOV_D("r1", "r3", "{F@1}"), NONE},
    {"waw across pipes", HPG, ADD_F("r10", "r1", "r2", "") MOV_D("r10", "r3", ""), "WAW", 0, 1},
    {"waw across pipes waits", HPG, ADD_F("r10", "r1", "r2", "") MOV_D("r10", "r3", "{F@1}"), NONE},
    {"another pipe's instructions do not count", HPG, ADD_F("r10", "r1", "r2", "") MOV_D("r20", "r3", "") MOV_D("r11", "r10", "{F@2}"), "RAW", 0, 2},
    {"the long pipe", HPG, "mov (8|M0) r10<1>:q r1<1;1,0>:q\n" MOV_D("r14", "r10", "{I@1}"), "RAW", 0, 1},
    {"the long pipe waits", HPG, "mov (8|M0) r10<1>:q r1<1;1,0>:q\n" MOV_D("r14", "r10", "{L@1}"), NONE},
    {"int64 is int on xehpc", HPC, "mov (8|M0) r10<1>:q r1<1;1,0>:q\n" "mov (16|M0) r14<1>:d r10<1;1,0>:d {I@1}\n", NONE},
    {"df is long on xehpc", HPC, "mov (8|M0) r10<1>:df r1<1;1,0>:df\n" "mov (16|M0) r14<1>:d r10<1;1,0>:d {F@1}\n", "RAW", 0, 1},
    {"other half of a register", HPG, "mov (4|M0) r10.0<1>:f r1.0<1;1,0>:f\n" "mov (4|M0) r11.0<1>:d r10.4<1;1,0>:d\n", NONE},
    {"every other element", HPG, "mov (8|M0) r10.0<2>:hf r1.0<1;1,0>:hf\n" "mov (8|M0) r11.0<1>:w r10.1<16;8,2>:w\n", NONE},
    {"the same elements, spread", HPG, "mov (8|M0) r10.0<2>:hf r1.0<1;1,0>:hf\n" "mov (8|M0) r11.0<1>:w r10.0<16;8,2>:w\n", "RAW", 0, 1},
    {"bytes merge on xehpc", HPC, "mov (16|M0) r10.0<2>:b r1.0<1;1,0>:w\n" "mov (16|M0) r10.0<2>:b r2.0<1;1,0>:w\n", "WAW", 0, 1},
    {"bytes that wait", HPC, "mov (16|M0) r10.0<2>:b r1.0<1;1,0>:w\n" "mov (16|M0) r10.0<2>:b r2.0<1;1,0>:w {I@1}\n", NONE},
    {"bytes on xehpg", HPG, "mov (16|M0) r10.0<2>:b r1.0<1;1,0>:w\n" "mov (16|M0) r10.0<2>:b r2.0<1;1,0>:w\n", NONE},

    /* out of order: math */
    {"raw from math", HPG, INV("r10", "r1", "{$0}") ADD_F("r11", "r10", "r2", ""), "RAW", 0, 1},
    {"raw from math waits", HPG, INV("r10", "r1", "{$0}") ADD_F("r11", "r10", "r2", "{$0.dst}"), NONE},
    {"raw from math, only read", HPG, INV("r10", "r1", "{$0}") ADD_F("r11", "r10", "r2", "{$0.src}"), "RAW", 0, 1},
    {"raw from math, another token", HPG, INV("r10", "r1", "{$0}") ADD_F("r11", "r10", "r2", "{$1.dst}"), "RAW", 0, 1},
    {"raw from math, however long ago", HPG, INV("r10", "r1", "{$0}") FILL12 FILL12 ADD_F("r11", "r10", "r2", ""), "RAW", 0, 25},
    {"raw from math on xelp", LP, INV("r10", "r1", "{$0}") ADD_F("r11", "r10", "r2", "{@1}"), "RAW", 0, 1},
    {"math is a pipe on xehpc", HPC, "math.inv (16|M0) r10<1>:f r1<1;1,0>:f\n" "add (16|M0) r11<1>:f r10<1;1,0>:f r2<1;1,0>:f {M@1}\n", NONE},
    {"math's pipe is its own", HPC, "math.inv (16|M0) r10<1>:f r1<1;1,0>:f\n" "add (16|M0) r11<1>:f r10<1;1,0>:f r2<1;1,0>:f {F@1}\n", "RAW", 0, 1},
    {"war from math", HPG, INV("r10", "r1", "{$0}") MOV_F("r1", "r3", ""), "WAR", 0, 1},
    {"war from math, read is enough", HPG, INV("r10", "r1", "{$0}") MOV_F("r1", "r3", "{$0.src}"), NONE},
    {"waw from math", HPG, INV("r10", "r1", "{$0}") MOV_F("r10", "r3", "{$0.src}"), "WAW", 0, 1},
    {"math after math reads in order", HPG, INV("r10", "r1", "{$0}") INV("r1", "r3", "{$1}"), NONE},
    {"... which strict rules do not believe", HPG, INV("r10", "r1", "{$0}") INV("r1", "r3", "{$1}"), "WAR", 0, 1, NULL, STRICT},
    {"math reads an in-order result", HPG, ADD_F("r1", "r3", "r4", "") INV("r10", "r1", "{$0}"), "RAW", 0, 1},
    {"combined: distance and set", HPG, ADD_F("r1", "r3", "r4", "") INV("r10", "r1", "{@1,$0}"), NONE},

    /* messages */
    {"result before .dst", HPG, LOAD("r10", "r1", "{$3}") MOV_D("r11", "r10", "{$3.src}"), "RAW", 0, 1},
    {"result after .dst", HPG, LOAD("r10", "r1", "{$3}") MOV_D("r11", "r10", "{$3.dst}"), NONE},
    {"payload overwritten", HPG, STORE("r1", "r5", "{$3}") MOV_D("r5", "r9", ""), "WAR", 0, 1},
    {"address overwritten", HPG, LOAD("r10", "r1", "{$3}") MOV_D("r1", "r9", ""), "WAR", 0, 1},
    {"payload after .src", HPG, STORE("r1", "r5", "{$3}") MOV_D("r5", "r9", "{$3.src}"), NONE},
    {"payload after .dst", HPG, STORE("r1", "r5", "{$3}") MOV_D("r5", "r9", "{$3.dst}"), NONE},
    {"overwritten before it came", HPG, LOAD("r10", "r1", "{$3}") MOV_D("r10", "r9", ""), "WAW", 0, 1},
    {"address not there", HPG, MOV_D("r1", "r9", "") LOAD("r10", "r1", "{$3}"), "RAW", 0, 1},
    {"combined: send waits for all", HPG, MOV_D("r1", "r9", "") LOAD("r10", "r1", "{A@1,$3}"), NONE},
    {"combined on xehpc: the named pipe", HPC, "mov (16|M0) r1<1>:f r9<1;1,0>:f\n" "send.ugm (16|M0) r10 r1 null:0 0x0 0x02100500 {I@1,$3}\n", "RAW", 0, 1},
    {"combined on xehpc", HPC, "mov (16|M0) r1<1>:f r9<1;1,0>:f\n" "send.ugm (16|M0) r10 r1 null:0 0x0 0x02100500 {F@1,$3}\n", NONE},
    {"a load without a token", HPG, LOAD("r10", "r1", "") FILL12 MOV_D("r11", "r10", "{$0.dst}"), "RAW", 0, 13},
    {"a load nobody reads", HPG, LOAD("r10", "r1", "{$3}") MOV_D("r11", "r12", ""), NONE},
    {"two tokens mixed up", HPG, LOAD("r10", "r1", "{$3}") LOAD("r11", "r2", "{$4}") MOV_D("r12", "r10", "{$4.dst}"), "RAW", 0, 2},
    {"setting a token again waits", HPG, LOAD("r10", "r1", "{$3}") LOAD("r11", "r2", "{$3}") MOV_D("r12", "r10", ""), NONE},
    {"... for the last user only", HPG, LOAD("r10", "r1", "{$3}") LOAD("r11", "r2", "{$3}") MOV_D("r12", "r11", ""), "RAW", 1, 2},
    {"the old message on xelp", LP, HDC_LOAD("r10", "r1", "{$3}") MOV_D("r11", "r10", "{@1}"), "RAW", 0, 1},
    {"the old message on xelp waits", LP, HDC_LOAD("r10", "r1", "{$3}") MOV_D("r11", "r10", "{$3.dst}"), NONE},
    {"the old store's data", LP, HDC_STORE("r1", "r5", "{$2}") MOV_D("r5", "r9", "{@1}"), "WAR", 0, 1},
    {"a combined wait on xelp", LP, ADD_F("r20", "r1", "r2", "") HDC_LOAD("r10", "r1", "{$3}") ADD_F("r11", "r10", "r20", "{@1,$3.dst}"), NONE},
    {"one function reads in order", HPG, STORE("r1", "r5", "{$3}") LOAD("r5", "r9", "{$4}"), NONE},
    {"two functions do not", HPG, STORE("r1", "r5", "{$3}") SLM_LOAD("r5", "r9", "{$4}"), "WAR", 0, 1},
    {"a later reader was waited for", HPG, STORE("r1", "r5", "{$3}") STORE("r2", "r5", "{$4}") MOV_D("r5", "r9", "{$4.src}"), NONE},
    {"... strictly, the earlier one too", HPG, STORE("r1", "r5", "{$3}") STORE("r2", "r5", "{$4}") MOV_D("r5", "r9", "{$4.src}"), "WAR", 0, 2, NULL, STRICT},
    {"token 31 of xehpc", HPC, "send.ugm (16|M0) r10 r1 null:0 0x0 0x02100500 {$31}\n" "mov (16|M0) r11<1>:d r10<1;1,0>:d {$31.dst}\n", NONE},
    {"token 31 is not 15", HPC, "send.ugm (16|M0) r10 r1 null:0 0x0 0x02100500 {$31}\n" "mov (16|M0) r11<1>:d r10<1;1,0>:d {$15.dst}\n", "RAW", 0, 1},

    /* shared local memory */
    {"slm store after an open load", HPG, SLM_LOAD("r10", "r1", "{$3}") SLM_STORE("r2", "r5", "{$4}") MOV_D("r11", "r10", "{$3.dst}"), "SLM", 0, 1},
    {"slm store after the load", HPG, SLM_LOAD("r10", "r1", "{$3}") "sync.nop null {$3.dst}\n" SLM_STORE("r2", "r5", "{$4}") MOV_D("r11", "r10", ""), NONE},
    {"slm load after a load", HPG, SLM_LOAD("r10", "r1", "{$3}") SLM_LOAD("r12", "r1", "{$4}") MOV_D("r11", "r10", "{$3.dst}"), NONE},

    /* sync */
    {"allwr waits for all", HPG, LOAD("r10", "r1", "{$3}") LOAD("r11", "r2", "{$9}") "sync.allwr null\n" ADD_D("r12", "r10", "r11", ""), NONE},
    {"allwr with both", HPG, LOAD("r10", "r1", "{$3}") LOAD("r11", "r2", "{$9}") "sync.allwr 0x208\n" ADD_D("r12", "r10", "r11", ""), NONE},
    {"allwr with one", HPG, LOAD("r10", "r1", "{$3}") LOAD("r11", "r2", "{$9}") "sync.allwr 0x200\n" ADD_D("r12", "r10", "r11", ""), "RAW", 0, 3},
    {"allrd is for reads", HPG, LOAD("r10", "r1", "{$3}") "sync.allrd 0x8\n" MOV_D("r12", "r10", ""), "RAW", 0, 2},
    {"allrd frees payloads", HPG, STORE("r1", "r5", "{$3}") "sync.allrd 0x8\n" MOV_D("r5", "r9", ""), NONE},
    {"allrd with another mask", HPG, STORE("r1", "r5", "{$3}") "sync.allrd 0x4\n" MOV_D("r5", "r9", ""), "WAR", 0, 2},
    {"sync.nop with a token", HPG, LOAD("r10", "r1", "{$3}") "sync.nop null {$3.dst}\n" MOV_D("r12", "r10", ""), NONE},

    /* flags, accumulators, a0, modes */
    {"flags interlock", HPG, "cmp (8|M0) (lt)f0.0 null<1>:f r1<1;1,0>:f r2<1;1,0>:f\n" "(f0.0) mov (8|M0) r11<1>:d r3<1;1,0>:d\n", NONE},
    {"... strictly not", HPG, "cmp (8|M0) (lt)f0.0 null<1>:f r1<1;1,0>:f r2<1;1,0>:f\n" "(f0.0) mov (8|M0) r11<1>:d r3<1;1,0>:d\n", "RAW", 0, 1, NULL, STRICT},
    {"flags strictly wait", HPG, "cmp (8|M0) (lt)f0.0 null<1>:f r1<1;1,0>:f r2<1;1,0>:f\n" "(f0.0) mov (8|M0) r11<1>:d r3<1;1,0>:d {F@1}\n", NONE, NULL, STRICT},
    {"flags on xelp, strictly", LP, "cmp (8|M0) (lt)f0.0 null<1>:f r1<1;1,0>:f r2<1;1,0>:f\n" "(f0.0) mov (8|M0) r11<1>:d r3<1;1,0>:d\n", NONE, NULL, STRICT},
    {"flags in turn", HPG, "(f0.0) mov (8|M0) r11<1>:f r3<1;1,0>:f\n" "cmp (8|M0) (lt)f0.0 null<1>:d r1<1;1,0>:d r2<1;1,0>:d\n", NONE},
    {"flag overwritten across pipes", HPC, "(f0.0) mov (8|M0) r11<1>:f r3<1;1,0>:f\n" "cmp (8|M0) (lt)f0.0 null<1>:d r1<1;1,0>:d r2<1;1,0>:d\n", "WAR", 0, 1},
    {"... strictly on xehpg", HPG, "(f0.0) mov (8|M0) r11<1>:f r3<1;1,0>:f\n" "cmp (8|M0) (lt)f0.0 null<1>:d r1<1;1,0>:d r2<1;1,0>:d\n", "WAR", 0, 1, NULL, STRICT},
    {"flag overwritten across pipes waits", HPG, "(f0.0) mov (8|M0) r11<1>:f r3<1;1,0>:f\n" "cmp (8|M0) (lt)f0.0 null<1>:d r1<1;1,0>:d r2<1;1,0>:d {F@1}\n", NONE, NULL, STRICT},
    {"other flag bits", HPG, "(f0.0) mov (8|M0) r11<1>:f r3<1;1,0>:f\n" "cmp (8|M8) (lt)f0.0 null<1>:d r1<1;1,0>:d r2<1;1,0>:d\n", NONE},
    {"other flag register", HPG, "(f0.0) mov (8|M0) r11<1>:f r3<1;1,0>:f\n" "cmp (8|M0) (lt)f1.0 null<1>:d r1<1;1,0>:d r2<1;1,0>:d\n", NONE},
    {"acc interlocks", HPG, "mov (8|M0) acc0<1>:f r1<1;1,0>:f\n" ADD_F("r10", "acc0", "r2", ""), NONE},
    {"... strictly not", HPG, "mov (8|M0) acc0<1>:f r1<1;1,0>:f\n" ADD_F("r10", "acc0", "r2", ""), "RAW", 0, 1, NULL, STRICT},
    {"acc written across pipes", HPG, "mov (8|M0) acc0<1>:f r1<1;1,0>:f\n" "mov (8|M0) acc0<1>:d r2<1;1,0>:d\n", "WAW", 0, 1},
    {"an accumulator beside a macro", HPC, "math.rsqtm (16|M0) (eo)f1.0 r84.mme0:f r78.nomme:f\n" "add (16|M0) acc2<1>:f acc2<1;1,0>:f r24<1;1,0>:f\n", NONE, NULL, STRICT},
    {"the macro's own", HPC, "math.rsqtm (16|M0) (eo)f1.0 r84.mme0:f r78.nomme:f\n" "madm (16|M0) r86.nomme:f r88.nomme:f r89.nomme:f r90.mme0:f\n", "RAW", 0, 1, NULL, STRICT},
    {"another acc", HPG, "mov (8|M0) acc2<1>:f r1<1;1,0>:f\n" "mov (8|M0) acc4<1>:d r2<1;1,0>:d\n", NONE, NULL, STRICT},
    {"a0 strictly waits", HPG, "(W) mov (1|M0) a0.0<1>:ud r1.0<0;1,0>:ud\n" "mov (8|M0) r10<1>:d r[a0.0]<1;1,0>:d {I@1}\n", NONE, NULL, STRICT},
    {"a0 strictly", HPG, "(W) mov (1|M0) a0.0<1>:ud r1.0<0;1,0>:ud\n" "mov (8|M0) r10<1>:d r[a0.0]<1;1,0>:d\n", "RAW", 0, 1, NULL, STRICT},
    {"indirect could be anywhere, strictly", HPG, ADD_F("r60", "r1", "r2", "") "mov (8|M0) r10<1>:d r[a0.0]<1;1,0>:d\n", "RAW", 0, 1, NULL, STRICT},
    {"modes do not interlock", HPG, "(W) mov (1|M0) cr0.0<1>:ud r1.0<0;1,0>:ud\n" ADD_F("r10", "r1", "r2", ""), "RAW", 0, 1},
    {"modes wait", HPG, "(W) mov (1|M0) cr0.0<1>:ud r1.0<0;1,0>:ud\n" ADD_F("r10", "r1", "r2", "{I@1}"), NONE},
    {"a predicate is taken along", HPG, "(f0.0) " LOAD("r10", "r1", "{$3}") "cmp (8|M0) (lt)f0.0 null<1>:f r4<1;1,0>:f r5<1;1,0>:f\n", NONE, NULL, STRICT},

    /* dpas */
    {"dpas result", HPG, DPAS8("r10", "null", "r30", "r40", "{$0}") MOV_F("r60", "r17", ""), "RAW", 0, 1},
    {"dpas result waits", HPG, DPAS8("r10", "null", "r30", "r40", "{$0}") MOV_F("r60", "r17", "{$0.dst}"), NONE},
    {"behind the dpas result", HPG, DPAS8("r10", "null", "r30", "r40", "{$0}") MOV_F("r60", "r18", ""), NONE},
    {"dpas weights overwritten", HPG, DPAS8("r10", "null", "r30", "r40", "{$0}") MOV_F("r37", "r9", ""), "WAR", 0, 1},
    {"dpas on dpas", HPG, DPAS8("r10", "null", "r30", "r40", "{$0}") DPAS8("r10", "r10", "r30", "r50", "{$1}"), "RAW", 0, 1},
    {"dpas on dpas waits", HPG, DPAS8("r10", "null", "r30", "r40", "{$0}") DPAS8("r10", "r10", "r30", "r50", "{$0}"), NONE},
    {"chain: the last one's token", HPG, DPAS8("r10", "null", "r30", "r40", "{Atomic}") DPAS8("r20", "null", "r30", "r50", "{$2}") MOV_F("r60", "r10", "{$2.dst}"), NONE},
    {"chain: no wait", HPG, DPAS8("r10", "null", "r30", "r40", "{Atomic}") DPAS8("r20", "null", "r30", "r50", "{$2}") MOV_F("r60", "r10", ""), "RAW", 0, 2},
    {"chain: another token", HPG, DPAS8("r10", "null", "r30", "r40", "{Atomic}") DPAS8("r20", "null", "r30", "r50", "{$2}") MOV_F("r60", "r10", "{$3.dst}"), "RAW", 0, 2},
    {"no chain, no token", HPG, DPAS8("r10", "null", "r30", "r40", "") DPAS8("r20", "null", "r30", "r50", "{$2}") MOV_F("r60", "r10", "{$2.dst}"), "RAW", 0, 2},
    {"inside a chain, strictly", HPG, DPAS8("r10", "null", "r30", "r40", "{Atomic}") DPAS8("r10", "r10", "r30", "r50", "{$2}"), "RAW", 0, 1, NULL, STRICT},

    /* ways */
    {"across a back edge", HPG, MOV_D("r12", "r10", "{$3.src}") LOAD("r10", "r1", "{A@1,$3}") "(W&f0.0) jmpi -32\n", "RAW", 1, 0, "012012"},
    {"across a back edge waits", HPG, MOV_D("r12", "r10", "{$3.dst}") LOAD("r10", "r1", "{A@1,$3}") "(W&f0.0) jmpi -32\n", NONE, "012012"},
    {"once round is no hazard", HPG, MOV_D("r12", "r10", "{$3.src}") LOAD("r10", "r1", "{A@1,$3}") "(W&f0.0) jmpi -32\n", NONE, "012"},
    {"a jump takes longer than a pipe", HPG, ADD_F("r12", "r10", "r2", "{I@1}") ADD_F("r10", "r1", "r2", "{F@1}") "(W&f0.0) jmpi -32\n", NONE, "012012"},
    {"... strictly not", HPG, ADD_F("r12", "r10", "r2", "{I@1}") ADD_F("r10", "r1", "r2", "{F@1}") "(W&f0.0) jmpi -32\n", "RAW", 1, 0, "012012", STRICT},
    {"jumped over the wait", HPG, LOAD("r10", "r1", "{$3}") "(W&f0.0) jmpi 32\n" "sync.nop null {$3.dst}\n" MOV_D("r12", "r10", ""), "RAW", 0, 3, "013"},
    {"did not jump over the wait", HPG, LOAD("r10", "r1", "{$3}") "(W&f0.0) jmpi 32\n" "sync.nop null {$3.dst}\n" MOV_D("r12", "r10", ""), NONE, "0123"},
    {"the other side has other channels", HPG, "(f0.0) if (8|M0) 48 48\n" LOAD("r10", "r1", "{$3}") "else (8|M0) 32 32\n" MOV_D("r10", "r12", "") "endif (8|M0) 16\n", NONE, "01234"},
    {"behind the branch they are all there", HPG, "(f0.0) if (8|M0) 48 48\n" LOAD("r10", "r1", "{$3}") "else (8|M0) 32 32\n" MOV_D("r13", "r12", "") "endif (8|M0) 16\n" MOV_D("r10", "r12", ""), "WAW", 1, 5, "012345"},
};
/* clang-format on */

static unsigned decode(const struct xk_platform *p, const struct row *r,
                       struct xk_inst *in)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    struct xk_error err = {0};
    const struct xk_asm_source source = {r->text, strlen(r->text), NULL};
    uint8_t *code = NULL;
    size_t code_b = 0, used = 0;
    unsigned n = 0;
    ck_assert_msg(xk_assemble_text(c, p, &source, false, &code, &code_b) ==
                      XK_OK,
                  "%s: %s", r->name, c->error.message);
    for (size_t at = 0; at < code_b && n < MAX_INST; at += used, n++) {
        ck_assert_msg(xk_inst_decode(p, code + at, code_b - at, &in[n], &used,
                                     &err) == XK_OK,
                      "%s: %s", r->name, err.message);
        in[n].jip_b = (int)n + in[n].jip_b / XK_INST_B;
        in[n].uip_b = (int)n + in[n].uip_b / XK_INST_B;
    }
    xk_free(c, code);
    xk_ctx_destroy(c);
    return n;
}

static unsigned go_way(const struct row *r, unsigned n, uint32_t *at)
{
    unsigned k = 0;
    for (; r->way ? r->way[k] : k < n; k++)
        at[k] = r->way ? (uint32_t)(r->way[k] - '0') : k;
    return k;
}

static void rule(const struct row *r)
{
    static const char *const names[] = {"RAW", "WAW", "WAR", "SLM"};
    const struct xk_platform *const p = xk_platform_find(r->platform);
    struct xk_inst in[MAX_INST];
    uint32_t at[64];
    struct walk w = {.at = at};
    struct walk_verdict v;
    const unsigned n = decode(p, r, in);
    w.n = go_way(r, n, at);
    const struct walk_code code = {p, in, n, r->strict};
    ck_assert(walk_check(&code, &w, 1, &v));
    const char *const got = v.findings ? names[v.first.kind] : "";
    ck_assert_msg(
        !strcmp(got, r->want) && (!v.findings || (v.first.first == r->first &&
                                                  v.first.second == r->second)),
        "%s (%s): '%s' %u to %u, expected '%s' %u to %u", r->name, r->platform,
        got, v.first.first, v.first.second, r->want, r->first, r->second);
}

START_TEST(rule_holds)
{
    rule(&rows[_i]);
}
END_TEST

TCase *hazard_rules(void)
{
    TCase *const t = tcase_create("rules");
    tcase_add_loop_test(t, rule_holds, 0, (int)(sizeof rows / sizeof rows[0]));
    return t;
}
