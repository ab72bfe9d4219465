//! Only the page of this server is answered: other hosts, origins and paths are refused, and hostile clients
//! neither stop the server nor hold it up.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::json;
use tungstenite::Message;

use crate::client::arm;
use crate::client::{Page, Served, get, parts, request, status};

/// The headers of a WebSocket's handshake, with some subprotocols.
fn handshake(protocols: &str) -> String {
    format!(
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: {protocols}\r\n"
    )
}

/// The start of the answer to a handshake.
fn shake(port: u16, headers: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    let text = format!(
        "GET /socket HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n{headers}\r\n"
    );
    stream.write_all(text.as_bytes()).expect("it is sent");
    let mut start = [0; 400];
    let count = stream.read(&mut start).expect("an answer");
    String::from_utf8_lossy(&start[..count]).into_owned()
}

#[test]
fn the_files_of_the_page_have_no_secret() {
    let served = arm();
    let (port, secret) = parts(served.address());
    assert!(secret.len() == 32 && secret.bytes().all(|byte| byte.is_ascii_hexdigit()), "{secret}");
    let page = get(port, "/", "");
    assert_eq!(status(&page), 200);
    for header in [
        "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; \
         connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n",
        "X-Content-Type-Options: nosniff\r\n",
        "Referrer-Policy: no-referrer\r\n",
        "Cross-Origin-Resource-Policy: same-origin\r\n",
        "Cache-Control: no-store\r\n",
    ] {
        assert!(page.contains(header), "{header}");
    }
    assert!(!page.contains("Access-Control"));
    assert!(!page.contains(&secret) && !page.contains("Set-Cookie"));
    // Nothing stands in the page that the policy does not allow.
    assert!(!page.contains("<script>") && !page.contains(" style=") && !page.contains(" on"), "{page}");
}

#[test]
fn other_hosts_origins_and_secrets_are_refused() {
    let served = arm();
    let (port, secret) = parts(served.address());
    let good = handshake(&format!("bone-layer, {secret}"));
    let paths = ["/", "/style.css", "/main.js", "/nothing", "/socket"];
    for path in paths {
        for host in ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil:80", "", "127.0.0.1.:80"] {
            let text = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{good}\r\n");
            assert_eq!(status(&request(port, text.as_bytes())), 421, "{path} {host}");
        }
        let none = format!("GET {path} HTTP/1.1\r\n{good}\r\n");
        assert_eq!(status(&request(port, none.as_bytes())), 421, "{path}");
        let two = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHost: evil\r\n{good}\r\n");
        assert_eq!(status(&request(port, two.as_bytes())), 421, "{path}");
        for origin in ["http://evil.example", "null", "https://127.0.0.1:1", "http://localhost:1"] {
            let answer = get(port, path, &format!("{good}Origin: {origin}\r\n"));
            assert_eq!(status(&answer), 403, "{path} {origin}");
        }
    }
    // Neither an address nor a cookie opens the WebSocket, and its protocol alone neither.
    let zeros = "0".repeat(32);
    for headers in [
        String::new(),
        handshake("bone-layer"),
        handshake(&secret),
        handshake(&format!("bone-layer, {zeros}")),
        handshake(&format!("bone-layer, {}", &secret[..31])),
        format!("{}Cookie: live-{port}={secret}\r\n", handshake("bone-layer")),
    ] {
        assert_eq!(status(&shake(port, &headers)), 401, "{headers}");
    }
    let origin = format!("Origin: http://127.0.0.1:{port}\r\n");
    assert_eq!(status(&get(port, &format!("/socket?token={secret}"), &origin)), 401);
    // A WebSocket needs an origin; a page that is navigated to has none.
    assert_eq!(status(&get(port, "/socket", &good)), 403);
    let protocol = format!("Sec-WebSocket-Protocol: bone-layer, {secret}\r\n");
    assert_eq!(status(&shake(port, &protocol)), 400, "no handshake");
    let answer = shake(port, &good);
    // The example of RFC 6455, 1.3.
    assert!(answer.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "{answer}");
    assert!(
        answer.contains("Sec-WebSocket-Protocol: bone-layer\r\n") && !answer.contains(&secret),
        "{answer}"
    );
}

