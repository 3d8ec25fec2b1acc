// The statements of kernel IR alone.
#include "fmt/format.h"
#include "ir/kernel_stmt.h"
#include "ir/text/stmt_parser.h"

namespace hone {

/// kernel_stmt := barrier | arrive | copy_async | 'commit_group' | 'wait_group' integer
///              | init_mbarrier | arrive_mbarrier | wait_mbarrier | test_mbarrier
///              | expect_bytes | copy_bulk
///              | ('give_registers' | 'take_registers') integer
///              | store_bulk | 'wait_stores' ['written'] | 'fence_engine'
Stmt StmtParser::parse_kernel_stmt() {
  const Token token = tokens.peek();
  if (token.is("arrive")) return parse_arrive();
  if (token.is("copy_async")) return parse_copy_async();
  if (token.is("init_mbarrier")) return parse_init_mbarrier();
  if (token.is("arrive_mbarrier")) return parse_arrive_mbarrier();
  if (token.is("wait_mbarrier")) return parse_wait_mbarrier();
  if (token.is("test_mbarrier")) return parse_test_mbarrier();
  if (token.is("expect_bytes")) return parse_expect_bytes();
  if (token.is("copy_bulk")) return parse_copy_bulk();
  if (token.is("store_bulk")) return parse_store_bulk();
  if (tokens.accept("fence_engine")) return FenceEngine::make();
  if (tokens.accept("wait_stores")) {
    const bool is_tensor = tokens.peek(1).is("[");  // of that name, which the next statement writes
    return WaitStores::make(!is_tensor && tokens.accept("written"));
  }
  if (tokens.accept("commit_group")) return CommitGroup::make();
  if (tokens.accept("wait_group"))
    return WaitGroup::make(tokens.expect_integer("the groups that may be pending"));
  for (const bool is_more : {false, true})
    if (tokens.accept(is_more ? "take_registers" : "give_registers"))
      return SetRegisters::make(tokens.expect_integer("the registers of a thread"), is_more);
  if (!tokens.accept("barrier")) tokens.fail_expected("a statement");
  return Barrier::make(parse_barrier_scope());
}

/// barrier := 'barrier' ['@' ('warp' | 'cluster' | 'named' '(' integer ',' integer ')')]
BarrierScope StmtParser::parse_barrier_scope() {
  if (!tokens.accept("@")) return {};
  if (tokens.accept("warp")) return {BarrierScope::Kind::warp};
  if (tokens.accept("cluster")) return {BarrierScope::Kind::cluster};
  if (!tokens.accept("named")) tokens.fail_expected("'warp', 'cluster' or 'named'");
  BarrierScope scope = {BarrierScope::Kind::named};
  tokens.expect("(");
  scope.id = tokens.expect_integer("the number of a barrier");
  tokens.expect(",");
  scope.threads = tokens.expect_integer("a count of threads");
  tokens.expect(")");
  return scope;
}

/// copy_async := 'copy_async' name '[' [expr (',' expr)*] ']' '<-' expr 'of' integer
Stmt StmtParser::parse_copy_async() {
  tokens.expect("copy_async");
  const Token place = tokens.peek();
  const Element element = parse_element();
  expect_arrow();
  const Expr value = parse_expr();
  tokens.expect("of");
  const int64_t count = tokens.expect_integer("how many elements move together");
  return at_place(place,
                  [&] { return AsyncCopy::make(element.tensor, element.indices, value, count); });
}

/// flag := name '[' ']'
TensorPtr StmtParser::parse_flag() {
  const TensorPtr flag = find_tensor(tokens.expect_identifier("a tensor"));
  tokens.expect("[");
  tokens.expect("]");
  return flag;
}

/// arrive := 'arrive' flag 'at' name '[' [expr (',' expr)*] ']' 'of' expr 'after' name
Stmt StmtParser::parse_arrive() {
  tokens.expect("arrive");
  const Token place = tokens.peek();
  const TensorPtr flag = parse_flag();
  tokens.expect("at");
  const Element counter = parse_element();
  tokens.expect("of");
  const Expr count = parse_expr();
  tokens.expect("after");
  const TensorPtr published = find_tensor(tokens.expect_identifier("a tensor"));
  return at_place(
      place, [&] { return Arrive::make(flag, counter.tensor, counter.indices, count, published); });
}

/// mbarrier := name '[' expr ']', behind a word
StmtParser::Mbarrier StmtParser::parse_mbarrier() {
  const Token word = tokens.next();
  Mbarrier result = parse_mbarrier_element();
  result.place = word;
  return result;
}

StmtParser::Mbarrier StmtParser::parse_mbarrier_element() {
  Mbarrier result;
  result.place = tokens.peek();
  result.tensor = find_tensor(tokens.expect_identifier("a tensor of mbarriers"));
  tokens.expect("[");
  result.slot = parse_expr();
  tokens.expect("]");
  return result;
}

/// init_mbarrier := 'init_mbarrier' mbarrier 'of' integer
Stmt StmtParser::parse_init_mbarrier() {
  const Mbarrier mbarrier = parse_mbarrier();
  tokens.expect("of");
  const int64_t count = tokens.expect_integer("how many arrivals end a phase");
  return at_place(mbarrier.place,
                  [&] { return InitMbarrier::make(mbarrier.tensor, mbarrier.slot, count); });
}

/// arrive_mbarrier := 'arrive_mbarrier' mbarrier ['after_copies']
Stmt StmtParser::parse_arrive_mbarrier() {
  const Mbarrier mbarrier = parse_mbarrier();
  const bool is_tensor = tokens.peek(1).is("[");  // of that name, which the next statement writes
  const bool after_copies = !is_tensor && tokens.accept("after_copies");
  return at_place(mbarrier.place, [&] {
    return ArriveMbarrier::make(mbarrier.tensor, mbarrier.slot, after_copies);
  });
}

/// wait_mbarrier := 'wait_mbarrier' mbarrier 'parity' expr
Stmt StmtParser::parse_wait_mbarrier() {
  const Mbarrier mbarrier = parse_mbarrier();
  tokens.expect("parity");
  const Expr parity = parse_expr();
  return at_place(mbarrier.place,
                  [&] { return WaitMbarrier::make(mbarrier.tensor, mbarrier.slot, parity); });
}

/// test_mbarrier := 'test_mbarrier' flag '<-' mbarrier 'parity' expr
Stmt StmtParser::parse_test_mbarrier() {
  tokens.expect("test_mbarrier");
  const Token place = tokens.peek();
  const TensorPtr flag = parse_flag();
  expect_arrow();
  const Mbarrier mbarrier = parse_mbarrier_element();
  tokens.expect("parity");
  const Expr parity = parse_expr();
  return at_place(place,
                  [&] { return TestMbarrier::make(flag, mbarrier.tensor, mbarrier.slot, parity); });
}

/// expect_bytes := 'expect_bytes' mbarrier 'of' integer
Stmt StmtParser::parse_expect_bytes() {
  const Mbarrier mbarrier = parse_mbarrier();
  tokens.expect("of");
  const int64_t bytes = tokens.expect_integer("how many bytes a phase brings");
  return at_place(mbarrier.place,
                  [&] { return ExpectBytes::make(mbarrier.tensor, mbarrier.slot, bytes); });
}

/// box := integer ('x' integer)* ['swizzle' integer]
BulkMove::Box StmtParser::parse_box() {
  BulkMove::Box box;
  do box.extents.push_back(tokens.expect_integer("an extent of a box"));
  while (tokens.accept("x"));
  if (tokens.accept("swizzle")) box.swizzle = tokens.expect_integer("the bytes of a swizzle");
  return box;
}

/// element := name '[' expr (',' expr)* ']'
StmtParser::Element StmtParser::parse_element() {
  Element result;
  result.tensor = find_tensor(tokens.expect_identifier("a tensor"));
  tokens.expect("[");
  result.indices = parse_list("]");
  return result;
}

/// copy_bulk := 'copy_bulk' element '<-' element 'of' box 'full' name '[' expr ']'
Stmt StmtParser::parse_copy_bulk() {
  tokens.expect("copy_bulk");
  const Token place = tokens.peek();
  const Element tile = parse_element();
  expect_arrow();
  const Element source = parse_element();
  tokens.expect("of");
  const BulkMove::Box box = parse_box();
  if (!tokens.at("full")) tokens.fail_expected("'full'");
  const Mbarrier full = parse_mbarrier();
  return at_place(place, [&] {
    return BulkCopy::make(tile.tensor, tile.indices, source.tensor, source.indices, box,
                          full.tensor, full.slot);
  });
}

/// store_bulk := 'store_bulk' element '<-' element 'of' box
Stmt StmtParser::parse_store_bulk() {
  tokens.expect("store_bulk");
  const Token place = tokens.peek();
  const Element destination = parse_element();
  expect_arrow();
  const Element tile = parse_element();
  tokens.expect("of");
  const BulkMove::Box box = parse_box();
  return at_place(place, [&] {
    return BulkStore::make(destination.tensor, destination.indices, tile.tensor, tile.indices, box);
  });
}

}  // namespace hone
