//! Images as a program carries them: compressed, to about a fifth of their size.

use std::borrow::Cow;
use std::io::{Read, Write};

/// How an image that is not compressed begins: as every ELF file does.
const ELF: &[u8] = b"\x7fELF";

/// An image, compressed (zlib, RFC 1950).
pub fn packed(image: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    match encoder.write_all(image).and_then(|()| encoder.finish()) {
        Ok(packed) => packed,
        // Writing to memory does not fail.
        Err(_) => image.to_vec(),
    }
}

/// The image that was [`packed`], or what is one already.
///
/// # Errors
/// In words, if it is neither.
pub fn unpacked(bytes: &[u8]) -> Result<Cow<'_, [u8]>, String> {
    if bytes.starts_with(ELF) {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut image = Vec::new();
    match flate2::read::ZlibDecoder::new(bytes).read_to_end(&mut image) {
        Ok(_) if image.starts_with(ELF) => Ok(Cow::Owned(image)),
        Ok(_) => Err("what is compressed is no image".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_was_packed_comes_back() {
        let image: Vec<u8> = ELF.iter().copied().chain((0..10_000_u32).map(|i| (i / 100) as u8)).collect();
        let small = packed(&image);
        assert!(small.len() < image.len() / 5);
        assert_eq!(*unpacked(&small).unwrap(), *image);
        assert!(matches!(unpacked(&image).unwrap(), Cow::Borrowed(same) if same == image));
    }

    #[test]
    fn what_is_no_image_is_an_error() {
        let small = packed(ELF);
        for bytes in [&[][..], b"text", &small[..small.len() - 1], &packed(b"text")] {
            assert!(unpacked(bytes).is_err(), "{bytes:?}");
        }
    }
}
