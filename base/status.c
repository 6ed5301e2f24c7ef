/* SPDX-License-Identifier: Apache-2.0 */
#include "xekern/status.h"

const char *xk_status_str(enum xk_status status)
{
    switch (status) {
    case XK_OK:
        return "XK_OK";
    case XK_EINVAL:
        return "XK_EINVAL";
    case XK_EUNSUPPORTED:
        return "XK_EUNSUPPORTED";
    case XK_ENOMEM:
        return "XK_ENOMEM";
    case XK_ENOFIT:
        return "XK_ENOFIT";
    case XK_EPARSE:
        return "XK_EPARSE";
    case XK_EIO:
        return "XK_EIO";
    case XK_EABSENT:
        return "XK_EABSENT";
    case XK_EDEVICE:
        return "XK_EDEVICE";
    case XK_EFAULT:
        return "XK_EFAULT";
    case XK_EINTERNAL:
        return "XK_EINTERNAL";
    }
    return "XK_E?";
}
