# hone::event: libevent's HTTP server, static where there is an archive. For `hone serve` alone.
find_path(HONE_EVENT_INCLUDE event2/http.h REQUIRED)
find_library(HONE_EVENT_CORE NAMES libevent_core.a event_core REQUIRED)
find_library(HONE_EVENT_EXTRA NAMES libevent_extra.a event_extra REQUIRED)
add_library(hone_event INTERFACE)
target_include_directories(hone_event SYSTEM INTERFACE ${HONE_EVENT_INCLUDE})
target_link_libraries(hone_event INTERFACE ${HONE_EVENT_EXTRA} ${HONE_EVENT_CORE})
add_library(hone::event ALIAS hone_event)
