// Machine: figures of the system and of this process.
#ifndef CAIRN_PROGRAM_MACHINE_H
#define CAIRN_PROGRAM_MACHINE_H

#include <stddef.h>

// The processor's model name, or "unknown".
void cairn_machine_name(char *text, size_t size);
// The most memory that the process has had so far (resident), bytes.
long long cairn_machine_memory_peak(void);

#endif
