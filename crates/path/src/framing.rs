//! Framing: bytes on the wire beyond a packet's own.

use eddyline_units::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Segmentation by the link layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Linklayer {
    /// None.
    #[default]
    None,
    /// ATM with AAL5: whole cells of 53 bytes, 48 of them payload (ITU-T I.363.5).
    Atm,
    /// PTM: 65 bytes for every 64 begun (IEEE 802.3, clause 61.3.3: 64/65-octet encapsulation).
    Ptm,
}

/// Framing in numbers. The order is that of Linux: overhead, then the minimum, then cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Framing {
    /// Bytes added to each packet.
    #[serde(default)]
    #[schemars(extend("x-maximum" = "64 KiB"))]
    pub overhead: Bytes,
    /// Shorter frames are padded to this.
    #[serde(default)]
    #[schemars(extend("x-maximum" = "64 KiB"))]
    pub minimum: Bytes,
    /// Segmentation by the link layer.
    #[serde(default)]
    pub linklayer: Linklayer,
}

impl Framing {
    /// Adds nothing.
    pub const NONE: Self = Self::new(0, 0, Linklayer::None);

    const fn new(overhead: u64, minimum: u64, linklayer: Linklayer) -> Self {
        Self { overhead: Bytes::new(overhead), minimum: Bytes::new(minimum), linklayer }
    }

    /// Bytes on the wire of a packet of `bytes`.
    #[inline]
    #[must_use]
    pub const fn line_bytes(&self, bytes: u32) -> u64 {
        let frame = bytes as u64 + self.overhead.get();
        let frame = if frame < self.minimum.get() { self.minimum.get() } else { frame };
        match self.linklayer {
            Linklayer::None => frame,
            Linklayer::Atm => frame.div_ceil(48) * 53,
            Linklayer::Ptm => frame + frame.div_ceil(64),
        }
    }

    /// Bytes on the wire of so many packets of `bytes` together, if all had their mean size.
    #[must_use]
    pub fn mean_line_bytes(&self, bytes: u64, packets: u64) -> u64 {
        if packets == 0 { 0 } else { packets * self.line_bytes((bytes / packets) as u32) }
    }

    /// Whether framing adds nothing.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// A well-known encapsulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct EncapsulationInfo {
    /// As written in a scenario file.
    pub name: &'static str,
    /// Its numbers.
    pub framing: Framing,
    /// What it is.
    pub summary: &'static str,
    /// Where the numbers are from.
    pub source: &'static str,
}

macro_rules! encapsulations {
    ($($name:literal $kind:ident($overhead:literal, $minimum:literal, $linklayer:ident): $summary:literal, $source:literal;)*) => {
        /// Encapsulations by the keywords of the CAKE shaper.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub enum Encapsulation {
            $(#[doc = $summary] #[serde(rename = $name)] $kind,)*
        }

        const ENCAPSULATIONS: &[EncapsulationInfo] = &[$(EncapsulationInfo {
            name: $name,
            framing: Framing::new($overhead, $minimum, Linklayer::$linklayer),
            summary: $summary,
            source: $source,
        }),*];
    };
}

// Of the overheads over ATM 8 bytes are the AAL5 trailer. LLC/SNAP: 3 + 5 bytes, with a bridged frame's 2 bytes of
// padding 10; Ethernet without its checksum 14; PPPoE with PPP 8; PPP 2, with the NLPID form of PPPoA's LLC 4 more.
encapsulations! {
    "ipoa-vcmux" IpoaVcmux(8, 0, Atm): "IP over ATM, VC multiplexing", "RFC 2684, section 6.1; tc-cake(8)";
    "ipoa-llcsnap" IpoaLlcsnap(16, 0, Atm): "IP over ATM, LLC/SNAP", "RFC 2684, section 5.1; tc-cake(8)";
    "bridged-vcmux" BridgedVcmux(24, 0, Atm): "bridged Ethernet over ATM, VC multiplexing", "RFC 2684, section 6.2; tc-cake(8)";
    "bridged-llcsnap" BridgedLlcsnap(32, 0, Atm): "bridged Ethernet over ATM, LLC/SNAP", "RFC 2684, section 5.2; tc-cake(8)";
    "pppoa-vcmux" PppoaVcmux(10, 0, Atm): "PPP over ATM, VC multiplexing", "RFC 2364, section 5; tc-cake(8)";
    "pppoa-llc" PppoaLlc(14, 0, Atm): "PPP over ATM, LLC", "RFC 2364, section 6; tc-cake(8)";
    "pppoe-vcmux" PppoeVcmux(32, 0, Atm): "PPPoE bridged over ATM, VC multiplexing", "RFC 2516 over RFC 2684; tc-cake(8)";
    "pppoe-llcsnap" PppoeLlcsnap(40, 0, Atm): "PPPoE bridged over ATM, LLC/SNAP", "RFC 2516 over RFC 2684; tc-cake(8)";
    "bridged-ptm" BridgedPtm(22, 0, Ptm): "Ethernet over VDSL2 in packet transfer mode", "IEEE 802.3, clause 61; tc-cake(8)";
    "pppoe-ptm" PppoePtm(30, 0, Ptm): "PPPoE over VDSL2 in packet transfer mode", "RFC 2516 over IEEE 802.3, clause 61; tc-cake(8)";
    "docsis" Docsis(18, 64, None): "cable modem: Ethernet with its checksum, from the subscriber's side", "CableLabs CM-SP-MULPIv3.1; tc-cake(8)";
    "ethernet" Ethernet(38, 84, None): "Ethernet with checksum, preamble and gap", "IEEE 802.3, clauses 3 and 4; tc-cake(8)";
    "ethernet-vlan" EthernetVlan(42, 84, None): "Ethernet with a VLAN tag, checksum, preamble and gap", "IEEE 802.1Q; tc-cake(8), ether-vlan";
    "conservative" Conservative(48, 0, Atm): "more than any known encapsulation takes", "tc-cake(8)";
}

impl Encapsulation {
    /// Its name, parameters and source.
    #[must_use]
    pub fn info(self) -> &'static EncapsulationInfo {
        &ENCAPSULATIONS[self as usize]
    }
}

/// All well-known encapsulations.
#[must_use]
pub const fn encapsulations() -> &'static [EncapsulationInfo] {
    ENCAPSULATIONS
}

/// Framing as written in a scenario: a name or parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum FramingParams {
    /// A well-known encapsulation.
    Named(Encapsulation),
    /// Parameters.
    Numbers(Framing),
}

impl FramingParams {
    /// The parameters.
    #[must_use]
    pub fn numbers(self) -> Framing {
        match self {
            Self::Named(name) => name.info().framing,
            Self::Numbers(framing) => framing,
        }
    }
}

impl Default for FramingParams {
    fn default() -> Self {
        Self::Numbers(Framing::default())
    }
}
