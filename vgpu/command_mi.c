/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of the memory interface: batches, registers, arithmetic, writes. */
#include "vgpu/command_exec.h"

#define BIT_GGTT (1u << 22)
#define GPR_B 0x600 /* general purpose registers, from the engine's base */
#define N_GPRS 16

enum xk_status xk_cmd_ignore(struct xk_command_stream *s,
                             const struct xk_command *cmd,
                             struct xk_command_jump *jump)
{
    (void)s;
    (void)cmd;
    (void)jump;
    return XK_OK;
}

enum xk_status xk_cmd_batch_end(struct xk_command_stream *s,
                                const struct xk_command *cmd,
                                struct xk_command_jump *jump)
{
    (void)s;
    (void)cmd;
    jump->kind = XK_JUMP_END;
    return XK_OK;
}

/* dw0[22] set: a second-level batch, which returns. Clear: a chained batch,
 * which does not. dw0[8] says that its address is the context's. */
enum xk_status xk_cmd_batch_start(struct xk_command_stream *s,
                                  const struct xk_command *cmd,
                                  struct xk_command_jump *jump)
{
    static const struct xk_state_field others[] = {
        {0, 15, 1, "MI_BATCH_BUFFER_START: predicate"},
        {0, 16, 1, "MI_BATCH_BUFFER_START: offset of the address"},
    };
    XK_TRY(xk_cmd_has_none(s, cmd, cmd->dw, others, XK_COUNTOF(others)));
    if (!(cmd->dw[0] >> 8 & 1))
        return xk_fail(s->c, XK_EUNSUPPORTED,
                       "vgpu: MI_BATCH_BUFFER_START at 0x%llx: a batch in the "
                       "global table is not modelled",
                       (unsigned long long)cmd->at_va);
    jump->kind = cmd->dw[0] >> 22 & 1 ? XK_JUMP_CALL : XK_JUMP_CHAIN;
    jump->va = xk_cmd_address(cmd, 1) & ~3ull;
    return XK_OK;
}

static uint64_t gpr(const struct xk_command_stream *s, unsigned k)
{
    const uint32_t at = s->config.mmio_base + GPR_B + 8 * k;
    return (uint64_t)xk_command_stream_register(s, at + 4) << 32 |
           xk_command_stream_register(s, at);
}

static enum xk_status set_gpr(struct xk_command_stream *s, unsigned k,
                              uint64_t v)
{
    const uint32_t at = s->config.mmio_base + GPR_B + 8 * k;
    XK_TRY(xk_command_stream_set_register(s, at, (uint32_t)v));
    return xk_command_stream_set_register(s, at + 4, (uint32_t)(v >> 32));
}

/* Operands and opcodes of the arithmetic unit. */
enum {
    ALU_A = 0x20,
    ALU_B = 0x21,
    ALU_ACCU = 0x31,
    ALU_ZF = 0x32,
    ALU_CF = 0x33
};
enum {
    OP_NOOP = 0,
    OP_LOAD = 0x080,
    OP_LOADINV = 0x480,
    OP_LOAD0 = 0x081,
    OP_LOAD1 = 0x481,
    OP_ADD = 0x100,
    OP_SUB = 0x101,
    OP_AND = 0x102,
    OP_OR = 0x103,
    OP_XOR = 0x104,
    OP_STORE = 0x180,
    OP_STOREINV = 0x580
};

struct alu {
    uint64_t a, b, accu, zf, cf;
};

/* False for what is no source. */
static bool alu_read(const struct xk_command_stream *s, const struct alu *u,
                     unsigned operand, uint64_t *v)
{
    switch (operand) {
    case ALU_ACCU:
        return *v = u->accu, true;
    case ALU_ZF:
        return *v = u->zf, true;
    case ALU_CF:
        return *v = u->cf, true;
    default:
        *v = operand < N_GPRS ? gpr(s, operand) : 0;
        return operand < N_GPRS;
    }
}

/* NULL for what is no destination of a load. */
static uint64_t *alu_source(struct alu *u, unsigned operand)
{
    return operand == ALU_A ? &u->a : operand == ALU_B ? &u->b : NULL;
}

