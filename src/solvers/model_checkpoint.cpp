#include "solvers/model_checkpoint.hpp"

namespace cauchy::detail {
namespace {

template <class Map>
void put_prefixed(Map& all, const std::string& prefix, const Map& own) {
  for (const auto& [name, value] : own) all[prefix + name] = value;
}
template <class Map>
Map prefixed(const Map& all, const std::string& prefix) {
  Map own;
  for (const auto& [name, value] : all) {
    if (name.starts_with(prefix)) own[name.substr(prefix.size())] = value;
  }
  return own;
}

}  // namespace

void put_model(Checkpoint& all, const std::string& name, const FieldModel& model) {
  Checkpoint own;
  model.save(own);
  all.texts[name] = std::string(model.kind());
  const std::string prefix = name + "/";
  put_prefixed(all.arrays, prefix, own.arrays);
  put_prefixed(all.numbers, prefix, own.numbers);
  put_prefixed(all.texts, prefix, own.texts);
}

Checkpoint model_in(const Checkpoint& all, const std::string& name) {
  const std::string prefix = name + "/";
  return {prefixed(all.arrays, prefix), prefixed(all.numbers, prefix), prefixed(all.texts, prefix)};
}

}  // namespace cauchy::detail
