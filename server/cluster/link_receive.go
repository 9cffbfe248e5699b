package cluster

import (
	"encoding/binary"
	"fmt"

	"github.com/pagemcp/pagemcp/server/internal/wait"
)

// receive takes a frame from the subject of the other end. It does not wait for a reader.
func (l *link) receive(from []byte, reply string) {
	grant, err := l.take(from, reply)
	switch {
	case err != nil:
		l.end(err)
	case grant > 0:
		l.acknowledge(grant)
	}
}

// take returns what to acknowledge, or the reason why the link has to end.
func (l *link) take(from []byte, reply string) (grant uint64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.reason != nil {
		return 0, nil
	}
	if l.version == noVersion {
		return 0, l.takeFirst(from, reply)
	}
	f, err := parseFrame(from, l.version)
	switch {
	case err == nil && f.version == noVersion: // the other node does not have the link
		return 0, errPeerClosed
	case reply != l.subject: // not of the other end
		return 0, nil
	case err != nil:
		return 0, err
	case f.number != l.number+1:
		return 0, fmt.Errorf("%w: number %d after %d", errGap, f.number, l.number)
	}
	l.number = f.number
	if l.confirm != nil {
		l.confirm.Stop()
		l.confirm = nil
	}
	switch f.kind {
	case kindEnd:
		return 0, errPeerClosed
	case kindAck:
		return 0, l.takeAck(binary.BigEndian.Uint64(f.payload))
	case kindData, kindMore:
		return l.takeChunk(f)
	case kindAccept:
		return 0, fmt.Errorf("%w: accepted twice", errFrame)
	}
	return 0, nil
}

// takeFirst takes the answer to the question for a link. The caller holds mu, here and
// below.
func (l *link) takeFirst(from []byte, reply string) error {
	if len(from) == 0 {
		return fmt.Errorf("%w: 0 bytes", errFrame)
	}
	version := from[0]
	f, err := parseFrame(from, version)
	if err != nil {
		return err
	}
	if f.kind == kindEnd {
		return refusalOf(string(f.payload))
	}
	node, _, ok := l.links.subjects.parseLink(reply)
	switch {
	case f.number != 1:
		return fmt.Errorf("%w: number %d instead of an answer", errGap, f.number)
	case f.kind != kindAccept || !ok || node != l.peer.node:
		return fmt.Errorf("%w: kind %d instead of an answer", errFrame, f.kind)
	case !l.links.speaks(version):
		return fmt.Errorf("%w %d", errVersion, version)
	}
	l.version, l.subject, l.number = version, reply, 1
	close(l.settled)
	return nil
}

func (l *link) takeAck(taken uint64) error {
	switch {
	case taken > l.sent.Load():
		return fmt.Errorf("%w: %d bytes are acknowledged, %d were sent", errFrame, taken, l.sent.Load())
	case taken > l.taken.Load(): // two acknowledgements may change places
		l.taken.Store(taken)
		wait.Wake(l.acked)
	}
	return nil
}

func (l *link) takeChunk(f frame) (grant uint64, err error) {
	l.received += uint64(headerSize + len(f.payload))
	size := len(l.partial) + len(f.payload)
	switch {
	case l.received-l.granted > window:
		return 0, errWindow
	case size > maxMessage:
		return 0, fmt.Errorf("%w: a message of more than %d bytes", errFrame, maxMessage)
	case l.links.unread.Add(int64(len(f.payload))) > maxUnread:
		l.links.unread.Add(-int64(len(f.payload)))
		return 0, errUnread
	}
	switch {
	case f.kind == kindMore:
		l.partial = append(l.partial, f.payload...)
	case l.partial == nil:
		l.enqueue(f.payload)
	default:
		l.enqueue(append(l.partial, f.payload...))
		l.partial = nil
	}
	return l.grant(), nil
}

func (l *link) enqueue(msg []byte) {
	l.queue, l.ends = append(l.queue, msg), append(l.ends, l.received)
	wait.Wake(l.arrived)
}
