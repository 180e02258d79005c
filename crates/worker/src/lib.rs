//! Claims jobs, keeps their leases alive, retries and gives up.
