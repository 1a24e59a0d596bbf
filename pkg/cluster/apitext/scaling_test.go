package apitext

import "testing"

func TestIsScaledToZero(t *testing.T) {
	for message, want := range map[string]bool{
		"Scaled down replica set web-5d6 to 0":        true,
		"Scaled down replica set web-5d6 from 1 to 0": true,
		"Scaled down replica set web-5d6 to 0 from 1": true,
		"Scaled up replica set web-5d6 to 10":         false,
		"Scaled up replica set web-5d6 from 0 to 10":  false,
		"Scaled up replica set web-5d6 to 1 from 0":   false,
		"delete Pod web-0 in StatefulSet web":         false,
		"":                                            false,
	} {
		if got := IsScaledToZero(message); got != want {
			t.Errorf("%q: %t", message, got)
		}
	}
}
