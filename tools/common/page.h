/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of HTML that need no other file: what `clade bench` and `clade profile` write have the same
 * look. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Text as HTML and XML take it: their marks escaped, a blank for a control character, and a
 * question mark for what is no character, such as one that was cut in the middle. */
void page_escaped(FILE *out, const char *text);
/* From the doctype to the heading: "TITLE: ABOUT" is the title, TITLE the heading. */
void page_begin(FILE *out, const char *title, const char *about);
void page_end(FILE *out);
