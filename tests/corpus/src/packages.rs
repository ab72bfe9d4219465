//! The list of packages, `packages.txt`: fetches each with the client of its registry, compares its checksum,
//! and lists the files in it. What was fetched once is kept.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A line of the list.
#[derive(Clone, Debug)]
pub(crate) struct Package {
    pub(crate) client: String,
    pub(crate) name: String,
    pub(crate) version: String,
    /// The start of the paths that are taken.
    files: String,
    sha256: String,
}

/// A file of a package.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    /// The package, and the path in it.
    pub(crate) name: String,
    pub(crate) bytes: SampleBytes,
}

/// Where the bytes of a sample are.
#[derive(Clone, Debug)]
pub(crate) enum SampleBytes {
    File(PathBuf),
    /// An icon of a JSON of Iconify.
    Text(String),
}

impl Sample {
    pub(crate) fn read(&self) -> Result<Vec<u8>, String> {
        match &self.bytes {
            // The engine asks for plain text.
            SampleBytes::File(path) if path.extension().is_some_and(|end| end == "svgz") => {
                run(Command::new("gzip").arg("-dc").arg(path)).map(String::into_bytes)
            }
            SampleBytes::File(path) => fs::read(path).map_err(|error| format!("{}: {error}", path.display())),
            SampleBytes::Text(text) => Ok(text.clone().into_bytes()),
        }
    }
}

/// The packages of the list.
pub(crate) fn listed(list: &str) -> Result<Vec<Package>, String> {
    let mut packages = Vec::new();
    for (at, line) in list.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let wrong = |what: &str| format!("packages.txt, line {}: {what}", at + 1);
        let cells: Vec<&str> = line.split_whitespace().collect();
        let [client, name, version, files, sha256] = cells[..] else {
            return Err(wrong("a line has a client, a name, a version, files and a checksum"));
        };
        if !["npm", "pip", "apt"].contains(&client) {
            return Err(wrong(&format!("{client} is none of `npm`, `pip` and `apt`")));
        }
        let [client, name, version, files, sha256] =
            [client, name, version, files, sha256].map(str::to_owned);
        packages.push(Package { client, name, version, files, sha256 });
    }
    Ok(packages)
}

/// Runs a program and returns what it prints, or the reason of its failure.
fn run(command: &mut Command) -> Result<String, String> {
    let shown = format!("{command:?}").replace('"', "");
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("{shown}: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it failed");
    Err(format!("{shown}: {last}"))
}

/// The only file of a folder.
fn only_file(folder: &Path) -> Result<PathBuf, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    match files.as_slice() {
        [file] => Ok(file.clone()),
        files => Err(format!("{} files were fetched instead of one", files.len())),
    }
}

impl Package {
    /// A name for messages and folders.
    pub(crate) fn title(&self) -> String {
        format!("{} {}", self.name, self.version)
    }

