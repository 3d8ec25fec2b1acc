// Stands in for the toolkit's header: exported headers need a type of two bytes of it.
#pragma once

struct __half {
  unsigned short bits;
};
