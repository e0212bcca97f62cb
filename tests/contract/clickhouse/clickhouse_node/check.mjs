// Run by test_clickhouse_clients.py: every way the official client uses the HTTP interface; prints one JSON object.
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { ClickHouseLogLevel, createClient } from "@clickhouse/client";

const [url, username, password] = process.argv.slice(2);
const open = (more = {}) =>
  createClient({ url, username, password, database: "althing", request_timeout: 20_000, log: { level: ClickHouseLogLevel.OFF }, ...more });
const client = open();
const compressed = open({ compression: { request: true, response: true } });
const found = {};

found.ping = (await client.ping()).success;

await client.command({
  query: "CREATE OR REPLACE TABLE node_t (id UInt32, name String, at DateTime64(3)) ENGINE = MergeTree ORDER BY id",
});
await client.exec({ query: "SELECT 1" }).then(({ stream }) => stream.resume());

await client.insert({
  table: "node_t",
  values: [{ id: 1, name: "one 'quoted' ✓", at: "2026-01-01 10:00:00.123" }],
  format: "JSONEachRow",
});
const rows = Array.from({ length: 20_000 }, (_, i) => ({ id: i + 10, name: `n${i}`, at: "2026-01-01 10:00:00" }));
const inserted = await compressed.insert({ table: "node_t", values: Readable.from(rows), format: "JSONEachRow" });
found.writtenRows = inserted.summary?.written_rows;

const bound = await client.query({
  query: "SELECT name, {list: Array(UInt8)} AS list FROM node_t WHERE id = {id: UInt32} AND name = {name: String}",
  query_params: { id: 1, name: "one 'quoted' ✓", list: [1, 2] },
  format: "JSONEachRow",
});
found.bound = await bound.json();

const json = await compressed.query({ query: "SELECT count() AS n, max(at) AS at FROM node_t", format: "JSON" });
found.json = (await json.json()).data;

let streamed = 0;
const big = await compressed.query({ query: "SELECT * FROM numbers(300000)", format: "JSONCompactEachRow" });
for await (const part of big.stream()) streamed += part.length;
found.streamed = streamed;

const header = await client.query({
  query: "SELECT number AS n FROM numbers(150000)",
  format: "JSONCompactEachRowWithNamesAndTypes",
});
found.withHeader = (await header.json()).length;

found.setting = (
  await (
    await client.query({
      query: "SELECT getSetting('max_threads') AS v",
      format: "JSONEachRow",
      clickhouse_settings: { max_threads: 1 },
    })
  ).json()
)[0].v;

const session = open({ session_id: "node-session" });
await session.command({ query: "CREATE TEMPORARY TABLE mine AS SELECT 7 AS x" });
found.session = await (await session.query({ query: "SELECT x FROM mine", format: "JSONEachRow" })).json();

await assert.rejects(client.query({ query: "SELECT * FROM missing_table" }), (error) => {
  found.error = { code: error.code, type: error.type };
  return true;
});

const broken = await client.query({
  query: "SELECT number, throwIf(number = 400000, 'late') FROM numbers(500000) SETTINGS max_block_size = 1000",
  format: "JSONEachRow",
});
await assert.rejects(async () => {
  for await (const part of broken.stream()) part.length;
}, (error) => {
  found.late = String(error).includes("late");
  return true;
});

const controller = new AbortController();
const aborted = client.query({
  query: "SELECT count() FROM numbers(100000000000) WHERE NOT ignore(number)",
  abort_signal: controller.signal,
});
setTimeout(() => controller.abort(), 300);
await assert.rejects(aborted);
found.aborted = true;

for (const each of [client, compressed, session]) await each.close();
console.log(JSON.stringify(found));
