//! Code that uses a new key, to be copied while the key is shown.

use tonearm_domain::{ApiKey, KeyType};

/// Code, and its purpose.
pub(super) struct Snippet {
    pub(super) title: &'static str,
    /// The message that describes its purpose.
    pub(super) note: &'static str,
    pub(super) text: String,
}

/// Code for a key, with the key and the address of the service filled in. None for share keys, whose links are used
/// directly.
pub(super) fn snippets(base: &str, key: &ApiKey, text: &str) -> Vec<Snippet> {
    match key.key_type {
        KeyType::Api => vec![
            Snippet { title: "curl", note: "keys-lists-tracks", text: curl_list(base, text) },
            Snippet { title: "JavaScript", note: "keys-server-only", text: script_list(base, text) },
        ],
        KeyType::Player => {
            let (scope, body) = played(key);
            vec![
                Snippet {
                    title: "curl",
                    note: "keys-opens-session",
                    text: curl_play(base, text, scope, &body),
                },
                Snippet {
                    title: "JavaScript",
                    note: "keys-gets-urls",
                    text: script_play(base, text, scope, &body),
                },
                Snippet { title: "HTML", note: "keys-play-page", text: page_play(base, text, scope, &body) },
            ]
        }
        KeyType::Uploader => {
            let body = uploaded(key);
            vec![
                Snippet { title: "curl", note: "keys-uploads-file", text: curl_upload(base, text, &body) },
                Snippet {
                    title: "JavaScript",
                    note: "keys-uploads-chosen",
                    text: script_upload(base, text, &body),
                },
                Snippet { title: "HTML", note: "keys-upload-page", text: page_upload(base, text, &body) },
            ]
        }
        KeyType::Share => Vec::new(),
    }
}

/// The scope of a player key, and the request body for it.
fn played(key: &ApiKey) -> (&'static str, String) {
    match (key.scope.collection(), key.scope.track()) {
        (_, Some(track)) => ("track", format!("{{\"track_id\": \"{track}\"}}")),
        (Some(collection), None) => ("collection", format!("{{\"collection_id\": \"{collection}\"}}")),
        (None, None) => ("collection", "{\"collection_id\": \"COLLECTION_ID\"}".to_owned()),
    }
}

/// Where an uploader key adds tracks.
fn uploaded(key: &ApiKey) -> String {
    match key.scope.collection() {
        Some(_) => "{}".to_owned(),
        None => "{\"collection_id\": \"COLLECTION_ID\"}".to_owned(),
    }
}

fn curl_list(base: &str, key: &str) -> String {
    format!("curl -f '{base}/v1/track?limit=10' \\\n  -H 'Authorization: Bearer {key}'")
}

fn script_list(base: &str, key: &str) -> String {
    format!(
        "const response = await fetch(\"{base}/v1/track?limit=10\", {{
  headers: {{ Authorization: \"Bearer {key}\" }},
}});
const {{ tracks }} = await response.json();
console.log(tracks);"
    )
}

fn curl_play(base: &str, key: &str, scope: &str, body: &str) -> String {
    format!(
        "curl -f '{base}/v1/play_session/{scope}' \\
  -H 'Authorization: Bearer {key}' \\
  -H 'Content-Type: application/json' \\
  -d '{body}'"
    )
}

fn script_play(base: &str, key: &str, scope: &str, body: &str) -> String {
    format!(
        "const response = await fetch(\"{base}/v1/play_session/{scope}\", {{
  method: \"POST\",
  headers: {{ Authorization: \"Bearer {key}\", \"Content-Type\": \"application/json\" }},
  body: JSON.stringify({body}),
}});
if (!response.ok) throw new Error((await response.json()).message);
const {{ first_track }} = await response.json();
console.log(first_track?.variants.map(({{ url }}) => url));"
    )
}

fn page_play(base: &str, key: &str, scope: &str, body: &str) -> String {
    format!(
        "<audio id=\"player\" controls></audio>
<script type=\"module\">
{}
if (first_track) document.getElementById(\"player\").src = first_track.variants[0].url;
</script>",
        script_play(base, key, scope, body)
    )
}

fn curl_upload(base: &str, key: &str, body: &str) -> String {
    format!(
        "session=$(curl -f '{base}/v1/upload_session' \\
  -H 'Authorization: Bearer {key}' \\
  -H 'Content-Type: application/json' -d '{body}' | jq -r .upload_session_id)
url=$(curl -f \"{base}/v1/upload/$session/track\" \\
  -H 'Content-Type: application/json' -d '{{\"file_name\": \"song.wav\"}}' | jq -r .track_upload.upload_url)
curl -f -T song.wav \"$url\""
    )
}

fn script_upload(base: &str, key: &str, body: &str) -> String {
    format!(
        "async function post(path, body, headers = {{}}) {{
  const response = await fetch(\"{base}\" + path, {{
    method: \"POST\",
    headers: {{ \"Content-Type\": \"application/json\", ...headers }},
    body: JSON.stringify(body),
  }});
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.message);
  return answer;
}}

async function upload(file) {{
  const {{ upload_session_id }} = await post(\"/v1/upload_session\", {body}, {{ Authorization: \"Bearer {key}\" }});
  const {{ track_id, track_upload }} = await post(`/v1/upload/${{upload_session_id}}/track`, {{ file_name: file.name }});
  const response = await fetch(track_upload.upload_url, {{ method: \"PUT\", body: file }});
  if (!response.ok) throw new Error((await response.json()).message);
  return track_id;
}}"
    )
}

fn page_upload(base: &str, key: &str, body: &str) -> String {
    format!(
        "<input id=\"file\" type=\"file\" accept=\"audio/*\">
<p id=\"state\"></p>
<script type=\"module\">
{}

const state = document.getElementById(\"state\");
document.getElementById(\"file\").addEventListener(\"change\", async ({{ target }}) => {{
  state.textContent = \"Uploading…\";
  try {{
    await upload(target.files[0]);
    state.textContent = \"Uploaded.\";
  }} catch (error) {{
    state.textContent = error.message;
  }}
}});
</script>",
        script_upload(base, key, body)
    )
}
