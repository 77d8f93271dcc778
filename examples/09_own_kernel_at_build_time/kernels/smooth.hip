// A step of the heat equation on a rod whose ends stay as they are.
WW_KERNEL(smooth, 256, ww_u64 n, double rate, const double* x, double* out) {
    WW_GRID_LOOP(i, n) {
        const bool end = i == 0 || i == n - 1;
        out[i] = end ? x[i] : ww_fma(rate, x[i - 1] - 2 * x[i] + x[i + 1], x[i]);
    }
}
