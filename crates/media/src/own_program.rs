//! The running program, which is started again for some work, and the names of programs in messages.

use std::path::Path;

/// The running program, even if its file has been replaced since, as by an upgrade.
pub(crate) const OWN_PROGRAM: &str = "/proc/self/exe";
/// The name of a program in messages to people.
pub(crate) fn name_of(program: &Path) -> String {
    if program == Path::new(OWN_PROGRAM) {
        return "Tonearm's own program, which is started again to read pictures,".to_owned();
    }
    program.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
