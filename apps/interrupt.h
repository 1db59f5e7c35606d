// Ctrl-C, SIGTERM and a closed terminal (SIGHUP) ask a run to stop after the present step; a second
// one, or a step that has not ended five seconds later, ends the program at once.
#pragma once

namespace scree::app {

/// From here on Ctrl-C, SIGTERM and SIGHUP end the program at once, with 128 + signal, and no
/// half-written file stays behind.
void end_on_interrupts();
void watch_interrupts();
/// The signal that arrived (SIGINT, SIGTERM or SIGHUP), or 0.
int interrupt();
/// The step has ended: closing files may take its time.
void interrupt_noticed();

}  // namespace scree::app
