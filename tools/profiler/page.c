/* SPDX-License-Identifier: Apache-2.0 */
/* The page of `clade profile`: a flame of calls and kernels, as wide as they took, and tables. */
#include <inttypes.h>
#include <string.h>

#include "common/page.h"
#include "profiler/profile.h"

enum { WIDTH = 900, ROW = 30, LETTER = 7, COLOURS = 6 };

/* Warm ones for kernels; what is outside is grey. */
static const char *const colours[COLOURS] = { "#b8420f", "#cf7a12", "#a83250",
                                              "#8c5a1e", "#c2551e", "#9c3a3a" };

/* --- the flame -------------------------------------------------------------------------------- */

/* A box with its label, if there is room for it; who points at it is told its figures. */
static void draw_box(FILE *out, double x, double width, unsigned row, const char *colour,
                     const char *label, const char *figures)
{
    const size_t letters = width > 2 * LETTER ? (size_t)(width / LETTER) - 1 : 0;
    fprintf(out,
            "<g><title>%s: %s</title><rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" "
            "fill=\"%s\"/>",
            label, figures, x, row * ROW, width > 0.5 ? width - 0.5 : width, ROW - 2, colour);
    if (letters > 2)
        fprintf(out, "<text class=\"on\" x=\"%.2f\" y=\"%u\">%.*s</text>", x + 5, row * ROW + 19,
                (int)letters, label);
    fputs("</g>\n", out);
}

/* Which colour a kernel has: the same in every call. */
static const char *colour_of(const char *name)
{
    unsigned hash = 0;
    for (; *name; name++)
        hash = hash * 31 + (unsigned char)*name;
    return colours[hash % COLOURS];
}

/* Without the prefix that all kernels have. */
static const char *short_name(const char *name)
{
    return strncmp(name, "clade_", 6) == 0 ? name + 6 : name;
}

static void describe(char *text, size_t room, double ms, double whole, unsigned passes)
{
    snprintf(text, room, "%.4g ms, %.1f %%", ms / passes, whole > 0 ? 100 * ms / whole : 0);
}

static void draw_step(FILE *out, const struct profile_result *r, const struct profile_step *step,
                      double x, double scale)
{
    char figures[160], half[64];
    describe(half, sizeof half, step->ms, step->ms, r->passes);
    snprintf(figures, sizeof figures, "%s of the call; %.1f %% of tries were retries", half,
             profile_retry_share(step));
    if (!r->load->retries)
        snprintf(figures, sizeof figures, "%s", half);
    draw_box(out, x, step->ms * scale, 1, "#3d6b8f", step->name, figures);
    if (step->counts.retries > 0)
        fprintf(out, "<rect fill=\"#ffc94d\" x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"4\"/>\n",
                x, 2 * ROW - 6, step->ms * scale * profile_retry_share(step) / 100);
    for (size_t k = 0; k < step->kernel_count; k++) {
        const struct profile_kernel *kernel = &step->kernels[k];
        describe(half, sizeof half, kernel->ms, step->ms, r->passes);
        snprintf(figures, sizeof figures, "%s of the call, %u launches", half,
                 kernel->launches / r->passes);
        draw_box(out, x, kernel->ms * scale, 2, colour_of(kernel->name), short_name(kernel->name),
                 figures);
        x += kernel->ms * scale;
    }
    const double rest = step->ms - step->device_ms;
    if (rest > 0) {
        describe(half, sizeof half, rest, step->ms, r->passes);
        draw_box(out, x, rest * scale, 2, "#8a8a8a", "outside kernels", half);
    }
}

static void draw_flame(FILE *out, const struct profile_result *r)
{
    char figures[64];
    double whole = 0, x = 0;
    for (size_t s = 0; s < r->step_count; s++)
        whole += r->steps[s].ms;
    const double scale = whole > 0 ? WIDTH / whole : 0;
    fprintf(out,
            "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"calls, and kernels below them, "
            "as wide as they took\">\n",
            WIDTH, 3 * ROW);
    describe(figures, sizeof figures, whole, whole, r->passes);
    draw_box(out, 0, WIDTH, 0, "#2b4257", r->load->name, figures);
    for (size_t s = 0; s < r->step_count; s++) {
        draw_step(out, r, &r->steps[s], x, scale);
        x += r->steps[s].ms * scale;
    }
    fputs("</svg>\n", out);
}

