/* SPDX-License-Identifier: Apache-2.0 */
/* The AUB reader on packets made by hand from virtual-device.md 9. Whole
 * captures of the driver are read where they are executed. */
#include <string.h>

#include "container/aub.h"
#include "tests/tap.h"

static xk_ctx *c;
static uint32_t file[64];
static size_t n;

static void open_ctx(void)
{
    c = xk_ctx_create(NULL);
    n = 0;
}

static void close_ctx(void)
{
    xk_ctx_destroy(c);
}

static void packet(uint32_t opcode, uint32_t sub, unsigned dwords,
                   const uint32_t *body)
{
    const uint32_t extra = opcode == 0x2e ? 1 : 2;
    file[n++] = 7u << 29 | opcode << 23 | sub << 16 | (dwords + 1 - extra);
    for (unsigned k = 0; k < dwords; k++)
        file[n++] = body[k];
}

static void make_file(void)
{
    packet(0x2e, 0x0e, 5, (const uint32_t[]){0, 0, 0, 0, 0});
    packet(0x2e, 0x08, 3, (const uint32_t[]){0, 0x6c6c6568, 0x6f});
    packet(1, 0x14, 10, (const uint32_t[10]){7, 2, 0x20000000, 1});
    packet(0x2e, 0x06, 6,
           (const uint32_t[]){0x1000, 2, 1u << 28 | 5u << 20, 8, 11, 22});
    packet(0x2e, 0x55, 2, (const uint32_t[]){1, 2}); /* not known */
    packet(0x2e, 0x03, 5, (const uint32_t[]){0x2510, 0, 0, 0, 0x6119});
    packet(0x2e, 0x02, 5, (const uint32_t[]){0x2234, 0, 0, 0, 0});
}

START_TEST(every_packet_arrives)
{
    struct xk_aub a;
    struct xk_aub_packet p;
    bool end;
    make_file();
    ck_assert_int_eq(xk_aub_open(c, file, n * 4, &a), XK_OK);
    static const uint8_t kinds[] = {
        XK_AUB_VERSION, XK_AUB_COMMENT,  XK_AUB_CONTEXT, XK_AUB_MEMORY,
        XK_AUB_OTHER,   XK_AUB_REGISTER, XK_AUB_POLL};
    for (unsigned k = 0; k < XK_COUNTOF(kinds); k++) {
        ck_assert_int_eq(xk_aub_next(c, &a, &p, &end), XK_OK);
        ck_assert(!end);
        ck_assert_uint_eq(p.kind, kinds[k]);
        if (p.kind == XK_AUB_COMMENT)
            ck_assert_str_eq((const char *)p.data, "hello");
        if (p.kind == XK_AUB_CONTEXT)
            ck_assert_uint_eq(p.address, 0x120000000);
        if (p.kind == XK_AUB_REGISTER)
            ck_assert(p.offset == 0x2510 && p.value == 0x6119);
        if (p.kind == XK_AUB_MEMORY) {
            ck_assert_uint_eq(p.address, 0x200001000);
            ck_assert_uint_eq(p.space, XK_AUB_SPACE_LOCAL);
            ck_assert_uint_eq(p.hint, 5);
            ck_assert_uint_eq(p.data_b, 8);
            ck_assert_uint_eq(p.data[4], 22);
        }
    }
    ck_assert_int_eq(xk_aub_next(c, &a, &p, &end), XK_OK);
    ck_assert(end);
}
END_TEST

static enum xk_status read_all(const void *bytes, size_t n_b)
{
    struct xk_aub a;
    struct xk_aub_packet p;
    bool end = false;
    xk_ctx_clear(c);
    XK_TRY(xk_aub_open(c, bytes, n_b, &a));
    while (!end)
        XK_TRY(xk_aub_next(c, &a, &p, &end));
    return XK_OK;
}

/* Only at the ends of packets is a shorter file a file. */
START_TEST(truncations_are_refused)
{
    unsigned whole = 0;
    make_file();
    for (size_t len = 0; len <= n * 4; len++) {
        uint8_t *const copy = malloc(len ? len : 1);
        memcpy(copy, file, len);
        const enum xk_status s = read_all(copy, len);
        ck_assert(s == XK_OK || (s == XK_EPARSE && c->error.message[0]));
        whole += s == XK_OK;
        free(copy);
    }
    ck_assert_uint_eq(whole, 7);
}
END_TEST

START_TEST(no_dword_crashes_the_reader)
{
    static const uint32_t values[] = {0, 1, 0xffff, 0x7fffffff, 0xffffffff};
    make_file();
    for (size_t at = 0; at < n; at++)
        for (unsigned v = 0; v < XK_COUNTOF(values); v++) {
            const uint32_t was = file[at];
            file[at] = values[v];
            ck_assert_int_le(read_all(file, n * 4), 0);
            file[at] = was;
        }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("aub");
    TCase *t = tcase_create("reader");
    tcase_add_checked_fixture(t, open_ctx, close_ctx);
    tcase_add_test(t, every_packet_arrives);
    tcase_add_test(t, truncations_are_refused);
    tcase_add_test(t, no_dword_crashes_the_reader);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
