//! What a deviation from ns-2 is judged by: ns-2's module as shipped, ns-2's module with one rule replaced, or a recorded number.

use super::Cell;

/// The rule that was replaced in ns-2's module for its `switched` numbers, by kind.
const RULES: [(&str, &str); 3] = [
    ("westwood", "each bandwidth sample weighted by its duration instead of equally"),
    ("vegas", "a packet every round trip instead of every other one; a reduction lowers the threshold with the window"),
    ("hybla", "rho and rho^2/w as fractions instead of whole 8ths and 128ths"),
];

/// Cells with a deviation that no replaced rule explains, with the deviation: kind, part, case, quantity.
const UNEXPLAINED: [(&str, &str, &str, &str, f64); 9] = [
    ("bic", "asymmetric_both_at_once", "up 75000 B, down 75000 B", "download_kbps", -0.165),
    ("scalable", "asymmetric_both_at_once", "up 75000 B, down 75000 B", "download_kbps", -0.158),
    ("vegas", "asymmetric_both_at_once", "up 6000 B, down 75000 B", "download_kbps", -0.166),
    ("vegas", "asymmetric_upload_joins_after_15s", "up 6000 B, down 75000 B", "download_kbps", -0.17),
    ("yeah", "asymmetric_both_at_once", "up 75000 B, down 75000 B", "download_kbps", 0.253),
    ("hybla", "asymmetric_both_at_once", "up 75000 B, down 75000 B", "download_kbps", 0.278),
    ("hybla", "asymmetric_both_at_once", "up 75000 B, down 75000 B", "upload_kbps", 0.35),
    ("hybla", "asymmetric_both_at_once", "up 6000 B, down 75000 B", "upload_kbps", 0.245),
    ("hybla", "asymmetric_upload_joins_after_15s", "up 6000 B, down 75000 B", "upload_kbps", 0.199),
];

/// Bounds of a comparison, each for both signs.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Deviation from the module as shipped.
    pub same: f64,
    /// Deviation from the module with a rule replaced.
    pub switched: f64,
    /// Distance of an unexplained deviation from its recorded number.
    pub moved: f64,
}

/// How a cell stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    /// Like the module as shipped.
    Same,
    /// Like the module with this rule replaced.
    Switched(&'static str),
    /// A deviation as large as recorded, without an explanation.
    Unexplained,
    /// None of these.
    Beyond,
}

/// The recorded deviation of an unexplained cell.
fn recorded(cell: &Cell) -> Option<f64> {
    let this = (cell.kind, cell.part, cell.case.as_str(), cell.of);
    UNEXPLAINED.iter().find(|(kind, part, case, of, _)| (*kind, *part, *case, *of) == this).map(|known| known.4)
}

/// Judges a cell. A replaced rule takes precedence over the module as shipped: its bound is the narrower one.
pub fn judge(cell: &Cell, bounds: Bounds) -> Verdict {
    if let Some(known) = recorded(cell) {
        let stays = (cell.deviation() - known).abs() <= bounds.moved;
        return if stays { Verdict::Unexplained } else { Verdict::Beyond };
    }
    if cell.switched.is_some() {
        let like = cell.remaining().abs() <= bounds.switched;
        let rule = RULES.iter().find(|(kind, _)| *kind == cell.kind).expect("a replaced rule has a name").1;
        return if like { Verdict::Switched(rule) } else { Verdict::Beyond };
    }
    if cell.deviation().abs() <= bounds.same { Verdict::Same } else { Verdict::Beyond }
}
