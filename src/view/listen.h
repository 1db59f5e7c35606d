// Where the viewer's server listens, and how to get there.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <string>
#include <vector>

namespace scree {

/// An IP address or "localhost". Throws InputError.
boost::asio::ip::address parse_address(const std::string& text);

/// Listens at `first_port` or the first free one of the 99 that follow; 0: at any free one. Throws
/// InputError (no such port, not an address of this machine), EnvironmentError (no free port).
boost::asio::ip::tcp::acceptor listen_at(boost::asio::io_context& io,
                                         const boost::asio::ip::address& address, int first_port);

/// Names others may know this machine by.
std::vector<std::string> own_host_names();

/// What to open in a browser.
std::string make_link(const boost::asio::ip::address& address, int port, const std::string& token);

/// Children of the program must not inherit sockets: they would keep the port and the clients.
void close_on_exec(int descriptor);

}  // namespace scree
