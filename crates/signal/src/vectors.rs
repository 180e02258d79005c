//! Work that is done on many samples at once, where the processor has the registers for it.

/// What a processor has for such work.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Registers {
    /// What every processor of its kind has.
    Any,
    /// AVX2 and FMA.
    Wide(WideRegisters),
}

/// Proof that this processor has AVX2 and FMA.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WideRegisters(());

/// Work that can be laid out for several kinds of registers.
pub(crate) trait Work {
    /// What comes of it.
    type Outcome;

    /// Does it; `FUSED` where a product and a sum are one step. Implementations, and what they call, are
    /// `#[inline(always)]`: only what becomes part of the caller is laid out for its registers, and everything else
    /// is many times slower.
    fn run<const FUSED: bool>(self) -> Self::Outcome;
}

impl Registers {
    /// The best that this processor has.
    pub(crate) fn find() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return Self::Wide(WideRegisters(()));
        }
        Self::Any
    }

    /// Does work in these registers.
    pub(crate) fn run<W: Work>(self, work: W) -> W::Outcome {
        match self {
            Self::Any => work.run::<false>(),
            Self::Wide(registers) => registers.run(work),
        }
    }
}

impl WideRegisters {
    fn run<W: Work>(self, work: W) -> W::Outcome {
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2,fma")]
            fn widely<W: Work>(work: W) -> W::Outcome {
                work.run::<true>()
            }
            // SAFETY: `find`, the only way to get `self`, has found both features.
            unsafe { widely(work) }
        }
        #[cfg(not(target_arch = "x86_64"))]
        work.run::<false>()
    }
}

/// A factor times another, plus a sum: in one step where the processor has one, else in two, as taking it apart to
/// round only once would be slow.
pub(crate) trait MultiplyAdd: Copy {
    fn times_plus<const FUSED: bool>(self, factor: Self, sum: Self) -> Self;
}

impl MultiplyAdd for f32 {
    #[inline(always)]
    fn times_plus<const FUSED: bool>(self, factor: Self, sum: Self) -> Self {
        if FUSED { self.mul_add(factor, sum) } else { self * factor + sum }
    }
}

impl MultiplyAdd for f64 {
    #[inline(always)]
    fn times_plus<const FUSED: bool>(self, factor: Self, sum: Self) -> Self {
        if FUSED { self.mul_add(factor, sum) } else { self * factor + sum }
    }
}
