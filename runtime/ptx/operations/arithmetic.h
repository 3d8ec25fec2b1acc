// Functions of real numbers in the type that they are computed in.
#pragma once

namespace hone::ptx {

template <class T>
struct Sum {
  T operator()(T a, T b) const { return a + b; }
};

template <class T>
struct Difference {
  T operator()(T a, T b) const { return a - b; }
};

template <class T>
struct Product {
  T operator()(T a, T b) const { return a * b; }
};

}  // namespace hone::ptx
