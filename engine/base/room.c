#include "engine/base/room.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The number behind `name` in a file of lines; of a file that is one number, name is "". SIZE_MAX where there is none
// ("max").
static size_t read_number(const char *path, const char *name) {
    char line[128];
    size_t found = SIZE_MAX, length = strlen(name);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return SIZE_MAX;
    }
    while (found == SIZE_MAX && fgets(line, sizeof line, file) != NULL) {
        char *end;
        unsigned long long value = strtoull(line + (strncmp(line, name, length) == 0 ? length : 0), &end, 10);
        if (strncmp(line, name, length) == 0 && end > line + length) {
            found = value < SIZE_MAX ? (size_t)value : SIZE_MAX;
        }
    }
    fclose(file);
    return found;
}

size_t cairn_room_available(void) {
    size_t machine = read_number("/proc/meminfo", "MemAvailable:"); // kB
    machine = machine < SIZE_MAX / 1024 ? 1024 * machine : SIZE_MAX;
    size_t most = read_number("/sys/fs/cgroup/memory.max", ""), used = read_number("/sys/fs/cgroup/memory.current", "");
    if (most == SIZE_MAX || used == SIZE_MAX) {
        return machine;
    }
    size_t group = most > used ? most - used : 0;
    return group < machine ? group : machine;
}
