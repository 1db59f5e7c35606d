// Parts of a test that end in a process of their own: by a kill, or under a limit.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "base/parallel.h"

namespace scree::test {

/// A child that runs `work` and leaves with its result; HDF5 is touched in the child alone.
template <class Work>
pid_t in_child(const Work& work) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    int status = 99;
    try {
      set_thread_count(1);  // the parent's workers do not exist here
      status = work();
    } catch (...) {
    }
    _exit(status);
  }
  return child;
}

/// -1 when a signal ended it.
inline int exit_status(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace scree::test
