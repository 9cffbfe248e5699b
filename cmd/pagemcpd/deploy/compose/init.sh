#!/bin/sh
# Makes the secrets of compose.yaml in compose/secrets: an authority, certificates of NATS, of
# the balancer and of the nodes, and the file of shared keys. Run it once; it keeps what is
# there. It needs openssl. For production take an authority of your own.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets
cd secrets

if [ ! -e ca.crt ]; then
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 \
		-subj '/CN=pagemcp compose' -keyout ca.key -out ca.crt 2>/dev/null
fi

# sign NAME SUBJECT EXTENSIONS
sign() {
	[ -e "$1.crt" ] && return
	openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "$2" -keyout "$1.key" -out "$1.csr" 2>/dev/null
	printf '%s\n' "$3" >"$1.ext"
	openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 30 -extfile "$1.ext" -out "$1.crt" 2>/dev/null
	rm "$1.csr" "$1.ext"
}
sign server '/CN=nats' 'subjectAltName=DNS:nats1,DNS:nats2,DNS:nats3
extendedKeyUsage=serverAuth,clientAuth'
sign web '/CN=app.localhost' 'subjectAltName=DNS:app.localhost,DNS:mcp.localhost
extendedKeyUsage=serverAuth'
# Its subject is the user in nats.conf.
sign pagemcpd '/CN=pagemcpd' 'extendedKeyUsage=clientAuth'

# 32 random bytes in base64url, as `pagemcpd keygen` prints.
[ -e pagemcp.keys ] || openssl rand -base64 32 | tr '+/' '-_' | tr -d '=' >pagemcp.keys

chmod 0440 pagemcp.keys pagemcpd.key server.key

# Containers run as you, so that no other user needs access to the secrets.
printf 'PAGEMCP_USER=%s:%s\n' "$(id -u)" "$(id -g)" >../../.env
