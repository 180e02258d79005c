//! Reads the values of variables.

use std::path::PathBuf;

use serde::Deserialize;
use serde::de::{DeserializeOwned, IntoDeserializer};
use tonearm_api::sentence;

use crate::config::{ConfigError, Role};

/// The variables that settings are read from, by the names of the settings.
pub(super) struct Variables<'a> {
    pub(super) lookup: &'a dyn Fn(&str) -> Option<String>,
}

/// The variable of a setting.
pub(in crate::config) fn variable_of(setting: &str) -> String {
    format!("TONEARM_{}", setting.replace('.', "_").to_uppercase())
}

impl Variables<'_> {
    fn get(&self, setting: &str) -> Option<String> {
        (self.lookup)(&variable_of(setting))
    }

    pub(super) fn text(&self, setting: &str, target: &mut Option<String>) {
        if let Some(value) = self.get(setting) {
            *target = Some(value);
        }
    }

    /// A secret, or the file that holds it. Either variable overrides both settings.
    pub(super) fn secret(&self, setting: &str, value: &mut Option<String>, file: &mut Option<PathBuf>) {
        let (text, path) = (self.get(setting), self.get(&format!("{setting}_file")));
        if text.is_some() || path.is_some() {
            *value = text;
            *file = path.map(PathBuf::from);
        }
    }

    pub(super) fn list(&self, setting: &str, target: &mut Option<Vec<String>>) {
        if let Some(value) = self.get(setting) {
            *target = Some(value.split(',').map(|item| item.trim().to_owned()).collect());
        }
    }

    pub(super) fn path(&self, setting: &str, target: &mut Option<PathBuf>) {
        if let Some(value) = self.get(setting) {
            *target = Some(value.into());
        }
    }

    pub(super) fn parsed<T: std::str::FromStr<Err = String>>(
        &self,
        setting: &str,
        target: &mut Option<T>,
    ) -> Result<(), ConfigError> {
        if let Some(value) = self.get(setting) {
            *target = Some(value.parse().map_err(|error: String| ConfigError::new(setting, error))?);
        }
        Ok(())
    }

    /// Reads a value such as a number or a boolean, which is written as in the configuration file.
    pub(super) fn toml<T: DeserializeOwned>(
        &self,
        setting: &str,
        target: &mut Option<T>,
    ) -> Result<(), ConfigError> {
        #[derive(Deserialize)]
        struct Holder<T> {
            value: T,
        }
        if let Some(value) = self.get(setting) {
            let read = toml::from_str(&format!("value = {value}")).map(|holder: Holder<T>| holder.value);
            // The error of a text says what is expected instead.
            let read = read.or_else(|_| T::deserialize(value.into_deserializer()));
            let read =
                read.map_err(|error: serde::de::value::Error| ConfigError::new(setting, sentence(&error)));
            *target = Some(read?);
        }
        Ok(())
    }

    pub(super) fn roles(&self, setting: &str, target: &mut Option<Vec<Role>>) -> Result<(), ConfigError> {
        if let Some(value) = self.get(setting) {
            let roles = value.split(',').map(|role| role.trim().parse());
            *target = Some(roles.collect::<Result<_, String>>().map_err(|e| ConfigError::new(setting, e))?);
        }
        Ok(())
    }
}
