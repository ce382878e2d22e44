// SPDX-License-Identifier: Apache-2.0
// What happened in a trial that a reader should know, as events of it.
#ifndef COLLECTOR_RUN_TRIAL_EVENTS_H
#define COLLECTOR_RUN_TRIAL_EVENTS_H

#include "collector/run/flood.h"
#include "collector/run/sampler.h"
#include "collector/run/trial.h"
#include "engines/base/attr.h"
#include "engines/base/err.h"

/* What became of the flood. errors: those of the sink, as below */
enum err_code trial_tell_flood(const struct trial_config *config, const struct flood_result *flood,
                               struct err *e) ATTR_MUST_USE;

/* Samples that are partly counted in later ones, connections that are missing. */
enum err_code trial_tell_warnings(const struct trial_config *config,
                                  const struct trial_result *result,
                                  const struct sampler_result *sampled,
                                  struct err *e) ATTR_MUST_USE;

#endif
