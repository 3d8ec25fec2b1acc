// Words that somebody else might mean by them: names that programs have in tests.
#pragma once

namespace hone {

/// Keywords of C, C++ and their dialects, and what preprocessors know.
constexpr const char* words_of_languages = R"(
  _Alignas _Alignof _Atomic _Bool _Complex _Float16 _Generic _Imaginary _Noreturn _Static_assert
  _Thread_local __DATE__ __FILE__ __LINE__ __STDC__ __asm__ __attribute__ __builtin_expect
  __cplusplus __extension__ __func__ __inline __int128 __real__ __restrict __typeof__ alignas
  alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t
  class co_await co_return co_yield compl concept const const_cast consteval constexpr constinit
  continue decltype default defined delete do double dynamic_cast else enum explicit export extern
  false final float for friend goto i386 if import include inline int linux long main module
  mutable namespace new noexcept not not_eq nullptr operator or or_eq override private protected
  public register reinterpret_cast requires restrict return short signed sizeof static
  static_assert static_cast struct switch template this thread_local throw true try typedef typeid
  typename typeof union unix unsigned using virtual void volatile wchar_t while xor xor_eq)";

/// Macros of the C library.
constexpr const char* words_of_headers = R"(
  BIG_ENDIAN BYTE_ORDER EXIT_FAILURE EXIT_SUCCESS FD_SETSIZE FP_INFINITE FP_NAN FP_NORMAL FP_ZERO
  HUGE_VAL HUGE_VALF INFINITY LITTLE_ENDIAN MATH_ERRNO MB_CUR_MAX M_E M_LN2 M_PI M_SQRT2 NAN
  NFDBITS NULL RAND_MAX WNOHANG WUNTRACED alloca assert errno fpclassify isfinite isgreater isinf
  isless isnan math_errhandling offsetof signbit signgam stderr stdin stdout va_arg)";

/// Of <math.h> and <complex.h>.
constexpr const char* math_functions = R"(
  acos acosf acosh acoshf acoshl acosl asin asinf asinh asinhf asinhl asinl atan atan2 atan2f
  atan2l atanf atanh atanhf atanhl atanl cabs cabsf cabsl cacos cacosf cacosh cacoshf cacoshl
  cacosl canonicalize canonicalizef canonicalizel carg cargf cargl casin casinf casinh casinhf
  casinhl casinl catan catanf catanh catanhf catanhl catanl cbrt cbrtf cbrtl ccos ccosf ccosh
  ccoshf ccoshl ccosl ceil ceilf ceill cexp cexpf cexpl cimag cimagf cimagl clog clog10 clog10f
  clog10l clogf clogl conj conjf conjl copysign copysignf copysignl cos cosf cosh coshf coshl cosl
  cpow cpowf cpowl cproj cprojf cprojl creal crealf creall csin csinf csinh csinhf csinhl csinl
  csqrt csqrtf csqrtl ctan ctanf ctanh ctanhf ctanhl ctanl daddl ddivl dfmal dmull drem dremf
  dreml dsqrtl dsubl erf erfc erfcf erfcl erff erfl exp exp10 exp10f exp10l exp2 exp2f exp2l expf
  expl expm1 expm1f expm1l fabs fabsf fabsl fadd faddl fdim fdimf fdiml fdiv fdivl ffma ffmal
  finite finitef finitel floor floorf floorl fma fmaf fmal fmax fmaxf fmaximum fmaximum_mag
  fmaximum_mag_num fmaximum_mag_numf fmaximum_mag_numl fmaximum_magf fmaximum_magl fmaximum_num
  fmaximum_numf fmaximum_numl fmaximumf fmaximuml fmaxl fmaxmag fmaxmagf fmaxmagl fmin fminf
  fminimum fminimum_mag fminimum_mag_num fminimum_mag_numf fminimum_mag_numl fminimum_magf
  fminimum_magl fminimum_num fminimum_numf fminimum_numl fminimumf fminimuml fminl fminmag
  fminmagf fminmagl fmod fmodf fmodl fmul fmull frexp frexpf frexpl fromfp fromfpf fromfpl fromfpx
  fromfpxf fromfpxl fsqrt fsqrtl fsub fsubl gamma gammaf gammal getpayload getpayloadf getpayloadl
  hypot hypotf hypotl ilogb ilogbf ilogbl isinff isinfl isnanf isnanl j0 j0f j0l j1 j1f j1l jn jnf
  jnl ldexp ldexpf ldexpl lgamma lgamma_r lgammaf lgammaf128_r lgammaf32_r lgammaf32x_r
  lgammaf64_r lgammaf64x_r lgammaf_r lgammal lgammal_r llogb llogbf llogbl llrint llrintf llrintl
  llround llroundf llroundl log log10 log10f log10l log1p log1pf log1pl log2 log2f log2l logb
  logbf logbl logf logl lrint lrintf lrintl lround lroundf lroundl modf modff modfl nan nanf nanl
  nearbyint nearbyintf nearbyintl nextafter nextafterf nextafterl nextdown nextdownf nextdownl
  nexttoward nexttowardf nexttowardl nextup nextupf nextupl pow powf powl remainder remainderf
  remainderl remquo remquof remquol rint rintf rintl round roundeven roundevenf roundevenl roundf
  roundl scalb scalbf scalbl scalbln scalblnf scalblnl scalbn scalbnf scalbnl setpayload
  setpayloadf setpayloadl setpayloadsig setpayloadsigf setpayloadsigl significand significandf
  significandl sin sincos sincosf sincosl sinf sinh sinhf sinhl sinl sqrt sqrtf sqrtl tan tanf
  tanh tanhf tanhl tanl tgamma tgammaf tgammal totalorder totalorderf totalorderl totalordermag
  totalordermagf totalordermagl trunc truncf truncl ufromfp ufromfpf ufromfpl ufromfpx ufromfpxf
  ufromfpxl y0 y0f y0l y1 y1f y1l yn ynf ynl)";

