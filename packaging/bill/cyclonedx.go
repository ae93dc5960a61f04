package main

import (
	"bytes"
	"encoding/json"
)

// document is the part of CycloneDX 1.5 that is written. It has no time and no serial number, so that the
// output is reproducible.
type document struct {
	Schema     string      `json:"$schema"`
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Name       string     `json:"name"`
	Version    string     `json:"version,omitempty"`
	Licences   []choice   `json:"licenses,omitempty"`
	PURL       string     `json:"purl,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type choice struct {
	Expression string `json:"expression"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func bill(name, version string, parts []part) ([]byte, error) {
	d := document{
		Schema: "http://cyclonedx.org/schema/bom-1.5.schema.json", Format: "CycloneDX", Spec: "1.5", Version: 1,
		Metadata: metadata{component{Type: "application", Name: name, Version: version, Licences: []choice{{"MIT"}}}},
	}
	for _, p := range parts {
		c := component{Type: "library", Name: p.path, Version: p.version, Licences: []choice{{p.licence}}}
		if p.path != cLibrary {
			c.PURL = "pkg:golang/" + p.path + "@" + p.version
		}
		if p.sum != "" {
			c.Properties = []property{{"go.sum", p.sum}}
		}
		d.Components = append(d.Components, c)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(d)
	return out.Bytes(), err
}
