// The drawings of a ladder's rungs, within the room that a page has for them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tools/cli/command/drawings.h"

namespace hone {

/// A picture that says itself what it shows.
struct PageDrawing {
  std::string title;
  std::string svg;  ///< without tips, which would take most of the room
};

PageDrawing page_drawing(const Figure& figure);

/// The drawings of a rung of a GPU, those that say most first: rings over time, bank conflicts that
/// it changes, what its warps ask of global memory, then the rest, where these are few. `options`
/// are of the sizes that it is drawn at, `banks` those of all rungs of the page.
/// Throws what a run on the simulated device throws.
std::vector<PageDrawing> drawings_of(
    const RungRef& rung, const DrawingOptions& options,
    std::shared_ptr<BankFigures> banks = std::make_shared<BankFigures>());

/// Keeps the drawings that fit into so many bytes together, as SharedPictures writes them, and of
/// equal ones the first: each rung gets its first drawing before any gets its second, and none has
/// more than four rungs' share. Returns how many each rung has lost for want of room.
std::vector<size_t> fit_drawings(std::vector<std::vector<PageDrawing>>& rungs, size_t most_bytes);

/// The style that a picture brings with it, and the picture without: pictures of one page share it.
std::string style_in(const std::string& svg);
std::string without_style(const std::string& svg);

/// The style for the pictures of a page, whose elements may be shown in another one: rules ask for
/// no element around them.
std::string shared_style(const std::string& style);

/// Pictures of one page, in its order: of equal elements the first is written, and the others refer
/// to it.
class SharedPictures {
 public:
  /// The picture without its style.
  std::string add(const std::string& svg);

 private:
  std::string shared(const std::string& element);

  std::map<std::string, size_t> ids_;
};

}  // namespace hone
