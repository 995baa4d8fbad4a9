#include <cauchy/files/study_file.hpp>

#include <gtest/gtest.h>

#include "support/message_of.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_study_file {
namespace {

using Texts = std::vector<std::string>;

TEST(StudyAxis, SplitsAtCommasOutsideOfBracketsAndQuotes) {
  const auto values = [](std::string_view text) { return parse_study_axis(text, "p").values; };
  EXPECT_EQ(values("k=1,2"), (Texts{"1", "2"}));
  EXPECT_EQ(values("k=[1,2],{a=1,b=[3,4]}"), (Texts{"[1,2]", "{a=1,b=[3,4]}"}));
  EXPECT_EQ(values("k=\"a,b\",'c,]d',max(x,y)"), (Texts{"\"a,b\"", "'c,]d'", "max(x,y)"}));
  EXPECT_EQ(values("k=a=1,b=2"), (Texts{"a=1", "b=2"}));
  EXPECT_EQ(parse_study_axis("method.stage=[]", "p").key, "method.stage");
  EXPECT_EQ(message_of([] { (void)parse_study_axis("k=", "p"); }),
            "p: there are no values; write it like --vary method.points.sampler=uniform,sobol");
}

TEST(StudyVariants, AreAllCombinationsWithTheLastKeyFastest) {
  StudyFile study;
  study.axes = {parse_study_axis("method.a=1,2", "p"),
                parse_study_axis("method.b=\"x\",\"y\"", "p"), parse_study_axis("method.c=7", "p")};
  const std::vector<StudyVariant> all = study_variants(study);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].name, "a=1, b=x");
  EXPECT_EQ(all[1].name, "a=1, b=y");
  EXPECT_EQ(all[2].name, "a=2, b=x");
  EXPECT_EQ(all[3].settings[1].text, "method.b=\"y\"");
  EXPECT_EQ(all[3].settings[2].text, "method.c=7");
  // Keys with the same last part are told apart by all of it; long values by their number.
  study.axes = {parse_study_axis("m.a.n=1,2", "p"), parse_study_axis("m.b.n=3,4", "p")};
  EXPECT_EQ(study_variants(study)[0].name, "m.a.n=1, m.b.n=3");
  const std::string stages(50, 's');
  study.axes = {parse_study_axis("m.stage=[" + stages + "],[" + stages + ",t]", "p")};
  EXPECT_EQ(study_variants(study)[1].name, "stage 2");
  EXPECT_EQ(study_variants({}).at(0).name, "as it is");
}

TEST(StudyFile, WritesSettingsAsOverrides) {
  const TemporaryFolder folder;
  const std::string file = folder.write("s.toml", R"toml(
title = "T"
problem = "sub/p.toml"
seeds = 7
max_seconds = 1.5
threads_per_run = 2
[[variant]]
name = "all kinds"
[variant.set]
"method.point_weights" = [{ kind = "causal", epsilon = [0.5, 1] }]
"parameters.nu" = "0.01/pi"
"method.scale" = false
method = { kind = "fdm", n = 12 }
)toml");
  EXPECT_TRUE(is_study_file(file));
  const StudyFile study = read_study_file(file);
  EXPECT_EQ(study.problem, folder.file("sub/p.toml"));
  EXPECT_EQ(study.seeds, 7u);
  EXPECT_EQ(study.max_seconds, 1.5);
  EXPECT_EQ(study.threads_per_run, 2);
  Texts texts;
  for (const StudySetting& s : study.variants.at(0).settings) texts.push_back(s.text);
  EXPECT_EQ(texts, (Texts{R"(method.point_weights=[{"kind" = "causal", "epsilon" = [0.5, 1]}])",
                          R"(parameters.nu="0.01/pi")", "method.scale=false",
                          R"(method={"kind" = "fdm", "n" = 12})"}));
  EXPECT_EQ(study.variants[0].settings[1].place, file + ":11:1");
  // An error about an override comes with the place where it was written.
  const Error wrong("unknown", "--set parameters.nu=\"0.01/pi\"", "mend it");
  EXPECT_STREQ(in_study(wrong, study.variants[0].settings).what(),
               (file + ":11:1: unknown; mend it").c_str());
  EXPECT_STREQ(in_study(wrong, {}).what(), wrong.what());
  EXPECT_FALSE(is_study_file(folder.write("p.toml", "fields = [\"u\"]\n")));
}

TEST(StudyFile, NamesOfTheLibraryStayNames) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_study_file(folder.write("s.toml", "problem = \"burgers\"\n")).problem, "burgers");
}

}  // namespace
}  // namespace cauchy::test_study_file
