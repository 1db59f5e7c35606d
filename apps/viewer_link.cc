#include "viewer_link.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "interrupt.h"
#include "options.h"

extern char** environ;

namespace scree::app {
namespace {

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && value[0] != '\0';
}

bool is_loopback(const std::string& address) {
  return address.rfind("127.", 0) == 0 || address == "::1" || address == "localhost";
}

// A browser on the far side of an ssh connection would open where nobody sits.
bool has_desktop() {
  return (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")) && !is_set("SSH_CONNECTION");
}

void open_browser(const std::string& link) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0);
  }
  // A session of its own: Ctrl-C here is not meant for the browser, and our files are not its.
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
#endif
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  std::string program = "xdg-open", argument = link;
  char* words[] = {program.data(), argument.data(), nullptr};
  pid_t child = 0;
  const bool is_started =
      posix_spawnp(&child, program.c_str(), &actions, &attributes, words, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  // It ends when the browser has taken over, which may be when the browser ends.
  if (is_started) std::thread([child] { waitpid(child, nullptr, 0); }).detach();
}

int port_of(const std::string& link) {
  const std::size_t colon = link.rfind(':', link.find('/', 8));
  return colon == std::string::npos ? 0 : std::atoi(link.c_str() + colon + 1);
}

}  // namespace

bool can_control(const ViewArguments& arguments) { return !arguments.view_only; }

ServerOptions server_options(const ViewArguments& arguments) {
  ServerOptions options;
  options.address = arguments.address == "localhost" ? "127.0.0.1" : arguments.address;
  options.port = arguments.port;
  if (!is_loopback(arguments.address)) options.token = random_token();
  return options;
}

LiveOptions live_options(const ViewArguments& arguments, const WorldOptions& world) {
  LiveOptions options;
  options.server = server_options(arguments);
  options.speed = arguments.speed;
  options.world = world;
  options.give_up = &give_up_flag();
  if (!can_control(arguments)) options.abilities.clear();
  options.is_interrupted = [] { return interrupt() != 0; };
  return options;
}

void show_link(const std::string& link, const ViewArguments& arguments, const std::string& name) {
  const int port = port_of(link);
  if (port != arguments.port) {
    say(fmt::format("port {} is taken, using {}", arguments.port, port));
  }
  say(fmt::format("{} is shown at {}", name, link));
  if (is_set("SSH_CONNECTION") && is_loopback(arguments.address)) {
    say(fmt::format(
        "on your own machine: ssh -L {0}:127.0.0.1:{0} THIS-MACHINE, then open the link", port));
  }
  if (!arguments.no_open && has_desktop()) open_browser(link);
}

}  // namespace scree::app
