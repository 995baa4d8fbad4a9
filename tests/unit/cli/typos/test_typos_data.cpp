// Tables, included files and references that are broken.
#include "support/typo_battery.hpp"

namespace cauchy::testing_cli::test_typos_data {
namespace {

/// The plate with another table of measurements.
struct TableCase {
  std::string text, says;
};

TEST(Typos, TablesOfMeasurements) {
  const TypoFolder folder;
  const std::vector<TableCase> cases{
      {"", "sensors.csv"},
      {"x,y,u\n", "sensors.csv"},
      {"x,y\n0.3,0.3\n", "p.toml:16:8: there is no column 'u' in the file; columns are: x, y"},
      {"x,u\n0.3,0.3\n", "p.toml:16:8: there is no column 'y' in the file; columns are: x, u"},
      {"X,Y,U\n0.3,0.3,1\n", "there is no column 'x' in the file"},
      {"0.3,0.3,1\n", "sensors.csv"},
      {"x,y,u\n0.3,0.3\n", "sensors.csv:2"},
      {"x,y,u\n0.3,0.3,1,2\n", "sensors.csv:2"},
      {"x,y,u\n0.3,zero,1\n", "sensors.csv:2:5: 'zero' is not a number"},
      {"x,y,u\n0.3,,1\n", "sensors.csv:2"},
      {"x;y;u\n0,3;0,3;1\n", "sensors.csv"},
      {"x,y,u\n0.3,0.3,nan\n", "sensors.csv:2:9: 'nan' is not a finite number; remove the row"},
      {"x,y,u\n0.3,0.3,inf\n", "sensors.csv:2:9: 'inf' is not a finite number"},
      {"x,y,u\nnan,0.3,1\n", "sensors.csv:2:1: 'nan' is not a finite number"},
      {"x,y,u\n0.3,0.3,1\n5,0.3,1\n",
       "p.toml:15:1: row 2: the point (5, 0.3) is outside of the domain; remove"},
      {"x,y,u\n1,0.5,1\n", "p.toml:15:1: row 1: the point (1, 0.5) is outside"},
      {"x,x,u\n0.3,0.3,1\n", "sensors.csv"},
      {"x,y,u\n\"0.3,0.3,1\n", "sensors.csv"},
      {std::string("x,y,u\n0.3,\0,1\n", 14), "sensors.csv"},
  };
  folder.write("p.toml", plate);
  for (const auto& [text, says] : cases) {
    folder.write("sensors.csv", text);
    expect_refused(folder, {"solve", "p.toml", "--quiet", "--max-seconds", "0.5"}, says, text);
  }
}

TEST(Typos, NamesOfTables) {
  expect_refused({
      {plate, "sensors.csv", "sensor.csv",
       "p.toml:16:8: file 'sensor.csv' not found; it is looked for in"},
      {plate, "sensors.csv", "", "p.toml:16:8: "},
      {plate, "sensors.csv", ".", "p.toml:16:8: "},
      {plate, "sensors.csv", "bar.toml",
       "p.toml:16:8: bar.toml: ending '.toml' is not one of a table"},
      {plate, "\"sensors.csv\"", "3", "p.toml:16:8: 'file' must be a string"},
      {plate, "\"sensors.csv\"", "\"sensors.csv\"\ncolumn = \"v\"",
       "p.toml:17:10: there is no column 'v' in the file"},
      {plate, "\"sensors.csv\"", "\"sensors.csv\"\nof = \"v\"", "p.toml:17:7: unknown name 'v'"},
      {plate, "\"sensors.csv\"", "\"sensors.csv\"\nof = \"x\"",
       "p.toml:15:1: observation 'x in sensors.csv' observes no field; fields are: u"},
      {plate, "\"sensors.csv\"", "\"sensors.csv\"\ncolumns = [\"x\", \"y\"]",
       "sensors.csv:1: the columns are x, y, u, but x, y were expected"},
      {plate, "\"sensors.csv\"", "\"sensors.csv\"\nweight = -1",
       "p.toml:17:10: 'weight' must not be negative"},
      {plate, "file = \"sensors.csv\"", "", "p.toml:15:1: missing key 'file' in [[observation]]"},
      {plate, "[unknown]",
       "[functions]\na = { file = \"sensors.csv\", arguments = [\"x\"] }\n[unknown]", "p.toml:9:"},
      {plate, "[unknown]", "[functions]\na = { file = \"sensors.csv\", arguments = [] }\n[unknown]",
       "a function needs at least 1 argument; arguments = [\"x\"]"},
      {plate, "[unknown]", "[functions]\na = { file = \"sensors.csv\" }\n[unknown]",
       "missing key 'arguments'"},
      {plate, "[unknown]",
       "[functions]\na = { file = \"sensors.csv\", arguments = [\"x\", \"y\"], column = \"u\" "
       "}\n[unknown]",
       "rows are no full grid"},
      {plate, "[unknown]", "[functions]\na = 3\n[unknown]", "p.toml:9:5: "},
      {plate, "= x\"", "= a(x)\"", "p.toml:11:"},
  });
}

TEST(Typos, References) {
  const std::string formula = "u = \"exp(-k*pi^2*t)*sin(pi*x)\"";
  expect_refused({
      {bar, formula, "", "p.toml:18:1: the reference is empty; give exact"},
      {bar, formula, "exact = \"burgers\"", "p.toml:19:9: unknown exact solution 'burgers'"},
      {bar, formula, "exact = \"burgers_cole_hop\"", "did you mean 'burgers_cole_hopf'?"},
      {bar, formula, "exact = \"kovasznay\"",
       "p.toml:18:1: exact solution 'kovasznay' is one of fields (u, v, p)"},
      {bar, formula, "exact = \"burgers_cole_hopf\"\nparameters = { nu = -1 }", "p.toml:18:1: "},
      {bar, formula, "exact = \"burgers_cole_hopf\"\nparameters = { nu = \"k - 0.1\" }",
       "p.toml:18:1: "},
      {bar, formula, "exact = \"\"", "p.toml:19:9: "},
      {bar, formula, "exact = \"burgers_cole_hopf\"\nparameters = { mu = 1 }",
       "p.toml:20:16: exact solution 'burgers_cole_hopf' has no parameter 'mu'"},
      {bar, formula, formula + "\nparameters = { nu = 1 }",
       "p.toml:20:1: 'parameters' has no meaning without 'exact'"},
      {bar, formula, formula + "\ninterpolation = \"cubic\"",
       "p.toml:20:1: 'interpolation' has no meaning without 'file'"},
      {bar, formula, "file = \"none.csv\"", "p.toml:19:8: file 'none.csv' not found"},
      {bar, formula, "file = \"sensors.csv\"", "p.toml:19:8: there is no column 't' in the file"},
      {bar, formula, "u = true", "p.toml:19:5: 'u' must be a number or a string"},
      {bar, formula, "u = \"exp(-q*t)\"", "p.toml:19:11: unknown name 'q'"},
      {bar, "[reference]", "[[reference]]", "p.toml:18:"},
  });
}

TEST(Typos, Includes) {
  const TypoFolder folder;
  folder.write("a.toml", "include = \"b.toml\"\n");
  folder.write("b.toml", "include = \"a.toml\"\n");
  folder.write("self.toml", "include = \"self.toml\"\n");
  folder.write("wrong.toml", "include = \"broken.toml\"\n");
  folder.write("broken.toml", "k = 0,1\n");
  folder.write("none.toml", "include = \"nothing.toml\"\n");
  folder.write("number.toml", "include = 3\n");
  folder.write("list.toml", "include = [\"bar.toml\", 3]\n");
  folder.write("over.toml", "include = \"bar.toml\"\nfeilds = [\"u\"]\n");
  const std::vector<std::pair<std::string, std::string>> cases{
      {"a.toml", "b.toml:1:11: includes are circular: a.toml -> b.toml -> a.toml; remove one"},
      {"self.toml", "self.toml:1:11: includes are circular: self.toml -> self.toml"},
      {"wrong.toml", "broken.toml:1:5: '0,1' has a comma"},
      {"none.toml", "none.toml:1:11: file 'nothing.toml' not found; it is looked for in"},
      {"number.toml", "number.toml:1:11: 'include' must be a string or an array of strings"},
      {"list.toml", "list.toml:1:24: 'include' must be a string"},
      {"over.toml", "over.toml:2:1: unknown key 'feilds'; did you mean 'fields'?"},
  };
  for (const auto& [file, says] : cases) {
    expect_refused(folder, {"solve", file, "--quiet"}, says, file);
  }
}

}  // namespace
}  // namespace cauchy::testing_cli::test_typos_data
