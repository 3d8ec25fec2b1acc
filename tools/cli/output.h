// The output of a command: the streams of the process, or strings that a test reads.
#pragma once

#include <string_view>

namespace hone {

class Output {
 public:
  virtual ~Output() = default;

  /// Results, to standard output.
  virtual void print(std::string_view text) = 0;
  /// Writes a complaint to standard error.
  virtual void complain(std::string_view text) = 0;
  /// True if a person reads the output as it comes.
  virtual bool is_terminal() const = 0;
  /// True if a person reads errors as they come, on a terminal that can write over a line.
  virtual bool shows_progress() const { return false; }
};

/// The streams of this process. Throws RuntimeError where they take no more.
class StandardOutput : public Output {
 public:
  void print(std::string_view text) override;
  void complain(std::string_view text) override;
  bool is_terminal() const override;
  bool shows_progress() const override;
};

}  // namespace hone
