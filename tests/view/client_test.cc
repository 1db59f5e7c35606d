#include "view/client.h"

#include <gtest/gtest.h>

#include <thread>

#include "view/server_fixture.h"

namespace scree {

using namespace test;
namespace {

using ClientTest = ServerFixture;

// Bytes that would fill every buffer of the system between server and client several times over.
constexpr std::size_t kTooMuch = 32 << 20;

TEST_F(ClientTest, MessagesComeInOrderBetweenOpenAndClose) {
  start();
  {
    const auto client = connect();
    client->write_text("one");
    client->write(make_frame(1, "tw", false) + make_frame(9, "ping") + make_frame(0, "o"));
    client->write_text("");
    EXPECT_EQ(client->read_message().payload, "echo one");
    EXPECT_EQ(client->read_message().payload, "echo two");
    EXPECT_EQ(client->read_message().payload, "echo ");
    EXPECT_EQ(server_->client_count(), 1);
    client->write(make_frame(8, "\x03\xe8"));
    EXPECT_EQ(client->read_close_code(), 1000);
  }
  EXPECT_TRUE(events_.wait_for("close 1"));
  EXPECT_EQ(server_->client_count(), 0);
  EXPECT_EQ(events_.events(),
            (std::vector<std::string>{"open 1", "text 1 one", "text 1 two", "text 1 ", "close 1"}));
}

TEST_F(ClientTest, AClientThatVanishesIsClosed) {
  start();
  connect();
  EXPECT_TRUE(events_.wait_for("close 1"));
  expect_that_it_serves();
  EXPECT_TRUE(events_.wait_for("close 2"));  // numbers are not used twice
}

TEST_F(ClientTest, BytesArriveAsTheyWereSent) {
  start();
  const auto client = connect();
  std::string bytes;
  for (unsigned i = 0; i < 1'000'000; ++i) bytes += static_cast<char>(i * i / 7);
  server_->send(1, {.bytes = std::make_shared<const std::string>(bytes), .is_binary = true});
  server_->send(1, {.bytes = nullptr});
  server_->send(1, text_message(""));
  const WireFrame message = client->read_message();
  EXPECT_EQ(message.opcode, 2);
  EXPECT_TRUE(message.payload == bytes);
  EXPECT_EQ(client->read_message().opcode, 1);
}

TEST_F(ClientTest, NoCompressionIsAgreedOn) {
  start();
  const Response answer = TestClient(port_).open(
      port_, "/socket", "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n");
  EXPECT_EQ(answer.status, 101);
  EXPECT_FALSE(answer.fields.contains("sec-websocket-extensions"));
}

TEST_F(ClientTest, AMessageMayBeAsLongAsTheLimit) {
  start({.max_inbound = 1000});
  const auto client = connect();
  const std::string longest(1000, 'x');
  client->write_text(longest);
  EXPECT_EQ(client->read_message().payload, "echo " + longest);
  client->write_text(longest + "x");
  EXPECT_EQ(client->read_close_code(), 1009);
  EXPECT_TRUE(events_.wait_for("close 1"));

  // In pieces it is no longer either, and a length alone asks for no memory.
  const auto second = connect();
  second->write(make_frame(1, longest, false) + make_frame(0, "x"));
  EXPECT_EQ(second->read_close_code(), 1009);
  const auto third = connect();
  third->write(std::string_view("\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff\1\2\3\4", 14));
  EXPECT_EQ(third->read_close_code(), 1009);
}

TEST_F(ClientTest, BinaryMessagesAreRefused) {
  start();
  const auto client = connect();
  client->write(make_frame(2, "bytes"));
  EXPECT_EQ(client->read_close_code(), 1003);
  client->write_text("after the end");
  EXPECT_TRUE(events_.wait_for("close 1"));
  EXPECT_EQ(events_.events(), (std::vector<std::string>{"open 1", "close 1"}));
}

TEST_F(ClientTest, TextMustBeUtf8) {
  start();
  const auto client = connect();
  client->write_text("\xc3\xa9");
  EXPECT_EQ(client->read_message().payload, "echo \xc3\xa9");
  client->write_text("\xff\xfe");
  EXPECT_EQ(client->read_close_code(), 1007);
  EXPECT_TRUE(events_.wait_for("close 1"));
}

TEST_F(ClientTest, MalformedFramesEndTheClient) {
  start();
  const std::string frames[] = {
      make_frame(1, "unmasked", true, Mask::off),
      make_frame(3, "no such opcode"),
      make_frame(11, "no such control opcode"),
      make_frame(0, "continues nothing"),
      make_frame(1, "a", false) + make_frame(1, "interrupted"),
      make_frame(9, std::string(126, 'x')),    // a control frame has at most 125 bytes
      make_frame(9, "in pieces", false),       // and is never in pieces
      make_frame(8, "\x03"),                   // a close code has two bytes
      make_frame(8, std::string("\0\1", 2)),   // and this is none
      std::string("\xc1\x80\1\2\3\4", 6),      // compressed, which was not agreed on
      std::string("\x81\xfe\0\5\1\2\3\4", 8),  // a length longer than it need be
      std::string(1000, '\0'),
  };
  for (const std::string& frame : frames) {
    const auto client = connect();
    client->write(frame);
    EXPECT_EQ(client->read_close_code(), 1002) << testing::PrintToString(frame.substr(0, 20));
  }
  for (std::size_t i = 1; i <= std::size(frames); ++i) {
    EXPECT_TRUE(events_.wait_for("close " + std::to_string(i)));
  }
  expect_that_it_serves();
}

TEST_F(ClientTest, ACallbackThatThrowsEndsTheClient) {
  start();
  const auto client = connect();
  const auto other = connect();
  client->write_text("throw");
  EXPECT_EQ(client->read_close_code(), 1011);
  EXPECT_TRUE(events_.wait_for("close 1"));
  server_->post([] { throw std::runtime_error("work that fails"); });
  other->write_text("still here");
  EXPECT_EQ(other->read_message().payload, "echo still here");
}

TEST_F(ClientTest, ThoseBeyondTheLimitAreTurnedAway) {
  start({.max_clients = 3});
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int i = 0; i < 3; ++i) clients.push_back(connect());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(TestClient(port_).open(port_).status, 503);
  EXPECT_EQ(get("/").status, 200);

