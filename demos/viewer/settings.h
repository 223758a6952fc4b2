// Settings: what the window remembers from one time to the next, lines of NAME=VALUE in the user's configuration folder
// (XDG_CONFIG_HOME or ~/.config)/cairn/viewer. What cannot be understood is left at its default.
#ifndef CAIRN_VIEWER_SETTINGS_H
#define CAIRN_VIEWER_SETTINGS_H

#include <cairn/fields.h>
#include <stdbool.h>

typedef enum CairnSmooth { CAIRN_SMOOTH_AUTO = 0, CAIRN_SMOOTH_ON, CAIRN_SMOOTH_OFF } CairnSmooth;

typedef struct CairnSettings {
    bool dark, panel, charts, hints, forces, occlusion;
    double text_size; // 1: by the display's density
    int tab, width, height;
    int smooth; // CairnSmooth: antialiasing, and shadows with soft edges
} CairnSettings;

extern const CairnFieldTable cairn_settings_fields;
extern const char *const cairn_smooth_names[]; // NULL-terminated

CairnSettings cairn_settings(void); // the defaults
// False: there is no such folder to be found (no home).
bool cairn_settings_path(char *path, size_t size);
CairnSettings cairn_settings_read(const char *path);
// The folder is created where it is missing; an error is returned and has no other effect.
CairnStatus cairn_settings_write(const CairnSettings *settings, const char *path);

#endif
