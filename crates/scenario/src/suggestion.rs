//! Suggestions for misspelt names.

use std::borrow::Cow;

use crate::tree::quoted;

/// Longer names are not corrected.
const MAX_LENGTH: usize = 64;
/// At most so many known names are compared.
const MAX_KNOWN: usize = 2000;

/// The name in `known` that `given` is likely a misspelling of.
pub(crate) fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if given.len() > MAX_LENGTH {
        return None;
    }
    let plain = given.to_lowercase();
    let scored = known.into_iter().take(MAX_KNOWN).filter(|w| w.len() <= MAX_LENGTH);
    let (distance, name) =
        scored.map(|w| (strsim::osa_distance(&plain, &w.to_lowercase()), w)).min_by_key(|(d, _)| *d)?;
    (distance <= (plain.chars().count() / 3).max(1)).then_some(name)
}

/// The nearest name as a hint.
pub(crate) fn did_you_mean<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(given, known).map(|name| format!("did you mean {name}?"))
}

/// Names separated by commas, at most 40 of them.
pub(crate) fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    // a name with control characters is reported as such where it is given
    let shown = |name: &'a str| if name.contains(char::is_control) { quoted(name).into() } else { Cow::from(name) };
    let names: Vec<_> = names.into_iter().take(41).map(shown).collect();
    if names.len() > 40 { format!("{}, ...", names[..40].join(", ")) } else { names.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn names_that_steer_the_terminal_are_escaped() {
        assert_eq!(listed(["up", "a \u{1b}[31m\nb", "down"]), r#"up, "a \u{1b}[31m\nb", down"#);
    }
}
