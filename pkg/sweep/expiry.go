package sweep

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
)

// The annotations that say how long an object is kept, each as the tool reads it that made it known.
const (
	// https://github.com/hjacobs/kube-janitor, kube_janitor/helper.py and janitor.py
	janitorTTL     = "janitor/ttl"
	janitorExpires = "janitor/expires"
	// https://github.com/openshift/ci-ns-ttl-controller, pkg/controller/ttl_manager.go and reaper.go: of
	// namespaces only
	openshiftPrefix  = "ci.openshift.io/ttl."
	openshiftHardTTL = "ci.openshift.io/ttl.hard"
	openshiftSoftTTL = "ci.openshift.io/ttl.soft"
	openshiftActive  = "ci.openshift.io/active"
	// https://github.com/TwiN/k8s-ttl-controller, main.go
	twinTTL       = "k8s-ttl-controller.twin.sh/ttl"
	twinRefreshed = "k8s-ttl-controller.twin.sh/refreshed-at"
)

// DefaultAnnotations are the annotations that are read unless others are named.
var DefaultAnnotations = []string{janitorTTL, janitorExpires, openshiftHardTTL, openshiftSoftTTL, twinTTL}

// openshiftMinAge is the age before which ci-ns-ttl-controller deletes no namespace.
const openshiftMinAge = time.Hour

// errNever says that an annotation lets an object live indefinitely.
var errNever = errors.New("it never expires")

// expiryOf is when an object expires by an annotation other than openshiftSoftTTL.
func expiryOf(key, value string, m metav1.ObjectMeta) (time.Time, error) {
	created := m.CreationTimestamp.Time
	switch key {
	case janitorTTL:
		ttl, err := parseJanitorTTL(value)
		return created.Add(ttl), err
	case janitorExpires:
		return parseTime(value, janitorTimes)
	case openshiftHardTTL:
		ttl, err := time.ParseDuration(value)
		return notBefore(created.Add(ttl), created), positive(ttl, err)
	case twinTTL:
		ttl, err := parseLongDuration(value)
		if refreshed, set, timeErr := otherTime(m, twinRefreshed); set {
			created, err = refreshed, errors.Join(err, timeErr)
		}
		return created.Add(ttl), err
	}
	return parseAny(value, created)
}

// otherTime is the time in an annotation that another one counts from. The tools ignore it where
// it is none; a sweep keeps the object.
func otherTime(m metav1.ObjectMeta, key string) (t time.Time, set bool, err error) {
	value, set := m.Annotations[key]
	if !set {
		return time.Time{}, false, nil
	}
	if t, err = time.Parse(time.RFC3339, value); err != nil {
		err = fmt.Errorf("%s=%s is not a time such as 2026-01-31T12:00:00Z", key, apitext.Shorten(value))
	}
	return t, true, err
}

// notBefore is a time, or the end of the first hour of a namespace if that is later.
func notBefore(t, created time.Time) time.Time {
	if earliest := created.Add(openshiftMinAge); t.Before(earliest) {
		return earliest
	}
	return t
}

// parseAny reads the value of an annotation that belongs to no known tool: forever, a duration or a time.
func parseAny(value string, created time.Time) (time.Time, error) {
	if strings.EqualFold(value, janitorForever) {
		return time.Time{}, errNever
	}
	if ttl, err := parseLongDuration(value); err == nil {
		return created.Add(ttl), nil
	}
	t, err := parseTime(value, append([]string{time.RFC3339}, janitorTimes...))
	if err != nil {
		err = fmt.Errorf("%q is neither a duration such as 8h or 7d, nor a time such as 2026-01-31T12:00:00Z, nor %s", value, janitorForever)
	}
	return t, err
}

const janitorForever = "forever"

// janitorTimes are the layouts of kube-janitor, all in UTC.
var janitorTimes = []string{"2006-01-02T15:04:05Z", "2006-01-02T15:04", "2006-01-02"}

func parseTime(value string, layouts []string) (time.Time, error) {
	for _, layout := range layouts {
		if t, err := time.Parse(layout, value); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a time such as 2026-01-31T12:00:00Z, 2026-01-31T12:00 or 2026-01-31", value)
}

var janitorDuration = regexp.MustCompile(`^([0-9]+)([smhdw])$`)

// parseJanitorTTL reads one number with one unit. kube-janitor takes 0 for no TTL.
func parseJanitorTTL(value string) (time.Duration, error) {
	if strings.EqualFold(value, janitorForever) {
		return 0, errNever
	}
	match := janitorDuration.FindStringSubmatch(value)
	if match == nil {
		return 0, fmt.Errorf("%q is not a duration such as 60s, 5m, 8h, 7d or 2w", value)
	}
	ttl, err := parseLongDuration(value)
	if n, numberErr := strconv.ParseUint(match[1], 10, 64); numberErr == nil && n == 0 {
		return 0, errNever
	}
	return ttl, err
}

var (
	longDuration = regexp.MustCompile(`([0-9]+(?:\.[0-9]*)?|\.[0-9]+)([dw])`)
	// numbersWithUnits keeps what follows a number from being taken for another one, as in 1.5.5d.
	numbersWithUnits = regexp.MustCompile(`^[+-]?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)\pL+)+$`)
)

// parseLongDuration reads a duration of Go in which days and weeks may stand too.
func parseLongDuration(value string) (time.Duration, error) {
	if !numbersWithUnits.MatchString(value) {
		return 0, fmt.Errorf("%q is not a duration such as 30m, 8h or 7d", value)
	}
	hours := map[string]float64{"d": 24, "w": 7 * 24}
	expanded := longDuration.ReplaceAllStringFunc(value, func(part string) string {
		match := longDuration.FindStringSubmatch(part)
		n, _ := strconv.ParseFloat(match[1], 64) // the pattern has only numbers
		return strconv.FormatFloat(n*hours[match[2]], 'f', -1, 64) + "h"
	})
	ttl, err := time.ParseDuration(expanded)
	if err != nil {
		return 0, fmt.Errorf("%q is not a duration such as 30m, 8h or 7d", value)
	}
	return ttl, positive(ttl, nil)
}

// positive refuses a duration that would let an object expire before it was created.
func positive(ttl time.Duration, err error) error {
	if err == nil && ttl <= 0 {
		return errors.New("it is not more than 0")
	}
	return err
}