/* Flags are all ones or zero, so that they can be used as masks. */
static void alu_result(struct alu *u, uint64_t v, bool carry)
{
    u->accu = v;
    u->zf = v ? 0 : UINT64_MAX;
    u->cf = carry ? UINT64_MAX : 0;
}

static enum xk_status bad_step(struct xk_command_stream *s, uint32_t dw)
{
    return xk_fail(s->c, XK_EUNSUPPORTED,
                   "vgpu: MI_MATH: opcode 0x%x of 0x%x to 0x%x", dw >> 20,
                   dw & 0x3ff, dw >> 10 & 0x3ff);
}

/* Opcodes that move a value: what it is, inverted or not, and where to. */
static enum xk_status alu_move(struct xk_command_stream *s, struct alu *u,
                               uint32_t dw)
{
    const unsigned op = dw >> 20, to = dw >> 10 & 0x3ff;
    const bool stores = op == OP_STORE || op == OP_STOREINV;
    uint64_t *const in = alu_source(u, to), v = 0;
    if (op != OP_LOAD0 && op != OP_LOAD1 && !alu_read(s, u, dw & 0x3ff, &v))
        return bad_step(s, dw);
    if (op == OP_LOADINV || op == OP_STOREINV || op == OP_LOAD1)
        v = ~v;
    if (stores && to < N_GPRS)
        return set_gpr(s, to, v);
    if (stores || !in)
        return bad_step(s, dw);
    *in = v;
    return XK_OK;
}

static enum xk_status alu_step(struct xk_command_stream *s, struct alu *u,
                               uint32_t dw)
{
    switch (dw >> 20) {
    case OP_NOOP:
        return XK_OK;
    case OP_LOAD:
    case OP_LOADINV:
    case OP_LOAD0:
    case OP_LOAD1:
    case OP_STORE:
    case OP_STOREINV:
        return alu_move(s, u, dw);
    case OP_ADD:
        return alu_result(u, u->a + u->b, u->a + u->b < u->a), XK_OK;
    case OP_SUB:
        return alu_result(u, u->a - u->b, u->a < u->b), XK_OK;
    case OP_AND:
        return alu_result(u, u->a & u->b, false), XK_OK;
    case OP_OR:
        return alu_result(u, u->a | u->b, false), XK_OK;
    case OP_XOR:
        return alu_result(u, u->a ^ u->b, false), XK_OK;
    default:
        return bad_step(s, dw);
    }
}

enum xk_status xk_cmd_math(struct xk_command_stream *s,
                           const struct xk_command *cmd,
                           struct xk_command_jump *jump)
{
    static const struct xk_state_field predicate = {0, 15, 1,
                                                    "MI_MATH: predicate"};
    struct alu u = {0};
    (void)jump;
    XK_TRY(xk_cmd_has_none(s, cmd, cmd->dw, &predicate, 1));
    for (unsigned k = 1; k < cmd->n; k++)
        XK_TRY(alu_step(s, &u, cmd->dw[k]));
    return XK_OK;
}

/* Commands are predicated on devices of several tiles only. */
enum xk_status xk_cmd_predicate(struct xk_command_stream *s,
                                const struct xk_command *cmd,
                                struct xk_command_jump *jump)
{
    const uint32_t what = cmd->dw[0] & 0x7fffff;
    (void)jump;
    if (!what)
        return XK_OK;
    return xk_fail(s->c, XK_EUNSUPPORTED,
                   "vgpu: MI_SET_PREDICATE at 0x%llx: 0x%x is not modelled",
                   (unsigned long long)cmd->at_va, what);
}

/* memory OP data, numbered as in dw0[14:12] */
static bool comparison_holds(unsigned compare, uint32_t memory, uint32_t data)
{
    switch (compare) {
    case 0:
        return memory > data;
    case 1:
        return memory >= data;
    case 2:
        return memory < data;
    case 3:
        return memory <= data;
    case 4:
        return memory == data;
    default:
        return memory != data;
    }
}

/* False: the page is not mapped yet, or its content has not come yet: the zeros
 * of a page that is only mapped would be a mark that says "done". */
