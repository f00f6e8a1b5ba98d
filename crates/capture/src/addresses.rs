//! Addresses: each flow has its own on both hosts, and its last two bytes name the flow.

use std::net::Ipv4Addr;

/// The address of a flow's end on host 0 or 1.
#[must_use]
pub fn address(host: usize, flow: usize) -> Ipv4Addr {
    let [high, low] = (flow as u16 + 1).to_be_bytes();
    Ipv4Addr::new(10, 64 + host as u8, high, low)
}

/// The flow whose address ends with these two bytes.
#[must_use]
pub fn flow_of(address: u16) -> Option<usize> {
    usize::from(address).checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_flows() {
        for flow in [0, 1, 254, 255, 59_999] {
            let [.., high, low] = address(1, flow).octets();
            assert_eq!(flow_of(u16::from_be_bytes([high, low])), Some(flow));
        }
        assert_eq!(flow_of(0), None);
    }
}
