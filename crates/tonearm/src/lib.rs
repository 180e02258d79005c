//! Audio delivery: takes any audio in, delivers streams, previews, waveforms and covers.
