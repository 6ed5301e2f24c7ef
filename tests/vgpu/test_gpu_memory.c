/* SPDX-License-Identifier: Apache-2.0 */
/* Pages and their two translations, with tables laid out by hand from
 * virtual-device.md 2.4. */
#include <string.h>

#include "tests/tap.h"
#include "tests/vgpu/machine.h"

static struct machine g;

static void open_machine(void)
{
    machine_open(&g, 0);
}

static void close_machine(void)
{
    machine_close(&g);
}

START_TEST(bytes_come_back_across_pages_and_unwritten_ones_are_zero)
{
    const struct xk_gpu_phys at = {0x700000 + 4090, XK_GPU_SYSTEM};
    const struct xk_gpu_phys other = {0x700000 + 4090, XK_GPU_LOCAL};
    uint8_t in[20], out[24];
    for (unsigned k = 0; k < sizeof in; k++)
        in[k] = (uint8_t)(k + 1);
    ck_assert_int_eq(xk_gpu_phys_write(g.m, at, in, sizeof in), XK_OK);
    xk_gpu_phys_read(g.m, at, out, sizeof out);
    ck_assert_mem_eq(out, in, sizeof in);
    ck_assert_uint_eq(out[20] | out[21] | out[22] | out[23], 0);
    xk_gpu_phys_read(g.m, other, out, sizeof out);
    for (unsigned k = 0; k < sizeof out; k++)
        ck_assert_uint_eq(out[k], 0);
}
END_TEST

START_TEST(memory_beyond_the_limit_is_refused_with_the_limit)
{
    xk_gpu_memory *m;
    const uint8_t byte = 1;
    ck_assert_int_eq(xk_gpu_memory_create(g.c, 8192, &m), XK_OK);
    for (uint64_t k = 0; k < 3; k++) {
        const struct xk_gpu_phys at = {k * 4096, XK_GPU_SYSTEM};
        ck_assert_int_eq(xk_gpu_phys_write(m, at, &byte, 1),
                         k < 2 ? XK_OK : XK_ENOMEM);
    }
    ck_assert_ptr_nonnull(strstr(g.c->error.message, "8192"));
    xk_gpu_memory_destroy(m);
}
END_TEST

START_TEST(global_table_says_page_and_bank)
{
    struct xk_gpu_phys at;
    ck_assert_int_eq(xk_gpu_ggtt_set(g.m, 0x77, 0x123456000 | 3), XK_OK);
    ck_assert(xk_gpu_ggtt_translate(g.m, 0x77abc, &at));
    ck_assert_uint_eq(at.address, 0x123456abc);
    ck_assert_uint_eq(at.bank, XK_GPU_LOCAL);
    ck_assert_int_eq(xk_gpu_ggtt_set(g.m, 0x77, 0x123456000 | 1), XK_OK);
    ck_assert(xk_gpu_ggtt_translate(g.m, 0x77000, &at));
    ck_assert_uint_eq(at.bank, XK_GPU_SYSTEM);
    ck_assert_int_eq(xk_gpu_ggtt_set(g.m, 0x77, 0x123456000), XK_OK);
    ck_assert(!xk_gpu_ggtt_translate(g.m, 0x77000, &at));
    ck_assert(!xk_gpu_ggtt_translate(g.m, 0x78000, &at));
}
END_TEST

/* Addresses at every level. The physical places of the tables are linear, so
 * page 0's lie next to those of page 1. */
static const uint64_t addresses[] = {
    0x1000,
    0x200000,
    0x40000000,
    0x8000000000,
    UINT64_C(0x800100000000),
    UINT64_C(0xdffffffff000),
    UINT64_C(0x7fffabcde000),
    UINT64_C(0xffff800100000000), /* cut to 48 bits */
};

