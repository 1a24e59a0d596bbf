package cluster

import "time"

// ClockSpread is how far the times in the answers of a source's server differ from each other, zero where the source does not know.
func ClockSpread(source Source) time.Duration {
	if server, ok := source.(interface{ ClockSpread() time.Duration }); ok {
		return server.ClockSpread()
	}
	return 0
}

// ClockSkew is how far the clock of a source's server is ahead of that of the machine that read it, zero where the source does not
// know.
func ClockSkew(source Source) time.Duration {
	if server, ok := source.(interface{ ClockSkew() time.Duration }); ok {
		return server.ClockSkew()
	}
	return 0
}

// LeaseAgesError says why the ages of all Leases of a source are not known, and is nil where they are.
func LeaseAgesError(source Source) error {
	if dump, ok := source.(interface{ LeaseAgesError() error }); ok {
		return dump.LeaseAgesError()
	}
	return nil
}
