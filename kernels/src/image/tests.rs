//! The road to an image, with compilers that count.

use super::*;
use std::cell::Cell;
use warpwave_core::KernelImage;

/// A compiler that is there or not, and whose images are its name and the text.
struct Counting {
    identity: Option<&'static str>,
    calls: Cell<usize>,
}

impl Counting {
    fn new(identity: Option<&'static str>) -> Self {
        Counting { identity, calls: Cell::new(0) }
    }
}

impl Compiler for Counting {
    fn arch(&self) -> String {
        "sm_86".to_owned()
    }

    fn identity(&self) -> Result<String> {
        self.identity.map(str::to_owned).ok_or_else(|| {
            let (library, tried, remedy) = ("libnvrtc".into(), vec!["libnvrtc.so.13".into()], "install it".into());
            ErrorKind::Unavailable { library, tried, remedy }.into()
        })
    }

    fn compile(&self, source: KernelSource<'_>) -> Result<Vec<u8>> {
        self.calls.set(self.calls.get() + 1);
        if source.text.contains("wrong") {
            return Err(ErrorKind::Compile { log: "line 1".into() }.into());
        }
        Ok(format!("{} {}", self.identity.unwrap_or_default(), source.text).into_bytes())
    }
}

struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> (Self, Cache) {
        let folder = std::env::temp_dir().join(format!("warpwave-image-{name}-{}", std::process::id()));
        let cache = Cache::in_folder(&folder);
        (Folder(folder), cache)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn an_embedded_image_comes_first() {
    let (_folder, cache) = Folder::new("embedded");
    let image = |arch, bytes| KernelImage { arch, bytes };
    let (compiler, images) = (Counting::new(Some("a")), [image("sm_90", b"\x7fELF90"), image("sm_80", b"\x7fELF80")]);
    let source = KernelSource::new("x.hip", "text").with_images(&images);
    // A cubin for 8.0 runs on 8.6.
    assert_eq!(*super::image(source, &[&compiler], &cache).unwrap(), *b"\x7fELF80");
    assert_eq!(compiler.calls.get(), 0);
    let source = KernelSource { images: &images[..1], ..source };
    assert_eq!(*super::image(source, &[&compiler], &cache).unwrap(), *b"a text");
    assert_eq!(compiler.calls.get(), 1);
}

#[test]
fn compiled_once_by_each_compiler() {
    let (_folder, cache) = Folder::new("once");
    let [a, b, absent] = [Some("a"), Some("b"), None].map(Counting::new);
    let source = KernelSource::new("x.hip", "text");
    for _ in 0..2 {
        assert_eq!(*image(source, &[&absent, &a, &b], &cache).unwrap(), *b"a text");
        assert_eq!(*image(source, &[&b, &a], &cache).unwrap(), *b"b text");
    }
    assert_eq!((a.calls.get(), b.calls.get(), absent.calls.get()), (1, 1, 0));
    let other = KernelSource::new("x.hip", "other");
    assert_eq!(*image(other, &[&a], &cache).unwrap(), *b"a other");
    assert_eq!(a.calls.get(), 2);
}

#[test]
fn without_a_compiler() {
    let (_folder, cache) = Folder::new("absent");
    let [a, absent] = [Some("a"), None].map(Counting::new);
    let images = [KernelImage { arch: "sm_90", bytes: b"\x7fELF90" }];
    let source = KernelSource::new("x.hip", "text").with_images(&images);
    let error = image(source, &[&absent], &cache).unwrap_err();
    let ErrorKind::NoImage { kernel, arch, have, remedy } = error.kind() else { panic!("{error}") };
    assert_eq!((&**kernel, &**arch, &have[..]), ("x.hip", "sm_86", &["sm_90".to_owned()][..]));
    for part in ["libnvrtc.so.13", "install it", "WARPWAVE_BUILD_ARCHS=sm_86"] {
        assert!(remedy.contains(part), "{remedy}");
    }
    // What another run has left will do.
    image(source, &[&a], &cache).unwrap();
    assert_eq!(*image(source, &[&absent], &cache).unwrap(), *b"a text");
}

/// A compiler that fails is not replaced by the next, and leaves nothing behind.
#[test]
fn a_text_that_is_wrong() {
    let (_folder, cache) = Folder::new("wrong");
    let [a, b] = [Some("a"), Some("b")].map(Counting::new);
    let source = KernelSource::new("x.hip", "wrong");
    for _ in 0..2 {
        let error = image(source, &[&a, &b], &cache).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Compile { log } if log == "line 1"), "{error}");
    }
    assert_eq!((a.calls.get(), b.calls.get()), (2, 0));
}
