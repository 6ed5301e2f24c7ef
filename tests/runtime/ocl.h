/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that others made: OpenCL C through Intel's compiler (ocloc), brought
 * into native encoding by Intel's assembler (iga64). */
#ifndef XK_TESTS_RUNTIME_OCL_H
#define XK_TESTS_RUNTIME_OCL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False, with a line on stdout, if ocloc or iga64 is not installed. */
bool ocl_available(void);
/* The zebin of a .cl file for an ocloc device, without compacted instructions;
 * simd forces a width, 0 leaves it to the compiler.
 * NULL if a tool refuses. Free with free(). */
uint8_t *ocl_compile(const char *cl_path, const char *device, unsigned simd,
                     size_t *n_b);
/* Native code of assembler text for xehpg; NULL if iga64 refuses. */
uint8_t *ocl_assemble(const char *text, size_t *n_b);
/* The same for what iga64 calls a platform. */
uint8_t *ocl_assemble_as(const char *iga, const char *text, size_t *n_b);

#endif
