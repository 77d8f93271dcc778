//! Reading ELF files: modules of the host, and images for GPUs.

/// The bytes of an ELF file. Nothing that is in it is believed without a look.
#[derive(Debug)]
pub(crate) struct Elf<'a> {
    pub(crate) file: &'a [u8],
    /// Whether addresses have 64 bits.
    pub(crate) wide: bool,
    little: bool,
}

/// A section.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Section {
    pub(crate) kind: u64,
    pub(crate) address: u64,
    pub(crate) start: usize,
    pub(crate) len: usize,
    /// Which section it belongs to; for symbols, that of their names.
    pub(crate) link: usize,
}

impl<'a> Elf<'a> {
    /// # Errors
    /// In words, if this is no ELF file.
    pub(crate) fn new(file: &'a [u8]) -> Result<Self, String> {
        match file {
            [0x7f, b'E', b'L', b'F', class @ (1 | 2), order @ (1 | 2), ..] => {
                Ok(Elf { file, wide: *class == 2, little: *order == 1 })
            }
            _ => Err("no ELF file".to_owned()),
        }
    }

    /// Whether the numbers in it are this machine's.
    #[cfg(unix)]
    pub(crate) fn is_of_this_order(&self) -> bool {
        self.little == cfg!(target_endian = "little")
    }

    /// One of two numbers: that for 64 bits, else that for 32.
    pub(crate) fn pick(&self, wide: usize, narrow: usize) -> usize {
        if self.wide { wide } else { narrow }
    }

    /// So many bytes.
    pub(crate) fn bytes(&self, at: usize, len: usize) -> Result<&'a [u8], String> {
        let end = at.checked_add(len).filter(|&end| end <= self.file.len());
        let end = end.ok_or_else(|| format!("the file ends before byte {at}"))?;
        Ok(&self.file[at..end])
    }

    /// The number of so many bytes.
    pub(crate) fn number(&self, at: usize, bytes: usize) -> Result<u64, String> {
        let digits = self.bytes(at, bytes)?;
        let fold = |number: u64, &digit: &u8| number << 8 | u64::from(digit);
        Ok(if self.little { digits.iter().rev().fold(0, fold) } else { digits.iter().fold(0, fold) })
    }

    /// An address or a size.
    pub(crate) fn word(&self, at: usize) -> Result<u64, String> {
        self.number(at, self.pick(8, 4))
    }

    /// A word that is a place in the file or a number of bytes.
    pub(crate) fn place(&self, at: usize) -> Result<usize, String> {
        usize::try_from(self.word(at)?).map_err(|_| "a place past the end of memory".to_owned())
    }

    /// The places of the entries of a table: where it starts is at `start`, the size of an entry at `size`, how many there are behind that.
    pub(crate) fn table(&self, start: usize, size: usize) -> Result<impl Iterator<Item = usize> + use<>, String> {
        let (start, count) = (self.place(start)?, self.number(size + 2, 2)? as usize);
        let size = self.number(size, 2)? as usize;
        // An entry that is past the end is found when it is read.
        Ok((0..count).map(move |i| start.saturating_add(i * size)))
    }

    /// The places of entries of `size` bytes each between `start` and `start + len`.
    pub(crate) fn entries(start: usize, len: usize, size: usize) -> impl Iterator<Item = usize> {
        (0..len / size).map(move |i| start.saturating_add(i * size))
    }

    /// The sections.
    pub(crate) fn sections(&self) -> Result<Vec<Section>, String> {
        let read = |at: usize| {
            Ok(Section {
                kind: self.number(at.saturating_add(4), 4)?,
                address: self.word(at.saturating_add(self.pick(16, 12)))?,
                start: self.place(at.saturating_add(self.pick(24, 16)))?,
                len: self.place(at.saturating_add(self.pick(32, 20)))?,
                link: self.number(at.saturating_add(self.pick(40, 24)), 4)? as usize,
            })
        };
        self.table(self.pick(40, 32), self.pick(58, 46))?.map(read).collect()
    }
}