    fn folder_name(&self) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-.".contains(c) { c } else { '_' };
        self.title().chars().map(plain).collect()
    }

    /// Fetches the package into a folder unless it is there, and unpacks it. Returns the folder of its files.
    pub(crate) fn fetched(&self, into: &Path) -> Result<PathBuf, String> {
        let files = into.join(self.folder_name());
        // The checksum is part of the mark: a changed list fetches again.
        let mark = into.join(format!("{}.fetched", self.folder_name()));
        if fs::read_to_string(&mark).is_ok_and(|sum| sum == self.sha256) {
            return Ok(files);
        }
        let fresh = into.join(format!("{}.part", self.folder_name()));
        for folder in [&fresh, &files] {
            let _ = fs::remove_dir_all(folder);
            fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        run(&mut self.client(&fresh))?;
        let archive = only_file(&fresh)?;
        let sum = run(Command::new("sha256sum").arg(&archive))?;
        let sum = sum.split_whitespace().next().unwrap_or_default();
        if sum != self.sha256 {
            return Err(format!("the checksum is {sum}, and the list has {}", self.sha256));
        }
        unpack(&archive, &files)?;
        let _ = fs::remove_dir_all(&fresh);
        fs::write(&mark, &self.sha256).map_err(|error| format!("{}: {error}", mark.display()))?;
        Ok(files)
    }

    fn client(&self, into: &Path) -> Command {
        let (name, version) = (&self.name, &self.version);
        let mut command = match self.client.as_str() {
            "npm" => {
                let mut npm = Command::new("npm");
                npm.args(["pack", "--silent", &format!("{name}@{version}")]);
                npm
            }
            "pip" => {
                let mut pip = Command::new("python3");
                pip.args(["-m", "pip", "download", "--quiet", "--no-deps", "--no-build-isolation"]);
                pip.arg(format!("{name}=={version}"));
                pip
            }
            _ => {
                let mut apt = Command::new("apt-get");
                apt.args(["download", "-qq", &format!("{name}={version}")]);
                apt
            }
        };
        command.current_dir(into);
        command
    }

    /// The files of the package with one of these endings, sorted.
    pub(crate) fn samples(&self, folder: &Path, endings: &[&str]) -> Result<Vec<Sample>, String> {
        let start = folder.join(&self.files);
        if start.extension().is_some_and(|end| end == "json") {
            return self.icons(&start);
        }
        let (mut folders, mut found) = (vec![start], Vec::new());
        while let Some(inside) = folders.pop() {
            let entries = fs::read_dir(&inside).map_err(|error| format!("{}: {error}", inside.display()))?;
            for entry in entries.flatten() {
                // Links name files that are listed already.
                let Ok(kind) = entry.file_type() else { continue };
                let path = entry.path();
                let ending = path.extension().and_then(|end| end.to_str()).unwrap_or_default();
                if kind.is_dir() {
                    folders.push(path);
                } else if kind.is_file() && endings.contains(&ending) {
                    let inside = path.strip_prefix(folder).unwrap_or(&path);
                    let name = format!("{}/{}", self.name, inside.display());
                    found.push(Sample { name, bytes: SampleBytes::File(path) });
                }
            }
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }

    /// The icons of a JSON of Iconify, each as an SVG.
    fn icons(&self, path: &Path) -> Result<Vec<Sample>, String> {
        let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let bytes = fs::read(path).map_err(|error| wrong(&error))?;
        let json: serde_json::Value = serde_json::from_slice(&bytes).map_err(|error| wrong(&error))?;
        let icons = json["icons"].as_object().ok_or_else(|| wrong(&"it has no icons"))?;
        let number = |of: &serde_json::Value, key: &str| of[key].as_f64();
        let mut found: Vec<Sample> = icons
            .iter()
            .map(|(icon, of)| {
                let side = |key| number(of, key).or_else(|| number(&json, key)).unwrap_or(16.0);
                let (width, height) = (side("width"), side("height"));
                let body = of["body"].as_str().unwrap_or_default();
                let head =
                    r#"<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink""#;
                let text = format!("{head} viewBox=\"0 0 {width} {height}\">{body}</svg>");
                let name = format!("{}/{icon}.svg", self.name);
                Sample { name, bytes: SampleBytes::Text(text) }
            })
            .collect();
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }
}

/// Unpacks an archive by its ending.
fn unpack(archive: &Path, into: &Path) -> Result<(), String> {
    let name = archive.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut command = if name.ends_with(".deb") {
        let mut deb = Command::new("dpkg-deb");
        deb.arg("-x").arg(archive).arg(into);
        deb
    } else if name.ends_with(".whl") || name.ends_with(".zip") {
        let mut zip = Command::new("python3");
        zip.args(["-m", "zipfile", "-e"]).arg(archive).arg(into);
        zip
    } else {
        let mut tar = Command::new("tar");
        tar.arg("-xf").arg(archive).arg("-C").arg(into);
        tar
    };
    run(&mut command).map(drop)
}

/// So many samples, as many of each package as of the others where it has them, spread evenly over its list.
pub(crate) fn chosen(packages: Vec<Vec<Sample>>, count: usize) -> Vec<Sample> {
    let mut shares: Vec<usize> = vec![0; packages.len()];
    let mut left = count;
    loop {
        let open: Vec<usize> = (0..packages.len()).filter(|at| shares[*at] < packages[*at].len()).collect();
        if open.is_empty() || left == 0 {
            break;
        }
        let each = (left / open.len()).max(1);
        for at in open {
            let more = each.min(packages[at].len() - shares[at]).min(left);
            shares[at] += more;
            left -= more;
        }
    }
    let mut all = Vec::new();
    for (samples, share) in packages.into_iter().zip(shares) {
        let of = samples.len();
        // The middle of each of `share` equal parts.
        let taken = (0..share).map(|at| (2 * at + 1) * of / (2 * share));
        all.extend(taken.map(|at| samples[at].clone()));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(package: usize, count: usize) -> Vec<Sample> {
        let sample = |at| Sample { name: format!("{package}/{at}"), bytes: SampleBytes::Text(String::new()) };
        (0..count).map(sample).collect()
    }

    #[test]
    fn small_packages_leave_their_share_to_the_others() {
        let taken = chosen(vec![samples(0, 100), samples(1, 3), samples(2, 50)], 43);
        let of = |package| taken.iter().filter(|sample| sample.name.starts_with(package)).count();
        assert_eq!([of("0/"), of("1/"), of("2/")], [20, 3, 20]);
        assert_eq!(taken[0].name, "0/2");
        assert_eq!(chosen(vec![samples(0, 4)], 9).len(), 4);
    }

    #[test]
    fn the_list_is_read() {
        let list = include_str!("../packages.txt");
        let packages = listed(list).expect("the list");
        assert!(packages.iter().all(|package| package.sha256.len() == 64), "{packages:#?}");
        let wrong = listed("npm a 1 b").expect_err("no checksum");
        assert!(wrong.contains("line 1"), "{wrong}");
    }
}