static bool poll_value(const struct xk_command_stream *s,
                       const struct xk_command *cmd, uint64_t va,
                       uint32_t *value)
{
    const struct xk_command_ops *const o = &s->config.ops;
    struct xk_gpu_phys at;
    if (cmd->dw[0] >> 16 & 1) {
        *value = xk_command_stream_register(s, (uint32_t)va);
        return true;
    }
    if (!(cmd->dw[0] & BIT_GGTT)) {
        if (s->space.store && !xk_va_store_written(s->space.store, va))
            return false;
        if (o->look)
            o->look(o->user, va);
        return xk_gpu_read(&s->space, va, value, 4, NULL);
    }
    if (!xk_gpu_ggtt_translate(s->space.m, va, &at))
        return false;
    xk_gpu_phys_read(s->space.m, at, value, 4);
    return true;
}

/* All earlier commands have been executed, so a condition that does not hold
 * waits for another engine or for the host. A condition on a page that is not
 * mapped or has no content yet waits too: the driver lets a copy engine wait
 * for a kernel that it submits later, and maps and sends the page of the
 * kernel's end mark only then. */
enum xk_status xk_cmd_semaphore(struct xk_command_stream *s,
                                const struct xk_command *cmd,
                                struct xk_command_jump *jump)
{
    static const struct xk_state_field others[] = {
        {0, 17, 1, "MI_SEMAPHORE_WAIT: value in memory"},
        {0, 18, 1, "MI_SEMAPHORE_WAIT: offset by a partition"},
    };
    const uint64_t va = xk_cmd_address(cmd, 2) & ~3ull;
    const struct xk_command_ops *const o = &s->config.ops;
    const unsigned compare = cmd->dw[0] >> 12 & 7;
    uint32_t value;
    bool known;
    (void)jump;
    XK_TRY(xk_cmd_has_none(s, cmd, cmd->dw, others, XK_COUNTOF(others)));
    if (compare > 5)
        return xk_fail(s->c, XK_EUNSUPPORTED,
                       "vgpu: MI_SEMAPHORE_WAIT at 0x%llx: comparison %u is "
                       "not modelled",
                       (unsigned long long)cmd->at_va, compare);
    do {
        known = poll_value(s, cmd, va, &value);
        if (known && comparison_holds(compare, value, cmd->dw[1]))
            return XK_OK;
    } while (o->wait && o->wait(o->user, va));
    if (!known)
        return xk_fail(s->c, XK_EFAULT,
                       "vgpu: MI_SEMAPHORE_WAIT at 0x%llx waits for ever: "
                       "0x%llx is not mapped, or was never written",
                       (unsigned long long)cmd->at_va, (unsigned long long)va);
    return xk_fail(s->c, XK_EFAULT,
                   "vgpu: MI_SEMAPHORE_WAIT at 0x%llx waits for ever: 0x%llx "
                   "holds 0x%x, compare %u with 0x%x",
                   (unsigned long long)cmd->at_va, (unsigned long long)va,
                   value, compare, cmd->dw[1]);
}

enum xk_status xk_cmd_store_imm(struct xk_command_stream *s,
                                const struct xk_command *cmd,
                                struct xk_command_jump *jump)
{
    static const struct xk_state_field others[] = {
        {0, 11, 1, "MI_STORE_DATA_IMM: offset by a partition"},
        {1, 0, 1, "MI_STORE_DATA_IMM: core mode"},
    };
    const unsigned n_b = cmd->dw[0] >> 21 & 1 ? 8 : 4;
    (void)jump;
    XK_TRY(xk_cmd_has_none(s, cmd, cmd->dw, others, XK_COUNTOF(others)));
    if (cmd->n != 3 + n_b / 4)
        return xk_fail(s->c, XK_EFAULT,
                       "vgpu: MI_STORE_DATA_IMM at 0x%llx: %u bytes in %u "
                       "dwords",
                       (unsigned long long)cmd->at_va, n_b, cmd->n);
    return xk_cmd_write(s, cmd, xk_cmd_address(cmd, 1) & ~3ull,
                        cmd->dw[0] & BIT_GGTT, &cmd->dw[3], n_b);
}

/* An MMIO offset in a command. Two bits of dw0 say what it is relative to. One
 * adds this engine's base. The other (MMIO remap) turns a register of the first
 * engine into the same register of this engine. */
