//! The vendor's libraries, opened by the benchmark itself: a peer is called directly, not through warpwave.

use libloading::Library;
use std::path::{Path, PathBuf};

/// What the driver and the libraries have pointers to that only they can follow.
pub(crate) type Handle = *mut std::ffi::c_void;

/// A list of folders, separated as in `PATH`, where warpwave looks for CUDA's libraries; so the peers do too.
const PATH_VARIABLE: &str = "WARPWAVE_CUDA_LIBRARY_PATH";

/// Where the toolkit puts them.
const TOOLKIT: &str = "/usr/local/cuda/lib64";

/// Declares a table of a library's functions, all of which return a status that is 0 if all went well.
macro_rules! functions {
    ($(#[$doc:meta])* $Table:ident { $( fn $name:ident($($argument:ty),* $(,)?); )* }) => {
        $(#[$doc])*
        #[allow(non_snake_case)]
        struct $Table {
            $( $name: unsafe extern "C" fn($($argument),*) -> std::ffi::c_int, )*
        }

        impl $Table {
            /// Takes the functions out of a library, which then stays open for ever.
            fn of(library: libloading::Library) -> Result<Self, String> {
                let library: &'static libloading::Library = Box::leak(Box::new(library));
                Ok($Table { $(
                    // SAFETY: the types are those of the header that declares the function, in which the status is an `int`.
                    $name: *unsafe { library.get(concat!(stringify!($name), "\0").as_bytes()) }.map_err(|error| error.to_string())?,
                )* })
            }
        }
    };
}
pub(crate) use functions;

/// Opens the first library of these names: in the user's folders, where the loader finds it (which is the one that warpwave has opened, if
/// it has), and in the toolkit's.
pub(crate) fn open(names: &[&str]) -> Result<Library, String> {
    let mut tried = Vec::new();
    for path in places(names) {
        make_builtins_known(&path);
        // SAFETY: what a library does while it is loaded has to be trusted: it is the vendor's, or the user has named its folder.
        match unsafe { Library::new(&path) } {
            Ok(library) => return Ok(library),
            Err(_) => tried.push(path.display().to_string()),
        }
    }
    Err(format!("none of {} can be opened", tried.join(", ")))
}

fn places(names: &[&str]) -> Vec<PathBuf> {
    let list = std::env::var_os(PATH_VARIABLE).unwrap_or_default();
    let folders = std::env::split_paths(&list).filter(|folder| !folder.as_os_str().is_empty());
    // No folder at all is the loader's own search.
    let folders = folders.chain([PathBuf::new(), PathBuf::from(TOOLKIT)]);
    folders.flat_map(|folder| names.iter().map(move |name| folder.join(name))).collect()
}

/// NVRTC looks for its built-in functions by a bare name when it first compiles: it finds them in a folder that is not the loader's only if
/// somebody has opened them before.
fn make_builtins_known(library: &Path) {
    let is_nvrtc = library.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libnvrtc"));
    let Some(folder) = library.parent().filter(|folder| is_nvrtc && !folder.as_os_str().is_empty()) else { return };
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    for path in files.filter(|path| is_builtins(path)) {
        #[cfg(unix)]
        {
            use libloading::os::unix;
            // SAFETY: as in `open`.
            if let Ok(builtins) = unsafe { unix::Library::open(Some(&path), unix::RTLD_NOW | unix::RTLD_GLOBAL) } {
                // It is to stay.
                std::mem::forget(builtins);
            }
        }
        #[cfg(not(unix))]
        let _ = path;
    }
}

fn is_builtins(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("libnvrtc-builtins.so") && !name.contains("alt")
}
