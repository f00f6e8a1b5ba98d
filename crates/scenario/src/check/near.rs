//! The nearest known word.

/// Words longer than this are no misspelling of anything.
const LONGEST: usize = 64;
/// Among more words than this nobody is helped by one of them.
const MOST: usize = 2000;

/// The word of `known` that `given` is a likely misspelling of.
pub(crate) fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if given.len() > LONGEST {
        return None;
    }
    let plain = given.to_lowercase();
    let scored = known.into_iter().take(MOST).filter(|w| w.len() <= LONGEST);
    let (distance, word) =
        scored.map(|w| (strsim::osa_distance(&plain, &w.to_lowercase()), w)).min_by_key(|(d, _)| *d)?;
    (distance <= (plain.chars().count() / 3).max(1)).then_some(word)
}

/// The question that follows from it.
pub(crate) fn did_you_mean<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(given, known).map(|word| format!("did you mean {word}?"))
}

/// A few words for a message.
pub(crate) fn listed<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<&str> = words.into_iter().take(41).collect();
    if words.len() > 40 { format!("{}, ...", words[..40].join(", ")) } else { words.join(", ") }
}
