package intent

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestScams recognises what looks like an attempt to deceive, by its kind, and runs nothing.
func TestScams(t *testing.T) {
	for kind, requests := range map[string][]string{
		"remote": {
			"은행이라면서 애니데스크 깔라는데 깔아도 돼?", "경찰이라는 사람이 팀뷰어 설치하래", "a man from Microsoft called and wants me to install TeamViewer",
			"support guy on the phone needs remote access", "give this guy remote access", "银行客服打来电话让我装向日葵",
		},
		"money": {
			"검찰이라는 사람이 안전계좌로 돈 옮기라고 하네 어떡해", "딸이라면서 모르는 번호로 돈 보내달래", "my grandson texted from a new number and needs gift cards",
			"police officer says transfer my savings", "公安让我把钱转到安全账户",
		},
		"app":      {"카톡으로 온 apk 파일 열어도 돼? 택배.apk", "문자로 온 링크 눌러서 앱 깔라는데", "경찰청에서 앱 깔라는데", "the police told me to install an app", "a stranger on discord sent game.exe, can I run it", "群里有人发了个红包助手.exe，能打开吗"},
		"popup":    {"화면에 바이러스 감염됐다고 전화하라고 떠", "a popup says my computer is infected, call this number", "弹窗说我的电脑中毒了"},
		"code":     {"은행 직원이 인증번호 알려달라고 하는데", "he asks for the verification code", "对方要我把验证码告诉他"},
		"secret":   {"전화로 카드번호 불러달라는데 은행 직원이 달라고 해", "an email asks for my password", "客服打电话要我的银行卡卡号密码，问我要"},
		"plugin":   {"은행 보안프로그램 설치해줘", "install the bank's security program", "安装网银安全控件"},
		"password": {"내 비밀번호는 abcd1234야 기억해줘", "remember my wifi password is hunter22", "我的密码是 abc12345", "remember my pin 4821", "내 핀번호 4821 기억해"},
		"card":     {"my card number is 4111 1111 1111 1111", "카드번호 말고 계좌번호 4111-1111-1111-1111 기억해"},
		"id":       {"내 주민번호 900101-1234567 기억해줘"},
	} {
		for _, request := range requests {
			p := BuiltIn().Understand(request, Context{})
			require.Equal(t, KindRefuse, p.Kind, "%s: %s", request, p.Why())
			require.Equal(t, "scam-"+kind, p.Topic, request)
			require.Empty(t, p.Steps, request)
		}
	}
	for _, request := range []string{
		"install teamviewer", "팀뷰어 설치해줘", "install anydesk please", "원격 데스크톱 어떻게 켜?", "wifi password 2층 보여줘", "비밀번호 바꿔줘",
		"zip 파일 풀어줘", "install keepassxc", "안전하게 종료해줘", "telegram 설치해줘", "디스코드 깔아줘", "is discord installed?", "安装 telegram", "카카오톡 설치",
		"remember that my NAS is at 192.168.0.20", "내 생일은 3월 2일이야 기억해", "my phone's wifi does not work", "다음 주에 은행 가라고 알려줘", "은행 앱 알려줘", "pin firefox at version 120", "remote access로 ssh 켜줘", "scan for viruses",
	} {
		require.NotRegexp(t, "^scam", BuiltIn().Understand(request, Context{}).Topic, request)
	}
}
