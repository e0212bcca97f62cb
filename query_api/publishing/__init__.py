"""Sites of the website builder: lists, documents, versions, previews and exports."""
