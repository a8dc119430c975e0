extern "C" int nothing_of_ours() { return 0; }
