// What exported headers need of the toolkit's header: a type of two bytes.
#pragma once

struct __nv_bfloat16 {
  unsigned short bits;
};
