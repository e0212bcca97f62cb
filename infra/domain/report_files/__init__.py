"""Reads report files of any kind: encodings, dialects, workbooks, headers, dates and amounts. A kind is its columns."""
