#include "engine/base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

CairnText cairn_text(char *buffer, size_t size) {
    if (size > 0) {
        buffer[0] = '\0';
    }
    return (CairnText){buffer, size, 0};
}

void cairn_text_add(CairnText *text, const char *format, ...) {
    size_t room = text->length < text->size ? text->size - text->length : 0;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(room > 0 ? text->buffer + text->length : NULL, room, format, arguments);
    va_end(arguments);
    if (length > 0) {
        text->length += (size_t)length;
    }
}

// printf and strtod use the decimal point of the locale that the program has set; the C locale is the one at its start,
// and the library never changes it. Both directions agree in any locale.
void cairn_text_add_double(CairnText *text, double value) {
    if (isnan(value)) { // printf may write "-nan"
        cairn_text_add(text, "nan");
        return;
    }
    char digits[40];
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        // Equal doubles have equal bits here: the sign of a zero is written too, and NaN is gone.
        if (strtod(digits, NULL) == value) {
            break;
        }
    }
    cairn_text_add(text, "%s", digits);
}
