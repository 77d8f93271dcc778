// Random numbers: Philox 4×32-10, as `numerics::philox` defines them, and normal ones by the transform of `numerics::normal`.

struct words4 {
    ww_u32 at[4];
};
struct philox {
    ww_u64 seed, subsequence;

    // Words 4 · index to 4 · index + 3.
    WW_DEVICE words4 block(ww_u64 index) const {
        ww_u32 a = (ww_u32)index, b = (ww_u32)(index >> 32), c = (ww_u32)subsequence, d = (ww_u32)(subsequence >> 32);
        ww_u32 low = (ww_u32)seed, high = (ww_u32)(seed >> 32);
        WW_UNROLL for (int round = 0; round < 10; ++round) {
            const ww_u32 high0 = ww_mulhi(0xd2511f53u, a), low0 = 0xd2511f53u * a;
            const ww_u32 high1 = ww_mulhi(0xcd9e8d57u, c), low1 = 0xcd9e8d57u * c;
            a = high1 ^ b ^ low;
            b = low1;
            c = high0 ^ d ^ high;
            d = low0;
            low += 0x9e3779b9u;
            high += 0xbb67ae85u;
        }
        return {{a, b, c, d}};
    }
    // The four words from `first` on; their count wraps.
    WW_DEVICE words4 from(ww_u64 first) const {
        const words4 one = block(first >> 2);
        const ww_u32 skip = (ww_u32)first & 3;
        if (skip == 0) return one;
        const words4 two = block((first + 4) >> 2);
        words4 words;
        WW_UNROLL for (ww_u32 j = 0; j < 4; ++j) {
            words.at[j] = skip == 1 ? (j < 3 ? one.at[j + 1 & 3] : two.at[j - 3 & 3])
                : skip == 2         ? (j < 2 ? one.at[j + 2 & 3] : two.at[j - 2 & 3])
                                    : (j < 1 ? one.at[j + 3 & 3] : two.at[j - 1 & 3]);
        }
        return words;
    }
};

template <class T> constexpr ww_u32 words_of = sizeof(T) == 8 ? 2 : 1;
template <class T> WW_DEVICE T made_of(ww_u32 first, ww_u32 second) {
    const ww_u64 both = (ww_u64)second << 32 | first;
    if constexpr (ww_same<T, float>::value) return ww_cast<float>(first >> 8) * (1.0f / 16777216.0f);
    else if constexpr (ww_same<T, double>::value) return ww_cast<double>(both >> 11) * (1.0 / 9007199254740992.0);
    else if constexpr (ww_same<T, ww_f16>::value) return ww_cast<T>(ww_cast<float>(first >> 21) * (1.0f / 2048.0f));
    else if constexpr (ww_same<T, ww_bf16>::value) return ww_cast<T>(ww_cast<float>(first >> 24) * (1.0f / 256.0f));
    else if constexpr (sizeof(T) == 8) return (T)both;
    else return (T)(typename ww_type<T>::bits)(first >> (32 - 8 * sizeof(T)));
}

template <class T> struct random_map {
    static const int PACK = ww_pack_of<T>;
    philox source;
    ww_u64 offset;
    T* out;

    template <int N> struct operands {};
    WW_DEVICE ww_u32 head() const { return ww_before_pack<PACK>(out); }
    WW_DEVICE bool packed(ww_u64) const { return true; }
    template <int N> WW_DEVICE operands<N> load(ww_u64) const { return {}; }
    template <int N> WW_DEVICE void store(ww_u64 i, operands<N>) const {
        // Elements that four words make.
        const int EACH = 4 / words_of<T>;
        const ww_u64 first = offset + i * words_of<T>;
        ww_pack<T, N> result;
        WW_UNROLL for (int j = 0; j < N; j += EACH) {
            const words4 words = source.from(first + j * words_of<T>);
            WW_UNROLL for (int e = 0; e < EACH && j + e < N; ++e)
                result.at[j + e] = made_of<T>(words.at[e * words_of<T>], words.at[(e * words_of<T> + 1) & 3]);
        }
        ww_store_pack<N>(out + i, result);
    }
};

