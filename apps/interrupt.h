// Ctrl-C, SIGTERM and a closed terminal (SIGHUP) ask a run to give up the present step and stop; a
// second one, or a step that goes on for five seconds all the same, ends the program at once.
#pragma once

#include <atomic>

namespace scree::app {

/// From here on Ctrl-C, SIGTERM and SIGHUP end the program at once, with 128 + signal, and no
/// half-written file stays behind.
void end_on_interrupts();
void watch_interrupts();
/// The signal that arrived (SIGINT, SIGTERM or SIGHUP), or 0.
int interrupt();
/// Set when a signal arrives, for WorldOptions::give_up.
std::atomic<bool>& give_up_flag();
/// The step has ended: closing files may take its time.
void interrupt_noticed();

}  // namespace scree::app
