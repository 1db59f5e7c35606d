#include "view/command.h"

#include <gtest/gtest.h>

#include <random>

#include "scree/error.h"

namespace scree {
namespace {

template <class T>
T read_as(const std::string& text) {
  Request request;
  read_request(text, request);
  return std::get<T>(request.command);
}

std::string complaint(const std::string& text) {
  Request request;
  try {
    read_request(text, request);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ViewCommand, EveryTypeIsRead) {
  const Want want =
      read_as<Want>(R"({"type":"want","contacts":true,"velocities":"full","watch":[3,17]})");
  EXPECT_TRUE(want.wishes.has_contacts);
  EXPECT_EQ(want.wishes.velocities, FrameWishes::Velocities::full);
  EXPECT_EQ(want.watch, (std::vector<int>{3, 17}));
  EXPECT_EQ(read_as<Acknowledge>(R"({"type":"ack","sequence":4294967295})").sequence, 4294967295u);
  EXPECT_EQ(read_as<WantFrames>(R"({"type":"frames","from":5,"count":2,"stride":3})").stride, 3);
  read_as<WantSteps>(R"({"type":"steps"})");
  EXPECT_EQ(read_as<WantTrack>(R"({"type":"track","body":9})").body, 9);
  read_as<Play>(R"({"type":"play"})");
  read_as<Pause>(R"({"type":"pause"})");
  EXPECT_EQ(read_as<MakeSteps>(R"({"type":"step","count":10})").count, 10);
  EXPECT_EQ(read_as<SetSpeed>(R"({"type":"speed","factor":0.25})").factor, 0.25);
  read_as<Reset>(R"({"type":"reset"})");
  const Drag drag = read_as<Drag>(R"({"type":"drag","body":1,"point":[0,0,0.5],"target":[1,2,3]})");
  EXPECT_EQ(drag.target, Vec3(1, 2, 3));
  read_as<Release>(R"({"type":"release"})");
  EXPECT_EQ(read_as<Throw>(R"({"type":"throw","position":[0,0,1],"velocity":[9,0,0],
                              "radius":0.1,"density":2000})")
                .velocity,
            Vec3(9, 0, 0));
  const Change change = read_as<Change>(
      R"({"type":"set","gravity":[0,0,-1.62],"solver":"jacobi","law":"relaxed","tolerance":1e-6,
          "material":{"name":"ice","friction":0.02}})");
  EXPECT_EQ(change.gravity, Vec3(0, 0, -1.62));
  EXPECT_EQ(change.material->a, "ice");
  EXPECT_EQ(change.material->friction, 0.02);
  EXPECT_FALSE(change.material->restitution);
  EXPECT_EQ(read_as<Restart>(R"({"type":"restart","parameters":{"bricks":2000}})").parameters,
            (Overrides{{"bricks", 2000.0}}));
}

TEST(ViewCommand, IdIsKeptForTheAnswer) {
  Request request;
  EXPECT_THROW(read_request(R"({"type":"speed","id":7,"factor":-1})", request), InputError);
  EXPECT_EQ(request.id, 7);
  EXPECT_EQ(request.type, "speed");
}

TEST(ViewCommand, MistakesAreNamed) {
  EXPECT_EQ(complaint("{"), "the message is not JSON");
  EXPECT_EQ(complaint("[]"), "message must be an object");
  EXPECT_EQ(complaint(R"({"typ":"play"})"), "message.type is missing");
  EXPECT_EQ(complaint(R"({"type":3})"), "message.type must be a text, got 3");
  EXPECT_NE(complaint(R"({"type":"paus"})").find("did you mean pause?"), std::string::npos)
      << complaint(R"({"type":"paus"})");
  EXPECT_EQ(complaint(R"({"type":"speed","factor":101})"),
            "speed.factor must be a number from 0 to 100, got 101");
  EXPECT_EQ(complaint(R"({"type":"speed"})"), "speed.factor is missing");
  EXPECT_NE(complaint(R"({"type":"speed","factor":1,"facto":2})").find("speed.facto is not known"),
            std::string::npos);
  EXPECT_EQ(complaint(R"({"type":"step","count":1.5})"),
            "step.count must be a whole number from 1 to 1000, got 1.5");
  EXPECT_EQ(complaint(R"({"type":"track","body":18446744073709551615})"),
            "track.body must be a whole number from 0 to 100000000, got 18446744073709551615");
  EXPECT_EQ(complaint(R"({"type":"drag","body":1,"point":[0,0],"target":[0,0,0]})"),
            "drag.point must be three numbers up to 1e+09, got [0,0]");
  EXPECT_EQ(complaint(R"({"type":"set","material":"ice"})"), "set.material must be an object");
  EXPECT_EQ(complaint(R"({"type":"restart","parameters":{"bricks":"many"}})"),
            R"(restart.parameters must be an object of numbers, got {"bricks":"many"})");
}

TEST(ViewCommand, HostileTextsAreRefused) {
  EXPECT_NE(complaint(""), "");
  EXPECT_NE(complaint(std::string(60000, '[')), "");
  EXPECT_NE(complaint(std::string("{\"type\":\"play\0\"}", 16)), "");
  EXPECT_NE(complaint("{\"type\":\"\xff\xfe\"}"), "");
  EXPECT_NE(complaint(R"({"type":"throw","position":[1e400,0,0],"velocity":[0,0,0],
                          "radius":1,"density":1})"),
            "");
  EXPECT_NE(complaint(R"({"type":"want","contacts":true,"velocities":true,"watch":[-1]})"), "");
  std::string many = R"({"type":"want","contacts":true,"velocities":true,"watch":[)";
  for (int k = 0; k < 33; ++k) many += std::to_string(k) + (k < 32 ? "," : "]}");
  EXPECT_NE(complaint(many), "");
}

// Whatever comes, the answer is a command or a complaint of one line that is not long.
TEST(ViewCommand, RandomTextsNeverDoAnythingElse) {
  const std::string seeds[] = {
      R"({"type":"drag","id":1,"body":1,"point":[0,0,0.5],"target":[1,2,3]})",
      R"({"type":"set","gravity":[0,0,-1.62],"solver":"jacobi","pair":{"a":"x","b":"y"}})",
      R"({"type":"want","contacts":true,"velocities":"full","watch":[3,17]})"};
  std::mt19937 random(11);
  for (int k = 0; k < 20000; ++k) {
    std::string text = seeds[random() % 3];
    for (std::size_t n = 1 + random() % 4; n > 0; --n) {
      const std::size_t at = random() % text.size();
      if (random() % 2 != 0)
        text[at] = static_cast<char>(random() % 256);
      else
        text.erase(at, 1 + random() % 5);
      if (text.empty()) text = "{";
    }
    const std::string said = complaint(text);
    EXPECT_LT(said.size(), 400u);
  }
}

}  // namespace
}  // namespace scree
