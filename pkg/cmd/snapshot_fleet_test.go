package cmd

import (
	"strings"
	"testing"
)

// The file of a snapshot stays in its folder, whatever a context is called.
func TestArchiveNames(t *testing.T) {
	names := archiveNames{taken: map[string]bool{}}
	for _, test := range [][2]string{
		{"prod", "prod.tar.gz"},
		{"PROD", "PROD-2.tar.gz"},
		{"../../etc/passwd", "etc-passwd.tar.gz"},
		{"arn:aws:eks:eu:1:cluster/x", "arn-aws-eks-eu-1-cluster-x.tar.gz"},
		{"..", "cluster.tar.gz"},
		{"é\x1b", "cluster-2.tar.gz"},
		{strings.Repeat("a", 300), strings.Repeat("a", 100) + ".tar.gz"},
	} {
		if got := names.next(test[0]); got != test[1] {
			t.Errorf("the file of %q is %q, want %q", test[0], got, test[1])
		}
	}
}
