// One WebSocket client: its queue, its limits, its end. On the server's thread.
//
// A client lives as long as an operation on its socket is under way; each operation holds it. It is
// open from on_open to on_close, and closing from then on until its socket is done with.
#pragma once

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>

#include "view/hub.h"

namespace scree {

class Client : public std::enable_shared_from_this<Client> {
 public:
  using Clock = std::chrono::steady_clock;
  using Upgrade = boost::beast::http::request<boost::beast::http::empty_body>;

  Client(Hub& hub, boost::beast::tcp_stream stream);
  ~Client();

  /// Answers the request to become a WebSocket and begins to read.
  void accept(const Upgrade& upgrade);
  void send(Message message);
  std::size_t queued() const { return queued_; }
  /// To be called now and then: sends pings, and ends the client when it is silent for too long.
  void watch(Clock::time_point now);
  /// Ends the client once it has got what is queued.
  void say_goodbye();

 private:
  using ErrorCode = boost::system::error_code;
  enum class State { handshaking, open, closing };

  void on_accepted(ErrorCode error);
  void read_next();
  void on_read(ErrorCode error);
  void deliver();
  void write_next();
  void on_written(ErrorCode error, std::size_t bytes, bool is_end_of_message);
  void ping();
  Clock::duration patience() const;  // with a client that gives no sign of life

  /// Runs a callback of the owner's; when it throws, the client ends.
  template <typename Work>
  void guard(Work&& work);
  /// Ends the client with a code that says why; what is queued is dropped.
  void end(boost::beast::websocket::close_code code);
  /// Ends the client without a word, for one that would not hear it.
  void cut();
  void leave();  // from open to closing
  void drop_queue();
  void start_close(boost::beast::websocket::close_code code);

  Hub& hub_;
  const ClientId id_;
  // False: no permessage-deflate. It costs more time than loopback and ssh -C would save, and a
  // small message that inflates to a large one is one attack less to think of.
  boost::beast::websocket::stream<boost::beast::tcp_stream, false> stream_;
  State state_ = State::handshaking;
  Clock::time_point last_sign_;  // of life; when closing, of the beginning of the end

  boost::beast::flat_buffer inbound_;
  bool is_read_paused_ = false;  // a message waits in inbound_ until the queue is shorter

  std::deque<Message> queue_;  // the first is being written
  std::size_t written_ = 0;    // bytes of the first message
  std::size_t queued_ = 0;     // bytes, see kMessageCost
  bool is_writing_ = false;
  bool is_pinging_ = false;
  bool is_close_started_ = false;
  bool is_close_due_ = false;  // when the queue is empty
};

}  // namespace scree
