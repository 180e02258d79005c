//! Work that is done on many samples at once, where the processor has the registers for it.

/// Proof that this processor has AVX2 and FMA.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wide(());

impl Wide {
    /// `None` where the processor has them not.
    pub(crate) fn find() -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return Some(Self(()));
        }
        None
    }

    /// Does work that the compiler may lay out for these registers, as far as it is inlined into this.
    #[inline(always)]
    pub(crate) fn run<T>(self, work: impl FnOnce() -> T) -> T {
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2,fma")]
            fn widely<T>(work: impl FnOnce() -> T) -> T {
                work()
            }
            // SAFETY: `find`, the only way to get `self`, has found both features.
            unsafe { widely(work) }
        }
        #[cfg(not(target_arch = "x86_64"))]
        work()
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
