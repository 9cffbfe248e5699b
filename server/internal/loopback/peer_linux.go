package loopback

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// newPeers returns sock_diag, whose cost does not depend on the number of sockets, or
// else /proc/net/tcp, or nil if neither works. It tries them once, on the listener l: a
// later error, for example without free file descriptors, rejects the connection.
func newPeers(l net.Listener) peers {
	tcp, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		return nil
	}
	ours := plainAddr(tcp)
	noPeer := netip.AddrPortFrom(ours.Addr(), 0)
	if d, err := openSockDiag(); err == nil {
		if _, err := d.find(ours, noPeer); err == nil {
			return d
		}
		d.Close()
	}
	if file, err := os.Open("/proc/net/tcp"); err == nil {
		file.Close()
		return procTables{}
	}
	return nil
}

// sockDiag looks up one socket by addresses and ports, over a single netlink socket. See
// sock_diag(7).
type sockDiag struct {
	mu sync.Mutex // held from a request to its response
	fd int
	n  uint32 // sequence number of the last request
}

func openSockDiag() (*sockDiag, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return nil, err
	}
	return &sockDiag{fd: fd}, nil
}

func (d *sockDiag) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	err := unix.Close(d.fd)
	d.fd = -1
	return err
}

func (d *sockDiag) owner(theirs, ours netip.AddrPort) (uid int, found bool) {
	s, err := d.find(theirs, ours)
	// A listener has no other end: the kernel returns it if there is no connection. A
	// socket without inode is closed by its process, or in TIME_WAIT; its user is given
	// as 0.
	if err != nil || s.listens || s.inode == 0 {
		return 0, false
	}
	return int(s.uid), true
}

// A diagSocket is the relevant part of struct inet_diag_msg.
type diagSocket struct {
	listens    bool
	uid, inode uint32
}

// Layout of struct inet_diag_req_v2 and struct inet_diag_msg; linux/inet_diag.h.
const (
	diagRequest   = 8 + diagID // bytes
	diagID        = 48         // bytes of struct inet_diag_sockid: ports, addresses, interface, cookie
	diagMessage   = 4 + diagID + 5*4
	diagByFamily  = 20 // SOCK_DIAG_BY_FAMILY
	diagListening = 10 // TCP_LISTEN
	diagAllStates = ^uint32(0)
	diagNoCookie  = ^uint32(0)
	netlinkHeader = 16 // bytes
	diagUID       = 4 + diagID + 3*4
	diagInode     = 4 + diagID + 4*4
	maxDiagAnswer = 4 << 10 // bytes
)

var errNoSuchSocket = errors.New("no such socket")

// find returns the socket that is bound to local and connected to remote. The kernel
// responds before Sendto returns, so find does not block.
func (d *sockDiag) find(local, remote netip.AddrPort) (s diagSocket, err error) {
	id := diagSockID(local, remote)
	family := byte(unix.AF_INET)
	if local.Addr().Is6() {
		family = unix.AF_INET6
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.n++
	request := make([]byte, 0, netlinkHeader+diagRequest)
	request = binary.NativeEndian.AppendUint32(request, netlinkHeader+diagRequest)
	request = binary.NativeEndian.AppendUint16(request, diagByFamily)
	request = binary.NativeEndian.AppendUint16(request, unix.NLM_F_REQUEST)
	request = binary.NativeEndian.AppendUint32(request, d.n)
	request = binary.NativeEndian.AppendUint32(request, 0)
	request = append(request, family, unix.IPPROTO_TCP, 0, 0)
	request = binary.NativeEndian.AppendUint32(request, diagAllStates)
	request = append(request, id...)
	if err := unix.Sendto(d.fd, request, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return s, err
	}
	answer := make([]byte, maxDiagAnswer)
	for {
		n, _, err := unix.Recvfrom(d.fd, answer, unix.MSG_DONTWAIT)
		if err != nil {
			return s, err
		}
		got := answer[:n]
		if n < netlinkHeader || binary.NativeEndian.Uint32(got[8:]) != d.n {
			continue // the response to an earlier request
		}
		msg := got[netlinkHeader:]
		if binary.NativeEndian.Uint16(got[4:]) != diagByFamily || len(msg) < diagMessage {
			return s, errNoSuchSocket
		}
		s = diagSocket{
			listens: msg[1] == diagListening,
			uid:     binary.NativeEndian.Uint32(msg[diagUID:]),
			inode:   binary.NativeEndian.Uint32(msg[diagInode:]),
		}
		const addresses = 4 + 16 + 16 // ports, and both addresses; the kernel fills in the rest
		if msg[0] != family || !s.listens && string(msg[4:4+addresses]) != string(id[:addresses]) {
			return s, errNoSuchSocket
		}
		return s, nil
	}
}

// diagSockID returns a struct inet_diag_sockid: ports and addresses in network byte
// order, the interface in the machine's.
func diagSockID(local, remote netip.AddrPort) []byte {
	id := make([]byte, 0, diagID)
	id = binary.BigEndian.AppendUint16(id, local.Port())
	id = binary.BigEndian.AppendUint16(id, remote.Port())
	for _, at := range [...]netip.Addr{local.Addr(), remote.Addr()} {
		var field [16]byte
		copy(field[:], at.AsSlice())
		id = append(id, field[:]...)
	}
	id = binary.NativeEndian.AppendUint32(id, 0) // any interface
	id = binary.NativeEndian.AppendUint32(id, diagNoCookie)
	return binary.NativeEndian.AppendUint32(id, diagNoCookie)
}

// procTables reads the kernel's list of all sockets, for kernels without sock_diag. Its
// cost grows with the number of sockets.
type procTables struct{}

func (procTables) Close() error { return nil }

func (procTables) owner(theirs, ours netip.AddrPort) (uid int, found bool) {
	name := "/proc/net/tcp"
	if theirs.Addr().Is6() {
		name = "/proc/net/tcp6"
	}
	file, err := os.Open(name)
	if err != nil {
		return 0, false
	}
	defer file.Close()
	return ownerIn(file, theirs, ours)
}

// ownerIn returns the user of the socket that is bound to local and connected to remote.
// See proc_net_tcp in the documentation of the kernel.
func ownerIn(table io.Reader, local, remote netip.AddrPort) (uid int, found bool) {
	at, to := procAddress(local), procAddress(remote)
	for lines := bufio.NewScanner(table); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 10 || fields[1] != at || fields[2] != to || fields[9] == "0" { // inode
			continue
		}
		if uid, err := strconv.Atoi(fields[7]); err == nil {
			return uid, true
		}
	}
	return 0, false
}

// procAddress formats an address as the kernel does: each 32 bits as one hexadecimal
// number in the byte order of the machine, and the port.
func procAddress(a netip.AddrPort) string {
	const digits = "0123456789ABCDEF"
	var text []byte
	hex := func(v uint32, width int) {
		for shift := 4 * (width - 1); shift >= 0; shift -= 4 {
			text = append(text, digits[v>>shift&15])
		}
	}
	bytes := a.Addr().AsSlice()
	for i := 0; i+4 <= len(bytes); i += 4 {
		hex(binary.NativeEndian.Uint32(bytes[i:]), 8)
	}
	text = append(text, ':')
	hex(uint32(a.Port()), 4)
	return string(text)
}
