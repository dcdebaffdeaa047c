/* SPDX-License-Identifier: Apache-2.0 */
/* What compilers say, put right. */
#pragma once

/* A compiler's log with its lines' true origin, to be freed; NULL when memory is out. */
char *cladei_log_translate(const char *log, const char *source);
