package file

// Named returns a replacement as on a file system without unnamed files.
func (p Put) Named() Put {
	p.named = true
	return p
}
