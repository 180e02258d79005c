//! Parts of objects.

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, TestRunner};

use crate::node::{Answer, Node, content};
use crate::over_both_stores;

const SIZE: usize = 600_000;

over_both_stores!(
    one_range_is_sent_bare,
    ranges_outside_are_refused,
    several_ranges_are_sent_as_multipart,
    hostile_ranges_never_cost_more_than_the_object,
    any_ranges_give_the_bytes_asked_for,
);

async fn one_range_is_sent_bare(node: &Node) {
    let key = node.store(SIZE).await;
    let whole = content(SIZE);
    for (range, start, end) in [
        ("bytes=0-0", 0, 1),
        ("bytes=0-", 0, SIZE),
        ("bytes=1000-1999", 1000, 2000),
        ("bytes=262143-262144", 262_143, 262_145),
        ("bytes=599999-", SIZE - 1, SIZE),
        ("bytes=599999-700000", SIZE - 1, SIZE),
        ("bytes=500000-99999999999999999999", 500_000, SIZE),
        ("bytes=-1", SIZE - 1, SIZE),
        ("bytes=-700000", 0, SIZE),
        ("bytes=0-99,50-149", 0, 150),
        ("bytes=0-9,600000-", 0, 10),
    ] {
        let answer = node.get(&key, &[("range", range)]).await;
        assert_eq!(answer.status, 206, "{range}");
        assert_eq!(answer.body, whole[start..end], "{range}");
        assert_eq!(answer.header("content-range"), Some(&*format!("bytes {start}-{}/{SIZE}", end - 1)));
        assert_eq!(answer.header("content-length"), Some(&*(end - start).to_string()));
        assert_eq!(answer.header("content-type"), Some("audio/mpeg"));
        assert_eq!(answer.header("accept-ranges"), Some("bytes"));
        assert!(answer.header("etag").is_some() && answer.header("last-modified").is_some());
    }
}

async fn ranges_outside_are_refused(node: &Node) {
    let key = node.store(100).await;
    for range in
        ["bytes=100-", "bytes=100-200", "bytes=-0", "bytes=99999999999999999999-", "bytes=100-,-0,200-300"]
    {
        let answer = node.get(&key, &[("range", range)]).await;
        answer.assert_error(416, "range_not_satisfiable");
        assert_eq!(answer.header("content-range"), Some("bytes */100"), "{range}");
    }
}

async fn several_ranges_are_sent_as_multipart(node: &Node) {
    let key = node.store(SIZE).await;
    let answer = node.get(&key, &[("range", "bytes=500000-500009, 0-0,100-299999")]).await;
    assert_eq!(answer.status, 206);
    assert_eq!(answer.header("content-range"), None);
    assert_eq!(answer.header("content-length"), Some(&*answer.body.len().to_string()));
    assert_eq!(parts(&answer), [500_000..500_010, 0..1, 100..300_000]);
}

async fn hostile_ranges_never_cost_more_than_the_object(node: &Node) {
    let key = node.store(1000).await;
    let every_byte: Vec<_> = (0..1000).map(|byte| format!("{byte}-{byte}")).collect();
    let overlapping: Vec<_> = (0..16).map(|first| format!("{first}-")).collect();
    for range in [
        format!("bytes={}", every_byte.join(",")),
        format!("bytes={}", vec!["0-"; 1300].join(",")),
        format!("bytes={}", overlapping.join(",")),
        format!("bytes={}0-1", ",".repeat(4000)),
        "bytes=0-,-1000,0-999".to_owned(),
        "bytes=5-4".to_owned(),
        "bytes=--5".to_owned(),
        "bytes=0-1,x".to_owned(),
        "lines=0-1".to_owned(),
    ] {
        let answer = node.get(&key, &[("range", &range)]).await;
        assert!(matches!(answer.status.as_u16(), 200 | 206), "{range}");
        assert!(answer.body.len() <= 1000, "{range}");
    }
    let twice = [("range", "bytes=0-1"), ("range", "bytes=5-6")];
    assert_eq!(node.get(&key, &twice).await.status, 200);
}

async fn any_ranges_give_the_bytes_asked_for(node: &Node) {
    let key = node.store(500).await;
    let number = || prop_oneof![Just(String::new()), (0..600u32).prop_map(|n| n.to_string())];
    let ranges = prop::collection::vec((number(), number()), 1..6);
    let mut runner = TestRunner::new(Config::default());
    for _ in 0..60 {
        let list = ranges.new_tree(&mut runner).unwrap().current();
        let list: Vec<_> = list.iter().map(|(first, last)| format!("{first}-{last}")).collect();
        let range = format!("bytes={}", list.join(","));
        let answer = node.get(&key, &[("range", &range)]).await;
        match answer.status.as_u16() {
            200 => assert_eq!(answer.body, content(500), "{range}"),
            206 if answer.header("content-range").is_none() => assert!(parts(&answer).len() > 1),
            206 => {
                let (start, end) = parse_content_range(answer.header("content-range").unwrap(), 500);
                assert_eq!(answer.body, content(500)[start..end], "{range}");
            }
            _ => answer.assert_error(416, "range_not_satisfiable"),
        }
    }
}

/// Parses a multipart response as a client would, checks the bytes of each part, and returns the ranges.
fn parts(answer: &Answer) -> Vec<std::ops::Range<usize>> {
    let size = answer.body.len();
    let boundary =
        answer.header("content-type").unwrap().strip_prefix("multipart/byteranges; boundary=").unwrap();
    let mut rest = &answer.body[..];
    let mut ranges = Vec::new();
    let mut delimiter = format!("--{boundary}");
    loop {
        rest = rest.strip_prefix(delimiter.as_bytes()).unwrap();
        if rest == b"--\r\n" {
            return ranges;
        }
        delimiter = format!("\r\n--{boundary}");
        let head_end = rest.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
        let head = std::str::from_utf8(&rest[..head_end]).unwrap();
        let mut lines = head.strip_prefix("\r\n").unwrap().split("\r\n");
        assert_eq!(lines.next(), Some("Content-Type: audio/mpeg"));
        let content_range = lines.next().unwrap().strip_prefix("Content-Range: ").unwrap();
        let total = content_range.rsplit_once('/').unwrap().1.parse().unwrap();
        let (start, end) = parse_content_range(content_range, total);
        rest = &rest[head_end + 4..];
        assert!(end - start <= size);
        assert_eq!(rest[..end - start], content(total)[start..end]);
        rest = &rest[end - start..];
        ranges.push(start..end);
    }
}

fn parse_content_range(value: &str, size: usize) -> (usize, usize) {
    let range = value.strip_prefix("bytes ").unwrap().strip_suffix(&format!("/{size}")).unwrap();
    let (first, last) = range.split_once('-').unwrap();
    (first.parse().unwrap(), last.parse::<usize>().unwrap() + 1)
}
