package safety

import "strings"

// operandPrefix accepts operands that start with one of the prefixes, each
// without anything unknown before it.
func operandPrefix(prefixes ...string) func(*invocation, *parsed) *refusal {
	return func(_ *invocation, p *parsed) *refusal {
		for _, f := range p.operands {
			ok := false
			for _, prefix := range prefixes {
				ok = ok || strings.HasPrefix(f.val.prefix(), prefix)
			}
			if !ok {
				return deny("operand", f.val.String(), 1)
			}
		}
		return nil
	}
}

// noOperandWith refuses operands that hold a text, or may hold it.
func noOperandWith(marks string) func(*invocation, *parsed) *refusal {
	return func(_ *invocation, p *parsed) *refusal {
		for _, f := range p.operands {
			word, ok := f.val.lit()
			if !ok || strings.ContainsAny(word, marks) {
				return deny("operand", f.val.String(), 1)
			}
		}
		return nil
	}
}

// noPaths refuses operands that are paths where names are meant.
func noPaths(_ *invocation, p *parsed) *refusal {
	for _, f := range p.operands {
		if word := f.val.prefix(); word == "" || strings.ContainsAny(word[:1], "/.~") {
			return deny("operand", f.val.String(), 1)
		}
	}
	return nil
}

func harmlessNames(_ *invocation, p *parsed) *refusal {
	for _, f := range p.operands {
		word, ok := f.val.lit()
		if !ok || !harmlessVariable(word) {
			return deny("environment", f.val.String(), 1)
		}
	}
	return nil
}

// shortSleep keeps a pause below ten minutes.
func shortSleep(_ *invocation, p *parsed) *refusal {
	word, ok := p.operands[0].val.lit()
	if !ok || len(strings.TrimRight(word, "s")) > 3 || strings.ContainsAny(word, "mhdkKMGTPEB%") {
		return deny("unbounded", p.operands[0].val.String(), 1)
	}
	return nil
}

// literalFormat requires a known format: an unknown one could be -v NAME.
func literalFormat(_ *invocation, p *parsed) *refusal {
	if _, ok := p.operands[0].val.lit(); !ok {
		return deny("unproven-operand", p.operands[0].val.String(), 1)
	}
	return nil
}

// asOperands puts -- before the arguments of test, whose operators look like options.
func asOperands(args []field) []field {
	return append([]field{{val: litValue("--")}}, args...)
}

func testOperands(_ *invocation, p *parsed) *refusal {
	if !testExpression(p.operands) {
		return deny("unlisted-expression", "", 1)
	}
	return nil
}

func bracketOperands(_ *invocation, p *parsed) *refusal {
	last := len(p.operands) - 1
	if word, _ := p.operands[last].val.lit(); word != "]" || !testExpression(p.operands[:last]) {
		return deny("unlisted-expression", "", 1)
	}
	return nil
}

// localNamesOnly requires plain variable names: a subscript would be evaluated.
// The variables must be known to change here, so read must be spelled plainly.
func localNamesOnly(in *invocation, p *parsed) *refusal {
	for _, f := range p.operands {
		word, ok := f.val.lit()
		b := in.s.vars[word]
		if !ok || !localName(word) || b == nil || !b.unknown {
			return deny("assignment", f.val.String(), 1)
		}
	}
	return nil
}

// bounded requires an interval to come with a count: zero or two numbers.
func bounded(_ *invocation, p *parsed) *refusal {
	numbers := 0
	for _, f := range p.operands {
		if word, ok := f.val.lit(); ok && digits(word) {
			numbers++
		}
	}
	if numbers == 1 || numbers > 2 {
		return deny("unbounded", "interval without count", 1)
	}
	return nil
}

// together requires the second option when the first is given.
func together(first, second string) func(*invocation, *parsed) *refusal {
	return func(_ *invocation, p *parsed) *refusal {
		if p.has(strings.Split(first, ",")...) && !p.has(strings.Split(second, ",")...) {
			return deny("unbounded", "-"+first+" without -"+second, 1)
		}
		return nil
	}
}

// fewPackets keeps the count of ping small.
func fewPackets(_ *invocation, p *parsed) *refusal {
	for _, o := range []string{"c", "count", "w", "deadline"} {
		if f, ok := p.values[o]; ok {
			if word, known := f.val.lit(); !known || !digits(word) || len(word) > 3 {
				return deny("unbounded", f.val.String(), 1)
			}
		}
	}
	return nil
}

// noEnvironment refuses the properties that print environments.
func noEnvironment(_ *invocation, p *parsed) *refusal {
	for _, o := range []string{"p", "property", "P", "o", "format", "O", "F", "field"} {
		if f, ok := p.values[o]; ok {
			word, known := f.val.lit()
			if !known || strings.Contains(strings.ToLower(word), "env") {
				return deny("environment", f.val.String(), 1)
			}
		}
	}
	for _, f := range p.operands {
		if prefix := f.val.prefix(); strings.HasPrefix(prefix, ".") || strings.HasPrefix(prefix, "/") {
			return deny("operand", f.val.String(), 1)
		}
	}
	first := ""
	if len(p.operands) > 0 {
		first, _ = p.operands[0].val.lit()
	}
	if first == "show" && len(p.operands) == 1 && !p.has("p", "property", "P") {
		return deny("environment", "show", 1)
	}
	return nil
}
