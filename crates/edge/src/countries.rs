//! Looks up the country of an address in a MaxMind DB file that the operator provides.

use std::net::IpAddr;
use std::path::Path;
use std::{fs, io};

use maxminddb::{MaxMindDbError, Reader};
use tonearm_domain::{CountryCode, Day, Timestamp};

/// The largest file, in bytes. The file is kept in memory. Databases of countries have less than 20 MiB, those of
/// cities less than 150.
const MOST_BYTES: u64 = 200 << 20;

/// The code that some databases use for an unknown country.
const UNKNOWN: &str = "ZZ";

/// Types of databases that name countries contain one of these.
const WITH_COUNTRIES: [&str; 3] = ["Country", "City", "Enterprise"];

/// A database of countries, in memory. A look-up takes about a microsecond.
#[derive(Debug)]
pub struct Countries(Reader<Vec<u8>>);

/// Why a file is not a database of countries.
#[derive(Debug, thiserror::Error)]
pub enum CountriesError {
    /// It does not exist or cannot be read.
    #[error("{0}")]
    Unreadable(#[from] io::Error),
    /// It is a folder, or a device.
    #[error("it is not a regular file")]
    NotAFile,
    /// It would take too much memory.
    #[error("it is larger than {} MiB", MOST_BYTES >> 20)]
    TooLarge,
    /// It is something else, or incomplete.
    #[error("it is not a complete file in the MaxMind DB format ({0})")]
    Invalid(#[from] MaxMindDbError),
}

impl Countries {
    /// Reads a file.
    pub fn open(path: &Path) -> Result<Self, CountriesError> {
        let metadata = fs::metadata(path)?;
        if !metadata.is_file() {
            return Err(CountriesError::NotAFile);
        }
        if metadata.len() > MOST_BYTES {
            return Err(CountriesError::TooLarge);
        }
        Self::of(fs::read(path)?)
    }

    fn of(bytes: Vec<u8>) -> Result<Self, CountriesError> {
        Ok(Self(Reader::from_source(bytes)?))
    }

    /// The country of an address, if the database knows it.
    pub fn country(&self, address: IpAddr) -> Option<CountryCode> {
        let record = self.0.lookup(address.to_canonical()).ok()?;
        let code: Option<&str> = record.decode_path(&maxminddb::path!["country", "iso_code"]).ok()?;
        code.filter(|code| *code != UNKNOWN)?.parse().ok()
    }

    /// The type of the database, such as `GeoLite2-Country`.
    pub fn database_type(&self) -> &str {
        &self.0.metadata().database_type
    }

    /// Whether a database of this type names countries. Other databases can be read, but contain no countries.
    pub fn has_countries(&self) -> bool {
        WITH_COUNTRIES.iter().any(|name| self.database_type().contains(name))
    }

    /// The day on which the database was built.
    pub fn built_on(&self) -> Option<Day> {
        let seconds = i64::try_from(self.0.metadata().build_epoch).ok()?;
        Timestamp::from_unix_seconds(seconds).map(Day::of)
    }

    /// Verifies the whole file, which takes seconds.
    pub fn verify(&self) -> Result<(), CountriesError> {
        Ok(self.0.verify()?)
    }
}

#[cfg(test)]
mod tests {
    use tonearm_fixtures::country_database;

    use super::*;

    fn bytes() -> Vec<u8> {
        country_database(&[
            ("203.0.113.0/24", "DE"),
            ("198.51.100.128/25", "FR"),
            ("192.0.2.0/24", "ZZ"),
            ("2001:db8::/32", "US"),
            ("2001:db9::/32", "usa"),
        ])
    }

    #[test]
    fn addresses_are_in_countries() {
        let countries = Countries::of(bytes()).unwrap();
        for (address, expected) in [
            ("203.0.113.7", Some("DE")),
            ("::ffff:203.0.113.7", Some("DE")),
            ("203.0.114.7", None),
            ("198.51.100.128", Some("FR")),
            ("198.51.100.127", None),
            ("2001:db8:ffff::1", Some("US")),
            ("2001:db9::1", None),
            ("192.0.2.1", None),
            ("127.0.0.1", None),
            ("::1", None),
        ] {
            let found = countries.country(address.parse().unwrap()).map(String::from);
            assert_eq!(found.as_deref(), expected, "{address}");
        }
        assert_eq!(countries.database_type(), "Test-Country");
        assert_eq!(countries.built_on().unwrap().to_string(), "2030-01-02");
        assert!(countries.has_countries());
        countries.verify().unwrap();
    }

    #[test]
    fn what_is_no_whole_database_is_refused() {
        let whole = bytes();
        for end in 0..whole.len() {
            assert!(Countries::of(whole[..end].to_vec()).is_err(), "{end} of {} bytes", whole.len());
        }
        assert!(Countries::of(b"country,network\nDE,203.0.113.0/24\n".repeat(1000)).is_err());
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(Countries::open(folder.path()), Err(CountriesError::NotAFile)));
        let path = folder.path().join("countries.mmdb");
        assert!(matches!(Countries::open(&path), Err(CountriesError::Unreadable(_))));
        fs::File::create(&path).unwrap().set_len(MOST_BYTES + 1).unwrap();
        assert!(matches!(Countries::open(&path), Err(CountriesError::TooLarge)));
        fs::write(&path, whole).unwrap();
        assert!(Countries::open(&path).is_ok());
    }

    #[test]
    fn what_is_damaged_gives_a_wrong_country_or_none() {
        let whole = bytes();
        for at in 0..whole.len() {
            for damage in [0x01, 0x80, 0xFF] {
                let mut bytes = whole.clone();
                bytes[at] ^= damage;
                let Ok(countries) = Countries::of(bytes) else { continue };
                for address in ["203.0.113.7", "2001:db8::1", "198.51.100.1", "::"] {
                    countries.country(address.parse().unwrap());
                }
            }
        }
    }
}
