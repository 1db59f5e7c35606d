// What the sanitizers of the presets asan and tsan look for and pass over, in every program of
// those builds, however it is started. ASAN_OPTIONS and its like in the environment come on top.

extern "C" {

const char* __asan_default_options();
const char* __asan_default_options() {
  return "detect_stack_use_after_return=1:check_initialization_order=1:strict_init_order=1:"
         "strict_string_checks=1";
}

const char* __ubsan_default_options();
const char* __ubsan_default_options() { return "print_stacktrace=1"; }

const char* __tsan_default_options();
const char* __tsan_default_options() { return "halt_on_error=1:second_deadlock_stack=1"; }
}
