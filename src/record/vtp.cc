#include "record/vtp.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "record/output_file.h"

namespace scree {
namespace {

/// The <DataArray> elements on one side, the bytes they point into on the other.
struct Arrays {
  std::string bytes;

  template <class T>
  std::string add(const char* type, const std::string& name, int components,
                  const std::vector<T>& values) {
    const std::string element = fmt::format(
        "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" "
        "offset=\"{}\"/>\n",
        type, name, components, bytes.size());
    const std::uint64_t length = values.size() * sizeof(T);
    bytes.append(reinterpret_cast<const char*>(&length), sizeof length);
    bytes.append(reinterpret_cast<const char*>(values.data()), length);
    return element;
  }
};

std::string cells(Arrays& arrays, const std::vector<std::int64_t>& connectivity,
                  std::int64_t corners) {
  std::vector<std::int64_t> offsets;
  for (std::size_t end = static_cast<std::size_t>(corners); end <= connectivity.size();
       end += static_cast<std::size_t>(corners)) {
    offsets.push_back(static_cast<std::int64_t>(end));
  }
  std::string xml = arrays.add("Int64", "connectivity", 1, connectivity);
  xml += arrays.add("Int64", "offsets", 1, offsets);
  return xml;
}

}  // namespace

void write_vtp(const std::string& path, const PolyData& data) {
  const bool has_triangles = !data.triangles.empty();
  const std::size_t points = data.points.size();
  std::vector<double> coordinates;
  coordinates.reserve(3 * points);
  for (const Vec3& p : data.points) coordinates.insert(coordinates.end(), {p[0], p[1], p[2]});
  std::vector<std::int64_t> verts, polys;
  if (has_triangles) {
    for (const auto& t : data.triangles) polys.insert(polys.end(), t.begin(), t.end());
  } else {
    for (std::size_t i = 0; i < points; ++i) verts.push_back(static_cast<std::int64_t>(i));
  }

  Arrays arrays;
  std::string xml = fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"{}\" header_type=\"UInt64\">\n"
      "<PolyData>\n<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"0\" "
      "NumberOfStrips=\"0\" NumberOfPolys=\"{}\">\n",
      std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian", points,
      verts.size(), data.triangles.size());
  xml += "<PointData>\n";
  for (const PointField& field : data.fields) {
    xml += arrays.add("Float64", field.name, field.components, field.values);
  }
  xml += "</PointData>\n<Points>\n" + arrays.add("Float64", "Points", 3, coordinates);
  xml += "</Points>\n<Verts>\n" + cells(arrays, verts, 1);
  xml += "</Verts>\n<Polys>\n" + cells(arrays, polys, 3);
  xml += "</Polys>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_";

  OutputFile file(path);
  file.write(xml);
  file.write(arrays.bytes);
  file.write("\n</AppendedData>\n</VTKFile>\n");
  file.finish();
}

}  // namespace scree
