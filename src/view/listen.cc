#include "view/listen.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <limits.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/ip/v6_only.hpp>
#include <memory>
#include <optional>

#include "base/text.h"
#include "scree/error.h"
#include "view/request_check.h"

namespace scree {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using ErrorCode = boost::system::error_code;

constexpr int kPortsTried = 100;
constexpr int kMaxPort = 65535;

/// Nothing when the port is taken; `error` says so or what else is wrong.
std::optional<tcp::acceptor> try_listen(asio::io_context& io, const tcp::endpoint& endpoint,
                                        ErrorCode& error) {
  tcp::acceptor acceptor(io);
  acceptor.open(endpoint.protocol(), error);
  if (error) return std::nullopt;
  close_on_exec(acceptor.native_handle());
  // On Linux this only passes over connections of an earlier run that still fade away. Two servers
  // cannot share a port: bind or, in a race, listen fails for the second.
  acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  ErrorCode ignored;
  if (endpoint.address().is_v6()) acceptor.set_option(asio::ip::v6_only(false), ignored);
  acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(tcp::acceptor::max_listen_connections, error);
  if (error) return std::nullopt;
  return acceptor;
}

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name = {};
  if (gethostname(name.data(), name.size() - 1) != 0) return {};
  return name.data();
}

/// The first address of this machine that others can reach; empty without a network.
std::string first_public_address() {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> end(list, &freeifaddrs);
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr || entry->ifa_addr->sa_family != AF_INET) continue;
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(entry->ifa_addr);
    const asio::ip::address_v4 address(ntohl(v4->sin_addr.s_addr));
    if (!address.is_loopback()) return address.to_string();
  }
  return {};
}

std::string host_in_link(const asio::ip::address& address) {
  if (address.is_unspecified()) {
    const std::string name = host_name();
    if (!name.empty() && name != "localhost") return name;
    const std::string other = first_public_address();
    return other.empty() ? "localhost" : other;
  }
  return address.is_v6() ? "[" + address.to_string() + "]" : address.to_string();
}

}  // namespace

asio::ip::address parse_address(const std::string& text) {
  if (text == "localhost") return asio::ip::address_v4::loopback();
  ErrorCode error;
  const asio::ip::address address = asio::ip::make_address(text, error);
  // A NUL inside would end the text early for the system and not for us.
  if (error || text.find('\0') != std::string::npos) {
    throw InputError(
        fmt::format("address must be an IP address like 127.0.0.1, got '{}'", one_line(text)));
  }
  return address;
}

tcp::acceptor listen_at(asio::io_context& io, const asio::ip::address& address, int first_port) {
  if (first_port < 0 || first_port > kMaxPort) {
    throw InputError(fmt::format("port must be 0 to {}, got {}", kMaxPort, first_port));
  }
  const int last_port = first_port == 0 ? 0 : std::min(first_port + kPortsTried - 1, kMaxPort);
  ErrorCode error;
  for (int port = first_port; port <= last_port; ++port) {
    const tcp::endpoint endpoint(address, static_cast<unsigned short>(port));
    std::optional<tcp::acceptor> acceptor = try_listen(io, endpoint, error);
    if (acceptor) return std::move(*acceptor);
    if (error == asio::error::address_in_use) continue;
    if (error == boost::system::errc::address_not_available) {
      throw InputError(fmt::format("address {} is none of this machine's", address.to_string()));
    }
    throw EnvironmentError(
        fmt::format("cannot listen at {} port {}: {}", address.to_string(), port, error.message()));
  }
  throw EnvironmentError(fmt::format("cannot listen at {}: the ports {} to {} are taken",
                                     address.to_string(), first_port, last_port));
}

std::vector<std::string> own_host_names() {
  const std::string name = host_name();
  if (name.empty()) return {};
  return {name, name + ".local"};  // the second is what mDNS makes of it
}

std::string make_link(const asio::ip::address& address, int port, const std::string& token) {
  return fmt::format("http://{}:{}/{}", host_in_link(address), port,
                     token.empty() ? "" : "?token=" + percent_encode(token));
}

void close_on_exec(int descriptor) { fcntl(descriptor, F_SETFD, FD_CLOEXEC); }

}  // namespace scree
