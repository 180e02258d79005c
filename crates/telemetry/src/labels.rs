//! The values of labels.

/// How a call or an operation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It succeeded.
    Success,
    /// It failed and will be retried.
    Retry,
    /// It failed permanently.
    Failure,
}

impl Outcome {
    pub(crate) const ALL: [Self; 3] = [Self::Success, Self::Retry, Self::Failure];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Retry => "retry",
            Self::Failure => "failure",
        }
    }
}

/// What a budget of bytes is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Budget {
    /// Bodies of requests that are collected in memory.
    Bodies,
    /// Responses in memory that are not read yet.
    Responses,
    /// Pictures that are being received.
    Pictures,
}

impl Budget {
    pub(crate) const ALL: [Self; 3] = [Self::Bodies, Self::Responses, Self::Pictures];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Bodies => "bodies",
            Self::Responses => "responses",
            Self::Pictures => "pictures",
        }
    }
}

/// How a run of a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobOutcome {
    /// The job is done.
    Finished,
    /// Something failed.
    Failed,
    /// It was told to stop, or lost its lease.
    Stopped,
}

impl JobOutcome {
    /// The outcome as text, as in metrics and logs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Failed => "failed",
            Self::Stopped => "stopped",
        }
    }
}

/// What a child process is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Identifying a file.
    Probe,
    /// Measuring levels, loudness and the exact duration.
    Measure,
    /// Encoding an audio file, perhaps while it is measured.
    Encode,
    /// Rendering a video.
    Video,
    /// Reading or encoding pictures and tags.
    Picture,
    /// Preparing audio for transcription.
    Speech,
    /// Testing the tools or the confinement.
    Test,
}

impl Purpose {
    pub(crate) const ALL: [Self; 7] =
        [Self::Probe, Self::Measure, Self::Encode, Self::Video, Self::Picture, Self::Speech, Self::Test];

    /// The purpose as text, as in metrics and logs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Probe => "probe",
            Self::Measure => "measure",
            Self::Encode => "encode",
            Self::Video => "video",
            Self::Picture => "picture",
            Self::Speech => "speech",
            Self::Test => "test",
        }
    }
}

/// An operation of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreOperation {
    /// Storing an object.
    Put,
    /// Copying one within the store.
    Copy,
    /// Opening one, until its first bytes can be read.
    Get,
    /// Requesting its size.
    Head,
    /// Deleting objects.
    Delete,
    /// Opening or removing the bytes of an upload that arrives in pieces.
    Draft,
    /// Checking whether the store works.
    Check,
}

impl StoreOperation {
    pub(crate) const ALL: [Self; 7] =
        [Self::Put, Self::Copy, Self::Get, Self::Head, Self::Delete, Self::Draft, Self::Check];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Put => "put",
            Self::Copy => "copy",
            Self::Get => "get",
            Self::Head => "head",
            Self::Delete => "delete",
            Self::Draft => "draft",
            Self::Check => "check",
        }
    }
}

/// How an operation of a store ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreOutcome {
    /// The store completed it, or refused it for a reason that is not the store's fault.
    Success,
    /// The store failed.
    Failure,
    /// The caller stopped waiting: the operation timed out, or its caller is gone.
    Cancelled,
}

impl StoreOutcome {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Cancelled => "cancelled",
        }
    }
}

/// The protocol of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// HTTP/1.1 without TLS, or no data yet.
    Http1,
    /// HTTP/1.1 over TLS, or a TLS handshake.
    Http1Tls,
    /// HTTP/2 without TLS.
    Http2,
    /// HTTP/2 over TLS.
    Http2Tls,
}

impl Protocol {
    /// Every protocol.
    pub const ALL: [Self; 4] = [Self::Http1, Self::Http1Tls, Self::Http2, Self::Http2Tls];

    /// The values of the labels `protocol` and `tls`.
    pub const fn labels(self) -> (&'static str, &'static str) {
        match self {
            Self::Http1 => ("http1", "no"),
            Self::Http1Tls => ("http1", "yes"),
            Self::Http2 => ("http2", "no"),
            Self::Http2Tls => ("http2", "yes"),
        }
    }
}
