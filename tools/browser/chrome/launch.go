package chrome

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/chromedp/chromedp"
	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/tools/browser"
)

// programs are the programs that speak Chromium's protocol, in the order in which they are looked for.
var programs = []string{
	"chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "brave", "vivaldi-stable", "microsoft-edge-stable",
}

// find returns the installed browser.
func find() (string, error) {
	for _, name := range programs {
		if path, err := exec.LookPath(name); err == nil && filepath.IsAbs(path) {
			return path, nil
		}
	}
	return "", browser.Fail(browser.CodeMissing, "Chromium is not installed. To install it: sudo pacman -S chromium")
}

// EnterArg is the first argument of this program when it makes the browser's network namespace.
const EnterArg = "enter"

// proxyAddress is where the proxy listens, in the browser's own network namespace. Nothing else is there.
const proxyAddress = "127.0.0.1:3128"

// The descriptors of the program that enters the namespace: chromedp's pipes are 3 and 4.
const handOverFD = 5

// Enter makes the network of a namespace that this process was started in, hands a listener in it over, and executes
// the browser. It returns only if that fails.
func Enter(argv []string) error {
	if len(argv) == 0 {
		return errors.New("there is no program to execute")
	}
	if err := raiseLoopback(); err != nil {
		return fmt.Errorf("cannot make the browser's network: %w", err)
	}
	l, err := net.Listen("tcp4", proxyAddress)
	if err != nil {
		return fmt.Errorf("cannot make the browser's way out: %w", err)
	}
	raw, err := l.(*net.TCPListener).SyscallConn()
	if err != nil {
		return err
	}
	var sent error
	if err := raw.Control(func(fd uintptr) { sent = unix.Sendmsg(handOverFD, []byte{0}, unix.UnixRights(int(fd)), nil, 0) }); err != nil || sent != nil {
		return fmt.Errorf("cannot hand over the browser's way out: %w", errors.Join(err, sent))
	}
	unix.CloseOnExec(handOverFD)
	// The right to change the namespace is for this program only.
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	return fmt.Errorf("cannot execute %s: %w", argv[0], syscall.Exec(argv[0], argv, os.Environ()))
}

// raiseLoopback switches the loopback interface on, which is off in a new network namespace.
func raiseLoopback() error {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(s)
	r, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	r.SetUint16(unix.IFF_UP)
	return unix.IoctlIfreq(s, unix.SIOCSIFFLAGS, r)
}

// confine makes a command start in its own user and network namespaces. child is the socket over which it hands
// the listener for the proxy over.
func confine(c *exec.Cmd, child *os.File) {
	c.Args = append([]string{os.Args[0], EnterArg, c.Path}, c.Args[1:]...)
	c.Path = "/proc/self/exe"
	c.ExtraFiles = append(c.ExtraFiles, child)
	same := func(id int) []syscall.SysProcIDMap {
		return []syscall.SysProcIDMap{{ContainerID: id, HostID: id, Size: 1}}
	}
	c.SysProcAttr = &syscall.SysProcAttr{
		Setsid: true, Pdeathsig: syscall.SIGKILL, Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
		UidMappings: same(os.Getuid()), GidMappings: same(os.Getgid()), AmbientCaps: []uintptr{unix.CAP_NET_ADMIN},
	}
}

// receiveListener receives the listener from the program that enters the namespace.
func receiveListener(from *os.File) (net.Listener, error) {
	raw, err := from.SyscallConn()
	if err != nil {
		return nil, err
	}
	rights := make([]byte, unix.CmsgSpace(4))
	var n int
	var received error
	err = raw.Read(func(fd uintptr) bool {
		_, n, _, _, received = unix.Recvmsg(int(fd), make([]byte, 1), rights, unix.MSG_CMSG_CLOEXEC)
		return !errors.Is(received, unix.EAGAIN)
	})
	if err = errors.Join(err, received); err != nil {
		return nil, err
	}
	messages, err := unix.ParseSocketControlMessage(rights[:n])
	if err != nil || len(messages) != 1 {
		return nil, errors.Join(errors.New("the browser's namespace was not made"), err)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return nil, errors.Join(errors.New("the browser's namespace was not made"), err)
	}
	f := os.NewFile(uintptr(fds[0]), "listener")
	defer f.Close()
	return net.FileListener(f)
}

// flags are the settings of the browser. It asks its maker for nothing, keeps nothing, and has one way to the network.
func flags(profile string, visible bool) []chromedp.ExecAllocatorOption {
	all := []chromedp.ExecAllocatorOption{
		chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.UserDataDir(profile), chromedp.WindowSize(1280, 800),
		chromedp.ProxyServer("http://" + proxyAddress),
		chromedp.Flag("no-sandbox", false), // never without it
	}
	for name, value := range map[string]any{
		"proxy-bypass-list": "<-loopback>", "force-webrtc-ip-handling-policy": "disable_non_proxied_udp", "disable-quic": true,
		"disable-background-networking": true, "disable-component-update": true, "disable-sync": true, "disable-default-apps": true,
		"disable-domain-reliability": true, "no-pings": true, "disable-extensions": true, "disable-breakpad": true,
		"disable-client-side-phishing-detection": true, "metrics-recording-only": true, "safebrowsing-disable-auto-update": true,
		"disable-features": "Translate,OptimizationHints,OptimizationGuideModelDownloading,AutofillServerCommunication,MediaRouter," +
			"NetworkTimeServiceQuerying,InterestFeedContentSuggestions,CertificateTransparencyComponentUpdater,DialMediaRouteProvider,HttpsUpgrades",
		"password-store": "basic", "deny-permission-prompts": true, "disable-notifications": true, "disable-dev-shm-usage": true,
		"disable-prompt-on-repost": true, "mute-audio": true, "hide-crash-restore-bubble": true, "noerrdialogs": true,
	} {
		all = append(all, chromedp.Flag(name, value))
	}
	if visible {
		return append(all, chromedp.Flag("ozone-platform-hint", "auto"))
	}
	return append(all, chromedp.Headless, chromedp.Flag("hide-scrollbars", true))
}

// environment is what the browser gets of the environment. Its home is the profile.
func environment(profile string) []string {
	env := []string{"HOME=" + profile}
	for _, name := range strings.Fields("PATH LANG LC_ALL XDG_RUNTIME_DIR WAYLAND_DISPLAY DISPLAY XAUTHORITY") {
		if value := os.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// hasDisplay reports whether a window can be shown.
func hasDisplay() bool { return os.Getenv("WAYLAND_DISPLAY") != "" || os.Getenv("DISPLAY") != "" }
