//! The host's C++ compiler: where it is.

use crate::error::{Error, Result};
use crate::process::run;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The variable that names the host's compiler.
pub const CXX_VARIABLE: &str = "WARPWAVE_CXX";
/// The names by which it is looked for if no variable is set.
const NAMES: [&str; 3] = ["c++", "g++", "clang++"];

/// A C++ compiler of the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostCompiler {
    program: PathBuf,
    /// Arguments that come first.
    arguments: Vec<String>,
    is_clang: bool,
    /// The first line that it says of itself.
    version: String,
}

impl HostCompiler {
    /// The compiler that `WARPWAVE_CXX` names, else that of `CXX`, else the first of `c++`, `g++` and `clang++` in `PATH`. A variable may
    /// have arguments behind the program, with spaces between them; if it is set, nothing else is looked at. Without `PATH` there is no
    /// folder to look in.
    ///
    /// # Errors
    /// [`Error::NoHostCompiler`] with what was tried.
    pub fn find() -> Result<Self> {
        Self::find_with(|name| env::var_os(name))
    }

    /// As [`find`](Self::find), with another environment.
    ///
    /// # Errors
    /// As for [`find`](Self::find).
    pub fn find_with(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self> {
        let path = variable("PATH").unwrap_or_default();
        let is_blank = |value: &OsStr| value.to_str().is_some_and(|value| value.trim().is_empty());
        let named = [CXX_VARIABLE, "CXX"]
            .into_iter()
            .find_map(|name| Some((name, variable(name).filter(|value| !is_blank(value))?)));
        let mut tried = Vec::new();
        let commands = match named {
            // A compiler that was asked for is not replaced by another.
            Some((name, value)) => match value.to_str() {
                Some(command) => vec![(format!("{name}={command}"), command.to_owned())],
                None => {
                    tried.push(format!("{name}={}: not UTF-8", value.display()));
                    Vec::new()
                }
            },
            None => NAMES.map(|name| (name.to_owned(), name.to_owned())).to_vec(),
        };
        for (what, command) in commands {
            let mut words = command.split_whitespace().map(str::to_owned);
            let (program, arguments) = match words.next() {
                // A file whose name has spaces.
                _ if Path::new(&command).is_file() => (command.clone(), Vec::new()),
                Some(program) => (program, words.collect::<Vec<String>>()),
                None => continue,
            };
            let places = places(&program, &path);
            if places.is_empty() {
                tried.push(format!("{what}: {}", if path.is_empty() { "PATH is not set" } else { "not in PATH" }));
            }
            for place in places {
                match Self::ask(place, arguments.clone()) {
                    Ok(compiler) => return Ok(compiler),
                    Err(found) => tried.push(format!("{what}: {found}")),
                }
            }
        }
        let remedy = format!("install g++ or clang++, or name one in {CXX_VARIABLE}");
        Err(Error::NoHostCompiler { tried, remedy })
    }

    fn ask(program: PathBuf, arguments: Vec<String>) -> std::result::Result<Self, String> {
        let output = match run(&program, |command| command.args(&arguments).arg("--version")) {
            Ok(output) => output,
            Err(Error::Io { source, .. }) => return Err(source.to_string()),
            Err(error) => return Err(error.to_string()),
        };
        if !output.status.success() {
            return Err(format!("`--version` ended with {}", output.status));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let version = text.lines().next().unwrap_or_default().to_owned();
        Ok(HostCompiler { program, arguments, is_clang: text.contains("clang"), version })
    }

    /// A call of it, with the arguments that come first, and messages in English.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).env("LC_ALL", "C");
        command
    }

    /// Its file.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Whether it is clang; else it understands g++'s options.
    pub fn is_clang(&self) -> bool {
        self.is_clang
    }

    /// The first line that it says of itself.
    pub fn version(&self) -> &str {
        &self.version
    }
}

impl fmt::Display for HostCompiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.program.display())?;
        self.arguments.iter().try_for_each(|argument| write!(f, " {argument}"))
    }
}

/// Where a program may be: where it says, or in the folders of `PATH`. The system itself would look in folders of its own if that is not
/// set.
fn places(program: &str, path: &OsStr) -> Vec<PathBuf> {
    if program.contains('/') {
        return vec![PathBuf::from(program)];
    }
    let folders = env::split_paths(path).filter(|folder| !folder.as_os_str().is_empty());
    folders.map(|folder| folder.join(program)).filter(|file| file.is_file()).collect()
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use crate::process::Scratch;
    use std::fs;
    use std::os::unix::ffi::OsStringExt;
    use std::os::unix::fs::PermissionsExt;

    /// A program that says `version` of itself.
    fn program(scratch: &Scratch, name: &str, version: &str, status: i32) -> String {
        let path = scratch.path(name);
        fs::write(&path, format!("#!/bin/sh\necho \"{version} $*\"\nexit {status}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.display().to_string()
    }

    fn find(set: &[(&str, &str)]) -> Result<HostCompiler> {
        HostCompiler::find_with(|name| set.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into()))
    }

    fn tried(set: &[(&str, &str)]) -> Vec<String> {
        match find(set) {
            Err(Error::NoHostCompiler { tried, remedy }) => {
                assert!(remedy.contains(CXX_VARIABLE));
                tried
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_named_comes_first_and_is_not_replaced() {
        let scratch = Scratch::new().unwrap();
        let folder = scratch.path("").display().to_string();
        program(&scratch, "g++", "g++ 12", 0);
        let clang = program(&scratch, "mine", "clang 19", 0);
        let failing = program(&scratch, "failing", "x", 3);
        assert_eq!(find(&[("PATH", &folder)]).unwrap().version(), "g++ 12 --version");
        let named = find(&[("PATH", &folder), ("CXX", "g++"), (CXX_VARIABLE, &format!("{clang}  -m64"))]).unwrap();
        assert_eq!((named.version(), named.is_clang()), ("clang 19 -m64 --version", true));
        assert_eq!(named.to_string(), format!("{clang} -m64"));
        assert_eq!(find(&[("PATH", &folder), ("CXX", "mine"), (CXX_VARIABLE, " ")]).unwrap().to_string(), clang);
        for (name, value, why) in [
            (CXX_VARIABLE, "/nowhere/g++ -m64", "WARPWAVE_CXX=/nowhere/g++ -m64: No such file"),
            ("CXX", "nothing", "CXX=nothing: not in PATH"),
            ("CXX", &*failing, "`--version` ended with exit status: 3"),
        ] {
            let tried = tried(&[("PATH", &folder), (name, value)]);
            assert!(tried.len() == 1 && tried[0].contains(why), "{tried:?}");
        }
    }

    /// The system would look in folders of its own.
    #[test]
    fn without_a_path_there_is_none() {
        for set in [&[][..], &[("PATH", "")]] {
            assert_eq!(tried(set), NAMES.map(|name| format!("{name}: PATH is not set")));
        }
        assert_eq!(tried(&[("CXX", "g++")]), ["CXX=g++: PATH is not set"]);
        assert_eq!(tried(&[("PATH", "/nowhere::")]).len(), 3);
    }

    #[test]
    fn a_name_that_is_no_text_is_an_error() {
        let scratch = Scratch::new().unwrap();
        program(&scratch, "g++", "g++ 12", 0);
        let error = HostCompiler::find_with(|name| match name {
            "PATH" => Some(scratch.path("").into()),
            CXX_VARIABLE => Some(OsString::from_vec(b"g++\xff".to_vec())),
            _ => None,
        });
        let text = error.unwrap_err().to_string();
        assert!(text.contains("WARPWAVE_CXX=") && text.contains("not UTF-8"), "{text}");
    }
}