/// Functions and objects of the C library.
constexpr const char* library_functions = R"(
  a64l abort abs accept accept4 access acct adjtime alarm aligned_alloc alphasort alphasort64
  arc4random arc4random_buf arc4random_uniform asctime asctime_r asprintf atof atoi atol atoll
  basename bcmp bcopy bind bindresvport brk bsearch btowc bzero calloc canonicalize_file_name
  cfgetispeed cfgetospeed cfmakeraw cfsetispeed cfsetospeed cfsetspeed chdir chmod chown chroot
  clearenv clearerr clearerr_unlocked clock clock_adjtime clock_getcpuclockid clock_getres
  clock_gettime clock_nanosleep clock_settime clone close close_range closedir closefrom closelog
  confstr connect copy_file_range creat creat64 ctermid ctime ctime_r cuserid daemon daylight
  difftime dirfd div dladdr dladdr1 dlclose dlerror dlinfo dlmopen dlopen dlsym dlvsym dprintf
  drand48 drand48_r dup dup2 dup3 duplocale dysize eaccess ecvt ecvt_r endgrent endhostent
  endnetent endnetgrent endprotoent endpwent endrpcent endservent endusershell environ
  epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait erand48 erand48_r err
  euidaccess execl execle execlp execv execve execveat execvp execvpe exit explicit_bzero
  faccessat fallocate fallocate64 fchdir fchmod fchmodat fchown fchownat fclose fcloseall fcntl
  fcntl64 fcvt fcvt_r fdatasync fdopen fdopendir feclearexcept fedisableexcept feenableexcept
  fegetenv fegetexcept fegetexceptflag fegetmode fegetround feholdexcept feof feof_unlocked
  feraiseexcept ferror ferror_unlocked fesetenv fesetexcept fesetexceptflag fesetmode fesetround
  fetestexcept fetestexceptflag feupdateenv fexecve fflush fflush_unlocked ffs ffsl ffsll fgetc
  fgetc_unlocked fgetgrent fgetgrent_r fgetpos fgetpos64 fgetpwent fgetpwent_r fgets
  fgets_unlocked fgetwc fgetwc_unlocked fgetws fgetws_unlocked fileno fileno_unlocked flock
  flockfile fmemopen fnmatch fopen fopen64 fopencookie fork fpathconf fprintf fputc fputc_unlocked
  fputs fputs_unlocked fputwc fputwc_unlocked fputws fputws_unlocked fread fread_unlocked free
  freeaddrinfo freelocale freopen freopen64 fscanf fseek fseeko fseeko64 fsetpos fsetpos64 fstat
  fstat64 fstatat fstatat64 fsync ftell ftello ftello64 ftruncate ftruncate64 ftrylockfile ftw
  funlockfile futimens futimes futimesat fwide fwprintf fwrite fwrite_unlocked fwscanf gai_cancel
  gai_error gai_strerror gai_suspend gcvt get_current_dir_name getaddrinfo getaddrinfo_a getc
  getc_unlocked getchar getchar_unlocked getcontext getcpu getcwd getdate getdate_err getdate_r
  getdelim getdents64 getdirentries getdirentries64 getdomainname getdtablesize getegid getentropy
  getenv geteuid getgid getgrent getgrent_r getgrgid getgrgid_r getgrnam getgrnam_r getgrouplist
  getgroups gethostbyaddr gethostbyaddr_r gethostbyname gethostbyname2 gethostbyname2_r
  gethostbyname_r gethostent gethostent_r gethostid gethostname getipv4sourcefilter getitimer
  getline getloadavg getlogin getlogin_r getnameinfo getnetbyaddr getnetbyaddr_r getnetbyname
  getnetbyname_r getnetent getnetent_r getnetgrent getnetgrent_r getopt getpagesize getpass
  getpeername getpgid getpgrp getpid getppid getpriority getprotobyname getprotobyname_r
  getprotobynumber getprotobynumber_r getprotoent getprotoent_r getpt getpw getpwent getpwent_r
  getpwnam getpwnam_r getpwuid getpwuid_r getresgid getresuid getrlimit getrlimit64 getrpcbyname
  getrpcbyname_r getrpcbynumber getrpcbynumber_r getrpcent getrpcent_r getrusage getservbyname
  getservbyname_r getservbyport getservbyport_r getservent getservent_r getsid getsockname
  getsockopt getsourcefilter getsubopt gettid gettimeofday getuid getusershell getw getwc
  getwc_unlocked getwchar getwchar_unlocked getwd glob glob64 glob_pattern_p globfree globfree64
  gmtime gmtime_r grantpt group_member gsignal hcreate hcreate_r hdestroy hdestroy_r herror
  hsearch hsearch_r hstrerror htonl htons imaxabs imaxdiv in6addr_any in6addr_loopback index
  inet6_opt_append inet6_opt_find inet6_opt_finish inet6_opt_get_val inet6_opt_init inet6_opt_next
  inet6_opt_set_val inet6_option_alloc inet6_option_append inet6_option_find inet6_option_init
  inet6_option_next inet6_option_space inet6_rth_add inet6_rth_getaddr inet6_rth_init
  inet6_rth_reverse inet6_rth_segments inet6_rth_space inet_addr inet_aton inet_lnaof
  inet_makeaddr inet_netof inet_network inet_nsap_addr inet_nsap_ntoa inet_ntoa inet_ntop
  inet_pton initgroups initstate initstate_r innetgr insque ioctl iruserok iruserok_af isalnum
  isalnum_l isalpha isalpha_l isascii isatty isblank isblank_l iscntrl iscntrl_l isctype isdigit
  isdigit_l isfdtype isgraph isgraph_l islower islower_l isprint isprint_l ispunct ispunct_l
  isspace isspace_l isupper isupper_l iswalnum iswalnum_l iswalpha iswalpha_l iswblank iswblank_l
  iswcntrl iswcntrl_l iswctype iswctype_l iswdigit iswdigit_l iswgraph iswgraph_l iswlower
  iswlower_l iswprint iswprint_l iswpunct iswpunct_l iswspace iswspace_l iswupper iswupper_l
  iswxdigit iswxdigit_l isxdigit isxdigit_l jrand48 jrand48_r kill killpg l64a labs lchmod lchown
  lcong48 lcong48_r ldiv lfind link linkat listen llabs lldiv localeconv localtime localtime_r
  lockf lockf64 longjmp lrand48 lrand48_r lsearch lseek lseek64 lstat lstat64 lutimes madvise
  makecontext malloc mblen mbrlen mbrtowc mbsinit mbsnrtowcs mbsrtowcs mbstowcs mbtowc memccpy
  memchr memcmp memcpy memfd_create memfrob memmem memmove mempcpy memrchr memset mincore mkdir
  mkdirat mkdtemp mkfifo mkfifoat mknod mknodat mkostemp mkostemp64 mkostemps mkostemps64 mkstemp
  mkstemp64 mkstemps mkstemps64 mktemp mktime mlock mlock2 mlockall mmap mmap64 mprotect mrand48
  mrand48_r mremap msync munlock munlockall munmap name_to_handle_at nanosleep newlocale nice
  nrand48 nrand48_r ntohl ntohs obstack_printf obstack_vprintf on_exit open open64
  open_by_handle_at open_memstream open_wmemstream openat openat64 opendir openlog optarg opterr
  optind optopt pathconf pause pclose perror pipe pipe2 pkey_alloc pkey_free pkey_get
  pkey_mprotect pkey_set poll popen posix_fadvise posix_fadvise64 posix_fallocate
  posix_fallocate64 posix_madvise posix_memalign posix_openpt posix_spawn
  posix_spawn_file_actions_addchdir_np posix_spawn_file_actions_addclose
  posix_spawn_file_actions_addclosefrom_np posix_spawn_file_actions_adddup2
  posix_spawn_file_actions_addfchdir_np posix_spawn_file_actions_addopen
  posix_spawn_file_actions_addtcsetpgrp_np posix_spawn_file_actions_destroy
  posix_spawn_file_actions_init posix_spawnattr_destroy posix_spawnattr_getflags
  posix_spawnattr_getpgroup posix_spawnattr_getschedparam posix_spawnattr_getschedpolicy
  posix_spawnattr_getsigdefault posix_spawnattr_getsigmask posix_spawnattr_init
  posix_spawnattr_setflags posix_spawnattr_setpgroup posix_spawnattr_setschedparam
  posix_spawnattr_setschedpolicy posix_spawnattr_setsigdefault posix_spawnattr_setsigmask
  posix_spawnp ppoll pread pread64 preadv preadv2 preadv64 preadv64v2 printf prlimit prlimit64
  process_madvise process_mrelease process_vm_readv process_vm_writev profil
  program_invocation_name program_invocation_short_name pselect psiginfo psignal pthread_atfork
  pthread_attr_destroy pthread_attr_getaffinity_np pthread_attr_getdetachstate
  pthread_attr_getguardsize pthread_attr_getinheritsched pthread_attr_getschedparam
  pthread_attr_getschedpolicy pthread_attr_getscope pthread_attr_getsigmask_np
  pthread_attr_getstack pthread_attr_getstackaddr pthread_attr_getstacksize pthread_attr_init
  pthread_attr_setaffinity_np pthread_attr_setdetachstate pthread_attr_setguardsize
  pthread_attr_setinheritsched pthread_attr_setschedparam pthread_attr_setschedpolicy
  pthread_attr_setscope pthread_attr_setsigmask_np pthread_attr_setstack pthread_attr_setstackaddr
  pthread_attr_setstacksize pthread_barrier_destroy pthread_barrier_init pthread_barrier_wait
  pthread_barrierattr_destroy pthread_barrierattr_getpshared pthread_barrierattr_init
  pthread_barrierattr_setpshared pthread_cancel pthread_clockjoin_np pthread_cond_broadcast
  pthread_cond_clockwait pthread_cond_destroy pthread_cond_init pthread_cond_signal
  pthread_cond_timedwait pthread_cond_wait pthread_condattr_destroy pthread_condattr_getclock
  pthread_condattr_getpshared pthread_condattr_init pthread_condattr_setclock
  pthread_condattr_setpshared pthread_create pthread_detach pthread_equal pthread_exit
  pthread_getaffinity_np pthread_getattr_default_np pthread_getattr_np pthread_getconcurrency
  pthread_getcpuclockid pthread_getname_np pthread_getschedparam pthread_getspecific pthread_join
  pthread_key_create pthread_key_delete pthread_kill pthread_mutex_clocklock
  pthread_mutex_consistent pthread_mutex_consistent_np pthread_mutex_destroy
  pthread_mutex_getprioceiling pthread_mutex_init pthread_mutex_lock pthread_mutex_setprioceiling
  pthread_mutex_timedlock pthread_mutex_trylock pthread_mutex_unlock pthread_mutexattr_destroy
  pthread_mutexattr_getprioceiling pthread_mutexattr_getprotocol pthread_mutexattr_getpshared
  pthread_mutexattr_getrobust pthread_mutexattr_getrobust_np pthread_mutexattr_gettype
  pthread_mutexattr_init pthread_mutexattr_setprioceiling pthread_mutexattr_setprotocol
  pthread_mutexattr_setpshared pthread_mutexattr_setrobust pthread_mutexattr_setrobust_np
  pthread_mutexattr_settype pthread_once pthread_rwlock_clockrdlock pthread_rwlock_clockwrlock
  pthread_rwlock_destroy pthread_rwlock_init pthread_rwlock_rdlock pthread_rwlock_timedrdlock
  pthread_rwlock_timedwrlock pthread_rwlock_tryrdlock pthread_rwlock_trywrlock
  pthread_rwlock_unlock pthread_rwlock_wrlock pthread_rwlockattr_destroy
  pthread_rwlockattr_getkind_np pthread_rwlockattr_getpshared pthread_rwlockattr_init
  pthread_rwlockattr_setkind_np pthread_rwlockattr_setpshared pthread_self pthread_setaffinity_np
  pthread_setattr_default_np pthread_setcancelstate pthread_setcanceltype pthread_setconcurrency
  pthread_setname_np pthread_setschedparam pthread_setschedprio pthread_setspecific
  pthread_sigmask pthread_sigqueue pthread_spin_destroy pthread_spin_init pthread_spin_lock
  pthread_spin_trylock pthread_spin_unlock pthread_testcancel pthread_timedjoin_np
  pthread_tryjoin_np pthread_yield ptsname ptsname_r putc putc_unlocked putchar putchar_unlocked
  putenv putgrent putpwent puts putw putwc putwc_unlocked putwchar putwchar_unlocked pwrite
  pwrite64 pwritev pwritev2 pwritev64 pwritev64v2 qecvt qecvt_r qfcvt qfcvt_r qgcvt qsort qsort_r
  quick_exit raise rand rand_r random random_r rawmemchr rcmd rcmd_af re_compile_fastmap
  re_compile_pattern re_match re_match_2 re_search re_search_2 re_set_registers re_set_syntax
  re_syntax_options read readahead readdir readdir64 readdir64_r readdir_r readlink readlinkat
  readv realloc reallocarray realpath recv recvfrom recvmmsg recvmsg regcomp regerror regexec
  regfree remap_file_pages remove remque rename renameat renameat2 revoke rewind rewinddir rexec
  rexec_af rindex rmdir rpmatch rresvport rresvport_af ruserok ruserok_af sbrk scandir scandir64
  scandirat scandirat64 scanf sched_get_priority_max sched_get_priority_min sched_getaffinity
  sched_getcpu sched_getparam sched_getscheduler sched_rr_get_interval sched_setaffinity
  sched_setparam sched_setscheduler sched_yield secure_getenv seed48 seed48_r seekdir select
  sem_clockwait sem_close sem_destroy sem_getvalue sem_init sem_open sem_post sem_timedwait
  sem_trywait sem_unlink sem_wait send sendmmsg sendmsg sendto setbuf setbuffer setcontext
  setdomainname setegid setenv seteuid setgid setgrent setgroups sethostent sethostid sethostname
  setipv4sourcefilter setitimer setjmp setlinebuf setlocale setlogin setlogmask setnetent
  setnetgrent setns setpgid setpgrp setpriority setprotoent setpwent setregid setresgid setresuid
  setreuid setrlimit setrlimit64 setrpcent setservent setsid setsockopt setsourcefilter setstate
  setstate_r settimeofday setuid setusershell setvbuf shm_open shm_unlink shutdown sigabbrev_np
  sigaction sigaddset sigaltstack sigandset sigblock sigdelset sigdescr_np sigemptyset sigfillset
  siggetmask sighold sigignore siginterrupt sigisemptyset sigismember siglongjmp signal sigorset
  sigpause sigpending sigprocmask sigqueue sigrelse sigreturn sigset sigsetmask sigstack
  sigsuspend sigtimedwait sigwait sigwaitinfo sleep snprintf sockatmark socket socketpair splice
  sprintf srand srand48 srand48_r srandom srandom_r sscanf ssignal stat stat64 statx stpcpy
  stpncpy strcasecmp strcasecmp_l strcasestr strcat strchr strchrnul strcmp strcoll strcoll_l
  strcpy strcspn strdup strerror strerror_l strerror_r strerrordesc_np strerrorname_np strfromd
  strfromf strfromf128 strfromf32 strfromf32x strfromf64 strfromf64x strfroml strfry strftime
  strftime_l strlen strncasecmp strncasecmp_l strncat strncmp strncpy strndup strnlen strpbrk
  strptime strptime_l strrchr strsep strsignal strspn strstr strtod strtod_l strtof strtof128
  strtof128_l strtof32 strtof32_l strtof32x strtof32x_l strtof64 strtof64_l strtof64x strtof64x_l
  strtof_l strtoimax strtok strtok_r strtol strtol_l strtold strtold_l strtoll strtoll_l strtoq
  strtoul strtoul_l strtoull strtoull_l strtoumax strtouq strverscmp strxfrm strxfrm_l swab
  swapcontext swprintf swscanf symlink symlinkat sync sync_file_range syncfs syscall sysconf
  syslog system sysv_signal tcdrain tcflow tcflush tcgetattr tcgetpgrp tcgetsid tcsendbreak
  tcsetattr tcsetpgrp tdelete tdestroy tee telldir tempnam tfind tgkill time timegm timelocal
  timer_create timer_delete timer_getoverrun timer_gettime timer_settime timespec_get
  timespec_getres timezone tmpfile tmpfile64 tmpnam tmpnam_r toascii tolower tolower_l toupper
  toupper_l towctrans towctrans_l towlower towlower_l towupper towupper_l truncate truncate64
  tsearch ttyname ttyname_r ttyslot twalk twalk_r tzname tzset ualarm umask ungetc ungetwc unlink
  unlinkat unlockpt unsetenv unshare uselocale usleep utimensat utimes valloc vasprintf vdprintf
  versionsort versionsort64 vfork vfprintf vfscanf vfwprintf vfwscanf vhangup vmsplice vprintf
  vscanf vsnprintf vsprintf vsscanf vswprintf vswscanf vsyslog vwprintf vwscanf wait wait3 wait4
  waitid waitpid wcpcpy wcpncpy wcrtomb wcscasecmp wcscasecmp_l wcscat wcschr wcschrnul wcscmp
  wcscoll wcscoll_l wcscpy wcscspn wcsdup wcsftime wcsftime_l wcslen wcsncasecmp wcsncasecmp_l
  wcsncat wcsncmp wcsncpy wcsnlen wcsnrtombs wcspbrk wcsrchr wcsrtombs wcsspn wcsstr wcstod
  wcstod_l wcstof wcstof128 wcstof128_l wcstof32 wcstof32_l wcstof32x wcstof32x_l wcstof64
  wcstof64_l wcstof64x wcstof64x_l wcstof_l wcstoimax wcstok wcstol wcstol_l wcstold wcstold_l
  wcstoll wcstoll_l wcstombs wcstoq wcstoul wcstoul_l wcstoull wcstoull_l wcstoumax wcstouq wcswcs
  wcswidth wcsxfrm wcsxfrm_l wctob wctomb wctrans wctrans_l wctype wctype_l wcwidth wmemchr
  wmemcmp wmemcpy wmemmove wmempcpy wmemset wprintf write writev wscanf)";

