"""Stores documents and fetches their files: flood.py URL KEY FOLDER COUNT."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor

from intaglio_client import Intaglio


def main(url, key, folder, count):
    with Intaglio(url, key, tries_max=30) as client, ThreadPoolExecutor(32) as threads:

        def make(number):
            made = client.store("note", {"text": f"Letter {number}"})
            path = os.path.join(folder, f"{number}.pdf")
            file = client.download_to_file(made["documentId"], path)
            return f"{made['documentId']} {file.sha256} {made['sha256']}"

        for line in threads.map(make, range(int(count))):
            print(line)


main(*sys.argv[1:])
