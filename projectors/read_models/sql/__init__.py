"""Read models of analysts: saved queries, their versions, pinned charts."""
