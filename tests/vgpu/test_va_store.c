/* SPDX-License-Identifier: Apache-2.0 */
/* What a client's CPU and the device write into one page between exchanges, and
 * whose bytes they are then. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vgpu/client_maps.h"
#include "vgpu/va_store.h"

#define PAGE_B 4096u
#define VA UINT64_C(0x10000)

/* The client's page, and what an engine does while it is read. */
static struct world {
    xk_ctx *c;
    xk_va_store *s;
    uint8_t own[PAGE_B];
    unsigned reads;
    bool engine_writes;
} w;

static uint8_t *device(void)
{
    uint64_t part_b;
    return xk_va_store_at(w.s, VA, PAGE_B, &part_b);
}

static bool read_own(void *user, uint64_t va, void *dst, size_t n_b)
{
    (void)user;
    if (va != VA || n_b != PAGE_B)
        return false;
    memcpy(dst, w.own, PAGE_B);
    w.reads++;
    if (w.engine_writes)
        memset(device(), 'e', PAGE_B);
    w.engine_writes = false;
    return true;
}

static const struct xk_va_client client = {.read = read_own};

static void upload(uint64_t lo, uint64_t n_b)
{
    uint64_t part_b;
    ck_assert(xk_va_store_upload(w.s, VA + lo, w.own + lo, n_b, &part_b));
    ck_assert_uint_eq(part_b, n_b);
    xk_va_store_refresh(w.s, &client); /* a doorbell */
}

/* As a driver reads: over the client's own. */
static void download(uint64_t lo, uint64_t n_b)
{
    uint8_t page[PAGE_B];
    ck_assert(xk_va_store_download(w.s, &client, VA + lo, n_b, page));
    memcpy(w.own + lo, page + lo, n_b);
}

static void begin(void)
{
    memset(&w, 0, sizeof w);
    w.c = xk_ctx_create(NULL);
    w.s = xk_va_store_create(1 << 20);
    ck_assert(w.c && w.s);
    ck_assert_int_eq(xk_va_store_map(w.s, w.c, VA), XK_OK);
    memset(w.own, 'a', PAGE_B);
}

static void end(void)
{
    xk_va_store_destroy(w.s);
    ck_assert_uint_eq(xk_ctx_destroy(w.c), 0);
}

static bool all_are(const uint8_t *p, char c)
{
    for (unsigned k = 0; k < PAGE_B; k++)
        if (p[k] != (uint8_t)c)
            return false;
    return true;
}

START_TEST(nobody_wrote)
{
    upload(0, PAGE_B);
    download(0, PAGE_B);
    ck_assert(all_are(w.own, 'a') && all_are(device(), 'a'));
}
END_TEST

START_TEST(cpu_wrote)
{
    upload(0, PAGE_B);
    memset(w.own, 'c', PAGE_B);
    download(0, PAGE_B);
    ck_assert(all_are(w.own, 'c') && all_are(device(), 'c'));
}
END_TEST

START_TEST(device_wrote)
{
    upload(0, PAGE_B);
    memset(device(), 'd', PAGE_B);
    download(0, PAGE_B);
    ck_assert(all_are(w.own, 'd'));
    memset(device(), 'e', PAGE_B); /* not the CPU's work: it stays */
    xk_va_store_refresh(w.s, &client);
    ck_assert(all_are(device(), 'e'));
}
END_TEST

START_TEST(both_wrote)
{
    upload(0, PAGE_B);
    memset(device(), 'd', PAGE_B);
    memset(w.own, 'c', PAGE_B);
    download(0, PAGE_B);
    ck_assert(all_are(w.own, 'd'));
}
END_TEST

START_TEST(never_exchanged)
{
    download(0, PAGE_B);
    ck_assert(all_are(w.own, 'a') && all_are(device(), 'a'));
    memset(device(), 'd', PAGE_B);
    download(0, PAGE_B);
    ck_assert(all_are(w.own, 'd'));
}
END_TEST

