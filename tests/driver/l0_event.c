/* SPDX-License-Identifier: Apache-2.0 */
/* Events, fences, barriers, timestamps. */
#include <string.h>

#include "tests/driver/l0_host.h"

#define N_E 1024
#define LOCAL 64

/* step: a = a * factor + more, over N_E elements of shared memory. */
struct chain {
    int *a;
    ze_kernel_handle_t k[3];
};

static void make_chain(struct chain *c)
{
    static const int factors[3] = {3, 5, 7}, more[3] = {1, 2, 4};
    c->a = l0_alloc(&l0_here, L0_SHARED, sizeof(int) * N_E);
    for (int i = 0; i < N_E; i++)
        c->a[i] = i;
    for (unsigned k = 0; k < 3; k++) {
        const struct l0_arg args[] = {L0_POINTER(c->a), L0_VALUE(factors[k]),
                                      L0_VALUE(more[k])};
        c->k[k] = l0_kernel(l0_here.module, "step", LOCAL, 3, args);
    }
}

/* n steps were done in their order. */
static void check_chain(const struct chain *c, unsigned n)
{
    static const int factors[3] = {3, 5, 7}, more[3] = {1, 2, 4};
    for (int i = 0; i < N_E; i++) {
        int e = i;
        for (unsigned k = 0; k < n; k++)
            e = e * factors[k] + more[k];
        ck_assert_msg(c->a[i] == e, "element %d: %d, not %d", i, c->a[i], e);
    }
}

static void drop_chain(struct chain *c)
{
    for (unsigned k = 0; k < 3; k++)
        L0(zeKernelDestroy(c->k[k]));
    l0_free(&l0_here, c->a);
}

static const struct {
    bool immediate, timestamps;
} ways[] = {{false, false}, {false, true}, {true, false}, {true, true}};

START_TEST(events_order_kernels_of_one_list)
{
    struct chain c;
    struct l0_events e;
    struct l0_list l;
    make_chain(&c);
    l0_events_make(&e, &l0_here, 3, ways[_i].timestamps);
    l0_begin(&l, &l0_here, ways[_i].immediate, l0_here.compute);
    l0_launch(&l, c.k[0], N_E / LOCAL, e.event[0], 0, NULL);
    l0_launch(&l, c.k[1], N_E / LOCAL, e.event[1], 1, &e.event[0]);
    L0(zeCommandListAppendBarrier(l.list, NULL, 2, e.event));
    l0_launch(&l, c.k[2], N_E / LOCAL, e.event[2], 1, &e.event[1]);
    l0_submit(&l, NULL);
    L0(zeEventHostSynchronize(e.event[2], UINT64_MAX));
    l0_wait(&l);
    for (unsigned k = 0; k < 3; k++)
        L0(zeEventQueryStatus(e.event[k]));
    check_chain(&c, 3);
    l0_end(&l);
    l0_events_drop(&e);
    drop_chain(&c);
}
END_TEST

/* On xehpg the driver flushes each range by L3_CONTROL. */
START_TEST(a_barrier_over_ranges_orders_kernels)
{
    struct chain c;
    struct l0_events e;
    struct l0_list l;
    make_chain(&c);
    l0_events_make(&e, &l0_here, 1, ways[_i].timestamps);
    l0_begin(&l, &l0_here, ways[_i].immediate, l0_here.compute);
    const size_t sizes[2] = {sizeof(int) * N_E, 4096};
    const void *ranges[2] = {c.a, c.a};
    l0_launch(&l, c.k[0], N_E / LOCAL, NULL, 0, NULL);
    L0(zeCommandListAppendMemoryRangesBarrier(l.list, 2, sizes, ranges,
                                              e.event[0], 0, NULL));
    l0_launch(&l, c.k[1], N_E / LOCAL, NULL, 1, e.event);
    l0_finish(&l);
    check_chain(&c, 2);
    l0_end(&l);
    l0_events_drop(&e);
    drop_chain(&c);
}
END_TEST

