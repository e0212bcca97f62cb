// Run by tests/api/sql/test_clients.py: clickhouse-go over HTTP as Grafana uses it (database/sql), with an analyst's name
// and token, or another user of the port; prints one JSON object.
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
)

type found struct {
	Version string            `json:"version"`
	Clicks  uint64            `json:"clicks"`
	Bound   uint64            `json:"bound"`
	Rows    int               `json:"rows"`
	Sum     uint64            `json:"sum"`
	Types   map[string]string `json:"types"`
	Values  map[string]string `json:"values"`
	Nothing int               `json:"nothing"`
	Tables  []string          `json:"tables"`
	Columns []string          `json:"columns"`
	Refused int32             `json:"refused"`
	Broken  int32             `json:"broken"`
}

const values = `SELECT toUInt8(7) AS u8, toInt64(-7) AS i64, 1.5 AS f64, 'text' AS s, toFixedString('abc', 3) AS fixed,
toDate('2026-11-29') AS d, toDateTime('2026-11-29 10:00:00', 'UTC') AS dt, toDateTime64('2026-11-29 10:00:00.125', 3, 'UTC') AS dt64,
toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0') AS id, toDecimal64(12.5, 2) AS dec, CAST(NULL AS Nullable(String)) AS n,
toNullable(5) AS nn, [1, 2, 3] AS a, [['x'], []] AS aa, ('a', 1) AS t, map('k', 'v') AS m, toLowCardinality('low') AS lc,
[toLowCardinality('p'), toLowCardinality('q')] AS alc, CAST('a' AS Enum8('a' = 1, 'b' = 2)) AS e, true AS b,
CAST(NULL AS LowCardinality(Nullable(String))) AS lcn, [toNullable(1), NULL] AS an`

func main() {
	address, user, token, method, table := os.Args[1], os.Args[2], os.Args[3], os.Args[4], os.Args[5]
	compression := map[string]clickhouse.CompressionMethod{
		"none": clickhouse.CompressionNone, "lz4": clickhouse.CompressionLZ4, "zstd": clickhouse.CompressionZSTD,
		"gzip": clickhouse.CompressionGZIP,
	}[method]
	db := clickhouse.OpenDB(&clickhouse.Options{
		Protocol:    clickhouse.HTTP,
		Addr:        []string{address},
		Auth:        clickhouse.Auth{Database: "althing", Username: user, Password: token},
		Compression: &clickhouse.Compression{Method: compression},
		// As Grafana's data source sends them.
		Settings:    clickhouse.Settings{"max_execution_time": 60, "session_timezone": "UTC"},
		DialTimeout: 10 * time.Second,
		ReadTimeout: 30 * time.Second,
		ClientInfo: clickhouse.ClientInfo{Products: []struct {
			Name    string
			Version string
		}{{Name: "grafana", Version: "12.0.0"}, {Name: "clickhouse-datasource", Version: "4.11.0"}}},
	})
	defer db.Close()
	answer := found{Types: map[string]string{}, Values: map[string]string{}}
	context, cancel := context.WithTimeout(context.Background(), 90*time.Second)
	defer cancel()
	must(db.PingContext(context))
	must(db.QueryRowContext(context, "SELECT version()").Scan(&answer.Version))
	must(db.QueryRowContext(context, "SELECT count() FROM "+table).Scan(&answer.Clicks))
	bound := "SELECT count() FROM althing." + table + " WHERE country = ? AND occurred_at <= ?"
	must(db.QueryRowContext(context, bound, "DE", time.Now().Add(time.Hour)).Scan(&answer.Bound))
	many := "SELECT n, concat('row ', toString(n)) AS s, [toString(n)] AS a FROM (SELECT arrayJoin(range(200000)) AS n)"
	each(db, context, many, func(rows *sql.Rows) {
		var number uint64
		var text string
		var list []string
		must(rows.Scan(&number, &text, &list))
		if text != fmt.Sprintf("row %d", number) || list[0] != fmt.Sprint(number) {
			panic(text)
		}
		answer.Rows++
		answer.Sum += number
	})
	each(db, context, values, func(rows *sql.Rows) {
		types, err := rows.ColumnTypes()
		must(err)
		cells, places := make([]any, len(types)), make([]any, len(types))
		for i := range cells {
			places[i] = &cells[i]
		}
		must(rows.Scan(places...))
		for i, one := range types {
			answer.Types[one.Name()] = one.DatabaseTypeName()
			text, err := json.Marshal(cells[i])
			must(err)
			answer.Values[one.Name()] = string(text)
		}
	})
	each(db, context, "SELECT * FROM "+table+" WHERE 0", func(*sql.Rows) { answer.Nothing++ })
	each(db, context, `SHOW TABLES FROM "althing"`, func(rows *sql.Rows) { answer.Tables = append(answer.Tables, first(rows)) })
	each(db, context, `DESC TABLE "althing"."`+table+`"`, func(rows *sql.Rows) { answer.Columns = append(answer.Columns, first(rows)) })
	_, err := db.ExecContext(context, "INSERT INTO events VALUES (1)")
	answer.Refused = code(err)
	broken := "SELECT intDiv(1, toInt32(n) - 150000) FROM (SELECT arrayJoin(range(200000)) AS n)"
	rows, err := db.QueryContext(context, broken)
	if err == nil {
		for rows.Next() {
		}
		err = rows.Err()
		rows.Close()
	}
	answer.Broken = code(err)
	must(json.NewEncoder(os.Stdout).Encode(answer))
}

func each(db *sql.DB, context context.Context, statement string, take func(*sql.Rows)) {
	rows, err := db.QueryContext(context, statement)
	must(err)
	defer rows.Close()
	for rows.Next() {
		take(rows)
	}
	must(rows.Err())
}

func first(rows *sql.Rows) string {
	names, err := rows.Columns()
	must(err)
	var name string
	places := []any{&name}
	for range names[1:] {
		places = append(places, new(any))
	}
	must(rows.Scan(places...))
	return name
}

func code(err error) int32 {
	var exception *clickhouse.Exception
	if errors.As(err, &exception) {
		return exception.Code
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return -1
	}
	return 0
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
