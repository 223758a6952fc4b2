// Room: how much memory the machine has available. An allocator that overcommits (as that of Linux does) never fails:
// the kernel ends the program when it writes to more memory than there is.
#ifndef CAIRN_BASE_ROOM_H
#define CAIRN_BASE_ROOM_H

#include <stddef.h>

// Bytes that can be used without the kernel ending a program; SIZE_MAX where the number is unknown.
size_t cairn_room_available(void);

#endif
