/* SPDX-License-Identifier: Apache-2.0 */
/* What a program calls a kernel: device memory has only code, but the program
 * holds the module that it came from. */
#ifndef XK_VGPU_KERNEL_NAME_H
#define XK_VGPU_KERNEL_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Looks through the memory of process pid for a module whose kernel begins with
 * these n_b bytes of code. */
bool xk_kernel_name_find(int pid, const uint8_t *code, size_t n_b,
                         char name[256]);

#endif
