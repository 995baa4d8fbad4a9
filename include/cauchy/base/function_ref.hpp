#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace cauchy {

template <class Signature>
class FunctionRef;

/// A reference to anything that can be called as R(Args...): two words, never allocates, never
/// empty. Does not own: the callable must outlive the FunctionRef. Meant for parameters, where a
/// temporary lambda lives until the call returns. Cost of a call: one indirect jump.
template <class R, class... Args>
class FunctionRef<R(Args...)> final {
 public:
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef> &&
           std::is_invocable_r_v<R, F&, Args...>) FunctionRef(F&& callable)
  noexcept {  // NOLINT: implicit by intent
    using Callable = std::remove_reference_t<F>;
    if constexpr (std::is_function_v<Callable>) {
      target_.function = reinterpret_cast<void (*)()>(&callable);
      call_ = [](Target_ t, Args... args) -> R {
        return reinterpret_cast<Callable*>(t.function)(std::forward<Args>(args)...);
      };
    } else {
      target_.object = const_cast<void*>(static_cast<const void*>(std::addressof(callable)));
      call_ = [](Target_ t, Args... args) -> R {
        return (*static_cast<Callable*>(t.object))(std::forward<Args>(args)...);
      };
    }
  }

  R operator()(Args... args) const { return call_(target_, std::forward<Args>(args)...); }

 private:
  union Target_ {
    void* object;
    void (*function)();
  };
  Target_ target_;
  R (*call_)(Target_, Args...);
};

}  // namespace cauchy
