//! A podcast, read from its feed.

use std::collections::HashSet;
use std::io::Cursor;

use atom_syndication::TextType;
use rss::extension::itunes::ITunesItemExtension;
use tonearm_domain::Timestamp;
use url::Url;

use super::encoding::in_utf8;
use super::outline::{FeedKind, outline};
use super::source::FeedBytes;
use super::values::{LONGEST_URL, date, html, id, ids_of_file, is_sound, seconds, text, web_url};

/// A podcast.
#[derive(Debug, Default)]
pub(super) struct Show {
    pub(super) title: String,
    pub(super) author: Option<String>,
    pub(super) image: Option<Url>,
    /// The episodes, oldest first.
    pub(super) episodes: Vec<Episode>,
    /// Titles of items that are not episodes, with the reasons.
    pub(super) skipped: Vec<(String, &'static str)>,
}

/// An item of a feed with an audio file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Episode {
    /// Its guid, which does not change; hashed if it is long. Empty until it is known.
    pub(super) id: String,
    pub(super) title: Option<String>,
    pub(super) author: Option<String>,
    pub(super) link: Option<String>,
    pub(super) published_at: Option<Timestamp>,
    pub(super) season: Option<u32>,
    pub(super) number: Option<u32>,
    /// `full`, `trailer` or `bonus`.
    pub(super) kind: Option<String>,
    /// Its length in seconds, according to the feed.
    pub(super) seconds: Option<u64>,
    pub(super) image: Option<Url>,
    pub(super) file: Url,
}

/// A part of a feed, or all of it.
pub(super) struct Page {
    show: Show,
    items: Vec<Item>,
    /// What relative URLs are relative to.
    base: Option<Url>,
    /// Where the feed goes on.
    pub(super) next: Option<Url>,
    /// Where the podcast has its feed now.
    pub(super) moved_to: Option<Url>,
}

/// An item of either kind of feed, which may not be an episode.
#[derive(Default)]
struct Item {
    id: Option<String>,
    file: Option<(String, String)>,
    episode: Draft,
}

#[derive(Default)]
struct Draft {
    title: Option<String>,
    author: Option<String>,
    link: Option<String>,
    published_at: Option<Timestamp>,
    itunes: ITunesItemExtension,
}

impl Page {
    /// Reads a feed. An error is a sentence.
    pub(super) fn read(feed: &FeedBytes) -> Result<Self, String> {
        let wrong = |error: &dyn std::fmt::Display| format!("the feed cannot be read: {error}");
        let bytes = in_utf8(&feed.bytes);
        match outline(&bytes)? {
            FeedKind::Rss => {
                let channel = rss::Channel::read_from(Cursor::new(&bytes)).map_err(|error| wrong(&error))?;
                Ok(of_rss(channel, feed.base.as_ref()))
            }
            FeedKind::Atom => {
                let read = atom_syndication::Feed::read_from(Cursor::new(&bytes));
                Ok(of_atom(&read.map_err(|error| wrong(&error))?, feed.base.as_ref()))
            }
        }
    }

    /// How many items it has.
    pub(super) fn len(&self) -> usize {
        self.items.len()
    }
}

impl Show {
    /// The podcast on these pages. The first one describes it.
    pub(super) fn of(pages: impl IntoIterator<Item = Page>) -> Self {
        let mut pages = pages.into_iter().peekable();
        let mut show = pages.peek_mut().map(|page| std::mem::take(&mut page.show)).unwrap_or_default();
        let mut ids = HashSet::new();
        for page in pages {
            for item in page.items {
                let title = item.episode.title.clone();
                let title = title.unwrap_or_else(|| "an item without a title".to_owned());
                match item.into_episode(page.base.as_ref(), show.image.as_ref()) {
                    Ok(episode) if !episode.id.is_empty() && !ids.insert(episode.id.clone()) => {
                        show.skipped.push((title, "another item has the same guid"));
                    }
                    Ok(episode) => show.episodes.push(episode),
                    Err(reason) => show.skipped.push((title, reason)),
                }
            }
        }
        put_in_order(&mut show.episodes);
        show.identify(ids);
        show
    }

