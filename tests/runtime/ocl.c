/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/runtime/ocl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool have(const char *tool)
{
    char cmd[128];
    snprintf(cmd, sizeof(cmd), "command -v %s >/dev/null 2>&1", tool);
    if (system(cmd) == 0)
        return true;
    printf("# %s is not installed\n", tool);
    return false;
}

bool ocl_available(void)
{
    return have("ocloc") && have("iga64");
}

static uint8_t *read_file(const char *path, size_t *n_b)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    *n_b = (size_t)ftell(f);
    rewind(f);
    uint8_t *p = malloc(*n_b + 1);
    if (p && fread(p, 1, *n_b, f) != *n_b) {
        free(p);
        p = NULL;
    }
    if (p)
        p[*n_b] = 0;
    fclose(f);
    return p;
}

static bool write_file(const char *path, const void *p, size_t n_b)
{
    FILE *f = fopen(path, "wb");
    if (!f)
        return false;
    const bool ok = fwrite(p, 1, n_b, f) == n_b;
    return fclose(f) == 0 && ok;
}

/* Takes the word out of every instruction option list. */
static void drop_compacted(char *s)
{
    static const char *const forms[] = {",Compacted", "Compacted,",
                                        "Compacted"};
    for (unsigned k = 0; k < 3; k++)
        for (char *p = s; (p = strstr(p, forms[k]));)
            memset(p, ' ', strlen(forms[k]));
    for (char *p = s; (p = strchr(p, '{')); p++) {
        char *end = strchr(p, '}');
        if (end && strspn(p + 1, " ") == (size_t)(end - p - 1))
            memset(p, ' ', (size_t)(end - p + 1));
    }
}

static bool run(const char *dir, const char *fmt, const char *arg)
{
    char cmd[1024], full[1200];
    snprintf(cmd, sizeof(cmd), fmt, arg);
    snprintf(full, sizeof(full), "cd %s && %s", dir, cmd);
    return system(full) == 0;
}

static uint8_t *assemble_in(const char *dir, const char *iga, const char *text,
                            size_t *n_b)
{
    char path[300];
    snprintf(path, sizeof(path), "%s/t.asm", dir);
    if (!write_file(path, text, strlen(text)) ||
        !run(dir, "iga64 -q -a -p=%s t.asm -o t.out >t.err 2>&1", iga)) {
        run(dir, "cat %s", "t.err");
        return NULL;
    }
    snprintf(path, sizeof(path), "%s/t.out", dir);
    return read_file(path, n_b);
}

/* iga64's name of what ocloc compiles for. */
static const char *iga_of(const char *device)
{
    return !strcmp(device, "tgllp") ? "12p1"
           : !strcmp(device, "pvc") ? "12p72"
                                    : "12p71";
}

/* Disassembles and assembles again, natively. */
static uint8_t *native(const char *dir, const char *iga, const uint8_t *code,
                       size_t code_b, size_t *n_b)
{
    char path[300];
    snprintf(path, sizeof(path), "%s/t.bin", dir);
    if (!write_file(path, code, code_b) ||
        !run(dir, "iga64 -q -d -p=%s t.bin -o t.dis 2>/dev/null", iga))
        return NULL;
    size_t text_b;
    snprintf(path, sizeof(path), "%s/t.dis", dir);
    char *text = (char *)read_file(path, &text_b);
    if (!text)
        return NULL;
    drop_compacted(text);
    uint8_t *out = assemble_in(dir, iga, text, n_b);
    free(text);
    return out;
}

static uint64_t get(const uint8_t *p, unsigned n)
{
    uint64_t v = 0;
    memcpy(&v, p, n);
    return v;
}

/* Appends the native code of section i to the file and points the section
 * there. */
static bool patch_section(const char *dir, const char *iga, uint8_t **file,
                          size_t *n_b, size_t header)
{
    size_t code_b;
    const uint64_t off = get(*file + header + 24, 8);
    const uint64_t size_b = get(*file + header + 32, 8);
    uint8_t *code = native(dir, iga, *file + off, (size_t)size_b, &code_b);
    if (!code)
        return false;
    const size_t at = (*n_b + 63) / 64 * 64;
    uint8_t *grown = realloc(*file, at + code_b);
    if (!grown)
        return false;
    memset(grown + *n_b, 0, at - *n_b);
    memcpy(grown + at, code, code_b);
    const uint64_t new_off = at, new_b = code_b;
    memcpy(grown + header + 24, &new_off, 8);
    memcpy(grown + header + 32, &new_b, 8);
    *file = grown;
    *n_b = at + code_b;
    free(code);
    return true;
}

static bool patch_all(const char *dir, const char *iga, uint8_t **file,
                      size_t *n_b)
{
    const uint64_t table = get(*file + 40, 8);
    const unsigned n = (unsigned)get(*file + 60, 2);
    const unsigned names = (unsigned)get(*file + 62, 2);
    for (unsigned i = 0; i < n; i++) {
        const size_t h = (size_t)table + 64u * i;
        const uint64_t strings = get(*file + table + 64u * names + 24, 8);
        const char *name = (const char *)*file + strings + get(*file + h, 4);
        if (strncmp(name, ".text.", 6) == 0 &&
            !patch_section(dir, iga, file, n_b, h))
            return false;
    }
    return true;
}

static uint8_t *compile_in(const char *dir, const char *cl_path,
                           const char *device, unsigned simd, size_t *n_b)
{
    char cmd[1024], path[300];
    char env[64] = "";
    if (simd)
        snprintf(env, sizeof(env), "IGC_ForceOCLSIMDWidth=%u ", simd);
    snprintf(cmd, sizeof(cmd),
             "%socloc compile -file %s -device %s --format zebin -output k "
             "-out_dir %s -output_no_suffix -options "
             "'-cl-intel-greater-than-4GB-buffer-required' >%s/t.err 2>&1",
             env, cl_path, device, dir, dir);
    if (system(cmd) != 0) {
        run(dir, "cat %s", "t.err");
        return NULL;
    }
    snprintf(path, sizeof(path), "%s/k", dir);
    uint8_t *file = read_file(path, n_b);
    if (file && !patch_all(dir, iga_of(device), &file, n_b)) {
        free(file);
        file = NULL;
    }
    return file;
}

uint8_t *ocl_compile(const char *cl_path, const char *device, unsigned simd,
                     size_t *n_b)
{
    char dir[] = "/tmp/xk_ocl_XXXXXX", cmd[64];
    if (!mkdtemp(dir))
        return NULL;
    uint8_t *file = compile_in(dir, cl_path, device, simd, n_b);
    snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
    if (system(cmd) != 0)
        printf("# %s stays behind\n", dir);
    return file;
}

uint8_t *ocl_assemble_as(const char *iga, const char *text, size_t *n_b)
{
    char dir[] = "/tmp/xk_asm_XXXXXX", cmd[64];
    if (!mkdtemp(dir))
        return NULL;
    uint8_t *code = assemble_in(dir, iga, text, n_b);
    snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
    if (system(cmd) != 0)
        printf("# %s stays behind\n", dir);
    return code;
}

uint8_t *ocl_assemble(const char *text, size_t *n_b)
{
    return ocl_assemble_as("12p71", text, n_b);
}
