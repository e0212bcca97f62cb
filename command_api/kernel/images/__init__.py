"""Images that members upload: decoded and encoded in processes of their own."""
