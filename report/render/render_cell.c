// SPDX-License-Identifier: Apache-2.0
// A table's cell as pages write it: scaled to the page's unit, rounded by its interval.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/render/number.h"
#include "report/render/render.h"

static const char *format_value(const struct document_column *column, double value,
                                char out[NUMBER_TEXT_BYTES])
{
    switch (column->number) {
    case DOCUMENT_INTEGER:
        return number_format_fixed(value, 0, 1, out);
    case DOCUMENT_FIXED:
        return number_format_fixed(value, column->precision, 1, out);
    case DOCUMENT_GIVEN:
        return number_format_given(value, column->precision, out);
    case DOCUMENT_TEXT:
    case DOCUMENT_SIGNIFICANT:
        break;
    }
    return number_format_significant(value, column->precision > 0 ? column->precision : 3, out);
}

/* "[1.5, 2.5]" becomes "[1,5; 2,5]". */
static void take_comma(char *text)
{
    char *comma = strchr(text, ',');

    if (comma) {
        *comma = ';';
    }
    for (char *point; (point = strchr(text, '.')) != NULL;) {
        *point = ',';
    }
}

void render_cell_number(const struct document_column *column, const struct document_cell *cell,
                        char value_out[NUMBER_TEXT_BYTES], char interval_out[NUMBER_TEXT_BYTES])
{
    double scale = column->page_scale != 0 ? column->page_scale : 1;

    interval_out[0] = '\0';
    if (cell->kind != DOCUMENT_CELL_NUMBER) {
        snprintf(value_out, NUMBER_TEXT_BYTES, "%s", column->none ? column->none : NUMBER_NONE);
    } else if (isfinite(cell->low) && isfinite(cell->high) && cell->high > cell->low) {
        number_format_estimate_value(cell->value * scale, cell->low * scale, cell->high * scale,
                                     value_out);
        number_format_interval(cell->low * scale, cell->high * scale, interval_out);
    } else {
        format_value(column, cell->value * scale + column->page_plus, value_out);
    }
    if (column->has_comma) {
        take_comma(interval_out);
        take_comma(value_out);
    }
}
