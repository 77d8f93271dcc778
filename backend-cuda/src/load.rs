//! Where CUDA's libraries are, and which of their functions are called.
//!
//! Every library is opened by this module, at its first use, and every function that is ever called is looked up then: one that is missing
//! makes the library [`Unavailable`](ErrorKind::Unavailable), and nothing of it is called. The types of the functions are those of
//! [`cudarc`], held against its declarations by the compiler; its own loader, which panics where something is missing, is not used. What
//! a function returns is taken for the number that it is: a library may be newer than the list of numbers that `cudarc` has.

use libloading::Library;
use std::path::PathBuf;
use warpwave_core::{Error, ErrorKind};

/// A list of folders, separated as in `PATH`. If it is set, CUDA's libraries are looked for there and nowhere else.
pub(crate) const PATH_VARIABLE: &str = "WARPWAVE_CUDA_LIBRARY_PATH";

/// Declares a table of a library's functions, and how it is filled.
///
/// The library is unusable if a `required` function is missing, or an `unlisted` one, which not every version of `cudarc` declares.
macro_rules! functions {
    (
        $(#[$doc:meta])*
        pub(crate) struct $Table:ident of $sys:ident -> $Status:ident;
        required { $( fn $name:ident($($arg:ident: $type:ty),* $(,)?); )* }
        $( unlisted { $( fn $plain:ident($($plain_arg:ident: $plain_type:ty),* $(,)?); )* } )?
    ) => {
        $(#[$doc])*
        #[derive(Debug)]
        #[allow(non_snake_case)]
        pub(crate) struct $Table {
            $( pub(crate) $name: unsafe extern "C" fn($($type),*) -> u32, )*
            $( $( pub(crate) $plain: unsafe extern "C" fn($($plain_type),*) -> u32, )* )?
            /// The file that they are from.
            #[allow(dead_code)] // Not all tables are asked.
            pub(crate) file: String,
        }

        // The same parameters, and a status that is an `int` of C, are what `cudarc` declares.
        $( const _: unsafe fn($($type),*) -> $Status = $sys::$name; )*
        const _: () = assert!(size_of::<$Status>() == size_of::<u32>());

        impl $Table {
            /// Takes the functions out of a library, which then stays open for ever.
            ///
            /// # Errors
            /// The first function that is missing.
            fn of(library: libloading::Library, file: String) -> Result<Self, String> {
                // It stays open on every way out: what a library does when it is closed is nobody's to rely on.
                let library: &'static libloading::Library = Box::leak(Box::new(library));
                Ok($Table {
                    $(
                        // SAFETY: the type is that of the header which declares the function, as `cudarc` has it; the status is an enumeration
                        // there, which is an `int` to C.
                        $name: *unsafe { library.get(concat!(stringify!($name), "\0").as_bytes()) }
                            .map_err(|_| format!("{file} has no {}", stringify!($name)))?,
                    )*
                    $( $(
                        // SAFETY: as above; `cudarc` has it for some versions only.
                        $plain: *unsafe { library.get(concat!(stringify!($plain), "\0").as_bytes()) }
                            .map_err(|_| format!("{file} has no {}", stringify!($plain)))?,
                    )* )?
                    file,
                })
            }
        }
    };
}
pub(crate) use functions;

/// What is looked for: a library by the names that its versions have.
#[derive(Debug)]
pub(crate) struct Wanted<'a> {
    /// What it is called in errors.
    pub(crate) library: &'static str,
    /// Files' names, in the order in which they are tried.
    pub(crate) names: &'a [String],
    /// What helps if it is not there.
    pub(crate) remedy: &'a str,
}

/// Opens a library at the first place where `take` can use it.
///
/// # Errors
/// [`Unavailable`](ErrorKind::Unavailable) with every place and what was wrong there.
pub(crate) fn open<T>(wanted: &Wanted<'_>, take: impl Fn(Library, String) -> Result<T, String>) -> Result<T, Error> {
    let mut tried = Vec::new();
    for path in places(wanted.names) {
        // SAFETY: what a library does while it is loaded has to be trusted: it is the vendor's, or the user has named its folder.
        match unsafe { open_now(&path) } {
            Ok(library) => match take(library, path.display().to_string()) {
                Ok(table) => return Ok(table),
                Err(why) => tried.push(why),
            },
            Err(error) => tried.push(why(&path, &error)),
        }
    }
    let (library, remedy) = (wanted.library.to_owned(), wanted.remedy.to_owned());
    Err(ErrorKind::Unavailable { library, tried, remedy }.into())
}

/// Opens a library, all of whose own references have to be there.
///
/// # Safety
/// The library's constructors may be run.
unsafe fn open_now(path: &std::path::Path) -> Result<Library, libloading::Error> {
    #[cfg(unix)]
    {
        use libloading::os::unix;
        // SAFETY: the caller's.
        unsafe { unix::Library::open(Some(path), unix::RTLD_NOW | unix::RTLD_LOCAL) }.map(Library::from)
    }
    #[cfg(not(unix))]
    {
        // SAFETY: the caller's.
        unsafe { Library::new(path) }
    }
}

/// Opens a library for others to find by its name, if it is there.
pub(crate) fn make_known(path: &std::path::Path) {
    #[cfg(unix)]
    {
        use libloading::os::unix;
        // SAFETY: as in `open`.
        if let Ok(library) = unsafe { unix::Library::open(Some(path), unix::RTLD_NOW | unix::RTLD_GLOBAL) } {
            // It is to stay.
            std::mem::forget(library);
        }
    }
    #[cfg(not(unix))]
    let _ = path;
}

/// One line of what was wrong with a file.
fn why(path: &std::path::Path, error: &libloading::Error) -> String {
    let mut text = error.to_string();
    if let Some(source) = std::error::Error::source(error) {
        text = source.to_string();
    }
    let text = text.lines().next().unwrap_or_default().to_owned();
    let path = path.display().to_string();
    if text.contains(&path) { text } else { format!("{path}: {text}") }
}

/// Every place where one of the names may be, in order: the user's folders alone if there are any; else what the loader finds, the toolkit's
/// folders, and those of Python's wheels.
fn places(names: &[String]) -> Vec<PathBuf> {
    if let Some(list) = std::env::var_os(PATH_VARIABLE) {
        let folders: Vec<PathBuf> =
            std::env::split_paths(&list).filter(|folder| !folder.as_os_str().is_empty()).collect();
        return folders.iter().flat_map(|folder| names.iter().map(|name| folder.join(name))).collect();
    }
    let mut places: Vec<PathBuf> = names.iter().map(PathBuf::from).collect();
    for folder in toolkit_folders().into_iter().chain(wheel_folders()) {
        places.extend(names.iter().map(|name| folder.join(name)).filter(|path| path.exists()));
    }
    places
}

fn toolkit_folders() -> Vec<PathBuf> {
    let named = ["CUDA_PATH", "CUDA_HOME", "CUDA_ROOT"].iter().filter_map(std::env::var_os).map(PathBuf::from);
    let roots = named.chain(["/usr/local/cuda", "/opt/cuda"].map(PathBuf::from));
    let inside = ["lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib", "bin", "bin/x64"];
    roots.flat_map(|root| inside.map(|folder| root.join(folder))).collect()
}

/// Folders of the packages `nvidia-…` in an active Python environment: `nvidia/cu13/lib`, `nvidia/cublas/lib` and so on.
fn wheel_folders() -> Vec<PathBuf> {
    let roots = ["VIRTUAL_ENV", "CONDA_PREFIX"].iter().filter_map(std::env::var_os).map(PathBuf::from);
    let inside = |path: PathBuf| {
        let mut found: Vec<PathBuf> =
            std::fs::read_dir(path).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect();
        found.sort();
        found
    };
    roots
        .flat_map(|root| inside(root.join("lib")))
        .flat_map(|python| inside(python.join("site-packages/nvidia")))
        .map(|package| package.join("lib"))
        .filter(|folder| folder.is_dir())
        .collect()
}
