// Timer: monotonic seconds.
#ifndef CAIRN_BASE_TIMER_H
#define CAIRN_BASE_TIMER_H

double cairn_timer_now(void);

#endif