/* What lies beside the bytes that are exchanged is no CPU's news. */
START_TEST(part_of_a_page)
{
    upload(64, 128);
    memset(w.own, 'c', 64);
    download(64, 128);
    ck_assert_int_eq(device()[0], 0);
    ck_assert_int_eq(device()[64], 'a');
    memset(w.own + 100, 'c', 4);
    download(64, 128);
    ck_assert_int_eq(device()[100], 'c');
    ck_assert_int_eq(device()[104], 'a');
    ck_assert_int_eq(w.own[100], 'c');
}
END_TEST

/* Found unchanged, then written by an engine: the client gets that, and what
 * the engine writes next is not undone by what the client got. */
START_TEST(engine_writes_meanwhile)
{
    upload(0, PAGE_B);
    w.engine_writes = true;
    download(0, PAGE_B);
    ck_assert(all_are(w.own, 'e'));
    memset(device(), 'f', PAGE_B);
    xk_va_store_refresh(w.s, &client);
    ck_assert(all_are(device(), 'f'));
}
END_TEST

START_TEST(no_client)
{
    uint8_t page[PAGE_B];
    upload(0, PAGE_B);
    w.reads = 0;
    memset(device(), 'd', PAGE_B);
    ck_assert(xk_va_store_download(w.s, NULL, VA, PAGE_B, page));
    ck_assert(all_are(page, 'd'));
    ck_assert_uint_eq(w.reads, 0);
    ck_assert(!xk_va_store_download(w.s, NULL, VA + PAGE_B, PAGE_B, page));
}
END_TEST

/* Bytes of one word, so that no larger unit will do: the device's and the CPU's
 * alternate. At a doorbell, then in a read. */
START_TEST(each_side_keeps_its_bytes)
{
    upload(_i ? 1 : 0, _i ? PAGE_B - 2 : PAGE_B);
    for (unsigned k = 1; k + 1 < PAGE_B; k += 2)
        device()[k] = 'd';
    for (unsigned k = 2; k + 1 < PAGE_B; k += 2)
        w.own[k] = 'c';
    if (_i)
        xk_va_store_refresh(w.s, &client);
    else
        download(0, PAGE_B);
    for (unsigned k = 1; k + 1 < PAGE_B; k++)
        ck_assert_int_eq(device()[k], k % 2 ? 'd' : 'c');
    download(_i ? 1 : 0, _i ? PAGE_B - 2 : PAGE_B);
    for (unsigned k = 1; k + 1 < PAGE_B; k++)
        ck_assert_int_eq(w.own[k], k % 2 ? 'd' : 'c');
}
END_TEST

/* What the CPU wrote before another engine uploads the page, and what that does
 * not touch. */
START_TEST(an_upload_keeps_what_the_device_wrote)
{
    upload(0, PAGE_B);
    memset(device() + 100, 'd', 100);
    memset(w.own + 200, 'c', 100);
    upload(0, PAGE_B);
    ck_assert_int_eq(device()[99], 'a');
    ck_assert_int_eq(device()[100], 'd');
    ck_assert_int_eq(device()[199], 'd');
    ck_assert_int_eq(device()[200], 'c');
    ck_assert_int_eq(device()[299], 'c');
    ck_assert_int_eq(device()[300], 'a');
}
END_TEST

/* Two parts with a gap, which the client did not send. */
START_TEST(parts_grow_together)
{
    upload(1000, 100);
    upload(2000, 100);
    ck_assert_int_eq(device()[999], 0);
    ck_assert_int_eq(device()[1099], 'a');
    ck_assert_int_eq(device()[2000], 'a');
    device()[1050] = 'd';
    w.own[2050] = 'c';
    download(1000, 100);
    ck_assert_int_eq(w.own[1050], 'd');
    ck_assert_int_eq(w.own[2050], 'c');
    xk_va_store_refresh(w.s, &client);
    ck_assert_int_eq(device()[1050], 'd');
    ck_assert_int_eq(device()[2050], 'c');
}
END_TEST

