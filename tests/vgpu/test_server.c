/* SPDX-License-Identifier: Apache-2.0 */
/* The virtual device's server against clients made by hand: what a well-behaved
 * one gets, engines that share memory, what the client's CPU writes, and that a
 * broken client is dropped with a sentence while another goes on. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tests/vgpu/raw_client.h"
#include "xekern/virtual_device.h"

#define BATCH UINT64_C(0x800100000000)
#define HEAP UINT64_C(0x800100100000)
#define LO(va) (uint32_t)(va)
#define HI(va) (uint32_t)((uint64_t)(va) >> 32)
#define END 0x05000000

static xk_virtual_device *device;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char said[2000];
static struct raw_client a, b;

/* Pages that the device sees at the addresses that they have here. */
static _Alignas(4096) volatile uint32_t shared[2][1024];

static void says(void *user, const char *sentence)
{
    (void)user;
    pthread_mutex_lock(&lock);
    snprintf(said + strlen(said), sizeof said - strlen(said), "%s\n", sentence);
    pthread_mutex_unlock(&lock);
}

static void start(void)
{
    const struct xk_virtual_device_opts o = {
        .max_memory_b = 64 << 20, .max_commands = 1000, .says = says};
    struct xk_error err = {XK_OK, ""};
    said[0] = 0;
    ck_assert_msg(xk_virtual_device_start(&o, &device, &err) == XK_OK, "%s",
                  err.message);
    ck_assert(raw_open(&a, xk_virtual_device_port(device), RAW_RENDER));
    ck_assert(raw_open(&b, xk_virtual_device_port(device), RAW_COPY));
}

static void stop(void)
{
    raw_close(&a);
    raw_close(&b);
    xk_virtual_device_stop(device);
}

static bool has_said(const char *words)
{
    pthread_mutex_lock(&lock);
    const bool found = strstr(said, words);
    pthread_mutex_unlock(&lock);
    return found;
}

/* Waits for a sentence, up to ten seconds. */
static void must_say(const char *words)
{
    for (int k = 0; k < 1000 && !has_said(words); k++)
        nanosleep(&(const struct timespec){0, 10000000}, NULL);
    ck_assert_msg(has_said(words), "'%s' is not said; but: %s", words, said);
}

static void place(struct raw_client *r, uint64_t physical, const uint32_t *dw,
                  unsigned n)
{
    const uint32_t end = END;
    raw_write(r, physical, dw, 4 * n);
    raw_write(r, physical + 4 * n, &end, 4);
}

