// Arrays of Python by the buffer protocol, which is the same for every version of NumPy.
// Nothing of NumPy's own interface in C is used: its layouts differ between versions 1 and 2.
// The interpreter's lock is held wherever an array is made, copied or destroyed; to look at one needs no lock.
#pragma once

#include <pybind11/pybind11.h>

#include <algorithm>
#include <bit>
#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "problems/core/index.hpp"

namespace alidade::python {

/// "f8", "i4", "u4": kind and bytes, as NumPy names types.
template <class T>
std::string type_name() {
  return (std::floating_point<T> ? "f" : std::signed_integral<T> ? "i" : "u") + std::to_string(sizeof(T));
}

/// An array of numbers of any type, which it keeps. Copies share it.
class Array {
 public:
  Array() = default;
  explicit Array(pybind11::object array)
      : array_(std::move(array)),
        view_(std::make_shared<const pybind11::buffer_info>(pybind11::buffer(array_).request())) {}
  [[nodiscard]] const pybind11::object& object() const { return array_; }
  [[nodiscard]] Index ndim() const { return view_->ndim; }
  [[nodiscard]] Index size() const { return view_->size; }
  [[nodiscard]] Index itemsize() const { return view_->itemsize; }
  [[nodiscard]] Index shape(Index axis) const { return view_->shape.at(subscript(axis)); }
  [[nodiscard]] const std::vector<Index>& shape() const { return view_->shape; }
  [[nodiscard]] Index strides(Index axis) const { return view_->strides.at(subscript(axis)); }
  [[nodiscard]] const void* data() const { return view_->ptr; }
  /// Whether it is the machine's numbers of this kind: 'f', 'i' or 'u'.
  [[nodiscard]] bool holds(char kind) const {
    std::string_view format = view_->format;
    if (format.starts_with(std::endian::native == std::endian::little ? '<' : '>')) format.remove_prefix(1);
    const std::string_view letters = kind == 'f' ? "efdg" : kind == 'i' ? "bhilqn" : "BHILQN";
    return format.size() == 1 && letters.find(format.front()) != letters.npos;
  }
  [[nodiscard]] bool is_c_array(Index dimensions) const {
    return ndim() == dimensions && PyBuffer_IsContiguous(view_->view(), 'C') != 0;
  }

 protected:
  pybind11::object array_;
  std::shared_ptr<const pybind11::buffer_info> view_;
};

/// An array of T in C order.
template <class T>
class ArrayOf : public Array {
 public:
  ArrayOf() = default;
  /// Of what NumPy makes an array of, converted where need be. @throws error_already_set
  explicit ArrayOf(const pybind11::handle& from)
      : Array(pybind11::module_::import("numpy").attr("ascontiguousarray")(from, type_name<T>())) {}
  /// A new one, not filled.
  explicit ArrayOf(const std::vector<Index>& shape)
      : Array(
            pybind11::module_::import("numpy").attr("empty")(pybind11::tuple(pybind11::cast(shape)), type_name<T>())) {}
  ArrayOf(const T* values, Index count) : ArrayOf(std::vector<Index>{count}) {
    std::copy_n(values, count, mutable_data());
  }
  [[nodiscard]] const T* data() const { return static_cast<const T*>(view_->ptr); }
  [[nodiscard]] T* mutable_data() { return static_cast<T*>(view_->ptr); }
  /// @pre a matrix
  [[nodiscard]] T at(Index i, Index j) const { return data()[i * shape(1) + j]; }
};

}  // namespace alidade::python

namespace pybind11::detail {

template <>
struct type_caster<alidade::python::Array> {
  PYBIND11_TYPE_CASTER(alidade::python::Array, const_name("numpy.ndarray"));
  bool load(handle source, bool) {
    if (PyObject_CheckBuffer(source.ptr()) == 0) return false;
    try {
      value = alidade::python::Array(reinterpret_borrow<object>(source));
      return true;
    } catch (const error_already_set&) {
      return false;  // of a type that has no buffer, such as dates
    }
  }
  static handle cast(const alidade::python::Array& array, return_value_policy, handle) {
    return array.object().inc_ref();
  }
};

template <class T>
struct type_caster<alidade::python::ArrayOf<T>> {
  PYBIND11_TYPE_CASTER(alidade::python::ArrayOf<T>, const_name("numpy.ndarray"));
  bool load(handle source, bool) {
    try {
      value = alidade::python::ArrayOf<T>(source);
      return true;
    } catch (const error_already_set&) {
      return false;  // pybind11 says which arguments are needed
    }
  }
  static handle cast(const alidade::python::ArrayOf<T>& array, return_value_policy, handle) {
    return array.object().inc_ref();
  }
};

}  // namespace pybind11::detail
