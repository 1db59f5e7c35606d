#include "model/mesh_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "model/geometry.h"
#include "model/mass_properties.h"
#include "scree/error.h"

namespace scree {
namespace {

/// A folder of this process: ctest runs the tests as processes beside each other, and the files of
/// one must not be those of another.
const std::string& folder() {
  static const struct Folder {
    std::string path = ::testing::TempDir() + "scree_mesh_XXXXXX";
    Folder() { path = std::string(mkdtemp(path.data())) + "/"; }
    ~Folder() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
  } made;
  return made.path;
}

std::string write(const std::string& name, const std::string& content) {
  const std::string path = folder() + name;
  std::filesystem::remove(path);  // some file systems wait for the disk when a file is overwritten
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

/// What reading the content complains of, without the folder of the file.
std::string error_of(const std::string& name, const std::string& content) {
  const std::string path = write(name, content);
  try {
    read_mesh(path);
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.substr(0, path.size()), path);
    return name + message.substr(path.size());
  }
  return "no error";
}

template <typename Number>
std::string bytes(Number value, bool is_big_endian = false) {
  std::string text(sizeof(Number), '\0');
  std::memcpy(text.data(), &value, sizeof(Number));
  static_assert(std::endian::native == std::endian::little);
  return is_big_endian ? std::string(text.rbegin(), text.rend()) : text;
}

// The unit cube's corners, bit 0 = x, bit 1 = y, bit 2 = z, and its faces counter-clockwise from
// outside.
const int kQuads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                          {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

Vec3 corner(int i) { return Vec3(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5); }

std::string numbers_of(const Vec3& p) { return fmt::format("{} {} {}", p.x(), p.y(), p.z()); }

std::string cube_obj() {
  std::string text = "# cube\no cube\n";
  for (int i = 0; i < 8; ++i) {
    text += "v " + numbers_of(corner(i)) + "\n";
  }
  for (const auto& quad : kQuads) {
    text += "f";
    for (const int v : quad) text += fmt::format(" {}/1/1", v + 1);
    text += "\n";
  }
  return text;
}

std::string cube_text_stl() {
  std::string text = "solid cube\n";
  for (const auto& quad : kQuads) {
    for (int t = 2; t < 4; ++t) {
      text += "  facet normal nan 0 0\n    outer loop\n";
      for (const int v : {quad[0], quad[t - 1], quad[t]}) {
        text += "      vertex " + numbers_of(corner(v)) + "\n";
      }
      text += "    endloop\n  endfacet\n";
    }
  }
  return text + "endsolid cube\n";
}

std::string cube_binary_stl() {
  std::string text = "solid not text at all";
  text.resize(80);
  text += bytes<std::uint32_t>(12);
  for (const auto& quad : kQuads) {
    for (int t = 2; t < 4; ++t) {
      text += bytes(0.0f) + bytes(0.0f) + bytes(0.0f);
      for (const int v : {quad[0], quad[t - 1], quad[t]}) {
        for (int axis = 0; axis < 3; ++axis) text += bytes(static_cast<float>(corner(v)[axis]));
      }
      text += bytes<std::uint16_t>(0);
    }
  }
  return text;
}

std::string ply_header(const std::string& format) {
  return "ply\nformat " + format +
         " 1.0\ncomment a cube\nelement vertex 8\nproperty float x\nproperty double y\nproperty "
         "float z\n"
         "property uchar red\nelement face 6\nproperty list uchar int vertex_indices\nproperty "
         "short flag\n"
         "element edge 0\nproperty int vertex1\nend_header\n";
}

std::string cube_text_ply() {
  std::string text = ply_header("ascii");
  for (int i = 0; i < 8; ++i) {
    text += numbers_of(corner(i)) + " 255\n";
  }
  for (const auto& quad : kQuads) {
    text += "4";
    for (const int v : quad) text += fmt::format(" {}", v);
    text += " -7\n";
  }
  return text;
}

std::string cube_binary_ply(bool big) {
  std::string text = ply_header(big ? "binary_big_endian" : "binary_little_endian");
  for (int i = 0; i < 8; ++i) {
    text += bytes(static_cast<float>(corner(i).x()), big) + bytes(corner(i).y(), big) +
            bytes(static_cast<float>(corner(i).z()), big) + bytes<std::uint8_t>(255);
  }
  for (const auto& quad : kQuads) {
    text += bytes<std::uint8_t>(4);
    for (const int v : quad) text += bytes<std::int32_t>(v, big);
    text += bytes<std::int16_t>(-7, big);
  }
  return text;
}

std::string cube_poly() {
  return "# A cube with sides of length 1\n\n8  % vertices\n"
         "1 -.5 -.5 -.5\n2 -.5 -.5 .5\n3 -.5 .5 -.5\n4 -.5 .5 .5\n"
         "5 .5 -.5 -.5\n6 .5 -.5 .5\n7 .5 .5 -.5\n8 [.5 .5 .5];\n\n# faces\n"
         "12\n1 6 2\n1 5 6\n5 8 6\n5 7 8\n7 4 8\n7 3 4\n3 2 4\n3 1 2\n6 8 4\n6 4 2\n1 3 7\n1 7 5 "
         "// last\n\n";
}

void expect_unit_cube(const Mesh& mesh) {
  EXPECT_EQ(mesh.vertices.size(), 8u);
  EXPECT_EQ(mesh.triangles.size(), 12u);
  const MeshReport report = check_mesh(mesh);
  EXPECT_EQ(describe_problems(report), "");
  EXPECT_NEAR(report.volume, 1.0, 1e-15);
  EXPECT_NEAR(mass_properties(mesh).inertia(0, 0), 1.0 / 6.0, 1e-15);
}

TEST(MeshFile, ReadsACubeFromEveryFormat) {
  const std::pair<const char*, std::string> files[] = {{"cube.obj", cube_obj()},
                                                       {"text.stl", cube_text_stl()},
                                                       {"binary.STL", cube_binary_stl()},
                                                       {"text.ply", cube_text_ply()},
                                                       {"little.ply", cube_binary_ply(false)},
                                                       {"big.ply", cube_binary_ply(true)},
                                                       {"cube.poly", cube_poly()}};
  for (const auto& [name, content] : files) {
    SCOPED_TRACE(name);
    const std::string path = write(name, content);
    const Mesh mesh = read_mesh(path);
    expect_unit_cube(mesh);
    EXPECT_EQ(mesh.file, path);
    // Carriage returns of another system change nothing in text.
    if (content.find('\0') == std::string::npos) {
      std::string with_returns;
      for (const char c : content)
        with_returns += c == '\n' ? std::string("\r\n") : std::string(1, c);
      expect_unit_cube(read_mesh(write(name, with_returns)));
    }
  }
}

TEST(MeshFile, ScalesTheVertices) {
  const Mesh mesh = read_mesh(write("cube.obj", cube_obj()), 0.001);
  EXPECT_NEAR(check_mesh(mesh).volume, 1e-9, 1e-23);
  EXPECT_EQ(mesh.scale, 0.001);
}

TEST(MeshFile, RefusesAnEndingItDoesNotKnow) {
  EXPECT_EQ(
      error_of("cube.step", "x"),
      "cube.step: unknown kind of mesh file '.step'; there are .stl, .obj, .dae, .ply and .poly");
}

TEST(MeshFile, NamesAMissingFile) {
  try {
    read_mesh("nowhere/cube.stl");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "nowhere/cube.stl: there is no such file");
  }
}

TEST(MeshFile, RefusesAFolder) {
  const std::string path = folder() + "folder.stl";
  std::filesystem::create_directory(path);
  try {
    read_mesh(path);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), path + ": is not a file");
  }
}

