//! Base 62 of a fixed width: big-endian bytes read as one number, digits `0-9A-Za-z`, padded with `0`.

const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Appends the number in `WIDTH` digits, which must be enough for it.
pub(crate) fn encode<const BYTES: usize, const WIDTH: usize>(bytes: [u8; BYTES], text: &mut String) {
    let mut number = bytes;
    let mut digits = [0; WIDTH];
    for digit in digits.iter_mut().rev() {
        let mut remainder = 0;
        for byte in &mut number {
            let value = remainder * 256 + u32::from(*byte);
            *byte = (value / 62) as u8;
            remainder = value % 62;
        }
        *digit = DIGITS[remainder as usize];
    }
    debug_assert!(number.iter().all(|byte| *byte == 0), "{WIDTH} digits hold {BYTES} bytes");
    text.extend(digits.map(char::from));
}

/// The number. `None` for other characters, or for a number that needs more than `BYTES`. Because the caller passes a
/// fixed width, every number has one spelling.
pub(crate) fn decode<const BYTES: usize>(text: &str) -> Option<[u8; BYTES]> {
    let mut number = [0; BYTES];
    for character in text.bytes() {
        let mut carry = match character {
            b'0'..=b'9' => u32::from(character - b'0'),
            b'A'..=b'Z' => u32::from(character - b'A') + 10,
            b'a'..=b'z' => u32::from(character - b'a') + 36,
            _ => return None,
        };
        for byte in number.iter_mut().rev() {
            let value = u32::from(*byte) * 62 + carry;
            *byte = value as u8;
            carry = value >> 8;
        }
        if carry != 0 {
            return None;
        }
    }
    Some(number)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text<const BYTES: usize, const WIDTH: usize>(bytes: [u8; BYTES]) -> String {
        let mut text = String::new();
        encode::<BYTES, WIDTH>(bytes, &mut text);
        text
    }

    #[test]
    fn the_ends_of_the_range() {
        assert_eq!(text::<16, 22>([0; 16]), "0".repeat(22));
        assert_eq!(text::<16, 22>([0xFF; 16]), "7n42DGM5Tflk9n8mt7Fhc7");
        assert_eq!(decode::<16>("7n42DGM5Tflk9n8mt7Fhc7"), Some([0xFF; 16]));
        assert_eq!(decode::<16>("7n42DGM5Tflk9n8mt7Fhc8"), None);
        assert_eq!(decode::<32>(&"z".repeat(43)), None);
        assert_eq!(decode::<16>("-"), None);
    }

    proptest! {
        #[test]
        fn agrees_with_arithmetic(number: u128) {
            let mut rest = number;
            let mut digits: Vec<u8> = (0..22)
                .map(|_| {
                    let digit = DIGITS[(rest % 62) as usize];
                    rest /= 62;
                    digit
                })
                .collect();
            digits.reverse();
            prop_assert_eq!(text::<16, 22>(number.to_be_bytes()).into_bytes(), digits);
        }

        #[test]
        fn is_read_back(bytes: [u8; 32]) {
            let text = text::<32, 43>(bytes);
            prop_assert_eq!(text.len(), 43);
            prop_assert_eq!(decode(&text), Some(bytes));
        }
    }
}