/* A block of pages of which the client has unmapped all but the last. */
enum { BLOCK_PAGES = 64 };

static bool read_last(void *user, uint64_t va, void *dst, size_t n_b)
{
    (void)user;
    w.reads++;
    if (va != VA + (BLOCK_PAGES - 1) * PAGE_B || n_b != PAGE_B)
        return false;
    memcpy(dst, w.own, PAGE_B);
    return true;
}

static uint64_t last_page(void *user, uint64_t va)
{
    (void)user;
    (void)va;
    return VA + (BLOCK_PAGES - 1) * PAGE_B;
}

START_TEST(unmapped_pages_are_not_tried)
{
    const struct xk_va_client gone = {.read = read_last, .next = last_page};
    const uint64_t last = last_page(NULL, VA);
    uint64_t part_b;
    for (unsigned k = 0; k < BLOCK_PAGES; k++) {
        const uint64_t va = VA + k * PAGE_B;
        ck_assert_int_eq(xk_va_store_map(w.s, w.c, va), XK_OK);
        ck_assert(xk_va_store_upload(w.s, va, w.own, PAGE_B, &part_b));
    }
    memset(w.own, 'c', PAGE_B);
    w.reads = 0;
    xk_va_store_refresh(w.s, &gone);
    /* Blocks begin at multiples of 64 pages, so these lie in two. */
    ck_assert_uint_le(w.reads, 3);
    ck_assert(all_are(xk_va_store_at(w.s, last, PAGE_B, &part_b), 'c'));
    ck_assert(all_are(device(), 'a'));
}
END_TEST

/* The middle one of three pages cannot be read. */
START_TEST(readable_parts_of_this_process)
{
    const size_t page_b = (size_t)sysconf(_SC_PAGESIZE);
    struct xk_client_maps m;
    uint8_t *const p = mmap(NULL, 3 * page_b, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(p != MAP_FAILED && !mprotect(p + page_b, page_b, PROT_NONE));
    const uint64_t at = (uintptr_t)p;
    xk_client_maps_init(&m, getpid());
    ck_assert_uint_eq(xk_client_maps_next(&m, at + 5), at + 5);
    ck_assert_uint_eq(xk_client_maps_next(&m, at + page_b), at + 2 * page_b);
    ck_assert_uint_eq(xk_client_maps_next(&m, at + 2 * page_b - 1),
                      at + 2 * page_b);
    ck_assert_uint_eq(xk_client_maps_next(&m, UINT64_MAX - 1), UINT64_MAX);
    xk_client_maps_fini(&m);
    ck_assert_uint_eq(xk_client_maps_next(&m, at + page_b), at + page_b);
    munmap(p, 3 * page_b);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("va_store");
    TCase *const pages = tcase_create("pages");
    tcase_add_checked_fixture(pages, begin, end);
    tcase_add_test(pages, nobody_wrote);
    tcase_add_test(pages, cpu_wrote);
    tcase_add_test(pages, device_wrote);
    tcase_add_test(pages, both_wrote);
    tcase_add_test(pages, never_exchanged);
    tcase_add_test(pages, part_of_a_page);
    tcase_add_test(pages, engine_writes_meanwhile);
    tcase_add_test(pages, no_client);
    tcase_add_loop_test(pages, each_side_keeps_its_bytes, 0, 2);
    tcase_add_test(pages, an_upload_keeps_what_the_device_wrote);
    tcase_add_test(pages, parts_grow_together);
    tcase_add_test(pages, unmapped_pages_are_not_tried);
    tcase_add_test(pages, readable_parts_of_this_process);
    suite_add_tcase(s, pages);
    SRunner *const r = srunner_create(s);
    srunner_set_tap(r, "-");
    srunner_run_all(r, CK_SILENT);
    const int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