TEST(MeshFile, RefusesAnEmptyFile) {
  for (const std::string name : {"e.stl", "e.obj", "e.ply", "e.poly"}) {
    EXPECT_EQ(error_of(name, ""), name + ":1: unexpected end of input: the file is empty");
  }
}

TEST(MeshFile, RefusesAScaleThatIsNotPositive) {
  EXPECT_THROW(read_mesh(write("cube.obj", cube_obj()), 0.0), InputError);
  EXPECT_THROW(read_mesh(write("cube.obj", cube_obj()), NAN), InputError);
}

// ---- STL ----

// Some programs write notes of their own behind the triangles.
TEST(Stl, BytesBehindTheTrianglesAreSkipped) {
  EXPECT_EQ(read_mesh(write("long.stl", cube_binary_stl() + "made by hand")).triangles.size(), 12u);
}

TEST(Stl, BinaryThatIsCutSaysBothSizes) {
  const std::string whole = cube_binary_stl();  // 84 + 12*50 = 684
  EXPECT_EQ(
      error_of("cut.stl", whole.substr(0, 500)),
      "cut.stl: byte 500: unexpected end of input: 12 triangles take 684 bytes, the file has 500");
  EXPECT_EQ(
      error_of("head.stl", whole.substr(0, 30)),
      "head.stl: byte 30: unexpected end of input: a binary STL file has a header of 84 bytes");
}

