#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/parse.hpp>
#include <cauchy/expr/print.hpp>

#include "operators/deeponet/deeponet_map.hpp"
#include "operators/trained_field_operator.hpp"  // save_grid
#include "training/checkpoints.hpp"              // lines_of

namespace cauchy::detail {

void damaged_model() {
  throw Error(ErrorKind::file, "the model is damaged", "[operators]", "train it again");
}

void DeepOnetMap::save(Checkpoint& c) const {
  save_grid(c, grid);
  Checkpoint own;
  save_grid(own, sensors);
  for (auto& [name, array] : own.arrays) c.arrays["sensors/" + name] = array;
  for (auto& [name, text] : own.texts) c.texts["sensors/" + name] = text;
  c.texts["inputs"] = fmt::format("{}", fmt::join(inputs, "\n"));
  std::string names_of_arguments;
  for (const auto& of_input : arguments) {
    names_of_arguments += fmt::format("({})\n", fmt::join(of_input, " "));
  }
  c.texts["arguments"] = names_of_arguments;
  c.texts["outputs"] = fmt::format("{}", fmt::join(outputs, "\n"));
  std::vector<double> numbers;
  std::string names, forms;
  for (const Axis& a : axes) {
    numbers.insert(numbers.end(), {a.lower, a.upper, a.periodic ? 1.0 : 0.0, a.time ? 1.0 : 0.0});
    names += a.name + "\n";
  }
  c.arrays["axes"] = Array::list(numbers);
  c.texts["axes"] = names;
  numbers.clear();
  for (const FieldForm& f : fields) {
    numbers.insert(numbers.end(), {f.scale, f.offset});
    forms += fmt::format("{}\n{}\n{}\n{}\n", f.name, to_string(f.factor), to_string(f.extension),
                         to_string(f.lift));
  }
  c.arrays["fields"] = Array::list(numbers);
  c.texts["fields"] = forms;
  numbers.clear();
  for (const TableInterpolation i : interpolation) numbers.push_back(static_cast<double>(i));
  c.arrays["interpolation"] = Array::list(numbers);
  c.arrays["input_mean"] = Array::list(input_mean);
  c.arrays["input_deviation"] = Array::list(input_deviation);
  c.arrays["pod"] = Array::list(pod);
  c.arrays["pod_times"] = Array::list(pod_times);
}

DeepOnetMap DeepOnetMap::load(const Checkpoint& c, const DeepOnet& method) {
  DeepOnetMap map;
  map.method = method;
  map.grid = load_grid(c);
  Checkpoint own;
  for (const char* name : {"grid/axes", "grid/cloud", "grid/cloud_weights"}) {
    own.arrays[name] = c.array(fmt::format("sensors/{}", name));
  }
  own.texts["grid/names"] = c.text("sensors/grid/names");
  map.sensors = load_grid(own);
  map.inputs = lines_of(c.text("inputs"));
  map.outputs = lines_of(c.text("outputs"));
  const std::vector<double>& axes = c.array("axes").values;
  const std::vector<std::string> names = lines_of(c.text("axes")),
                                 forms = lines_of(c.text("fields"));
  const std::vector<double>& fields = c.array("fields").values;
  if (names.empty() || axes.size() != 4 * names.size() || forms.empty() || forms.size() % 4 != 0 ||
      fields.size() * 2 != forms.size()) {
    damaged_model();
  }
  Context context;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const double* a = &axes[4 * k];
    map.axes.push_back({names[k], a[0], a[1], a[2] != 0, a[3] != 0});
    if (a[3] != 0) {
      context.add_time(names[k]);
    } else {
      context.add_space(names[k]);
    }
  }
  const std::vector<std::string> lists = lines_of(c.text("arguments"));
  if (lists.size() != map.inputs.size()) damaged_model();
  for (std::size_t i = 0; i < map.inputs.size(); ++i) {
    std::vector<std::string>& list = map.arguments.emplace_back();
    std::istringstream words(lists[i].substr(1, lists[i].size() - 2));
    for (std::string word; words >> word;) list.push_back(word);
    const std::size_t arity = list.empty() ? map.grid.axes.size() : list.size();
    context.add_function(map.inputs[i], static_cast<int>(arity));
  }
  for (std::size_t f = 0; 4 * f < forms.size(); ++f) {
    map.fields.push_back({forms[4 * f], fields[2 * f], fields[2 * f + 1],
                          parse(forms[4 * f + 1], context), parse(forms[4 * f + 2], context),
                          parse(forms[4 * f + 3], context)});
  }
  for (const double i : c.array("interpolation").values) {
    if (!(i >= 0 && i <= 2)) damaged_model();
    map.interpolation.push_back(static_cast<TableInterpolation>(static_cast<int>(i)));
  }
  map.input_mean = c.array("input_mean").values;
  map.input_deviation = c.array("input_deviation").values;
  map.pod = c.array("pod").values;
  map.pod_times = c.array("pod_times").values;
  const std::size_t n = map.inputs.size();
  const std::size_t n_pod = method.pod ? map.fields.size() * (1 + map.width()) *
                                             map.pod_times.size() * map.grid.n_points()
                                       : 0;
  if (n == 0 || map.interpolation.size() != n || map.input_mean.size() != n ||
      map.input_deviation.size() != n || map.pod.size() != n_pod) {
    damaged_model();
  }
  return map;
}

}  // namespace cauchy::detail
