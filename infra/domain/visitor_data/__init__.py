"""The stored data of one person among a website's visitors: found by an id, shown, exported and erased."""
