// out[i] = a[i] op b[i], either operand being one value for all. The output may be an input.

#define OPERATOR(NAME, EXPRESSION) \
    struct NAME { \
        template <class T> static WW_DEVICE T of(T a, T b) { return EXPRESSION; } \
    };
OPERATOR(add, ww_add(a, b))
OPERATOR(sub, ww_sub(a, b))
OPERATOR(mul, ww_mul(a, b))
OPERATOR(quotient, ww_div(a, b))
OPERATOR(rem, ww_rem(a, b))
OPERATOR(minimum, ww_minimum(a, b))
OPERATOR(maximum, ww_maximum(a, b))
OPERATOR(minimum_number, ww_minimum_number(a, b))
OPERATOR(maximum_number, ww_maximum_number(a, b))
OPERATOR(bit_and, (T)(a & b))
OPERATOR(bit_or, (T)(a | b))
OPERATOR(bit_xor, (T)(a ^ b))
OPERATOR(shl, ww_shl(a, b))
OPERATOR(shr, ww_shr(a, b))

// Without a pointer an operand is its value.
#define KERNEL(NAME, OP, n, T) \
    WW_KERNEL(NAME##_##n, 256, ww_u64 len, const T* a, T a_value, const T* b, T b_value, T* out) { \
        ww_map(len, ww_binary_map<T, OP>{{a, a_value}, {b, b_value}, out}); \
    }
#define ADD(n, T) KERNEL(add, add, n, T)
#define SUB(n, T) KERNEL(sub, sub, n, T)
#define MUL(n, T) KERNEL(mul, mul, n, T)
#define DIV(n, T) KERNEL(div, quotient, n, T)
#define REM(n, T) KERNEL(rem, rem, n, T)
#define MINIMUM(n, T) KERNEL(minimum, minimum, n, T)
#define MAXIMUM(n, T) KERNEL(maximum, maximum, n, T)
#define MINIMUM_NUMBER(n, T) KERNEL(minimum_number, minimum_number, n, T)
#define MAXIMUM_NUMBER(n, T) KERNEL(maximum_number, maximum_number, n, T)
#define AND(n, T) KERNEL(and, bit_and, n, T)
#define OR(n, T) KERNEL(or, bit_or, n, T)
#define XOR(n, T) KERNEL(xor, bit_xor, n, T)
#define SHL(n, T) KERNEL(shl, shl, n, T)
#define SHR(n, T) KERNEL(shr, shr, n, T)
WW_EACH(ADD)
WW_EACH(SUB)
WW_EACH(MUL)
WW_EACH_REAL(DIV)
WW_EACH_INTEGER(REM)
WW_EACH_REAL(MINIMUM)
WW_EACH_REAL(MAXIMUM)
WW_EACH_FLOAT(MINIMUM_NUMBER)
WW_EACH_FLOAT(MAXIMUM_NUMBER)
// Bits have no sign; only a shift to the right does.
WW_EACH_UNSIGNED(AND)
WW_EACH_UNSIGNED(OR)
WW_EACH_UNSIGNED(XOR)
WW_EACH_UNSIGNED(SHL)
WW_EACH_INTEGER(SHR)
