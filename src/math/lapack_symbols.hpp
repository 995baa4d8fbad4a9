#pragma once

// The LAPACK routines that lapack.cpp calls, as typed overloads. Fortran calling convention: all
// arguments by address, column-major arrays, lengths of character arguments appended by value.

#include <cstddef>

#define CAUCHY_LAPACK_ROUTINES(p, T)                                                               \
  void p##potrf_(const char*, const int*, T*, const int*, int*, std::size_t);                      \
  void p##getrf_(const int*, const int*, T*, const int*, int*, int*);                              \
  void p##getrs_(const char*, const int*, const int*, const T*, const int*, const int*, T*,        \
                 const int*, int*, std::size_t);                                                   \
  void p##sysv_(const char*, const int*, const int*, T*, const int*, int*, T*, const int*, T*,     \
                const int*, int*, std::size_t);                                                    \
  void p##syevd_(const char*, const char*, const int*, T*, const int*, T*, T*, const int*, int*,   \
                 const int*, int*, std::size_t, std::size_t);                                      \
  void p##stev_(const char*, const int*, T*, T*, T*, const int*, T*, int*, std::size_t);           \
  void p##sterf_(const int*, T*, T*, int*);                                                        \
  void p##geqrf_(const int*, const int*, T*, const int*, T*, T*, const int*, int*);                \
  void p##gelqf_(const int*, const int*, T*, const int*, T*, T*, const int*, int*);                \
  void p##ormqr_(const char*, const char*, const int*, const int*, const int*, const T*,           \
                 const int*, const T*, T*, const int*, T*, const int*, int*, std::size_t,          \
                 std::size_t);                                                                     \
  void p##ormlq_(const char*, const char*, const int*, const int*, const int*, const T*,           \
                 const int*, const T*, T*, const int*, T*, const int*, int*, std::size_t,          \
                 std::size_t);                                                                     \
  void p##gelsy_(const int*, const int*, const int*, T*, const int*, T*, const int*, int*,         \
                 const T*, int*, T*, const int*, int*);                                            \
  void p##gelsd_(const int*, const int*, const int*, T*, const int*, T*, const int*, T*, const T*, \
                 int*, T*, const int*, int*, int*);                                                \
  void p##gesdd_(const char*, const int*, const int*, T*, const int*, T*, T*, const int*, T*,      \
                 const int*, T*, const int*, int*, int*, std::size_t);

extern "C" {
CAUCHY_LAPACK_ROUTINES(s, float)
CAUCHY_LAPACK_ROUTINES(d, double)
}
#undef CAUCHY_LAPACK_ROUTINES

namespace cauchy::detail {

/// Routine names by element type: Lapack<double>::potrf is dpotrf_.
template <class T>
struct Lapack;

template <>
struct Lapack<float> {
  static constexpr auto potrf = spotrf_;
  static constexpr auto getrf = sgetrf_;
  static constexpr auto getrs = sgetrs_;
  static constexpr auto sysv = ssysv_;
  static constexpr auto syevd = ssyevd_;
  static constexpr auto stev = sstev_;
  static constexpr auto sterf = ssterf_;
  static constexpr auto geqrf = sgeqrf_;
  static constexpr auto gelqf = sgelqf_;
  static constexpr auto ormqr = sormqr_;
  static constexpr auto ormlq = sormlq_;
  static constexpr auto gelsy = sgelsy_;
  static constexpr auto gelsd = sgelsd_;
  static constexpr auto gesdd = sgesdd_;
};

template <>
struct Lapack<double> {
  static constexpr auto potrf = dpotrf_;
  static constexpr auto getrf = dgetrf_;
  static constexpr auto getrs = dgetrs_;
  static constexpr auto sysv = dsysv_;
  static constexpr auto syevd = dsyevd_;
  static constexpr auto stev = dstev_;
  static constexpr auto sterf = dsterf_;
  static constexpr auto geqrf = dgeqrf_;
  static constexpr auto gelqf = dgelqf_;
  static constexpr auto ormqr = dormqr_;
  static constexpr auto ormlq = dormlq_;
  static constexpr auto gelsy = dgelsy_;
  static constexpr auto gelsd = dgelsd_;
  static constexpr auto gesdd = dgesdd_;
};

}  // namespace cauchy::detail
