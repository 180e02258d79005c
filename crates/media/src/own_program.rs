//! The program that runs, which is started again for some work, and how programs are named in messages.

use std::path::Path;

/// The program that runs, also if its file was replaced since, as by an upgrade.
pub(crate) const OWN_PROGRAM: &str = "/proc/self/exe";
/// How a program is called towards people.
pub(crate) fn name_of(program: &Path) -> String {
    if program == Path::new(OWN_PROGRAM) {
        return "Tonearm's own program, which is started again to read pictures,".to_owned();
    }
    program.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
