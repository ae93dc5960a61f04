package icon

import (
	"strings"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// introspection describes the object (D-Bus Specification, "Introspection Data Format") to panels that ask for it.
const introspection = `<!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
"http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
<node><interface name="org.kde.StatusNotifierItem">
<property name="Category" type="s" access="read"/><property name="Id" type="s" access="read"/>
<property name="Title" type="s" access="read"/><property name="Status" type="s" access="read"/>
<property name="IconName" type="s" access="read"/><property name="AttentionIconName" type="s" access="read"/>
<property name="ToolTip" type="(sa(iiay)ss)" access="read"/><property name="ItemIsMenu" type="b" access="read"/>
<property name="Menu" type="o" access="read"/>
<method name="Activate"><arg type="i" direction="in"/><arg type="i" direction="in"/></method>
<method name="SecondaryActivate"><arg type="i" direction="in"/><arg type="i" direction="in"/></method>
<method name="ContextMenu"><arg type="i" direction="in"/><arg type="i" direction="in"/></method>
<method name="Scroll"><arg type="i" direction="in"/><arg type="s" direction="in"/></method>
<signal name="NewToolTip"/><signal name="NewTitle"/></interface></node>`

const (
	iconName = "org.blunux.ai"
	// openPause is the least time between two windows: any program on the bus can click.
	openPause = 2 * time.Second
	// maxShown is how many approvals the tooltip shows, each with at most maxCommand characters.
	maxShown, maxCommand = 5, 60
)

// methods returns the methods of the item: each click opens the approvals.
func (i *icon) methods() map[string]any {
	open := func(_, _ int32) *dbus.Error {
		i.open()
		return nil
	}
	return map[string]any{
		"Activate": open, "SecondaryActivate": open, "ContextMenu": open,
		"Scroll": func(int32, string) *dbus.Error { return nil },
	}
}

func (i *icon) open() {
	i.mu.Lock()
	again := time.Since(i.opened) < openPause
	if !again {
		i.opened = time.Now()
	}
	i.mu.Unlock()
	if again {
		return
	}
	if err := i.Open(); err != nil {
		i.Warn(err)
	}
}

// properties returns the methods of org.freedesktop.DBus.Properties (D-Bus Specification, "org.freedesktop.DBus.Properties").
func (i *icon) properties() map[string]any {
	return map[string]any{
		"Get": func(_, name string) (dbus.Variant, *dbus.Error) {
			value, ok := i.values()[name]
			if !ok {
				return value, dbus.NewError("org.freedesktop.DBus.Error.UnknownProperty", []any{name})
			}
			return value, nil
		},
		"GetAll": func(string) (map[string]dbus.Variant, *dbus.Error) { return i.values(), nil },
		"Set": func(_, name string, _ dbus.Variant) *dbus.Error {
			return dbus.NewError("org.freedesktop.DBus.Error.PropertyReadOnly", []any{name})
		},
	}
}

// pixmap is a picture of an icon. We have none, because the theme has the icon.
type pixmap struct {
	Width, Height int32
	Data          []byte
}

// toolTip is the structure of the property ToolTip: icon, pictures, title, and a text with markup.
type toolTip struct {
	Icon     string
	Pictures []pixmap
	Title    string
	Text     string
}

func (i *icon) values() map[string]dbus.Variant {
	i.mu.Lock()
	defer i.mu.Unlock()
	title := i18n.IconWaiting(len(i.asks)).In(i.Lang)
	values := map[string]any{
		"Category": "ApplicationStatus", "Id": "blunux-ai", "Title": title, "Status": "NeedsAttention",
		"IconName": iconName, "AttentionIconName": iconName,
		"ItemIsMenu": false, "Menu": dbus.ObjectPath("/NO_DBUSMENU"), // libraries of KDE and Ayatana know it as no menu
		"ToolTip": toolTip{Icon: iconName, Pictures: []pixmap{}, Title: title, Text: details(i.asks)},
	}
	all := map[string]dbus.Variant{}
	for name, value := range values {
		all[name] = dbus.MakeVariant(value)
	}
	return all
}

// markup escapes what the specification's markup gives a meaning (StatusNotifierItem, "Markup").
var markup = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// details lists the first approvals, a line each.
func details(asks []ipc.Ask) string {
	var lines []string
	for _, ask := range asks[:min(len(asks), maxShown)] {
		lines = append(lines, markup.Replace(ipc.VisibleLine(ask.Code)+"  "+brief(ask.Command)))
	}
	if len(asks) > maxShown {
		lines = append(lines, "…")
	}
	return strings.Join(lines, "\n")
}

// brief returns the beginning of a command on one line.
func brief(command string) string {
	rs := []rune(ipc.VisibleLine(command))
	if len(rs) <= maxCommand {
		return string(rs)
	}
	return string(rs[:maxCommand-1]) + "…"
}