START_TEST(a_mapped_page_is_found_and_lost_at_every_level)
{
    const uint64_t va = addresses[_i], cut = va & UINT64_C(0xffffffffffff);
    struct xk_gpu_phys at;
    const uint64_t page = g.next_page;
    ck_assert(!xk_gpu_translate(&g.space, va, &at));
    machine_map(&g, cut, XK_GPU_LOCAL);
    ck_assert(xk_gpu_translate(&g.space, va + 5, &at));
    ck_assert_uint_eq(at.address, page + 5);
    ck_assert_uint_eq(at.bank, XK_GPU_LOCAL);
    for (int level = 0; level < 4; level++) {
        machine_map(&g, cut, XK_GPU_SYSTEM);
        ck_assert(xk_gpu_translate(&g.space, va, &at));
        ck_assert_uint_eq(at.bank, XK_GPU_SYSTEM);
        machine_set_entry(&g, cut, level, 0x5000); /* not present */
        ck_assert(!xk_gpu_translate(&g.space, va, &at));
    }
}
END_TEST

START_TEST(a_transfer_names_the_first_address_that_is_not_mapped)
{
    const uint64_t end = MACHINE_DATA + 4096 * MACHINE_DATA_PAGES;
    uint8_t bytes[16] = {1, 2, 3};
    uint64_t bad = 0;
    ck_assert(xk_gpu_write(&g.space, end - 16, bytes, 16, &bad));
    ck_assert(!xk_gpu_write(&g.space, end - 8, bytes, 16, &bad));
    ck_assert_uint_eq(bad, end);
    ck_assert(!xk_gpu_read(&g.space, end - 1, bytes, 2, &bad));
    ck_assert_uint_eq(bad, end);
    ck_assert(!xk_gpu_read(&g.space, end + 7, bytes, 1, &bad));
    ck_assert_uint_eq(bad, end + 7);
}
END_TEST

struct seen {
    unsigned n, most;
    uint64_t last;
};

static bool see(void *user, uint64_t va, struct xk_gpu_phys at)
{
    struct seen *const s = user;
    (void)at;
    ck_assert(!s->n || va > s->last);
    s->last = va;
    return ++s->n < s->most;
}

START_TEST(every_page_is_seen_once_in_the_order_of_addresses)
{
    struct seen s = {0, 1000, 0};
    machine_map(&g, 0x1000, XK_GPU_SYSTEM);
    machine_map(&g, UINT64_C(0xdffffffff000), XK_GPU_SYSTEM);
    ck_assert(xk_gpu_each_page(&g.space, see, &s));
    ck_assert_uint_eq(s.n, MACHINE_BATCH_PAGES + MACHINE_DATA_PAGES + 2);
    ck_assert_uint_eq(s.last, UINT64_C(0xdffffffff000));
    s = (struct seen){0, 3, 0};
    ck_assert(xk_gpu_each_page(&g.space, see, &s));
    ck_assert_uint_eq(s.n, 3);
}
END_TEST

/* A table whose entries all point to itself would be 2^36 pages. */
START_TEST(tables_that_refer_to_themselves_end)
{
    const struct xk_gpu_space loop = {g.m, {0x900000, XK_GPU_SYSTEM}};
    struct seen s = {0, UINT32_MAX, 0};
    for (uint64_t k = 0; k < 512; k++) {
        const uint64_t self = 0x900000 | 3;
        const struct xk_gpu_phys at = {0x900000 + 8 * k, XK_GPU_SYSTEM};
        xk_gpu_phys_write(g.m, at, &self, 8);
    }
    ck_assert(!xk_gpu_each_page(&loop, see, &s));
    ck_assert_uint_lt(s.n, 100000);
}
END_TEST

static Suite *suite(void)
{
    Suite *const s = suite_create("gpu_memory");
    TCase *const t = tcase_create("pages");
    tcase_add_checked_fixture(t, open_machine, close_machine);
    tcase_add_test(t, bytes_come_back_across_pages_and_unwritten_ones_are_zero);
    tcase_add_test(t, memory_beyond_the_limit_is_refused_with_the_limit);
    tcase_add_test(t, global_table_says_page_and_bank);
    tcase_add_loop_test(t, a_mapped_page_is_found_and_lost_at_every_level, 0,
                        XK_COUNTOF(addresses));
    tcase_add_test(t, a_transfer_names_the_first_address_that_is_not_mapped);
    tcase_add_test(t, every_page_is_seen_once_in_the_order_of_addresses);
    tcase_add_test(t, tables_that_refer_to_themselves_end);
    suite_add_tcase(s, t);
    return s;
}

int main(void)
{
    return xk_tap_run(suite());
}
