package scripted

import (
	"strings"

	"github.com/nidoit/blunux-ai/providers"
)

// scene is a sequence of steps that begins with a matcher.
type scene struct {
	opening bool // without a matcher: continues through the whole conversation
	steps   []*step
}

func splitScenes(steps []step) []scene {
	var scenes []scene
	for i := range steps {
		s := &steps[i]
		matched := s.User != nil || s.UserMatch != nil
		if matched || len(scenes) == 0 {
			scenes = append(scenes, scene{opening: !matched})
		}
		last := &scenes[len(scenes)-1]
		last.steps = append(last.steps, s)
	}
	return scenes
}

// lastUser returns the index of the last message with text of the user, or -1.
func lastUser(messages []providers.Message) int {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == providers.RoleUser && messages[i].Text() != "" {
			return i
		}
	}
	return -1
}

func lastUserText(messages []providers.Message) string {
	if i := lastUser(messages); i >= 0 {
		return messages[i].Text()
	}
	return ""
}

// nextStep returns the step that answers req and its view.
func (m *Model) nextStep(req providers.Request) (*step, view, bool) {
	now := newView(req, req.Messages, lastUser(req.Messages))
	playing, ok := m.script.sceneFor(&now)
	if !ok {
		return nil, now, false
	}
	start := lastUser(req.Messages)
	if playing.opening {
		start = -1
	}
	p := player{steps: playing.steps, loop: m.script.Loop}
	for i := start + 1; i < len(req.Messages); i++ {
		if req.Messages[i].Role != providers.RoleAssistant {
			continue
		}
		before := req.Messages[:i]
		past := newView(req, before, lastUser(before))
		if playing.opening && m.script.hasScene(&past) {
			continue // another scene answered it
		}
		p.replay(&past)
	}
	s, ok := p.next(&now)
	if ok && s.isSilent() {
		for tries := m.countAttempt(req); ok && s.isSilent() && tries >= s.times(); {
			tries -= s.times()
			p.skip()
			s, ok = p.next(&now)
		}
	}
	return s, now, ok
}

// sceneFor returns the scene for the user's text: the first with a matching matcher, else the opening one.
func (s *script) sceneFor(v *view) (scene, bool) {
	for _, c := range s.scenes {
		if !c.opening && c.steps[0].matchesUser(v) {
			return c, true
		}
	}
	return s.scenes[0], s.scenes[0].opening
}

// hasScene reports whether a scene with a matcher answers the user's text.
func (s *script) hasScene(v *view) bool {
	c, ok := s.sceneFor(v)
	return ok && !c.opening
}

func (s *step) matchesUser(v *view) bool {
	if s.UserMatch != nil {
		v.userGroups = s.UserMatch.FindStringSubmatch(v.user)
		return v.userGroups != nil
	}
	return strings.Contains(strings.ToLower(v.user), strings.ToLower(*s.User))
}

// matchesResult matches the commands' output and the result that the model gets, which can be fenced and cut.
func (s *step) matchesResult(v *view) bool {
	v.resultGroups = nil
	switch {
	case s.ResultMatch != nil:
		for _, text := range []string{v.output, v.result} {
			if v.resultGroups = s.ResultMatch.FindStringSubmatch(text); v.hasResult && v.resultGroups != nil {
				return true
			}
		}
		return false
	case s.Result == nil:
		return true
	case *s.Result == "":
		return !v.hasResult
	}
	return v.hasResult && (strings.Contains(v.output, *s.Result) || strings.Contains(v.result, *s.Result))
}

// isSilent reports whether the step produces no assistant message.
func (s *step) isSilent() bool { return s.Error != nil || s.Wait }

func (s *step) times() int {
	if s.Forever {
		return 1 << 30
	}
	return max(1, s.Repeat)
}

// player steps through a scene.
type player struct {
	steps []*step
	loop  bool
	at    int // index of the next step
	count int // number of times it has answered
}

// next returns the step for a view and skips steps that do not match.
func (p *player) next(v *view) (*step, bool) {
	for tried := 0; tried <= len(p.steps); tried++ {
		if p.at == len(p.steps) {
			if !p.loop {
				return nil, false
			}
			p.at = 0
		}
		if s := p.steps[p.at]; s.matchesResult(v) {
			return s, true
		}
		p.skip()
	}
	return nil, false
}

// replay replays one answer of the past. It skips silent steps, because they cannot have given it.
func (p *player) replay(v *view) {
	for range len(p.steps) + 1 {
		s, ok := p.next(v)
		if !ok {
			return
		}
		if !s.isSilent() {
			if p.count++; p.count >= s.times() {
				p.skip()
			}
			return
		}
		p.skip()
	}
}

func (p *player) skip() { p.at, p.count = p.at+1, 0 }
