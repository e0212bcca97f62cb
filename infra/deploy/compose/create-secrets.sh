#!/bin/sh
# Makes the secrets that compose.yaml names, in ./secrets or the folder given. Existing ones stay as they are.
#
# Containers read them as different users, so the files are readable; the folder is its owner's alone.
set -eu
folder="${1:-$(dirname "$0")/secrets}"
umask 077
mkdir -p "$folder"
cd "$folder"

random() {
    head -c 32 /dev/urandom | od -An -v -tx1 | tr -d ' \n'
}

hashed() {
    printf %s "$1" | sha256sum | cut -d ' ' -f 1
}

save() {
    [ -e "$1" ] || cat >"$1"
    chmod 644 "$1"
}

random | save master_key
random | save admin_password
random | save kafka_password
random | save postgres_password
printf '' | save smtp_url
printf '' | save openai_api_key

printf 'client=%s\nbroker=%s\n' "$(cat kafka_password)" "$(random)" | save kafka.properties
printf 'postgresql://althing:%s@postgres:5432/althing' "$(cat postgres_password)" | save postgres_url

if ! [ -e clickhouse.xml ]; then
    services=$(random) operator=$(random) admin=$(random)
    printf 'http://althing:%s@clickhouse:8123/althing' "$services" | save clickhouse_url
    printf %s "$operator" | save clickhouse_operator_password
    printf %s "$admin" | save clickhouse_admin_password
    save clickhouse.xml <<XML
<clickhouse>
    <services_password>$(hashed "$services")</services_password>
    <operator_password>$(hashed "$operator")</operator_password>
    <admin_password>$(hashed "$admin")</admin_password>
    <cluster_secret>$(random)</cluster_secret>
    <interserver_password>$(random)</interserver_password>
</clickhouse>
XML
fi
