package safety

import "strings"

// show are the spellings of show and list in ip(8). A single s is show for addresses, routes, neighbours and
// rules, but set for links.
const show = " sh|sho|show|l|ls|li|lis|list|lst **"

const showShort = " s|sh|sho|show|l|ls|li|lis|list|lst **"

const ipLines = `
	.
	a|ad|add|addr|addre|addres|address
	a|ad|add|addr|addre|addres|address` + showShort + `
	l|li|lin|link
	l|li|lin|link` + show + `
	r|ro|rou|rout|route
	r|ro|rou|rout|route` + showShort + `
	r|ro|rou|rout|route g|ge|get **
	n|ne|nei|neig|neigh|neighb|neighbo|neighbor|neighbour
	n|ne|nei|neig|neigh|neighb|neighbo|neighbor|neighbour` + showShort + `
	ru|rul|rule
	ru|rul|rule` + showShort + `
	maddr|maddress|mroute|tunnel|tuntap|netconf|ntable|addrlabel|tcp_metrics|nexthop|vrf|netns|token
	maddr|maddress|mroute|tunnel|tuntap|netconf|ntable|addrlabel|tcp_metrics|nexthop|vrf|netns|token` + show

// firewallQueries and firewallQuestions are the read-only options of firewall-cmd(1): those that list, and
// those that query one thing.
const (
	firewallQueries = "list-all list-all-zones list-all-policies list-ports list-services list-interfaces list-sources list-rich-rules list-protocols list-source-ports " +
		"list-forward-ports list-icmp-blocks get-zones get-default-zone get-active-zones get-services get-icmptypes get-policies get-active-policies get-log-denied " +
		"query-masquerade query-forward query-panic query-lockdown"
	firewallQuestions = "query-service query-port query-interface query-source query-protocol info-zone info-service info-policy info-ipset info-icmptype get-zone-of-interface"
)

// questionTypes are the accepted record types for dig and host. Other types could be arbitrary numbers.
const questionTypes = "only:A|AAAA|ANY|CAA|CNAME|DNSKEY|DS|HTTPS|MX|NS|PTR|SOA|SRV|SVCB|TXT|NAPTR|TLSA|SSHFP|a|aaaa|any|caa|cname|dnskey|ds|https|mx|ns|ptr|soa|srv|svcb|txt|naptr|tlsa|sshfp"

// packetSizes are common packet sizes to test a path with ping.
const packetSizes = "only:56|64|500|1000|1372|1400|1452|1464|1472|1500|8972"

// commonServices are the service names that avahi-browse can search.
const commonServices = "_http._tcp _https._tcp _ssh._tcp _sftp-ssh._tcp _ipp._tcp _ipps._tcp _printer._tcp _pdl-datastream._tcp _scanner._tcp _uscan._tcp _uscans._tcp _smb._tcp _nfs._tcp " +
	"_afpovertcp._tcp _workstation._tcp _airplay._tcp _raop._tcp _googlecast._tcp _spotify-connect._tcp _hap._tcp _homekit._tcp _kdeconnect._udp"

