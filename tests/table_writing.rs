//! What the writer promises: the same bytes for any number of threads, whole files or none.

mod table_support;

use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use sowbase::table::{Cell, Codec, Model, Packed, Packer, TableError, Writer};
use table_support::{Layer, codecs, options, write};

fn files_with_threads<C: Cell + std::fmt::Debug>(layer: &Layer<C>, threads: usize) -> Vec<Vec<u8>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| codecs(layer).into_iter().map(|codec| write(layer, codec, None)).collect())
}

#[test]
fn threads_do_not_change_the_bytes() {
    let bytes = Layer::<i8>::synthetic(300_000);
    let words = Layer::<i16>::synthetic(40_000);
    for threads in [2, 3] {
        assert!(files_with_threads(&bytes, threads) == files_with_threads(&bytes, 1));
        assert!(files_with_threads(&words, threads) == files_with_threads(&words, 1));
    }
}

#[test]
fn chunks_do_not_change_the_bytes() {
    let layer = Layer::<i8>::synthetic(50_000);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("layer");
    for codec in codecs(&layer) {
        let options = options(&layer, codec.clone());
        let mut writer = Writer::create(&path, layer.meta(), layer.shape(), options).unwrap();
        writer.append(&layer.values, layer.floors.as_deref()).unwrap();
        writer.finish().unwrap();
        assert!(std::fs::read(&path).unwrap() == write(&layer, codec, None));
    }
}

/// Blocks packed apart: given to the writer with their bytes, or written where it left room for them.
#[test]
fn packed_blocks_make_the_same_bytes() {
    let layer = Layer::<i8>::synthetic(50_000);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("layer");
    for codec in codecs(&layer) {
        let options = options(&layer, codec.clone());
        let packer = Packer::new(&layer.shape(), options.clone());
        let parts: Vec<Packed> = (0..packer.blocks())
            .step_by(7)
            .map(|first| {
                let ranks = packer.start(first) as usize..packer.start((first + 7).min(packer.blocks())) as usize;
                let floors = layer.floors.as_ref().map(|floors| &floors[ranks.clone()]);
                packer.pack(first, &layer.values[ranks.clone()], floors).unwrap()
            })
            .collect();
        for every in [1, 2, usize::MAX] {
            let mut writer = Writer::<i8>::create(&path, layer.meta(), layer.shape(), options.clone()).unwrap();
            // Some floors are above their values, which only the packer saw.
            writer.leave_out();
            for (i, part) in parts.iter().enumerate() {
                if i % every == 0 {
                    let at = writer.reserve(part.first, &part.entries).unwrap();
                    let mut file = std::fs::File::options().write(true).open(writer.partial()).unwrap();
                    file.seek(SeekFrom::Start(at)).unwrap();
                    file.write_all(&part.bytes).unwrap();
                } else {
                    writer.append_packed(part).unwrap();
                }
            }
            writer.finish().unwrap();
            assert!(std::fs::read(&path).unwrap() == write(&layer, codec.clone(), None));
        }
    }
}

