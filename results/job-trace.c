/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/job-trace.h"

#include <inttypes.h>

#include "sim/job-replay.h"

#define PIECE ((gsize)1 << 16)

/* Streams in the order in which a viewer shows them: those of a worker overlap, the operations of
 * one don't. */
static const char *const streams[] = {"compute",       "forward send",     "forward receive",
                                      "backward send", "backward receive", "data parallel"};

static uint32_t stream_of(enum lag_op_kind kind)
{
    if (lag_op_is_p2p(kind))
        return (uint32_t)kind - LAG_OP_FORWARD_SEND + 1;
    return kind == LAG_OP_PARAMS_GATHER || kind == LAG_OP_GRADS_SCATTER ? 5 : 0;
}

struct writer {
    GString *text;
    bool (*flush)(GString *text, void *data, GError **error);
    void *data;
    bool started; /* an event is there already */
};

static void begin_event(struct writer *writer)
{
    g_string_append(writer->text, writer->started ? ",\n" : "\n");
    writer->started = true;
}

static void name_worker(struct writer *writer, const struct lag_job_timeline *timeline,
                        uint32_t process, uint32_t worker)
{
    const lag_job *job = timeline->job;

    begin_event(writer);
    g_string_append_printf(writer->text,
                           "{\"ph\":\"M\",\"pid\":%u,\"tid\":0,\"name\":\"process_name\","
                           "\"args\":{\"name\":\"%s: rank %u (dp %u, stage %u)\"}}",
                           process, timeline->name, job->rank[worker], worker / job->n_stages,
                           worker % job->n_stages);
    begin_event(writer);
    g_string_append_printf(writer->text,
                           "{\"ph\":\"M\",\"pid\":%u,\"tid\":0,\"name\":\"process_sort_index\","
                           "\"args\":{\"sort_index\":%u}}",
                           process, process);
    for (uint32_t i = 0; i < G_N_ELEMENTS(streams); i++) {
        begin_event(writer);
        g_string_append_printf(writer->text,
                               "{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"thread_name\","
                               "\"args\":{\"name\":\"%s\"}}",
                               process, i, streams[i]);
    }
}

static void write_slice(struct writer *writer, const struct lag_job_timeline *timeline,
                        uint32_t first_process, uint32_t node, uint32_t lane)
{
    const lag_job *job = timeline->job;
    const struct lag_job_node *at = &job->nodes[node];
    size_t place = (size_t)node * job->n_lanes + lane;
    uint32_t step = lane / job->n_dp;
    lag_seconds start, length;

    if (timeline->end != NULL) {
        start = lag_job_start(job, timeline->end, node, lane);
        length = timeline->end[place] - start;
    } else {
        start = job->start[place];
        length = job->duration[place];
    }
    begin_event(writer);
    g_string_append_printf(writer->text,
                           "{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%.3f,\"dur\":%.3f,"
                           "\"name\":\"%s %u\",\"cat\":\"%s\",\"args\":{\"step\":%u}}",
                           first_process + lane % job->n_dp * job->n_stages + at->stage,
                           stream_of(at->kind), 1e6 * (timeline->offset[step] + start),
                           1e6 * length, lag_op_types[at->kind].name, at->seq,
                           lag_op_types[at->kind].family, job->step[step]);
}

static bool write_timeline(struct writer *writer, const struct lag_job_timeline *timeline,
                           uint32_t first_process, GError **error)
{
    const lag_job *job = timeline->job;

    for (uint32_t i = 0; i < job->n_dp * job->n_stages; i++)
        name_worker(writer, timeline, first_process + i, i);
    for (uint32_t node = 0; node < job->n_nodes; node++) {
        for (uint32_t lane = 0; lane < job->n_lanes; lane++) {
            write_slice(writer, timeline, first_process, node, lane);
            if (writer->text->len > PIECE && !writer->flush(writer->text, writer->data, error))
                return false;
        }
    }
    return true;
}

bool lag_job_trace(const struct lag_job_timeline *timelines, uint32_t n, GString *text,
                   bool (*flush)(GString *text, void *data, GError **error), void *data,
                   GError **error)
{
    struct writer writer = {text, flush, data, false};
    uint32_t first_process = 1;

    g_string_append(text, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    for (uint32_t i = 0; i < n; i++) {
        if (!write_timeline(&writer, &timelines[i], first_process, error))
            return false;
        first_process += timelines[i].job->n_dp * timelines[i].job->n_stages;
    }
    g_string_append(text, "\n]}\n");
    return flush(text, data, error);
}
