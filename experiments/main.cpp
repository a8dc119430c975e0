#include "experiments/command_line/command_line.hpp"

int main(int argc, char** argv) { return alidade::main(argc, argv); }