/// Types, functions and objects of CUDA.
constexpr const char* words_of_cuda = R"(
  CUuuid MAJOR_VERSION MINOR_VERSION NV_DISPATCH_TARGET NV_IF_ELSE_TARGET NV_IF_TARGET
  NV_TARGET_MINIMUM_SM_INTEGER NV_TARGET_MINIMUM_SM_SELECTOR PATCH_LEVEL __CUDACC__
  __CUDA_ARCH__ __activemask __align__ __ballot_sync __bfloat162float __clz __constant__
  __device__ __double2half __double_as_longlong __expf __float2bfloat16 __float2half
  __float_as_uint __fmaf_rn __global__ __half __half2 __half2float __host__ __int_as_float
  __launch_bounds__ __ldg __logf __longlong_as_double __nv_bfloat16 __popc __powf __restrict__
  __saturatef __shared__ __shfl_down_sync __shfl_sync __shfl_up_sync __shfl_xor_sync __sinf
  __syncthreads __syncwarp __threadfence __trap __uint_as_float atomicAdd atomicAdd_block
  atomicAdd_system atomicAnd atomicCAS atomicDec atomicExch atomicInc atomicMax atomicMin atomicOr
  atomicSub atomicXor b32 barrier blockDim blockIdx char1 char2 char3 char4 clock64 clock_t
  cooperative_groups cospi cospif ctaid cudaAccessPropertyNormal cudaAtomicCapabilityScalar32
  cudaChannelFormatKindNV12 cudaChannelFormatKindUnsignedNormalized16X1
  cudaDevAttrConcurrentKernels cudaDevAttrL2CacheSize cudaDevAttrMaxSurface2DLayeredWidth
  cudaDevAttrMaxTexture3DDepth cudaDevAttrPciDomainId cudaDevAttrVulkanCigSupported
  cudaEnablePerThreadDefaultStream cudaErrorFileNotFound cudaErrorInvalidPc
  cudaErrorMemoryValueTooLarge cudaErrorProfilerAlreadyStarted cudaErrorTextureNotBound
  cudaExternalMemoryHandleTypeOpaqueFd cudaFormatModeForced
  cudaGraphDebugDotFlagsConditionalNodeParams cudaGraphExecUpdateSuccess
  cudaGraphNodeTypeConditional cudaGraphicsMapFlagsWriteDiscard cudaJitCacheOptionNone
  cudaKernelNodeAttributeMemSyncDomainMap cudaLaunchMemSyncDomain cudaMemAdviseUnsetAccessedBy
  cudaMemPoolAttrUsedMemCurrent cudaMemcpySrcAccessOrderAny cudaResViewFormatHalf4
  cudaResViewFormatUnsignedInt2 cudaStreamAttributePriority cudaSyncPolicySpin cyl_bessel_i0
  cyl_bessel_i0f cyl_bessel_i1 cyl_bessel_i1f dim3 double1 double2 double3 double4 entry erfcinv
  erfcinvf erfcx erfcxf erfinv erfinvf f32 f64 fdivide fdividef float1 float2 float3 float4 func
  global globaltimer gridDim h2exp hadd half half2 hexp hfma hlog hrsqrt hsqrt int1 int2 int3 int4
  laneid libraryPropertyType llmax llmin local long1 long2 long3 long4 longlong1 longlong2
  longlong3 longlong4 make_char1 make_char2 make_char3 make_char4 make_double1 make_double2
  make_double3 make_double4 make_double4_16a make_double4_32a make_float1 make_float2 make_float3
  make_float4 make_int1 make_int2 make_int3 make_int4 make_long1 make_long2 make_long3 make_long4
  make_longlong1 make_longlong2 make_longlong3 make_longlong4 make_longlong4_16a
  make_longlong4_32a make_short1 make_short2 make_short3 make_short4 make_uchar1 make_uchar2
  make_uchar3 make_uchar4 make_uint1 make_uint2 make_uint3 make_uint4 make_ulong1 make_ulong2
  make_ulong3 make_ulong4 make_ulonglong1 make_ulonglong2 make_ulonglong3 make_ulonglong4
  make_ushort1 make_ushort2 make_ushort3 make_ushort4 max min norm norm3d norm3df norm4d norm4df
  normcdf normcdff normcdfinv normcdfinvf normf ntid nv_bfloat16 nv_bfloat162 nv_half nv_half2
  nvcuda param pipeline pred ptrdiff_t rcbrt rcbrtf reg rhypot rhypotf rnorm rnorm3d rnorm3df
  rnorm4d rnorm4df rnormf rsqrt rsqrtf s32 short1 short2 short3 short4 sincospi sincospif sinpi
  sinpif size_t std surf2Dread surf2Dwrite tex1D tex2D threadIdx tid u32 uchar1 uchar2 uchar3
  uchar4 uint1 uint2 uint3 uint4 ullmax ullmin ulong1 ulong2 ulong3 ulong4 ulonglong1 ulonglong2
  ulonglong3 ulonglong4 umax umin ushort1 ushort2 ushort3 ushort4 va_copy va_end va_list va_start
  warpSize warpid wmma)";

/// The words of generated text, and those that may come out where names are changed.
constexpr const char* generated_words = R"(
  WARP_SZ
  CUDA HONE HONE_F32_F32 HONE_F32_I32 S_part S_tree _ _end _init _start _x arrives_last atomic
  atomicX atomic_max atomic_min atomic_mul atomic_own before bits bits_of changed combine_own cuda
  cudaX element entry_of_hone expected f32_f32 f32_f32_of f32_i32 f32_i32_of first float4_ gamma_
  hone hone_ hone_entry hone_log lanes lhs log_ log__ name name_Bool name__syncthreads namename
  offset own pair pointers rhs second seen shared shuffle_down shuffle_exchange sizes stride t t_2
  value x0 x1)";

}  // namespace hone