#define PLACE(r, physical, ...)                                                \
    place(r, physical, (const uint32_t[]){__VA_ARGS__},                        \
          sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

static uint32_t read32(struct raw_client *r, uint64_t physical)
{
    uint32_t v = 0xdeadbeef;
    ck_assert(raw_read(r, physical, &v, 4));
    return v;
}

/* A batch stores a number, the client reads it back. */
static void must_work(struct raw_client *r, uint32_t number)
{
    raw_begin(r);
    const uint64_t batch = raw_map(r, BATCH), data = raw_map(r, HEAP);
    PLACE(r, batch, 0x10000002, LO(HEAP + 8), HI(HEAP), number);
    raw_submit(r, BATCH);
    ck_assert_uint_eq(read32(r, data + 8), number);
}

START_TEST(a_batch_is_executed_before_the_next_read)
{
    must_work(&a, 0x1234567);
}
END_TEST

START_TEST(a_read_answers_bytes_and_id_of_the_request)
{
    uint8_t sent[RAW_PAGE_B], got[RAW_PAGE_B];
    for (unsigned k = 0; k < sizeof sent; k++)
        sent[k] = (uint8_t)(k * 7 + k / 256);
    raw_begin(&a);
    const uint64_t page = raw_map(&a, HEAP);
    raw_write(&a, page, sent, sizeof sent);
    ck_assert(raw_read(&a, page, got, sizeof got));
    ck_assert(memcmp(sent, got, sizeof got) == 0);
    ck_assert(raw_read(&a, page + 100, got, 300));
    ck_assert(memcmp(sent + 100, got, 300) == 0);
}
END_TEST

START_TEST(a_register_read_is_answered)
{
    uint32_t got[4] = {0};
    raw_message(&a, 0, (const uint32_t[]){0x8, RAW_RENDER + 0x234, 0}, 3, NULL,
                0);
    ck_assert(raw_flush(&a));
    ck_assert_int_eq(recv(a.fd, got, sizeof got, MSG_WAITALL), sizeof got);
    ck_assert_uint_eq(got[0], 1);
    ck_assert_uint_eq(got[1], 0);
    ck_assert_uint_eq(got[2], 4);
}
END_TEST

/* Physical numbers run into those of the tables (virtual-device.md 2.4). */
static const uint64_t table_pages[] = {0x20000000, 0x40000000, 0x80000000,
                                       UINT64_C(0x100000000)};

START_TEST(data_where_the_tables_lie_is_data)
{
    const uint64_t value = UINT64_C(0x1122334455667788);
    uint64_t got = 0;
    raw_begin(&a);
    raw_map_to(&a, HEAP, table_pages[_i]);
    raw_write(&a, table_pages[_i] + 16, &value, 4);
    raw_write(&a, table_pages[_i] + 24, &value, 8);
    ck_assert(raw_read(&a, table_pages[_i] + 24, &got, 8));
    ck_assert_uint_eq(got, value);
}
END_TEST

START_TEST(data_across_the_last_physical_page_is_data)
{
    static uint8_t sent[3 * RAW_PAGE_B], got[sizeof sent];
    const uint64_t last = UINT64_C(0xfffffff000);
    memset(sent, 0x5a, sizeof sent);
    raw_begin(&a);
    raw_write(&a, last, sent, sizeof sent);
    ck_assert(raw_read(&a, last, got, sizeof got));
    ck_assert(memcmp(sent, got, sizeof got) == 0);
}
END_TEST

START_TEST(engines_of_a_process_share_what_lies_at_an_address)
{
    raw_begin(&a);
    raw_begin(&b);
    const uint64_t mine = raw_map(&a, HEAP);
    b.next_page += 0x10000;
    const uint64_t batch = raw_map(&b, BATCH);
    PLACE(&b, batch, 0x10000002, LO(HEAP), HI(HEAP), 77);
    ck_assert_uint_eq(read32(&a, mine), 0); /* it is mapped by now */
    raw_submit(&b, BATCH);
    read32(&b, batch);
    ck_assert_uint_eq(read32(&a, mine), 77);
}
END_TEST

/* b waits for what a writes afterwards, and takes messages meanwhile. */
START_TEST(a_semaphore_waits_for_another_engine)
{
    raw_begin(&a);
    raw_begin(&b);
    const uint64_t one = raw_map(&a, BATCH), two = raw_map(&b, BATCH + 4096);
    const uint64_t data = raw_map(&b, HEAP);
    /* until [HEAP] == 5; then [HEAP + 4] = 6 */
    PLACE(&b, two, 0x0e00c003, 5, LO(HEAP), HI(HEAP), 0, 0x10000002,
          LO(HEAP + 4), HI(HEAP), 6);
    raw_submit(&b, BATCH + 4096);
    ck_assert_uint_eq(read32(&b, data + 4), 0);
    PLACE(&a, one, 0x10000002, LO(HEAP), HI(HEAP), 5);
    raw_submit(&a, BATCH);
    read32(&a, one);
    uint32_t got = 0;
    for (int k = 0; k < 1000 && got != 6; k++)
        got = read32(&b, data + 4);
    ck_assert_uint_eq(got, 6);
}
END_TEST

/* The same of a page that a maps only afterwards, b never: so the driver's copy
 * engine waits for a kernel that it submits later. */
START_TEST(a_semaphore_waits_for_a_page_that_is_not_mapped_yet)
{
    raw_begin(&a);
    raw_begin(&b);
    const uint64_t two = raw_map(&b, BATCH + 4096);
    const uint64_t out = raw_map(&b, HEAP + 4096);
    /* until [HEAP] == 5; then [HEAP + 4096] = 6 */
    PLACE(&b, two, 0x0e00c003, 5, LO(HEAP), HI(HEAP), 0, 0x10000002,
          LO(HEAP + 4096), HI(HEAP + 4096), 6);
    raw_submit(&b, BATCH + 4096);
    ck_assert_uint_eq(read32(&b, out), 0);
    const uint64_t one = raw_map(&a, BATCH);
    raw_map(&a, HEAP);
    PLACE(&a, one, 0x10000002, LO(HEAP), HI(HEAP), 5);
    raw_submit(&a, BATCH);
    read32(&a, one);
    uint32_t got = 0;
    for (int k = 0; k < 1000 && got != 6; k++)
        got = read32(&b, out);
    ck_assert_uint_eq(got, 6);
}
END_TEST

/* b waits until [va] != 1, as the driver lets an engine wait for another one's
 * end mark, then stores 6. *out is where. */
static void wait_until_not_1(uint64_t va, uint64_t *out)
{
    const uint64_t two = raw_map(&b, BATCH + 4096);
    *out = raw_map(&b, HEAP + 4096);
    PLACE(&b, two, 0x0e00d003, 1, LO(va), HI(va), 0, 0x10000002,
          LO(HEAP + 4096), HI(HEAP + 4096), 6);
    raw_submit(&b, BATCH + 4096);
}

/* Gives b's thread time to pass a semaphore that it must not pass. */
static void must_still_wait(uint64_t out)
{
    for (int k = 0; k < 20; k++) {
        ck_assert_uint_eq(read32(&b, out), 0);
        nanosleep(&(const struct timespec){0, 2000000}, NULL);
    }
}

static void must_pass(uint64_t out)
{
    uint32_t got = 0;
    for (int k = 0; k < 1000 && got != 6; k++)
        got = read32(&b, out);
    ck_assert_uint_eq(got, 6);
}

/* The driver maps the mark's page by one message and sends the mark, 1, by the
 * next one. The zeros between them are no mark. */
START_TEST(a_semaphore_waits_for_the_content_of_a_mapped_page)
{
    static const uint64_t places[] = {HEAP, 0};
    const uint64_t va = places[_i] ? places[_i] : (uintptr_t)shared[0];
    const uint32_t one = 1, done = 0;
    uint64_t out;
    memset((void *)shared[0], 0, sizeof shared[0]);
    raw_begin(&a);
    raw_begin(&b);
    const uint64_t mark = raw_map(&a, va);
    ck_assert_uint_eq(read32(&a, mark), 0); /* it is mapped by now */
    wait_until_not_1(va, &out);
    must_still_wait(out);
    shared[0][0] = one;
    raw_write(&a, mark, &one, 4);
    ck_assert_uint_eq(read32(&a, mark), one);
    must_still_wait(out);
    shared[0][0] = done;
    raw_write(&a, mark, &done, 4);
    read32(&a, mark);
    must_pass(out);
}
END_TEST

/* The mark's page was sent before the CPU has set the mark. */
START_TEST(a_semaphore_sees_what_the_cpu_wrote_after_an_upload)
{
    const uint64_t va = (uintptr_t)shared[0];
    uint64_t out;
    memset((void *)shared[0], 0, sizeof shared[0]);
    raw_begin(&a);
    raw_begin(&b);
    const uint64_t mark = raw_map(&a, va);
    raw_write(&a, mark, (const void *)shared[0], 256);
    ck_assert_uint_eq(read32(&a, mark + 4), 0); /* it is there by now */
    shared[0][0] = 1;
    wait_until_not_1(va, &out);
    must_still_wait(out);
    shared[0][0] = 0;
    must_pass(out);
}
END_TEST

/* A semaphore on memory that the client's CPU writes. */
START_TEST(a_semaphore_waits_for_the_host)
{
    const uint64_t va = (uintptr_t)shared[0];
    raw_begin(&a);
    shared[0][0] = shared[0][1] = 0;
    const uint64_t batch = raw_map(&a, BATCH), data = raw_map(&a, va);
    raw_write(&a, data, (const void *)shared[0], RAW_PAGE_B);
    PLACE(&a, batch, 0x0e00c003, 5, LO(va), HI(va), 0, 0x10000002, LO(va + 4),
          HI(va), 6);
    raw_submit(&a, BATCH);
    ck_assert_uint_eq(read32(&a, data + 4), 0);
    shared[0][0] = 5;
    uint32_t got = 0;
    for (int k = 0; k < 1000 && got != 6; k++)
        got = read32(&a, data + 4);
    ck_assert_uint_eq(got, 6);
}
END_TEST

/* Copies a dword from one shared page to the other, through a register. */
static uint64_t copier(uint64_t *pages)
{
    const uint64_t from = (uintptr_t)shared[0], to = (uintptr_t)shared[1];
    raw_begin(&a);
    const uint64_t batch = raw_map(&a, BATCH);
    for (unsigned k = 0; k < 2; k++) {
        memset((void *)shared[k], 0, sizeof shared[k]);
        pages[k] = raw_map(&a, (uintptr_t)shared[k]);
        raw_write(&a, pages[k], (const void *)shared[k], RAW_PAGE_B);
    }
    PLACE(&a, batch, 0x14800002, 0x2600, LO(from), HI(from), 0x12000002, 0x2600,
          LO(to), HI(to));
    return batch;
}

START_TEST(what_the_cpu_writes_later_is_seen_at_the_next_doorbell)
{
    uint64_t page[2];
    copier(page);
    raw_submit(&a, BATCH);
    ck_assert_uint_eq(read32(&a, page[1]), 0);
    for (uint32_t k = 1; k < 5; k++) {
        shared[0][0] = k;
        raw_submit(&a, BATCH);
        ck_assert_uint_eq(read32(&a, page[1]), k);
        shared[1][0] = k; /* as the driver stores what it has read */
    }
}
END_TEST

START_TEST(what_the_device_has_written_is_not_lost_at_a_doorbell)
{
    uint64_t page[2];
    copier(page);
    raw_submit(&a, BATCH);
    shared[0][0] = 9;
    raw_submit(&a, BATCH); /* shared[1] differs on the device from here on */
    raw_submit(&a, BATCH);
    ck_assert_uint_eq(read32(&a, page[1]), 9);
}
END_TEST

/* As the driver does: it reads through one engine what it has uploaded through
 * another, from a page that it has not told, and stores it at its address. */
START_TEST(a_page_that_another_engine_knows_is_read_back)
{
    const uint64_t va = (uintptr_t)shared[0];
    raw_begin(&a);
    raw_begin(&b);
    memset((void *)shared[0], 0, sizeof shared[0]);
    const uint64_t batch = raw_map(&a, BATCH), data = raw_map(&a, va);
    raw_write(&a, data, (const void *)shared[0], RAW_PAGE_B);
    PLACE(&a, batch, 0x10000002, LO(va + 40), HI(va + 40), 77);
    raw_submit(&a, BATCH);
    read32(&a, batch);
    ck_assert_uint_eq(shared[0][10], 0);
    ck_assert(raw_read(&b, 0x700000, (void *)shared[0], RAW_PAGE_B));
    ck_assert_uint_eq(shared[0][10], 77);
}
END_TEST

START_TEST(a_page_that_nobody_knows_stays_as_it_is)
{
    raw_begin(&b);
    for (unsigned k = 0; k < 1024; k++)
        shared[1][k] = k * 3 + 1;
    ck_assert(raw_read(&b, 0x700000, (void *)shared[1], RAW_PAGE_B));
    for (unsigned k = 0; k < 1024; k++)
        ck_assert_uint_eq(shared[1][k], k * 3 + 1);
}
END_TEST

/* The driver uploads a page through each engine, and has not been told what
 * the first has written there meanwhile. */
START_TEST(an_old_copy_uploaded_again_does_not_undo_what_an_engine_wrote)
{
    const uint64_t va = (uintptr_t)shared[0];
    memset((void *)shared[0], 0, sizeof shared[0]);
    raw_begin(&a);
    raw_begin(&b);
    const uint64_t batch = raw_map(&a, BATCH), data = raw_map(&a, va);
    raw_write(&a, data, (const void *)shared[0], RAW_PAGE_B);
    PLACE(&a, batch, 0x10000002, LO(va + 40), HI(va + 40), 77);
    raw_submit(&a, BATCH);
    read32(&a, batch);
    const uint64_t other = raw_map(&b, va);
    raw_write(&b, other, (const void *)shared[0], RAW_PAGE_B);
    ck_assert_uint_eq(read32(&b, other + 40), 77);
    shared[0][11] = 5; /* now it is newer */
    raw_write(&b, other, (const void *)shared[0], RAW_PAGE_B);
    ck_assert_uint_eq(read32(&b, other + 44), 5);
}
END_TEST

/* The answer is stored over what the client holds. */
START_TEST(a_read_of_a_page_that_only_the_cpu_changed_answers_with_that)
{
    static uint32_t got[RAW_PAGE_B / 4];
    uint64_t page[2];
    copier(page);
    raw_submit(&a, BATCH);
    shared[0][0] = 21; /* not written by the device */
    ck_assert(raw_read(&a, page[0], got, RAW_PAGE_B));
    ck_assert_uint_eq(got[0], 21);
}
END_TEST

/* Each leaves the connection in a state that ends it. */
static void bad_length(void)
{
    raw_message(&a, 4, (const uint32_t[]){0, 0x1000, 4, 0}, 4, NULL, 0);
}

static void long_body(void)
{
    const uint32_t head[3] = {99, 0, 0x7fffffff};
    raw_bytes(&a, head, sizeof head);
}

static void much_data(void)
{
    raw_message(&a, 4, (const uint32_t[]){0, 0x1000, 0xfffffff0}, 3, NULL, 0);
}

static void much_to_read(void)
{
    raw_message(&a, 5, (const uint32_t[]){0, 0x1000, 0x40000000}, 3, NULL, 0);
}

static void half_a_message(void)
{
    raw_message(&a, 4, (const uint32_t[]){0, 0x1000, 100}, 3, "half", 4);
    raw_flush(&a);
    shutdown(a.fd, SHUT_WR);
}

static void half_a_header(void)
{
    raw_bytes(&a, "half", 4);
    raw_flush(&a);
    shutdown(a.fd, SHUT_WR);
}

static void endless_batch(void)
{
    raw_begin(&a);
    const uint64_t batch = raw_map(&a, BATCH);
    PLACE(&a, batch, 0x18800101, LO(BATCH), HI(BATCH));
    raw_submit(&a, BATCH);
}

static void nowhere_batch(void)
{
    raw_begin(&a);
    raw_submit(&a, BATCH);
}

static void nowhere_store(void)
{
    raw_begin(&a);
    const uint64_t batch = raw_map(&a, BATCH);
    PLACE(&a, batch, 0x10000002, LO(HEAP), HI(HEAP), 1);
    raw_submit(&a, BATCH);
}

/* A command of a type whose length nobody knows. */
static void unknown_command(void)
{
    raw_begin(&a);
    const uint64_t batch = raw_map(&a, BATCH);
    PLACE(&a, batch, 0xffff0000);
    raw_submit(&a, BATCH);
}

static void no_context(void)
{
    raw_register(&a, RAW_RENDER + 0x510, 0x12345119);
    raw_register(&a, RAW_RENDER + 0x550, 1);
}

static void bad_tail(void)
{
    const uint32_t tail = 0x12345678;
    raw_begin(&a);
    raw_write(&a, RAW_LRCA + 0x101c, &tail, 4);
    raw_register(&a, RAW_RENDER + 0x510, RAW_LRCA);
    raw_register(&a, RAW_RENDER + 0x550, 1);
}

/* More than 64 MiB: of its memory, of the global table's, of scattered pages.
 */
static void many_pages(void)
{
    for (uint64_t k = 0; k < 17000; k++)
        raw_map(&a, HEAP + k * RAW_PAGE_B);
}

static void many_physical(void)
{
    for (uint64_t k = 0; k < 17000; k++)
        raw_write(&a, k * RAW_PAGE_B, "x", 1);
}

static void scattered_pages(void)
{
    for (uint64_t k = 0; k < 300; k++)
        raw_map(&a, k << 35);
}

/* Flags of the first dword: tbx_proto.h of the driver. */
static void narrow_register(void)
{
    raw_message(&a, 0, (const uint32_t[]){0x5, 0x2000, 1}, 3, NULL, 0);
}

static void io_register(void)
{
    raw_message(&a, 0, (const uint32_t[]){0x49, 0x2000, 1}, 3, NULL, 0);
}

static void masked_write(void)
{
    raw_message(&a, 4, (const uint32_t[]){2, 0x1000, 1}, 3, "x", 1);
}

static void virtual_read(void)
{
    raw_message(&a, 5, (const uint32_t[]){1, 0x1000, 1}, 3, NULL, 0);
}

static void other_memory(void)
{
    raw_message(&a, 4, (const uint32_t[]){0x80, 0x1000, 1}, 3, "x", 1);
}

static const struct {
    const char *name;
    void (*act)(void);
    const char *says;
} broken[] = {
    {"two bytes of a register", narrow_register,
     "type 0 (register access) has the flags 0x5"},
    {"an I/O port", io_register, "has the flags 0x49"},
    {"a write with a mask", masked_write,
     "type 4 (memory write) has the flags 0x2"},
    {"a read of another space", virtual_read,
     "type 5 (memory read) has the flags 0x1"},
    {"a write to memory of type 2", other_memory, "has the flags 0x80"},
    {"bad length", bad_length, "has 16 bytes, not 12"},
    {"long body", long_body, "type 99 says that it has 2147483647 bytes"},
    {"much data", much_data, "has 4294967280 bytes of data"},
    {"much to read", much_to_read, "has 1073741824 bytes of data"},
    {"half a message", half_a_message, "ends inside a message"},
    {"half a header", half_a_header, "ends inside a message: 4 bytes"},
    {"endless batch", endless_batch, "more than 1000 commands"},
    {"batch nowhere", nowhere_batch, "0x800100000000: the page is not mapped"},
    {"store nowhere", nowhere_store, "0x800100100000 is not mapped"},
    {"unknown command", unknown_command, "0xffff0000"},
    {"no context", no_context, "context image 0x12345000 is not mapped"},
    {"bad tail", bad_tail, "ring tail 0x12345678"},
    {"many pages", many_pages, "more than 67108864 bytes of device memory"},
    {"many physical pages", many_physical,
     "more than 67108864 bytes of device memory"},
    {"scattered pages", scattered_pages, "no address space for the pages"},
};

START_TEST(a_broken_client_is_dropped_and_another_goes_on)
{
    uint8_t byte;
    broken[_i].act();
    raw_flush(&a);
    must_say("a client was dropped: ");
    must_say(broken[_i].says);
    ck_assert_msg(recv(a.fd, &byte, 1, 0) <= 0, "%s", broken[_i].name);
    raw_close(&a);
    must_work(&b, 4711);
    ck_assert(raw_open(&a, xk_virtual_device_port(device), RAW_RENDER));
    must_work(&a, 4712);
}
END_TEST

/* A marker, a question to the global table, a register that nobody has. */
START_TEST(an_unknown_message_is_said_and_its_client_lives_on)
{
    raw_begin(&a);
    raw_message(&a, 7, (const uint32_t[]){1}, 1, NULL, 0);
    raw_message(&a, 2, (const uint32_t[]){0, 1, 0, 0}, 4, NULL, 0);
    raw_message(&a, 11, (const uint32_t[]){1, 2, 3}, 3, NULL, 0);
    raw_message(&a, 0, (const uint32_t[]){0x8, RAW_RENDER + 0x358, 0}, 3, NULL,
                0);
    raw_flush(&a);
    must_say("skipped: vgpu: a message of type 7 is not modelled");
    must_say("skipped: vgpu: a message of type 2 is not modelled");
    must_say("skipped: vgpu: register 0x2358 is not modelled: read");
    ck_assert(!has_said("type 11") && !has_said("dropped"));
    must_work(&b, 4711);
}
END_TEST

START_TEST(an_unknown_command_is_said_and_its_client_lives_on)
{
    raw_begin(&a);
    const uint64_t batch = raw_map(&a, BATCH), data = raw_map(&a, HEAP);
    PLACE(&a, batch, 0x7fff0000, END, 0x10000002, LO(HEAP), HI(HEAP), 99);
    raw_submit(&a, BATCH);
    ck_assert_uint_eq(read32(&a, data), 99);
    must_say("skipped: vgpu: command 0x7fff0000 at 0x800100000000 is unknown");
    ck_assert(!has_said("dropped"));
}
END_TEST

START_TEST(a_device_that_is_stopped_drops_who_waits)
{
    raw_begin(&a);
    const uint64_t batch = raw_map(&a, BATCH);
    raw_map(&a, HEAP);
    PLACE(&a, batch, 0x0e00c003, 5, LO(HEAP), HI(HEAP), 0);
    raw_submit(&a, BATCH);
    ck_assert_uint_eq(read32(&a, batch), 0x0e00c003);
    /* stop() must not take 30 seconds; the suite's limit says so */
}
END_TEST

START_TEST(a_taken_port_and_a_wrong_platform_are_refused)
{
    const uint16_t port = xk_virtual_device_port(device);
    const struct xk_virtual_device_opts taken = {.port = port};
    const struct xk_virtual_device_opts wrong = {.platform = "voodoo2"};
    struct xk_error err = {XK_OK, ""};
    xk_virtual_device *d;
    ck_assert_int_eq(xk_virtual_device_start(&taken, &d, &err), XK_EFAULT);
    ck_assert_ptr_null(d);
    ck_assert_ptr_nonnull(strstr(err.message, "port"));
    ck_assert_int_eq(xk_virtual_device_start(&wrong, &d, &err), XK_EINVAL);
    ck_assert_ptr_nonnull(strstr(err.message, "'voodoo2'"));
}
END_TEST

START_TEST(the_environment_names_the_port)
{
    const char *name, *value;
    char port[8];
    unsigned k = 0;
    bool found = false;
    snprintf(port, sizeof port, "%u", xk_virtual_device_port(device));
    for (; xk_virtual_device_variable(device, k, &name, &value); k++)
        found |= !strcmp(name, "TbxPort") && !strcmp(value, port);
    ck_assert(found && k > 4);
}
END_TEST

static Suite *suite(void)
{
    Suite *const s = suite_create("server");
    TCase *const t = tcase_create("server");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, a_batch_is_executed_before_the_next_read);
    tcase_add_test(t, a_read_answers_bytes_and_id_of_the_request);
    tcase_add_test(t, a_register_read_is_answered);
    tcase_add_loop_test(t, data_where_the_tables_lie_is_data, 0, 4);
    tcase_add_test(t, data_across_the_last_physical_page_is_data);
    tcase_add_test(t, engines_of_a_process_share_what_lies_at_an_address);
    tcase_add_test(t, a_semaphore_waits_for_another_engine);
    tcase_add_test(t, a_semaphore_waits_for_a_page_that_is_not_mapped_yet);
    tcase_add_loop_test(t, a_semaphore_waits_for_the_content_of_a_mapped_page,
                        0, 2);
    tcase_add_test(t, a_semaphore_sees_what_the_cpu_wrote_after_an_upload);
    tcase_add_test(t, a_semaphore_waits_for_the_host);
    tcase_add_test(t, what_the_cpu_writes_later_is_seen_at_the_next_doorbell);
    tcase_add_test(t, what_the_device_has_written_is_not_lost_at_a_doorbell);
    tcase_add_test(t, a_page_that_another_engine_knows_is_read_back);
    tcase_add_test(t, a_page_that_nobody_knows_stays_as_it_is);
    tcase_add_test(
        t, an_old_copy_uploaded_again_does_not_undo_what_an_engine_wrote);
    tcase_add_test(
        t, a_read_of_a_page_that_only_the_cpu_changed_answers_with_that);
    tcase_add_loop_test(t, a_broken_client_is_dropped_and_another_goes_on, 0,
                        sizeof broken / sizeof broken[0]);
    tcase_add_test(t, an_unknown_message_is_said_and_its_client_lives_on);
    tcase_add_test(t, an_unknown_command_is_said_and_its_client_lives_on);
    tcase_add_test(t, a_device_that_is_stopped_drops_who_waits);
    tcase_add_test(t, a_taken_port_and_a_wrong_platform_are_refused);
    tcase_add_test(t, the_environment_names_the_port);
    suite_add_tcase(s, t);
    return s;
}

int main(void)
{
    return xk_tap_run(suite());
}
