//! What an image says of its kernels.

use crate::elf::{Elf, Section};
use warpwave_core::{Error, ErrorKind, KernelInfo, NumberKind, Parameter, ParameterKind, Result};

/// The kernels of an image for a GPU, in the order of their names, with what the text declares their parameters to be. Read from the constants that
/// the prelude puts beside each kernel (`warpwave_parameter.h`); nothing of the image is run.
///
/// # Errors
/// [`InvalidArgument`](ErrorKind::InvalidArgument) if this is no such image.
pub fn kernels_of(image: &[u8]) -> Result<Vec<KernelInfo>> {
    read(image).map_err(|why| {
        let (what, expected) =
            ("image".to_owned(), "a cubin or a code object that was compiled with the prelude".to_owned());
        Error::from(ErrorKind::InvalidArgument { what, expected, got: why })
    })
}

/// What the constants' names begin with; the kernel's name follows.
const PREFIX: &[u8] = b"ww_parameters_";
/// Sections of nothing, and of what is not in the file.
const NOTHING: u64 = 0;
const NO_BITS: u64 = 8;
/// A section of symbols.
const SYMBOLS: u64 = 2;
/// More parameters than any kernel has: 4 KiB of them at most (CUDA C++ Programming Guide, "function parameters").
const MOST: u64 = 4096;

fn read(image: &[u8]) -> Result<Vec<KernelInfo>, String> {
    let elf = Elf::new(image)?;
    let sections = elf.sections()?;
    // A driver is given no length: it believes what the file says.
    for section in sections.iter().filter(|section| section.kind != NOTHING && section.kind != NO_BITS) {
        elf.bytes(section.start, section.len)?;
    }
    for segment in elf.table(elf.pick(32, 28), elf.pick(54, 42))? {
        elf.bytes(
            elf.place(segment.saturating_add(elf.pick(8, 4)))?,
            elf.place(segment.saturating_add(elf.pick(32, 16)))?,
        )?;
    }
    let mut found = Vec::new();
    for symbols in sections.iter().filter(|section| section.kind == SYMBOLS) {
        let names = sections.get(symbols.link).ok_or("symbols without names")?;
        for symbol in Elf::entries(symbols.start, symbols.len, elf.pick(24, 16)) {
            let name = name_of(&elf, names, elf.number(symbol, 4)? as usize)?;
            let Some(kernel) = name.strip_prefix(PREFIX) else { continue };
            let section = elf.number(symbol + elf.pick(6, 14), 2)? as usize;
            let Some(section) = sections.get(section).filter(|_| section != 0) else { continue };
            let value = elf.word(symbol + elf.pick(8, 4))?;
            let at = usize::try_from(value.wrapping_sub(section.address)).ok().filter(|&at| at < section.len);
            let at = section.start.saturating_add(at.ok_or("a constant outside of its section")?);
            found.push(signature(&elf, at, String::from_utf8_lossy(kernel).into_owned())?);
        }
    }
    found.sort_by(|a: &KernelInfo, b| a.name.cmp(&b.name));
    Ok(found)
}

/// The bytes of a name.
fn name_of<'a>(elf: &Elf<'a>, names: &Section, at: usize) -> Result<&'a [u8], String> {
    let all = elf.bytes(names.start, names.len)?;
    let rest = all.get(at..).ok_or("a name outside of the names")?;
    Ok(rest.split(|&byte| byte == 0).next().unwrap_or_default())
}

/// The `ww_signature` at a place in the file.
fn signature(elf: &Elf<'_>, at: usize, name: String) -> Result<KernelInfo, String> {
    let word = |i: usize| elf.number(at.saturating_add(4 * i), 4);
    let (threads, count) = (word(0)?, word(1)?);
    if count > MOST {
        return Err(format!("{count} parameters of kernel {name}"));
    }
    let parameter = |i: usize| -> Result<Parameter, String> {
        let first = 2 + 4 * i;
        let [size, kind, to_size, to_kind] = [word(first)?, word(first + 1)?, word(first + 2)?, word(first + 3)?];
        Ok(parameter(size as u32, kind as u32, to_size as u32, to_kind as u32))
    };
    let parameters = (0..count as usize).map(parameter).collect::<Result<_, String>>()?;
    Ok(KernelInfo::new(name, threads as u32, Some(parameters)))
}

