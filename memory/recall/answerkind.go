package recall

import (
	"regexp"
	"sync"
)

// answerKind is a kind of answer that a question can ask for and a note can contain.
type answerKind struct {
	question, answer *regexp.Regexp // matched against folded texts
	boost            float64        // less than the weight of one rare word
}

// answerKinds are the kinds that are recognizable by their format.
var answerKinds = sync.OnceValue(func() []answerKind {
	kind := func(boost float64, asked, answer string) answerKind {
		return answerKind{regexp.MustCompile(asked), regexp.MustCompile(answer), boost}
	}
	return []answerKind{
		kind(mostHinted, // address of a device or a house
			`주소|아이피|\baddress|\bips?\b|\burl\b|\bhostname|地址|网址|住址`,
			`[0-9]{1,3}(\.[0-9]{1,3}){3}|[0-9a-f]{1,4}(:[0-9a-f]{0,4}){3,7}|[0-9a-f]{2}(:[0-9a-f]{2}){5}|://|[a-z0-9]@[a-z0-9]|\b[a-z0-9-]+\.(local|lan|home|com|net|org|kr|cn|io|dev|me|xyz)\b|`+
				`\pL(로|길|동|리|번길)\s?[0-9]|[0-9]\s?(호|동|번지|번길|층)|\b[0-9]+ (\pL+ ){1,3}(street|st|road|rd|avenue|ave|lane|drive|way|square)\b|(路|街|巷|弄|道|小区|栋|单元)\s?[0-9]|[0-9]\s?(号|弄|栋|室|单元)`),
		kind(mostHinted, // phone number, code or password
			`번호|전화|연락처|\bphone|\bnumber|\btelephone|号码|电话|密码|비번`,
			`[0-9]{3,}|[0-9][ -][0-9]`),
		kind(1.12, // a day or a time
			`언제|며칠|몇\s?(시|월|일|년)|요일|날짜|\bwhen\b|\bwhat (time|day|date|year|month)\b|\bdate\b|什么时候|何时|几点|几号|几月|哪天|哪年|星期几|周几|日期`,
			`[0-9]{4}-[0-9]{1,2}|[0-9]\s?(월|일|시|년|년도|월달|月|日|号|点|年|am|pm|a\.m|p\.m)|[0-9]:[0-9]{2}|\b[0-9]{1,2}/[0-9]{1,2}\b|\b[0-9]+(st|nd|rd|th)\b|[一二三四五六七八九十半]+[月日号点]|`+
				`\pL요일|매일|매주|매달|매월|매년|평일|주말|아침|저녁|새벽|정오|자정|오전|오후|周[一二三四五六日末天]|星期[一二三四五六日天]|每[天周月年]|早上|晚上|中午|凌晨|上午|下午|`+
				`\b(mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(january|february|march|april|june|july|august|september|october|november|december)\b|\b(in|on|by|until|of) may\b|\bmay [0-9]|\b(jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec) [0-9]|`+
				`\b(every|daily|weekly|monthly|nightly|yearly|noon|midnight|weekends?|weekdays?|morning|evening)\b`),
		kind(mostHinted, // an amount of money
			`얼마|가격|비용|요금|\bhow much\b|\bprice|\bcosts?\b|多少钱|价格|几块`,
			`[0-9]\s?(만|천|억|백)?\s?원|[0-9]\s?(만|천|억)\b|[0-9]\s?(元|块|万|千|円|엔|달러|유로|위안|usd|krw|eur|cny|rmb|dollars?|euros?|won|yuan|bucks)|[$€£¥₩]\s?[0-9]|무료|공짜|免费|\bfree\b`),
		kind(1.05, // how many, how large
			`몇|얼마|사이즈|치수|\bhow (many|much|often|long|big|old|tall|far)\b|\bsize\b|几|多少|多久|多大|多高|尺码`,
			`[0-9]|[一二三四五六七八九十]+[个次岁天周]`),
	}
})
