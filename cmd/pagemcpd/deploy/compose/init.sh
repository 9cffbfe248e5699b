#!/bin/sh
# Makes the secrets of compose.yaml in compose/secrets: an authority, certificates of NATS, of
# the balancer and of the nodes, and the file of shared keys. Run it once; it keeps what is
# there. It needs openssl. For production take an authority of your own.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets
cd secrets

DAYS=30 sh ../../certificates.sh . nats1 nats2 nats3

if [ ! -e web.crt ]; then
	openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj '/CN=app.localhost' -keyout web.key -out web.csr 2>/dev/null
	printf 'subjectAltName=DNS:app.localhost,DNS:mcp.localhost\nextendedKeyUsage=serverAuth\n' >web.ext
	openssl x509 -req -in web.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 30 -extfile web.ext -out web.crt 2>/dev/null
	rm web.csr web.ext
fi

# 32 random bytes in base64url, as `pagemcpd keygen` prints.
[ -e pagemcp.keys ] || openssl rand -base64 32 | tr '+/' '-_' | tr -d '=' >pagemcp.keys

chmod 0440 pagemcp.keys pagemcpd.key server.key

# Containers run as you, so that no other user needs access to the secrets.
printf 'PAGEMCP_USER=%s:%s\n' "$(id -u)" "$(id -g)" >../../.env