    /// Gives an id to each episode without a guid, the oldest first, whose id must not change when others follow.
    fn identify(&mut self, mut ids: HashSet<String>) {
        let mut files = HashSet::new();
        for mut episode in std::mem::take(&mut self.episodes) {
            if episode.id.is_empty() {
                let free = ids_of_file(&episode.file, episode.published_at).find(|id| !ids.contains(id));
                let Some(free) = free.filter(|_| files.insert(episode.file.clone())) else {
                    let title = episode.title.unwrap_or(episode.file.into());
                    self.skipped.push((title, "another item has the same file"));
                    continue;
                };
                ids.insert(free.clone());
                episode.id = free;
            }
            self.episodes.push(episode);
        }
    }
}

/// Sorts episodes, oldest first. Feeds begin with the newest. An episode without a date stays next to the one that
/// follows it in the feed.
fn put_in_order(episodes: &mut [Episode]) {
    episodes.reverse();
    let mut last = None;
    let mut keys: Vec<(Option<Timestamp>, usize)> = Vec::with_capacity(episodes.len());
    for (place, episode) in episodes.iter().enumerate() {
        last = episode.published_at.or(last);
        keys.push((last, place));
    }
    keys.sort();
    let sorted: Vec<Episode> = keys.into_iter().map(|(_, place)| episodes[place].clone()).collect();
    episodes.clone_from_slice(&sorted);
}

fn of_rss(channel: rss::Channel, base: Option<&Url>) -> Page {
    let itunes = channel.itunes_ext();
    let image = itunes.and_then(|itunes| itunes.image()).or_else(|| channel.image().map(rss::Image::url));
    let show = Show {
        title: text(channel.title()).unwrap_or_default(),
        author: itunes.and_then(|itunes| itunes.author()).and_then(text),
        image: image.and_then(|image| web_url(image, base)),
        ..Show::default()
    };
    let moved_to = itunes.and_then(|itunes| itunes.new_feed_url()).and_then(|url| web_url(url, base));
    let elements = channel.extensions().values().filter_map(|elements| elements.get("link")).flatten();
    let attributes = |link: &rss::extension::Extension| {
        Some((link.attrs().get("rel")?.clone(), link.attrs().get("href")?.clone()))
    };
    let next = next(elements.filter_map(attributes), base);
    let items = channel.into_items().into_iter().map(|item| Item {
        id: item.guid().map(|guid| guid.value().to_owned()),
        file: item.enclosure().map(|file| (file.url().to_owned(), file.mime_type().to_owned())),
        episode: Draft {
            title: item.title().and_then(text),
            author: item.author().and_then(text),
            link: item.link().and_then(text),
            published_at: item.pub_date().and_then(date),
            itunes: item.itunes_ext().cloned().unwrap_or_default(),
        },
    });
    Page { show, items: items.collect(), base: base.cloned(), next, moved_to }
}

/// The next page of a feed (RFC 5005): of a list of pages, or of an archive.
fn next(links: impl Iterator<Item = (String, String)>, base: Option<&Url>) -> Option<Url> {
    let links: Vec<_> = links.collect();
    let to = |rel: &str| links.iter().find(|link| link.0.eq_ignore_ascii_case(rel));
    web_url(&to("next").or_else(|| to("prev-archive"))?.1, base)
}

/// The text of a title of Atom.
fn title(title: &atom_syndication::Text) -> Option<String> {
    match title.r#type {
        TextType::Text => text(title),
        TextType::Html | TextType::Xhtml => html(title),
    }
}

fn of_atom(feed: &atom_syndication::Feed, base: Option<&Url>) -> Page {
    let author =
        |authors: &[atom_syndication::Person]| authors.first().and_then(|author| text(author.name()));
    let show = Show {
        title: title(feed.title()).unwrap_or_default(),
        author: author(feed.authors()),
        image: feed.logo().or_else(|| feed.icon()).and_then(|image| web_url(image, base)),
        ..Show::default()
    };
    let items = feed.entries().iter().map(|entry| {
        let link = |rel: &str| entry.links().iter().find(|link| link.rel() == rel);
        let moment = entry.published().unwrap_or_else(|| entry.updated());
        Item {
            id: Some(entry.id().to_owned()),
            file: link("enclosure")
                .map(|file| (file.href().to_owned(), file.mime_type().unwrap_or_default().to_owned())),
            episode: Draft {
                title: title(entry.title()),
                author: author(entry.authors()),
                link: link("alternate").and_then(|link| text(link.href())),
                published_at: Timestamp::from_unix_millis(moment.timestamp_millis()),
                itunes: ITunesItemExtension::default(),
            },
        }
    });
    let links = feed.links().iter().map(|link| (link.rel().to_owned(), link.href().to_owned()));
    Page { show, items: items.collect(), base: base.cloned(), next: next(links, base), moved_to: None }
}

