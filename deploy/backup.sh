#!/bin/sh
# Makes a backup in a new folder of FOLDER, named by the time. Only when that one is whole, those older than
# DAYS are removed, incomplete ones too; other names, such as before-restore-…, stay.
# Called by intaglio-backup.service: backup.sh FOLDER DAYS
set -eu
folder=${1:?names the folder of the backups}
days=${2:?says how many days a backup is kept}
"$(dirname -- "$0")/../intaglio" backup "$folder/$(date -u +%Y%m%dT%H%M%SZ)"
find "$folder" -mindepth 1 -maxdepth 1 -type d -name '2???????T??????Z' -mtime "+$days" -exec rm -rf {} +
