/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a plan on sets of contributions, without time: is the result right? Every rank's chunk
 * carries the set of ranks whose data are summed in it. A reduce must not count a contribution
 * twice, a store must bring something new, nothing may be sent that the sender doesn't have, and
 * at the end each rank must hold exactly what the collective promises. Servers and the switch bring
 * nothing and need nothing. */
#ifndef LAGGARD_SIM_VERIFY_H
#define LAGGARD_SIM_VERIFY_H

#include "sim/plan.h"

struct lag_proof {
    uint64_t n_transfers;
    uint32_t max_sends, max_recvs; /* of a rank in a round; the switch is none */
};

/* False with LAGGARD_ERROR_WRONG_PLAN naming round, ranks and chunk of the first fault. Needs
 * n_ranks^2 x n_chunks / 8 bytes, and as much again where a round moves everything; LAGGARD_ERROR_INPUT where that is over 4 GiB. */
bool lag_verify(const struct laggard_plan *plan, struct lag_names names, struct lag_proof *ret,
                GError **error);

#endif
