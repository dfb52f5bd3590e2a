// What AddressSanitizer is started with, in every program under test. An environment variable would not reach
// the binary where a test chooses its environment. Threads: read once, before main.

extern "C" const char* __asan_default_options();

// Thousands of short programs are started: 256 MiB of freed memory kept back means new pages for each of
// them, a third of the time of all tests.
const char* __asan_default_options() { return "quarantine_size_mb=16:detect_stack_use_after_return=0"; }