START_TEST(the_list_signals_waits_and_resets_events_itself)
{
    struct chain c;
    struct l0_events e;
    struct l0_list l;
    make_chain(&c);
    l0_events_make(&e, &l0_here, 4, ways[_i].timestamps);
    for (unsigned k = 0; k < 4; k++) /* before anything is submitted */
        ck_assert_int_eq(zeEventQueryStatus(e.event[k]), ZE_RESULT_NOT_READY);
    L0(zeEventHostSignal(e.event[0]));
    L0(zeEventQueryStatus(e.event[0]));
    l0_begin(&l, &l0_here, ways[_i].immediate, l0_here.compute);
    L0(zeCommandListAppendWaitOnEvents(l.list, 1, &e.event[0]));
    l0_launch(&l, c.k[0], N_E / LOCAL, NULL, 0, NULL);
    L0(zeCommandListAppendBarrier(l.list, e.event[1], 0, NULL));
    L0(zeCommandListAppendWaitOnEvents(l.list, 1, &e.event[1]));
    l0_launch(&l, c.k[1], N_E / LOCAL, NULL, 0, NULL);
    L0(zeCommandListAppendEventReset(l.list, e.event[1]));
    L0(zeCommandListAppendSignalEvent(l.list, e.event[2]));
    l0_finish(&l);
    check_chain(&c, 2);
    L0(zeEventQueryStatus(e.event[2]));
    ck_assert_int_eq(zeEventQueryStatus(e.event[1]), ZE_RESULT_NOT_READY);
    ck_assert_int_eq(zeEventQueryStatus(e.event[3]), ZE_RESULT_NOT_READY);
    L0(zeEventHostReset(e.event[2])); /* seen without a submission */
    ck_assert_int_eq(zeEventQueryStatus(e.event[2]), ZE_RESULT_NOT_READY);
    l0_end(&l);
    l0_events_drop(&e);
    drop_chain(&c);
}
END_TEST

START_TEST(fences_are_signalled_and_used_again)
{
    struct chain c;
    struct l0_list l;
    ze_fence_handle_t fence;
    const ze_fence_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    make_chain(&c);
    l0_begin(&l, &l0_here, false, l0_here.compute);
    L0(zeFenceCreate(l.queue, &desc, &fence));
    ck_assert_int_eq(zeFenceQueryStatus(fence), ZE_RESULT_NOT_READY);
    for (unsigned k = 0; k < 3; k++) {
        l0_launch(&l, c.k[k], N_E / LOCAL, NULL, 0, NULL);
        l0_submit(&l, fence);
        L0(zeFenceHostSynchronize(fence, UINT64_MAX));
        L0(zeFenceQueryStatus(fence));
        check_chain(&c, k + 1);
        L0(zeFenceReset(fence));
        ck_assert_int_eq(zeFenceQueryStatus(fence), ZE_RESULT_NOT_READY);
        l0_reset(&l);
    }
    L0(zeFenceDestroy(fence));
    l0_end(&l);
    drop_chain(&c);
}
END_TEST

/* Ticks from a to b, of a counter with the device's valid bits. */
static uint64_t ticks(uint64_t a, uint64_t b, uint32_t bits)
{
    const uint64_t mask = bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
    return (b - a) & mask;
}

static uint32_t kernel_bits(void)
{
    ze_device_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    L0(zeDeviceGetProperties(l0_here.device, &p));
    ck_assert_uint_gt(p.timerResolution, 0);
    return p.kernelTimestampValidBits;
}

static void check_interval(const ze_kernel_timestamp_data_t *t, uint32_t bits)
{
    const uint64_t n = ticks(t->kernelStart, t->kernelEnd, bits);
    ck_assert_msg(t->kernelEnd != 0, "the end is zero");
    ck_assert_msg(n > 0 && n < UINT64_C(1) << (bits - 1),
                  "start %llu, end %llu", (unsigned long long)t->kernelStart,
                  (unsigned long long)t->kernelEnd);
}

/* The second of two kernels does a hundred times the work of the first. */
START_TEST(kernel_timestamps_are_monotone_and_know_more_work)
{
    static const int few = 2, many = 200;
    const uint32_t bits = kernel_bits();
    ze_kernel_timestamp_result_t t[2], queried[2];
    struct l0_events e;
    struct l0_list l;
    int *const a = l0_alloc(&l0_here, L0_SHARED, sizeof(int) * N_E);
    ze_kernel_timestamp_result_t *const memory =
        l0_alloc(&l0_here, L0_SHARED, sizeof t);
    const struct l0_arg small[] = {L0_POINTER(a), L0_VALUE(few)},
                        large[] = {L0_POINTER(a), L0_VALUE(many)};
    ze_kernel_handle_t k[2] = {
        l0_kernel(l0_here.module, "stack", LOCAL, 2, small),
        l0_kernel(l0_here.module, "stack", LOCAL, 2, large)};
    l0_events_make(&e, &l0_here, 2, true);
    l0_begin(&l, &l0_here, _i, l0_here.compute);
    l0_launch(&l, k[0], N_E / LOCAL, e.event[0], 0, NULL);
    l0_launch(&l, k[1], N_E / LOCAL, e.event[1], 1, &e.event[0]);
    L0(zeCommandListAppendQueryKernelTimestamps(l.list, 2, e.event, memory,
                                                NULL, NULL, 2, e.event));
    l0_finish(&l);
    memcpy(queried, memory, sizeof queried);
    for (unsigned j = 0; j < 2; j++) {
        L0(zeEventQueryKernelTimestamp(e.event[j], &t[j]));
        check_interval(&t[j].global, bits);
        check_interval(&t[j].context, bits);
        ck_assert_mem_eq(&queried[j].global, &t[j].global, sizeof t[j].global);
    }
    ck_assert_msg(ticks(t[0].global.kernelEnd, t[1].global.kernelStart, bits) <
                      UINT64_C(1) << (bits - 1),
                  "the second kernel starts before the first ends");
    ck_assert_msg(
        ticks(t[1].global.kernelStart, t[1].global.kernelEnd, bits) >
            ticks(t[0].global.kernelStart, t[0].global.kernelEnd, bits),
        "a hundred times the work takes no longer");
    l0_end(&l);
    l0_events_drop(&e);
    for (unsigned j = 0; j < 2; j++)
        L0(zeKernelDestroy(k[j]));
    l0_free(&l0_here, a);
    l0_free(&l0_here, memory);
}
END_TEST

