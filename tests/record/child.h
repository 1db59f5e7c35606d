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
  // No worker lives while the process is copied: the copy has its locks, but nobody to open them.
  const int workers = thread_count();
  set_thread_count(1);
  const pid_t child = fork();
  if (child == 0) {
    int status = 99;
    try {
      status = work();
    } catch (...) {
    }
    _exit(status);
  }
  set_thread_count(workers);
  return child;
}

/// -1 when a signal ended it.
inline int exit_status(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace scree::test
