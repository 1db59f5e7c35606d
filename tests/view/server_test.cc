#include "view/server.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <random>
#include <set>
#include <thread>

#include "scree/error.h"
#include "view/server_fixture.h"

namespace scree {

using namespace test;
namespace {

using ServerTest = ServerFixture;

std::string link_of(const ServerOptions& options) {
  EventLog events;
  const Server server(options, kAssets, events);
  std::string link = server.link();
  const std::string port = ":" + std::to_string(server.port()) + "/";
  const std::size_t place = link.find(port);
  return place == std::string::npos ? link : link.replace(place, port.size(), ":PORT/");
}

TEST_F(ServerTest, TheLinkLeadsToThePage) {
  EXPECT_EQ(link_of({.port = 0}), "http://127.0.0.1:PORT/");
  EXPECT_EQ(link_of({.address = "localhost", .port = 0}), "http://127.0.0.1:PORT/");
  EXPECT_EQ(link_of({.port = 0, .token = "a b"}), "http://127.0.0.1:PORT/?token=a%20b");
  const std::string everywhere = link_of({.address = "0.0.0.0", .port = 0, .token = "x"});
  EXPECT_TRUE(everywhere.ends_with(":PORT/?token=x")) << everywhere;
  EXPECT_EQ(everywhere.find("0.0.0.0"), std::string::npos) << everywhere;
}

TEST_F(ServerTest, AnAddressOfTheSixthVersionStandsInBrackets) {
  const int probe = socket(AF_INET6, SOCK_STREAM, 0);
  sockaddr_in6 address = {};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_loopback;
  const bool has_v6 = bind(probe, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  close(probe);
  if (!has_v6) GTEST_SKIP() << "this machine has no ::1";
  EXPECT_EQ(link_of({.address = "::1", .port = 0}), "http://[::1]:PORT/");
}

TEST_F(ServerTest, APublicAddressNeedsAToken) {
  for (const char* address : {"0.0.0.0", "::", "192.168.0.1", "::ffff:127.0.0.1"}) {
    EXPECT_THROW(Server({.address = address, .port = 0}, kAssets, events_), InputError) << address;
  }
}

TEST_F(ServerTest, AnAddressThatIsNoneIsRefused) {
  for (const char* address :
       {"", "example.org", "127.0.0", "127.0.0.1:80", "127.1", "[::1]", "1.2.3.256"}) {
    EXPECT_THROW(Server({.address = address, .port = 0, .token = "x"}, kAssets, events_),
                 InputError)
        << address;
  }
  // From the range for documentation (RFC 5737): no machine has it.
  EXPECT_THROW(Server({.address = "192.0.2.1", .port = 0, .token = "x"}, kAssets, events_),
               InputError);
  for (const int port : {-1, 65536}) {
    EXPECT_THROW(Server({.port = port}, kAssets, events_), InputError) << port;
  }
}

TEST_F(ServerTest, ATakenPortIsPassedOver) {
  start();
  EventLog events;
  Server second({.port = port_}, kAssets, events);
  EXPECT_GT(second.port(), port_);
  EXPECT_LE(second.port(), port_ + 99);
  Server third({.port = port_}, kAssets, events);
  EXPECT_GT(third.port(), second.port());
  expect_that_it_serves();
}

TEST_F(ServerTest, ThereIsNoPortBeyondTheLast) {
  EventLog events;
  std::unique_ptr<Server> last;
  try {
    last = std::make_unique<Server>(ServerOptions{.port = 65535}, kAssets, events);
  } catch (const EnvironmentError&) {  // somebody else has it, which serves as well
  }
  EXPECT_THROW(Server({.port = 65535}, kAssets, events), EnvironmentError);
}

TEST_F(ServerTest, APortCanBeUsedAgainAtOnce) {
  start();
  const auto client = connect();
  server_.reset();
  Server again({.port = port_}, kAssets, events_);
  EXPECT_EQ(again.port(), port_);
}

TEST_F(ServerTest, TokensAreLongAndNeverTheSame) {
  std::set<std::string> tokens;
  for (int i = 0; i < 100; ++i) tokens.insert(random_token());
  EXPECT_EQ(tokens.size(), 100u);
  for (const std::string& token : tokens) {
    EXPECT_EQ(token.size(), 32u);
    EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), std::string::npos) << token;
  }
}

TEST_F(ServerTest, ItEndsWithClientsInAnyState) {
  start();
  const TestClient silent(port_);
  TestClient asking(port_);
  asking.write("GET / HTTP/1.1\r\nHo");
  const auto open = connect();
  const auto halfway = connect();
  halfway->write(make_frame(1, "half a message", false) + "\x81");
  const auto deaf = connect();
  server_->send(3, text_message(std::string(32 << 20, 'x')));
  const auto refused = connect();
  refused->write(make_frame(2, "binary"));
  EXPECT_TRUE(events_.wait_for("close 4"));
  server_->send(1, text_message("last words"));

  server_.reset();

  for (int i = 1; i <= 4; ++i) EXPECT_EQ(events_.count("close " + std::to_string(i)), 1u) << i;
  EXPECT_EQ(open->read_message().payload, "last words");
  EXPECT_EQ(open->read_close_code(), 1001);
  EXPECT_TRUE(asking.is_closed());
  EXPECT_TRUE(deaf->is_closed());
}

TEST_F(ServerTest, ItEndsWhileOthersSendAndConnect) {
  for (int round = 0; round < 10; ++round) {
    start();
    std::atomic<bool> is_over = false;
    std::thread visitors([&] {
      while (!is_over) {
        try {
          TestClient client(port_);
          if (client.open(port_).status != 101) continue;
          client.write_text("hello");
          client.write_text("throw");
        } catch (const std::runtime_error&) {  // the server is gone
        }
      }
    });
    const ClientId first = 1;
    for (int i = 0; i < 2000; ++i) server_->send(first + i % 8, text_message("news"));
    server_.reset();
    is_over = true;
    visitors.join();
  }
  std::size_t opened = 0;
  std::size_t closed = 0;
  for (const std::string& event : events_.events()) {
    opened += event.starts_with("open") ? 1 : 0;
    closed += event.starts_with("close") ? 1 : 0;
  }
  EXPECT_EQ(opened, closed);
}

// All descriptors are taken while a client waits to be accepted; it is, once there are some again.
TEST_F(ServerTest, ItOutlivesAShortageOfDescriptors) {
  start();
  const int socket = TestClient::make_socket();
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few = {.rlim_cur = static_cast<rlim_t>(socket) + 20, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  std::vector<int> taken;
  for (int fd = dup(socket); fd >= 0; fd = dup(socket)) taken.push_back(fd);
  {
    TestClient client(port_, socket);
    client.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    on_server([] {});
    for (const int fd : taken) close(fd);
    EXPECT_EQ(client.ask("").body, kPage);
  }
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  expect_that_it_serves();
}

std::string random_bytes(std::mt19937& random, std::size_t max_size) {
  std::string bytes(random() % max_size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

/// A few bytes changed, left out or doubled.
std::string mutated(std::string bytes, std::mt19937& random) {
  for (std::size_t i = random() % 4; i > 0 && !bytes.empty(); --i) {
    const std::size_t place = random() % bytes.size();
    switch (random() % 3) {
      case 0:
        bytes[place] = static_cast<char>(random());
        break;
      case 1:
        bytes.erase(place, random() % 8);
        break;
      default:
        bytes.insert(place, bytes.substr(place, random() % 8));
        break;
    }
  }
  return bytes;
}

TEST_F(ServerTest, ItOutlivesNonsense) {
  start({.handshake_seconds = 0.5, .idle_seconds = 0.5});
  std::mt19937 random(1);
  const std::string request = "GET /viewer.js HTTP/1.1\r\nHost: localhost\r\nOrigin: null\r\n\r\n";
  for (int i = 0; i < 2000; ++i) {
    TestClient client(port_);
    switch (random() % 4) {
      case 0:
        client.write(random_bytes(random, 300));
        break;
      case 1:
        client.write(mutated(request, random));
        break;
      case 2:
        client.write(mutated(upgrade_request(port_), random));
        break;
      default:
        if (client.open(port_).status != 101) break;  // the last ones are not all gone yet
        for (int k = 0; k < 3; ++k) {
          const int opcode = static_cast<int>(random() % 16);
          client.write(mutated(make_frame(opcode, random_bytes(random, 200)), random));
        }
    }
  }
  const auto deadline = std::chrono::steady_clock::now() + kTestPatience;
  while (server_->client_count() > 0 && std::chrono::steady_clock::now() < deadline) {
    on_server([] {});
  }
  EXPECT_EQ(server_->client_count(), 0);
  expect_that_it_serves();
}

}  // namespace
}  // namespace scree
