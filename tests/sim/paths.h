/* SPDX-License-Identifier: Apache-2.0 */
#ifndef XK_TESTS_SIM_PATHS_H
#define XK_TESTS_SIM_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* n pairs as assembler text, without an end; the input is 1024 bytes. */
void paths_write(char *text, size_t size_b, unsigned n, uint32_t seed);

#endif
