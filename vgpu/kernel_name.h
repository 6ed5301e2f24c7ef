/* SPDX-License-Identifier: Apache-2.0 */
/* The names of kernels. Device memory holds only code, but the program still
 * holds the module from which the code came. */
#ifndef XK_VGPU_KERNEL_NAME_H
#define XK_VGPU_KERNEL_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Searches the memory of process pid for a module with a kernel that begins
 * with these n_b bytes of code. */
bool xk_kernel_name_find(int pid, const uint8_t *code, size_t n_b,
                         char name[256]);

#endif
