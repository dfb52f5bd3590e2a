// What AddressSanitizer is started with, in every program under test. An environment variable would not reach
// the binary where a test chooses its environment. Threads: read once, before main.

extern "C" const char* __asan_default_options();

// With 256 MiB of freed memory kept back, as is usual, a long test works in half a gigabyte of new pages;
// with this in 90 MB. Watching stack frames after their return costs such a test a sixth of its time.
const char* __asan_default_options() { return "quarantine_size_mb=16:detect_stack_use_after_return=0"; }
