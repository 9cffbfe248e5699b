package loopback

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// userOf returns the user of the socket that is bound to local and connected to remote, in any
// state, by the kernel's list of all sockets. found is false if there is none, or if its process
// has closed it: then the kernel no longer knows the user.
//
// Only Linux has this list, see proc_net_tcp in the documentation of the kernel. On other systems
// the token, the proof of pages and the permissions of the state directory keep other users out.
func userOf(local, remote netip.AddrPort) (uid int, found bool) {
	name := "/proc/net/tcp"
	if local.Addr().Is6() {
		name = "/proc/net/tcp6"
	}
	file, err := os.Open(name)
	if err != nil {
		return 0, false
	}
	defer file.Close()
	return userIn(file, local, remote)
}

func userIn(table io.Reader, local, remote netip.AddrPort) (uid int, found bool) {
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
	text := ""
	for bytes := a.Addr().AsSlice(); len(bytes) > 0; bytes = bytes[4:] {
		text += fmt.Sprintf("%08X", binary.NativeEndian.Uint32(bytes))
	}
	return fmt.Sprintf("%s:%04X", text, a.Port())
}

// plainAddr returns the address of a TCP socket; one that is IPv4-mapped as IPv4, as the kernel
// lists it.
func plainAddr(a net.Addr) netip.AddrPort {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	at := tcp.AddrPort()
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
}
