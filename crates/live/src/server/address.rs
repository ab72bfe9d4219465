//! The address of a page, with the secret of its server. The secret is in the fragment, which browsers do
//! not send; the page sends it as a subprotocol of the WebSocket. A cookie would be sent to all ports of this machine.

use std::fmt;

/// Digits of a secret: 128 bits.
const DIGITS: usize = 32;

/// A port of the loopback, and a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) port: u16,
    pub(crate) secret: String,
}

impl Address {
    /// Longer than any address.
    pub(crate) const LONGEST: u64 = 100;

    /// The address of a text, if it is one that a server of this program writes.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (port, secret) = text.strip_prefix("http://127.0.0.1:")?.split_once("/#")?;
        let address = Self { port: port.parse().ok()?, secret: secret.to_owned() };
        let is_secret = secret.len() == DIGITS && secret.bytes().all(|byte| byte.is_ascii_hexdigit());
        (is_secret && address.to_string() == text).then_some(address)
    }

    /// Compares in a time that does not depend on where the texts differ.
    pub(crate) fn is_secret(&self, given: &str) -> bool {
        let (given, own) = (given.as_bytes(), self.secret.as_bytes());
        given.len() == own.len() && given.iter().zip(own).fold(0, |all, (a, b)| all | (a ^ b)) == 0
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://127.0.0.1:{}/#{}", self.port, self.secret)
    }
}

/// A new secret of random hexadecimal digits.
#[cfg(feature = "server")]
pub(crate) fn secret() -> Result<String, String> {
    let mut bytes = [0_u8; DIGITS / 2];
    getrandom::fill(&mut bytes).map_err(|error| error.to_string())?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_addresses_are_read() {
        let own = format!("http://127.0.0.1:45679/#{}", "0a".repeat(16));
        assert_eq!(Address::parse(&own).expect("an address").to_string(), own);
        for other in [
            "",
            "file:///home/evil.desktop",
            "\u{1b}]0;x\u{7}",
            &own.replace("127.0.0.1", "127.0.0.2"),
            &own.replace("45679", "99999"),
            &own.replace("45679", "045679"),
            &own.replace("45679", "+4567"),
            &own.replace("/#", "/?token="),
            &own.replace("0a0a", "0a0g"),
            &format!("{own}\n"),
            &format!("{own}0"),
        ] {
            assert_eq!(Address::parse(other), None, "{other:?}");
        }
    }
}
