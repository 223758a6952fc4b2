// Text: printf into a fixed buffer, piece by piece, with snprintf's rule: what does not fit is counted but not written.
#ifndef CAIRN_BASE_TEXT_H
#define CAIRN_BASE_TEXT_H

#include <stddef.h>

typedef struct CairnText {
    char *buffer;
    size_t size;
    size_t length; // of the whole text, also where the buffer is too small for it
} CairnText;

// The buffer becomes the empty string; it may be NULL when its size is 0.
CairnText cairn_text(char *buffer, size_t size);

void cairn_text_add(CairnText *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The shortest decimal of 15, 16 or 17 digits that reads back to the same bits; "inf", "-inf", "nan".
void cairn_text_add_double(CairnText *text, double value);

#endif
