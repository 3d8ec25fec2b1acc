// The compiled part of fmt, from its installed headers: what src/format.cc of fmt 9 to 11 holds,
// less the wide characters.
#include "fmt/format-inl.h"

FMT_BEGIN_NAMESPACE
namespace detail {

template auto dragonbox::to_decimal(float x) noexcept -> dragonbox::decimal_fp<float>;
template auto dragonbox::to_decimal(double x) noexcept -> dragonbox::decimal_fp<double>;

template locale_ref::locale_ref(const std::locale& locale);
template auto locale_ref::get<std::locale>() const -> std::locale;

template auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl(locale_ref) -> char;
template void buffer<char>::append(const char* begin, const char* end);

#if FMT_VERSION < 110000
template void vformat_to(buffer<char>& out, string_view text, format_args args, locale_ref);
#endif

}  // namespace detail
FMT_END_NAMESPACE
