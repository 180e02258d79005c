//! Work on many samples at once, with the processor's vector registers.

/// The vector registers of a processor.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Registers {
    /// The registers that every processor of this architecture has.
    Any,
    /// AVX2 and FMA.
    Wide(WideRegisters),
}

/// Proof that this processor has AVX2 and FMA.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WideRegisters(());

/// Work that can be compiled for several kinds of registers.
pub(crate) trait Work {
    /// Its result.
    type Outcome;

    /// Runs the work. `FUSED`: a multiplication and an addition are one instruction. Implementations, and all functions
    /// they call, must be `#[inline(always)]`: only code that is inlined into the caller is compiled for its registers,
    /// and all other code is many times slower.
    fn run<const FUSED: bool>(self) -> Self::Outcome;
}

impl Registers {
    /// The best registers of this processor.
    pub(crate) fn find() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return Self::Wide(WideRegisters(()));
        }
        Self::Any
    }

    /// Runs work with these registers.
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

/// A product plus a sum: in one instruction if the processor has one, else in two, as emulating the single rounding
/// would be slow.
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
