// Transpositions and permutations of axes, by bits: one kernel for each width.

const ww_u32 THREADS = 256;

// How a tile is cut for elements of a width: EDGE × EDGE elements in blocks of PACK × PACK, so that both sides are accessed in packs, of
// 16 bytes where elements are of 4 bytes or more, and lines of a tile are at least 128 bytes long.
template <class T> struct tile_of {
    static const int PACK = sizeof(T) <= 4 ? 4 : 16 / sizeof(T);
    static const int EDGE = sizeof(T) == 1 ? 128 : sizeof(T) <= 4 ? 64 : 32;
    static const int BLOCKS = EDGE / PACK;
    typedef ww_pack<T, PACK> pack;
};

// Up to six axes that stay where they are.
struct batch_axes {
    ww_u64 count, size[6], from[6], to[6];
};

// out[column, line] = x[line, column], for each matrix of a batch. The tile lies in shared memory as it is written: line c of it holds
// column c, pack after pack. Pack p of line c is at p ^ (c / PACK): what the threads of a warp write then lies in different banks, as does
// what they read.
template <class T>
WW_DEVICE void transpose(ww_u64 lines, ww_u64 columns, const T* x_all, ww_u64 ldx, T* out_all, ww_u64 ldo, const batch_axes& batch,
                         typename tile_of<T>::pack* held) {
    typedef tile_of<T> tile_type;
    typedef typename tile_type::pack pack;
    const int PACK = tile_type::PACK, EDGE = tile_type::EDGE, BLOCKS = tile_type::BLOCKS;
    // Lines that the threads of a block cover, element by element, and so many times as much at a time.
    const ww_u32 ROWS = THREADS / EDGE, SOME = 4;
    const ww_u32 t = ww_thread_x();
    const ww_u64 across = (columns + EDGE - 1) / EDGE, tiles = across * ((lines + EDGE - 1) / EDGE);
    for (ww_u64 unit = ww_block_x(); unit < tiles * batch.count; unit += ww_blocks_x()) {
        const T* x = x_all;
        T* out = out_all;
        ww_u64 tile = unit;
        if (batch.count > 1) {
            ww_u64 rest = unit / tiles;
            tile = unit - rest * tiles;
            WW_UNROLL for (int k = 0; k < 6; ++k) {
                if (batch.size[k] > 1) {
                    const ww_u64 next = rest / batch.size[k], index = rest - next * batch.size[k];
                    x += index * batch.from[k];
                    out += index * batch.to[k];
                    rest = next;
                }
            }
        }
        const ww_u64 down = tile / across, line0 = down * EDGE, column0 = (tile - down * across) * EDGE;
        const ww_u32 high = (ww_u32)(lines - line0 < EDGE ? lines - line0 : EDGE);
        const ww_u32 wide = (ww_u32)(columns - column0 < EDGE ? columns - column0 : EDGE);
        const bool packed_x = ww_packed<PACK>(x) && ldx % PACK == 0, packed_out = ww_packed<PACK>(out) && ldo % PACK == 0;
        const bool whole = high == EDGE && wide == EDGE;
        x += line0 * ldx + column0;
        out += column0 * ldo + line0;
        if (whole && packed_x) {
            WW_UNROLL for (ww_u32 b = 0; b < BLOCKS * BLOCKS / THREADS; ++b) {
                const ww_u32 block = t + b * THREADS, bj = block % BLOCKS, bi = block / BLOCKS;
                pack in[PACK];
                WW_UNROLL for (int k = 0; k < PACK; ++k) in[k] = ww_load_pack<PACK>(x + (bi * PACK + k) * ldx + bj * PACK);
                WW_UNROLL for (int k = 0; k < PACK; ++k) {
                    pack turned;
                    WW_UNROLL for (int j = 0; j < PACK; ++j) turned.at[j] = in[j].at[k];
                    held[(bj * PACK + k) * BLOCKS + (bi ^ bj)].raw = turned.raw;
                }
            }
        } else {
            // So many lines at a time that several loads are under way.
            const ww_u32 j = t % EDGE;
            for (ww_u32 first = t / EDGE; first < high; first += SOME * ROWS) {
                ww_pack<T, 1> some[SOME];
                WW_UNROLL for (ww_u32 e = 0; e < SOME; ++e) {
                    // What is not there is not looked at later.
                    const ww_u32 i = first + e * ROWS;
                    some[e] = ww_load_pack<1>(x + (i < high && j < wide ? i * ldx + j : 0));
                }
                WW_UNROLL for (ww_u32 e = 0; e < SOME; ++e) {
                    const ww_u32 i = first + e * ROWS;
                    held[j * BLOCKS + (i / PACK ^ j / PACK)].at[i % PACK] = some[e].at[0];
                }
            }
        }
        ww_barrier();
        if (whole && packed_out) {
            WW_UNROLL for (ww_u32 p = 0; p < EDGE * BLOCKS / THREADS; ++p) {
                const ww_u32 j = (p * THREADS + t) / BLOCKS, b = t % BLOCKS;
                ww_store_pack<PACK>(out + j * ldo + b * PACK, held[j * BLOCKS + (b ^ j / PACK)]);
            }
        } else {
            const ww_u32 i = t % EDGE;
            if (i < high)
                for (ww_u32 j = t / EDGE; j < wide; j += ROWS) out[j * ldo + i] = held[j * BLOCKS + (i / PACK ^ j / PACK)].at[i % PACK];
        }
        ww_barrier();
    }
}

