/* SPDX-License-Identifier: Apache-2.0 */
#ifndef XK_TESTS_SIM_PATHS_H
#define XK_TESTS_SIM_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* n instructions as assembler text, without an end. They write r20 to r27 and
 * f0.0, and read r40 to r72. */
void paths_write(char *text, size_t size_b, unsigned n, uint32_t seed);
/* dpas with every pair of types and every repeat count. */
void paths_write_dpas(char *text, size_t size_b, uint32_t seed);

/* Registers every run of these starts with: random bits with many small
 * numbers, denormals, infinities and NaNs of float, half and bfloat. */
void paths_fill(uint8_t *rf, size_t n_b, uint32_t seed);

#endif
