//! Keys that hide nothing: packets have a tag of the generation of keys and a sum over the packet and its number, which finds single
//! damaged bits and numbers that were decoded wrong.

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
    /// The tag of packet `number`, given in the two parts in which it is decrypted. A packet carries the end of its number only, and one
    /// that is far behind others is taken for a later one: then it cannot be decrypted, since AES-GCM has the number in its nonce
    /// (RFC 9001, 5.3).
    fn tag(self, number: u64, header: &[u8], payload: &[u8]) -> [u8; TAG] {
        let sum = u128::from(sum(header).wrapping_add(sum(payload)).wrapping_add(mix(number)));
        (sum << 64 | u128::from(self.generation)).to_le_bytes()
    }
}

/// Any number but zero.
const OFFSET: u64 = 0x9e37_79b9_7f4a_7c15;

/// Scatters numbers that differ in one bit.
fn mix(x: u64) -> u64 {
    let x = (x.wrapping_add(OFFSET) ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Changes with every single bit. Eight sums side by side, because a packet is long and processors add several numbers at once.
fn sum(bytes: &[u8]) -> u64 {
    let (blocks, rest) = bytes.as_chunks::<64>();
    let mut sums = [0u64; 8];
    for block in blocks {
        for (sum, word) in sums.iter_mut().zip(block.as_chunks().0) {
            *sum = sum.wrapping_add(u64::from_le_bytes(*word));
        }
    }
    let sum = sums.into_iter().fold(0, u64::wrapping_add);
    let (words, rest) = rest.as_chunks();
    let next = |sum: u64, number: u64| sum.wrapping_mul(31).wrapping_add(number);
    let sum = words.iter().fold(sum, |sum, word| next(sum, u64::from_le_bytes(*word)));
    rest.iter().fold(sum, |sum, byte| next(sum, (*byte).into()))
}

impl PacketKey for NullKey {
    fn encrypt(&self, _path: PathId, number: u64, buf: &mut [u8], header_len: usize) {
        if let Some((packet, tag)) = buf.split_last_chunk_mut::<TAG>() {
            let (header, payload) = packet.split_at(header_len.min(packet.len()));
            *tag = self.tag(number, header, payload);
        }
    }

    fn decrypt(&self, _path: PathId, number: u64, header: &[u8], payload: &mut BytesMut) -> Result<(), CryptoError> {
        // a late packet made with earlier keys must not pass for one of the next
        match payload.split_last_chunk::<TAG>() {
            Some((packet, tag)) if *tag == self.tag(number, header, packet) => payload.truncate(payload.len() - TAG),
            _ => return Err(CryptoError),
        }
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
        // every bit of the data changes many: no damage to the token of a damaged connection ID gives that of the original
        let mut state = data.iter().fold(OFFSET, |state, byte| mix(state ^ u64::from(*byte)));
        for place in signature.chunks_mut(8) {
            state = mix(state);
            place.copy_from_slice(&state.to_le_bytes()[..place.len()]);
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
