/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that the CPU rewrites between launches: of all three kinds, from
 * regular and immediate lists; and more than a small device would have. */
#include <stdlib.h>
#include <string.h>

#include "tests/driver/l0_host.h"

#define N_E 10007 /* elements; the last group is not full */
#define LOCAL 64
#define ITERATIONS 4

static const struct {
    enum l0_memory kind;
    bool immediate;
} ways[] = {
    {L0_DEVICE, false}, {L0_DEVICE, true},  {L0_HOST, false},
    {L0_HOST, true},    {L0_SHARED, false}, {L0_SHARED, true},
};
enum { N_WAYS = sizeof ways / sizeof ways[0] };

/* What iteration t puts into a (which = 0) and b. */
static int value(unsigned which, unsigned t, unsigned i)
{
    return (int)(i * (which ? 40503u : 2654435761u) + t * 97u + which);
}

static void fill(int *p, unsigned which, unsigned t)
{
    for (unsigned i = 0; i < N_E; i++)
        p[i] = value(which, t, i);
}

static void compare(const int *c, unsigned t)
{
    for (unsigned i = 0; i < N_E; i++)
        ck_assert_msg(
            c[i] == (int)((unsigned)value(0, t, i) + (unsigned)value(1, t, i)),
            "iteration %u, element %u: %d", t, i, c[i]);
}

static ze_kernel_handle_t make_add(void *a, void *b, void *c)
{
    static const int n = N_E;
    const struct l0_arg args[] = {L0_POINTER(a), L0_POINTER(b), L0_POINTER(c),
                                  L0_VALUE(n)};
    return l0_kernel(l0_here.module, "add", LOCAL, 4, args);
}

/* Copies in and out, when the CPU cannot reach the memory. */
static void transfer(struct l0_list *l, bool copies, void *to, const void *from)
{
    if (!copies)
        return;
    L0(zeCommandListAppendMemoryCopy(l->list, to, from, sizeof(int) * N_E, NULL,
                                     0, NULL));
    L0(zeCommandListAppendBarrier(l->list, NULL, 0, NULL));
}

static void iterate(enum l0_memory kind, struct l0_list *l)
{
    const bool copies = kind == L0_DEVICE;
    int *here[3];
    void *there[3];
    for (unsigned k = 0; k < 3; k++) {
        there[k] = l0_alloc(&l0_here, kind, sizeof(int) * N_E);
        here[k] = copies ? malloc(sizeof(int) * N_E) : there[k];
    }
    ze_kernel_handle_t add = make_add(there[0], there[1], there[2]);
    for (unsigned t = 0; t < ITERATIONS; t++) {
        fill(here[0], 0, t);
        fill(here[1], 1, t);
        memset(here[2], 0x55, sizeof(int) * N_E);
        transfer(l, copies, there[0], here[0]);
        transfer(l, copies, there[1], here[1]);
        l0_launch(l, add, (N_E + LOCAL - 1) / LOCAL, NULL, 0, NULL);
        L0(zeCommandListAppendBarrier(l->list, NULL, 0, NULL));
        transfer(l, copies, here[2], there[2]);
        l0_finish(l);
        compare(here[2], t);
    }
    L0(zeKernelDestroy(add));
    for (unsigned k = 0; k < 3; k++) {
        if (copies)
            free(here[k]);
        l0_free(&l0_here, there[k]);
    }
}

START_TEST(memory_rewritten_between_launches_is_read)
{
    struct l0_list l;
    l0_begin(&l, &l0_here, ways[_i].immediate, l0_here.compute);
    iterate(ways[_i].kind, &l);
    l0_end(&l);
}
END_TEST

