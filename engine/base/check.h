// CAIRN_ASSERT: internal invariants, checked in builds with CAIRN_CHECKS (tests, sanitizers), absent in release.
#ifndef CAIRN_BASE_CHECK_H
#define CAIRN_BASE_CHECK_H

#include <cairn/hooks.h>

#ifdef CAIRN_CHECKS
#define CAIRN_ASSERT(condition) ((condition) ? (void)0 : cairn_assert_failed(#condition, __FILE__, __LINE__))
#else
#define CAIRN_ASSERT(condition) ((void)0)
#endif

#endif