#define FIRST_ENGINE 0x2000u
#define REMAPPED_B 0x800u /* the driver sets the bit for these only */
static uint32_t register_at(const struct xk_command_stream *s,
                            const struct xk_command *cmd, unsigned from_base,
                            unsigned remap, uint32_t offset)
{
    offset &= 0x7ffffc;
    if (cmd->dw[0] >> from_base & 1)
        return s->config.mmio_base + offset;
    if (cmd->dw[0] >> remap & 1 && offset - FIRST_ENGINE < REMAPPED_B)
        return s->config.mmio_base + (offset - FIRST_ENGINE);
    return offset;
}

enum xk_status xk_cmd_load_imm(struct xk_command_stream *s,
                               const struct xk_command *cmd,
                               struct xk_command_jump *jump)
{
    static const struct xk_state_field bytes = {
        0, 8, 0xf, "MI_LOAD_REGISTER_IMM: bytes that stay, by bit"};
    (void)jump;
    XK_TRY(xk_cmd_has_none(s, cmd, cmd->dw, &bytes, 1));
    for (unsigned k = 1; k + 1 < cmd->n; k += 2)
        XK_TRY(xk_command_stream_set_register(
            s, register_at(s, cmd, 19, 17, cmd->dw[k]), cmd->dw[k + 1]));
    return XK_OK;
}

#define CLOCK_LOW 0x358 /* from the engine's base; the context's 0x3a8 */
#define CLOCK_HIGH 0x35c
#define CONTEXT_CLOCK 0x3a8

/* Clocks are read, not stored. */
static uint32_t register_value(const struct xk_command_stream *s, uint32_t reg)
{
    const struct xk_command_ops *const o = &s->config.ops;
    const uint32_t in_engine = reg & 0xfff;
    const uint64_t now = o->timestamp ? o->timestamp(o->user) : 0;
    if (in_engine == CLOCK_LOW || in_engine == CONTEXT_CLOCK)
        return (uint32_t)now;
    if (in_engine == CLOCK_HIGH)
        return (uint32_t)(now >> 32);
    return xk_command_stream_register(s, reg);
}

enum xk_status xk_cmd_store_reg(struct xk_command_stream *s,
                                const struct xk_command *cmd,
                                struct xk_command_jump *jump)
{
    static const struct xk_state_field others[] = {
        {0, 16, 1, "MI_STORE_REGISTER_MEM: offset by a partition"},
        {0, 21, 1, "MI_STORE_REGISTER_MEM: predicate"},
    };
    const uint32_t v =
        register_value(s, register_at(s, cmd, 19, 17, cmd->dw[1]));
    (void)jump;
    XK_TRY(xk_cmd_has_none(s, cmd, cmd->dw, others, XK_COUNTOF(others)));
    return xk_cmd_write(s, cmd, xk_cmd_address(cmd, 2) & ~3ull,
                        cmd->dw[0] & BIT_GGTT, &v, 4);
}

enum xk_status xk_cmd_load_mem(struct xk_command_stream *s,
                               const struct xk_command *cmd,
                               struct xk_command_jump *jump)
{
    static const struct xk_state_field engine = {
        0, 16, 1, "MI_LOAD_REGISTER_MEM: offset by an engine"};
    uint32_t v;
    (void)jump;
    XK_TRY(xk_cmd_has_none(s, cmd, cmd->dw, &engine, 1));
    XK_TRY(xk_cmd_read(s, cmd, xk_cmd_address(cmd, 2) & ~3ull,
                       cmd->dw[0] & BIT_GGTT, &v, 4));
    return xk_command_stream_set_register(
        s, register_at(s, cmd, 19, 17, cmd->dw[1]), v);
}

enum xk_status xk_cmd_load_reg(struct xk_command_stream *s,
                               const struct xk_command *cmd,
                               struct xk_command_jump *jump)
{
    (void)jump;
    return xk_command_stream_set_register(
        s, register_at(s, cmd, 19, 17, cmd->dw[2]),
        register_value(s, register_at(s, cmd, 18, 16, cmd->dw[1])));
}

