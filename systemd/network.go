package systemd

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// WatchNetwork calls up each time the machine gets a way to the network, a first
// default route over IPv4 or IPv6 after there was none, until ctx ends. That is
// what NetworkManager, systemd-networkd, dhcpcd and iwd end up doing, so none of
// them is asked. Online reports whether there is one now.
//
// Source: rtnetlink(7).
func WatchNetwork(ctx context.Context, up func()) error {
	socket, err := routeSocket()
	if err != nil {
		return fmt.Errorf("cannot watch the network: %w", err)
	}
	defer socket.Close()
	defer context.AfterFunc(ctx, func() { socket.Close() })()
	was := Online()
	buf := make([]byte, 64<<10)
	for {
		n, err := socket.Read(buf)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && !errors.Is(err, unix.ENOBUFS): // of which some were lost
			return fmt.Errorf("cannot watch the network: %w", err)
		case err == nil && !tellsOfDefault(buf[:n]):
			continue
		}
		is := Online()
		if is && !was {
			up()
		}
		was = is
	}
}

// Online reports that there is a default route to somewhere.
func Online() bool {
	table, err := syscall.NetlinkRIB(unix.RTM_GETROUTE, unix.AF_UNSPEC)
	if err != nil {
		return false
	}
	return findDefault(table, func(kind uint16, route []byte) bool { return kind == unix.RTM_NEWROUTE && leadsOut(route) })
}

// routeSocket is told of every change of a route.
func routeSocket() (*os.File, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.NETLINK_ROUTE)
	if err != nil {
		return nil, err
	}
	err = unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Groups: unix.RTMGRP_IPV4_ROUTE | unix.RTMGRP_IPV6_ROUTE})
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), "rtnetlink"), nil
}

// tellsOfDefault reports that messages are about a default route among others.
func tellsOfDefault(messages []byte) bool {
	return findDefault(messages, func(_ uint16, _ []byte) bool { return true })
}

// findDefault looks for a message about a default route that is as wanted.
func findDefault(messages []byte, wanted func(kind uint16, route []byte) bool) bool {
	all, err := syscall.ParseNetlinkMessage(messages)
	if err != nil {
		return false
	}
	for _, m := range all {
		about := m.Header.Type == unix.RTM_NEWROUTE || m.Header.Type == unix.RTM_DELROUTE
		if about && len(m.Data) >= unix.SizeofRtMsg && m.Data[1] == 0 && wanted(m.Header.Type, m.Data) {
			return true
		}
	}
	return false
}

// leadsOut reads struct rtmsg: a route of the main table to other machines, not
// one that refuses. rtm_dst_len, 0 in a default route, is its second byte.
func leadsOut(route []byte) bool {
	const table, kind, flags = 4, 7, 8
	dead := binary.NativeEndian.Uint32(route[flags:])&(unix.RTNH_F_DEAD|unix.RTNH_F_LINKDOWN) != 0
	return route[table] == unix.RT_TABLE_MAIN && route[kind] == unix.RTN_UNICAST && !dead
}
