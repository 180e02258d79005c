use proptest::prelude::*;

use super::*;

fn cue(start: f64, end: f64, text: &str) -> Utterance {
    Utterance { start, end, text: text.to_owned() }
}

#[test]
fn what_editors_write_is_read() {
    let text = "\u{feff}WEBVTT - made by hand\r\nKind: captions\r\nLanguage: en\r\n\r\nNOTE a --> b\rstays out\r\n\r\n\
                STYLE\r\n::cue { color: red }\r\n\r\n2\r\n00:05.000 --> 00:00:06.500 align:start\r\n\
                <v Ada>Ebb &amp; flow</v>\r\n\r\n\r\n1\r\n0:00:01,000-->0:00:02.000\r\nOne <i>line</i>,\r\nanother &lt;3\r\n";
    let Captions { cues, left_out } = parse_captions(text, 10.0).unwrap();
    assert_eq!(cues, [cue(1.0, 2.0, "One line,\nanother <3"), cue(5.0, 6.5, "Ebb & flow")]);
    let told: Vec<_> = left_out.iter().map(|part| (part.line, part.text.as_str())).collect();
    assert_eq!(told, [(5, "NOTE a --> b"), (8, "STYLE"), (13, "<v Ada></v>"), (18, "<i></i>")]);
    assert_eq!(parse_captions("WEBVTT", 10.0), Ok(Captions::default()));
    assert_eq!(parse_captions("WEBVTT\n\n00:01.000 --> 00:02.000\n", 10.0), Ok(Captions::default()));
}

#[test]
fn only_what_webvtt_has_is_markup() {
    for (typed, words, left_out) in [
        ("5 < 6 and 7 > 3", "5 < 6 and 7 > 3", ""),
        ("a<b and c>d", "a<b and c>d", ""),
        ("<script>1</script> <b", "<script>1</script> <b", ""),
        ("<> </> < i>", "<> </> < i>", ""),
        ("<c.loud.red>Ebb</c> <lang en-GB>and</lang>", "Ebb and", "<c.loud.red></c><lang en-GB></"),
        ("<v.loud Ada Lovelace>Ebb <00:02.500>tide", "Ebb tide", "<v.loud Ada Lovelace><00:02.50"),
        ("a < b <i>c</i>", "a < b c", "<i></i>"),
        ("one\ttwo", "one two", ""),
        ("one\u{7}two", "onetwo", "U+0007"),
        ("it&#39;s &#x201C;&eacute;&rdquo; &amp;lt; &lt;b&gt;", "it's “é” &lt; <b>", ""),
        ("&nothing; &#xfffffff; &#; AT&T; a & b", "&nothing; &#xfffffff; &#; AT&T; a & b", ""),
        ("&#10;a&#9;b", "a b", ""),
    ] {
        let text = format!("WEBVTT\n\n00:01.000 --> 00:02.000\n{typed}");
        let read = parse_captions(&text, 0.0).unwrap();
        assert_eq!(read.cues, [cue(1.0, 2.0, words)], "{typed}");
        let told: String = read.left_out.iter().map(|part| part.text.as_str()).collect();
        assert_eq!(told, left_out, "{typed}");
        assert!(read.left_out.iter().all(|part| part.line == 4), "{typed}");
    }
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    for (text, line, expected) in [
        ("", 1, "must begin with WEBVTT"),
        ("WEBVTTX", 1, "must begin with WEBVTT"),
        ("1\n00:00:01,000 --> 00:00:02,000\nSubRip", 1, "must begin with WEBVTT"),
        ("WEBVTT\n\nHello", 3, "begin with its times"),
        (
            "WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n\n\nid\n00:03 --> 00:04.000\nx",
            8,
            "“00:03” is not a valid time",
        ),
        ("WEBVTT\n\n00:61.000 --> 02:02.000\nx", 3, "“00:61.000” is not a valid time"),
        ("WEBVTT\n\n00:01.000 -->\nx", 3, "“” is not a valid time"),
        ("WEBVTT\n\n-00:01.000 --> 00:02.000\nx", 3, "is not a valid time"),
        ("WEBVTT\n\n00:02.000 --> 00:02.000\nx", 3, "ends at 00:00:02.000, before it starts"),
        (
            "WEBVTT\n\n00:10.000 --> 00:12.000\nx",
            3,
            "starts at 00:00:10.000, but the track ends at 00:00:10.000",
        ),
        ("WEBVTT\n\n99999:00:00.000 --> 99999:00:01.000\nx", 3, "is not a valid time"),
    ] {
        let error = parse_captions(text, 10.0).unwrap_err();
        assert_eq!(error.line, line, "{text}");
        assert!(error.message.contains(expected), "{text}: {error}");
    }
    let long = "WEBVTT\n".to_owned() + &" ".repeat(MOST_CAPTION_BYTES);
    assert!(parse_captions(&long, 0.0).unwrap_err().message.contains("longer than 4 MiB"));
    // The duration of the audio is unknown.
    assert!(parse_captions("WEBVTT\n\n10:00.000 --> 10:02.000\nx", 0.0).is_ok());
}

