"""What matching knows before anybody asks: words and their stems, and the taxonomy of industries. Documented in
`docs/matching.md`; read by the command service (analysis) and the query service (recommendations)."""
