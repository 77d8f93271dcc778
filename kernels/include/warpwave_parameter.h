// What a kernel's text declares its parameters to be, for whoever launches it. All targets: comes before all else.
//
// A host module hands it over by pointers (`warpwave_host.h`). In an image for a GPU there is a constant `ww_parameters_<kernel>` beside each
// kernel, which is read from the file (`kernels/src/image/signature.rs` has the same layout).

// kind: 'p' a pointer to what is written, 'c' to what is read only, 'u' an unsigned integer, 'i' a signed one, 'f' a float, 's' a structure.
// For a pointer, what it points to, its size 0 if that is not known.
struct ww_parameter {
    unsigned int size, kind, to_size, to_kind;
};

template <class T> struct ww_kind { static constexpr unsigned int value = 's'; };
#define WW_KIND(TYPE, KIND) template <> struct ww_kind<TYPE> { static constexpr unsigned int value = KIND; };
WW_KIND(bool, 'u') WW_KIND(unsigned char, 'u') WW_KIND(unsigned short, 'u') WW_KIND(unsigned int, 'u')
WW_KIND(unsigned long, 'u') WW_KIND(unsigned long long, 'u')
WW_KIND(char, 'i') WW_KIND(signed char, 'i') WW_KIND(short, 'i') WW_KIND(int, 'i') WW_KIND(long, 'i') WW_KIND(long long, 'i')
WW_KIND(float, 'f') WW_KIND(double, 'f')
#undef WW_KIND
template <class T> struct ww_kind<const T> : ww_kind<T> {};
template <class T> struct ww_size { static constexpr unsigned int value = sizeof(T); };
template <> struct ww_size<void> { static constexpr unsigned int value = 0; };
template <> struct ww_size<const void> { static constexpr unsigned int value = 0; };

template <class T> struct ww_describe {
    static constexpr ww_parameter value = {sizeof(T), ww_kind<T>::value, 0, 0};
};
template <class T> struct ww_describe<T*> {
    static constexpr ww_parameter value = {sizeof(T*), 'p', ww_size<T>::value, ww_kind<T>::value};
};
template <class T> struct ww_describe<const T*> {
    static constexpr ww_parameter value = {sizeof(T*), 'c', ww_size<T>::value, ww_kind<T>::value};
};

template <unsigned int COUNT> struct ww_signature {
    unsigned int threads, count;
    // One more, as there are no arrays of nothing.
    ww_parameter parameters[COUNT + 1];
};
// Beside the threads a text may give a GPU's compiler the blocks that a processor is to hold.
template <class F, unsigned int THREADS, unsigned int BLOCKS = 0> struct ww_signature_of;
template <class... P, unsigned int THREADS, unsigned int BLOCKS> struct ww_signature_of<void(P...), THREADS, BLOCKS> {
    typedef ww_signature<sizeof...(P)> type;
    static constexpr type value = {THREADS, sizeof...(P), {ww_describe<P>::value..., {0, 0, 0, 0}}};
};
