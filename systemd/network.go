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

// WatchNetwork calls up whenever the machine gets a first default route over IPv4 or IPv6, until ctx ends.
// NetworkManager, systemd-networkd, dhcpcd and iwd all set one, so none of them needs to be queried. [Online]
// reports the current state.
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
		case err != nil && !errors.Is(err, unix.ENOBUFS): // ENOBUFS: messages were lost
			return fmt.Errorf("cannot watch the network: %w", err)
		case err == nil && !mentionsDefault(buf[:n]):
			continue
		}
		is := Online()
		if is && !was {
			up()
		}
		was = is
	}
}

// Online reports whether there is a usable default route.
func Online() bool {
	table, err := syscall.NetlinkRIB(unix.RTM_GETROUTE, unix.AF_UNSPEC)
	if err != nil {
		return false
	}
	return findDefault(table, func(kind uint16, route []byte) bool { return kind == unix.RTM_NEWROUTE && isDefaultRoute(route) })
}

// routeSocket returns a socket that receives every change of a route.
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

// mentionsDefault reports whether any of the messages is about a default route.
func mentionsDefault(messages []byte) bool {
	return findDefault(messages, func(_ uint16, _ []byte) bool { return true })
}

// findDefault reports whether there is a wanted message about a default route.
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

// isDefaultRoute reports whether a struct rtmsg is a working unicast route of the main table. rtm_dst_len, the second
// byte, is 0 for a default route.
func isDefaultRoute(route []byte) bool {
	const table, kind, flags = 4, 7, 8
	dead := binary.NativeEndian.Uint32(route[flags:])&(unix.RTNH_F_DEAD|unix.RTNH_F_LINKDOWN) != 0
	return route[table] == unix.RT_TABLE_MAIN && route[kind] == unix.RTN_UNICAST && !dead
}
