/* SPDX-License-Identifier: Apache-2.0 */
/* How wide what people read may be. */
#pragma once

/* Columns of the terminal that the standard output is: $COLUMNS, or what the terminal says. 0: the
 * output goes elsewhere, and nothing is left out of it. */
unsigned screen_width(void);

/* A record on the standard output where its line in a table would be too long: items one after the
 * other, with a semicolon between them, in lines of `width` columns. */
struct screen_record {
    unsigned width, used;
};
void screen_item(struct screen_record *record, const char *text);
void screen_record_end(struct screen_record *record);
