package recall_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/memory/recall"
	"github.com/nidoit/blunux-ai/providers"
)

// unrelatedNotes are unrelated notes that surround the notes of a test.
var unrelatedNotes = []string{
	"회의실 프로젝터 비밀번호는 4421", "the router is in the hallway cabinet", "书房的台灯是小米的", "주말에는 가족과 산책", "timeshift snapshots run on Fridays",
	"자전거 자물쇠 번호 0917", "the dentist is Dr. Park on Main Street", "周三晚上打羽毛球", "노트북은 씽크패드 X1", "library books are due on the 14th", "妈妈喜欢百合花", "개발 서버는 매주 재시작",
}

// search searches and returns the texts of the first hits.
func search(t *testing.T, query string, limit int, notes ...string) []string {
	t.Helper()
	dir := t.TempDir()
	notesIn(t, dir, append(append([]string{}, unrelatedNotes...), notes...)...)
	x := open(t, recall.Options{Sources: []recall.Source{recall.Markdown(dir)}})
	require.NoError(t, x.Sync(context.Background()))
	hits, err := x.Recall(context.Background(), memory.Query{Words: query, Limit: limit})
	require.NoError(t, err)
	var texts []string
	for _, h := range hits {
		texts = append(texts, h.Text)
	}
	return texts
}

// Searches with synonyms and in other languages.
func TestOtherWordsForAThingFindIt(t *testing.T) {
	for _, c := range []struct{ note, queries string }{
		{"우유랑 세제는 이마트에서 산다", "where do I get detergent|洗衣液在哪里买|장보기는 어디서"},
		{"flu shot booked for October 3", "독감 예방접종 언제|疫苗什么时候打|vaccination"},
		{"민트는 편두통이 있어서 초콜릿을 피한다", "migraine|偏头痛不能吃什么"},
		{"my manager at work is Hana", "직장 상사 이름|我的经理是谁|who is my boss"},
		{"每月15号发工资", "when is payday|월급날|salary date"},
		{"세 살 조카 이름은 지우", "nephew's name|侄子叫什么"},
		{"the vet for Bori is on 5th street", "동물병원 어디|宠物医院在哪"},
		{"shoe size 270", "신발 치수|鞋码"},
		{"청소기 필터는 석 달마다 교체", "vacuum cleaner filter|吸尘器滤网"},
		{"I play the cello on Sundays", "악기 뭐 하지|乐器|which instrument do I play"},
		{"photos go to ~/Pictures as jpeg", "jpg 이미지 어디|照片放在哪里"},
		{"도커로 gitea를 돌린다", "docker|which container runs gitea|容器"},
		{"기본 웹은 파이어폭스를 쓴다", "browser|浏览器|브라우저"},
		{"我讨厌香菜", "what food do I hate|싫어하는 음식"},
		{"standup at half past nine", "站会几点|스탠드업 언제"},
		{"no meat on Fridays", "吃肉吗|고기 먹나"},
		{"제사는 음력 3월 5일", "wptk djswp|ㅈㅅ"},
		{"냉장고 보증은 2028년까지", "ㄴㅈㄱ|sodwkdrh"},
		{"python venv is in ~/work", "ㅔㅛ쇄ㅜ"},
		{"the nas backs up at night", "ㅜㅁㄴ"},
		{"房租每月80万韩元", "how much is the rent|월세 얼마"},
	} {
		for _, q := range strings.Split(c.queries, "|") {
			require.Contains(t, search(t, q, 3, c.note), c.note, q)
		}
	}
}

func TestFormsOfEnglishWordsFindEachOther(t *testing.T) {
	for _, c := range []struct{ query, note string }{
		{"standup", "the stand-up is at 9:30"},
		{"stand-up", "standup is at 9:30"},
		{"stand up time", "stand-up at 9:30"},
		{"stand-up", "we stand up at 9:30"},
		{"browser", "no browsing after ten"},
		{"printing", "the printer sits in the hallway"},
		{"allergies", "allergic to pollen"},
		{"migration", "migrated to btrfs"},
		{"preference", "prefers tabs to spaces"},
		{"installer", "installation took an hour"},
		{"favourite colour", "favorite color is teal"},
		{"organize photos", "organised the pictures by year"},
		{"center", "the centre opens at ten"},
	} {
		require.Equal(t, c.note, search(t, c.query, 1, c.note, "nothing of the kind")[0], c.query)
	}
}

func TestOneSyllableFindsCompoundsAfterTheWordItself(t *testing.T) {
	require.Equal(t, []string{"약은 식후에 먹는다", "약상자는 서랍에", "혈압약은 아침에"}, search(t, "약", 3, "혈압약은 아침에", "약상자는 서랍에", "약은 식후에 먹는다", "예약은 금요일"))
	require.Contains(t, search(t, "약을 언제 먹지", 2, "혈압약은 아침 8시", "점심은 12시에 먹는다"), "혈압약은 아침 8시")
	require.Contains(t, search(t, "집", 2, "시골집은 강릉", "수집한 우표"), "시골집은 강릉")
	got := search(t, "개 이름", 3, "강아지는 보리", "의자 네 개", "체험판은 4개월", "개발 언어는 고")
	require.Equal(t, "강아지는 보리", got[0])
}

