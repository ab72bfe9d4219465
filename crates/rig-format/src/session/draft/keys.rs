//! Edits of keys: set, moved, copied, with another ease, and what a channel does outside them.

use std::sync::Arc;

use bone_core::in_few_digits;

use super::{Draft, Found};
use crate::doc::{Ease, Extend};
use crate::edit::EditError;
use crate::session::path::{DocPath, is_key, is_same_time, key_time};
use crate::session::value::DocValue;

impl Draft<'_> {
    /// The list of keys of a channel.
    pub(super) fn keys(&self, channel: &DocPath) -> Result<Found, EditError> {
        let (file, mut place) = self.locate(channel)?;
        let value = self.get(&(file, place.clone()));
        if let Some(keys) = value
            .filter(|value| matches!(value, DocValue::Fields(..)))
            .and_then(|value| value.position("keys"))
        {
            place.push(keys);
        }
        let found = (file, place);
        match self.get(&found) {
            Some(DocValue::List(items)) if items.iter().all(is_key) => Ok(found),
            _ => Err(EditError::request(format!("{channel} is no channel: it has no keys"))),
        }
    }

    pub(super) fn keys_mut(&mut self, found: &Found) -> Option<&mut Vec<DocValue>> {
        match self.get_mut(found) {
            Some(DocValue::List(items)) => Some(Arc::make_mut(items)),
            _ => None,
        }
    }

    pub(super) fn set_key(
        &mut self,
        channel: &DocPath,
        time: f64,
        value: DocValue,
        ease: Option<Ease>,
    ) -> Result<(), EditError> {
        let ease = ease.map(|ease| self.ease(ease)).transpose()?;
        let found = match self.keys(channel) {
            Ok(found) => found,
            Err(error) if self.locate(channel).is_ok() => return Err(error),
            Err(_) => {
                let key = DocValue::tuple(None, [DocValue::Number(time), value].into_iter().chain(ease));
                return self.set(channel, DocValue::list([key]));
            }
        };
        let Some(keys) = self.keys_mut(&found) else { return Ok(()) };
        match keys.iter_mut().find(|key| key_time(key).is_some_and(|at| is_same_time(at, time))) {
            Some(DocValue::Tuple(_, parts)) => {
                let parts = Arc::make_mut(parts);
                parts[1] = value;
                if let Some(ease) = ease {
                    parts.truncate(2);
                    parts.push(ease);
                }
            }
            _ => insert_key(
                keys,
                DocValue::tuple(None, [DocValue::Number(time), value].into_iter().chain(ease)),
            ),
        }
        Ok(())
    }

    pub(super) fn ease(&self, ease: Ease) -> Result<DocValue, EditError> {
        let ease = DocValue::from(ease);
        match ease.is_writable() {
            true => Ok(ease.rounded(self.digits.shares)),
            false => Err(EditError::request("the numbers of an ease must be finite")),
        }
    }

    pub(super) fn move_key(
        &mut self,
        channel: &DocPath,
        from: f64,
        to: f64,
        copy: bool,
    ) -> Result<(), EditError> {
        let found = self.keys(channel)?;
        let (_, place) = self.locate(&channel.clone().time(from))?;
        let position = place.last().copied().unwrap_or_default();
        let Some(keys) = self.keys_mut(&found) else { return Ok(()) };
        let stays = |at: usize| copy || at != position;
        let taken = keys.iter().enumerate().filter(|(at, _)| stays(*at));
        if taken.filter_map(|(_, key)| key_time(key)).any(|at| is_same_time(at, to)) {
            let message = format!("there is a key at {} in {channel} already", in_few_digits(to));
            return Err(EditError::request(message).help("delete it first, or choose another time"));
        }
        let mut key = keys[position].clone();
        if let Some(time) = key.child_mut(0) {
            *time = DocValue::Number(to);
        }
        if !copy {
            keys.remove(position);
        }
        insert_key(keys, key);
        Ok(())
    }

    pub(super) fn set_ease(
        &mut self,
        channel: &DocPath,
        time: f64,
        ease: Option<Ease>,
    ) -> Result<(), EditError> {
        let ease = ease.map(|ease| self.ease(ease)).transpose()?;
        let found = self.locate(&channel.clone().time(time))?;
        if let Some(DocValue::Tuple(_, parts)) = self.get_mut(&found) {
            let parts = Arc::make_mut(parts);
            parts.truncate(2);
            parts.extend(ease);
        }
        Ok(())
    }

    pub(super) fn set_extend(&mut self, channel: &DocPath, extend: Option<Extend>) -> Result<(), EditError> {
        self.keys(channel)?;
        let found = self.locate(channel)?;
        let Some(value) = self.get_mut(&found) else { return Ok(()) };
        if let (DocValue::List(_), Some(_)) = (&*value, extend) {
            *value = DocValue::fields(None, [("keys", value.clone())]);
        }
        if let DocValue::Fields(_, fields) = value {
            let fields = Arc::make_mut(fields);
            match (fields.iter_mut().find(|(name, _)| &**name == "extend"), extend) {
                (Some((_, old)), Some(extend)) => *old = extend.into(),
                (None, Some(extend)) => fields.push(("extend".into(), extend.into())),
                (_, None) => fields.retain(|(name, _)| &**name != "extend"),
            }
        }
        Ok(())
    }
}

/// Keys are in the order of their times.
fn insert_key(keys: &mut Vec<DocValue>, key: DocValue) {
    let time = key_time(&key).unwrap_or_default();
    let place = keys.iter().position(|other| key_time(other).is_some_and(|at| at > time));
    keys.insert(place.unwrap_or(keys.len()), key);
}