START_TEST(global_timestamps_and_barriers_with_timestamps_advance)
{
    const uint32_t bits = kernel_bits();
    ze_kernel_timestamp_result_t t;
    struct chain c;
    struct l0_events e;
    struct l0_list l;
    uint64_t *const times = l0_alloc(&l0_here, L0_SHARED, 16);
    times[0] = times[1] = 0;
    make_chain(&c);
    l0_events_make(&e, &l0_here, 1, true);
    l0_begin(&l, &l0_here, _i, l0_here.compute);
    L0(zeCommandListAppendWriteGlobalTimestamp(l.list, &times[0], NULL, 0,
                                               NULL));
    l0_launch(&l, c.k[0], N_E / LOCAL, NULL, 0, NULL);
    L0(zeCommandListAppendBarrier(l.list, e.event[0], 0, NULL));
    L0(zeCommandListAppendWriteGlobalTimestamp(l.list, &times[1], NULL, 0,
                                               NULL));
    l0_finish(&l);
    check_chain(&c, 1);
    ck_assert_uint_gt(times[0], 0);
    ck_assert_uint_gt(times[1], times[0]);
    L0(zeEventQueryKernelTimestamp(e.event[0], &t));
    ck_assert_uint_gt(t.global.kernelEnd, 0);
    ck_assert_uint_lt(ticks(t.global.kernelStart, t.global.kernelEnd, bits),
                      UINT64_C(1) << (bits - 1));
    l0_end(&l);
    l0_events_drop(&e);
    drop_chain(&c);
    l0_free(&l0_here, times);
}
END_TEST

#define N_EVENTS 8

/* All of one page: the device signals one event and waits for all, the host
 * signals the others meanwhile; then both sides have reset theirs. */
START_TEST(host_and_list_signal_and_reset_events_of_one_page)
{
    struct chain c;
    struct l0_events e;
    struct l0_list l;
    make_chain(&c);
    l0_events_make(&e, &l0_here, N_EVENTS, ways[_i].timestamps);
    l0_begin(&l, &l0_here, false, l0_here.compute);
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned j = 0; j < N_EVENTS; j++)
            ck_assert_int_eq(zeEventQueryStatus(e.event[j]),
                             ZE_RESULT_NOT_READY);
        L0(zeCommandListAppendSignalEvent(l.list, e.event[i]));
        L0(zeCommandListAppendWaitOnEvents(l.list, N_EVENTS, e.event));
        l0_launch(&l, c.k[i], N_E / LOCAL, NULL, 0, NULL);
        L0(zeCommandListAppendEventReset(l.list, e.event[i]));
        l0_submit(&l, NULL);
        for (unsigned j = 0; j < N_EVENTS; j++)
            if (i != j)
                L0(zeEventHostSignal(e.event[j]));
        l0_wait(&l);
        for (unsigned j = 0; j < N_EVENTS; j++) {
            if (i != j) {
                L0(zeEventQueryStatus(e.event[j]));
                L0(zeEventHostReset(e.event[j]));
            }
            ck_assert_int_eq(zeEventQueryStatus(e.event[j]),
                             ZE_RESULT_NOT_READY);
        }
        l0_reset(&l);
    }
    check_chain(&c, 3);
    l0_end(&l);
    l0_events_drop(&e);
    drop_chain(&c);
}
END_TEST

TCase *l0_event_tests(void)
{
    TCase *const t = tcase_create("event");
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, events_order_kernels_of_one_list, 0, 4);
    tcase_add_loop_test(t, a_barrier_over_ranges_orders_kernels, 0, 4);
    tcase_add_loop_test(t, the_list_signals_waits_and_resets_events_itself, 0,
                        4);
    tcase_add_loop_test(t, host_and_list_signal_and_reset_events_of_one_page, 0,
                        1);
    tcase_add_test(t, fences_are_signalled_and_used_again);
    tcase_add_loop_test(t, kernel_timestamps_are_monotone_and_know_more_work, 0,
                        2);
    tcase_add_loop_test(
        t, global_timestamps_and_barriers_with_timestamps_advance, 0, 2);
    return t;
}
