"""What `bench_peers` compares Althing with: Umami, and a plain service with tables in Postgres.

`events` makes the page views and what each API takes, `systems` starts the three systems, `load` measures them while
they are written to, `reading` fills them with the same events and compares the answers of their dashboards.
"""
