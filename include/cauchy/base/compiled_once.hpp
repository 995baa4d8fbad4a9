#pragma once

/// For a struct that derives from a large std::variant: its copies, moves and its end are compiled
/// in one file, which says CAUCHY_COMPILE_HERE(Name), and not in every file that copies one (six
/// seconds each, for a variant of methods that hold variants of networks).
///   struct Network : std::variant<Mlp, ...> {
///     using variant::variant;
///     CAUCHY_COMPILED_ONCE(Network)
///   };
#define CAUCHY_COMPILED_ONCE(Name)  \
  Name();                           \
  Name(const Name&);                \
  Name(Name&&) noexcept;            \
  Name& operator=(const Name&);     \
  Name& operator=(Name&&) noexcept; \
  ~Name();

#define CAUCHY_COMPILE_HERE(Name)                   \
  Name::Name() = default;                           \
  Name::Name(const Name&) = default;                \
  Name::Name(Name&&) noexcept = default;            \
  Name& Name::operator=(const Name&) = default;     \
  Name& Name::operator=(Name&&) noexcept = default; \
  Name::~Name() = default;
