// Room: how much memory the machine has left. An allocator that promises more than there is (as Linux does) never says no: the
// kernel ends the program when the promise is called in.
#ifndef CAIRN_BASE_ROOM_H
#define CAIRN_BASE_ROOM_H

#include <stddef.h>

// Bytes that can be had without ending anybody; SIZE_MAX where nobody knows.
size_t cairn_room_available(void);

#endif