#define KERNEL(n, T) \
    WW_KERNEL(random_##n, 256, ww_u64 len, ww_u64 seed, ww_u64 subsequence, ww_u64 offset, T* out) { \
        ww_map(len, random_map<T>{{seed, subsequence}, offset, out}); \
    }
WW_EACH_REAL(KERNEL)

template <class C> struct two {
    C cosine, sine;
};
template <class C> WW_DEVICE two<C> polar(C first, C twice_second) {
    const C log = ww_log(first), r = ww_sqrt_rn(-(log + log));
    C sine, cosine;
    ww_sincospi(twice_second, sine, cosine);
    return {r * cosine, r * sine};
}
// The two numbers of a pair; for `float` of the first two words.
template <class C> WW_DEVICE two<C> pair_of(ww_u32 a, ww_u32 b, ww_u32 c, ww_u32 d) {
    if constexpr (sizeof(C) == 4) {
        const float unit = 1.0f / 4294967296.0f;
        return polar(ww_fma(ww_cast<float>(a), unit, unit / 2), ww_cast<float>(b >> 8) * (1.0f / 8388608.0f));
    } else {
        const double unit = 1.0 / 9007199254740992.0;
        const ww_u64 first = ((ww_u64)b << 32 | a) >> 11, second = ((ww_u64)d << 32 | c) >> 11;
        return polar(ww_cast<double>(first + 1) * unit, ww_cast<double>(second) * (2 * unit));
    }
}

template <class T> struct normal_map {
    static const int PACK = ww_pack_of<T>;
    philox source;
    ww_u64 offset;
    ww_acc<T> mean, deviation;
    T* out;

    template <int N> struct operands {};
    WW_DEVICE ww_u32 head() const { return ww_before_pack<PACK>(out); }
    WW_DEVICE bool packed(ww_u64) const { return true; }
    template <int N> WW_DEVICE operands<N> load(ww_u64) const { return {}; }
    template <int N> WW_DEVICE void store(ww_u64 i, operands<N>) const {
        typedef ww_acc<T> C;
        // Elements that four words make, and fours of words, one more than needed if the first element is the second of its pair.
        const int EACH = 4 / words_of<T>, FOURS = (N + EACH - 1) / EACH + 1;
        const ww_u64 first = offset + i * words_of<T>, start = first & ~(ww_u64)words_of<T>;
        const bool second = first != start;
        C numbers[FOURS * EACH] = {};
        WW_UNROLL for (int f = 0; f < FOURS; ++f) {
            if (f * EACH < N + (second ? 1 : 0)) {
                const words4 words = source.from(start + f * 4);
                WW_UNROLL for (int e = 0; e < EACH; e += 2) {
                    const two<C> pair = pair_of<C>(words.at[e], words.at[e + 1], words.at[2], words.at[3]);
                    numbers[f * EACH + e] = pair.cosine;
                    numbers[f * EACH + e + 1] = pair.sine;
                }
            }
        }
        ww_pack<T, N> result;
        WW_UNROLL for (int j = 0; j < N; ++j)
            result.at[j] = ww_narrow<T>(ww_fma(second ? numbers[j + 1] : numbers[j], deviation, mean));
        ww_store_pack<N>(out + i, result);
    }
};

#define NORMAL(n, T) \
    WW_KERNEL(normal_##n, 256, ww_u64 len, ww_u64 seed, ww_u64 subsequence, ww_u64 offset, ww_acc<T> mean, ww_acc<T> deviation, T* out) { \
        ww_map(len, normal_map<T>{{seed, subsequence}, offset, mean, deviation, out}); \
    }
WW_EACH_FLOAT(NORMAL)
