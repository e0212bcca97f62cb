// Run by tests/api/sql/test_entry_points.py: the official client with an analyst's name and token; prints one JSON object.
import { ClickHouseLogLevel, createClient } from "@clickhouse/client";

const [url, username, password] = process.argv.slice(2);
const client = createClient({ url, username, password, request_timeout: 20_000, compression: { response: true }, log: { level: ClickHouseLogLevel.OFF } });
const found = { ping: (await client.ping({ select: true })).success };

found.clicks = await (await client.query({ query: "SELECT count() AS n FROM clicks", format: "JSONEachRow", clickhouse_settings: { output_format_json_quote_64bit_integers: 1 } })).json();
const bound = await client.query({
  query: "SELECT count() AS n FROM clicks WHERE country = {c: String}",
  query_params: { c: "DE" },
  format: "JSONCompactEachRow",
});
found.bound = Number((await bound.json())[0][0]);
const stream = (await client.query({ query: "SELECT arrayJoin(range(100000)) AS n", format: "CSV" })).stream();
found.rows = 0;
for await (const rows of stream) found.rows += rows.length;
found.refused = await client.command({ query: "INSERT INTO events VALUES (1)" }).then(() => null, (error) => error.code);
await client.close();
console.log(JSON.stringify(found));
