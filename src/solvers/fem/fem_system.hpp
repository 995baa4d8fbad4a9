#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cauchy/base/threads.hpp>
#include <cauchy/math/sparse.hpp>

#include "solvers/classical/semi_discrete.hpp"
#include "solvers/fem/fem_form.hpp"
#include "solvers/fem/fem_program.hpp"
#include "solvers/fem/fem_space.hpp"

namespace cauchy::detail {

/// The sides of the boundary where a condition holds.
[[nodiscard]] std::vector<std::uint32_t> facets_of(const Problem& problem, const Mesh& mesh,
                                                   const Condition& condition);

/// A side of a cell: a facet of the boundary, or one between materials, by its number.
struct FemSide {
  std::uint32_t facet = 0;
  Mesh::Index cell = 0;
};

/// What elements a system is made of.
struct FemSystemOptions {
  int order = 2;
  int threads = 1;
  /// Values on curved sides are given in the middle of the arc, see FemSystem::bend.
  bool bent = false;
};

/// The weak form on a mesh: unknowns are the values at the places of every field, one block of them
/// after the other. Rows of unknowns that are given (fixed()) read y_i - g_i(t) = 0.
///   threads  same bits for any number: cells are computed in batches and added in their order
class FemSystem final : public SemiDiscrete {
 public:
  ///   error    throws Error (unsupported) for conditions that cannot be treated
  FemSystem(std::shared_ptr<const Problem> problem, std::shared_ptr<const FemForm> form,
            std::shared_ptr<const FemMesh> mesh, const FemSystemOptions& options);
  ~FemSystem() override;

  [[nodiscard]] std::size_t size() const override { return n_; }
  [[nodiscard]] const std::vector<char>& differential() const override { return differential_; }
  [[nodiscard]] bool constant_mass() const override { return constant_mass_; }
  void residual(double t, std::span<const double> y, std::span<const double> dy,
                std::span<double> out) override;
  void jacobian(double t, std::span<const double> y, std::span<const double> dy, double a,
                SparseMatrix& out) override;

  /// R(y)_i for all i, given values or not: the weak form against every function.
  void raw_residual(double t, std::span<const double> y, std::span<const double> dy,
                    std::span<double> out);
  /// dR/dy + a dR/dy' without regard to given values.
  void raw_jacobian(double t, std::span<const double> y, std::span<const double> dy, double a,
                    SparseMatrix& out);
  /// The plain way to the same: cell after cell, point after point, expression after expression, by
  /// evaluate(). The reference of the tests.
  void plain_jacobian(double t, std::span<const double> y, std::span<const double> dy, double a,
                      SparseMatrix& out);

  /// Not 0 where the value of an unknown is given.
  [[nodiscard]] const std::vector<char>& fixed() const noexcept { return fixed_; }
  /// Writes the given values at a time.
  void set_fixed(double t, std::span<double> y) const;
  /// Order 2 on curved sides: the function of the cell, continued to the middle of the arc, shall
  /// have the value that is given there. With u the answer, the value in the middle of the chord
  /// becomes g(arc) - (u(arc) - u(chord)); solving again makes both agree, with errors of h^3.
  ///   returns  the largest change of a value; 0 where no side is curved
  double bend(std::span<const double> y);
  /// Initial conditions at the places, given values among them; 0 where nothing is said.
  [[nodiscard]] std::vector<double> initial(double t) const;
  /// Conditions of which this mesh has no side: it is too coarse for them.
  [[nodiscard]] const std::vector<std::string>& unseen() const noexcept { return unseen_; }
  /// Field of each unknown.
  [[nodiscard]] std::vector<int> field_of() const;

  /// A field whose equations and conditions leave a constant free: one value was fixed, the answer
  /// is shifted afterwards.
  struct FreeConstant {
    std::size_t field;
    std::ptrdiff_t condition = -1;  ///< a point or integral that says which; -1: mean 0
    std::size_t dof = 0;            ///< that was fixed
  };
  [[nodiscard]] const std::vector<FreeConstant>& free_constants() const noexcept { return free_; }
  /// Shifts the answer as the conditions of free constants ask; returns one remark each.
  std::vector<std::string> shift(std::span<double> y) const;

  [[nodiscard]] const FemForm& form() const noexcept { return *form_; }
  [[nodiscard]] std::shared_ptr<const FemMesh> mesh() const noexcept { return mesh_; }
  [[nodiscard]] const FemSpace& space(std::size_t field) const { return *spaces_[field]; }
  [[nodiscard]] std::size_t offset(std::size_t field) const { return offset_[field]; }
  [[nodiscard]] int order() const noexcept { return options_.order; }
  /// Largest cell Peclet number |b| h / (2 a) of a problem of one field, h along the flow; 0 where
  /// there is none.
  [[nodiscard]] double peclet_number(double t, std::span<const double> y);
  /// Switches the terms of streamline diffusion (SUPG) on or off, for a problem of one field with
  /// first derivatives: sum over cells of int tau (b . grad v) r dx with the residual r of the
  /// equation, tau = h / (2 |b|) (coth Pe - 1/Pe). Off at first.
  ///   returns  whether there are such terms
  bool stabilize(bool on);

