// Ctrl-C and SIGTERM ask a run to stop after the present step; a second one, or a step that has not
// ended five seconds later, ends the program at once.
#pragma once

namespace scree::app {

void watch_interrupts();
/// The signal that arrived (SIGINT or SIGTERM), or 0.
int interrupt();
/// The step has ended: closing files may take its time.
void interrupt_noticed();

}  // namespace scree::app
