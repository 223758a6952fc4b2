// Version: that of the headers that a program was compiled with (the macros), and that of the library that it runs with
// (cairn_version).
#ifndef CAIRN_VERSION_H
#define CAIRN_VERSION_H

#define CAIRN_VERSION_MAJOR 0
#define CAIRN_VERSION_MINOR 1
#define CAIRN_VERSION_PATCH 0

#define CAIRN_VERSION_TEXT_(major, minor, patch) #major "." #minor "." #patch
#define CAIRN_VERSION_TEXT(major, minor, patch) CAIRN_VERSION_TEXT_(major, minor, patch)
#define CAIRN_VERSION CAIRN_VERSION_TEXT(CAIRN_VERSION_MAJOR, CAIRN_VERSION_MINOR, CAIRN_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

// Returns "MAJOR.MINOR.PATCH" of the library, a constant text. It may be called from any thread.
const char *cairn_version(void);

#ifdef __cplusplus
}
#endif

#endif