#[test]
fn no_path_leaves_the_table() {
    let served = arm();
    for path in [
        "/../Cargo.toml",
        "/page/../rig.ron",
        "/%2e%2e/rig.ron",
        "/..%2frig.ron",
        "//etc/passwd",
        "/etc/passwd",
        "/rig.ron",
        "/arm.svg",
        "/index.html/",
        "/main.js%00",
        "/./main.js",
        "http://127.0.0.1/main.js",
        "*",
    ] {
        assert_eq!(status(&get(served.port(), path, "")), 404, "{path}");
    }
    for path in ["/", "/index.html", "/style.css", "/main.js", "/main.js?x=1"] {
        assert_eq!(status(&get(served.port(), path, "")), 200, "{path}");
    }
    let port = served.port();
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE"] {
        let text = format!("{method} / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n");
        assert_eq!(status(&request(port, text.as_bytes())), 405, "{method}");
    }
    let with_body = format!("POST / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 3\r\n\r\nabc");
    assert_eq!(status(&request(port, with_body.as_bytes())), 405);
    let head = request(port, format!("HEAD / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n").as_bytes());
    assert!(status(&head) == 200 && head.ends_with("\r\n\r\n"), "{head}");
}

#[test]
fn requests_that_are_none_are_refused() {
    let served = arm();
    let port = served.port();
    let long = format!("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", "a".repeat(40_000));
    assert_eq!(status(&request(port, long.as_bytes())), 431);
    let endless = format!("GET / HTTP/1.1\r\nX: {}", "a".repeat(60_000));
    assert_eq!(status(&request(port, endless.as_bytes())), 431);
    let many = format!("GET / HTTP/1.1\r\n{}\r\n", "X: y\r\n".repeat(200));
    assert_eq!(status(&request(port, many.as_bytes())), 431);
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"GET / HTTP/1.0\r\nHost: x\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\0\0\0\0\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: \xff\xfe\r\n\r\n",
        b"GET / HTTP/1.1\r\nNo colon\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let answer = request(port, bytes);
        assert_eq!(status(&answer), 400, "{:?}: {answer}", String::from_utf8_lossy(bytes));
    }
    // The server goes on.
    assert_eq!(served.page().state["t"], "state");
}

