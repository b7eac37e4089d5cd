//! CRC-32 (ISO 3309, as in zlib and PNG): reflected, polynomial 0xEDB88320, start and end inverted.

/// Tables for each value of a byte, and for that byte followed by one to three zero bytes. With them, four
/// bytes are processed at a time.
const TABLES: [[u32; 256]; 4] = tables();

const fn tables() -> [[u32; 256]; 4] {
    let mut tables = [[0u32; 256]; 4];
    let mut i = 0;
    while i < 256 {
        let mut crc = i as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 };
            bit += 1;
        }
        tables[0][i] = crc;
        i += 1;
    }
    let mut t = 1;
    while t < 4 {
        let mut i = 0;
        while i < 256 {
            let before = tables[t - 1][i];
            tables[t][i] = before >> 8 ^ tables[0][(before & 0xFF) as usize];
            i += 1;
        }
        t += 1;
    }
    tables
}

/// The checksum of `bytes`.
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    let (words, rest) = bytes.as_chunks::<4>();
    let crc = words.iter().fold(!0u32, |crc, word| {
        let x = (crc ^ u32::from_le_bytes(*word)).to_le_bytes();
        (0..4).fold(0, |sum, i| sum ^ TABLES[3 - i][usize::from(x[i])])
    });
    !rest.iter().fold(crc, |crc, b| crc >> 8 ^ TABLES[0][usize::from(crc as u8 ^ b)])
}

#[cfg(test)]
mod tests {
    use super::crc32;

    #[test]
    fn the_standard_check_value() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(crc32(b""), 0);
    }
}
