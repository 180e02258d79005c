//! Recurring tasks, each run by one node at a time.

/// A recurring task. The first node to notice that it is due runs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScheduledTask {
    /// Queue the sweep of the object store.
    SweepObjects,
    /// Queue the removal of expired rows.
    ForgetExpired,
    /// Give up webhook deliveries that were retried for too long.
    TidyWebhooks,
    /// Add the usage that nodes without a catalog counted.
    ImportUsage,
    /// Update the list of signing keys for nodes without a catalog.
    RenewKeyList,
    /// Merge the counts of records.
    MergeRecordCounts,
}

impl ScheduledTask {
    /// Every task.
    pub const ALL: [Self; 6] = [
        Self::SweepObjects,
        Self::ForgetExpired,
        Self::TidyWebhooks,
        Self::ImportUsage,
        Self::RenewKeyList,
        Self::MergeRecordCounts,
    ];

    /// The task as text, as in SQL and logs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SweepObjects => "sweep_objects",
            Self::ForgetExpired => "forget_expired",
            Self::TidyWebhooks => "tidy_webhooks",
            Self::ImportUsage => "import_usage",
            Self::RenewKeyList => "renew_key_list",
            Self::MergeRecordCounts => "merge_record_counts",
        }
    }

    /// Seconds until the first run. Tasks that read everything wait until startup is over.
    pub const fn first_after_seconds(self) -> i64 {
        match self {
            Self::SweepObjects | Self::ForgetExpired => self.period_seconds() / 12,
            Self::TidyWebhooks | Self::ImportUsage | Self::RenewKeyList | Self::MergeRecordCounts => 0,
        }
    }

    /// Seconds from one run to the next.
    pub const fn period_seconds(self) -> i64 {
        match self {
            Self::SweepObjects => 6 * 3600,
            Self::ForgetExpired | Self::TidyWebhooks => 3600,
            Self::ImportUsage | Self::MergeRecordCounts => 10,
            Self::RenewKeyList => 60,
        }
    }
}
