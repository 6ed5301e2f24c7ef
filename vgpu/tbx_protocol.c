/* SPDX-License-Identifier: Apache-2.0 */
#include "vgpu/tbx_protocol.h"
#include "base/bytes.h"

#include <string.h>

/* Numbers of the messages that a driver sends, and of the two answers. */
enum {
    TYPE_REGISTER = 0,
    TYPE_REGISTER_REPLY = 1,
    TYPE_GGTT = 2,
    TYPE_WRITE = 4,
    TYPE_READ = 5,
    TYPE_READ_REPLY = 6,
    TYPE_CONTROL = 11 /* says how the bench shall run */
};

/* Size of the fixed body, for each kind that has an effect, and of its first
 * dword the flags that act and must have the value: accesses of 4 bytes (bits
 * 3:1) to registers (8:6) of one device (5:4), physical addresses (0), no mask
 * behind a write (1), memory of two types (7:6). The others say how the data
 * travel. */
static const struct {
    uint32_t type, body_b, flags, want;
    const char *name;
} bodies[] = {
    {TYPE_REGISTER, 12, 0x1fe, 4 << 1, "register access"},
    {TYPE_GGTT, 16, 0, 0, "global table entry"},
    {TYPE_WRITE, 12, 0x83, 0, "memory write"},
    {TYPE_READ, 12, 1, 0, "memory read"},
};

static enum xk_status check_body(xk_ctx *c, uint32_t type, uint32_t body_b)
{
    for (size_t k = 0; k < XK_COUNTOF(bodies); k++)
        if (bodies[k].type == type && bodies[k].body_b != body_b)
            return xk_fail(c, XK_EPARSE,
                           "vgpu: a message of type %u (%s) says that it has "
                           "%u bytes, not %u",
                           type, bodies[k].name, body_b, bodies[k].body_b);
    if (body_b > XK_TBX_MAX_BODY_B)
        return xk_fail(c, XK_EPARSE,
                       "vgpu: a message of type %u says that it has %u bytes, "
                       "at most %u",
                       type, body_b, XK_TBX_MAX_BODY_B);
    return XK_OK;
}

/* flags, address, length: of writes and reads of memory. */
static enum xk_status read_range(xk_ctx *c, const uint8_t *body,
                                 struct xk_tbx_message *m)
{
    m->address =
        (uint64_t)(xk_get_u32(body) >> 24) << 32 | xk_get_u32(body + 4);
    m->n_b = xk_get_u32(body + 8);
    if (m->n_b > XK_TBX_MAX_DATA_B)
        return xk_fail(c, XK_EPARSE,
                       "vgpu: a message for 0x%llx has %u bytes of data, at "
                       "most %u",
                       (unsigned long long)m->address, m->n_b,
                       XK_TBX_MAX_DATA_B);
    return XK_OK;
}

static enum xk_status check_flags(xk_ctx *c, uint32_t type, const uint8_t *body)
{
    for (size_t k = 0; k < XK_COUNTOF(bodies); k++) {
        if (bodies[k].type != type)
            continue;
        const uint32_t flags = xk_get_u32(body);
        if ((flags & bodies[k].flags) == bodies[k].want)
            continue;
        return xk_fail(c, XK_EPARSE,
                       "vgpu: a message of type %u (%s) has the flags 0x%x, "
                       "which are not modelled",
                       type, bodies[k].name, flags & 0xffffff);
    }
    return XK_OK;
}

static enum xk_status read_body(xk_ctx *c, uint32_t type, const uint8_t *body,
                                struct xk_tbx_message *m)
{
    m->kind = XK_TBX_UNKNOWN;
    m->value = type;
    XK_TRY(check_flags(c, type, body));
    switch (type) {
    case TYPE_REGISTER:
        m->kind =
            xk_get_u32(body) & 1 ? XK_TBX_REGISTER_WRITE : XK_TBX_REGISTER_READ;
        m->address = xk_get_u32(body + 4);
        m->value = xk_get_u32(body + 8);
        return XK_OK;
    case TYPE_GGTT:
        if (!(xk_get_u32(body) & 1))
            return XK_OK;
        m->kind = XK_TBX_GGTT_WRITE;
        m->address = xk_get_u32(body + 4);
        m->value = (uint64_t)xk_get_u32(body + 12) << 32 | xk_get_u32(body + 8);
        return XK_OK;
    case TYPE_WRITE:
        m->kind = XK_TBX_MEMORY_WRITE;
        m->bank = (xk_get_u32(body) >> 6 & 3) == 1;
        return read_range(c, body, m);
    case TYPE_READ:
        m->kind = XK_TBX_MEMORY_READ;
        return read_range(c, body, m);
    case TYPE_CONTROL:
        m->kind = XK_TBX_OTHER;
        return XK_OK;
    default:
        return XK_OK;
    }
}

enum xk_status xk_tbx_parse(xk_ctx *c, const uint8_t *bytes, size_t n_b,
                            struct xk_tbx_message *m, size_t *need_b)
{
    struct xk_tbx_message got = {0};
    *need_b = XK_TBX_HEADER_B;
    if (n_b < *need_b)
        return XK_OK;
    const uint32_t type = xk_get_u32(bytes), body_b = xk_get_u32(bytes + 8);
    XK_TRY(check_body(c, type, body_b));
    *need_b += body_b;
    if (n_b < *need_b)
        return XK_OK;
    got.id = xk_get_u32(bytes + 4);
    XK_TRY(read_body(c, type, bytes + XK_TBX_HEADER_B, &got));
    if (got.kind == XK_TBX_MEMORY_WRITE) {
        got.data = bytes + *need_b;
        *need_b += got.n_b;
    }
    if (n_b >= *need_b)
        *m = got;
    return XK_OK;
}

void xk_tbx_read_reply(const struct xk_tbx_message *m,
                       uint8_t out[XK_TBX_READ_REPLY_B])
{
    xk_put_u32(out, TYPE_READ_REPLY);
    xk_put_u32(out + 4, m->id);
    xk_put_u32(out + 8, 12);
    xk_put_u32(out + 12, (uint32_t)(m->address >> 32) << 24);
    xk_put_u32(out + 16, (uint32_t)m->address);
    xk_put_u32(out + 20, m->n_b);
}

void xk_tbx_register_reply(const struct xk_tbx_message *m, uint32_t value,
                           uint8_t out[XK_TBX_REGISTER_REPLY_B])
{
    xk_put_u32(out, TYPE_REGISTER_REPLY);
    xk_put_u32(out + 4, m->id);
    xk_put_u32(out + 8, 4);
    xk_put_u32(out + 12, value);
}
