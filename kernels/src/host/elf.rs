//! What the system would run of a module's code while it loads it.

use crate::elf::{Elf, Section};

/// What of a module would run when it is loaded or unloaded, if anything: constructors and destructors of global objects, and functions that
/// choose another one's code.
///
/// # Errors
/// In words, if this is no ELF file of this machine's byte order.
pub(super) fn runs_by_itself(file: &[u8]) -> Result<Option<&'static str>, String> {
    let elf = Elf::new(file)?;
    if !elf.is_of_this_order() {
        return Err("no ELF file of this machine".to_owned());
    }
    for (tag, value) in elf.dynamic()? {
        let what = match tag {
            INIT | FINI => "an initialiser or finaliser of the module",
            INIT_SIZE | PREINIT_SIZE if value != 0 => "a constructor of a global object",
            FINI_SIZE if value != 0 => "a destructor of a global object",
            _ => continue,
        };
        return Ok(Some(what));
    }
    Ok(elf.has_chosen_functions()?.then_some("a function that is chosen by another"))
}

// Tags of the dynamic section.
const INIT: u64 = 12;
const FINI: u64 = 13;
const INIT_SIZE: u64 = 27;
const FINI_SIZE: u64 = 28;
const PREINIT_SIZE: u64 = 33;
// Types of sections.
const RELA: u64 = 4;
const REL: u64 = 9;
const DYNAMIC_SYMBOLS: u64 = 11;
/// A segment with the dynamic section.
const DYNAMIC: u64 = 2;
/// A symbol whose value is what its function returns.
const CHOSEN: u64 = 10;
/// The relocation by what a function returns; no number where it is not known here.
const CHOOSE: u64 = if cfg!(target_arch = "x86_64") {
    37
} else if cfg!(target_arch = "aarch64") {
    1032
} else if cfg!(any(target_arch = "riscv32", target_arch = "riscv64")) {
    58
} else if cfg!(target_arch = "x86") {
    42
} else {
    u64::MAX
};

impl Elf<'_> {
    /// Tags and values of the dynamic section.
    fn dynamic(&self) -> Result<Vec<(u64, u64)>, String> {
        let mut found = Vec::new();
        for segment in self.table(self.pick(32, 28), self.pick(54, 42))? {
            if self.number(segment, 4)? != DYNAMIC {
                continue;
            }
            let start = self.place(segment + self.pick(8, 4))?;
            let len = self.place(segment + self.pick(32, 16))?;
            for entry in Self::entries(start, len, self.pick(16, 8)) {
                let (tag, value) = (self.word(entry)?, self.word(entry + self.pick(8, 4))?);
                if tag == 0 {
                    break;
                }
                found.push((tag, value));
            }
        }
        if found.is_empty() { Err("no module: it has no dynamic section".to_owned()) } else { Ok(found) }
    }

    /// Whether a function's address is what another one returns, when the module is loaded or a symbol is looked up.
    fn has_chosen_functions(&self) -> Result<bool, String> {
        for Section { kind, start, len, .. } in self.sections()? {
            match kind {
                RELA | REL => {
                    let size = if kind == RELA { self.pick(24, 12) } else { self.pick(16, 8) };
                    for entry in Self::entries(start, len, size) {
                        let info = self.word(entry + self.pick(8, 4))?;
                        if info & if self.wide { 0xffff_ffff } else { 0xff } == CHOOSE {
                            return Ok(true);
                        }
                    }
                }
                DYNAMIC_SYMBOLS => {
                    for symbol in Self::entries(start, len, self.pick(24, 16)) {
                        let (kind, section) = (symbol + self.pick(4, 12), symbol + self.pick(6, 14));
                        // Others' are not this module's to run.
                        if self.number(kind, 1)? & 15 == CHOSEN && self.number(section, 2)? != 0 {
                            return Ok(true);
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The smallest file that has what is looked at: one segment, with this dynamic section.
    fn with_dynamic(entries: &[(u64, u64)]) -> Vec<u8> {
        let mut file = vec![0; 120];
        file[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, if cfg!(target_endian = "little") { 1 } else { 2 }]);
        file[32..40].copy_from_slice(&64_u64.to_ne_bytes());
        file[54..56].copy_from_slice(&56_u16.to_ne_bytes());
        file[56..58].copy_from_slice(&1_u16.to_ne_bytes());
        file[64..68].copy_from_slice(&2_u32.to_ne_bytes());
        file[72..80].copy_from_slice(&120_u64.to_ne_bytes());
        file[96..104].copy_from_slice(&(entries.len() as u64 * 16).to_ne_bytes());
        for (tag, value) in entries {
            file.extend(tag.to_ne_bytes());
            file.extend(value.to_ne_bytes());
        }
        file
    }

    #[test]
    fn what_runs_by_itself_is_found() {
        assert_eq!(runs_by_itself(&with_dynamic(&[(1, 5), (INIT_SIZE, 0), (0, 0), (INIT, 5)])), Ok(None));
        for tag in [INIT, FINI, INIT_SIZE, FINI_SIZE, PREINIT_SIZE] {
            assert!(matches!(runs_by_itself(&with_dynamic(&[(1, 5), (tag, 8)])), Ok(Some(_))), "{tag}");
        }
    }

    #[test]
    fn what_is_no_module_is_an_error() {
        let whole = with_dynamic(&[(1, 5)]);
        for len in 0..whole.len() {
            assert!(runs_by_itself(&whole[..len]).is_err(), "{len}");
        }
        assert!(runs_by_itself(&with_dynamic(&[])).is_err());
        let mut far = whole.clone();
        far[72..80].fill(0xff);
        assert!(runs_by_itself(&far).is_err());
        let mut other = whole;
        other[5] ^= 3;
        assert!(runs_by_itself(&other).is_err());
    }
}