TEST(Stl, HugeCountIsRefusedBeforeAnythingIsReserved) {
  std::string text(80, ' ');
  text += bytes<std::uint32_t>(0xffffffffu);
  EXPECT_EQ(error_of("huge.stl", text),
            "huge.stl: byte 84: unexpected end of input: 4294967295 triangles take 214748364834 "
            "bytes, the file has 84");
}

TEST(Stl, BinaryWithANumberThatIsNotFiniteIsRefused) {
  std::string text = cube_binary_stl();
  text.replace(84 + 50 + 12, 4, bytes(std::nanf("")));
  EXPECT_EQ(error_of("nan.stl", text),
            "nan.stl: byte 146: triangle 1 has a vertex that is not finite");
}

TEST(Stl, TextErrorsNameTheLine) {
  std::string text = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 zero\n";
  EXPECT_EQ(error_of("a.stl", text), "a.stl:5: expected a finite number, got 'zero'");
  text = "solid a\nfacet normal 0 0 1\nouter loop\nvertx 0 0 0\n";
  EXPECT_EQ(error_of("a.stl", text), "a.stl:4: expected 'vertex', got 'vertx'");
  text = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0";
  EXPECT_EQ(error_of("a.stl", text), "a.stl:5: unexpected end of input");
  text = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 inf\n";
  EXPECT_EQ(error_of("a.stl", text), "a.stl:4: expected a finite number, got 'inf'");
  EXPECT_EQ(error_of("a.stl", "solid a\nendsolid a\n"), "a.stl: holds no triangles");
  EXPECT_EQ(error_of("a.stl", "solid a\nface\n"),
            "a.stl:2: expected 'facet' or 'endsolid', got 'face'");
}

// ---- OBJ ----

TEST(Obj, CountsNegativeIndicesBack) {
  const Mesh mesh = read_mesh(write("n.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 9 9 9\n"));
  ASSERT_EQ(mesh.triangles.size(), 1u);
  EXPECT_EQ(mesh.vertices[static_cast<std::size_t>(mesh.triangles[0][1])], Vec3(1, 0, 0));
  EXPECT_EQ(mesh.vertices.size(), 3u);  // the unused one is gone
}

TEST(Obj, JoinsLinesThatEndWithABackslash) {
  const Mesh mesh = read_mesh(write("j.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 \\\n2 \\\n 3\n"));
  EXPECT_EQ(mesh.triangles.size(), 1u);
}

TEST(Obj, ErrorsNameLineIndexAndRange) {
  const std::string points = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  EXPECT_EQ(error_of("a.obj", points + "f 1 2 4\n"),
            "a.obj:4: face names vertex 4, valid are 1 to 3");
  EXPECT_EQ(error_of("a.obj", points + "f 0 1 2\n"),
            "a.obj:4: face names vertex 0, valid are 1 to 3");
  EXPECT_EQ(error_of("a.obj", points + "f 1 2 -4\n"),
            "a.obj:4: face names vertex -4, valid are -3 to -1 here");
  EXPECT_EQ(error_of("a.obj", points + "f 1 2\n"),
            "a.obj:4: a face needs at least 3 vertices, got 2");
  EXPECT_EQ(error_of("a.obj", points + "f 1 2 x/1\n"),
            "a.obj:4: expected a vertex number, got 'x/1'");
  EXPECT_EQ(error_of("a.obj", "\nv 1 2\n"), "a.obj:2: a vertex needs 3 numbers, got 2");
  EXPECT_EQ(error_of("a.obj", "v 1 2 nan\n"), "a.obj:1: expected a finite number, got 'nan'");
  EXPECT_EQ(error_of("a.obj", points), "a.obj: holds no triangles");
  EXPECT_EQ(error_of("a.obj", points + "f 1 2 99999999999999999999\n"),
            "a.obj:4: expected a vertex number, got '99999999999999999999'");
}

// ---- PLY ----

// The second face has a corner twice, the third one only after equal vertices are merged.
TEST(Obj, FacesWithoutAreaAreKeptAndCounted) {
  const std::string path =
      write("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 0 0\nf 1 2 3\nf 1 1 2\nf 1 2 4\n");
  EXPECT_EQ(check_mesh(read_mesh(path)).degenerate_triangles, 2);
}