#[test]
fn words_cannot_become_times_or_cues() {
    let cues = [cue(1.0, 2.0, "a --> b\n\n00:03.000 --> 00:04.000\n<script>&lt;"), cue(2.0, 3.0, "NOTE\nx")];
    let text = print_captions(&cues);
    assert_eq!(text.matches("-->").count(), 2, "{text}");
    let read = parse_captions(&text, 0.0).unwrap().cues;
    assert_eq!(
        read,
        [cue(1.0, 2.0, "a --> b\n00:03.000 --> 00:04.000\n<script>&lt;"), cue(2.0, 3.0, "NOTE\nx")]
    );
}

#[test]
fn a_part_has_its_own_cues_and_times() {
    let cues = [cue(5.0, 9.0, "Before."), cue(9.0, 11.0, "Over the edge."), cue(12.0, 14.0, "Inside.")];
    assert_eq!(captions_within(&cues, (10.0, 20.0)), [cue(2.0, 4.0, "Inside.")]);
}

fn any_cue() -> impl Strategy<Value = Utterance> {
    (0_u32..80_000_000, 1_u32..100_000, any::<String>()).prop_map(|(start, length, text)| {
        let (start, end) = (f64::from(start) / 1000.0, f64::from(start + length) / 1000.0);
        Utterance { start, end, text }
    })
}

proptest! {
    #[test]
    fn whatever_is_sent_is_read_or_refused(text: String, body: String) {
        for text in [text, format!("WEBVTT\n\n{body}"), format!("WEBVTT\n\n00:01.000 --> 00:02.000\n{body}")] {
            match parse_captions(&text, 100.0) {
                Ok(Captions { cues, .. }) => {
                    for cue in &cues {
                        prop_assert!(cue.has_times() && cue.start < 100.0 && !cue.text.trim().is_empty());
                        let is_plain = |character: char| character == '\n' || !character.is_control();
                        prop_assert!(cue.text.chars().all(is_plain));
                    }
                    // The written captions can be parsed again.
                    prop_assert_eq!(parse_captions(&print_captions(&cues), 0.0).unwrap().cues.len(), cues.len());
                }
                Err(error) => prop_assert!(error.line >= 1 && error.line <= text.matches(['\n', '\r']).count() + 1),
            }
        }
    }

    #[test]
    fn what_is_written_is_read_again(cues in prop::collection::vec(any_cue(), 0..20)) {
        let text = print_captions(&cues);
        let read = parse_captions(&text, 0.0).unwrap().cues;
        prop_assert_eq!(print_captions(&read), print_captions(&{
            let mut sorted = cues.clone();
            sorted.sort_by(|one, other| one.start.total_cmp(&other.start));
            sorted
        }));
        prop_assert_eq!(parse_captions(&print_captions(&read), 0.0).unwrap().cues, read);
    }

    #[test]
    fn any_times_are_written(start: f64, end: f64) {
        let text = print_captions(&[cue(start, end, "words")]);
        prop_assert!(parse_captions(&text, 0.0).is_ok(), "{text}");
    }
}
