// Package live is the live API server behind cluster.Source: connection,
// discovery, scans, watches and metrics.
//
// Its law: it sends reads, access reviews and dry runs, and nothing that would be
// carried out. Every read is bounded in bytes, pages and time.
package live
