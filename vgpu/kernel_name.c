/* SPDX-License-Identifier: Apache-2.0 */
/* A module in memory has the form of a container file: an ELF whose section
 * .text.NAME holds the code, or patch tokens, where header and name lie
 * directly before the code. This file searches for the code and reads what lies
 * around it. The program's memory is only compared with, never trusted. */
#include "vgpu/kernel_name.h"
#include "base/bytes.h"

#include <ctype.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#define BLOCK_B ((size_t)4 << 20)
#define MAX_REGION_B (UINT64_C(1) << 30) /* no module is in a larger one */
#define MAX_TOTAL_B (UINT64_C(4) << 30)
#define NEEDLE_B 64u     /* of the code, searched for; the rest is compared */
#define MAX_SKIP_B 1024u /* from the kernel's first byte to where it starts */
#define MAX_ELF_B ((uint64_t)64 << 20)
#define TOKENS_HEADER_B 40u
#define TOKENS_NAME_DW 3 /* of the header: bytes of name and of code */
#define TOKENS_HEAP_DW 5 /* code, rounded up */
#define TOKENS_CODE_DW 9
#define MAX_NAME_B 256u
#define TEXT ".text."

struct search {
    int pid;
    const uint8_t *code;
    size_t code_b;
    uint64_t first, end; /* the region in hand */
    uint8_t *block;
    uint64_t left_b; /* how much may still be searched */
    char *name;
};

static bool peek(const struct search *s, uint64_t at, void *dst, size_t n_b)
{
    const struct iovec to = {dst, n_b};
    const struct iovec from = {(void *)(uintptr_t)at, n_b};
    return process_vm_readv(s->pid, &to, 1, &from, 1, 0) == (ssize_t)n_b;
}

/* Compares all of the code, not only its first bytes. */
static bool same_code(const struct search *s, uint64_t at)
{
    uint8_t part[4096];
    for (size_t k = 0; k < s->code_b; k += sizeof part) {
        const size_t n =
            s->code_b - k < sizeof part ? s->code_b - k : sizeof part;
        if (!peek(s, at + k, part, n) || memcmp(part, s->code + k, n) != 0)
            return false;
    }
    return true;
}

/* A name that a compiler would make, with a zero behind it. Other bytes are no
 * name but lie there by chance. */
static bool is_name(const char *name, size_t n_b)
{
    size_t n = 0;
    for (; n < n_b && name[n]; n++) {
        const unsigned char c = (unsigned char)name[n];
        if (!isalpha(c) && c != '_' &&
            !(n && (isdigit(c) || strchr(".$-:", c))))
            return false;
    }
    return n && n < n_b;
}

/* Reads what ends at before[n_b]: header, name, then the first bytes of the
 * kernel's code. The launch may start up to MAX_SKIP_B behind the code's first
 * byte. */
static bool tokens_name(struct search *s, const uint8_t *before, size_t n_b)
{
    for (size_t skip = 0; skip <= MAX_SKIP_B; skip += 64)
        for (size_t name_b = 4; name_b <= MAX_NAME_B; name_b += 4) {
            if (skip + name_b + TOKENS_HEADER_B > n_b)
                break;
            const uint8_t *const name = before + n_b - skip - name_b;
            const uint8_t *const head = name - TOKENS_HEADER_B;
            if (xk_get_dword(head, TOKENS_NAME_DW) != name_b ||
                xk_get_dword(head, TOKENS_CODE_DW) < s->code_b + skip ||
                xk_get_dword(head, TOKENS_CODE_DW) >
                    xk_get_dword(head, TOKENS_HEAP_DW) ||
                xk_get_dword(head, TOKENS_HEAP_DW) > MAX_ELF_B ||
                !is_name((const char *)name, name_b))
                continue;
            memcpy(s->name, name, name_b);
            return true;
        }
    return false;
}

static bool find_tokens(struct search *s, uint64_t at)
{
    uint8_t before[MAX_SKIP_B + MAX_NAME_B + TOKENS_HEADER_B];
    const size_t n_b =
        at - s->first < sizeof before ? (size_t)(at - s->first) : sizeof before;
    return peek(s, at - n_b, before, n_b) && tokens_name(s, before, n_b);
}