#[test]
fn slow_clients_are_given_up() {
    let served = arm();
    let port = served.port();
    let begin = Instant::now();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(10))).expect("a limit");
    // A byte now and then does not extend the time.
    let mut answer = String::new();
    for byte in b"GET / HTTP/1.1\r\nHost: 127.0.0.1" {
        if stream.write_all(&[*byte]).is_err() || begin.elapsed() > Duration::from_secs(6) {
            break;
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    let _ = stream.read_to_string(&mut answer);
    assert!(begin.elapsed() < Duration::from_secs(8), "{:?}", begin.elapsed());
    assert_eq!(status(&answer), 408, "{answer}");
}

#[test]
fn idle_connections_do_not_block_pages() {
    let served = arm();
    let port = served.port();
    // Connections that say nothing, over and over, as any program of this machine can make them.
    let ended = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut silent = std::collections::VecDeque::new();
            while !ended.load(std::sync::atomic::Ordering::Relaxed) {
                silent.extend(TcpStream::connect(("127.0.0.1", port)).ok());
                if silent.len() > 200 {
                    silent.pop_front();
                }
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        std::thread::sleep(Duration::from_millis(800));
        for at in 0..40 {
            assert_eq!(status(&get(port, "/main.js", "")), 200, "request {at}");
        }
        assert_eq!(served.page().posed("nod", 0.0)["t"], "posed");
        ended.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}

#[test]
fn too_many_pages_are_refused() {
    let served = arm();
    let mut pages: Vec<Page> = (0..32).map(|_| served.page()).collect();
    let refused = Page::try_open(served.address()).err().expect("it is refused");
    assert!(refused.contains("503"), "{refused}");
    // Files are for everybody.
    assert_eq!(status(&get(served.port(), "/", "")), 200);
    drop(pages.pop());
    let until = Instant::now() + Duration::from_secs(5);
    while Page::try_open(served.address()).is_err() {
        assert!(Instant::now() < until, "there is room again");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// What a project of somebody else may hold where a server would keep its records.
#[cfg(unix)]
#[test]
fn nothing_is_kept_in_the_folder_of_the_rig() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().expect("a folder");
    let (rig, victim) = (folder.path().join("rig.ron"), folder.path().join("victim"));
    std::fs::write(&rig, crate::rigs::ARM).expect("a file");
    std::fs::write(folder.path().join("arm.svg"), crate::rigs::ARM_SVG).expect("a file");
    std::fs::write(&victim, "precious").expect("a file");
    let planted = folder.path().join(".bone-layer/live");
    std::fs::create_dir_all(&planted).expect("a folder");
    for end in ["address", "lock", "1.journal"] {
        symlink(&victim, planted.join(format!("rig.ron.{end}"))).expect("a link");
    }
    let server = bone_live::LiveServer::start(crate::client::options(&rig)).expect("a server");
    let mut page = Page::open(server.address());
    page.edit(json!([{ "op": "SetKey", "channel": ["clips", "nod", "bones", "hand", "rotate"], "time": 1, "value": 9 }]));
    drop((page, server));
    assert_eq!(std::fs::read_to_string(&victim).expect("it is there"), "precious");
    assert_eq!(std::fs::read_dir(&planted).expect("a folder").count(), 3);
}

/// Links, pipes and files of others among the records, as a folder of two users could hold them: none is opened, and
/// no secret of them is taken up.
#[cfg(unix)]
#[test]
fn records_that_are_not_the_users_alone_are_not_used() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let served = arm();
    let mode = |name: &str| {
        let path = crate::client::records(&served.rig).join(name);
        std::fs::metadata(path).expect("a record").permissions().mode() & 0o777
    };
    let names = crate::client::recorded(&served.rig);
    assert_eq!(names.len(), 2, "{names:?}");
    names.iter().for_each(|name| assert_eq!(mode(name), 0o600, "{name}"));
    assert_eq!(mode(""), 0o700);
    let (rig, planted) = (served.rig.clone(), "0".repeat(32));
    let path = |end: &str| {
        let name = names[0].rsplit_once('.').expect("an end").0;
        crate::client::records(&rig).join(format!("{name}.{end}"))
    };
    let Served { folder, server, .. } = served;
    drop(server);
    let start = || bone_live::LiveServer::start(crate::client::options(&rig)).expect("a server");
    let victim = folder.path().join("victim");
    std::fs::write(&victim, format!("http://127.0.0.1:45679/#{planted}")).expect("a file");

    // An address that others can read.
    std::fs::copy(&victim, path("address")).expect("a copy");
    std::fs::set_permissions(path("address"), PermissionsExt::from_mode(0o666)).expect("rights");
    let server = start();
    assert!(!server.address().contains(&planted));
    assert_eq!(std::fs::metadata(path("address")).expect("it").permissions().mode() & 0o777, 0o600);
    drop(server);
    for end in ["address", "lock", "1.journal"] {
        // A link, then a pipe.
        let _ = std::fs::remove_file(path(end));
        symlink(&victim, path(end)).expect("a link");
        let server = start();
        assert!(!server.address().contains(&planted));
        let mut page = Page::open(server.address());
        page.edit(json!([{ "op": "SetKey", "channel": ["clips", "nod", "bones", "hand", "rotate"], "time": 1, "value": 9 }]));
        drop((page, server));
        assert!(std::fs::read_to_string(&victim).expect("it").ends_with(&planted), "{end}");
        let _ = std::fs::remove_file(path(end));
        let made = std::process::Command::new("mkfifo").arg(path(end)).status();
        assert!(made.expect("mkfifo").success());
        let began = Instant::now();
        drop(Page::open(start().address()));
        assert!(began.elapsed() < Duration::from_secs(10), "{end}: {:?}", began.elapsed());
        let _ = std::fs::remove_file(path(end));
    }
}

#[test]
fn it_is_not_reached_from_other_interfaces() {
    let served = arm();
    // Whatever address this machine has besides the loopback; a datagram is not sent for this.
    let outside = std::net::UdpSocket::bind("0.0.0.0:0").and_then(|socket| {
        socket.connect("192.0.2.1:9")?;
        socket.local_addr()
    });
    if let Ok(address) = outside
        && !address.ip().is_loopback()
        && !address.ip().is_unspecified()
    {
        let at = (address.ip(), served.port()).into();
        assert!(TcpStream::connect_timeout(&at, Duration::from_secs(1)).is_err(), "{at}");
    }
}

#[test]
fn hostile_messages_are_answered_and_change_nothing() {
    let served = arm();
    let before = served.text();
    let mut page = served.page();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let deep_value = format!(
        "{{\"t\":\"edit\",\"id\":\"x\",\"ops\":[{{\"op\":\"Set\",\"at\":[\"bones\"],\"value\":{{\"ron\":\"{}\"}}}}]}}",
        "(".repeat(5000)
    );
    let texts = [
        "",
        "{",
        "null",
        "[]",
        "1",
        "\"t\"",
        "{}",
        "{\"t\":1}",
        "{\"t\":\"nothing\"}",
        &deep,
        &deep_value,
        "{\"t\":\"frame\"}",
        "{\"t\":\"frame\",\"seq\":-1,\"time\":0}",
        "{\"t\":\"frame\",\"seq\":1e300,\"time\":0}",
        "{\"t\":\"frame\",\"seq\":1,\"time\":\"x\",\"size\":[1,1]}",
        "{\"t\":\"frame\",\"seq\":1,\"time\":0,\"size\":[0,0]}",
        "{\"t\":\"frame\",\"seq\":1,\"time\":0,\"size\":[99999,99999]}",
        "{\"t\":\"frame\",\"seq\":1,\"time\":0,\"size\":[30000,30000]}",
        "{\"t\":\"frame\",\"seq\":1,\"time\":0,\"size\":[4,4],\"view\":[0,0,0,0]}",
        "{\"t\":\"frame\",\"seq\":1,\"time\":0,\"size\":[4,4],\"view\":\"x\"}",
        "{\"t\":\"frame\",\"seq\":1,\"time\":0,\"size\":[4,4],\"pose\":{\"upper\":{\"rotate\":\"x\"}}}",
        "{\"t\":\"frame\",\"seq\":1,\"time\":0,\"size\":[4,4],\"clip\":\"none\"}",
        "{\"t\":\"frame\",\"seq\":1,\"time\":0,\"size\":[4,4],\"paper\":\"no colour\"}",
        "{\"t\":\"drag\",\"seq\":1,\"gesture\":\"none\",\"to\":[0,0]}",
        "{\"t\":\"begin\",\"gesture\":\"g\",\"grab\":{\"kind\":\"rotate\",\"bone\":\"none\",\"at\":[0,0]}}",
        "{\"t\":\"begin\",\"gesture\":\"g\",\"grab\":{\"kind\":\"fly\",\"bone\":\"upper\"}}",
        "{\"t\":\"begin\",\"gesture\":\"g\",\"grab\":7}",
        "{\"t\":\"edit\",\"id\":\"a\",\"ops\":[{\"op\":\"Explode\"}]}",
        "{\"t\":\"edit\",\"id\":\"a\",\"ops\":[{\"op\":\"Set\",\"at\":[],\"value\":1}]}",
        "{\"t\":\"edit\",\"id\":\"a\",\"ops\":{}}",
        "{\"t\":\"edit\",\"id\":\"a\",\"ops\":[]}",
        "{\"t\":\"edit\",\"id\":\"a\",\"ops\":[{\"op\":\"SetKey\",\"channel\":[\"clips\"],\"time\":0,\"value\":1}]}",
        "{\"t\":\"edit\",\"id\":\"a\",\"ops\":[{\"op\":\"Move\",\"at\":[\"bones\",-1],\"to\":1e99}]}",
        "{\"t\":\"paint\",\"id\":\"a\",\"art\":[\"upper\"],\"do\":\"set\"}",
        "{\"t\":\"curve\",\"seq\":1,\"paths\":[[\"clips\"]],\"from\":0,\"to\":1}",
        "{\"t\":\"weights\",\"seq\":1,\"bone\":7}",
        "{\"t\":\"resolve\",\"id\":\"a\",\"file\":\"../../etc/passwd\",\"keep\":\"ours\"}",
        "{\"t\":\"text\",\"id\":\"a\",\"file\":\"/etc/passwd\"}",
        "{\"t\":\"export\",\"id\":\"a\",\"output\":\"../out.gif\",\"args\":[]}",
        "{\"t\":\"journal\",\"id\":\"a\",\"take\":true}",
    ];
    for text in texts {
        page.send_raw(Message::text(text));
        let answer = page.find(|answer| !["watch", "state"].iter().any(|kind| answer["t"] == *kind));
        assert!(["error", "refused", "failed"].iter().any(|kind| answer["t"] == *kind), "{text}: {answer}");
        assert!(answer["why"].as_str().is_some_and(|why| !why.is_empty()), "{answer}");
    }
    page.send_raw(Message::binary(vec![1, 2, 3]));
    page.send_raw(Message::Ping(vec![1].into()));
    assert_eq!(page.posed("wave", 0.0)["t"], "posed");
    assert_eq!(served.text(), before);
}

#[test]
fn broken_frames_end_their_connection_alone() {
    let served = arm();
    let mut other = served.page();
    // Text that is not UTF-8, masked with 0.
    let mut bad_text = vec![0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe];
    bad_text.extend([0; 4]);
    let cases: [&[u8]; 5] = [
        &bad_text,
        // A frame without a mask.
        &[0x81, 0x02, b'h', b'i'],
        // A reserved operation.
        &[0x83, 0x80, 0, 0, 0, 0],
        // A frame of 2^63 bytes.
        &[0x82, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0],
        // The continuation of nothing.
        &[0x80, 0x80, 0, 0, 0, 0],
    ];
    for case in cases {
        let mut page = served.page();
        page.stream().write_all(case).expect("it is sent");
        while page.read().is_some() {}
    }
    // One that is cut off.
    let mut page = served.page();
    page.stream().write_all(&[0x81, 0xfe, 0x10]).expect("it is sent");
    drop(page);
    // One that is too long.
    let mut page = served.page();
    let _ = page.stream().write_all(&[0x81, 0xff, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0]);
    while page.read().is_some() {}
    assert_eq!(other.posed("wave", 0.0)["t"], "posed");
}

#[test]
fn names_with_markup_are_data() {
    let name = "<img src=x onerror=alert(1)>";
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 9 9\"><rect id=\"&lt;b>\" width=\"5\" height=\"5\"/></svg>";
    let rig =
        format!("Rig(version: 1, drawing: \"a.svg\", bones: {{ {name:?}: (from: (0, 0), to: (5, 5)) }})");
    let served = Served::files(&[("rig.ron", &rig), ("a.svg", svg)]);
    let page = served.page();
    assert_eq!(page.state["bones"][0]["name"], json!(name));
    // The page itself has no names.
    let html = get(served.port(), "/", "");
    assert!(!html.contains("onerror"));
    drop(Page::open(served.address()));
}