#define TRANSPOSE(n, T) \
    WW_KERNEL(transpose_##n, 256, ww_u64 lines, ww_u64 columns, const T* x, ww_u64 ldx, T* out, ww_u64 ldo, ww_u64 count, ww_u64 size0, \
              ww_u64 size1, ww_u64 size2, ww_u64 size3, ww_u64 size4, ww_u64 size5, ww_u64 from0, ww_u64 from1, ww_u64 from2, \
              ww_u64 from3, ww_u64 from4, ww_u64 from5, ww_u64 to0, ww_u64 to1, ww_u64 to2, ww_u64 to3, ww_u64 to4, ww_u64 to5) { \
        typedef tile_of<T>::pack pack; \
        WW_SHARED(pack, held, tile_of<T>::EDGE* tile_of<T>::BLOCKS); \
        const batch_axes batch = {count, {size0, size1, size2, size3, size4, size5}, {from0, from1, from2, from3, from4, from5}, \
                                  {to0, to1, to2, to3, to4, to5}}; \
        transpose<T>(lines, columns, x, ldx, out, ldo, batch, held); \
    }
WW_EACH_WIDTH(TRANSPOSE)

// The axes of the output, the fastest first, with their distances in the input.
struct all_axes {
    ww_u32 rank;
    ww_u64 size[8], from[8];
};
// I: an integer that holds every index.
template <class I, class T> WW_DEVICE void permute(ww_u64 len, const T* x, T* out, const all_axes& axes) {
    const ww_u32 HELD = 4;
    for (ww_u64 i = ww_index(); i < len; i += ww_stride() * HELD) {
        I rest[HELD];
        ww_u64 from[HELD];
        WW_UNROLL for (ww_u32 u = 0; u < HELD; ++u) {
            const ww_u64 j = i + u * ww_stride();
            rest[u] = (I)(j < len ? j : 0);
            from[u] = 0;
        }
        WW_UNROLL for (ww_u32 k = 0; k < 8; ++k) {
            if (k < axes.rank) {
                const I size = (I)axes.size[k];
                WW_UNROLL for (ww_u32 u = 0; u < HELD; ++u) {
                    const I next = rest[u] / size;
                    from[u] += (ww_u64)(rest[u] - next * size) * axes.from[k];
                    rest[u] = next;
                }
            }
        }
        ww_pack<T, 1> held[HELD];
        WW_UNROLL for (ww_u32 u = 0; u < HELD; ++u) held[u] = ww_load_pack<1>(x + from[u]);
        WW_UNROLL for (ww_u32 u = 0; u < HELD; ++u) {
            const ww_u64 j = i + u * ww_stride();
            if (j < len) ww_store_pack<1>(out + j, held[u]);
        }
    }
}
#define PERMUTE(n, T) \
    WW_KERNEL(permute_##n, 256, ww_u64 len, const T* x, T* out, ww_u32 rank, ww_u64 size0, ww_u64 size1, ww_u64 size2, ww_u64 size3, \
              ww_u64 size4, ww_u64 size5, ww_u64 size6, ww_u64 size7, ww_u64 from0, ww_u64 from1, ww_u64 from2, ww_u64 from3, \
              ww_u64 from4, ww_u64 from5, ww_u64 from6, ww_u64 from7) { \
        const all_axes axes = {rank, {size0, size1, size2, size3, size4, size5, size6, size7}, \
                               {from0, from1, from2, from3, from4, from5, from6, from7}}; \
        if (len >> 32 == 0) permute<ww_u32>(len, x, out, axes); \
        else permute<ww_u64>(len, x, out, axes); \
    }
WW_EACH_WIDTH(PERMUTE)
