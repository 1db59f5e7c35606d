// How many contacts are open, stick and slide, as both judges count them.
#pragma once

#include "problem/contact_set.h"
#include "scree/solver.h"

namespace scree {

inline void count_state(ContactState state, IterationRecord& record) {
  switch (state) {
    case ContactState::open:
      ++record.open;
      break;
    case ContactState::stick:
      ++record.stick;
      break;
    case ContactState::slide:
      ++record.slide;
      break;
  }
}

}  // namespace scree
