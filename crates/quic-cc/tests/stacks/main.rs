//! Real connections of noq and quinn under these controllers, over links in virtual time.
#![expect(clippy::duplicate_mod, reason = "the same transfer and checks with each stack")]

/// Clears the way for long transfers: large windows, packets of 1,200 bytes, one packet a datagram.
macro_rules! plain_transport {
    ($proto:ident) => {{
        let mut transport = $proto::TransportConfig::default();
        let window = $proto::VarInt::from_u32(100_000_000);
        transport.stream_receive_window(window).receive_window(window).send_window(100_000_000);
        transport.mtu_discovery_config(None).initial_mtu(1200).enable_segmentation_offload(false);
        transport
    }};
}

mod link;
mod noq;
mod quinn;
