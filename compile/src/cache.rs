//! Images on disk, from one run of a program to the next.

use crate::error::{Error, Result};
use crate::process::private_folder;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// What an image is made of: the unit (text, prelude and options), the architecture, and the compiler with its version. Other inputs have
/// another key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    what: String,
    compiler: String,
}

impl Key {
    /// The key of a unit, as [`translation_unit`](crate::translation_unit) makes them, compiled by the compiler of this description.
    pub fn new(unit: &str, arch: &str, compiler: &str) -> Self {
        let mut what = String::new();
        for part in [env!("CARGO_PKG_VERSION"), arch, unit] {
            // With its length, so that no two lists of parts are the same text.
            what.push_str(&format!("{} {part}\n", part.len()));
        }
        Key { what, compiler: compiler.to_owned() }
    }

    /// The start of the names of the files of all compilers.
    fn prefix(&self) -> String {
        format!("{:016x}-", fnv1a(&[self.what.as_bytes()]))
    }

    /// The name of its file. Two keys may have the same one: an entry holds its whole key.
    fn file(&self) -> String {
        format!("{}{:016x}", self.prefix(), fnv1a(&[self.compiler.as_bytes()]))
    }
}

/// FNV-1a of 64 bits, which a change of any one byte changes.
fn fnv1a(parts: &[&[u8]]) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    parts.iter().copied().flatten().fold(0xcbf2_9ce4_8422_2325, step)
}

/// A folder of images, each a file of its own. Any number of processes may use it at once.
///
/// What is in it will be run, so it has to be a folder that belongs to this user and that nobody else may write to, and an entry has to be a
/// regular file of the same kind. Anything else is as if it were not there, and is not written to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    folder: Option<PathBuf>,
}

/// What an entry starts with; then come the lengths of both parts of the key and of the image, the hash of all three, and the three.
const MAGIC: &[u8; 16] = b"warpwave image 2";
const HEAD: usize = MAGIC.len() + 4 * 8;

/// The head of an entry.
fn head(what: &[u8], compiler: &[u8], image: &[u8]) -> Vec<u8> {
    let lengths = [what, compiler, image].map(|part| part.len() as u64);
    let numbers = lengths.into_iter().chain([fnv1a(&[what, compiler, image])]);
    MAGIC.iter().copied().chain(numbers.flat_map(u64::to_le_bytes)).collect()
}

/// An entry that is whole and of this unit and architecture: the compiler, and where the image starts.
fn parse<'a>(entry: &'a [u8], what: &[u8]) -> Option<(&'a [u8], usize)> {
    let (start, rest) = entry.split_at_checked(HEAD)?;
    let length = start.get(MAGIC.len() + 8..MAGIC.len() + 16)?.try_into().ok()?;
    let length = usize::try_from(u64::from_le_bytes(length)).ok()?;
    let (has, rest) = rest.split_at_checked(what.len())?;
    let (compiler, image) = rest.split_at_checked(length)?;
    let whole = has == what && start == head(what, compiler, image);
    whole.then_some((compiler, HEAD + what.len() + length))
}

impl Cache {
    /// The folder that `WARPWAVE_CACHE_DIR` names (`off`: none), else `warpwave` in `XDG_CACHE_HOME`, else in `~/.cache`; on Windows in
    /// `LOCALAPPDATA`. None of those: nothing is kept.
    pub fn open() -> Self {
        let of = |variable: &str| env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
        let folder = match of("WARPWAVE_CACHE_DIR") {
            Some(folder) if folder.as_os_str() == "off" => None,
            Some(folder) => Some(folder),
            None => of("XDG_CACHE_HOME")
                .filter(|folder| folder.is_absolute())
                .or_else(|| of("LOCALAPPDATA").filter(|_| cfg!(windows)))
                .or_else(|| of("HOME").map(|home| home.join(".cache")))
                .map(|folder| folder.join("warpwave")),
        };
        Cache { folder }
    }

