// What leak checking must leave alone: libtinfo keeps a screen's first buffers until the process ends.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libtinfo\n"; }