func TestTheKindOfAnswerThatIsAskedForComesFirst(t *testing.T) {
	for _, c := range []struct{ query, want, other string }{
		{"나스 주소", "나스는 192.168.0.44", "나스는 거실에 있다"},
		{"NAS address", "the NAS answers at nas.local", "the NAS hums in the den"},
		{"打印机地址", "打印机 10.0.0.9", "打印机在走廊"},
		{"민수 전화번호", "민수 010-2233-4455", "민수는 고등학교 친구"},
		{"plumber phone", "plumber 02-555-1234", "the plumber is friendly"},
		{"세차 언제", "세차 3월 4일", "세차는 셀프로"},
		{"when is yoga", "yoga on Tuesday at 7", "yoga mat is purple"},
		{"几点上瑜伽", "瑜伽晚上7点", "瑜伽垫是紫色的"},
		{"넷플릭스 얼마", "넷플릭스 17,000원", "넷플릭스는 4K"},
		{"how much is the gym", "gym costs $40", "the gym is near the park"},
		{"停车费多少钱", "停车费 300元", "停车费用公司卡"},
	} {
		require.Equal(t, c.want, search(t, c.query, 1, c.other, c.want)[0], c.query)
	}
}

func TestNounsDecideBeforeCommonVerbs(t *testing.T) {
	for _, c := range []struct{ query, want, other string }{
		{"how do I turn on the boiler", "boiler: hold the red knob", "turn on the lamp with a clap"},
		{"take vitamins", "vitamins are in the top drawer", "take the bus to town"},
		{"땅콩 먹어도 되나", "땅콩 알레르기가 있다", "점심은 혼자 먹는다"},
		{"去健身房", "健身房在三楼", "去北京出差"},
	} {
		require.Equal(t, c.want, search(t, c.query, 1, c.other, c.want)[0], c.query)
	}
}

func TestNotesInTheLanguageOfTheQuestionComeFirst(t *testing.T) {
	three := []string{"기본 브라우저는 브레이브", "默认浏览器是 Brave", "default browser is Brave"}
	for query, want := range map[string]string{"browser": three[2], "브라우저": three[0], "浏览器": three[1]} {
		require.Equal(t, want, search(t, query, 1, three...)[0], query)
	}
	themes := []string{"다크 테마를 선호한다", "喜欢深色主题", "prefers a dark theme"}
	for query, want := range map[string]string{"theme preference": themes[2], "theme": themes[2], "테마": themes[0], "主题": themes[1]} {
		require.Equal(t, want, search(t, query, 1, themes...)[0], query)
	}
}

func TestLinesThatOnlyRecordALookUpAreFarBelow(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/daily/2026-02-20.md", "- 09:12 · 나스 주소 알려줘 · blunux-ai memory search -- 나스 주소 · ok\n- 09:13 · 나스 주소는 192.168.0.9 · blunux-ai memory remember -- 나스 주소는 192.168.0.9 · ok\n- 10:00 · 나스 재시작 · ssh nas sudo reboot · ok\n")
	x := open(t, recall.Options{Sources: []recall.Source{recall.Markdown(dir)}, Now: on(day(t, "2026-02-21"))})
	hits, err := x.Recall(context.Background(), memory.Query{Words: "나스 주소"})
	require.NoError(t, err)
	require.Len(t, hits, 3)
	require.Contains(t, hits[0].Text, "sudo reboot")
	require.Less(t, hits[1].Score, 0.4)
}

func TestWhatRecallToldInAConversationIsNotIndexed(t *testing.T) {
	s := session.New(session.Options{Dir: t.TempDir()})
	key := session.Key("a", "cli", "x")
	for tool, text := range map[string]string{"recall": "penguin in the notes", "remember": "penguin kept", "forget": "penguin gone", "update_user": "penguin is the user", "run_command": "penguin ran"} {
		e := session.Entry{Type: session.TypeResult, Content: text, Timestamp: time.Now().UnixMilli(), Metadata: &session.Metadata{Tool: tool}}
		require.NoError(t, s.Append(key, e))
	}
	require.NoError(t, s.Append(key, session.NewEntry(providers.UserText("hello"), nil)))
	x := open(t, recall.Options{Sources: []recall.Source{recall.Conversations(s)}})
	hits, err := x.Recall(context.Background(), memory.Query{Words: "penguin", Categories: []memory.Category{memory.Conversation}})
	require.NoError(t, err)
	require.Len(t, hits, 1)
	require.Equal(t, "penguin ran", hits[0].Text)
}

func TestThingsOfAKindAreAllKnown(t *testing.T) {
	require.Empty(t, recall.UnknownThings())
}
