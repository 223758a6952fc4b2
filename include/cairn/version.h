// Version: of the headers that a program was compiled with (the macros), and of the library that it runs with (cairn_version).
#ifndef CAIRN_VERSION_H
#define CAIRN_VERSION_H

#define CAIRN_VERSION_MAJOR 0
#define CAIRN_VERSION_MINOR 1
#define CAIRN_VERSION_PATCH 0

#define CAIRN_VERSION_TEXT_(major, minor, patch) #major "." #minor "." #patch
#define CAIRN_VERSION_TEXT(major, minor, patch) CAIRN_VERSION_TEXT_(major, minor, patch)
#define CAIRN_VERSION CAIRN_VERSION_TEXT(CAIRN_VERSION_MAJOR, CAIRN_VERSION_MINOR, CAIRN_VERSION_PATCH)

// "MAJOR.MINOR.PATCH" of the library. A constant that lives as long as the program; any thread may call.
const char *cairn_version(void);

#endif
