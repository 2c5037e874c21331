//! `export`: the values of a layer for other programs.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use crate::cli::args::{ExportArgs, Format};
use crate::cli::failure::Failure;
use crate::rules::{Layer, Rules, Scoring, Value, notation};
use crate::solve::{Lower, SolvedLayer};

pub(in crate::cli) fn run(args: &ExportArgs) -> Result<ExitCode, Failure> {
    let database = args.folder.open()?;
    let layer = Layer { seeds: args.seeds, closed: args.closed };
    let Some(loaded) = database.load(layer, &mut Lower::default())? else {
        return Err(super::info::nothing_there(&database));
    };
    let rules = database.rules().as_ref();
    if args.output.as_os_str() == "-" {
        write(rules, &loaded, args.format, &mut BufWriter::new(io::stdout().lock()))?;
    } else {
        write_file(rules, &loaded, args.format, &args.output).map_err(|error| {
            Failure::data(format!(
                "{}: cannot write the export: {error}; check the disk's space and permissions",
                args.output.display()
            ))
        })?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes under a temporary name first, so that a failed export leaves no half file. A device or pipe is written as it
/// stands: renaming would put a file in its place.
fn write_file(rules: &dyn Rules, layer: &SolvedLayer, format: Format, path: &Path) -> io::Result<()> {
    if path.metadata().is_ok_and(|found| !found.is_file()) {
        return write(rules, layer, format, &mut BufWriter::new(File::create(path)?));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".export");
    // The default would keep the file from other users.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder)?;
    write(rules, layer, format, &mut BufWriter::new(file.as_file_mut()))?;
    file.as_file().sync_all()?;
    let file: File = file.persist(path).map_err(|error| error.error)?;
    drop(file);
    Ok(())
}

fn write(rules: &dyn Rules, layer: &SolvedLayer, format: Format, out: &mut dyn Write) -> io::Result<()> {
    let scoring = rules.scoring();
    match format {
        Format::Raw => {}
        Format::Csv => {
            out.write_all(if scoring == Scoring::Outcome {
                b"own,other,value,distance\n"
            } else {
                b"own,other,value\n"
            })?;
        }
        Format::Npy => out.write_all(&npy_header(scoring, layer.index.positions()))?,
    }
    let mut result = Ok(());
    layer.index.walk_lexicographic(|board| {
        if result.is_err() {
            return;
        }
        let value = Value(layer.values.get(layer.index.rank(board)));
        result = match (format, scoring) {
            (Format::Csv, _) => {
                let text = notation::write(rules, board);
                let rows: Vec<&str> = text.split(" / ").collect();
                let (own, other) = rows.split_at(rows.len() / 2);
                let distance = match (scoring, value.distance()) {
                    (Scoring::Seeds, _) => String::new(),
                    (Scoring::Outcome, None) => ",".to_owned(),
                    (Scoring::Outcome, Some(distance)) => format!(",{distance}"),
                };
                writeln!(out, "{},{},{}{distance}", own.join(" / "), other.join(" / "), scoring.number(value))
            }
            (_, Scoring::Seeds) => out.write_all(&[value.0 as u8]),
            (_, Scoring::Outcome) => out.write_all(&value.0.to_le_bytes()),
        };
    });
    result?;
    out.flush()
}

/// The header of NumPy's format 1.0: magic, version, length, and a Python dictionary padded to 64 bytes.
fn npy_header(scoring: Scoring, positions: u64) -> Vec<u8> {
    let kind = if scoring == Scoring::Outcome { "<i2" } else { "|i1" };
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({positions},), }}");
    let padding = 64 - (10 + text.len() + 1) % 64;
    text += &" ".repeat(padding % 64);
    text.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((text.len() as u16).to_le_bytes());
    header.extend(text.as_bytes());
    header
}
