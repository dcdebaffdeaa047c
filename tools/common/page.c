/* SPDX-License-Identifier: Apache-2.0 */
#include "common/page.h"

#include <string.h>

static const char style[] =
    "<style>\n"
    ":root{color-scheme:light dark;--line:#8884;--dim:#777}\n"
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}\n"
    "h1{margin-bottom:0}.dim{color:var(--dim)}h2{margin-top:3rem;border-bottom:1px solid "
    "var(--line)}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.85rem}\n"
    "th,td{padding:.25rem .7rem;text-align:right;white-space:nowrap;border-bottom:1px solid "
    "var(--line)}\n"
    "th{font-weight:600;white-space:normal;vertical-align:bottom}td.wrong{color:#fff;background:#"
    "b00020}\n"
    "th.left,td.left{text-align:left}tr.sum td{font-weight:600}\n"
    "td .dim{display:block;font-size:.9em}.wide{overflow-x:auto}summary{cursor:pointer}\n"
    "figure{margin:1rem 0}figcaption{font-size:.85rem}figcaption "
    "span{margin-right:1rem;white-space:nowrap}\n"
    "figcaption i{display:inline-block;width:.8em;height:.8em;margin-right:.35em}\n"
    ".facets{display:grid;grid-template-columns:1fr 1fr;gap:0 1.5rem}\n"
    "@media(max-width:50rem){.facets{grid-template-columns:1fr}}\n"
    "svg{width:100%;height:auto;margin:.25rem 0}svg text{font-size:12px;fill:currentColor}\n"
    ".grid{stroke:var(--line)}svg .on{fill:#fff}\n"
    "</style>\n";

/* The bytes of a character of UTF-8 at `text`; 0: it is none, or its end was cut off. */
static size_t character(const char *text)
{
    const unsigned char first = (unsigned char)text[0];
    const size_t length = first < 0x80                    ? 1
                          : first >= 0xc2 && first < 0xe0 ? 2
                          : first >= 0xe0 && first < 0xf0 ? 3
                          : first >= 0xf0 && first < 0xf5 ? 4
                                                          : 0;
    for (size_t i = 1; i < length; i++)
        if (((unsigned char)text[i] & 0xc0) != 0x80)
            return 0;
    /* U+FFFE and U+FFFF are characters of UTF-8, but not of XML. */
    return length == 3 &&
                   (memcmp(text, "\xef\xbf\xbe", 3) == 0 || memcmp(text, "\xef\xbf\xbf", 3) == 0)
               ? 0
               : length;
}

static const char *mark(char c)
{
    return c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : NULL;
}

void page_escaped(FILE *out, const char *text)
{
    while (*text) {
        const size_t length = character(text);
        const char *instead = mark(*text);
        if (length == 0)
            instead = "?";
        else if ((unsigned char)*text < ' ')
            instead = " ";
        if (instead)
            fputs(instead, out);
        else
            fwrite(text, 1, length, out);
        text += length ? length : 1;
    }
}

void page_begin(FILE *out, const char *title, const char *about)
{
    fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width\">\n<title>",
          out);
    page_escaped(out, title);
    fputs(": ", out);
    page_escaped(out, about);
    fprintf(out, "</title>\n%s</head><body>\n<h1>", style);
    page_escaped(out, title);
    fputs("</h1>\n", out);
}

void page_end(FILE *out)
{
    fputs("</body></html>\n", out);
}
