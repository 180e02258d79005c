//! Checks the database of countries: which one it is, and whether it is intact.

use tonearm_edge::Countries;

use super::report::Finding;
use crate::Config;

/// Returns `None` if no database is configured.
pub(super) fn countries(config: &Config) -> Option<Finding> {
    const NAME: &str = "countries";
    let path = config.country_database.as_ref()?;
    let shown = path.display();
    let again = "download the database again";
    let countries = match Countries::open(path) {
        Ok(countries) => countries,
        Err(error) => {
            let advice = format!("{again}, or remove usage.country_database");
            return Some(Finding::failed(NAME, format!("{shown}: {error}; {advice}")));
        }
    };
    let built_on = countries.built_on().map_or_else(|| "an unknown day".to_owned(), |day| day.to_string());
    let found = format!("{} of {built_on} in {shown}", countries.database_type());
    Some(match countries.verify() {
        Err(error) => Finding::warning(NAME, format!("{found}: {error}; {again}")),
        Ok(()) if !countries.has_countries() => {
            let advice = "set usage.country_database to a database of countries, such as GeoLite2-Country";
            Finding::warning(NAME, format!("{found} does not seem to name countries; {advice}"))
        }
        Ok(()) => Finding::ok(NAME, found),
    })
}
