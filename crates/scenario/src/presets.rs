//! Presets of well-known access links for `[[duplex]]`, with their sources.
//!
//! Rates are typical, below the standard's maximum. Delays are one-way and without load: half of the access's share of the round trip,
//! with the uplink's request and grant cycle added to the uplink. Queue limits are
//! those of common equipment at the preset's rate; where a standard limits its queue in time, the limit is that time. At another rate the
//! limit follows in proportion.

use eddyline_path::queue::{DropTailParams, Limit, QueueParams};
use eddyline_units::{Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One direction of a preset.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PresetDirection {
    /// Rate of transmission.
    pub rate: Rate,
    /// One-way propagation delay, interleaving and scheduling included.
    pub delay: Time,
    /// Queue at its head.
    pub queue: QueueParams,
}

impl PresetDirection {
    /// The queue at another rate: a full one takes as long to drain.
    #[must_use]
    pub fn queue_at(&self, rate: Rate) -> QueueParams {
        let scaled = |n: u64| {
            let n = u128::from(n) * u128::from(rate.as_bps()) / u128::from(self.rate.as_bps());
            u64::try_from(n).unwrap_or(u64::MAX).max(1)
        };
        let QueueParams::DropTail(DropTailParams { limit }) = self.queue else { return self.queue };
        let limit = match limit {
            Limit::Unlimited => limit,
            Limit::Packets(n) => Limit::Packets(scaled(n)),
            // one packet of Ethernet's size fits at any rate
            Limit::Bytes(n) => Limit::Bytes(scaled(n).max(1500)),
            Limit::Cells(n) => Limit::Cells(scaled(n).max(32)),
        };
        QueueParams::DropTail(DropTailParams { limit })
    }
}

/// A kind of access link.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PresetInfo {
    /// As written in a scenario file.
    pub name: &'static str,
    /// Towards the subscriber.
    pub down: PresetDirection,
    /// Away from the subscriber.
    pub up: PresetDirection,
    /// What it is.
    pub summary: &'static str,
    /// Where the numbers are from.
    pub source: &'static str,
}

const fn way(kbps: u64, delay_us: u64, limit: Limit) -> PresetDirection {
    PresetDirection {
        rate: Rate::from_bps(kbps * 1000),
        delay: Time::from_ps(delay_us * 1_000_000),
        queue: QueueParams::DropTail(DropTailParams { limit }),
    }
}

macro_rules! presets {
    ($($name:literal $kind:ident: $summary:literal, $source:literal, down $down:expr, up $up:expr;)*) => {
        /// Kinds of access link.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub enum Preset {
            $(#[doc = $summary] #[serde(rename = $name)] $kind,)*
        }

        const PRESETS: &[PresetInfo] =
            &[$(PresetInfo { name: $name, down: $down, up: $up, summary: $summary, source: $source }),*];

        impl Preset {
            /// Its numbers.
            #[must_use]
            pub fn info(self) -> &'static PresetInfo {
                &PRESETS[self as usize]
            }
        }
    };
}

presets! {
    // 24/1.4 Mbit/s is the most that G.992.5 (Annex A) allows; 16/1 Mbit/s is a line of about 1.5 km. Interleaving at
    // depth 16 costs some 8 ms each way. DSLAM and modem queues are counted in packets.
    "adsl2+" Adsl2Plus: "ADSL2+ line, 16/1 Mbit/s, interleaved",
        "ITU-T G.992.5 (24/1.4 Mbit/s at most); sync and queue of a typical line",
        down way(16_000, 10_000, Limit::Packets(128)), up way(1_000, 10_000, Limit::Packets(64));
    // G.993.2 profile 17a: about 100/40 Mbit/s near the cabinet; operators sell 50/10.
    "vdsl2" Vdsl2: "VDSL2 line, 50/10 Mbit/s",
        "ITU-T G.993.2, profile 17a (about 100/40 Mbit/s near the cabinet); 50/10 is a common product",
        down way(50_000, 5_000, Limit::Packets(256)), up way(10_000, 5_000, Limit::Packets(128));
    // The upstream waits for request and grant (2 ms MAPs): more delay than downstream. The modem's
    // upstream buffer control is commonly set to some 100 ms.
    "docsis-3.1" Docsis31: "DOCSIS 3.1 cable, 500/50 Mbit/s",
        "CableLabs CM-SP-MULPIv3.1; 500/50 Mbit/s is a common product; queues of 50 ms and 100 ms",
        down way(500_000, 4_000, Limit::Bytes(3_125_000)), up way(50_000, 8_000, Limit::Bytes(625_000));
    // 20 MHz FDD, 2x2 MIMO: 150/50 Mbit/s peak (category 4); a cell shares it. Queues in the base station are deep.
    "lte" Lte: "LTE (20 MHz, category 4) in a loaded cell, 30/10 Mbit/s",
        "3GPP TS 36.306, category 4 (150/50 Mbit/s peak); a subscriber's share; deep per-user queues",
        down way(30_000, 15_000, Limit::Packets(1000)), up way(10_000, 25_000, Limit::Packets(500));
    // Operator's published figures: 25 to 60 ms round trip on land, 100 to 200 down, 10 to 20 Mbit/s up.
    "starlink" Starlink: "Starlink in low orbit, 150/15 Mbit/s",
        "the operator's published expected speeds and latency (25-60 ms round trip on land)",
        down way(150_000, 18_000, Limit::Packets(1000)), up way(15_000, 22_000, Limit::Packets(300));
    // 802.16d with maximum information rates of 2 Mbit/s and 192 kbit/s, queues limited in bytes (75,000 B in the
    // paper's figures), 20 ms of propagation.
    "wimax-2009" Wimax2009: "fixed WiMAX (802.16d) with rates limited to 2 Mbit/s and 192 kbit/s, queues in bytes",
        "Heusse, Brown, Schwengler, Duda, A new look at bidirectional TCP connections over asymmetric links, sections 1, 3.1, 5",
        down way(2_000, 20_000, Limit::Bytes(75_000)), up way(192, 20_000, Limit::Bytes(75_000));
}

/// All presets of `[[duplex]]`.
#[must_use]
pub const fn presets() -> &'static [PresetInfo] {
    PRESETS
}
