"""The archive of third_party/bundle.sh: what is in it needs no library of this machine and makes the same map.

    bundle_test.py BUILD_FOLDER SOURCE_FOLDER

Exit status 0: as it should be; 1: not.
"""

import pathlib
import random
import re
import subprocess
import sys
import tarfile
import tempfile


def answers(path):
    random.seed(5)
    places = {f"o{i}": random.random() for i in range(12)}
    rows = ["anchor,near,far"]
    for _ in range(300):
        anchor, near, far = random.sample(sorted(places), 3)
        if abs(places[anchor] - places[near]) > abs(places[anchor] - places[far]):
            near, far = far, near
        rows.append(f"{anchor},{near},{far}")
    path.write_text("\n".join(rows) + "\n")


def main(build, source):
    script = source / "third_party" / "bundle.sh"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        refused = subprocess.run([script, folder], capture_output=True, text=True)
        assert refused.returncode == 2 and "there is no program" in refused.stderr, refused.stderr
        subprocess.run([script, build, folder / "a.tar.gz"], check=True, capture_output=True)
        with tarfile.open(folder / "a.tar.gz") as archive:
            archive.extractall(folder)
        (bundle,) = folder.glob("alidade-*-linux-*")
        (loader,) = (bundle / "lib").glob("ld-linux*")

        listed = subprocess.run([loader, "--library-path", bundle / "lib", "--list", bundle / "lib" / "alidade"],
                                check=True, capture_output=True, text=True).stdout
        found = re.findall(r"=> (\S+)", listed)
        strangers = [path for path in found if pathlib.Path(path).parent != bundle / "lib"]
        assert len(found) > 10 and not strangers, (strangers, listed)

        # From another folder, by a link, with hardly any environment.
        answers(folder / "answers.csv")
        (folder / "link").symlink_to(bundle / "alidade")
        for program, out in ((build / "alidade", "built"), (folder / "link", "bundled")):
            subprocess.run([program, "embed", "answers.csv", "-o", out], cwd=folder, check=True, capture_output=True,
                           env={"PATH": "/usr/bin:/bin"})
        built, bundled = ((folder / out / "embedding.csv").read_bytes() for out in ("built", "bundled"))
        assert built == bundled
        assert (bundle / "LICENSE").exists() and any((bundle / "copyright").iterdir())


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve())
