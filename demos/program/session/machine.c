#include "demos/program/session/machine.h"
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

void cairn_machine_name(char *text, size_t size) {
    char line[256];
    snprintf(text, size, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            colon += strspn(colon, ": \t");
            snprintf(text, size, "%.*s", (int)strcspn(colon, "\n"), colon);
            break;
        }
    }
    if (file) {
        fclose(file);
    }
}

long long cairn_machine_memory_peak(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? 1024LL * usage.ru_maxrss : 0; // Linux counts kilobytes
}
