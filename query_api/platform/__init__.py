"""What a signed-in person owns: websites, keys, links, conversions; and the partners that everybody sees."""
