package sweep

import (
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What an annotation says is what the tool that reads it does.
func TestExpiry(t *testing.T) {
	created := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(d time.Duration) string { return created.Add(d).Format(time.RFC3339) }
	const never, wrong = "never", "wrong"
	const day = 24 * time.Hour
	for _, test := range []struct{ key, value, want string }{
		{janitorTTL, "60s", at(time.Minute)},
		{janitorTTL, "2w", at(14 * day)},
		{janitorTTL, "Forever", never},
		{janitorTTL, "0s", never},
		{janitorTTL, "1h30m", wrong},
		{janitorTTL, "1.5h", wrong},
		{janitorTTL, "-1h", wrong},
		{janitorTTL, "999999999999999999w", wrong},
		{janitorExpires, "2026-02-25T09:26:14Z", "2026-02-25T09:26:14Z"},
		{janitorExpires, "2026-02-25T09:26", "2026-02-25T09:26:00Z"},
		{janitorExpires, "2026-02-25", "2026-02-25T00:00:00Z"},
		{janitorExpires, "8h", wrong},
		{openshiftHardTTL, "72h", at(3 * day)},
		{openshiftHardTTL, "10m", at(time.Hour)}, // never within the first hour
		{openshiftHardTTL, "3d", wrong},
		{openshiftHardTTL, "-1h", wrong},
		{twinTTL, "5m", at(5 * time.Minute)},
		{twinTTL, "1w2d3h", at(9*day + 3*time.Hour)},
		{twinTTL, "1.5d", at(36 * time.Hour)},
		{twinTTL, "soon", wrong},
		{twinTTL, "1.5.5d", wrong}, // not 1.132h
		{twinTTL, "1d2", wrong},
		{twinTTL, "-1d", wrong},
		{twinTTL, "99999999999d", wrong},
		{"example.com/keep", "forever", never},
		{"example.com/keep", "1d12h", at(36 * time.Hour)},
		{"example.com/keep", "2026-02-25T09:26:14+01:00", "2026-02-25T08:26:14Z"},
		{"example.com/keep", "", wrong},
	} {
		got, err := expiryOf(test.key, test.value, metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(created)})
		answer := got.UTC().Format(time.RFC3339)
		switch {
		case errors.Is(err, errNever):
			answer = never
		case err != nil:
			answer = wrong
		}
		if answer != test.want {
			t.Errorf("%s=%s: %s (%v), not %s", test.key, test.value, answer, err, test.want)
		}
	}
	refreshed := metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(created), Annotations: map[string]string{twinRefreshed: at(day)}}
	if got, err := expiryOf(twinTTL, "1h", refreshed); err != nil || !got.Equal(created.Add(25*time.Hour)) {
		t.Errorf("refreshed: %s, %v", got, err)
	}
	refreshed.Annotations[twinRefreshed] = "yesterday"
	if got, err := expiryOf(twinTTL, "1h", refreshed); err == nil {
		t.Errorf("refreshed at a time that is none: %s", got)
	}
}
