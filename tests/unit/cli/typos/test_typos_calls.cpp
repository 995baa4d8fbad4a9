// Calls with wrong words, options and settings.
#include "support/typo_battery.hpp"

namespace cauchy::testing_cli::test_typos_calls {
namespace {

struct Call {
  std::vector<std::string> words;
  std::string says;
};

void expect_calls_refused(const std::vector<std::string>& before, const std::vector<Call>& calls) {
  const TypoFolder folder;
  for (const Call& c : calls) {
    std::vector<std::string> words = before;
    words.insert(words.end(), c.words.begin(), c.words.end());
    std::string what = "cauchy";
    for (const std::string& w : words) what += " " + w;
    expect_refused(folder, words, c.says, what);
  }
}

TEST(Typos, Commands) {
  expect_calls_refused(
      {},
      {
          {{}, "command: no command is given; write cauchy COMMAND, one of: solve, check"},
          {{"so\nlve", "bar.toml"}, "so lve: there is no such command"},
          {{"slove", "bar.toml"}, "slove: there is no such command; did you mean 'solve'?"},
          {{"Solve", "bar.toml"}, "Solve: there is no such command"},
          {{"chekc"}, "did you mean 'check'?"},
          {{"run", "bar.toml"}, "run: there is no such command; commands are: solve"},
          {{"bar.toml"}, "bar.toml: there is no such command"},
          {{""}, "there is no such command"},
          {{"--sovle"}, "--sovle: there is no such option before the command"},
          {{"--json", "solve", "bar.toml"},
           "--json: there is no such option before the command; write it behind the command"},
          {{"--hlep"},
           "--hlep: there is no such option before the command; did you mean '--help'?"},
          {{"-x"}, "-x: there is no such option before the command"},
          {{"completion"}, "cauchy: completion: shell is missing; write cauchy completion shell"},
          {{"completion", "tcsh"}, "shell: there is no 'tcsh'; choose one of: bash, zsh, fish"},
          {{"list", "optimisers"}, "topic: there is no 'optimisers'; did you mean 'optimizers'?"},
          {{"list", "nonsense"}, "topic: there is no 'nonsense'; choose one of: regions"},
          {{"list", "problems", "--folder", "no_such"},
           "no_such: there is no such folder; name one with --folder"},
          {{"list", "problems", "--folder", ""}, "--folder: its value is empty"},
          {{"list", "regions", "samplers"}, "'samplers' is one word too many"},
      });
}

TEST(Typos, OptionsOfSolve) {
  expect_calls_refused(
      {"solve"},
      {
          {{}, "cauchy: solve: file is missing; write cauchy solve file"},
          {{"bar.tmol"}, "bar.tmol: there is neither a file nor a problem of the library"},
          {{""}, "file: its value is empty; write it like burgers"},
          {{"no/such/folder/bar.toml"}, "no/such/folder/bar.toml: file does not exist"},
          {{"."}, ".: the folder holds no problem.toml; name a problem file or a run folder"},
          {{"sensors.csv"}, "sensors.csv:1:1: 'x,y,u' has no '='"},
          {{"bar.toml", "plate.toml"}, "'plate.toml' is one word too many"},
          {{"bar.toml", "--nonsense"},
           "--nonsense: solve has no such option; see `cauchy solve --help`"},
          {{"bar.toml", "--thread", "2"},
           "--thread: solve has no such option; did you mean '--threads'?"},
          {{"bar.toml", "--seeds=2"}, "--seeds: solve has no such option; did you mean '--seed'?"},
          {{"bar.toml", "-q"}, "-q: solve has no such option"},
          {{"bar.toml", "--threads", "0"}, "--threads: '0' is no whole number from 1 to "},
          {{"bar.toml", "--threads", "-2"}, "--threads: '-2' is no whole number"},
          {{"bar.toml", "--threads", "two"}, "--threads: 'two' is no whole number"},
          {{"bar.toml", "--threads", "99999999999999999999"},
           "--threads: '99999999999999999999' is no whole number"},
          {{"bar.toml", "--threads"}, "--threads: its value is missing"},
          {{"bar.toml", "--threads", "--quiet"}, "--threads: '--quiet' is no whole number"},
          {{"bar.toml", "--seed", "-3"},
           "--seed: '-3' is no whole number from 0 on; write --seed 1"},
          {{"bar.toml", "--seed", "1.5"}, "--seed: '1.5' is no whole number"},
          {{"bar.toml", "--seed", "abc"}, "--seed: 'abc' is no whole number"},
          {{"bar.toml", "--seed", ""}, "--seed: '' is no whole number"},
          {{"bar.toml", "--seed", "18446744073709551616"},
           "--seed: '18446744073709551616' is no whole number"},
          {{"bar.toml", "--seed", "1", "--seed", "2"}, "--seed: it is given twice; give it once"},
          {{"bar.toml", "--out", "a", "--out", "b"}, "--out: it is given twice"},
          {{"bar.toml", "--out", ""}, "--out: its value is empty; write it like --out runs/first"},
          {{"bar.toml", "--out", "  "}, "--out: its value is empty"},
          {{"bar.toml", "--out"}, "--out: its value is missing"},
          {{"bar.toml", "--out", "sensors.csv/run"}, "sensors.csv/run: "},
          {{"bar.toml", "--max-seconds", "nan"},
           "--max-seconds: 'nan' is no positive number; write it like"},
          {{"bar.toml", "--max-seconds", "inf"}, "--max-seconds: 'inf' is above 1e+300"},
          {{"bar.toml", "--max-seconds", "-1"}, "--max-seconds: '-1' is no positive number"},
          {{"bar.toml", "--max-seconds", "0"}, "--max-seconds: '0' is no positive number"},
          {{"bar.toml", "--max-seconds", "10s"}, "--max-seconds: '10s' is no positive number"},
          {{"bar.toml", "--max-seconds", "1,5"}, "--max-seconds: '1,5' is no positive number"},
          {{"bar.toml", "--max-seconds", ""}, "--max-seconds: '' is no positive number"},
          {{"bar.toml", "--target-error", "nan"}, "--target-error: 'nan' is no positive number"},
          {{"bar.toml", "--target-error", "-1e-3"},
           "--target-error: '-1e-3' is no positive number"},
          {{"bar.toml", "--target-error", "1%"}, "--target-error: '1%' is no positive number"},
          {{"plate.toml", "--target-error", "0.1"},
           "--target-error: the problem has no reference to compare with; leave it out"},
          {{"bar.toml", "--precision", "f16"},
           "--precision: there is no 'f16'; choose one of: f64, f32"},
          {{"bar.toml", "--precision", "double"},
           "--precision: there is no 'double'; choose one of: f64, f32"},
          {{"bar.toml", "--precision", ""}, "--precision: there is no ''"},
          {{"bar.toml", "--quiet=maybe"}, "--quiet: it takes no value; write --quiet alone"},
          {{"bar.toml", "--json=text"}, "--json: it takes no value"},
          {{"bar.toml", "--resume"},
           "runs/bar: there is no run to resume; start it without --resume"},
      });
}

TEST(Typos, ChainsOfOptimizers) {
  expect_calls_refused(
      {"solve", "bar.toml", "--optimizer"},
      {
          {{""}, "--optimizer: its value is empty; write it like --optimizer \"adam 1000"},
          {{"adma 10"}, "--optimizer adma 10: unknown optimizer 'adma'; did you mean 'adam'?"},
          {{"sgd 10"}, "unknown optimizer 'sgd'; here it is called 'gradient_descent'"},
          {{"adam ten"}, "'ten' is neither a number of steps nor key=value"},
          {{"adam -5"}, "'-5' is neither a number of steps nor key=value"},
          {{"adam 0"}, "'steps' must be at least 1, got 0"},
          {{"adam 10,"}, "an optimizer is missing; write it like"},
          {{",adam 10"}, "an optimizer is missing"},
          {{"adam 10 20"}, "'20' is neither a number of steps nor key=value"},
          {{"adam 10 lr=1e-3"},
           "unknown key 'lr' in [[method.stage]]; here it is called 'learning_rate'"},
          {{"adam 10 learning_rate=fast"}, "'learning_rate' must be a number, got a string"},
          {{"adam 10 learning_rate=-1"}, "'learning_rate' must be positive, got -1"},
          {{"adam 10 learning_rate=1e"}, "'learning_rate' must be a number, got a string"},
          {{"adam 10 learning_rate="}, "'learning_rate=' is not key=value"},
          {{"adam 10 =3"}, "'=3' is not key=value"},
          {{"adam 10 learning_rate = 1e-3"},
           "'learning_rate' is neither a number of steps nor key=value"},
          {{"lbfgs 10 learning_rate=1e-3"},
           "'learning_rate' has no meaning for optimizer 'lbfgs'; remove it"},
      });
}

TEST(Typos, Settings) {
  expect_calls_refused(
      {"solve", "bar.toml", "--set"},
      {
          {{""}, "--set: its value is empty; write it like --set method.network.width=64"},
          {{"width"}, "--set width: there is no '='; write it like method.network.width=64"},
          {{"=3"}, "--set =3: a name is missing in the key"},
          {{"method..width=3"}, "a name is missing in the key"},
          {{"parameters.NEW=1"},
           "--set parameters.NEW=1: nothing in the problem uses 'NEW'; names there are: k"},
          {{"parameters.K=1"}, "--set parameters.K=1: nothing in the problem uses 'K'"},
          {{"unknown.mu=1"}, "--set unknown.mu=1: nothing in the problem uses 'mu'"},
          {{"domain.ranges.q=[0, 1]"}, "nothing in the problem uses 'q'"},
          {{"definitions.g=x"}, "nothing in the problem uses 'g'"},
          {{"parameters.k=fast"}, "unknown name 'fast'"},
          {{"parameters.k=1/0"}, "division by zero"},
          {{"parameters.k=nan"}, "--set parameters.k=nan: "},
          {{"parameters.k="}, "--set parameters.k=: "},
          {{"method.network.widht=3"},
           "unknown key 'widht' in [method.network]; did you mean 'width'?"},
          {{"method.network.width=0"},
           "--set method.network.width=0: 'width' must be at least 1, got 0"},
          {{"method.network.width=wide"}, "'width' must be a whole number, got a string"},
          {{"method.seed=-1"}, "'seed' must be at least 0, got -1"},
          {{"network.width=3"}, "unknown key 'network'"},
          {{"condition[9].weight=1"},
           "'condition' has 2 entries, there is no [9]; the first one is [0]"},
          {{"condition[x].weight=1"}, "'condition[x]' has no whole number between its brackets"},
          {{"condition[-1].weight=1"}, "'condition[-1]' has no whole number between its brackets"},
          {{"condition.weight=1"},
           "'condition' is an array, it has no keys; name an entry: condition[0]"},
          {{"name[0]=x"}, "'name' is not an array; leave out the brackets"},
          {{"name.first=x"}, "'name' is a string, it has no keys"},
          {{"name="}, "'name' is empty"},
          {{"domain.space.x=[1, 0]"}, "the ends must be finite with lower < upper"},
          {{"condition[1].where=y = 0"}, "unknown name 'y'"},
          {{"condition[1].where=1"}, "'where' must be a string"},
          {{"equation[0].form=u_t"}, "an equation needs '='"},
          {{"method.stage[0].lr=1"}, "here it is called 'learning_rate'"},
          {{"include=nothing.toml"}, "--set include=nothing.toml: "},
      });
}

TEST(Typos, Studies) {
  expect_calls_refused(
      {"study"},
      {
          {{}, "cauchy: study: file is missing"},
          {{"none.toml"}, "none.toml: file does not exist"},
          {{"nothing"}, "nothing: there is neither a file nor a problem of the library"},
          {{"."}, ".: the folder holds no problem.toml"},
          {{"bar.toml", "--seeds", "0"},
           "--seeds: '0' is no whole number from 1 to 10000; write --seeds 1"},
          {{"bar.toml", "--seeds", "few"}, "--seeds: 'few' is no whole number"},
          {{"bar.toml", "--vary", ""}, "--vary: its value is empty"},
          {{"bar.toml", "--vary", "method.seed"}, "--vary method.seed: there is no '='; write it "},
          {{"bar.toml", "--vary", "method.seed="}, "--vary method.seed=: there are no values; "},
          {{"bar.toml", "--vary", "method.seed=1,,2"}, "a value is empty; write it like --vary"},
          {{"bar.toml", "--vary", "=1,2"}, "--vary =1,2: the key is missing"},
          {{"bar.toml", "--vary", "method.stage=[{"}, "a bracket or a quote is not closed"},
          {{"bar.toml", "--vary", "method.sede=1,2"},
           "--vary method.sede=1,2: unknown key 'sede' in [method]; did you mean 'seed'?"},
          {{"bar.toml", "--vary", "method.network.width=8,wide"},
           "--vary method.network.width=8,wide: 'width' must be a whole number"},
          {{"bar.toml", "--vary", "method.seed=1,1"}, "there are two variants 'seed=1'; give "},
          {{"bar.toml", "--vary", "method.seed=1", "--vary", "method.seed=2"},
           "--vary method.seed=2: 'method.seed' is varied twice; give all its values at once"},
          {{"bar.toml", "--set", "method.sede=1"}, "--set method.sede=1: unknown key 'sede'"},
          {{"bar.toml", "--resume"}, "runs/study-bar: there is no study to resume; start it "},
          {{"bar.toml", "--out", "."}, ".: the folder holds other files: '"},
          {{"bar.toml", "--threads-per-run", "0"}, "--threads-per-run: '0' is no whole number"},
          {{"bar.toml", "--max-seconds", "-1"}, "--max-seconds: '-1' is no positive number"},
      });
}

TEST(Typos, StudyFiles) {
  const TypoFolder folder;
  folder.write("s.toml", "");
  const std::string head = "problem = \"bar.toml\"\n";
  const std::string grid = "[[vary]]\nkey = \"method.seed\"\n";
  const std::string named = "[[variant]]\nname = \"wide\"\n";
  const std::vector<std::pair<std::string, std::string>> files{
      {grid + "values = [1]\n", "s.toml:1:1: missing key 'problem'; problem = \"../problems"},
      {"problem = 3\n", "s.toml:1:11: 'problem' must be a string"},
      {"problem = \"none.toml\"\n", "none.toml: file does not exist"},
      {head + "seed = 4\n", "s.toml:2:1: unknown key 'seed'; did you mean 'seeds'?"},
      {head + "seeds = 0\n", "s.toml:2:9: 'seeds' must be "},
      {head + "max_seconds = -1\n", "s.toml:2:15: 'max_seconds' must not be negative"},
      {head + grid, "s.toml:2:1: missing key 'values' in [[vary]]; values = [100, 200]"},
      {head + grid + "values = []\n", "s.toml:4:10: there are no values; name some"},
      {head + grid + "values = 4\n", "s.toml:4:10: 'values' must be an array; values = [100"},
      {head + grid + "values = [1, 2]\nnames = [\"one\"]\n",
       "s.toml:5:9: there are 1 names for 2 values; give every value one name"},
      {head + grid + "valeus = [1]\n", "s.toml:4:1: unknown key 'valeus' in [[vary]]; did you"},
      {head + "[[vary]]\nkey = \"method.sede\"\nvalues = [1]\n",
       "s.toml:2:1: unknown key 'sede' in [method]; did you mean 'seed'?"},
      {head + named + named, "s.toml:5:8: there is another variant 'wide'; give it another name"},
      {head + "[[variant]]\n", "s.toml:2:1: missing key 'name' in [[variant]]"},
      {head + named + "set = { \"method.network.widht\" = 8 }\n",
       "s.toml:4:9: unknown key 'widht' in [method.network]; did you mean 'width'?"},
      {head + named + "set = { method.network.width = 8 }\n",
       "s.toml:4:9: 'method' would be replaced as a whole; write the whole key in quotes"},
      {head + "set = 3\n", "s.toml:2:7: 'set' must be a table"},
  };
  for (const auto& [text, says] : files) {
    folder.write("s.toml", text);
    expect_refused(folder, {"study", "s.toml"}, says, text);
  }
}

TEST(Typos, CheckCompareAndPredict) {
  expect_calls_refused(
      {}, {
              {{"check"}, "cauchy: check: file is missing"},
              {{"check", "none.toml"}, "none.toml: file does not exist"},
              {{"check", "bar.toml", "--out", "x"}, "--out: check has no such option"},
              {{"check", "bar.toml", "--set", "parameters.k=\"\""}, "--set parameters.k=\"\": "},
              {{"compare"}, "cauchy: compare: inputs is missing"},
              {{"compare", "none.toml"}, "none.toml: file does not exist"},
              {{"compare", "bar.toml", "none.toml"}, "none.toml: file does not exist"},
              {{"compare", "."}, "result.json"},
              {{"compare", "bar.toml", "--restarts", "1"},
               "--restarts: '1' is no whole number from 2 to 10000"},
              {{"compare", "bar.toml", "--restarts", "-2"}, "--restarts: '-2' is no whole number"},
              {{"compare", "bar.toml", "--variant", ""}, "--variant: its value is empty"},
              {{"compare", "bar.toml", "--variant", "method.sede=2"},
               "unknown key 'sede' in [method]; did you mean 'seed'?"},
              {{"compare", "bar.toml", "--variant", "width"}, "there is no '='"},
              {{"compare", "bar.toml", "--out", ""}, "--out: its value is empty"},
              {{"compare", "bar.toml", "--max-seconds", "nan"},
               "--max-seconds: 'nan' is no positive number"},
              {{"predict"}, "cauchy: predict: run is missing"},
              {{"predict", "bar.toml"}, "predict: it does not say where to evaluate; give --at"},
              {{"predict", "no_run", "--grid", "t=0"}, "no_run: "},
              {{"predict", "bar.toml", "--grid", "t=0"}, "bar.toml: "},
              {{"predict", ".", "--grid", "t=0"}, ".: there is no solution.bin"},
              {{"predict", ".", "--grid", ""}, "--grid: its value is empty"},
              {{"predict", ".", "--at", ""}, "--at: its value is empty"},
              {{"predict", ".", "--gird", "t=0"},
               "--gird: predict has no such option; did you mean '--grid'?"},
              {{"predict", ".", "--at", "a.csv", "--grid", "t=0"},
               "predict: --at and --grid exclude each other"},
              {{"predict", ".", "--at", "a.csv", "--out", "a.xdmf"},
               "--out: an XDMF file needs a grid"},
          });
}

TEST(Typos, Mesh) {
  const std::string disk = "disk((0, 0), 1)";
  expect_calls_refused(
      {"mesh"},
      {
          {{}, "cauchy: mesh: region is missing"},
          {{"dsk((0, 0), 1)", "--size", "0.1"}, "region:1:1: unknown region 'dsk'"},
          {{disk}, "--size: the size of the cells is missing; add --size 0.1"},
          {{disk, "--size", "0"}, "--size: '0' is no positive number"},
          {{disk, "--size", "1e-7"}, "mesh: about 7.26e+14 cells are to be expected"},
          {{disk, "--size", "0.3", "--angle", "40"}, "--angle: '40' is above 30"},
          {{disk, "--size", "0.3", "--out", "a.stl"},
           "--out: meshes are written as .msh, .vtk, .vtu or .xdmf"},
          {{disk, "--sise", "0.3"}, "--sise: mesh has no such option; did you mean '--size'?"},
          {{"half_plane((0, 0), (1, 0))", "--size", "0.3"}, "mesh: the region is unbounded"},
          {{"nothing.msh"}, "nothing.msh: file does not exist"},
      });
}

TEST(Typos, Points) {
  const std::string disk = "disk((0, 0), 1)";
  expect_calls_refused(
      {"points"},
      {
          {{}, "cauchy: points: region is missing"},
          {{""}, "region:1:1: "},
          {{"disk"}, "region:1:"},
          {{"dsk((0, 0), 1)"}, "region:1:1: unknown region 'dsk'; did you mean 'disk'?"},
          {{"disk((0, 0), -1)"}, "region:1:1: radius must be positive, got -1"},
          {{"disk((0, 0), R)"}, "unknown name 'R'"},
          {{"disk((0, 0), R)", "--value", "R=-1"}, "region: radius must be positive, got -1"},
          {{"disk((0, 0), R)", "--value", "R"},
           "--value: 'R' is not NAME=NUMBER; write it like --value R=0.3"},
          {{"disk((0, 0), R)", "--value", "=1"}, "--value: '=1' is not NAME=NUMBER"},
          {{"disk((0, 0), R)", "--value", "R=a"}, "--value:1:3: unknown name 'a'"},
          {{"disk((0, 0), R)", "--range", "R=1"}, "--range: 'R=1' is not NAME=NUMBER,NUMBER"},
          {{"disk((0, 0), R)", "--range", "R=2,1"}, "'R' goes from 2 to 1"},
          {{"disk((0, 0), R)", "--range", "R=0.1,1", "--value", "R=1"}, "R"},
          {{"disk((0, 0), 1)", "-n", "-5"},
           "--n: '-5' is no whole number from 1 to 1000000000000000; write --n 1"},
          {{disk, "-n", "0"}, "--n: '0' is no whole number from 1"},
          {{disk, "-n", "1e9"}, "--n: '1e9' is no whole number"},
          {{disk, "-n", "99999999999"}, "of memory"},
          {{disk, "-n", "many"}, "--n: 'many' is no whole number"},
          {{disk, "-n"}, "-n: its value is missing"},
          {{disk, "-s", "soboll"}, "--sampler: there is no 'soboll'; did you mean 'sobol'?"},
          {{disk, "--seed", "-1"}, "--seed: '-1' is no whole number"},
          {{disk, "--skip", "-1"}, "--skip: '-1' is no whole number"},
          {{disk, "--skip", "5", "-s", "grid"}, "--sampler grid: "},
          {{disk, "--randomize", "yes"},
           "--randomize: there is no 'yes'; choose one of: none, shift, scramble"},
          {{disk, "--on", "lefd"}, "--on:1:1: unknown name 'lefd'"},
          {{disk, "--on", "y = 0 or 1"},
           "--on:1:10: '1' is no condition; write \"y = 0 or y = 1\""},
          {{disk, "--on", "x > 5"}, "--on: 'x > 5' selects no part of the boundary"},
          {{disk, "--on", ""}, "--on: its value is empty"},
          {{disk, "--time", "t=1"}, "--time: 't=1' is not NAME=NUMBER,NUMBER"},
          {{disk, "--time", "t=1,0"}, "'t' goes from 1 to 0"},
          {{disk, "--initial"}, "--initial: the domain has no time"},
          {{disk, "--time", "t=0,1", "--initial", "--on", "boundary"},
           "--initial: points are on the boundary or at the initial time, not both"},
          {{disk, "--distance", "far"},
           "--distance: there is no 'far'; choose one of: shape, grid"},
          {{disk, "--size", "-1", "--out", "a.svg"}, "--size: '-1' is no positive number"},
          {{disk, "--size", "1e9", "--out", "a.svg"}, "--size: '1e9' is above 8000"},
          {{disk, "--out", "picture.gif"}, "picture.gif"},
          {{disk, "--out", ""}, "--out: its value is empty"},
          {{disk, "--out", "no/such/folder/a.png"}, "no/such/folder/a.png"},
          {{"half_plane((0, 0), (1, 0))"}, "the region"},
          {{"surface(\"none.stl\")"}, "region:1:1: none.stl: file does not exist"},
          {{"rectangle((0, 0), (1, 1)) - rectangle((-1, -1), (2, 2))"}, ": "},
      });
}

}  // namespace
}  // namespace cauchy::testing_cli::test_typos_calls