/* The list is closed once; the driver sends nothing of the buffers later. */
START_TEST(a_closed_list_is_executed_again_on_rewritten_memory)
{
    int *m[3];
    struct l0_list l;
    for (unsigned k = 0; k < 3; k++)
        m[k] = l0_alloc(&l0_here, _i ? L0_SHARED : L0_HOST, sizeof(int) * N_E);
    ze_kernel_handle_t add = make_add(m[0], m[1], m[2]);
    l0_begin(&l, &l0_here, false, l0_here.compute);
    l0_launch(&l, add, (N_E + LOCAL - 1) / LOCAL, NULL, 0, NULL);
    L0(zeCommandListClose(l.list));
    for (unsigned t = 0; t < ITERATIONS; t++) {
        fill(m[0], 0, t);
        fill(m[1], 1, t);
        L0(zeCommandQueueExecuteCommandLists(l.queue, 1, &l.list, NULL));
        l0_wait(&l);
        compare(m[2], t);
    }
    l0_end(&l);
    L0(zeKernelDestroy(add));
    for (unsigned k = 0; k < 3; k++)
        l0_free(&l0_here, m[k]);
}
END_TEST

/* Pages of a buffer that the kernel wrote, and others that the CPU writes. */
START_TEST(cpu_and_kernel_write_different_parts_of_one_buffer)
{
    static const int factor = 3, more = 1;
    static int expected[N_E];
    int *const a = l0_alloc(&l0_here, L0_SHARED, sizeof(int) * N_E);
    int *const half = a + 5000; /* in the middle of a page */
    const struct l0_arg args[] = {L0_POINTER(half), L0_VALUE(factor),
                                  L0_VALUE(more)};
    ze_kernel_handle_t k = l0_kernel(l0_here.module, "step", 50, 3, args);
    struct l0_list l;
    l0_begin(&l, &l0_here, _i, l0_here.compute);
    for (unsigned i = 0; i < N_E; i++)
        expected[i] = a[i] = (int)i;
    for (int t = 0; t < ITERATIONS; t++) {
        l0_launch(&l, k, 100, NULL, 0, NULL);
        l0_finish(&l);
        for (unsigned i = 5000; i < 10000; i++)
            expected[i] = (int)((unsigned)expected[i] * 3u + 1u);
        ck_assert_mem_eq(a, expected, sizeof expected);
        for (unsigned i = 0; i < 5003; i++)
            expected[i] = a[i] = (int)i - t;
    }
    l0_end(&l);
    L0(zeKernelDestroy(k));
    l0_free(&l0_here, a);
}
END_TEST

TCase *l0_memory_tests(void)
{
    TCase *const t = tcase_create("memory");
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, memory_rewritten_between_launches_is_read, 0,
                        N_WAYS);
    tcase_add_loop_test(t, a_closed_list_is_executed_again_on_rewritten_memory,
                        0, 2);
    tcase_add_loop_test(t, cpu_and_kernel_write_different_parts_of_one_buffer,
                        0, 2);
    return t;
}

#define PART_B ((size_t)256 << 20)
#define N_PARTS 4
#define STEP_B ((size_t)64 << 10)

/* Every 64 KiB of 1 GiB is written and compared. */
START_TEST(a_gibibyte_in_four_buffers_is_addressed)
{
    static const uint64_t step_e = STEP_B / 4;
    uint32_t *part[N_PARTS];
    ze_kernel_handle_t kernel[N_PARTS];
    struct l0_list l;
    l0_begin(&l, &l0_here, false, l0_here.compute);
    for (uint32_t k = 0; k < N_PARTS; k++) {
        part[k] = l0_alloc(&l0_here, L0_SHARED, PART_B);
        const struct l0_arg args[] = {L0_POINTER(part[k]), L0_VALUE(step_e),
                                      L0_VALUE(k)};
        kernel[k] = l0_kernel(l0_here.module, "touch", 64, 3, args);
        l0_launch(&l, kernel[k], (uint32_t)(PART_B / STEP_B / 64), NULL, 0,
                  NULL);
    }
    l0_finish(&l);
    for (uint32_t k = 0; k < N_PARTS; k++)
        for (uint32_t i = 0; i < PART_B / STEP_B; i++)
            ck_assert_uint_eq(part[k][i * step_e], i * 2654435761u + k);
    for (uint32_t k = 0; k < N_PARTS; k++) {
        L0(zeKernelDestroy(kernel[k]));
        l0_free(&l0_here, part[k]);
    }
    l0_end(&l);
}
END_TEST

TCase *l0_large_tests(void)
{
    TCase *const t = tcase_create("large");
    tcase_set_timeout(t, 1200);
    tcase_add_test(t, a_gibibyte_in_four_buffers_is_addressed);
    return t;
}
