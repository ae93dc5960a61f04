package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"
	"github.com/mdp/qrterminal/v3"
	"github.com/spf13/cobra"
	"rsc.io/qr"

	"github.com/nidoit/blunux-ai/bridge/program"
	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/bridge/whatsapp"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/internal/term"
)

// quietZone is the number of empty cells around a QR code, which scanners need on a dark terminal.
const quietZone = 2

// sampleCode has the length of WhatsApp's codes, to compute their size before one is received.
var sampleCode = strings.Repeat("x", 300)

// loginFlags are the command's flags.
type loginFlags struct {
	number, png string
	again, yes  bool
}

func login(p *program.Program) *cobra.Command {
	var f loginFlags
	cmd := &cobra.Command{
		Use: "login", Short: i18n.CmdWhatsAppLogin.In(p.Lang), Args: manual.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.number != "" && f.png != "" {
				return manual.NewUsageError(i18n.MistakeBoth("--code", "--png").In(p.Lang))
			}
			return link(cmd.Context(), p, f)
		},
	}
	cmd.Flags().StringVar(&f.number, "code", "", i18n.FlagWhatsAppCode.In(p.Lang))
	cmd.Flags().StringVar(&f.png, "png", "", i18n.FlagWhatsAppPng.In(p.Lang))
	cmd.Flags().BoolVar(&f.again, "again", false, i18n.FlagWhatsAppAgain.In(p.Lang))
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, i18n.FlagYes.In(p.Lang))
	return cmd
}

// link links an account after the person has read and accepted the notice.
func link(ctx context.Context, p *program.Program, f loginFlags) error {
	number, err := phoneNumber(p, f.number)
	if err != nil {
		return err
	}
	dir, release, err := p.Lock()
	if err != nil {
		return err
	}
	defer release()
	account, err := whatsapp.Account(ctx, dir)
	if err == nil && !f.again {
		p.Say(i18n.WhatsappLinked(account))
		return nil
	}
	former := !errors.Is(err, whatsapp.ErrNoSession)
	if number == "" && f.png == "" && !qrFits(p) {
		return &program.Exit{Code: program.Failure}
	}
	p.Say(i18n.WhatsappNotice)
	if err := p.Confirm(ctx, i18n.WhatsappGoOn.In(p.Lang), f.yes); err != nil {
		return err
	}
	account, err = whatsapp.Link(ctx, dir, p.Log(), linkOptions(p, number, f.png))
	if f.png != "" {
		_ = os.Remove(f.png) // its code is used
	}
	if err != nil {
		return err
	}
	if err := state.Write(dir, state.State{Channel: p.Kind.Channel.Name, Phase: state.Stopped, Account: account}); err != nil {
		return err
	}
	p.Say(i18n.WhatsappReady(account))
	if former {
		p.Say(i18n.WhatsappBackup(filepath.Join(dir, "session.old")))
	}
	return nil
}

// phoneNumber parses a typed phone number, and removes separators between the digits.
func phoneNumber(p *program.Program, typed string) (string, error) {
	if typed == "" {
		return "", nil
	}
	n := strings.NewReplacer(" ", "", "-", "", "(", "", ")", "").Replace(strings.TrimPrefix(strings.TrimSpace(typed), "+"))
	if len(n) < 7 || len(n) > 15 || n[0] == '0' || strings.Trim(n, "0123456789") != "" {
		p.Say(i18n.WhatsappBadNumber(typed))
		return "", &program.Exit{Code: program.Usage}
	}
	return n, nil
}

// qrFits reports whether a QR code fits into the terminal. If not, it prints the alternatives.
func qrFits(p *program.Program) bool {
	width, height := screenSize(p)
	side := codeSide(sampleCode)
	// One row for the text above the code, and one for the cursor below it.
	wide, high := side, (side+1)/2+2
	switch {
	case width == 0:
		p.Say(i18n.WhatsappNoScreen)
	case width < wide || height < high:
		p.Say(i18n.WhatsappSmall(wide, high, width, height))
	default:
		return true
	}
	p.Say(i18n.WhatsappOtherWays)
	return false
}

// codeSide returns the width of a QR code in terminal cells.
func codeSide(text string) int {
	code, err := qr.Encode(text, qr.L)
	if err != nil {
		return 0
	}
	return code.Size + 2*quietZone
}

// screenSize returns the size of the terminal on which codes are drawn, or 0, 0 if there is none.
func screenSize(p *program.Program) (columns, rows int) {
	f, ok := p.Out.(*os.File)
	if !ok {
		return 0, 0
	}
	return term.Size(f)
}

// linkOptions returns how codes are shown.
func linkOptions(p *program.Program, number, png string) whatsapp.LinkOptions {
	s := &qrScreen{p: p, png: png}
	return whatsapp.LinkOptions{
		Number: number, QR: s.show,
		Code:   func(code string) { p.Say(i18n.WhatsappType(code)) },
		Linked: func(account string) { p.Say(i18n.WhatsappSyncing(account)) },
	}
}

// qrScreen shows QR codes, each in place of the previous one.
type qrScreen struct {
	p    *program.Program
	png  string
	rows int // of the current code
	told bool
}

func (s *qrScreen) show(code string) error {
	if s.png != "" {
		return s.writePNG(code)
	}
	var b strings.Builder
	if s.rows > 0 {
		fmt.Fprintf(&b, "\x1b[%dA\x1b[J", s.rows)
	} else {
		s.p.Say(i18n.WhatsappScan)
	}
	var drawn strings.Builder
	qrterminal.GenerateWithConfig(code, qrterminal.Config{
		Level: qr.L, Writer: &drawn, HalfBlocks: true, QuietZone: quietZone,
		BlackChar: qrterminal.BLACK_BLACK, WhiteChar: qrterminal.WHITE_WHITE,
		BlackWhiteChar: qrterminal.BLACK_WHITE, WhiteBlackChar: qrterminal.WHITE_BLACK,
	})
	s.rows = strings.Count(drawn.String(), "\n")
	b.WriteString(drawn.String())
	_, err := fmt.Fprint(s.p.Out, b.String())
	return err
}

// writePNG saves the code as an image that only the person can read, because scanning it gives control
// of the device.
func (s *qrScreen) writePNG(code string) error {
	c, err := qr.Encode(code, qr.L)
	if err != nil {
		return fmt.Errorf("cannot draw the code: %w", err)
	}
	if err := renameio.WriteFile(s.png, c.PNG(), 0o600); err != nil {
		return fmt.Errorf("cannot write the code: %w", err)
	}
	if !s.told {
		s.told = true
		s.p.Say(i18n.WhatsappPng(s.png))
	}
	return nil
}