// network are the programs that show the network or send limited queries.
var network = []program{
	{names: "ip", why: "shows addresses, links and routes", forms: []form{{
		single: "4 6 0 br brief s ss stats statistics d details h human human-readable iec o oneline r resolve c color j json p pretty t timestamp ts tshort a all N Numeric V",
		long:   "brief json", singVal: "f family", lines: ipLines,
	}}},
	{names: "ss", why: "shows sockets", forms: []form{{
		flags: "htlunaopemiswx0460rHsbZzOQTSWdMV", values: "fA",
		long:    "no-header numeric resolve all listening options extended memory processes threads info summary tos cgroup ipv4 ipv6 tcp udp unix raw packet dccp sctp vsock mptcp oneline bpf",
		longVal: "family query socket", max: many, operand: text, check: numericFilter,
	}}},
	{names: "netstat", why: "shows sockets", forms: []form{{
		flags: "rnatulpiesgWvoF46wx", long: "route interfaces groups statistics numeric all listening programs tcp udp extend wide verbose", max: 0,
	}}},
	{names: "arp", why: "shows neighbours", forms: []form{{flags: "anve", values: "i", max: 1, operand: address}}},
	{names: "route", why: "shows routes", forms: []form{{flags: "neevF46"}}},
	{names: "ifconfig", why: "shows links", forms: []form{{flags: "asv", max: 1, operand: name}}},
	{names: "iwconfig", why: "shows wireless links", forms: []form{{max: 1, operand: name}}},
	{names: "nmcli", why: "shows NetworkManager, never its secrets", forms: []form{{
		flags: "tpo", values: "fgmcew", long: "terse pretty overview active", longVal: "fields get-values mode colors escape wait rescan order", kinds: "rescan=only:no|auto",
		lines: `
			.
			g|ge|gen|gene|gener|genera|general
			g|ge|gen|gene|gener|genera|general s|st|sta|stat|status|h|hostname|p|permissions|logging
			n|ne|net|netw|networking
			n|ne|net|netw|networking c|con|conn|connectivity
			n|ne|net|netw|networking c|con|conn|connectivity check
			r|ra|rad|radi|radio
			r|ra|rad|radi|radio a|all|wifi|w|wwan
			c|co|con|conn|conne|connec|connect|connecti|connectio|connection
			c|co|con|conn|conne|connec|connect|connecti|connectio|connection s|sh|sho|show **
			d|de|dev|devi|devic|device
			d|de|dev|devi|devic|device s|st|sta|stat|status
			d|de|dev|devi|devic|device sh|sho|show **
			d|de|dev|devi|devic|device w|wi|wif|wifi
			d|de|dev|devi|devic|device w|wi|wif|wifi l|li|lis|list **
			d|de|dev|devi|devic|device lldp
			d|de|dev|devi|devic|device lldp list **`,
		check: noRescan,
	}}},
	{names: "iw", why: "shows wireless links", forms: []form{{lines: `
		dev
		dev * info|link
		dev * station|survey|mpath|mpp dump
		dev * station get *
		dev * get power_save
		dev * scan dump
		* info|link
		* station|survey dump
		list
		help
		phy
		phy * info|channels
		reg get`}}},
	{names: "iwgetid", why: "shows the wireless network", forms: []form{{flags: "racfmps", long: "raw ap channel freq mode protocol scheme", max: 1, operand: name}}},
	{names: "nm-online", why: "tells whether the network is up", forms: []form{{flags: "qxs", values: "t", kinds: "t=number timeout=number", long: "quiet exit wait-for-startup", longVal: "timeout"}}},
	{names: "wpa_cli", why: "shows wireless links", forms: []form{{values: "i", lines: "status\n list_networks\n scan_results\n interface\n signal_poll"}}},
	{names: "mmcli", why: "shows modems", forms: []form{{
		flags: "LJK", values: "mb", long: "list-modems output-json output-keyvalue signal-get location-status", longVal: "modem bearer", need: "L,m,b,list-modems,modem,bearer",
	}}},
	{names: "netctl", script: true, why: "shows network profiles", forms: []form{{lines: "list\n status *\n is-active|is-enabled *"}}},
	{names: "bridge", why: "shows bridges", forms: []form{{
		single: "s statistics d details j json p pretty o oneline c color", lines: "link|fdb|mdb|vlan\n link|fdb|mdb|vlan show|list **",
	}}},
	{names: "tc", why: "shows traffic control", forms: []form{{
		single: "s statistics d details j json p pretty", lines: "qdisc\n qdisc|class|filter|chain show|list|ls **",
	}}},
	{names: "iwctl", why: "shows wireless links", forms: []form{{lines: `
		device|station|adapter|known-networks list
		device|station|adapter * show
		station * get-networks
		known-networks * show`}}},
	{names: "bluetoothctl", why: "shows Bluetooth devices", forms: []form{{longVal: "timeout", lines: "show\n show *\n devices\n devices Paired|Bonded|Trusted|Connected\n paired-devices\n info\n info *\n list\n version"}}},
	{names: "btmgmt", why: "shows Bluetooth adapters", forms: []form{{lines: "info"}}},
	{names: "hcitool", why: "shows Bluetooth adapters", forms: []form{{lines: "dev\n con"}}},
	{names: "mii-tool", why: "shows wired links", forms: []form{{flags: "v", long: "verbose", max: many, operand: name}}},
	{names: "hciconfig", why: "shows Bluetooth adapters", forms: []form{{flags: "a"}}},
	{names: "ping ping4 ping6", why: "asks a host for an answer a few times", forms: []form{{
		flags: "46aDnqrRUvLO", values: "cisWwIMt", kinds: "c=number i=number s=" + packetSizes + " W=number w=number I=plain M=only:do|dont|want|probe t=number count=number deadline=number",
		longVal: "count deadline", need: "c,w,count,deadline", min: 1, max: 1, operand: host, reaches: named, check: fewPackets,
	}}},
	{names: "arping", why: "asks a neighbour for an answer a few times", forms: []form{{
		flags: "bDfqV", values: "cwI", kinds: "c=number w=number I=plain", need: "c,w", min: 1, max: 1, operand: host, reaches: named, check: fewPackets,
	}}},
	{names: "dig", why: "looks up a name", forms: []form{{
		flags: "46muv", values: "pqtxc", kinds: "p=only:53|853|5353 q=host t=" + questionTypes + " x=host c=only:IN|in|CH|ch", max: many, operand: text, reaches: named, check: dnsQuestion,
	}}},
	{names: "host", why: "looks up a name", forms: []form{{
		flags: "aACdilnrsTvVw46", values: "cNRtW", kinds: "c=only:IN|in|CH|ch N=number R=number W=number t=" + questionTypes, min: 1, max: 2, operand: host, reaches: named,
	}}},
	{names: "nslookup", why: "looks up a name", forms: []form{{
		single: "type=A type=a type=AAAA type=aaaa type=MX type=mx type=NS type=ns type=TXT type=txt type=SOA type=soa type=CNAME type=cname type=PTR type=ptr type=any query=mx query=ns query=txt debug",
		min:    1, max: 2, operand: host, reaches: named,
	}}},
	{names: "curl", why: "asks a server for the headers of an address", forms: []form{
		{flags: "V", need: "V"},
		{
			flags: "sSIfv46", values: "om", long: "silent show-error head fail verbose ipv4 ipv6 http1.1 http2", longVal: "output max-time connect-timeout",
			kinds: "o=only:/dev/null output=only:/dev/null m=number max-time=number connect-timeout=number", need: "I,head", min: 1, max: 1, operand: url, reaches: named,
		},
	}},
	{names: "whois", why: "looks up an owner", forms: []form{{flags: "H", min: 1, max: 1, operand: host, reaches: named}}},
	{names: "drill", why: "looks up a name", forms: []form{{flags: "DTSVQ46xtu", min: 1, max: 4, operand: text, reaches: named, check: dnsQuestion}}},
	{names: "avahi-resolve avahi-resolve-host-name avahi-resolve-address", why: "looks up a name on the local network", forms: []form{{
		flags: "na46v", long: "name address", min: 1, max: many, operand: host, reaches: named,
	}}},
	{names: "avahi-browse", why: "lists services on the local network once", forms: []form{{
		flags: "atrplckv", long: "all terminate resolve parsable cache", need: "t,terminate,c,cache", max: 1, operand: choice, only: commonServices, reaches: local,
	}}},
	{names: "tracepath tracepath6", why: "shows the way to a host", forms: []form{{flags: "46nb", values: "m", kinds: "m=number", min: 1, max: 1, operand: host, reaches: named}}},
	{names: "traceroute traceroute6", why: "shows the way to a host", forms: []form{{
		flags: "46ndFIrTUAeV", values: "fimNqwz", kinds: "f=number i=plain m=number N=number q=number w=number z=number", min: 1, max: 1, operand: host, reaches: named,
	}}},
	{names: "mtr", why: "shows the way to a host once", forms: []form{{
		flags: "rwnbo46zjxCuT", values: "cimf", kinds: "c=number i=number m=number f=number report-cycles=number interval=number max-ttl=number first-ttl=number",
		long: "report report-wide no-dns show-ips json csv xml raw udp tcp aslookup mpls", longVal: "report-cycles interval max-ttl first-ttl",
		need: "r,w,report,report-wide", min: 1, max: 1, operand: host, reaches: named, check: fewPackets,
	}}},
	{names: "ethtool", why: "shows a wired link", forms: []form{{single: "i S k a g c l T P x m n u d j json", long: "json driver statistics show-features show-pause show-ring show-eee show-permaddr show-coalesce show-channels show-fec show-time-stamping show-priv-flags show-module", min: 1, max: 1, operand: name}}},
	{names: "wg", why: "shows WireGuard without its keys", forms: []form{{lines: ".\n show\n show all|interfaces\n show *"}}},
	{names: "tailscale", why: "shows Tailscale", forms: []form{{flags: "46", long: "json peers self active", lines: "status\n ip\n ip *\n netcheck\n version"}}},
	{names: "zerotier-cli", why: "shows ZeroTier", forms: []form{{flags: "j", lines: "info|status|listnetworks|listpeers|peers"}}},
	{names: "ufw", script: true, why: "shows the firewall", forms: []form{{
		lines: "status\n status verbose|numbered\n version\n app list\n app info *\n show added|listening|raw|builtins|before-rules|user-rules|after-rules|logging-rules",
	}}},
	{names: "firewall-cmd", script: true, why: "shows the firewall", forms: []form{{
		long: "state permanent " + firewallQueries, longVal: "zone policy " + firewallQuestions, kinds: "query-port=port query-source=address",
		need: strings.ReplaceAll("state "+firewallQueries+" "+firewallQuestions, " ", ","),
	}}},
	{names: "iptables ip6tables", why: "shows the firewall", forms: []form{{flags: "LSnvx", values: "t", long: "list list-rules numeric verbose line-numbers exact", longVal: "table", need: "L,S,list,list-rules", max: 1, operand: name}}},
	{names: "iptables-save ip6tables-save", why: "prints the firewall", forms: []form{{flags: "c", values: "t", long: "counters", longVal: "table"}}},
	{names: "nft", why: "shows the firewall", forms: []form{{flags: "anjst", long: "handle numeric json stateless", lines: "list ruleset|tables|chains|sets|maps|counters **\n list table|chain|set * **"}}},
	{names: "hostname", why: "prints the host name; an operand would set it", forms: []form{{flags: "fsdIAiya", long: "fqdn long short domain ip-address all-ip-addresses all-fqdns alias"}}},
	{names: "dnsdomainname domainname nisdomainname", why: "prints the domain", forms: []form{{}}},
	{names: "chronyc", why: "shows the clock", forms: []form{{flags: "nvcm", reaches: local, lines: "tracking|sources|sourcestats|activity|rtcdata|serverstats|ntpdata"}}},
	{names: "ntpq", why: "shows the clock", forms: []form{{flags: "pn", need: "p", reaches: local}}},
	{names: "lpstat", why: "shows printers", forms: []form{{flags: "dHlrstREW", attached: "aopuvc", max: many, operand: name}}},
	{names: "lpq", why: "shows print jobs", forms: []form{{flags: "aEl", values: "P", max: many, operand: name}}},
	{names: "lpoptions", why: "shows settings of printers", forms: []form{{flags: "lE", values: "p", kinds: "p=plain"}}},
	{names: "lpc", why: "shows printers", forms: []form{{lines: "status|stat\n status|stat *"}}},
	{names: "cupsctl", why: "shows settings of the print server", forms: []form{{}}},
	{names: "lpinfo", why: "lists printers", forms: []form{{flags: "lvm", longVal: "make-and-model timeout"}}},
	{names: "vnstat", why: "shows traffic", forms: []form{{flags: "hdmyst5gq", values: "i", longVal: "iface", longOpt: "json oneline short days hours months years"}}},
	{names: "warp-cli", why: "shows Cloudflare WARP", forms: []form{{long: "accept-tos", lines: "status\n settings\n warp-stats"}}},
	{names: "mullvad nordvpn expressvpn protonvpn-cli", script: true, why: "shows the VPN", forms: []form{{lines: "status\n version"}}},
	{names: "ipcalc", why: "calculates networks", forms: []form{{flags: "bcnmpsa4", min: 1, max: 2, operand: address}}},
	{names: "smbclient", why: "lists the shares of a host", forms: []form{{flags: "N", values: "L", kinds: "L=host list=host", long: "no-pass", longVal: "list", need: "L,list N,no-pass", reaches: named}}},
	{names: "testparm", why: "checks the settings of shares", forms: []form{{flags: "sv", long: "suppress-prompt verbose", need: "s,suppress-prompt", max: 1, operand: read}}},
	{names: "showmount", why: "lists the exports of a host", forms: []form{{flags: "eadh", long: "exports all directories no-headers", max: 1, operand: host, reaches: named}}},
	{names: "exportfs", why: "lists exports", forms: []form{{flags: "vs"}}},
	{names: "nfsstat", why: "counts calls of NFS", forms: []form{{flags: "mcsnrvl234", long: "mounts client server nfs rpc"}}},
	{names: "rpcinfo", why: "lists RPC services", forms: []form{{flags: "ps", need: "p,s", max: 1, operand: host, reaches: named}}},
	{names: "tcpdump", why: "lists interfaces", forms: []form{{flags: "D", long: "list-interfaces version", need: "D,list-interfaces,version"}}},
	{names: "sshd", why: "checks and prints its settings", forms: []form{{flags: "tTV", need: "t,T,V"}}},
	{names: "ssh-keygen", why: "shows fingerprints of public keys", forms: []form{{
		flags: "lvB", values: "fE", kinds: "f=text", need: "l f", check: publicKey,
	}}},
	{names: "smbstatus", why: "shows shares", forms: []form{{flags: "bSpLn"}}},
}

// noRescan refuses a scan that is requested with words instead of the option.
func noRescan(_ *invocation, p *parsed) *refusal {
	for _, f := range p.operands {
		if word, ok := f.val.lit(); ok && (word == "--show-secrets" || word == "show-password") {
			return deny("operand", word, 1)
		}
	}
	return nil
}
