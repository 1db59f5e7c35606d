#include "record/export.h"

#include <gmock/gmock.h>

#include <cstring>
#include <map>
#include <regex>

#include "record/record_fixture.h"
#include "scree/error.h"

namespace scree {
namespace {

using namespace scree::test;
using testing::HasSubstr;

/// A .vtp taken apart without VTK: counts and arrays, with every length checked against the file.
struct ParsedVtp {
  std::map<std::string, std::size_t> counts;           // of the piece
  std::map<std::string, std::vector<double>> numbers;  // Float64 arrays by name
  std::map<std::string, int> components;
  std::vector<std::vector<std::int64_t>> integers;  // in the order of the file: verts, then polys
};

template <class Number>
std::vector<Number> list_of(const char* bytes, std::size_t length) {
  std::vector<Number> list(length / sizeof(Number));
  if (!list.empty()) std::memcpy(list.data(), bytes, list.size() * sizeof(Number));
  return list;
}

ParsedVtp parse_vtp(const std::string& path) {
  ParsedVtp parsed;
  const std::string bytes = read_bytes(path);
  const std::string marker = "<AppendedData encoding=\"raw\">\n_";
  const std::size_t start = bytes.find(marker);
  EXPECT_NE(start, std::string::npos) << path;
  const std::string xml = bytes.substr(0, start);
  EXPECT_THAT(xml, HasSubstr("header_type=\"UInt64\""));
  const std::size_t data = start + marker.size();
  const std::string tail = "\n</AppendedData>\n</VTKFile>\n";
  EXPECT_EQ(bytes.substr(bytes.size() - tail.size()), tail);

  // Elements open and close in order.
  std::vector<std::string> open;
  const std::regex tag("<(/?)([A-Za-z]+)([^>]*?)(/?)>");
  for (std::sregex_iterator it(xml.begin(), xml.end(), tag), end; it != end; ++it) {
    if ((*it)[1].length()) {
      EXPECT_FALSE(open.empty());
      EXPECT_EQ(open.back(), (*it)[2].str());
      open.pop_back();
    } else if (!(*it)[4].length()) {
      open.push_back((*it)[2].str());
    }
  }
  EXPECT_EQ(open, std::vector<std::string>{"VTKFile"});

  const std::regex number_of("(NumberOf(?:Points|Verts|Lines|Strips|Polys))=\"([0-9]+)\"");
  for (std::sregex_iterator it(xml.begin(), xml.end(), number_of), end; it != end; ++it) {
    parsed.counts[(*it)[1]] = std::stoul((*it)[2]);
  }
  const std::regex array(
      "<DataArray type=\"([A-Za-z0-9]+)\" Name=\"([a-zA-Z_]+)\" NumberOfComponents=\"([0-9]+)\" "
      "format=\"appended\" offset=\"([0-9]+)\"/>");
  std::size_t expected_offset = 0;
  for (std::sregex_iterator it(xml.begin(), xml.end(), array), end; it != end; ++it) {
    const std::size_t offset = std::stoul((*it)[4]);
    EXPECT_EQ(offset, expected_offset);
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data() + data + offset, sizeof length);
    expected_offset = offset + sizeof length + length;
    const char* values = bytes.data() + data + offset + sizeof length;
    if ((*it)[1] == "Float64") {
      parsed.numbers[(*it)[2]] = list_of<double>(values, length);
      parsed.components[(*it)[2]] = std::stoi((*it)[3]);
    } else {
      parsed.integers.push_back(list_of<std::int64_t>(values, length));
    }
  }
  EXPECT_EQ(data + expected_offset + tail.size(), bytes.size());
  for (const auto& [name, list] : parsed.numbers) {
    EXPECT_EQ(list.size(),
              parsed.counts["NumberOfPoints"] * static_cast<std::size_t>(parsed.components[name]))
        << name;
  }
  return parsed;
}

TEST(ExportCsv, HasARowPerFrameAndBodyThatReadsBackExactly) {
  const TestFolder folder;
  const Recording recording(write_recording(folder.file("a.h5"), 3, 4));
  export_csv(recording, folder.file("a.csv"));
  std::istringstream text(read_bytes(folder.file("a.csv")));
  std::string line;
  ASSERT_TRUE(std::getline(text, line));
  EXPECT_EQ(line, "time,name,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz");
  int rows = 0;
  while (std::getline(text, line)) {
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    ASSERT_EQ(cells.size(), 15u) << line;
    const Frame frame = recording.frame(rows / 3);
    const std::size_t body = static_cast<std::size_t>(rows % 3);
    EXPECT_EQ(std::stod(cells[0]), frame.time);
    EXPECT_EQ(cells[1], "ball" + std::to_string(body));
    for (std::size_t k = 0; k < 3; ++k) {
      const auto axis = static_cast<int>(k);
      EXPECT_EQ(std::stod(cells[2 + k]), frame.position[body][axis]);
      EXPECT_EQ(std::stof(cells[9 + k]), static_cast<float>(frame.velocity[body][axis]));
      EXPECT_EQ(std::stof(cells[12 + k]), static_cast<float>(frame.angular_velocity[body][axis]));
    }
    EXPECT_EQ(std::stod(cells[5]), frame.orientation[body].w());
    EXPECT_EQ(std::stod(cells[8]), frame.orientation[body].z());
    ++rows;
  }
  EXPECT_EQ(rows, 4 * 3);
}

// 1/7 as a float is 0.14285715; the double next to that float needs 17 digits nobody wants to see.
TEST(ExportCsv, WritesTheFewestDigits) {
  const TestFolder folder;
  export_csv(Recording(write_recording(folder.file("a.h5"), 1, 1)), folder.file("a.csv"));
  EXPECT_THAT(read_bytes(folder.file("a.csv")), HasSubstr(",0.14285715,"));
}

TEST(ExportCsv, QuotesNamesWithCommas) {
  const TestFolder folder;
  Scene scene;
  scene.add(sphere(0.5).named("left, \"upper\""));
  const Model model = some_model(scene);
  {
    Recorder recorder(folder.file("a.h5"), scene, model, some_provenance());
    write_frame(recorder, model, 0);
  }
  export_csv(Recording(folder.file("a.h5")), folder.file("a.csv"));
  EXPECT_THAT(read_bytes(folder.file("a.csv")), HasSubstr("\n0,\"left, \"\"upper\"\"\","));
}

TEST(ExportParaview, ListsEachFrameAndWritesBodiesAsPoints) {
  const TestFolder folder;
  const Recording recording(write_recording(folder.file("a.h5"), 3, 6));
  export_paraview(recording, folder.file("run.pvd"), false);
  const std::string list = read_bytes(folder.file("run.pvd"));
  EXPECT_THAT(list,
              HasSubstr("<DataSet timestep=\"0.03\" part=\"0\" file=\"run/bodies_000003.vtp\"/>"));
  EXPECT_THAT(
      list, HasSubstr("<DataSet timestep=\"0.03\" part=\"1\" file=\"run/contacts_000003.vtp\"/>"));
  EXPECT_THAT(list, testing::EndsWith("</Collection>\n</VTKFile>\n"));

  const Frame frame = recording.frame(3);
  const ParsedVtp bodies = parse_vtp(folder.file("run/bodies_000003.vtp"));
  EXPECT_EQ(bodies.counts.at("NumberOfPoints"), 3u);
  EXPECT_EQ(bodies.counts.at("NumberOfVerts"), 3u);
  EXPECT_EQ(bodies.counts.at("NumberOfPolys"), 0u);
  EXPECT_EQ(bodies.integers[0], (std::vector<std::int64_t>{0, 1, 2}));  // connectivity of the verts
  EXPECT_EQ(bodies.integers[1], (std::vector<std::int64_t>{1, 2, 3}));  // their ends
  EXPECT_EQ(bodies.numbers.at("Points")[3], frame.position[1][0]);
  EXPECT_EQ(bodies.numbers.at("velocity")[5], frame.velocity[1][2]);
  EXPECT_EQ(bodies.numbers.at("orientation")[4], frame.orientation[1].w());
  EXPECT_EQ(bodies.numbers.at("mass")[2], 1.2);
  EXPECT_EQ(bodies.numbers.at("id")[2], 2.0);
  EXPECT_EQ(bodies.numbers.at("speed")[0], frame.velocity[0].norm());
}

// Frame 3 has three contacts; a force is its impulse over the step of 0.01 s. Frame 0 has none and
// is a valid file too.
TEST(ExportParaview, WritesContactsWithForces) {
  const TestFolder folder;
  const Recording recording(write_recording(folder.file("a.h5"), 3, 6));
  export_paraview(recording, folder.file("run.pvd"), false);
  const ParsedVtp contacts = parse_vtp(folder.file("run/contacts_000003.vtp"));
  ASSERT_EQ(contacts.counts.at("NumberOfPoints"), 3u);
  const RecordedContact second = recording.frame(3).contacts[1];
  EXPECT_EQ(contacts.numbers.at("Points")[3], second.point[0]);
  EXPECT_DOUBLE_EQ(contacts.numbers.at("force")[5], second.impulse[2] / 0.01);
  EXPECT_EQ(contacts.numbers.at("gap")[1], second.gap);
  EXPECT_EQ(contacts.numbers.at("body_a")[0], -1.0);
  EXPECT_EQ(parse_vtp(folder.file("run/contacts_000000.vtp")).counts.at("NumberOfPoints"), 0u);
}

// Three balls of radius 0.25, 0.26 and 0.27 as triangles: every vertex lies on the ball its id
// names.
TEST(ExportParaview, WritesSurfacesWhereTheBodiesAre) {
  const TestFolder folder;
  const Recording recording(write_recording(folder.file("a.h5"), 3, 5));
  export_paraview(recording, folder.file("run.pvd"), true);
  const Frame frame = recording.frame(4);
  const ParsedVtp bodies = parse_vtp(folder.file("run/bodies_000004.vtp"));
  const auto& points = bodies.numbers.at("Points");
  const auto& ids = bodies.numbers.at("id");
  ASSERT_GT(ids.size(), 300u);
  EXPECT_EQ(ids.back(), 2.0);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto body = static_cast<std::size_t>(ids[i]);
    const Vec3 point(points[3 * i], points[3 * i + 1], points[3 * i + 2]);
    ASSERT_NEAR((point - frame.position[body]).norm(), 0.25 + 0.01 * ids[i], 1e-12);
  }
  const auto& corners = bodies.integers[2];
  EXPECT_EQ(corners.size(), 3 * bodies.counts.at("NumberOfPolys"));
  for (const std::int64_t corner : corners) {
    ASSERT_LT(corner, static_cast<std::int64_t>(ids.size()));
  }
  EXPECT_EQ(bodies.integers[3].back(), static_cast<std::int64_t>(corners.size()));
}

TEST(Export, AFolderThatIsMissingIsNamed) {
  const TestFolder folder;
  const Recording recording(write_recording(folder.file("a.h5"), 1, 1));
  EXPECT_THAT(
      message_of<EnvironmentError>([&] { export_csv(recording, folder.file("none/a.csv")); }),
      HasSubstr("none/a.csv: create: No such file or directory"));
  EXPECT_THAT(
      message_of<InputError>([&] { export_paraview(recording, folder.file("run"), false); }),
      HasSubstr("must end in .pvd"));
}

}  // namespace
}  // namespace scree