  clients.front().reset();
  EXPECT_TRUE(events_.wait_for("close 1"));
  // Its place is free once the socket is done with, which may be a moment later.
  int status = 503;
  const auto deadline = std::chrono::steady_clock::now() + kTestPatience;
  while (status == 503 && std::chrono::steady_clock::now() < deadline) {
    status = TestClient(port_).open(port_).status;
  }
  EXPECT_EQ(status, 101);
}

TEST_F(ClientTest, ManyThreadsSendAndEachKeepsItsOrder) {
  start();
  const auto client = connect();
  constexpr int kThreads = 4;
  constexpr int kMessages = 500;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([this, t] {
      for (int i = 0; i < kMessages; ++i) {
        server_->send(1, text_message(std::to_string(t) + std::to_string(i)));
      }
    });
  }
  std::array<int, kThreads> next = {};
  for (int i = 0; i < kThreads * kMessages; ++i) {
    const std::string text = client->read_message().payload;
    ASSERT_FALSE(text.empty());
    const auto thread = static_cast<std::size_t>(text[0] - '0');
    ASSERT_EQ(text.substr(1), std::to_string(next.at(thread)++));
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(ClientTest, WhoNeverReadsIsClosedAndHoldsUpNobody) {
  start();
  const auto deaf = connect();
  const auto other = connect();
  const Message megabyte = text_message(std::string(1 << 20, 'x'));
  for (int i = 0; i < 200; ++i) {
    server_->send(1, megabyte);
    server_->send(2, text_message(std::to_string(i)));
  }
  for (int i = 0; i < 200; ++i) ASSERT_EQ(other->read_message().payload, std::to_string(i));
  EXPECT_TRUE(events_.wait_for("close 1"));
  EXPECT_EQ(events_.count("close 2"), 0u);
  // Nothing of the queue is left once the operation under way has been told to stop.
  const auto deadline = std::chrono::steady_clock::now() + kTestPatience;
  while (megabyte.bytes.use_count() > 1 && std::chrono::steady_clock::now() < deadline) {
    on_server([] {});
  }
  EXPECT_EQ(megabyte.bytes.use_count(), 1);
  other->write_text("still here");
  EXPECT_EQ(other->read_message().payload, "echo still here");
}

TEST_F(ClientTest, OneMessageMayBeLongerThanTheQueue) {
  start({.max_queue = 1000});
  const auto client = connect();
  server_->send(1, text_message(std::string(kTooMuch, 'x')));
  EXPECT_EQ(client->read_message().payload.size(), kTooMuch);
  on_server([this] { EXPECT_EQ(server_->queued(1), 0u); });

  server_->send(1, text_message(std::string(kTooMuch, 'x')));
  server_->send(1, text_message("one too many"));
  EXPECT_TRUE(events_.wait_for("close 1"));
  on_server([this] { EXPECT_EQ(server_->queued(99), 0u); });
}

TEST_F(ClientTest, NothingIsReadFromAClientThatIsFarBehind) {
  start({.read_pause = 1 << 20});
  const auto client = connect();
  const auto other = connect();
  server_->send(1, text_message(std::string(kTooMuch, 'x')));
  on_server([this] { EXPECT_GT(server_->queued(1), 1u << 20); });
  for (const char* text : {"a", "b", "c"}) client->write_text(text);
  for (int i = 0; i < 20; ++i) {
    other->write_text("meanwhile");
    EXPECT_EQ(other->read_message().payload, "echo meanwhile");
  }
  EXPECT_EQ(events_.count("text 1 a"), 0u);

  EXPECT_EQ(client->read_message().payload.size(), kTooMuch);
  for (const char* text : {"a", "b", "c"}) {
    EXPECT_EQ(client->read_message().payload, std::string("echo ") + text);
  }
}

TEST_F(ClientTest, AFloodDoesNotStarveTheOthers) {
  start();
  const auto flooder = connect();
  const auto other = connect();
  std::string flood;
  for (int i = 0; i < 1000; ++i)
    flood += make_frame(1, "x") + make_frame(9, "") + make_frame(10, "");
  // It reads nothing, so at some time nothing is read from it either; then it waits for the end.
  std::thread thread([&] {
    while (flooder->write(flood)) {
    }
  });
  for (int i = 0; i < 50; ++i) {
    other->write_text("hello");
    EXPECT_EQ(other->read_message().payload, "echo hello");
  }
  server_.reset();
  thread.join();
}

// A ping comes after half a second of silence, so the third after one and a half: longer than a
// client may be silent.
TEST_F(ClientTest, PingsFindOutWhoIsStillThere) {
  start({.idle_seconds = 1.0});
  const auto deaf = connect();  // answers no pings
  const auto alive = connect();
  for (int i = 0; i < 3; ++i) {
    const WireFrame ping = alive->read_frame();
    EXPECT_EQ(ping.opcode, 9);
    alive->write(make_frame(10, ping.payload));
  }
  EXPECT_TRUE(events_.wait_for("close 1"));
  alive->write_text("still here");
  EXPECT_EQ(alive->read_message().payload, "echo still here");
}

// Its pongs wait behind 32 MB that take it longer than a client may be silent; but it reads.
TEST_F(ClientTest, WhoIsSlowIsNotTakenForDead) {
  start({.read_pause = 1000, .idle_seconds = 1.0});
  const auto client = connect();
  server_->send(1, text_message(std::string(kTooMuch, 'x')));
  client->write_text("hello");
  for (std::size_t bytes = 0; bytes < kTooMuch; bytes += kTooMuch / 64) {
    ASSERT_TRUE(client->wait_for_bytes(bytes));
    std::this_thread::sleep_for(std::chrono::milliseconds(30));  // 2 s in all
  }
  EXPECT_EQ(client->read_message().payload.size(), kTooMuch);
  EXPECT_EQ(client->read_message().payload, "echo hello");
}

// A client that is told to go and does not answer loses its socket, and its place, in time.
TEST_F(ClientTest, WhoDoesNotSayGoodbyeIsCut) {
  start({.max_clients = 1, .handshake_seconds = 0.5});
  const auto client = connect();
  client->write(make_frame(2, "binary"));
  EXPECT_EQ(client->read_close_code(), 1003);
  EXPECT_TRUE(client->is_closed());
  EXPECT_TRUE(events_.wait_for("close 1"));
}

}  // namespace
}  // namespace scree