TEST(Ply, CutFilesSayWhereTheyEnd) {
  const std::string text = cube_text_ply();
  EXPECT_EQ(error_of("a.ply", text.substr(0, text.size() - 5)),
            "a.ply:28: unexpected end of input");
  const std::string binary = cube_binary_ply(false);
  const std::string cut = binary.substr(0, binary.size() - 1);
  EXPECT_EQ(error_of("a.ply", cut),
            "a.ply: byte " + std::to_string(cut.size()) + ": unexpected end of input");
  EXPECT_EQ(error_of("a.ply", "ply\nformat ascii 1.0\nelement vertex 8\n"),
            "a.ply:3: unexpected end of input");
}

TEST(Ply, HugeCountIsRefusedBeforeAnythingIsReserved) {
  const std::string header =
      "ply\nformat binary_little_endian 1.0\nelement vertex 9000000000000\n"
      "property float x\nproperty float y\nproperty float z\nend_header\n";
  EXPECT_EQ(error_of("a.ply", header + "1234"),
            "a.ply: byte " + std::to_string(header.size()) +
                ": unexpected end of input: 9000000000000 of element 'vertex' take at least "
                "108000000000000 bytes, "
                "4 are left");
  // An element without properties takes no room, however many there are.
  EXPECT_EQ(
      error_of("b.ply", "ply\nformat ascii 1.0\nelement nothing 9000000000000000\nend_header\n"),
      "b.ply: holds no triangles");
}

TEST(Ply, ErrorsNameThePlaceAndTheRule) {
  const std::string head =
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
      "property float z\nelement face 1\nproperty list uchar int vertex_index\nend_header\n";
  const std::string points = "0 0 0\n1 0 0\n0 1 0\n";
  EXPECT_EQ(error_of("a.ply", head + points + "3 0 1 3\n"),
            "a.ply:13: face 0 names vertex 3, valid are 0 to 2");
  EXPECT_EQ(error_of("a.ply", head + points + "3 0 1 -1\n"),
            "a.ply:13: face 0 names vertex -1, valid are 0 to 2");
  EXPECT_EQ(error_of("a.ply", head + points + "2 0 1\n"),
            "a.ply:13: face 0 needs at least 3 vertices, got 2");
  EXPECT_EQ(error_of("a.ply", head + "0 0 0\n1 0 nan\n0 1 0\n3 0 1 2\n"),
            "a.ply:11: expected a finite number, got 'nan'");
  EXPECT_EQ(error_of("a.ply", "plx\n"), "a.ply:1: a PLY file begins with 'ply'");
  EXPECT_EQ(error_of("a.ply", "ply\nformat binary 1.0\n"),
            "a.ply:2: unknown format 'binary'; there are ascii, binary_little_endian and "
            "binary_big_endian");
  EXPECT_EQ(error_of("a.ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty quad x\n"),
            "a.ply:4: unknown property type 'quad'");
  EXPECT_EQ(error_of("a.ply",
                     "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n"),
            "a.ply:6: element 'vertex' has no property 'y'");
}

TEST(Ply, ListLongerThanTheFileIsRefused) {
  std::string text =
      "ply\nformat binary_big_endian 1.0\nelement face 1\n"
      "property list uint int vertex_indices\nend_header\n";
  text += bytes<std::uint32_t>(0xffffffffu) + "1234";
  EXPECT_EQ(error_of("a.ply", text),
            "a.ply: byte " + std::to_string(text.size()) + ": unexpected end of input");
}

// ---- RPIsim .poly ----

TEST(Poly, CountsFromZeroWhereAZeroOccurs) {
  const Mesh mesh =
      read_mesh(write("z.poly", "4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n4\n0 2 1\n0 1 3\n0 3 2\n1 2 3\n"));
  EXPECT_EQ(describe_problems(check_mesh(mesh)), "");
  EXPECT_NEAR(check_mesh(mesh).volume, 1.0 / 6.0, 1e-16);
}

TEST(Poly, SplitsPolygonsIntoFans) {
  const Mesh mesh =
      read_mesh(write("q.poly", "4\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n1\nf 1 2 3 4\n"));
  EXPECT_EQ(mesh.triangles.size(), 2u);
}

