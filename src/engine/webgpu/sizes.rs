//! The uniforms of the shaders: one struct `Sizes` each, of 4-byte scalars in this order. A test compares them with WGSL.

/// A scalar as a word of a uniform buffer.
trait Word {
    fn word(self) -> u32;
}

impl Word for u32 {
    fn word(self) -> u32 {
        self
    }
}

impl Word for f32 {
    fn word(self) -> u32 {
        self.to_bits()
    }
}

macro_rules! sizes {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $kind:ty),* $(,)? })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[expect(missing_docs, reason = "the shader's struct says what each field is")]
        pub struct $name { $(pub $field: $kind),* }

        impl $name {
            /// Field names and WGSL types, in order.
            pub const FIELDS: &'static [(&'static str, &'static str)] = &[$((stringify!($field), stringify!($kind))),*];

            /// The struct as the shader reads it.
            #[must_use]
            pub fn words(self) -> Vec<u32> {
                vec![$(self.$field.word()),*]
            }
        }
    )*};
}

sizes! {
    /// Of `product.wgsl`.
    ProductSizes { tiles: u32, inner: u32, columns: u32, a_step: u32, first_tile: u32, first_batch: u32 }
    /// Of `scores.wgsl`.
    ScoresSizes { tiles: u32, keys: u32, inner: u32, first_tile: u32, first_batch: u32 }
    /// Of `stage.wgsl`.
    StageSizes {
        rows: u32, keys: u32, bias_step: u32, scale: f32, temperature: f32, first_row: u32, first_batch: u32,
    }
    /// Of `rows.wgsl`.
    RowsSizes {
        rows: u32, padded_rows: u32, keys: u32, columns: u32, bits_step: u32, bits_row: u32, bias_step: u32,
        scale: f32, temperature: f32, first_row: u32, first_batch: u32,
    }
    /// Of `concat.wgsl`.
    ConcatSizes {
        rows: u32, columns: u32, padded: u32, width: u32, padded_width: u32, first_head: u32, from_column: u32,
        to_column: u32,
    }
}
