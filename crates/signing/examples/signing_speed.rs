//! How long it takes to sign a delivery URL: `cargo run --release -p tonearm-signing --example signing_speed`.

use std::hint::black_box;
use std::time::Instant;

use tonearm_domain::{ObjectKey, Timestamp};
use tonearm_signing::{DeliveryTerms, Secrets, UrlSigner};

const ROUNDS: u32 = 200_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let signer = UrlSigner::new(Secrets::parse("an example secret of thirty-two characters or more")?);
    let key: ObjectKey = "018f0000-0000-7000-8000-000000000001/abcdefghij01/hq.zyxwvutsrq98.mp3".parse()?;
    let now = Timestamp::from_unix_seconds(1_893_456_000).ok_or("a moment in 2030")?;
    for (name, terms) in [
        ("an hour", DeliveryTerms::default()),
        ("a ttl", DeliveryTerms { ttl: Some(14_400), ..DeliveryTerms::default() }),
        (
            "a download",
            DeliveryTerms { ttl: Some(30), attachment: Some("Tone, 440 Hz.mp3"), ..DeliveryTerms::default() },
        ),
    ] {
        // The fastest of several runs: whatever else the machine does only adds time.
        let fastest = (0..5)
            .map(|_| {
                let start = Instant::now();
                for _ in 0..ROUNDS {
                    black_box(signer.sign_delivery(black_box(&key), black_box(terms), now));
                }
                start.elapsed() / ROUNDS
            })
            .min();
        println!("{name}: {:?} a URL", fastest.unwrap_or_default());
    }
    Ok(())
}
