#include "demos/viewer/settings.h"
#include "demos/viewer/panels.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *const cairn_smooth_names[] = {"auto", "on", "off", NULL};

static const CairnField fields[] = {
    CAIRN_FIELD_BOOL(CairnSettings, dark, 0, "dark panels and backdrop"),
    CAIRN_FIELD_BOOL(CairnSettings, panel, 1, "the panel at the left"),
    CAIRN_FIELD_BOOL(CairnSettings, charts, 0, "the charts at the bottom"),
    CAIRN_FIELD_BOOL(CairnSettings, hints, 1, "hints at the start"),
    CAIRN_FIELD_BOOL(CairnSettings, forces, 0, "contact forces"),
    CAIRN_FIELD_BOOL(CairnSettings, occlusion, 1, "darker where bodies are close to each other"),
    CAIRN_FIELD_DOUBLE(CairnSettings, text_size, 1, 0.6, 3, 0, "", "size of all words"),
    CAIRN_FIELD_CHOICE(CairnSettings, tab, 0, cairn_panel_names, "the panel's tab"),
    CAIRN_FIELD_INT(CairnSettings, width, 1280, 320, 10000, "of the window"),
    CAIRN_FIELD_CHOICE(CairnSettings, smooth, 0, cairn_smooth_names,
                       "antialiasing; auto: not where a processor draws a window"),
    CAIRN_FIELD_INT(CairnSettings, height, 800, 200, 10000, "of the window"),
};

const CairnFieldTable cairn_settings_fields = CAIRN_FIELD_TABLE("settings", CairnSettings, fields);

CairnSettings cairn_settings(void) {
    CairnSettings settings;
    memset(&settings, 0, sizeof settings);
    cairn_fields_preset(&cairn_settings_fields, &settings);
    return settings;
}

bool cairn_settings_path(char *path, size_t size) {
    const char *folder = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    if (folder && folder[0] == '/') { // the specification ignores relative ones
        return snprintf(path, size, "%s/cairn/viewer", folder) < (int)size;
    }
    return home && home[0] && snprintf(path, size, "%s/.config/cairn/viewer", home) < (int)size;
}

CairnSettings cairn_settings_read(const char *path) {
    CairnSettings settings = cairn_settings();
    FILE *file = fopen(path, "r");
    char line[256];
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = '\0';
        char *equals = strchr(line, '=');
        if (equals) {
            *equals = '\0';
            CairnStatus status = cairn_fields_set(&cairn_settings_fields, &settings, line, equals + 1);
            (void)status; // a line that means nothing changes nothing
        }
    }
    if (file) {
        fclose(file);
    }
    return settings;
}

// Creates all folders of the file's path.
static void make_folders(const char *path) {
    char folder[4096];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(folder, 0755); // what is there already, or cannot be, shows when the file is opened
        *slash = '/';
    }
}

CairnStatus cairn_settings_write(const CairnSettings *settings, const char *path) {
    make_folders(path);
    FILE *file = fopen(path, "w");
    if (!file) {
        return cairn_error(CAIRN_IO, "settings: cannot write %s", path);
    }
    bool is_fine = true;
    for (int i = 0; i < cairn_settings_fields.count; i++) {
        char value[64];
        cairn_fields_format(&cairn_settings_fields.fields[i], settings, value, sizeof value);
        is_fine = fprintf(file, "%s=%s\n", cairn_settings_fields.fields[i].name, value) > 0 && is_fine;
    }
    is_fine = fclose(file) == 0 && is_fine;
    return is_fine ? cairn_ok() : cairn_error(CAIRN_IO, "settings: cannot write %s", path);
}
