/* SPDX-License-Identifier: Apache-2.0 */
#include "common/screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/options.h"

unsigned screen_width(void)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size = { 0 };
    uint64_t number;
    if (!isatty(STDOUT_FILENO))
        return 0;
    if (columns && option_number(columns, 1, 10000, &number))
        return (unsigned)number;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void screen_item(struct screen_record *record, const char *text)
{
    const unsigned length = (unsigned)strlen(text);
    if (record->used == 0) {
        fputs(text, stdout);
        record->used = length;
    } else if (record->used + 2 + length + 1 <= record->width) { /* and a semicolon may follow */
        printf("; %s", text);
        record->used += 2 + length;
    } else {
        printf(";\n    %s", text);
        record->used = 4 + length;
    }
}

void screen_record_end(struct screen_record *record)
{
    putchar('\n');
    record->used = 0;
}
