// What the sanitizers of the presets asan and tsan look for and pass over, in every program of
// those builds, however it is started. ASAN_OPTIONS and its like in the environment come on top.

extern "C" {

const char* __asan_default_options();
const char* __asan_default_options() {
  return "detect_stack_use_after_return=1:check_initialization_order=1:strict_init_order=1:"
         "strict_string_checks=1";
}

// What is passed over is not printed: tests compare what the program says.
const char* __lsan_default_options();
const char* __lsan_default_options() { return "print_suppressions=0"; }

// HDF5 1.10.8 loses the header of an object in a damaged file (like its issue 3790). The library
// has no frame pointers, so its name is all there is to tell the leak by. Nothing of ours hides
// behind it: Scree owns no memory that HDF5 allocates, and handles left open are no leak to the
// sanitizer; Recording.DamagedBytesDoNotCrashTheReader counts those.
const char* __lsan_default_suppressions();
const char* __lsan_default_suppressions() { return "leak:libhdf5"; }

const char* __ubsan_default_options();
const char* __ubsan_default_options() { return "print_stacktrace=1"; }

const char* __tsan_default_options();
const char* __tsan_default_options() { return "halt_on_error=1:second_deadlock_stack=1"; }
}
