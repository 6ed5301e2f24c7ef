/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel's name, found in this process's memory: modules laid out by hand as
 * the two containers are (virtual-device.md 7; a kernel's header in patch
 * tokens). */
#include <elf.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"
#include "vgpu/kernel_name.h"

#define CODE_B 512u
#define SKIP_B 192u

static uint8_t code[CODE_B];
static uint8_t *module; /* where a test puts one */
static char name[256];

/* No two runs and no two tests look for the same bytes; what is searched for is
 * not left lying about in another place of this process. */
static void begin(void)
{
    static uint64_t seed = 88172645463325252u;
    for (unsigned k = 0; k < CODE_B; k++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        code[k] = (uint8_t)seed;
    }
    module = calloc(1, 65536);
    ck_assert_ptr_nonnull(module);
    name[0] = 0;
}

static void end(void)
{
    free(module);
}

static void put(uint8_t *p, uint32_t v)
{
    memcpy(p, &v, 4);
}

/* Header of ten dwords, name, code. */
static void make_tokens(uint8_t *p, const char *own)
{
    const uint32_t name_b = (uint32_t)(strlen(own) + 4) & ~3u;
    put(p + 12, name_b);
    put(p + 20, CODE_B + 64);
    put(p + 32, 12); /* bytes of surface states: a lookalike of a name's */
    put(p + 36, CODE_B);
    strcpy((char *)p + 40, own);
    memcpy(p + 40 + name_b, code, CODE_B);
}

/* Null section, .text.NAME, the names. */
static void make_elf(uint8_t *p, const char *section)
{
    Elf64_Ehdr h = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64},
                    .e_type = ET_REL,
                    .e_machine = 205,
                    .e_shoff = 4096,
                    .e_shentsize = sizeof(Elf64_Shdr),
                    .e_shnum = 3,
                    .e_shstrndx = 2};
    const Elf64_Shdr sections[3] = {
        {0},
        {.sh_name = 1,
         .sh_type = SHT_PROGBITS,
         .sh_offset = 1024,
         .sh_size = CODE_B},
        {.sh_type = SHT_STRTAB, .sh_offset = 2048, .sh_size = 512}};
    memcpy(p, &h, sizeof h);
    memcpy(p + 1024, code, CODE_B);
    strcpy((char *)p + 2048 + 1, section);
    memcpy(p + 4096, sections, sizeof sections);
}

START_TEST(a_name_in_patch_tokens_is_found)
{
    make_tokens(module + 32 * (uint32_t)_i, "CopyBufferToBufferMiddleRegion");
    ck_assert(xk_kernel_name_find(getpid(), code, CODE_B, name));
    ck_assert_str_eq(name, "CopyBufferToBufferMiddleRegion");
}
END_TEST

START_TEST(a_name_in_a_zebin_is_found)
{
    make_elf(module + 16 * (uint32_t)_i, ".text.vector_add");
    ck_assert(xk_kernel_name_find(getpid(), code, CODE_B, name));
    ck_assert_str_eq(name, "vector_add");
}
END_TEST

START_TEST(a_start_behind_the_kernels_first_byte_is_found)
{
    if (_i)
        make_elf(module, ".text.later");
    else
        make_tokens(module, "later");
    ck_assert(
        xk_kernel_name_find(getpid(), code + SKIP_B, CODE_B - SKIP_B, name));
    ck_assert_str_eq(name, "later");
}
END_TEST

START_TEST(code_without_a_module_has_no_name)
{
    memcpy(module + 8192, code, CODE_B);
    ck_assert(!xk_kernel_name_find(getpid(), code, CODE_B, name));
}
END_TEST

/* A number that looks like a name, where a name's length could stand. */
START_TEST(what_no_compiler_calls_a_kernel_is_no_name)
{
    make_tokens(module, "\"");
    ck_assert(!xk_kernel_name_find(getpid(), code, CODE_B, name));
    make_elf(module, ".text.2nd");
    ck_assert(!xk_kernel_name_find(getpid(), code, CODE_B, name));
}
END_TEST

START_TEST(a_module_with_other_code_behind_the_same_start_is_not_taken)
{
    make_elf(module, ".text.other");
    module[1024 + CODE_B - 1] ^= 1;
    ck_assert(!xk_kernel_name_find(getpid(), code, CODE_B, name));
}
END_TEST

/* Fields of the file header and of a section that lie. */
START_TEST(a_module_that_lies_is_survived)
{
    static const struct {
        unsigned at, n;
        uint64_t value;
    } lies[] = {
        {offsetof(Elf64_Ehdr, e_shoff), 8, UINT64_MAX},
        {offsetof(Elf64_Ehdr, e_shoff), 8, 60000},
        {offsetof(Elf64_Ehdr, e_shnum), 2, 0xffff},
        {offsetof(Elf64_Ehdr, e_shstrndx), 2, 7},
        {4096 + sizeof(Elf64_Shdr), 4, 0x7fffffff},
        {4096 + sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_offset), 8,
         UINT64_MAX - 100},
        {4096 + 2 * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_offset), 8,
         UINT64_MAX - 100},
    };
    make_elf(module, ".text.liar");
    for (unsigned k = 0; k < sizeof lies / sizeof lies[0]; k++) {
        memset(module, 0, 65536);
        make_elf(module, ".text.liar");
        memcpy(module + lies[k].at, &lies[k].value, lies[k].n);
        if (xk_kernel_name_find(getpid(), code, CODE_B, name))
            ck_assert_str_eq(name, "liar");
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *const s = suite_create("kernel_name");
    TCase *const t = tcase_create("kernel_name");
    tcase_add_checked_fixture(t, begin, end);
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, a_name_in_patch_tokens_is_found, 0, 3);
    tcase_add_loop_test(t, a_name_in_a_zebin_is_found, 0, 3);
    tcase_add_loop_test(t, a_start_behind_the_kernels_first_byte_is_found, 0,
                        2);
    tcase_add_test(t, code_without_a_module_has_no_name);
    tcase_add_test(t, what_no_compiler_calls_a_kernel_is_no_name);
    tcase_add_test(t,
                   a_module_with_other_code_behind_the_same_start_is_not_taken);
    tcase_add_test(t, a_module_that_lies_is_survived);
    suite_add_tcase(s, t);
    return s;
}

int main(void)
{
    return xk_tap_run(suite());
}
