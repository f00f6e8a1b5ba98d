//! Keys that protect nothing: packets have a tag, which says only which generation of keys it was made with.

use bytes::BytesMut;
use noq_proto::PathId;
use noq_proto::crypto::{CryptoError, HandshakeTokenKey, HeaderKey, HmacKey, KeyPair, Keys, PacketKey};

/// Length of an AES-GCM tag.
const TAG: usize = 16;
/// Sample of header protection by AES.
const SAMPLE: usize = 16;
/// Limits of AES-GCM (RFC 9001, 6.6), so that keys are updated when they would be.
const CONFIDENTIALITY_LIMIT: u64 = 1 << 23;
const INTEGRITY_LIMIT: u64 = 1 << 52;

/// A key for every purpose, of a generation: key updates begin new ones.
#[derive(Debug, Clone, Copy, Default)]
pub struct NullKey {
    generation: u64,
}

/// Keys of both directions.
pub fn keys() -> Keys {
    let header = || -> Box<dyn HeaderKey> { Box::new(NullKey::default()) };
    Keys { header: KeyPair { local: header(), remote: header() }, packet: packet_keys(0) }
}

/// Packet keys of both directions.
pub fn packet_keys(generation: u64) -> KeyPair<Box<dyn PacketKey>> {
    let packet = || -> Box<dyn PacketKey> { Box::new(NullKey { generation }) };
    KeyPair { local: packet(), remote: packet() }
}

impl NullKey {
    fn tag(self) -> [u8; TAG] {
        u128::from(self.generation).to_le_bytes()
    }
}

impl PacketKey for NullKey {
    fn encrypt(&self, _path: PathId, _packet: u64, buf: &mut [u8], _header_len: usize) {
        if let Some(tag) = buf.last_chunk_mut::<TAG>() {
            *tag = self.tag();
        }
    }

    fn decrypt(&self, _path: PathId, _packet: u64, _header: &[u8], payload: &mut BytesMut) -> Result<(), CryptoError> {
        // a late packet made with earlier keys must not pass for one of the next
        if payload.last_chunk() != Some(&self.tag()) {
            return Err(CryptoError);
        }
        payload.truncate(payload.len() - TAG);
        Ok(())
    }

    fn tag_len(&self) -> usize {
        TAG
    }

    fn confidentiality_limit(&self) -> u64 {
        CONFIDENTIALITY_LIMIT
    }

    fn integrity_limit(&self) -> u64 {
        INTEGRITY_LIMIT
    }
}

impl HeaderKey for NullKey {
    fn decrypt(&self, _pn_offset: usize, _packet: &mut [u8]) {}

    fn encrypt(&self, _pn_offset: usize, _packet: &mut [u8]) {}

    fn sample_size(&self) -> usize {
        SAMPLE
    }
}

impl HmacKey for NullKey {
    fn sign(&self, data: &[u8], signature: &mut [u8]) {
        // connection IDs are unlike each other, so tokens made of them are too
        signature.fill(0);
        for (i, byte) in data.iter().enumerate() {
            if let Some(place) = signature.get_mut(i) {
                *place = *byte;
            }
        }
    }

    fn signature_len(&self) -> usize {
        32
    }

    fn verify(&self, data: &[u8], signature: &[u8]) -> Result<(), CryptoError> {
        let mut expected = [0; 32];
        self.sign(data, &mut expected);
        if expected == *signature { Ok(()) } else { Err(CryptoError) }
    }
}

impl HandshakeTokenKey for NullKey {
    fn seal(&self, _nonce: u128, data: &mut Vec<u8>) -> Result<(), CryptoError> {
        data.extend_from_slice(&[0; TAG]);
        Ok(())
    }

    fn open<'a>(&self, _nonce: u128, data: &'a mut [u8]) -> Result<&'a [u8], CryptoError> {
        data.len().checked_sub(TAG).map(|len| &data[..len]).ok_or(CryptoError)
    }
}
