//! Addresses: each flow has its own on both hosts, and its last two bytes name the flow among 65,536.

use std::net::Ipv4Addr;

/// The second byte of the first flows' addresses on host 0.
const FIRST: usize = 64;
/// Networks of addresses on each host: of the rest of 10/8, every second one.
const NETWORKS: usize = (256 - FIRST) / 2;

/// The address of a flow's end on host 0 or 1. It is no other flow's below 6 million flows.
#[must_use]
pub fn address(host: usize, flow: usize) -> Ipv4Addr {
    let (network, within) = ((flow + 1) >> 16, (flow + 1) as u16);
    let [high, low] = within.to_be_bytes();
    Ipv4Addr::new(10, (FIRST + 2 * (network % NETWORKS) + host) as u8, high, low)
}

/// The flow whose address ends with these two bytes, if it is one of the first 65,535.
#[must_use]
pub fn flow_of(address: u16) -> Option<usize> {
    usize::from(address).checked_sub(1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn addresses_name_flows() {
        for flow in [0, 1, 254, 255, 59_999] {
            let [.., high, low] = address(1, flow).octets();
            assert_eq!(flow_of(u16::from_be_bytes([high, low])), Some(flow));
        }
        assert_eq!(flow_of(0), None);
    }

    #[test]
    fn no_two_flows_have_the_same() {
        let flows = (0..3).chain(65_533..65_540).chain(131_069..131_075).chain(6_291_400..6_291_454);
        let all: Vec<Ipv4Addr> = flows.flat_map(|flow| [address(0, flow), address(1, flow)]).collect();
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
        assert!(all.iter().all(|a| a.octets()[0] == 10 && a.octets()[1] >= 64));
    }
}
