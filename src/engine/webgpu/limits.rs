//! What a device can hold and start at once, and what is too large for it.

/// The limits of a device that a plan has to respect; names as in WebGPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// `maxBufferSize`, bytes.
    pub buffer: u64,
    /// `maxStorageBufferBindingSize`, bytes.
    pub binding: u64,
    /// `maxComputeWorkgroupsPerDimension`.
    pub workgroups: u32,
    /// `minUniformBufferOffsetAlignment`, bytes.
    pub uniform_alignment: u32,
    /// The most work of one dispatch, multiplications: browsers end a device that does not answer for seconds.
    pub work: u64,
}

impl Limits {
    /// What every WebGPU device offers.
    pub const DEFAULT: Self =
        Self { buffer: 256 << 20, binding: 128 << 20, workgroups: 65_535, uniform_alignment: 256, work: 1 << 30 };
}

/// Why a device can't compute a problem: something is larger than it can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What is too large.
    pub what: &'static str,
    /// Bytes it needs.
    pub needed: u64,
    /// Bytes there may be.
    pub most: u64,
}

impl Limits {
    /// Checks that `bytes` can be bound as one buffer.
    ///
    /// # Errors
    /// [`Refusal`] with `what`.
    pub fn bind(&self, what: &'static str, bytes: u64) -> Result<(), Refusal> {
        let most = self.binding.min(self.buffer);
        if bytes <= most { Ok(()) } else { Err(Refusal { what, needed: bytes, most }) }
    }

    /// Checks that `bytes` fit in one buffer.
    ///
    /// # Errors
    /// [`Refusal`] with `what`.
    pub fn hold(&self, what: &'static str, bytes: u64) -> Result<(), Refusal> {
        if bytes <= self.buffer { Ok(()) } else { Err(Refusal { what, needed: bytes, most: self.buffer }) }
    }
}
