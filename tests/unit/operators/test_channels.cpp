#include <gtest/gtest.h>

#include "operators/channels.hpp"
#include "support/message_of.hpp"
#include "support/operator_cases.hpp"

namespace cauchy::detail::test_channels {
namespace {

TEST(Channels, AFrameIsAFieldAtATime) {
  const auto frame = frame_in("vorticity(t=0.25)");
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->field, "vorticity");
  EXPECT_EQ(frame->time, 0.25);
  EXPECT_EQ(frame_in("u(time=1e-3)")->time, 1e-3);
  for (const char* name : {"u", "u(x)", "u(t=)", "u(t=half)", "(t=1)", "u(t=1", "u=1"}) {
    EXPECT_FALSE(frame_in(name)) << name;
  }
}

DataSet named(std::vector<std::string> inputs, std::vector<std::string> outputs) {
  DataSet d;
  d.grid = circle(4);
  d.inputs = std::move(inputs);
  d.outputs = std::move(outputs);
  return d;
}

TEST(Channels, OutputsAreSortedByFieldAndTime) {
  const DataSet d = named({"a"}, {"v(t=1)", "u(t=2)", "u(t=1)", "v(t=2)"});
  FieldOperator m;
  m.time_axis = true;
  const ChannelTable table = table_of(channels_of({}, d, m), d);
  EXPECT_EQ(table.times, (std::vector<double>{1, 2}));
  EXPECT_EQ(table.outputs, (std::vector<std::size_t>{0, 3, 2, 1}));  // v at 1, 2, u at 1, 2
  EXPECT_EQ(table.field, (std::vector<std::size_t>{0, 0, 1, 1}));
}

TEST(Channels, ARollOutBeginsWithTheInputsThatAreFrames) {
  const DataSet d = named({"nu", "u(t=0)"}, {"u(t=2)", "u(t=1)"});
  FieldOperator m;
  m.history = 1;
  const Channels c = channels_of({}, d, m);
  EXPECT_EQ(c.fixed, (std::vector<std::size_t>{0}));
  EXPECT_EQ(c.step, 1);
  const ChannelTable table = table_of(c, d);
  ASSERT_EQ(table.frames.size(), 3u);
  EXPECT_TRUE(table.frames[0][0].is_input);
  EXPECT_EQ(table.frames[0][0].channel, 1u);
  EXPECT_FALSE(table.frames[1][0].is_input);
  EXPECT_EQ(table.frames[1][0].channel, 1u);
  EXPECT_EQ(table.frames[2][0].channel, 0u);
}

TEST(Channels, DataInAnotherOrderAreFoundByName) {
  const DataSet d = named({"a", "b"}, {"u", "v"});
  const Channels c = channels_of({}, d, {});
  const ChannelTable table = table_of(c, named({"b", "c", "a"}, {"v", "u"}));
  EXPECT_EQ(table.inputs[0].channel, 2u);
  EXPECT_EQ(table.inputs[1].channel, 0u);
  EXPECT_EQ(table.outputs, (std::vector<std::size_t>{1, 0}));
}

TEST(Channels, ASaveKeepsEverything) {
  const DataSet d = named({"nu", "u(t=0)"}, {"u(t=0.5)", "u(t=1)"});
  FieldOperator m;
  m.history = 2;
  const Channels c = channels_of({}, d, m);
  Checkpoint saved;
  c.save(saved);
  const Channels back = Channels::load(saved);
  EXPECT_EQ(back.kind, Channels::Kind::roll_out);
  EXPECT_EQ(back.inputs, c.inputs);
  EXPECT_EQ(back.outputs, c.outputs);
  EXPECT_EQ(back.fixed, c.fixed);
  EXPECT_EQ(back.step, 0.5);
  EXPECT_EQ(back.history, 2u);
  EXPECT_EQ(back.time, "t");
  saved.arrays["channels/fixed"] = Array::list({7});
  EXPECT_NE(message_of([&] { (void)Channels::load(saved); }).find("damaged"), std::string::npos);
}

TEST(Channels, WhatDoesNotFitIsSaid) {
  const auto error = [](const DataSet& d, const FieldOperator& m) {
    return message_of([&] { (void)table_of(channels_of({}, d, m), d); });
  };
  FieldOperator roll;
  roll.history = 1;
  EXPECT_EQ(error(named({"a"}, {"u"}), roll),
            "[operators]: a roll-out needs outputs at several times, the data have 0; give more "
            "`times` in [operator]");
  EXPECT_EQ(error(named({"a"}, {"u(t=0)", "u(t=1)", "u(t=3)"}), roll),
            "[operators]: a roll-out needs equal steps of time, but frame 2 is at 1, not at 1.5; "
            "give equally spaced `times` in [operator]");
  roll.unroll = 3;
  EXPECT_EQ(error(named({"a"}, {"u(t=0)", "u(t=1)", "u(t=2)"}), roll),
            "[operators]: a roll-out with history = 1 and unroll = 3 needs 4 frames, the data have "
            "3; give more `times` in [operator], or a shorter history");
  EXPECT_EQ(error(named({"a"}, {"u(t=0)", "v(t=0)", "u(t=1)"}), roll),
            "[operators]: the data have no 'v' at time 1; give all fields at the same times");
  const Channels c = channels_of({}, named({"a"}, {"u"}), {});
  EXPECT_EQ(message_of([&] { (void)table_of(c, named({"b"}, {"u"})); }),
            "[operators]: the data have no input 'a'; their inputs are: b");
  EXPECT_EQ(message_of([&] { (void)table_of(c, named({"a"}, {"v"})); }),
            "[operators]: the operator has not learnt the output 'v'; its outputs are: u");
}

}  // namespace
}  // namespace cauchy::detail::test_channels
