/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of a calibration database: docs/CALIBRATION.md describes them. */
#ifndef LAGGARD_RESULTS_CALIBRATION_SCHEMA_H
#define LAGGARD_RESULTS_CALIBRATION_SCHEMA_H

#include "results/migrate.h"

extern const struct lag_schema lag_calibration_schema;

#endif
