/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How advice is printed. */
#ifndef LAGGARD_TOOLS_ADVISE_REPORT_H
#define LAGGARD_TOOLS_ADVISE_REPORT_H

#include "results/fit-report.h"
#include "tools/advise.h"

/* All borrowed. */
struct lag_advice_report {
    const struct lag_fit_report *fit; /* of the same trace */
    const lag_advice *advice;
    const char *step_from; /* where the time of a step is from; NULL: it isn't known */
};

void lag_advice_table(GString *text, const struct lag_advice_report *report);
void lag_advice_json(GString *text, const struct lag_advice_report *report, const char *version);

/* "use stragglar: ..." or "no difference that this trace can show: ...". Newly allocated. */
char *lag_advice_verdict(const lag_advice *advice);

/* What to know before believing it (char *): laws far from the trace, ranks made up. */
GPtrArray *lag_advice_warnings(const struct lag_advice_report *report);

#endif
