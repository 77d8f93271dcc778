// That data were at fault is passed on from where an operation's kernels have said so to where whoever waits will look.

WW_KERNEL(fault_note, 32, const ww_u32* from, ww_u32* to) {
    if (ww_thread_x() == 0 && *from != 0) *to = 1;
}