    /// This folder, which is made when the first image is put there.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Cache { folder: Some(folder.into()) }
    }

    /// The folder, if images are kept.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The image of a key. An entry that cannot be read, is not whole, or that somebody else may have written, is none.
    pub fn get(&self, key: &Key) -> Option<Vec<u8>> {
        let mut entry = read_own(self.folder.as_ref()?, OsStr::new(&key.file()))?;
        let (compiler, start) = parse(&entry, key.what.as_bytes())?;
        (compiler == key.compiler.as_bytes()).then_some(())?;
        Some(entry.split_off(start))
    }

    /// The image that any compiler has made of a unit for an architecture: for when there is no compiler.
    pub fn get_of_any_compiler(&self, unit: &str, arch: &str) -> Option<Vec<u8>> {
        let key = Key::new(unit, arch, "");
        let (folder, prefix) = (self.folder.as_ref()?, key.prefix());
        let mut names: Vec<_> = fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.file_name())).collect();
        // The same one whatever order the system lists them in.
        names.sort();
        names.iter().filter(|name| name.to_str().is_some_and(|name| name.starts_with(&prefix))).find_map(|name| {
            let mut entry = read_own(folder, name)?;
            let (_, start) = parse(&entry, key.what.as_bytes())?;
            Some(entry.split_off(start))
        })
    }

    /// Keeps an image. It is there in whole or not at all, also if the process ends meanwhile or another puts the same one there.
    ///
    /// # Errors
    /// [`Error::Io`] if the folder cannot be written to, belongs to another user, or others may write there: nothing is lost but the time
    /// of compiling again.
    pub fn put(&self, key: &Key, image: &[u8]) -> Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        make_private(folder)?;
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        // Processes in two containers may have one number.
        let nanos = std::time::UNIX_EPOCH.elapsed().map_or(0, |time| time.subsec_nanos());
        let part = folder.join(format!("{}.{}-{number}-{nanos:08x}", key.file(), std::process::id()));
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&part).map_err(Error::io(&part))?;
        let mut write = || {
            let (what, compiler) = (key.what.as_bytes(), key.compiler.as_bytes());
            for part in [&head(what, compiler, image)[..], what, compiler, image] {
                file.write_all(part)?;
            }
            file.sync_all()?;
            fs::rename(&part, folder.join(key.file()))
        };
        write().map_err(|source| {
            let _ = fs::remove_file(&part);
            Error::io(folder)(source)
        })
    }

    /// The image of a key, else what `compile` makes, which is kept. That it cannot be kept is no failure.
    ///
    /// # Errors
    /// Those of `compile`.
    pub fn get_or<E>(
        &self,
        key: &Key,
        compile: impl FnOnce() -> std::result::Result<Vec<u8>, E>,
    ) -> std::result::Result<Vec<u8>, E> {
        if let Some(image) = self.get(key) {
            return Ok(image);
        }
        let image = compile()?;
        let _ = self.put(key, &image);
        Ok(image)
    }
}

/// A file of a folder, if nobody else can have written either.
fn read_own(folder: &Path, name: &OsStr) -> Option<Vec<u8>> {
    // The folder may be reached through a link; what is in it may be none.
    let of_folder = fs::metadata(folder).ok().filter(fs::Metadata::is_dir)?;
    let path = folder.join(name);
    let is_file = fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file());
    if foreign(&of_folder).is_some() || !is_file {
        return None;
    }
    // What is read is what was looked at, whatever has become of the name meanwhile.
    let mut file = fs::File::open(path).ok()?;
    let of_file = file.metadata().ok().filter(fs::Metadata::is_file)?;
    if foreign(&of_file).is_some() {
        return None;
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Makes a folder, and those above it, if they are not there. The last one is for this user alone; one that is there already must be no
/// other user's, and nobody else's to write to.
fn make_private(folder: &Path) -> Result<()> {
    if !folder.is_dir() {
        if let Some(above) = folder.parent() {
            fs::create_dir_all(above).map_err(Error::io(above))?;
        }
        match private_folder(folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(Error::io(folder)(error)),
            _ => {}
        }
    }
    // Looked at again: somebody else may have made it meanwhile.
    let found = fs::metadata(folder).map_err(Error::io(folder))?;
    match foreign(&found) {
        Some(why) => Err(Error::io(folder)(io::Error::new(io::ErrorKind::PermissionDenied, why))),
        None => Ok(()),
    }
}

/// Why a file or folder may hold what somebody else has written, if it may.
#[cfg(unix)]
fn foreign(of: &fs::Metadata) -> Option<&'static str> {
    use std::os::unix::fs::MetadataExt;
    // SAFETY: POSIX has it so: it takes nothing, touches no memory and cannot fail; users are numbers of 32 bits on every Unix that Rust
    // compiles for.
    unsafe extern "C" {
        safe fn geteuid() -> u32;
    }
    if of.uid() != geteuid() {
        Some("belongs to another user")
    } else if of.mode() & 0o022 != 0 {
        Some("other users may write to it")
    } else {
        None
    }
}

