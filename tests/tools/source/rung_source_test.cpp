// Schedules as their authors wrote them.
#include "tools/cli/source/rung_source.h"

#include "../command.h"
#include "examples/ladders/ladders.h"
#include "runtime/files.h"
#include "tests/support/runtime/temporary_folder.h"
#include "tools/cli/judge/selection.h"

namespace hone {
namespace rung_source_test {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

/// The lines of a source are those that ran: each step stands in a piece that names its primitive.
void expect_steps_in(const RungSource& source, const Schedule& schedule, const std::string& name) {
  for (const TraceEntry& entry : schedule.trace()) {
    const auto piece = llvm::find_if(source.pieces, [&](const SourcePiece& one) {
      return std::string_view(entry.location.file).ends_with(one.file) &&
             one.lines.contains(entry.location.line);
    });
    ASSERT_NE(piece, source.pieces.end()) << name << ": " << entry.text;
    EXPECT_GT(piece->steps[entry.location.line - piece->lines.first], 0) << name;
  }
}

TEST(RungSource, IsThereForAllShippedRungs) {
  for (const Ladder& ladder : all_ladders())
    for (const Rung& rung : ladder.rungs) {
      if (ladder.is_broken || is_given_as_text(rung)) continue;
      const RungRef ref = {&ladder, &rung};
      const Schedule schedule = rung.build({}, ladder.sizes);
      const RungSource source = source_of(ladder, rung, schedule);
      EXPECT_EQ(source.problem, "") << ref.name();
      ASSERT_FALSE(source.pieces.empty()) << ref.name();
      EXPECT_THAT(source.pieces.front().text, HasSubstr("\"" + rung.name + "\"")) << ref.name();
      expect_steps_in(source, schedule, ref.name());
    }
}

TEST(RungSource, LeadsFromTheEntryToTheFunctions) {
  const std::vector<Ladder> ladders = all_ladders();
  const RungRef rung = find_rung(ladders, "matmul/shared-16");
  const RungSource source =
      source_of(*rung.ladder, *rung.rung, rung.rung->build({}, rung.ladder->sizes));
  std::vector<std::string> names;
  for (const SourcePiece& piece : source.pieces) names.push_back(piece.name);
  EXPECT_THAT(
      names, ElementsAre("", "in_squares", "shared_tiles", "promise_whole_tiles", "square_blocks"));
  EXPECT_THAT(text_of(source, rung.name()), HasSubstr(R"(
void in_squares(Schedule& s, const Matmul& p, int64_t tile) { shared_tiles(s, p, tile); }
)"));
  EXPECT_THAT(text_of(source, rung.name()),
              HasSubstr("/// Square blocks whose threads stage a square tile of each operand in "
                        "shared memory. Returns the\n"));  // of the header
}

/// The steps of a user's ladder, at lines of a file of their own.
class OwnLadder : public testing::Test {
 protected:
  void write(const std::string& text) { replace_file(path_, {text}); }

  RungRef rung() {
    Rung rung = make_rung<Axpy>("halves", "", RungTarget::gpu, [this](Schedule& s, const Axpy& p) {
      const auto [chunk, lane] = s.split(p.i, 128, {}, Location{path_.c_str(), 8});
      s.bind(chunk, block.x, Location{path_.c_str(), 9});
      s.bind(lane, thread.x, Location{path_.c_str(), 3});
    });
    rung.location = {path_.c_str(), 13};
    ladder_.name = "own";
    ladder_.rungs = {rung};
    return {&ladder_, &ladder_.rungs[0]};
  }

  std::string text() {
    const RungRef ref = rung();
    return text_of(source_of(*ref.ladder, *ref.rung, ref.rung->build({}, {{"N", 100}})),
                   ref.name());
  }

  const std::string lines_ = R"(/// Threads are lanes.
void lanes(Schedule& s, const Axis& lane) {
  s.bind(lane, thread.x);
}

void halves(Schedule& s, const Axpy& p) {
  // Two loops.
  auto [chunk, lane] = s.split(p.i, 128);
  s.bind(chunk, block.x);
  lanes(s, lane);
}

std::vector<Rung> rungs() { return {rung("halves", "in halves", halves)}; }
)";
  const TemporaryFolder folder_;
  const std::string path_ = folder_.path() + "/ladder.cpp";
  Ladder ladder_;
};

TEST_F(OwnLadder, IsReadFromTheDisk) {
  write(lines_);
  EXPECT_EQ(text(), "// " + path_ + R"(:13
std::vector<Rung> rungs() { return {rung("halves", "in halves", halves)}; }

// )" + path_ + R"(:6
void halves(Schedule& s, const Axpy& p) {
  // Two loops.
  auto [chunk, lane] = s.split(p.i, 128);
  s.bind(chunk, block.x);
  lanes(s, lane);
}

// )" + path_ + R"(:1
/// Threads are lanes.
void lanes(Schedule& s, const Axis& lane) {
  s.bind(lane, thread.x);
}
)");
  const RungRef ref = rung();
  const RungSource source = source_of(*ref.ladder, *ref.rung, ref.rung->build({}, {{"N", 100}}));
  EXPECT_THAT(source.pieces[1].steps, ElementsAre(0, 0, 1, 2, 0, 0));
  EXPECT_THAT(source.pieces[2].steps, ElementsAre(0, 0, 3, 0));
}

/// Steps of a lambda in the call that states the rung: the function around the call is no part.
TEST_F(OwnLadder, HasStepsInTheCallThatStatesTheRung) {
  const std::string call = R"(rung("halves", "in halves",
     [](Schedule& s, const Axis& lane) {
       s.bind(lane, thread.x);




       s.split(lane, 128);
       s.bind(lane, block.x);
     }),
)";
  write("rungs() { return {" + call + "};\n\n\n}\n");
  const RungRef ref = rung();
  const RungSource source = source_of(*ref.ladder, *ref.rung, ref.rung->build({}, {{"N", 100}}));
  EXPECT_EQ(source.problem, "");
  ASSERT_EQ(source.pieces.size(), 1u);
  EXPECT_EQ(source.pieces[0].lines, (LineRange{1, 10}));
}

std::string problem_of(const std::function<std::string()>& text) {
  try {
    return text();
  } catch (const RuntimeError& error) {
    return error.what();
  }
}

TEST_F(OwnLadder, SaysThatTheFileIsNotThere) {
  EXPECT_EQ(problem_of([&] { return text(); }), "own/halves has no source: cannot read " + path_);
}

TEST_F(OwnLadder, SaysThatTheFileHasChanged) {
  write("int other;\n" + lines_);  // the last step is now outside of a call that binds
  EXPECT_THAT(text(), Not(HasSubstr("not all is here")));
  write(std::string(20, '\n') + "int other;\n");
  EXPECT_EQ(problem_of([&] { return text(); }),
            "own/halves has no source: " + path_ + " has changed since the program was built");
}

TEST(RungSource, IsMissingWhereNoPlaceIsKnown) {
  const CommandResult result = hone({"show", "axpy/serial", "--emit=source"});
  EXPECT_EQ(result.complained,
            "error: axpy/serial has no source: no place in C++ is known of it\n");
  EXPECT_EQ(result.status, 1);
}

}  // namespace rung_source_test
}  // namespace hone
