/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of kinds of topology: topologies.def, as data.
 *
 * A kind joins endpoints 0 .. n - 1 (GPUs, or NICs of nodes) by links, and knows the way from each
 * to each. Two meanings hold for all kinds. Bandwidth is of one link, per direction. Latency is
 * that between two endpoints next to each other: of one direct link, or of two links through one
 * switch, each of which has half of it; GPU - leaf - spine - leaf - GPU takes twice that. */
#ifndef LAGGARD_SIM_NETWORK_TOPOLOGIES_H
#define LAGGARD_SIM_NETWORK_TOPOLOGIES_H

#include <stdbool.h>

#include <glib.h>

#include "sim/units.h"

/* What is wrong with a topology that a user describes; the message says it, without a place. */
#define LAG_TOPOLOGY_ERROR (lag_topology_error_quark())
GQuark lag_topology_error_quark(void);
enum lag_topology_error {
    LAG_TOPOLOGY_ERROR_INPUT,
};

/* Which entry of a request is wrong, for the caller to say where it stands. */
enum lag_fault {
    LAG_FAULT_WHOLE,     /* none in particular */
    LAG_FAULT_PARAMETER, /* parameters[index] of the kind */
    LAG_FAULT_LINK,      /* links[index] of a graph */
    LAG_FAULT_SHAPE,     /* shapes[index] */
    LAG_FAULT_ROUTE,     /* routes[index] */
    LAG_FAULT_SLOT       /* slot[index] */
};
struct lag_topology_fault {
    enum lag_fault what;
    uint32_t index;
    bool inner;     /* PARAMETER and LINK: of the network inside nodes */
    uint32_t shape; /* and then of shapes[shape] */
};

/* More links than this are a mistake, or more than memory holds. */
#define LAG_MOST_LINKS (1u << 25)

/* Sets *fault and an error; false. */
bool lag_topology_refuse(struct lag_topology_fault *fault, enum lag_fault what, uint32_t index,
                         GError **error, const char *format, ...) G_GNUC_PRINTF(5, 6);

enum lag_topology_type {
    LAG_TOPOLOGY_INTEGER,
    LAG_TOPOLOGY_INTEGERS, /* a list */
    LAG_TOPOLOGY_NUMBERS   /* a list; one number alone stands for each entry */
};
struct lag_topology_parameter {
    const char *name, *help;
    enum lag_topology_type type;
    bool required;
    const char *default_text; /* as a user would write it; "" for none */
    double min, max;          /* of each number */
};

/* A parameter's value; n = 0 where the user gave none. Integers are exact in a double. */
struct lag_topology_value {
    uint32_t n;
    const double *numbers;
};

/* A link of a graph, full duplex unless `half_duplex`. Names are without blanks. */
struct lag_graph_link {
    const char *a, *b;
    lag_rate rate;       /* [B/s], each direction */
    lag_seconds latency; /* of this link [s] */
    bool half_duplex;    /* both directions share the rate */
};

/* What to build: a kind, with what it is to be built from. */
struct lag_topology_kind;
struct lag_topology_part {
    const struct lag_topology_kind *kind;
    const struct lag_topology_value *values; /* one for each parameter; NULL: none is given */
    lag_rate rate;                           /* of each link and direction [B/s] */
    lag_seconds latency;                     /* between neighbours [s] */
    bool half_duplex;                        /* both directions of a link share the rate */
    const struct lag_graph_link *links;      /* where the kind lists_links; then not the above */
    uint32_t n_links;
};

struct lag_fragment;
struct lag_way;

/* One kind: one file that ends in one of these, and one line in topologies.def. Functions that get
 * a const fragment may be called by many threads at once.
 * build: fills *fragment (fragment.h), which knows its part and n_endpoints.
 * route: adds the links of the way to *way, in order; none where there is no way.
 * node_name: appends the name of a node that is not an endpoint.
 * bisection: the least capacity per direction between halves of the endpoints (n / 2, rounded
 * down, in one of them) with every link as built; false where the formula does not hold. */
struct lag_topology_kind {
    const char *name;    /* as in a scenario */
    const char *summary; /* one line */
    const char *drawing; /* a few lines of ASCII */
    const char *bisection_formula;
    const char *routing;                             /* one line: which way is taken */
    const struct lag_topology_parameter *parameters; /* ends with a NULL name; NULL for none */
    bool lists_links;                                /* the user gives its links one by one */
    bool extends; /* has a place for hosts beside the GPUs: a parameter server's */
    bool (*build)(struct lag_fragment *fragment, struct lag_topology_fault *fault, GError **error);
    void (*route)(const struct lag_fragment *fragment, struct lag_way *way);
    void (*node_name)(const struct lag_fragment *fragment, uint32_t node, GString *name);
    bool (*bisection)(const struct lag_fragment *fragment, lag_rate *ret_rate);
};

/* All kinds by name; ends with NULL. */
extern const struct lag_topology_kind *const lag_topologies[];

/* NULL where there is none of that name. */
const struct lag_topology_kind *lag_topology_kind_find(const char *name);

/* Number of parameters, and the index of one by name or -1. */
uint32_t lag_topology_kind_n_parameters(const struct lag_topology_kind *kind);
int lag_topology_kind_parameter(const struct lag_topology_kind *kind, const char *name);

#endif
