#pragma once

#include <vector>

#include "geometry/meshes/plane_triangulation.hpp"
#include "geometry/meshes/plane_walls.hpp"

namespace cauchy::detail {

/// Triangles between walls, refined until sizes and angles are as asked for (Ruppert: centres of
/// circles of bad triangles are put in, walls that they come too near to are halved on their exact
/// curves), seeded with a lattice and smoothed.
class PlaneMesher final {
 public:
  PlaneMesher(const Shape& shape, const PlaneWalls& walls, const MeshOptions& options);

  /// Does the work.
  void run();
  [[nodiscard]] Mesh mesh() const;

 private:
  struct Segment {
    int wall = 0, a = 0, b = 0;  ///< vertices in the direction of the wall
    double ta = 0, tb = 0;
    bool alive = true;
  };
  struct Bad {
    int cell;
    std::array<int, 3> v;
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  static Vec circle_centre(Vec a, Vec b, Vec c);
  [[nodiscard]] double size_at(Vec p) const;
  [[nodiscard]] std::vector<double> stations(const PlaneWall& wall) const;
  [[nodiscard]] double at_distance(const PlaneWall& wall, double ta, double tb, Vec apex,
                                   double r) const;
  void find_sharp_corners();
  void add_walls();
  void add_lattice();
  void label_all();
  void drain_segments();
  void refine();
  void smooth(int rounds);
  bool split(int segment);
  [[nodiscard]] bool is_encroached(int segment) const;
  void treat(const Bad& bad);
  [[nodiscard]] bool is_exempt(const std::array<int, 3>& v, int shortest) const;
  void push_star();
  int new_vertex(Vec p, const std::vector<int>& cavity, int wall);
  void check_count() const;
  /// Corners of cells as nodes, see mesh().
  [[nodiscard]] std::vector<std::array<int, 3>> number_nodes(Mesh& mesh) const;
  /// The part of each cell; -1 outside.
  [[nodiscard]] std::vector<int> cell_parts(Mesh& mesh) const;
  [[nodiscard]] const PlaneWall& wall_of(int segment) const {
    return walls_
        .walls[static_cast<std::size_t>(segments_[static_cast<std::size_t>(segment)].wall)];
  }

  const Shape& shape_;
  const PlaneWalls& walls_;
  const MeshOptions& options_;
  PlaneTriangulation tri_;
  double coarse_ = 1.5, sine_ = 0.47;
  std::vector<Segment> segments_;
  std::vector<int> to_check_;       // segments
  std::vector<Bad> bad_;            // triangles, last first
  std::vector<int> vertex_wall_;    // per vertex: wall, -1 inside, -2 corner
  std::vector<int> corner_vertex_;  // per corner of the walls
  std::vector<char> is_sharp_;      // per corner: an inside angle below 60 degrees
  std::vector<double> first_step_;  // per sharp corner: distance of the first vertices
  std::vector<int> corner_of_;      // per vertex: corner or -1
  std::vector<int> cavity_;
  bool labelled_ = false, relabel_ = false;
};

}  // namespace cauchy::detail
