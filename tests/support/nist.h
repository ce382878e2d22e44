// SPDX-License-Identifier: Apache-2.0
// A data set of NIST's Statistical Reference Datasets, whose certified values tests compare with.
#ifndef TESTS_SUPPORT_NIST_H
#define TESTS_SUPPORT_NIST_H

#define NIST_MICHELSON_COUNT 100

/* Michelson: 100 measurements of the speed of light, 299 + k/1000. */
static inline void nist_michelson(double values[NIST_MICHELSON_COUNT])
{
    static const short thousandths[] = {
        850,  740, 900, 1070, 930, 850, 950, 980, 980, 880, 1000, 980, 930, 650, 760, 810, 1000,
        1000, 960, 960, 960,  940, 960, 940, 880, 800, 850, 880,  900, 840, 830, 790, 810, 880,
        880,  830, 800, 790,  760, 800, 880, 880, 880, 860, 720,  720, 620, 860, 970, 950, 880,
        910,  850, 870, 840,  840, 850, 840, 840, 840, 890, 810,  810, 820, 800, 770, 760, 740,
        750,  760, 910, 920,  890, 860, 880, 720, 840, 850, 850,  780, 890, 840, 780, 810, 760,
        810,  790, 810, 820,  850, 870, 870, 810, 740, 810, 940,  950, 800, 810, 870};

    for (int i = 0; i < NIST_MICHELSON_COUNT; i++) {
        values[i] = 299 + thousandths[i] / 1000.0;
    }
}

#endif
