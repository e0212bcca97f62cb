"""Sign-in with an identity provider (OAuth 2.0 and OpenID Connect), and the identities linked to an account."""