/* --- tables ----------------------------------------------------------------------------------- */

static void write_step(FILE *out, const struct profile_result *r, const struct profile_step *step)
{
    const double rest = step->ms > step->device_ms ? step->ms - step->device_ms : 0;
    fprintf(out,
            "<tr class=\"sum\"><td class=\"left\">%s</td><td></td><td></td><td>%.4f</td><td></td>"
            "<td colspan=\"2\">%.4g M/s</td></tr>\n",
            step->name, step->ms / r->passes, (double)step->elements / step->ms * 1e-3);
    for (size_t k = 0; k < step->kernel_count; k++) {
        const struct profile_kernel *it = &step->kernels[k];
        fprintf(out,
                "<tr><td></td><td class=\"left\">%s</td><td>%.4g</td><td>%.4f</td><td>%.1f %%</td>"
                "<td>%.4f</td><td>%.4f</td></tr>\n",
                it->name, (double)it->launches / r->passes, it->ms / r->passes,
                100 * it->ms / step->ms, it->least_ms, it->most_ms);
    }
    fprintf(out,
            "<tr class=\"dim\"><td></td><td class=\"left\">outside kernels</td><td></td>"
            "<td>%.4f</td><td>%.1f %%</td><td></td><td></td></tr>\n",
            rest / r->passes, 100 * rest / step->ms);
}

static void write_times(FILE *out, const struct profile_result *r)
{
    fputs("<h2>Time</h2><div class=\"wide\"><table><thead><tr><th class=\"left\">call</th><th "
          "class=\"left\">kernel</th><th>launches</th><th>ms</th><th>share</th><th>least, ms</th>"
          "<th>most, ms</th></tr></thead><tbody>\n",
          out);
    for (size_t s = 0; s < r->step_count; s++)
        write_step(out, r, &r->steps[s]);
    fputs("</tbody></table></div>\n", out);
}

static void write_counts(FILE *out, const struct profile_result *r)
{
    const struct profile_load *load = r->load;
    fputs("<h2>Statistics</h2>\n", out);
    if (!load->count) {
        fprintf(out, "<p>%s counts no tries.</p>\n", load->name);
        return;
    }
    if (load->retries)
        fprintf(out, "<p>Retries are %s; the share is of all tries. %s</p>\n", load->retries,
                profile_share_meaning);
    fputs("<div class=\"wide\"><table><thead><tr><th class=\"left\">call</th>", out);
    if (load->retries)
        fputs("<th>retries</th><th>share</th>", out);
    for (size_t i = 0; i < PROFILE_COUNTS && load->others[i]; i++)
        fprintf(out, "<th>%s</th>", load->others[i]);
    fputs("</tr></thead><tbody>\n", out);
    for (size_t s = 0; s < r->step_count; s++) {
        const struct profile_counts *counts = &r->steps[s].counts;
        fprintf(out, "<tr><td class=\"left\">%s</td>", r->steps[s].name);
        if (load->retries)
            fprintf(out, "<td>%" PRIu64 "</td><td>%.2f %%</td>", counts->retries / r->passes,
                    profile_retry_share(&r->steps[s]));
        for (size_t i = 0; i < PROFILE_COUNTS && load->others[i]; i++)
            fprintf(out, "<td>%" PRIu64 "</td>", counts->others[i] / r->passes);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

void profile_write_page(FILE *out, const struct profile_result *r)
{
    page_begin(out, "clade profile", r->load->name);
    fputs("<p class=\"dim\">", out);
    page_escaped(out, r->device);
    fputs(", driver ", out);
    page_escaped(out, r->driver);
    fprintf(out,
            ". clade %s. %s, %" PRIu32 " elements, a mean of %" PRIu32 " passes behind one that is "
            "not counted. Kernels by the driver's events; calls by the host's clock, to the end of "
            "their work. %s</p>\n",
            clade_version(), r->load->name, r->n, r->passes,
            r->load->retries ? "The yellow part of a call's edge: retries' share of its tries."
                             : "");
    draw_flame(out, r);
    write_times(out, r);
    write_counts(out, r);
}
