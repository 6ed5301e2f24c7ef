/* SPDX-License-Identifier: Apache-2.0 */
kernel void poke(global uchar *p, ulong at, uint v)
{
    p[at + get_global_id(0)] = (uchar)(v + get_global_id(0));
}
