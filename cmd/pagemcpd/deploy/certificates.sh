#!/bin/sh
# Makes an authority, and the certificates with which NATS servers and nodes, and nodes among themselves, know each other:
#
#   sh certificates.sh DIRECTORY DNS-NAME…     the names of the NATS servers, as nodes dial them
#
# ca.crt       what both sides trust; ca.key signs, and belongs on no node
# server.*     of the NATS servers, for clients and for their routes
# pagemcpd.*   of the nodes, for NATS and for each other; its subject CN=pagemcpd is the user in nats.conf
#
# It keeps what is there: to renew a certificate, remove it and run the script again. Nodes use the new one within
# 30 s, NATS servers after `nats-server --signal reload`. To replace the authority, first let ca.crt have the old and the
# new one everywhere. Files are valid for DAYS (default 365). It needs openssl. A company with an authority of its own takes that.
set -eu
directory=$1
shift
umask 077
mkdir -p "$directory"
cd "$directory"
days=${DAYS:-365}

if [ ! -e ca.crt ]; then
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days "$days" \
		-subj '/CN=pagemcp' -keyout ca.key -out ca.crt 2>/dev/null
fi

# sign NAME SUBJECT EXTENSIONS
sign() {
	[ -e "$1.crt" ] && return
	openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "$2" -keyout "$1.key" -out "$1.csr" 2>/dev/null
	printf '%s\n' "$3" >"$1.ext"
	openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days "$days" -extfile "$1.ext" -out "$1.crt" 2>/dev/null
	rm "$1.csr" "$1.ext"
}

names=
for name in "$@"; do
	names="$names${names:+,}DNS:$name"
done
sign server '/CN=nats' "subjectAltName=$names
extendedKeyUsage=serverAuth,clientAuth"
sign pagemcpd '/CN=pagemcpd' 'subjectAltName=DNS:pagemcpd
extendedKeyUsage=serverAuth,clientAuth'
