package i18n_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
)

func TestNumbersHaveTheirThousandsApart(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1234: "-1,234", -12: "-12"} {
		require.Equal(t, want, i18n.Count(n))
	}
}

func TestAnAmountIsAsExactAsItIsLarge(t *testing.T) {
	for usd, want := range map[float64]string{
		0: "$0.0000", 0.00001: "<$0.0001", 0.00005: "$0.0001", 0.0123: "$0.0123", 12.3: "$12.3000", 99.99996: "$100.00", 1234.567: "$1,234.57", 12.999999: "$13.0000",
	} {
		require.Equal(t, want, i18n.Dollars(usd))
	}
}

func TestAPriceNobodyKnowsIsNotNothing(t *testing.T) {
	require.Equal(t, "$1.0000", i18n.Cost(1, 2, 0))
	require.Equal(t, "≥$1.0000", i18n.Cost(1, 2, 1))
	require.Equal(t, "?", i18n.Cost(0, 2, 2))
	require.Equal(t, "≥$1.0000", i18n.Cost(1, 2, 1))
}
