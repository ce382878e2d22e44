// SPDX-License-Identifier: Apache-2.0
// Prints how often verdicts, intervals and remarks are right, and fails when one of them is not as
// often right as the report says: simulate-verdicts [SESSIONS [SEED]].
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/simulation.h"

#define SESSIONS 800
#define SEED     20261130

static const char *const bound_words[] = {"at most", "at least", "near", "never below"};

int main(int argc, char **argv)
{
    int sessions = argc > 1 ? atoi(argv[1]) : SESSIONS;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : SEED;
    int failed = 0;

    if (sessions < 1 || argc > 3) {
        fprintf(stderr, "usage: simulate-verdicts [SESSIONS [SEED]]\n");
        return 2;
    }
    printf("%d sessions a row, four times as many where nothing below is let pass, seed %llu; "
           "other limits with three standard errors (se)\n",
           sessions, (unsigned long long)seed);
    printf("%-40s %8s %28s %10s %10s %12s %6s\n", "what", "found", "wanted", "DIFFERENT",
           "EQUIVALENT", "INCONCLUSIVE", "UNFIT");
    for (int i = 0; i < simulation_row_count; i++) {
        const struct simulation_row *row = &simulation_rows[i];
        int count = simulation_sessions(row->bound, sessions);
        struct simulation_counts counts = simulation_run(&row->model, count, seed);
        int hits = simulation_hits(&counts, row->quantity);
        bool holds = simulation_holds(hits, count, row->bound, row->share);
        double percent = 100.0 / count;
        double se = sqrt(row->share * (1 - row->share) / count);

        printf("%-40s %6.2f %% %11s %5.1f %% (se %.2f) %7.1f %% %8.1f %% %10.1f %% %4.1f %%%s\n",
               row->name, hits * percent, bound_words[row->bound], 100 * row->share, 100 * se,
               counts.different * percent, counts.equivalent * percent,
               counts.inconclusive * percent, counts.unfit * percent, holds ? "" : "  FAILED");
        fflush(stdout);
        failed += !holds;
    }
    printf("%d of %d rows failed\n", failed, simulation_row_count);
    return failed ? 1 : 0;
}
