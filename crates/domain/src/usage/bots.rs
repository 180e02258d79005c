//! Detection of bots: programs that fetch without a listener.

/// Substrings of bots' user agents, in lower case. HTTP libraries that listeners' apps use are not included.
const PATTERNS: [&str; 38] = [
    "crawl",
    "spider",
    "slurp",
    "preview",
    "scan",
    "monitor",
    "uptime",
    "pingdom",
    "validator",
    "archiver",
    "facebookexternalhit",
    "facebookcatalog",
    "meta-external",
    "mediapartners",
    "feedfetcher",
    "google-safety",
    "apis-google",
    "bingpreview",
    "whatsapp",
    "slack-imgproxy",
    "embedly",
    "quora link",
    "curl/",
    "wget/",
    "python-",
    "aiohttp",
    "httpx",
    "python/",
    "go-http-client",
    "libwww-perl",
    "java/",
    "axios/",
    "node-fetch",
    "undici",
    "ruby",
    "apache-httpclient",
    "scrapy",
    "feedparser",
];

/// Maximum number of bytes of a user agent that are examined.
const MOST_BYTES: usize = 512;

/// Whether a user agent belongs to a bot: a crawler, a link preview, a monitor, a command-line tool. A client without a
/// user agent counts as a bot.
pub fn is_bot(agent: Option<&[u8]>) -> bool {
    let agent = agent.unwrap_or_default().trim_ascii();
    let agent = &agent[..agent.len().min(MOST_BYTES)];
    agent.is_empty()
        || names_itself_bot(agent)
        || PATTERNS.iter().any(|pattern| contains(agent, pattern.as_bytes()))
}

/// Whether a user agent contains "bot", as almost every crawler's does. The phone brand Cubot is excluded.
fn names_itself_bot(agent: &[u8]) -> bool {
    let mut words = agent.windows(3).enumerate().filter(|(_, word)| word.eq_ignore_ascii_case(b"bot"));
    words.any(|(place, _)| !agent[place.saturating_sub(2)..place].eq_ignore_ascii_case(b"cu"))
}

fn contains(text: &[u8], pattern: &[u8]) -> bool {
    text.windows(pattern.len()).any(|window| window.eq_ignore_ascii_case(pattern))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bots_are_told_from_people() {
        for bot in [
            "",
            "   ",
            "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
            "facebookexternalhit/1.1",
            "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
            "WhatsApp/2.23.20.0",
            "curl/8.5.0",
            "Wget/1.21",
            "python-requests/2.31.0",
            "Go-http-client/2.0",
            "Mozilla/5.0 (compatible; YandexBot/3.0)",
            "TelegramBot (like TwitterBot)",
            "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
            "Slack-ImgProxy (+https://api.slack.com/robots)",
            "Python/3.11 aiohttp/3.9.1",
            "node-fetch",
            "axios/1.6.2",
            "Mozilla/5.0 (Linux; Android 12; CUBOT NOTE 30) (compatible; ExampleBot/1.0)",
            "Baiduspider+(+http://www.baidu.com/search/spider.htm)",
        ] {
            assert!(is_bot(Some(bot.as_bytes())), "{bot}");
        }
        assert!(is_bot(None));
        for person in [
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36",
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.1 Safari/605.1.15",
            "AppleCoreMedia/1.0.0.21B101 (iPhone; U; CPU OS 17_1_2 like Mac OS X; en_us)",
            "Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0",
            "Mozilla/5.0 (Linux; Android 12; CUBOT NOTE 30) AppleWebKit/537.36 Chrome/120.0.0.0 Mobile Safari/537.36",
            "Mozilla/5.0 (Linux; Android 13) AppleWebKit/537.36 Chrome/119.0 Mobile Safari/537.36 Telegram-Android/10.3.2",
            "Mozilla/5.0 (Macintosh; Intel Mac OS X) AppleWebKit/537.36 Chrome/118.0 Electron/27.0 Safari/537.36 Slack_SSB/4.35",
            "okhttp/4.12.0",
            "Overcast/2023.11 (+http://overcast.fm/; iOS podcast app)",
            "Spotify/8.8.96 iOS/17.1.2",
            "VLC/3.0.20 LibVLC/3.0.20",
        ] {
            assert!(!is_bot(Some(person.as_bytes())), "{person}");
        }
    }

    #[test]
    fn long_user_agents_are_looked_at_in_part() {
        assert!(!is_bot(Some("a ".repeat(100_000).as_bytes())));
        assert!(is_bot(Some(&[0xff, b'b', b'O', b't'])));
    }
}
