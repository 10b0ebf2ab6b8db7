/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The heat map of workers as SVG. */
#include <math.h>

#include "results/whatif.h"

#define CELL   48 /* width of a worker */
#define HEIGHT 24
#define LEFT   64
#define TOP    56

/* From white (a slowdown of 1 or less) to red (the largest). */
static void append_cell(GString *text, const lag_whatif *whatif, uint32_t dp, uint32_t stage,
                        double most)
{
    size_t worker = (size_t)dp * whatif->job->n_stages + stage;
    double slowdown = whatif->by_worker[worker];
    double heat = most > 1 && slowdown > 1 ? (slowdown - 1) / (most - 1) : 0;
    uint32_t x = LEFT + CELL * stage, y = TOP + HEIGHT * dp;
    int shade = 255 - (int)lround(200 * fmin(heat, 1));

    g_string_append_printf(text,
                           "<rect x=\"%u\" y=\"%u\" width=\"%d\" height=\"%d\" "
                           "fill=\"rgb(255,%d,%d)\" stroke=\"#999\"><title>rank %u: S "
                           "%.4f</title></rect>\n"
                           "<text x=\"%u\" y=\"%u\" text-anchor=\"middle\">%.3f</text>\n",
                           x, y, CELL, HEIGHT, shade, shade, whatif->job->rank[worker], slowdown,
                           x + CELL / 2, y + HEIGHT - 8, slowdown);
}

void lag_whatif_svg(GString *text, const struct lag_whatif_report *report)
{
    const lag_whatif *whatif = report->whatif;
    const lag_job *job = whatif->job;
    g_autofree char *title = g_markup_escape_text(report->file, -1);
    double most = 1;

    for (uint32_t i = 0; i < job->n_dp * job->n_stages; i++)
        most = fmax(most, whatif->by_worker[i]);
    g_string_append_printf(text,
                           "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
                           "font-family=\"sans-serif\" font-size=\"11\">\n"
                           "<text x=\"8\" y=\"18\" font-size=\"13\">%s: slowdown of workers, job "
                           "S %.4f</text>\n",
                           MAX(LEFT + CELL * job->n_stages + 8, 480), TOP + HEIGHT * job->n_dp + 8,
                           title, whatif->slowdown);
    for (uint32_t stage = 0; stage < job->n_stages; stage++)
        g_string_append_printf(text,
                               "<text x=\"%u\" y=\"%d\" text-anchor=\"middle\">PP %u</text>\n",
                               LEFT + CELL * stage + CELL / 2, TOP - 8, stage);
    for (uint32_t dp = 0; dp < job->n_dp; dp++) {
        g_string_append_printf(text, "<text x=\"8\" y=\"%u\">DP %u</text>\n",
                               TOP + HEIGHT * dp + HEIGHT - 8, dp);
        for (uint32_t stage = 0; stage < job->n_stages; stage++)
            append_cell(text, whatif, dp, stage, most);
    }
    g_string_append(text, "</svg>\n");
}