impl Item {
    fn into_episode(self, base: Option<&Url>, show_image: Option<&Url>) -> Result<Episode, &'static str> {
        let (file, media_type) =
            self.file.filter(|(url, _)| !url.trim().is_empty()).ok_or("it has no file")?;
        let file = web_url(&file, base).ok_or("its file has no http or https URL")?;
        if file.as_str().chars().count() > LONGEST_URL {
            return Err("the URL of its file is too long");
        }
        if !is_sound(&media_type, &file) {
            return Err("its file is not audio");
        }
        let Draft { title, author, link, published_at, itunes } = self.episode;
        let number = |text: Option<&str>| text?.trim().parse().ok();
        let image = itunes.image().and_then(|image| web_url(image, base));
        Ok(Episode {
            id: self.id.as_deref().and_then(id).unwrap_or_default(),
            title,
            author: itunes.author().and_then(text).or(author),
            link: link.and_then(|link| Some(String::from(web_url(&link, base)?))),
            published_at,
            season: number(itunes.season()),
            number: number(itunes.episode()),
            kind: itunes.episode_type().and_then(text).map(|kind| kind.to_ascii_lowercase()),
            seconds: itunes.duration().and_then(seconds),
            image: image.filter(|image| show_image != Some(image)),
            file,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::values::hashed;
    use super::*;

    fn show_of(bytes: Vec<u8>, base: Option<Url>) -> Show {
        Show::of([Page::read(&FeedBytes { bytes, base }).unwrap()])
    }

    fn show(text: &str) -> Show {
        let base = Some("https://example.com/feeds/show.xml".parse().unwrap());
        show_of(text.as_bytes().to_vec(), base)
    }

    fn feed(items: &str) -> String {
        format!(
            r#"<?xml version="1.0" encoding="UTF-8"?>
            <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel>
            <title>A &amp; B</title><link>https://example.com</link><description/>
            <itunes:author>Ann</itunes:author><itunes:image href="art.jpg"/>{items}</channel></rss>"#
        )
    }

    #[test]
    fn an_episode_is_read() {
        let show = show(&feed(
            r#"<item><title><![CDATA[One & only]]></title><guid isPermaLink="false"> ep-1 </guid>
            <link>/one</link><pubDate>Mon, 02 Jan 2024 10:00:00 EST</pubDate>
            <enclosure url="https://cdn.example.com/1.mp3?a=1&amp;b=2" length="5" type="audio/mpeg"/>
            <itunes:season>2</itunes:season><itunes:episode>7</itunes:episode><itunes:episodeType>Bonus</itunes:episodeType>
            <itunes:duration>1:02:03</itunes:duration><itunes:image href="https://example.com/1.jpg"/>
            <itunes:author>Bob</itunes:author></item>"#,
        ));
        assert_eq!((show.title.as_str(), show.author.as_deref()), ("A & B", Some("Ann")));
        assert_eq!(show.image.unwrap().as_str(), "https://example.com/feeds/art.jpg");
        let expected = Episode {
            id: "ep-1".to_owned(),
            title: Some("One & only".to_owned()),
            author: Some("Bob".to_owned()),
            link: Some("https://example.com/one".to_owned()),
            published_at: Some("2024-01-02T15:00:00Z".parse().unwrap()),
            season: Some(2),
            number: Some(7),
            kind: Some("bonus".to_owned()),
            seconds: Some(3723),
            image: Some("https://example.com/1.jpg".parse().unwrap()),
            file: "https://cdn.example.com/1.mp3?a=1&b=2".parse().unwrap(),
        };
        assert_eq!(show.episodes, [expected]);
    }

    #[test]
    fn what_is_no_episode_is_skipped() {
        let long = "x".repeat(201);
        let show = show(&feed(&format!(
            r#"<item><title>none</title></item>
            <item><title>video</title><enclosure url="/v.mp4" length="" type="video/mp4"/></item>
            <item><title>unknown</title><enclosure url="/v.bin" length="" type=""/></item>
            <item><title>local</title><enclosure url="file:///etc/passwd" length="" type="audio/mpeg"/></item>
            <item><title>again</title><guid>same</guid><enclosure url="/a.mp3" type="" length=""/></item>
            <item><title>again</title><guid>same</guid><enclosure url="/b.mp3" type="" length=""/></item>
            <item><guid>{long}</guid><enclosure url="/c.mp3" type="audio/mpeg" length=""/></item>
            <item><enclosure url="/d.ogg?token=1" type="application/octet-stream" length="1"/></item>"#
        )));
        let reasons: Vec<&str> = show.skipped.iter().map(|(_, reason)| *reason).collect();
        assert_eq!(
            reasons,
            [
                "it has no file",
                "its file is not audio",
                "its file is not audio",
                "its file has no http or https URL",
                "another item has the same guid",
            ]
        );
        let ids: Vec<&str> = show.episodes.iter().map(|episode| episode.id.as_str()).collect();
        assert_eq!(ids, ["https://example.com/d.ogg", &hashed(&long), "same"]);
    }

    #[test]
    fn items_without_a_guid_are_told_apart_by_their_file_and_date() {
        let item = |query: &str, day: u32| {
            format!(
                "<item><pubDate>{day:02} Jan 2024 00:00:00 GMT</pubDate><enclosure url='/play.mp3{query}' type='' length=''/></item>"
            )
        };
        let undated = "<item><enclosure url='/play.mp3?id=4' type='' length=''/></item>";
        let ids = |items: &[String]| -> Vec<String> {
            show(&feed(&items.concat())).episodes.into_iter().map(|episode| episode.id).collect()
        };
        let [one, two, three] = [item("?id=1", 1), item("?id=2", 2), item("?id=3", 2)];
        assert_eq!(ids(std::slice::from_ref(&one)), ["https://example.com/play.mp3"]);
        let all = ids(&[undated.to_owned(), three, two.clone(), one.clone()]);
        let expected = ["", "#2024-01-02T00:00:00.000Z", "?id=3", "?id=4"];
        assert_eq!(all, expected.map(|end| format!("https://example.com/play.mp3{end}")));
        // A token that changes makes no other item of it.
        let renewed = ids(&[item("?token=other", 2), item("?token=new", 1)]);
        assert_eq!(renewed, all[..2]);
        let twice = show(&feed(&[one.clone(), one].concat()));
        assert_eq!((twice.episodes.len(), twice.skipped[0].1), (1, "another item has the same file"));
    }

    #[test]
    fn titles_are_plain_text() {
        let atom = |kind: &str, title: &str| {
            show(&format!(
                r#"<feed xmlns="http://www.w3.org/2005/Atom"><title type="{kind}">{title}</title><id>x</id>
                <updated>2024-01-01T00:00:00Z</updated></feed>"#
            ))
        };
        for (kind, title, expected) in [
            ("text", "1 &lt; 2 &amp; caf&eacute;", "1 < 2 & café"),
            (
                "html",
                "A &lt;b class=\"x\">bold&lt;/b> caf&amp;eacute; &amp;amp; bar&lt;br/>twice",
                "A bold café & bar twice",
            ),
            ("html", "1 &amp;lt; 2, 1 &lt; 2 &lt;!-- no -->", "1 < 2, 1 < 2"),
            ("html", "&lt;p>One&lt;/p>\n&lt;p>Two &amp;#8217;&lt;/p>", "One Two ’"),
            (
                "xhtml",
                "<div xmlns=\"http://www.w3.org/1999/xhtml\">An <em>odd</em> &amp; even</div>",
                "An odd & even",
            ),
        ] {
            assert_eq!(atom(kind, title).title, expected, "{kind} {title}");
        }
        let rss =
            feed("").replace("A &amp; B", "Caf&eacute; <![CDATA[Bar&#8217;s &ndash; &amp; &unknown;]]>");
        assert_eq!(show(&rss).title, "Café Bar’s – & &unknown;");
    }

    #[test]
    fn feeds_in_utf_16_are_read() {
        let text = feed("<item><title>Übung</title><enclosure url='/1.mp3' type='' length=''/></item>");
        let text = text.replace("UTF-8", "UTF-16");
        let units: Vec<u16> = text.encode_utf16().collect();
        for mark in [Some(0xfeff), None] {
            let marked = || mark.iter().chain(&units);
            let big: Vec<u8> = marked().flat_map(|unit: &u16| unit.to_be_bytes()).collect();
            let little: Vec<u8> = marked().flat_map(|unit: &u16| unit.to_le_bytes()).collect();
            for bytes in [big, little] {
                let show = show_of(bytes, Some("https://example.com/".parse().unwrap()));
                assert_eq!(show.episodes[0].title.as_deref(), Some("Übung"));
            }
        }
    }

    #[test]
    fn pages_are_one_podcast_and_say_where_it_goes_on() {
        let paged = |items: &str, links: &str| {
            let text = feed(&format!("{links}{items}"))
                .replace("<rss ", "<rss xmlns:atom='http://www.w3.org/2005/Atom' ");
            let base = Some("https://example.com/feeds/show.xml".parse().unwrap());
            Page::read(&FeedBytes { bytes: text.into_bytes(), base }).unwrap()
        };
        let item = |id: &str| {
            format!("<item><guid>{id}</guid><enclosure url='/{id}.mp3' type='' length=''/></item>")
        };
        let first = paged(
            &[item("c"), item("b")].concat(),
            "<atom:link rel='self' href='show.xml'/><atom:link rel='next' href='?page=2'/>
             <itunes:new-feed-url>https://new.example.com/feed</itunes:new-feed-url>",
        );
        assert_eq!(first.next.as_ref().unwrap().as_str(), "https://example.com/feeds/show.xml?page=2");
        assert_eq!(first.moved_to.as_ref().unwrap().as_str(), "https://new.example.com/feed");
        let last = paged(&[item("b"), item("a")].concat(), "");
        assert_eq!((&last.next, &last.moved_to), (&None, &None));
        let archived = paged("", "<atom:link rel='prev-archive' href='/old.xml'/>");
        assert_eq!(archived.next.unwrap().as_str(), "https://example.com/old.xml");
        let show = Show::of([first, last]);
        let ids: Vec<&str> = show.episodes.iter().map(|episode| episode.id.as_str()).collect();
        assert_eq!((show.title.as_str(), ids, show.skipped.len()), ("A & B", vec!["a", "b", "c"], 1));
    }

    #[test]
    fn the_oldest_comes_first() {
        let items: String = [
            ("d", "Thu, 04 Jan 2024 00:00:00 +0000"),
            ("c", "someday"),
            ("b", "2024-01-02T00:00:00Z"),
            ("e", "Fri, 05 Jan 2024 00:00:00 GMT"),
            ("a", "Mon, 01 Jan 2024 00:00:00 GMT"),
        ]
        .into_iter()
        .map(|(id, date)| {
            format!(
                "<item><guid>{id}</guid><pubDate>{date}</pubDate><enclosure url='/{id}.mp3' type='' length=''/></item>"
            )
        })
        .collect();
        let ids: Vec<String> = show(&feed(&items)).episodes.into_iter().map(|episode| episode.id).collect();
        assert_eq!(ids, ["a", "b", "c", "d", "e"]);
    }

    #[test]
    fn atom_is_read_too() {
        let show = show(
            r#"<feed xmlns="http://www.w3.org/2005/Atom"><title>Show</title><id>x</id><updated>2024-01-01T00:00:00Z</updated>
            <author><name>Ann</name></author><logo>/logo.png</logo>
            <entry><title>One</title><id>urn:1</id><updated>2024-01-02T00:00:00Z</updated>
            <link href="https://example.com/1"/><link rel="enclosure" type="audio/mpeg" href="/1.mp3"/></entry></feed>"#,
        );
        let episode = &show.episodes[0];
        assert_eq!((show.title.as_str(), episode.id.as_str()), ("Show", "urn:1"));
        assert_eq!(episode.file.as_str(), "https://example.com/1.mp3");
        assert_eq!(episode.published_at.unwrap().to_string(), "2024-01-02T00:00:00.000Z");
    }

    #[test]
    fn entities_are_not_expanded() {
        let bomb = r#"<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">
            <!ENTITY c SYSTEM "file:///etc/passwd">]>
            <rss version="2.0"><channel><title>&b;&c;</title><link/><description/></channel></rss>"#;
        assert_eq!(show(bomb).title, "&b;&c;");
    }
}