TEST(Poly, ErrorsNameTheLineAndTheRule) {
  const std::string points = "3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n";
  EXPECT_EQ(error_of("a.poly", points + "1\n1 2 4\n"),
            "a.poly:6: face names vertex 4, valid are 1 to 3");
  EXPECT_EQ(error_of("a.poly", points + "2\n1 2 3\n"), "a.poly:7: unexpected end of input");
  EXPECT_EQ(error_of("a.poly", points + "1\n1 2 3\n3 2 1\n"),
            "a.poly:7: more than the 1 faces announced");
  EXPECT_EQ(error_of("a.poly", "3\n1 0 0 0\n3 1 0 0\n"),
            "a.poly:3: expected vertex number 2, got 3");
  EXPECT_EQ(error_of("a.poly", "3\n0 0 0\n1 0\n"),
            "a.poly:3: expected 3 numbers for a vertex, got 2");
  EXPECT_EQ(error_of("a.poly", "99999999999\n0 0 0\n"), "a.poly:3: unexpected end of input");
  EXPECT_EQ(error_of("a.poly", "-3\n"), "a.poly:1: the number of vertices must be >= 1, got -3");
  EXPECT_EQ(error_of("a.poly", "cube\n"), "a.poly:1: expected a whole number, got 'cube'");
}

// ---- Hostile files: whatever happens, it is an InputError or a mesh. ----

TEST(MeshFile, SurvivesDamagedFiles) {
  const std::pair<std::string, std::string> files[] = {{"d.obj", cube_obj()},
                                                       {"dt.stl", cube_text_stl()},
                                                       {"db.stl", cube_binary_stl()},
                                                       {"dt.ply", cube_text_ply()},
                                                       {"dl.ply", cube_binary_ply(false)},
                                                       {"db.ply", cube_binary_ply(true)},
                                                       {"d.poly", cube_poly()}};
  std::mt19937 random(17);
  int refused = 0;
  for (const auto& [name, content] : files) {
    for (int trial = 0; trial < 150; ++trial) {
      std::string damaged = content;
      for (unsigned change = 0; change < 1 + random() % 4 && !damaged.empty(); ++change) {
        const std::size_t place = random() % damaged.size();
        switch (random() % 4) {
          case 0:
            damaged[place] = static_cast<char>(random() % 256);
            break;
          case 1:
            damaged.erase(place, 1 + random() % 20);
            break;
          case 2:
            damaged.insert(place, std::to_string(random()));
            break;
          default:
            damaged.resize(place + 1);
            break;
        }
      }
      try {
        const Mesh mesh = read_mesh(write(name, damaged));
        for (const auto& triangle : mesh.triangles) {
          for (const int v : triangle) ASSERT_LT(static_cast<std::size_t>(v), mesh.vertices.size());
        }
        check_mesh(mesh);
      } catch (const InputError&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 500);
}

// ---- Reports ----

TEST(CheckMesh, FindsEveryKindOfProblem) {
  Mesh cube = read_mesh(write("cube.obj", cube_obj()));
  Mesh open = cube;
  open.triangles.pop_back();
  EXPECT_EQ(describe_problems(check_mesh(open)), "3 open edges");
  Mesh crowded = cube;  // a fin on one edge: its other two sides are open
  crowded.vertices.push_back({3, 3, 3});
  crowded.triangles.push_back({cube.triangles[0][0], cube.triangles[0][1], 8});
  EXPECT_EQ(describe_problems(check_mesh(crowded)), "2 open edges, 1 crowded edge");
  Mesh misdirected = cube;
  std::swap(misdirected.triangles[4][0], misdirected.triangles[4][1]);
  EXPECT_EQ(describe_problems(check_mesh(misdirected)), "3 misdirected edges");
  Mesh inside_out = cube;
  for (auto& t : inside_out.triangles) std::swap(t[0], t[1]);
  EXPECT_TRUE(check_mesh(inside_out).is_closed());
  EXPECT_EQ(describe_problems(check_mesh(inside_out)), "volume -1 m^3 (it is inside out)");
  Mesh degenerate = cube;
  degenerate.triangles.push_back({0, 0, 1});
  EXPECT_TRUE(check_mesh(degenerate).is_closed());
  EXPECT_EQ(describe_problems(check_mesh(degenerate)), "1 degenerate triangle");
}

TEST(PlatonicSolid, KnowsFiveNamesAndSuggestsTheNearest) {
  EXPECT_EQ(platonic_solid("hexahedron", 1.0).points, platonic_solid("cube", 1.0).points);
  const auto message = [](const std::string& name, double radius) -> std::string {
    try {
      platonic_solid(name, radius);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message("icosaeder", 1.0),
            "'icosaeder' is not a Platonic solid; did you mean 'icosahedron'?");
  EXPECT_EQ(message("x", 1.0),
            "'x' is not a Platonic solid; there are tetrahedron, cube, octahedron, dodecahedron "
            "and icosahedron");
  EXPECT_EQ(message("cube", -1.0), "circumradius must be > 0 m, got -1");
}

}  // namespace
}  // namespace scree
