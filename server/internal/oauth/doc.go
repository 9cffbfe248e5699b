// Package oauth verifies the credentials that a hosted gateway accepts: access tokens of
// assistants, as an OAuth 2.1 resource server, and join tokens of pages.
//
// Both are JSON Web Tokens (RFC 7519) with an asymmetric signature, verified offline by
// the published keys of their issuer. They differ in `typ` and `aud` (RFC 8725, section
// 3.11), so neither is accepted in place of the other. Opaque tokens, introspection and
// DPoP are not supported.
package oauth