#[test]
fn packed_blocks_that_do_not_fit_are_refused() {
    let layer = Layer::<i8>::synthetic(5000);
    let folder = tempfile::tempdir().unwrap();
    let options = options(&layer, Codec::Zstd(3));
    let packer = Packer::new(&layer.shape(), options.clone());
    let packed = packer.pack(0, &layer.values, layer.floors.as_deref()).unwrap();
    assert!(packer.pack(0, &layer.values, layer.floors.as_ref().map(|floors| &floors[1..])).is_err());
    let mut writer = Writer::<i8>::create(&folder.path().join("layer"), layer.meta(), layer.shape(), options).unwrap();
    let later = Packed { first: 1, ..packed.clone() };
    let short = Packed { bytes: packed.bytes[1..].to_vec(), ..packed.clone() };
    for wrong in [&later, &short] {
        let error = writer.append_packed(wrong).unwrap_err();
        assert!(matches!(error, TableError::Malformed { .. }), "{error}");
    }
    assert!(writer.reserve(1, &packed.entries).is_err());
    writer.append_packed(&packed).unwrap();
    assert!(writer.append_packed(&packed).is_err());
    drop(writer);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn wrong_amounts_are_refused() {
    let layer = Layer::<i8>::synthetic(100);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("layer");
    let options = options(&layer, Codec::Zstd(3));
    let mut writer = Writer::<i8>::create(&path, layer.meta(), layer.shape(), options).unwrap();
    let error = writer.append(&[0; 101], None).unwrap_err();
    assert!(matches!(error, TableError::Count { found: 101, expected: 100, .. }), "{error}");
    let error = writer.append(&[0; 10], Some(&[0; 9])).unwrap_err();
    assert!(matches!(error, TableError::Lengths { found: 9, expected: 10, .. }), "{error}");
    assert_eq!(writer.appended(), 0);
    drop(writer);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn an_older_table_stays_until_the_new_one_is_whole() {
    let layer = Layer::<i8>::synthetic(1000);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("layer");
    std::fs::write(&path, "older").unwrap();
    let options = options(&layer, Codec::Zstd(3));
    let mut writer = Writer::create(&path, layer.meta(), layer.shape(), options).unwrap();
    writer.append(&layer.values, layer.floors.as_deref()).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"older");
    writer.finish().unwrap();
    assert_ne!(std::fs::read(&path).unwrap(), b"older");
}

#[test]
fn a_missing_folder_is_an_error_with_its_name() {
    let layer = Layer::<i8>::synthetic(1);
    let path = Path::new("/nonexistent/folder/layer");
    let options = options(&layer, Codec::Zstd(3));
    let Err(error) = Writer::<i8>::create(path, layer.meta(), layer.shape(), options) else {
        panic!("created {}", path.display());
    };
    assert!(error.to_string().contains("/nonexistent/folder/layer"), "{error}");
}

#[test]
fn a_model_of_a_sample_fits_the_rest() {
    let layer = Layer::<i8>::synthetic(400_000);
    let half = layer.values.len() / 2;
    let floors = layer.floors.as_ref().map(|floors| &floors[..half]);
    let sampled = Codec::Context(Model::fit(&layer.values[..half], floors));
    let sampled = write(&layer, sampled, None).len();
    let fitted = write(&layer, codecs(&layer).remove(1), None).len();
    assert!(sampled < fitted * 5 / 4, "{sampled} and {fitted} bytes");
}

/// The variable that tells [`writes_until_the_disk_is_full`] where to write.
const FOLDER: &str = "SOWBASE_TEST_FOLDER";

#[test]
#[cfg(unix)]
fn a_full_disk_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    // A limit on the length of files makes writes fail as a full disk does.
    let output = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 64; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "writes_until_the_disk_is_full", "--ignored", "--nocapture"])
        .env(FOLDER, folder.path())
        // Not the output of this process, which may be a file that is longer than the limit already.
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
#[ignore = "run by a_full_disk_leaves_no_file, under a limit"]
fn writes_until_the_disk_is_full() {
    let folder = PathBuf::from(std::env::var_os(FOLDER).unwrap());
    let layer = Layer::<i8>::synthetic(2_500_000);
    let options = options(&layer, Codec::Zstd(1));
    let path = folder.join("layer");
    let mut writer = Writer::create(&path, layer.meta(), layer.shape(), options).unwrap();
    let error = writer.append(&layer.values, None).unwrap_err();
    assert!(matches!(error, TableError::Io { .. }), "{error}");
    let error = writer.append(&layer.values[..1], None).unwrap_err();
    assert!(matches!(error, TableError::Broken { .. }), "{error}");
    assert!(matches!(writer.finish(), Err(TableError::Broken { .. })));
}
