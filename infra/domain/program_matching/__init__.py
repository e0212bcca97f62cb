"""Program matching: stems, the taxonomy of industries and the scoring of programs. Documented in
`docs/matching.md`; used by the command service (analysis) and the query service (recommendations)."""