/* dw0[15:14]: 0 nothing, 1 the immediate qword, 3 the clock. */
enum xk_status xk_cmd_flush(struct xk_command_stream *s,
                            const struct xk_command *cmd,
                            struct xk_command_jump *jump)
{
    const struct xk_command_ops *const o = &s->config.ops;
    static const struct xk_state_field index = {
        0, 21, 1, "MI_FLUSH_DW: store by an index"};
    const unsigned op = cmd->dw[0] >> 14 & 3;
    uint64_t v = (uint64_t)cmd->dw[4] << 32 | cmd->dw[3];
    (void)jump;
    if (!op)
        return XK_OK;
    XK_TRY(xk_cmd_has_none(s, cmd, cmd->dw, &index, 1));
    if (op == 2)
        return xk_fail(s->c, XK_EUNSUPPORTED,
                       "vgpu: MI_FLUSH_DW at 0x%llx: post-sync operation 2 is "
                       "not modelled",
                       (unsigned long long)cmd->at_va);
    if (op == 3)
        v = o->timestamp ? o->timestamp(o->user) : 0;
    return xk_cmd_write(s, cmd, xk_cmd_address(cmd, 1) & ~7ull,
                        cmd->dw[1] >> 2 & 1, &v, 8);
}

/* dw0[15:8]: 4-byte operations, +0x20 for 8 bytes. */
static bool atomic_result(unsigned op, uint64_t old, uint64_t operand,
                          uint64_t *v)
{
    switch (op & 0x1f) {
    case 4:
        return *v = operand, true;
    case 5:
        return *v = old + 1, true;
    case 6:
        return *v = old - 1, true;
    case 7:
        return *v = old + operand, true;
    case 8:
        return *v = old - operand, true;
    default:
        return false;
    }
}

/* dw0[18] says that the operand is in the command, from dw3 on. Without it it
 * is in registers; increments and decrements have none. */
static enum xk_status mi_operand(struct xk_command_stream *s,
                                 const struct xk_command *cmd, unsigned op,
                                 uint64_t *out)
{
    const bool has_operand = (op & 0x1f) != 5 && (op & 0x1f) != 6;
    *out = 0;
    if (!has_operand)
        return XK_OK;
    if (!(cmd->dw[0] >> 18 & 1))
        return xk_fail(s->c, XK_EUNSUPPORTED,
                       "vgpu: MI_ATOMIC: operation 0x%x with its operand in "
                       "registers is not modelled",
                       op);
    if (cmd->n < 6)
        return xk_fail(s->c, XK_EFAULT,
                       "vgpu: MI_ATOMIC: operation 0x%x with its operand in "
                       "%u dwords",
                       op, cmd->n);
    *out = (uint64_t)(op & 0x20 ? cmd->dw[5] : 0) << 32 | cmd->dw[3];
    return XK_OK;
}

enum xk_status xk_cmd_atomic(struct xk_command_stream *s,
                             const struct xk_command *cmd,
                             struct xk_command_jump *jump)
{
    const unsigned op = cmd->dw[0] >> 8 & 0xff, n_b = op & 0x20 ? 8 : 4;
    const uint64_t va = xk_cmd_address(cmd, 1) & ~3ull;
    const bool ggtt = cmd->dw[0] & BIT_GGTT;
    static const struct xk_state_field others[] = {
        {0, 16, 1, "MI_ATOMIC: return of the old value"},
        {0, 20, 1, "MI_ATOMIC: 16 bytes"},
        {1, 0, 1, "MI_ATOMIC: offset by a partition"},
    };
    uint64_t old = 0, operand, v;
    (void)jump;
    XK_TRY(xk_cmd_has_none(s, cmd, cmd->dw, others, XK_COUNTOF(others)));
    if (!atomic_result(op, 0, 0, &v))
        return xk_fail(s->c, XK_EUNSUPPORTED, "vgpu: MI_ATOMIC: operation 0x%x",
                       op);
    XK_TRY(mi_operand(s, cmd, op, &operand));
    XK_TRY(xk_cmd_read(s, cmd, va, ggtt, &old, n_b));
    atomic_result(op, old, operand, &v);
    return xk_cmd_write(s, cmd, va, ggtt, &v, n_b);
}