/// Elsewhere the folders of a user are that user's by themselves.
#[cfg(not(unix))]
fn foreign(_: &fs::Metadata) -> Option<&'static str> {
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use crate::process::Scratch;

    fn key(text: &str) -> Key {
        Key::new(text, "sm_90", "nvcc 13")
    }

    #[test]
    fn a_key_depends_on_every_part() {
        let keys = [
            key("a"),
            key("b"),
            Key::new("a", "sm_80", "nvcc 13"),
            Key::new("a", "sm_90", "nvcc 12"),
            Key::new("a", "sm_90n", "vcc 13"),
            Key::new("sm_90", "a", "nvcc 13"),
        ];
        for (i, a) in keys.iter().enumerate() {
            assert!(keys[i + 1..].iter().all(|b| a != b), "{i}");
        }
        assert_eq!(key("a"), key("a"));
    }

    #[test]
    fn what_was_put_is_got() {
        let scratch = Scratch::new().unwrap();
        let cache = Cache::in_folder(scratch.path("deep/er"));
        assert_eq!(cache.get(&key("a")), None);
        for image in [&b""[..], b"image", &[7; 100_000]] {
            cache.put(&key("a"), image).unwrap();
            assert_eq!(cache.get(&key("a")).as_deref(), Some(image));
        }
        assert_eq!(cache.get(&key("b")), None);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(scratch.path("deep/er")), 0o700);
            assert_eq!(mode(scratch.path("deep/er").join(key("a").file())), 0o600);
        }
        let files = fs::read_dir(scratch.path("deep/er")).unwrap().count();
        assert_eq!(files, 1);
    }

    /// Cut short, changed in any byte, or no entry at all: compiled again, and whole afterwards.
    #[test]
    fn a_damaged_entry_is_made_again() {
        let scratch = Scratch::new().unwrap();
        let cache = Cache::in_folder(scratch.path("cache"));
        cache.put(&key("a"), b"image").unwrap();
        let file = scratch.path("cache").join(key("a").file());
        let whole = fs::read(&file).unwrap();
        let mut damaged: Vec<Vec<u8>> = (0..whole.len()).map(|len| whole[..len].to_vec()).collect();
        damaged.extend((0..whole.len()).map(|at| {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            changed
        }));
        damaged.push([&whole[..], b"x"].concat());
        // Other keys that have the same file.
        for (what, compiler) in [(&*key("b").what, "nvcc 13"), (&*key("a").what, "nvcc 12")] {
            let (what, compiler) = (what.as_bytes(), compiler.as_bytes());
            damaged.push([&head(what, compiler, b"other")[..], what, compiler, b"other"].concat());
        }
        for bytes in damaged {
            fs::write(&file, &bytes).unwrap();
            assert_eq!(cache.get(&key("a")), None);
            assert_eq!(cache.get_or(&key("a"), || Ok::<_, ()>(b"image".to_vec())), Ok(b"image".to_vec()));
            assert_eq!(fs::read(&file).unwrap(), whole);
        }
        assert_eq!(cache.get_or(&key("a"), || Err(())), Ok(b"image".to_vec()));
        assert_eq!(cache.get_or(&key("b"), || Err(())), Err(()));
    }

    /// Without a compiler what another one has made will do, but only of the same unit for the same architecture, and only if it is whole.
    #[test]
    fn of_any_compiler() {
        let scratch = Scratch::new().unwrap();
        let cache = Cache::in_folder(scratch.path("cache"));
        assert_eq!(cache.get_of_any_compiler("a", "sm_90"), None);
        cache.put(&Key::new("a", "sm_90", "nvcc 12"), b"image").unwrap();
        assert_eq!(cache.get_of_any_compiler("a", "sm_90").as_deref(), Some(&b"image"[..]));
        assert_eq!((cache.get_of_any_compiler("b", "sm_90"), cache.get_of_any_compiler("a", "sm_80")), (None, None));
        let file = scratch.path("cache").join(Key::new("a", "sm_90", "nvcc 12").file());
        let mut bytes = fs::read(&file).unwrap();
        bytes.pop();
        fs::write(&file, bytes).unwrap();
        assert_eq!(cache.get_of_any_compiler("a", "sm_90"), None);
        cache.put(&key("a"), b"newer").unwrap();
        assert_eq!(cache.get_of_any_compiler("a", "sm_90").as_deref(), Some(&b"newer"[..]));
    }

    #[test]
    fn many_at_once() {
        let scratch = Scratch::new().unwrap();
        let cache = Cache::in_folder(scratch.path("cache"));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for round in 0..50 {
                        let text = (round % 5).to_string();
                        let image = text.repeat(1000).into_bytes();
                        assert_eq!(cache.get_or(&key(&text), || Ok::<_, ()>(image.clone())), Ok(image));
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(scratch.path("cache")).unwrap().count(), 5);
    }

    /// A folder or an entry that others can write to, a link, and what is no file: none is read, and no folder of that kind is written to.
    #[cfg(unix)]
    #[test]
    fn what_others_can_write_is_not_used() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let scratch = Scratch::new().unwrap();
        let (folder, file) = (scratch.path("cache"), scratch.path("cache").join(key("a").file()));
        let cache = Cache::in_folder(&folder);
        cache.put(&key("a"), b"image").unwrap();
        let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        for (path, good) in [(&folder, 0o700), (&file, 0o600)] {
            for bad in [good | 0o020, good | 0o002] {
                mode(path, bad);
                assert_eq!(cache.get(&key("a")), None, "{bad:o}");
                mode(path, good);
                assert_eq!(cache.get(&key("a")).as_deref(), Some(&b"image"[..]));
            }
        }
        mode(&folder, 0o777);
        let error = cache.put(&key("b"), b"x").unwrap_err().to_string();
        assert!(error.contains("other users may write to it"), "{error}");
        // It is compiled all the same.
        assert_eq!(cache.get_or(&key("b"), || Ok::<_, ()>(vec![1])), Ok(vec![1]));
        mode(&folder, 0o700);
        assert_eq!(cache.get(&key("b")), None);
        // An entry that is a link to a whole one, then one that is a folder, then one that is a pipe, which reading would wait for.
        fs::rename(&file, scratch.path("moved")).unwrap();
        symlink(scratch.path("moved"), &file).unwrap();
        assert_eq!(cache.get(&key("a")), None);
        assert_eq!(cache.get_or(&key("a"), || Ok::<_, ()>(b"again".to_vec())), Ok(b"again".to_vec()));
        // The link was replaced, and not what it led to.
        assert!(fs::symlink_metadata(&file).unwrap().is_file());
        assert_eq!(cache.get(&key("a")).as_deref(), Some(&b"again"[..]));
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        assert_eq!(cache.get_or(&key("a"), || Ok::<_, ()>(vec![2])), Ok(vec![2]));
        fs::remove_dir(&file).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success());
        mode(&file, 0o600);
        assert_eq!(cache.get_or(&key("a"), || Ok::<_, ()>(vec![3])), Ok(vec![3]));
        assert_eq!(cache.get(&key("a")), Some(vec![3]));
    }

    /// Nobody but root can make a file another user's.
    #[cfg(unix)]
    #[test]
    fn what_belongs_to_another_user_is_not_used() {
        let found = fs::metadata("/proc/1/root").or_else(|_| fs::metadata("/")).unwrap();
        let scratch = Scratch::new().unwrap();
        fs::write(scratch.path("x"), "").unwrap();
        let own = fs::metadata(scratch.path("x")).unwrap();
        use std::os::unix::fs::MetadataExt;
        assert_eq!(foreign(&own), None);
        if own.uid() != 0 {
            assert_eq!(foreign(&found), Some("belongs to another user"));
            return;
        }
        std::os::unix::fs::chown(scratch.path("x"), Some(65_534), None).unwrap();
        let theirs = fs::metadata(scratch.path("x")).unwrap();
        assert_eq!(foreign(&theirs), Some("belongs to another user"));
        // A folder of another user's, whole entry and all.
        let cache = Cache::in_folder(scratch.path("cache"));
        cache.put(&key("a"), b"image").unwrap();
        std::os::unix::fs::chown(scratch.path("cache"), Some(65_534), None).unwrap();
        assert_eq!(cache.get(&key("a")), None);
        assert!(cache.put(&key("a"), b"image").unwrap_err().to_string().contains("another user"));
    }

    /// A folder that cannot be made is an error of `put`, and none of `get_or`.
    #[test]
    fn a_folder_that_cannot_be_had() {
        let scratch = Scratch::new().unwrap();
        fs::write(scratch.path("file"), "").unwrap();
        let cache = Cache::in_folder(scratch.path("file/cache"));
        assert!(matches!(cache.put(&key("a"), b"x"), Err(Error::Io { .. })));
        assert_eq!(cache.get_or(&key("a"), || Ok::<_, ()>(vec![1])), Ok(vec![1]));
        assert_eq!((Cache { folder: None }).put(&key("a"), b"x").ok(), Some(()));
    }
}