/* The section's name, if it is a kernel's section and contains the address. */
static bool section_name(struct search *s, uint64_t elf, const Elf64_Shdr *h,
                         uint64_t names, uint64_t at)
{
    char name[sizeof TEXT - 1 + MAX_NAME_B] = "";
    const uint64_t lies = elf + h->sh_offset;
    if (h->sh_type != SHT_PROGBITS || at < lies || at - lies > MAX_SKIP_B ||
        at - lies + s->code_b > h->sh_size)
        return false;
    const uint64_t from = names + h->sh_name;
    const size_t most_b = sizeof name - 1;
    if (from >= s->end ||
        !peek(s, from, name, s->end - from < most_b ? s->end - from : most_b))
        return false;
    const char *const own = name + sizeof TEXT - 1;
    if (strncmp(name, TEXT, sizeof TEXT - 1) != 0 ||
        !is_name(own, strnlen(own, MAX_NAME_B - 1) + 1))
        return false;
    memcpy(s->name, own, strlen(own) + 1);
    return true;
}

static bool elf_name(struct search *s, uint64_t elf, uint64_t at)
{
    Elf64_Ehdr h;
    Elf64_Shdr names, section;
    if (!peek(s, elf, &h, sizeof h) || h.e_ident[EI_CLASS] != ELFCLASS64 ||
        h.e_shentsize != sizeof section || h.e_shoff > MAX_ELF_B ||
        h.e_shstrndx >= h.e_shnum ||
        !peek(s, elf + h.e_shoff + h.e_shstrndx * sizeof names, &names,
              sizeof names) ||
        names.sh_offset > MAX_ELF_B)
        return false;
    for (unsigned k = 1; k < h.e_shnum; k++)
        if (peek(s, elf + h.e_shoff + k * sizeof section, &section,
                 sizeof section) &&
            section_name(s, elf, &section, elf + names.sh_offset, at))
            return true;
    return false;
}

/* Searches backwards from the code for the nearest ELF header whose sections
 * contain the code. */
static bool find_elf(struct search *s, uint64_t at)
{
    uint8_t part[65536 + SELFMAG];
    uint64_t end = at;
    while (end > s->first && at - end < MAX_ELF_B) {
        const size_t n =
            end - s->first < 65536 ? (size_t)(end - s->first) : 65536;
        if (!peek(s, end - n, part, n))
            return false;
        for (size_t k = n; k-- > 0;)
            if (part[k] == ELFMAG0 && k + SELFMAG <= n &&
                memcmp(part + k, ELFMAG, SELFMAG) == 0 &&
                elf_name(s, end - n + k, at))
                return true;
        end -= n == 65536 ? n - SELFMAG : n;
    }
    return false;
}

/* Every place in the block where the code begins. */
static bool search_block(struct search *s, uint64_t at, size_t n_b,
                         size_t needle_b)
{
    const uint8_t *p = s->block, *const end = s->block + n_b;
    while ((p = memmem(p, (size_t)(end - p), s->code, needle_b))) {
        const uint64_t va = at + (uint64_t)(p - s->block);
        if (same_code(s, va) && (find_tokens(s, va) || find_elf(s, va)))
            return true;
        p++;
    }
    return false;
}

static bool search_region(struct search *s)
{
    const size_t needle_b = s->code_b < NEEDLE_B ? s->code_b : NEEDLE_B;
    for (uint64_t at = s->first; at + needle_b <= s->end;) {
        const size_t n_b =
            s->end - at < BLOCK_B ? (size_t)(s->end - at) : BLOCK_B;
        if (!peek(s, at, s->block, n_b))
            return false;
        if (search_block(s, at, n_b, needle_b))
            return true;
        at += n_b < BLOCK_B ? n_b : BLOCK_B - needle_b;
    }
    return false;
}

/* written: only writable memory, where most modules are; else only memory that
 * is not writable, such as mapped files. */
static bool search_maps(struct search *s, bool written)
{
    char path[64], line[512], rights[8];
    bool found = false;
    snprintf(path, sizeof path, "/proc/%d/maps", s->pid);
    FILE *const f = fopen(path, "re");
    while (f && !found && fgets(line, sizeof line, f)) {
        unsigned long first, end;
        if (sscanf(line, "%lx-%lx %7s", &first, &end, rights) != 3 ||
            rights[0] != 'r' || (rights[1] == 'w') != written ||
            end - first > MAX_REGION_B || end - first > s->left_b ||
            strstr(line, "[v"))
            continue;
        s->first = first;
        s->end = end;
        s->left_b -= end - first;
        found = search_region(s);
    }
    if (f)
        fclose(f);
    return found;
}

bool xk_kernel_name_find(int pid, const uint8_t *code, size_t n_b,
                         char name[256])
{
    struct search s = {.pid = pid,
                       .code = code,
                       .code_b = n_b,
                       .block = malloc(BLOCK_B),
                       .left_b = MAX_TOTAL_B,
                       .name = name};
    const bool found = s.block && n_b >= 16 &&
                       (search_maps(&s, true) || search_maps(&s, false));
    free(s.block);
    return found;
}