 private:
  struct Coefficient {
    double constant = 0;
    int output = -1;  // of the program; -1: it is the constant
  };
  struct Block {
    std::size_t row = 0, field = 0;
    Coefficient u, rate;
    std::vector<Coefficient> du, fu, fdu;
    bool constant = false;
  };
  /// All fields of order 1, all coefficients numbers; sources and fluxes at 0 of each row, too.
  struct Constant {
    bool matrix = false, vector = false;
    std::vector<double> rest;  // row x (1 + d)
  };
  struct Reference;  // functions at the points of a rule
  struct Scratch;    // of one thread
  struct BoundaryTerm {
    std::size_t row = 0;
    std::vector<FemSide> sides;
    bool inner = false;                   // sides are interfaces of the mesh
    std::unique_ptr<FemProgram> program;  // value, then derivatives by the fields in `by`
    std::vector<std::size_t> by;
  };
  struct EssentialTerm {
    std::vector<std::uint32_t> unknowns;
    std::vector<double> points;
    std::unique_ptr<FemProgram> program;
  };

  /// A given value in the middle of a curved side, and the middle of its arc.
  struct Bend {
    std::size_t unknown = 0, field = 0;
    Mesh::Index cell = 0;
    std::array<double, 4> arc{};  // barycentric, in the cell
    double shift = 0;             // of the value in the middle of the chord
  };

  /// SUPG: b, a, residual r and its derivatives by the atoms.
  struct Streamline {
    std::unique_ptr<FemProgram> program;  // b_1 .. b_d, a, r, then dr/d(atom)
    std::vector<Expr> by;
    bool on = false;
  };

  void make_blocks();
  void make_streamline();
  /// Of one cell at a point of the batch: tau b and the Peclet number.
  double tau_flow(const Scratch& s, std::size_t cell, std::size_t point, double* flow) const;
  void add_streamline(Scratch& s, std::size_t first, std::size_t count, double t,
                      std::span<const double> y, std::span<const double> dy, double a,
                      double* vectors, double* matrices) const;
  void make_conditions();
  /// Moves the points of given values in the middles of the edges of these facets onto their arcs.
  void add_bends(EssentialTerm& given, std::size_t field,
                 const std::vector<std::array<std::size_t, 3>>& middles);
  void make_pattern();
  void find_constants();
  /// Local matrices and vectors by closed formulas, where constant_ says so.
  void add_constant_matrices(std::size_t first, std::size_t count, double a, double* local) const;
  void add_constant_vectors(std::size_t first, std::size_t count, std::span<const double> y,
                            std::span<const double> dy, double* local) const;
  template <std::size_t D>
  void constant_matrices(std::size_t first, std::size_t count, double a, double* local) const;
  template <std::size_t D>
  void constant_vectors(std::size_t first, std::size_t count, std::span<const double> y,
                        std::span<const double> dy, double* local) const;
  void find_free_constants();
  void fill_batch(Scratch& s, const FemProgram& program, std::size_t first, std::size_t count,
                  std::span<const double> y, std::span<const double> dy) const;
  void local_vectors(Scratch& s, std::size_t first, std::size_t count, double t,
                     std::span<const double> y, std::span<const double> dy, double* local) const;
  void local_matrices(Scratch& s, std::size_t first, std::size_t count, double t,
                      std::span<const double> y, std::span<const double> dy, double a,
                      double* local) const;
  void add_boundary(double t, std::span<const double> y, std::span<double> out,
                    SparseMatrix* matrix) const;
  template <class Compute, class Add>
  void over_cells(std::size_t numbers_per_cell, double work_per_number, const Compute& compute,
                  const Add& add);
  [[nodiscard]] const Reference& reference(std::size_t field) const;

  std::shared_ptr<const Problem> problem_;
  std::shared_ptr<const FemForm> form_;
  std::shared_ptr<const FemMesh> mesh_;
  FemSystemOptions options_;
  Threads threads_;
  std::vector<std::shared_ptr<const FemSpace>> spaces_;  // per field
  std::vector<std::size_t> offset_, local_offset_;       // per field, of unknowns and of a cell
  std::size_t n_ = 0, n_local_ = 0, per_batch_ = 64;
  SimplexRule rule_, facet_rule_;
  std::vector<std::unique_ptr<Reference>> references_;  // of orders 1 and 2
  std::vector<std::uint32_t> cell_dofs_;                // n_cells x n_local
  std::vector<Block> blocks_;
  std::unique_ptr<FemProgram> source_program_, slope_program_;
  std::vector<int> source_output_;  // row x (1 + d): output of the program, -1: zero
  std::vector<std::vector<char>> coupled_;
  SparseMatrix pattern_;
  static constexpr std::uint16_t not_coupled = UINT16_MAX;
  std::vector<std::uint16_t> position_;  // n_cells x n_local^2: place in its row, or not_coupled
  Constant constant_;
  Streamline streamline_;
  std::vector<BoundaryTerm> boundary_;
  std::vector<EssentialTerm> essential_;
  std::vector<Bend> bends_;
  std::vector<FreeConstant> free_;
  std::vector<char> fixed_, differential_;
  std::vector<std::string> unseen_;
  bool constant_mass_ = false;
};

}  // namespace cauchy::detail
