/* SPDX-License-Identifier: Apache-2.0 */
/* One message on the simulator: a thread gets its registers from the dispatch,
 * sends the message, and stores registers. Memory is one buffer, two surfaces
 * (of that buffer, and scratch) and local memory. Registers in bytes: GRF size
 * times number. */
#ifndef XK_TESTS_SIM_MESSAGE_LAB_H
#define XK_TESTS_SIM_MESSAGE_LAB_H

#include "isa/message.h"
#include "sim/sim.h"

enum { ADDR = 10, DATA = 30, DST = 60, HEAD = 100, END = 120, N_DUMPED = 32 };
#define MEM_VA UINT64_C(0x7ffffff000) /* straddles a 4 GiB line */
#define MEM_B 8192u
#define DUMP_VA UINT64_C(0x9000000000)
#define GENERAL_VA (MEM_VA - 0x1000)
#define STATE_VA UINT64_C(0xa000000000)
#define TABLE_B 0x800u
#define SURFACE_B 4000u /* of MEM: some addresses are beyond */
#define BTI 7
#define SLM_B 4096u
#define SLOT_B 1024u

enum { N_PLATFORMS = 3 };

struct message_lab {
    const struct xk_platform *p;
    /* registers from r0 on; what is stored of those from DST on */
    uint8_t regs[128 * 64], dump[N_DUMPED * 64];
    uint8_t mem[MEM_B], state[4096];
    uint8_t code[80 * 16];
    unsigned n_code;
    uint64_t seed;
    uint32_t checks;
    bool quiet; /* findings are not printed */
};
extern struct message_lab ml;

/* How a message reaches the buffer, or local memory. */
enum place { FLAT, STATELESS, SURFACE, LOCAL };

uint32_t ml_rnd(void);
void ml_put32(uint8_t *at, uint32_t v);
/* Fresh random registers and memory, and no code. */
void ml_begin(unsigned platform);
struct xk_operand ml_grf(unsigned r);
struct xk_operand ml_null(void);
void ml_emit(struct xk_inst *i);
/* The message and a wait for it. False if the platform has no such message. */
bool ml_send(struct xk_msg *m, unsigned src0, unsigned src1, unsigned dst,
             bool all);
/* Registers DST... to memory, and the end of the thread. */
void ml_finish_code(void);
/* Runs what was emitted in one thread with some of 32 channels on. */
enum xk_status ml_run(uint32_t mask, struct xk_error *err);

bool ml_is_store(const struct xk_msg *m);
/* Bytes that an address must be a multiple of. */
unsigned ml_alignment(const struct xk_msg *m);
/* off is the place of a byte in the buffer; what a message calls it. */
uint64_t ml_address(enum place at, uint32_t off);
/* The header's dword 2 counts owords in these; the others, bytes. */
bool ml_in_owords(unsigned kind);
/* Distinct places for the lanes, in random order; room_b: for each. */
void ml_choose_offsets(uint32_t *off, unsigned n, unsigned room_b,
                       unsigned align_b, uint32_t limit_b);
/* The addresses of a gather or scatter; lanes that are off get garbage. */
void ml_place_addresses(const struct xk_msg *m, enum place at,
                        const uint32_t *off, uint32_t mask);

#endif
