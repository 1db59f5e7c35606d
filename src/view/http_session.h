// One connection that asks for files of the page, or to become a WebSocket. On the server's thread.
#pragma once

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/span_body.hpp>
#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <string_view>

#include "view/hub.h"

namespace scree {

/// Lives as long as an operation on its socket is under way; each operation holds it.
class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  HttpSession(Hub& hub, boost::asio::ip::tcp::socket socket);
  ~HttpSession();

  /// Reads requests and answers them, one after the other.
  void read_request();
  /// Ends the connection at once.
  void cut();

 private:
  using ErrorCode = boost::system::error_code;
  using Request = boost::beast::http::request<boost::beast::http::empty_body>;
  using Response = boost::beast::http::response<boost::beast::http::span_body<const char>>;

  void on_request(ErrorCode error);
  void answer(const Request& request);
  void answer_with(const Asset& asset, const Request& request);
  void become_client(const Request& request);
  /// Text for a person; the connection goes on when the request allows.
  void refuse(const Request& request, const Refusal& refusal);
  /// For bytes that were no request, or that have not all been read: the connection ends.
  void refuse_and_close(const Refusal& refusal);
  void prepare(int status, std::string_view type, std::string_view body, bool has_body);
  void write();
  void linger();
  void discard();

  Hub& hub_;
  std::list<HttpSession*>::iterator place_;  // in hub_.sessions
  bool is_listed_ = true;
  boost::beast::tcp_stream stream_;
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::empty_body>> parser_;
  Response response_;
  std::array<char, 2048> discarded_;
  std::size_t discarded_bytes_ = 0;
};

}  // namespace scree