/// A parameter by the numbers of a `ww_parameter`.
pub(crate) fn parameter(size: u32, kind: u32, to_size: u32, to_kind: u32) -> Parameter {
    let number = |kind: u32| match u8::try_from(kind) {
        Ok(b'u') => NumberKind::Unsigned,
        Ok(b'i') => NumberKind::Signed,
        Ok(b'f') => NumberKind::Float,
        _ => NumberKind::Structure,
    };
    let kind = match u8::try_from(kind) {
        Ok(letter @ (b'p' | b'c')) => {
            ParameterKind::Pointer { written: letter == b'p', size: to_size, to: number(to_kind) }
        }
        _ => ParameterKind::Value(number(kind)),
    };
    Parameter { size, kind }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// The smallest image with one kernel of one parameter: no program, a section of symbols, one of names, one of constants.
    fn image() -> Vec<u8> {
        let (names, constant) = (b"\0ww_parameters_k\0", [64_u32, 1, 4, u32::from(b'f'), 0, 0]);
        let constant: Vec<u8> = constant.iter().flat_map(|word| word.to_le_bytes()).collect();
        let mut symbol = vec![0_u8; 48];
        symbol[24..28].copy_from_slice(&1_u32.to_le_bytes());
        symbol[30..32].copy_from_slice(&3_u16.to_le_bytes());
        symbol[32..40].copy_from_slice(&0x1000_u64.to_le_bytes());
        let mut file = vec![0_u8; 64];
        file[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1]);
        let mut sections = vec![[0_u8; 64]];
        for (kind, address, link, bytes) in
            [(SYMBOLS, 0_u64, 2_u32, symbol), (3, 0, 0, names.to_vec()), (1, 0x1000, 0, constant)]
        {
            let mut section = [0; 64];
            section[4..8].copy_from_slice(&(kind as u32).to_le_bytes());
            section[16..24].copy_from_slice(&address.to_le_bytes());
            section[24..32].copy_from_slice(&(file.len() as u64).to_le_bytes());
            section[32..40].copy_from_slice(&(bytes.len() as u64).to_le_bytes());
            section[40..44].copy_from_slice(&link.to_le_bytes());
            sections.push(section);
            file.extend(bytes);
        }
        let start = file.len() as u64;
        file[40..48].copy_from_slice(&start.to_le_bytes());
        file[58..60].copy_from_slice(&64_u16.to_le_bytes());
        file[60..62].copy_from_slice(&(sections.len() as u16).to_le_bytes());
        file.extend(sections.concat());
        file
    }

    #[test]
    fn a_kernel_is_found() {
        let parameter = Parameter { size: 4, kind: ParameterKind::Value(NumberKind::Float) };
        assert_eq!(kernels_of(&image()).unwrap(), [KernelInfo::new("k", 64, Some(vec![parameter]))]);
    }

    /// Wherever the file ends, and whatever byte is another, there is an answer.
    #[test]
    fn a_spoiled_image_is_an_error_or_another_image() {
        let whole = image();
        // The last 20 bytes are what nobody looks at of the last section's header.
        for len in 0..whole.len() - 20 {
            let got = kernels_of(&whole[..len]);
            assert!(
                matches!(got.unwrap_err().kind(), ErrorKind::InvalidArgument { what, .. } if what == "image"),
                "{len}"
            );
        }
        for at in 0..whole.len() {
            for byte in [0, 1, 0x7f, 0xff] {
                let mut spoiled = whole.clone();
                spoiled[at] = byte;
                let _ = kernels_of(&spoiled);
            }
        }
    }
}
