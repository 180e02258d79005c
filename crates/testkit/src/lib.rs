//! For tests: a whole Tonearm on a free port.
