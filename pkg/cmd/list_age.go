package cmd

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// age is a duration as a flag takes it: as Go writes one, with days in front of it,
// which tables print ("2d5h").
type age time.Duration

const (
	day     = 24 * time.Hour
	maxDays = int64(1<<63-1) / int64(day)
)

// Set reads the value of a flag.
func (a *age) Set(text string) error {
	number, rest, hasDays := strings.Cut(text, "d")
	if !hasDays {
		parsed, err := time.ParseDuration(text)
		if err != nil {
			return errAge
		}
		*a = age(parsed)
		return nil
	}
	days, err := strconv.ParseInt(number, 10, 64)
	if err != nil || days > maxDays || days < -maxDays {
		return errAge
	}
	var within time.Duration
	if rest != "" {
		if within, err = time.ParseDuration(rest); err != nil || within < 0 || within > day {
			return errAge
		}
	}
	sum := time.Duration(days)*day + within
	if days > 0 && sum < 0 { // it has overflowed
		return errAge
	}
	*a = age(sum)
	return nil
}

var errAge = errors.New("not a duration such as 10m, 24h, 7d or 1d12h")

// String is the value in the usage of a command.
func (a *age) String() string {
	d := time.Duration(*a)
	if d == 0 {
		return "0"
	}
	if days := d / day; days != 0 {
		return fmt.Sprintf("%dd%s", days, (d % day).Abs())
	}
	return d.String()
}

// Type is the name of the value in the usage of a command.
func (a *age) Type() string { return "duration" }
