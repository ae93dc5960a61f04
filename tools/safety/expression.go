package safety

import "mvdan.cc/sh/v3/syntax"

// checkArith judges arithmetic. The shell evaluates a variable's value in arithmetic as an expression again,
// and an array subscript in it can contain $(…). So every operand must be proven to be a number.
func (s *scope) checkArith(exprs ...syntax.ArithmExpr) {
	for _, x := range exprs {
		if x != nil && !s.numericExpr(x) {
			s.j.refuse("unlisted-expression", "$((…))")
			return
		}
	}
}

func (s *scope) numericExpr(x syntax.ArithmExpr) bool {
	switch x := x.(type) {
	case nil:
		return true
	case *syntax.BinaryArithm:
		if assigning(x.Op) && !s.assignable(x.X) {
			return false
		}
		return s.numericExpr(x.X) && s.numericExpr(x.Y)
	case *syntax.UnaryArithm:
		if (x.Op == syntax.Inc || x.Op == syntax.Dec) && !s.assignable(x.X) {
			return false
		}
		return s.numericExpr(x.X)
	case *syntax.ParenArithm:
		return s.numericExpr(x.X)
	case *syntax.Word:
		return x == nil || s.numericWord(x)
	}
	return false
}

func (s *scope) assignable(x syntax.ArithmExpr) bool {
	w, ok := x.(*syntax.Word)
	return ok && isLocalName(w.Lit())
}

// numericWord accepts numbers, names of numeric variables and expansions that can only give numbers.
func (s *scope) numericWord(w *syntax.Word) bool {
	if name := w.Lit(); syntax.ValidName(name) {
		return s.numericVariable(name, w.Pos().Offset())
	}
	for _, part := range w.Parts {
		if p, ok := part.(*syntax.ParamExp); ok && p.Index != nil {
			return false
		}
	}
	for _, e := range s.expand(w.Parts, false, true) {
		var v value
		for _, p := range e.pieces {
			v = v.join(p.val)
		}
		if !v.isNumeric() && !(e.phantom && len(v) == 0) {
			return false
		}
	}
	return true
}

func (s *scope) numericVariable(name string, at uint) bool {
	if _, b := s.lookup(name); b == nil && !isSpecialParameter(name) {
		return false
	}
	for _, o := range s.variable(name, at) {
		if !o.val.isNumeric() && !(o.phantom && len(o.val) == 0) {
			return false
		}
	}
	return true
}

// checkBinaryTest judges the operators of [[ … ]] that evaluate arithmetic.
func (s *scope) checkBinaryTest(t *syntax.BinaryTest) {
	switch t.Op {
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
	default:
		return
	}
	for _, x := range []syntax.TestExpr{t.X, t.Y} {
		if w, ok := x.(*syntax.Word); !ok || !s.numericWord(w) {
			s.j.refuse("unlisted-expression", "[[ … "+t.Op.String()+" … ]]")
			return
		}
	}
}

// unaryTests are the one-operand tests of [ and test for files, strings and descriptors. -v and -R are missing
// because they evaluate their operand.
var unaryTests = words("-a -b -c -d -e -f -g -h -k -p -r -s -t -u -w -x -G -L -N -O -S -n -z -o")

// binaryTests compare two operands. Unlike [[, the builtin takes numeric operands as plain integers.
var binaryTests = words("= == != < > -eq -ne -lt -le -gt -ge -nt -ot -ef")

// testExpression judges the arguments of test and [ by their number, like the shell (POSIX, test, "Operands").
func testExpression(args []field) bool {
	for _, f := range args {
		if f.many {
			return false
		}
	}
	if len(args) == 0 {
		return true
	}
	first, _ := args[0].val.lit()
	switch {
	case len(args) == 1:
		return true
	case len(args) == 2:
		return first == "!" || unaryTests.has(first)
	case len(args) == 3:
		op, _ := args[1].val.lit()
		second, _ := args[1].val.lit()
		return binaryTests.has(op) || first == "!" && unaryTests.has(second)
	}
	if first == "!" {
		return testExpression(args[1:])
	}
	return knownTest(args)
}

// knownTest accepts longer expressions only if all parts are known, so that no value can be parsed as an
// operator, and none is -v or -R.
func knownTest(args []field) bool {
	for _, f := range args {
		text, ok := f.val.lit()
		if ok && (text == "-v" || text == "-R") || !ok && (f.val.mayBeOption() || f.val.has(segAny)) {
			return false
		}
	}
	return true
}
