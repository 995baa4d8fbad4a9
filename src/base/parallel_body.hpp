#pragma once

namespace cauchy::detail {

/// The innermost body of Threads::run that this thread is in, null outside; tells bodies apart.
[[nodiscard]] const void* innermost_parallel_body() noexcept;

}  // namespace cauchy::detail
