#include "demos/program/cli/program.h"

int main(int argc, char **argv) {
    return cairn_program(argc, argv);
}
