//! Reads a whole podcast: from where its feed is now, with all pages.

use std::collections::HashSet;

use tonearm_outbound::Outbound;
use url::Url;

use super::outline::MOST_ITEMS;
use super::show::{Page, Show};
use super::source::{FeedBytes, FeedSource, follow};
use crate::cli::bulk::Screen;

/// Maximum number of pages, and of places where the feed was before.
const MOST_PAGES: usize = 1000;

/// Reads a podcast. An error is a sentence.
pub(super) async fn read(source: &FeedSource, outbound: &Outbound, screen: &Screen) -> Result<Show, String> {
    let mut feed = source.read().await?;
    let mut page = Page::read(&feed)?;
    // A URL that was read before is not followed again.
    let mut read: HashSet<Url> = source.url().into_iter().chain(feed.base.clone()).collect();
    while let Some(url) = page.moved_to.clone().filter(|url| read.insert(url.clone())) {
        let host = url.host_str().unwrap_or_default();
        screen.warn(&format!("the feed has moved to {host}; use its new URL."));
        (feed, page) = at(&url, &feed, outbound).await?;
        check_pages(read.len())?;
    }
    let (mut pages, mut items) = (Vec::new(), page.len());
    while let Some(url) = page.next.clone().filter(|url| read.insert(url.clone())) {
        let (of_next, next) = at(&url, &feed, outbound).await?;
        pages.push(page);
        (feed, page) = (of_next, next);
        items += page.len();
        check_pages(read.len())?;
        if items > MOST_ITEMS {
            return Err(format!("the feed has more than {MOST_ITEMS} items on its pages"));
        }
    }
    pages.push(page);
    Ok(Show::of(pages))
}

async fn at(url: &Url, from: &FeedBytes, outbound: &Outbound) -> Result<(FeedBytes, Page), String> {
    let feed = follow(url, from, outbound).await?;
    let page = Page::read(&feed)?;
    Ok((feed, page))
}

fn check_pages(pages: usize) -> Result<(), String> {
    match pages > MOST_PAGES {
        true => Err(format!("the feed has more than {MOST_PAGES} pages")),
        false => Ok(()),
    }
}
