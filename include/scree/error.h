// What goes wrong at the border, said so that a person can mend it.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace scree {

/// Something the user wrote is wrong. Each message is one line `file:line:column: path message`
/// (the place is left out where there is no file). The command line prints them and exits with 2.
class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& message) : InputError(std::vector<std::string>{message}) {}
  explicit InputError(std::vector<std::string> messages)
      : std::runtime_error(join(messages)), messages_(std::move(messages)) {}
  const std::vector<std::string>& messages() const { return messages_; }

 private:
  static std::string join(const std::vector<std::string>& messages);
  std::vector<std::string> messages_;
};

/// The machine lacks something (a library, a writable folder). Exit code 3.
struct EnvironmentError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace scree
